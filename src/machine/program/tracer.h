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
    /* starts the program in place of this process, and reads then do not wait; or NULL */
    const struct bx_spawner *by;
    bx_model *model; /* the model that the feeds are for; NULL: there is one feed, of core 0 */
    const bx_core_list *cores;  /* the model's cores that threads run on */
    bool fixed_cores;           /* programs do not choose among them */
    bool kernel;                /* also make the accesses that a kernel makes for the program */
    bool remarks;               /* make remarks, as the model needs them */
    const bx_tlb_geometry *tlb; /* from bx_model_tlb() */
    bx_core_time core;          /* what instructions cost; all 0: an uncore cycle each */
    bool prefetch;              /* also make the accesses of the cores' prefetchers */
    bx_surroundings shown;      /* used only if we start the program */
    bx_mark_fn *at_mark;        /* these three as in bx_tasks */
    bx_counter_fn *read_counter;
    void *context;
    bool (*interrupted)(void);  /* of a replay: as in bx_tasks */
    struct bx_witness *witness; /* as in bx_tasks */
} bx_tracer_options;

/* Starts the program. It runs as fast as its accesses are consumed. frames must outlive the tracer.
 */
int bx_tracer_new(char *const argv[], struct bx_frames *frames, const bx_tracer_options *o,
                  bx_tracer **t, bx_error *e);

/* The same, from a trace file of a program that has already run: docs/reference/trace.md. o->by is
 * not used. */
int bx_tracer_replay(const char *path, struct bx_frames *frames, const bx_tracer_options *o,
                     bx_tracer **t, bx_error *e);
void bx_tracer_free(bx_tracer *t); /* kills all its processes that still run; NULL is fine */

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

/* The program's process, to send signals to. 0: it has ended, or t is NULL. */
pid_t bx_tracer_pid(const bx_tracer *t);

/* For a signal handler that is about to kill that process: set to 1, it ends all others, too. */
volatile int *bx_tracer_end_all(bx_tracer *t);

/* Call this when the program has ended. BX_SYSTEM: its trace was malformed or empty. */
int bx_tracer_check(const bx_tracer *t, bx_error *e);

/* Exit status as a shell gives it: 128 + n for signal n. 0 while the program runs. */
int bx_tracer_status(const bx_tracer *t);
int bx_tracer_signal(const bx_tracer *t); /* the signal that killed it, or 0 */

/* The counts of all processes, when the program has ended. All 0 if lackey traces it. */
bx_trace_counts bx_tracer_counts(const bx_tracer *t);

/* What a kernel would count of its threads so far. false: lackey traces it, and nobody knows. */
bool bx_tracer_tasks(const bx_tracer *t, bx_task_counts *counts);

/* Whether lackey traces the program; lackey makes no remarks. */
bool bx_tracer_is_lackey(const bx_tracer *t);

/* The processes that ran without a trace: "NAME (process N), …"; NULL: none. Belongs to the tracer.
 */
const char *bx_tracer_untraced(const bx_tracer *t);

/* The processes that still ran when the program ended, in the same form. They are counted until
 * then. */
const char *bx_tracer_left(const bx_tracer *t);

/* What the tracers say about the program, a fact a line; NULL: nothing. *cut: a process was not
 * counted to its end. When the program has ended. Belongs to the tracer. */
const char *bx_tracer_notes(bx_tracer *t, bool *cut);

/* The file that is replayed; NULL: none. When the program has ended, the whole file has been read.
 */
const bx_tracefile_reader *bx_tracer_file(const bx_tracer *t);

#endif
