/* Metrics of a recording: computed from the counts of its events. */
#ifndef BX_PROFILE_METRICS_H
#define BX_PROFILE_METRICS_H

#include "catalog/catalog.h"
#include "profile/profile.h"

/* The events of a recording as the catalogue's. */
typedef struct bx_profile_metrics {
    const struct bx_catalog *catalog;
    const bx_profile *of;
    int cpu;         /* index in the catalogue; -1: it does not know the events */
    bx_evsel *event; /* [events] … */
    bool *is_event;  /* … those that are the catalogue's */
} bx_profile_metrics;

typedef struct bx_profile_metric {
    const bx_cat_metric *of;
    uint16_t *operand; /* [of->operands.n]: index of an event of the recording, or BX_OPERAND_… */
    bool of_counts;    /* its operands are events alone */
} bx_profile_metric;

int bx_profile_metrics_open(bx_profile *p, const struct bx_catalog *c, bx_profile_metrics *to,
                            bx_error *e);

/* false: the recording lacks an event of the metric (an index in the catalogue), or its operands
 * are of single units. */
bool bx_profile_metric_find(const bx_profile_metrics *m, uint16_t metric, bx_profile_metric *to);

/* Computes it from counts [events]. seconds: of the counts. false: it has no value. */
bool bx_profile_metric_value(const bx_profile_metrics *m, const bx_profile_metric *metric,
                             const int64_t *count, double seconds, double *value);

#endif
