/* Events that only a host's kernel knows, for the commands that measure. */
#ifndef BX_CLI_SHOW_KERNEL_EVENTS_H
#define BX_CLI_SHOW_KERNEL_EVENTS_H

#include "base/arena.h"
#include "report/report.h"

/* What the lines of a report say of them, by their numbers. NULL: out of memory. */
const bx_report_event *bx_kernel_report_events(const bx_machine *m, const bx_evsel *events,
                                               size_t n, bx_arena *a);

/* What to count on a host where nobody says what, as a list: the CPU's picks as far as they can be
 * had, else what any kernel counts of a program. NULL: out of memory. */
const char *bx_kernel_picks(bx_machine *m, bx_arena *a);

/* Where nothing but the kernel's own events is counted for want of a catalogued uncore: a line that
 * says so, and what there is; NULL: nothing to say. */
const char *bx_kernel_remark(const bx_machine *m, bx_arena *a);

/* Whether all events are the kernel's own. */
bool bx_kernel_only(const bx_evsel *events, size_t n);

#endif
