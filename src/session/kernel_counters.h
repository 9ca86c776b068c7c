/* The second way beside a plan on the bus: counters of the host's kernel (perf_event), with the
 * same course. kernel_assign.c settles which events go that way and where they are counted,
 * kernel_counters.c counts them. */
#ifndef BX_SESSION_KERNEL_COUNTERS_H
#define BX_SESSION_KERNEL_COUNTERS_H

#include "host/perf/perf_counters.h"
#include "machine/machine.h"

/* One event on one PMU, on a CPU or of a program: one reading. */
typedef struct bx_kernel_assignment {
    uint16_t event; /* among those that the caller gave */
    uint16_t package, unit;
    int16_t port;
    bx_perf_config config;
    int32_t cpu; /* as bx_perf_counter_spec has it */
    bool joins;
    bx_reading *reading;
} bx_kernel_assignment;

typedef struct bx_kernel {
    bx_machine *machine;
    const bx_evsel *events; /* all that the caller gave, copied */
    size_t events_n;
    bx_kernel_assignment *assignments; /* by event */
    size_t n, room;
    bx_perf_counter_spec *wants;
    bx_perf_value *values;
    int *errnos;
    bx_perf_counters *counters; /* once they are opened */
} bx_kernel;

/* ---- kernel_assign.c ---- */

/* Settles who goes this way: takes[i] for events[i]. BX_NO_ACCESS and the like with the span of an
 * event that can be counted in no way, or not in the one that the machine was opened with. */
int bx_kernel_assign(bx_kernel *k, bool *takes, bx_error *e);

/* ---- kernel_counters.c ---- */

/* events: copied. *k is to be freed in any case. */
int bx_kernel_new(bx_machine *m, const bx_evsel *events, size_t n, bool *takes, bx_kernel **k,
                  bx_error *e);
void bx_kernel_free(bx_kernel *k); /* closes the counters; NULL is fine */

/* Opens the counters; those that cannot be had are BX_BLOCKED, and *trouble tells why, with the
 * event's span. BX_NO_FIT where a group cannot be kept together. */
int bx_kernel_open(bx_kernel *k, bx_error *trouble, bx_error *e);
void bx_kernel_start(bx_kernel *k);
void bx_kernel_stop(bx_kernel *k);
/* Brings the readings up to date; *trouble tells why one could not be read. */
void bx_kernel_collect(bx_kernel *k, bx_error *trouble);

#endif
