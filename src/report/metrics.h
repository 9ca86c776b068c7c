/* Derived metrics of a report: selects a CPU's metrics whose events were counted, and computes
 * them. */
#ifndef BX_REPORT_METRICS_H
#define BX_REPORT_METRICS_H

#include "report/report.h"

/* Selects the metrics: those that were asked for, or all whose events are in the report. A metric
 * is beside the event that the catalogue names for it; if that place is taken or the event is
 * absent, it has its own line. If memory runs out, r->arena.failed is set. */
void bx_figures_open(bx_report *r);

/* Computes the metrics again from the records' values. */
void bx_figures_update(bx_report *r);

#endif
