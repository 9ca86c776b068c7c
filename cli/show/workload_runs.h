/* Which runs make events count, and metrics differ from 0, on a virtual machine of their CPU. It is
 * found by running them (cli/show/runs.h), with all events at once. Runs with settings of their own
 * are tried only for events that no workload makes count. */
#ifndef BX_CLI_SHOW_WORKLOAD_RUNS_H
#define BX_CLI_SHOW_WORKLOAD_RUNS_H

#include "base/arena.h"
#include "base/buf.h"
#include "catalog/catalog.h"
#include "cli/show/runs.h"

/* The outcome for an event with one unit mask or none, or for a metric. */
typedef struct bx_workload_row {
    const char *counted; /* the event string that was counted; NULL: it is not modelled */
    const char *beside;  /* an event that it needs beside it, whose counter it follows; or NULL */
    uint64_t runs;       /* mask over the runs */
} bx_workload_row;

typedef struct bx_workload_runs {
    const bx_catalog *c;
    /* By CPU, BX_RUNS_MOST of them: the machine string of each run; NULL: it is not run there. */
    const char **machines;
    bx_workload_row *events, *umasks, *metrics; /* by catalogue index */
    bx_workload_row string;
    bx_arena arena;
} bx_workload_runs;

/* What is counted: an event with each of its unit masks, a metric, or an event string; BX_NONE and
 * NULL for all events and metrics of the CPU. */
typedef struct bx_workload_scope {
    unsigned event, metric;
    const char *string;
} bx_workload_scope;

/* Free *r in any case. BX_OK or BX_NO_MEMORY. */
int bx_workload_runs_open(const bx_catalog *c, bx_workload_runs *r, bx_error *e);
void bx_workload_runs_close(bx_workload_runs *r);

/* Runs the workloads on a machine of the CPU. A CPU that no model imitates gets no machine. */
int bx_workload_runs_add(bx_workload_runs *r, unsigned cpu, bx_workload_scope scope, bx_error *e);

/* The machine string of a run on a CPU; NULL: it is not run there. */
static inline const char *bx_workload_runs_machine(const bx_workload_runs *r, unsigned cpu,
                                                   size_t run)
{
    return r->machines[cpu * BX_RUNS_MOST + run];
}

#endif
