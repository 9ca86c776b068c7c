/* A traced program as a source of accesses: its instruction fetches, loads and stores. */
#ifndef BX_MACHINE_PROGRAM_TRACER_H
#define BX_MACHINE_PROGRAM_TRACER_H

#include "machine/program/decode/decoder.h"
#include "machine/program/process/surroundings.h"
#include "machine/program/task/core_list.h"
#include "machine/program/task/task.h"
#include "model/engine/frames.h"
#include "model/model.h"
#include "tracefile/reader.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct bx_tracer bx_tracer;
struct bx_spawner;

typedef struct bx_tracer_options {
    /* starts the program in place of this process, and reads do not wait; or NULL */
    const struct bx_spawner *by;
    bx_model *model; /* the model that the feeds are for; NULL: there is one feed, of core 0 */
    const bx_core_list *cores;  /* of the model */
    bool kernel;                /* accesses that a kernel makes for the program are made, too */
    bool remarks;               /* as the model wants them */
    const bx_tlb_geometry *tlb; /* bx_model_tlb() */
    bx_core_time core;          /* what instructions cost; 0: an uncore cycle each */
    bool prefetch;              /* accesses of the cores' prefetchers are made, too */
    bx_surroundings shown;      /* used if we start it */
    bx_mark_fn *at_mark;        /* as in bx_tasks */
    void *context;
} bx_tracer_options;

/* Starts the program; it runs as fast as its accesses are consumed. frames must outlive the tracer.
 */
int bx_tracer_new(char *const argv[], struct bx_frames *frames, const bx_tracer_options *o,
                  bx_tracer **t, bx_error *e);

/* The same from a trace file of a program that has run: docs/reference/trace.md. o->by is not used.
 */
int bx_tracer_replay(const char *path, struct bx_frames *frames, const bx_tracer_options *o,
                     bx_tracer **t, bx_error *e);
void bx_tracer_free(bx_tracer *t); /* kills what still runs of the program; NULL is fine */

/* The accesses for one core; NULL: there are none for it. */
bx_feed *bx_tracer_feed(bx_tracer *t, unsigned core);

/* Call this before each run of the model. */
void bx_tracer_go_on(bx_tracer *t);

/* Call this when no core has anything to do. true: the program has ended, and its status was read.
 * false: there are no accesses now. */
bool bx_tracer_ends(bx_tracer *t);

/* Waits for the first access, or for the end of the program: bx_tracer_check(). */
void bx_tracer_await(bx_tracer *t);

/* Whether the model had no accesses although the program continues. */
bool bx_tracer_waits(const bx_tracer *t);

/* Its process, to send signals to; 0 once it has ended, or if t is NULL. */
pid_t bx_tracer_pid(const bx_tracer *t);

/* Once the program has ended: BX_SYSTEM if its trace was malformed or empty. */
int bx_tracer_check(const bx_tracer *t, bx_error *e);

/* Exit status as a shell gives it: 128 + n for signal n. 0 while the program runs. */
int bx_tracer_status(const bx_tracer *t);
int bx_tracer_signal(const bx_tracer *t); /* the signal that killed it, or 0 */

/* Once it has ended: of all its processes. Zeros where lackey traces. */
bx_trace_counts bx_tracer_counts(const bx_tracer *t);

/* Whether lackey traces the program; lackey makes no remarks. */
bool bx_tracer_is_lackey(const bx_tracer *t);

/* Its processes that ran without a trace: "NAME (process N), …"; NULL: none. Belongs to the tracer.
 */
const char *bx_tracer_untraced(const bx_tracer *t);

/* The file that is replayed; NULL: none. Once it has ended, all of it has been read. */
const bx_tracefile_reader *bx_tracer_file(const bx_tracer *t);

#endif
