/* Derived figures of a report: which of a CPU's metrics its events suffice for, and their values.
 */
#ifndef BX_REPORT_METRICS_H
#define BX_REPORT_METRICS_H

#include "report/report.h"

/* Picks the metrics whose events are all in the report and finds their lines: a metric stands
 * beside the event that the catalogue names for it, or, where that is taken or absent, on its own
 * line. BX_BAD_INPUT if a metric is malformed; running out of memory is left in r->arena. */
int bx_figures_open(bx_report *r, int cpu, bx_error *e);

/* Works the figures out again from the records' values. */
void bx_figures_update(bx_report *r);

#endif
