/* Events that only a host's kernel has, for the commands that measure. */
#ifndef BX_CLI_SHOW_KERNEL_EVENTS_H
#define BX_CLI_SHOW_KERNEL_EVENTS_H

#include "base/arena.h"
#include "report/report.h"

/* The names of the kernel's events for a report, by their numbers. NULL: out of memory. */
const bx_report_event *bx_kernel_report_events(const bx_machine *m, const bx_evsel *events,
                                               size_t n, bx_arena *a);

/* The events to count on a host by default, as a list: the CPU's recommended events that can be
 * counted, else what every kernel counts of a program. NULL: out of memory. */
const char *bx_kernel_picks(bx_machine *m, bx_arena *a);

/* If only the kernel's own events are counted, because there is no catalogued uncore: a line that
 * says so and lists what there is. NULL: nothing to say. */
const char *bx_kernel_remark(const bx_machine *m, bx_arena *a);

/* Whether all events are the kernel's own. */
bool bx_kernel_only(const bx_evsel *events, size_t n);

#endif
