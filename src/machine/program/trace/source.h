/* Where the accesses of a program come from that lackey traces: its text. One thread reads it. */
#ifndef BX_MACHINE_PROGRAM_TRACE_SOURCE_H
#define BX_MACHINE_PROGRAM_TRACE_SOURCE_H

#include "model/engine/core_time.h"
#include "model/engine/frames.h"
#include "model/model.h"

#include <stddef.h>

enum { BX_TRACE_ROOM = 8192 }; /* accesses that `read` needs room for, at least */

typedef struct bx_trace_source {
    int fd;               /* for the program's process */
    bool broken;          /* the trace makes no sense: nothing more can be read */
    bool no_memory;       /* or that is why */
    bx_retire_to retires; /* the caller's: where what retires goes, and how far it has come */

    /* Reads accesses; 0: there are none now. */
    size_t (*read)(struct bx_trace_source *s, bx_access *to, size_t room);

    /* Waits for more, but not for long. */
    void (*wait)(struct bx_trace_source *s);

    /* The program has ended: reads what is left. 0: nothing is. */
    size_t (*rest)(struct bx_trace_source *s, bx_access *to, size_t room);

    /* What was wrong with the trace; NULL: nothing. */
    const char *(*malformed)(struct bx_trace_source *s);

    void (*free)(struct bx_trace_source *s);
} bx_trace_source;

/* slot: uncore cycles of an instruction; retired: numbers what retires. Returns NULL and sets errno
 * on failure. */
bx_trace_source *bx_lackey_source(struct bx_frames *frames, bx_ratio slot,
                                  bx_retired_table *retired);

#endif
