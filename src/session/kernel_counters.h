/* Counting through the host's kernel (perf_event), the alternative to a plan of register
 * operations. On a virtual machine the model counts a kernel's own events. kernel_assign.c chooses
 * the events for the kernel and where each is counted, kernel_counters.c counts them. */
#ifndef BX_SESSION_KERNEL_COUNTERS_H
#define BX_SESSION_KERNEL_COUNTERS_H

#include "host/perf/perf_counters.h"
#include "machine/machine.h"

/* One event on one PMU, on one CPU or for one program. It gives one reading. */
typedef struct bx_kernel_assignment {
    uint16_t event; /* index of the caller's event */
    uint16_t package, unit;
    int16_t port;
    bx_perf_config config;
    int32_t cpu; /* cpu and task: as in bx_perf_counter_spec */
    pid_t task;
    bool on_cpu;     /* it counts what runs on the CPU; else a unit outside the cores */
    uint16_t cgroup; /* of these, what one cgroup runs: 1 + its index; 0: everything */
    bool joins;
    bx_reading *reading;
} bx_kernel_assignment;

typedef struct bx_kernel {
    bx_machine *machine;
    const bx_evsel *events; /* all of the caller's events, copied */
    size_t events_n;
    const uint16_t *cpus; /* [cpus_n]: the CPUs that are counted; none: the program is counted */
    size_t cpus_n;
    const int *cgroups; /* [cgroups_n]: of the CPUs, what each of these runs there is counted */
    size_t cgroups_n;
    bx_error *refused; /* by event: why it is BX_NOT_SUPPORTED; NULL: that is an error */
    bx_kernel_assignment *assignments; /* by event */
    size_t n, room;
    bx_perf_counter_spec *specs;
    bx_perf_value *values;
    int *errnos;
    bx_perf_counters *counters; /* set once they are open */
    bool *apart;                /* by event: its weak group is given up */
} bx_kernel;

/* ---- kernel_assign.c ---- */

/* Chooses the events for the kernel: takes[i] for events[i]. An error, such as BX_NO_ACCESS, has
 * the span of the event that cannot be counted, or not by the driver that the machine was opened
 * with. */
int bx_kernel_assign(bx_kernel *k, bool *takes, bx_error *e);

/* ---- kernel_counters.c ---- */

/* Copies the events. refused: as in bx_kernel; it is filled in, and must outlive *k. Free *k in any
 * case. */
int bx_kernel_new(bx_machine *m, const bx_evsel *events, size_t n, const bx_session_options *o,
                  bx_error *refused, bool *takes, bx_kernel **k, bx_error *e);
void bx_kernel_free(bx_kernel *k); /* closes the counters; NULL is fine */

/* Opens the counters. Those that cannot be opened are BX_BLOCKED; *trouble has the reason and the
 * event's span. Those that the machine lacks are BX_NOT_SUPPORTED if events may be refused.
 * BX_NO_FIT if a group cannot be counted as a group. */
int bx_kernel_open(bx_kernel *k, bx_error *trouble, bx_error *e);
void bx_kernel_start(bx_kernel *k);
void bx_kernel_stop(bx_kernel *k);
/* Updates the readings. *trouble: why one could not be read. */
void bx_kernel_collect(bx_kernel *k, bx_error *trouble);

#endif
