/* The kinds of charts, a file each. They append an SVG without its end. */
#ifndef BX_SWEEP_CHART_KINDS_H
#define BX_SWEEP_CHART_KINDS_H

#include "sweep/chart/chart.h"

int bx_chart_lines(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e);
int bx_chart_heat(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e);
int bx_chart_pareto(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e);

#endif
