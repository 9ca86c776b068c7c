/* Rows sorted by a metric, which is computed from the counts of each row. */
#ifndef BX_PROFILE_METRIC_ROWS_H
#define BX_PROFILE_METRIC_ROWS_H

#include "base/nearest.h"
#include "profile/table.h"

/* Finds the metric that q->sort names, and sets to->metric. *is: there is one of this name; then an
 * error says why rows cannot be sorted by it. */
int bx_profile_sort_metric(const bx_profile_question *q, bx_profile_table *to, bool *is,
                           bx_error *e);

/* Computes it for each row and the whole, and marks rows with few counts. */
int bx_profile_add_metric(bx_profile_table *t, bx_error *e);

/* Sorts rows by it, the largest first; those with few counts stand after the others. */
void bx_profile_sort_by_metric(bx_profile_table *t);

/* Offers the names of those that the recording has the events of. */
void bx_profile_offer_metrics(const bx_profile_metrics *m, bx_nearest *to);

/* Its value of counts [events]; NAN: it has none, as it is divided by 0. */
double bx_profile_metric_of(const bx_profile_table *t, const int64_t *count);

#endif
