/* Names of events that only a host's kernel has, for a report. */
#ifndef BX_MEASURE_KERNEL_NAMES_H
#define BX_MEASURE_KERNEL_NAMES_H

#include "machine/machine.h"
#include "report/report.h"

/* The names of the kernel's events for a report, by their numbers. NULL: out of memory. */
const bx_report_event *bx_kernel_report_events(const bx_machine *m, const bx_evsel *events,
                                               size_t n, bx_arena *a);

#endif
