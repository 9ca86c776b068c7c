/* Charts of a sweep, each an SVG file that needs nothing else. */
#ifndef BX_SWEEP_CHART_CHART_H
#define BX_SWEEP_CHART_CHART_H

#include "base/buf.h"
#include "base/error.h"
#include "sweep/results.h"

enum bx_chart_kind {
    BX_CHART_LINES, /* a value over a key, a line for each combination of the other keys */
    BX_CHART_HEAT,  /* a value over two keys, as colours and numbers */
    BX_CHART_PARETO /* two values, a dot for each point, and the points that none surpasses */
};

typedef struct bx_chart {
    enum bx_chart_kind kind;
    /* A value's name, or its end after "::"; for Pareto two with a comma. With "-" in front, more
     * is better. */
    const char *of;
    const char *over; /* the key of the x axis; NULL: the last key with several values */
} bx_chart;

/* Appends the SVG. BX_BAD_INPUT, BX_NOT_FOUND: the sweep has no such value or key, or has another
 * number of keys than the chart can show. */
int bx_sweep_chart(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e);

#endif
