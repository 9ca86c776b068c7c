/* The source of the accesses of a program that lackey traces: lackey's text. One thread reads it.
 */
#ifndef BX_MACHINE_PROGRAM_TRACE_SOURCE_H
#define BX_MACHINE_PROGRAM_TRACE_SOURCE_H

#include "model/engine/core_time.h"
#include "model/engine/frames.h"
#include "model/model.h"

#include <stddef.h>

enum { BX_TRACE_ROOM = 8192 }; /* accesses that `read` needs room for, at least */

typedef struct bx_trace_source {
    int fd;               /* for the program's process */
    bool broken;          /* the trace is malformed: nothing more can be read */
    bool no_memory;       /* memory ran out: the reason why nothing more can be read */
    bx_retire_to retires; /* where retirements are written; the caller sets it */

    /* Reads accesses; 0: there are none now. */
    size_t (*read)(struct bx_trace_source *s, bx_access *to, size_t room);

    /* Waits a short time for more. */
    void (*wait)(struct bx_trace_source *s);

    /* Call this after the program has ended: reads the rest. 0: there is none. */
    size_t (*rest)(struct bx_trace_source *s, bx_access *to, size_t room);

    /* The error in the trace; NULL: none. */
    const char *(*malformed)(struct bx_trace_source *s);

    /* Whether the trace has told its end, once all of it has been read. */
    bool (*has_end)(const struct bx_trace_source *s);

    void (*free)(struct bx_trace_source *s);
} bx_trace_source;

/* slot: uncore cycles of an instruction. retired: gives indices to retirements. On failure returns
 * NULL and sets errno. */
bx_trace_source *bx_lackey_source(struct bx_frames *frames, bx_ratio slot,
                                  bx_retired_table *retired);

#endif
