/* Events that only a host's kernel has. */
#ifndef BX_MEASURE_KERNEL_NAMES_H
#define BX_MEASURE_KERNEL_NAMES_H

#include "machine/machine.h"
#include "report/report.h"

/* The names of the kernel's events for a report, by their numbers. NULL: out of memory. */
const bx_report_event *bx_kernel_report_events(const bx_machine *m, const bx_evsel *events,
                                               size_t n, bx_arena *a);

/* If only the kernel's own events are counted, because there is no catalogued uncore: a line that
 * says so and lists what there is. NULL: nothing to say. */
const char *bx_kernel_remark(const bx_machine *m, bx_arena *a);

/* Whether all events are the kernel's own. */
bool bx_kernel_only(const bx_evsel *events, size_t n);

#endif
