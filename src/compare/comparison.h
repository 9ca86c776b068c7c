/* Two saved runs side by side. */
#ifndef BX_COMPARE_COMPARISON_H
#define BX_COMPARE_COMPARISON_H

#include "compare/saved.h"

/* Confidence with which a difference is significant: its 95 % confidence interval does not include
 * 0. */
#define BX_COMPARE_CONFIDENCE 0.95

/* A value of both runs, or of one of them. */
typedef struct bx_compared {
    const bx_saved_value *was,
        *is;   /* of the old and of the new run; NULL: the run has no such value */
    bool both; /* both have a value */
    bool equal;
    double difference; /* new minus old; 0 if it is only rounding */
    double percent;    /* of the old value, if `relative` */
    bool relative;     /* the old value is not 0 */
    bool tested;       /* both runs were repeated, or both errors are known: */
    double within;     /* half of the difference's confidence interval */
    bool significant;  /* the interval does not include 0 */
} bx_compared;

typedef struct bx_comparison {
    const bx_saved *was, *is;
    bx_compared *rows; /* in the order of the old run; then the values that only the new run has */
    const bx_compared *
        *shown; /* [n], for readers: the units and regions in their order; of each the
                   rows that have changed, the largest change first; then others */
    size_t n;
    bool same_left;   /* the same processes still ran at the end */
    bool same_unseen; /* both runs did not see the same; numbers of processes may differ */
} bx_comparison;

/* Compares two runs. The runs must outlive the comparison; rows live in the arena. BX_BAD_INPUT:
 * the runs cannot be compared, because their machine, CPU features or environment differ, the
 * programs ended differently, or a value has another unit. */
int bx_compare(const bx_saved *was, const bx_saved *is, bx_arena *a, bx_comparison *to,
               bx_error *e);

/* Whether the units are equal but for the commas of their numbers: "per 1,000" was "per 1000". */
bool bx_compare_same_unit(bx_str a, bx_str b);

/* A value has changed, has come or has gone. */
bool bx_compare_changed(const bx_compared *row);

/* Neither run has a value. */
bool bx_compare_missing(const bx_compared *row);

/* The value that names the row: the new run's if it has one. */
static inline const bx_saved_value *bx_compared_value(const bx_compared *row)
{
    return row->is ? row->is : row->was;
}

/* What the run did not see and the row depends on; NULL: nothing. Processes that still ran at the
 * end count only if the other run left others. */
const bx_saved_unseen *bx_compare_unseen(const bx_comparison *in, const bx_saved *run,
                                         const bx_compared *row);

/* Half of the confidence interval of a scaled value or of a repeated value's mean; 0: it is
 * unknown, or there is none. */
double bx_compare_within(const bx_saved_value *value, unsigned runs);

#endif
