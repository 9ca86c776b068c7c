/* Three or more saved runs in their order, such as versions of a program. */
#ifndef BX_COMPARE_TREND_H
#define BX_COMPARE_TREND_H

#include "compare/comparison.h"

/* A value of each run. */
typedef struct bx_trend_row {
    const bx_saved_value *named;        /* the first run's that has it */
    const bx_saved_value *const *value; /* [runs]; NULL: the run has no such value */
    const bx_compared *overall;         /* the last run against the first one that has it */
    bool changed;                       /* a run has another value than the first one that has it */
    bool zero;                          /* it is 0 wherever there is a value */
} bx_trend_row;

typedef struct bx_trend {
    const bx_saved *runs;
    size_t runs_n;
    bx_trend_row *rows;         /* in the order of the first run; then what later ones add */
    const bx_trend_row **shown; /* [n], for readers: as in bx_comparison, by the overall change */
    size_t n;
} bx_trend;

/* Compares n runs, at least two, which must outlive the trend; its rows live in the arena. The
 * errors are those of bx_compare(). */
int bx_trend_make(const bx_saved *runs, size_t n, bx_arena *a, bx_trend *to, bx_error *e);

#endif
