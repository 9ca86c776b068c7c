/* A sweep while it runs. */
#ifndef BX_SWEEP_RUN_H
#define BX_SWEEP_RUN_H

#include "machine/program/process/host_program.h"
#include "sweep/environments.h"
#include "sweep/store.h"
#include "sweep/sweep.h"
#include "sweep/trace_sight.h"
#include "sweep/workers.h"

enum bx_progress_of_job { BX_WAITS, BX_RUNS, BX_ENDED };

typedef struct bx_running_point {
    uint8_t progress; /* enum bx_progress_of_job */
    bool recorded;    /* `record` has ended */
    size_t environment;
    const char *refusal; /* its machine cannot be opened */
} bx_running_point;

/* The trace of an environment. */
typedef struct bx_running_trace {
    uint8_t progress;
    const char *trace, *failure; /* failure: why there is none */
} bx_running_trace;

typedef struct bx_running_sweep {
    bx_sweep *s;
    bx_sweep_store *store;
    bx_workers workers;
    bx_environments environments;
    bx_trace_sight sight;       /* of a trace that is used as it is */
    bx_running_point *point;    /* [points.n] */
    bx_running_trace *tracing;  /* [environments.n] */
    size_t first;               /* points before it do not wait */
    uint64_t begin, next_merge; /* by bx_process_clock(); next_merge: when the engine's results are
                                   looked at again */
    bx_arena arena;
    bool output_shown; /* the program's */
    bx_error *e;
} bx_running_sweep;

/* ---- definition.c ---- */

/* Opens the file of the results, of the same sweep or a new one. */
int bx_running_open_store(bx_running_sweep *r);

/* ---- outcomes.c ---- */

/* The last message of a command that failed, from the file of its messages; NULL: no memory. */
const char *bx_running_last_message(const char *path, bx_arena *a);

/* The command of a point has ended: its outcome is read and written. */
int bx_running_end_point(bx_running_sweep *r, const bx_worker_end *end);

/* The point gets this outcome without a run. */
int bx_running_refuse_point(bx_running_sweep *r, size_t i, enum bx_point_state state,
                            const char *message);

void bx_running_count(bx_sweep_state *to, enum bx_point_state state);
void bx_running_tell(bx_running_sweep *r);

/* ---- traces.c ---- */

/* Finds which machines look the same to the program, which cannot be opened, and which traces an
 * earlier run has left. */
int bx_running_find_traces(bx_running_sweep *r);

int bx_running_start_trace(bx_running_sweep *r, size_t i);
int bx_running_end_trace(bx_running_sweep *r, size_t i);

#endif
