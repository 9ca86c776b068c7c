/* The part of `list` for metrics, and the search for metrics that match all words. */
#ifndef BX_CLI_SHOW_LIST_METRICS_H
#define BX_CLI_SHOW_LIST_METRICS_H

#include "base/json.h"
#include "catalog/catalog.h"
#include "cli/common/options.h"

/* The metrics of a CPU that are listed. */
typedef struct bx_metric_list {
    const bx_catalog *catalog;
    uint16_t cpu;
    const bx_texts *words;
    const bx_machine *model; /* only those whose events its machine model produces; NULL: all */
} bx_metric_list;

/* Whether the metric has all the words in its name, its description, its topics or those of its
 * groups. With no words: yes. */
bool bx_metric_is_listed(const bx_metric_list *l, uint16_t metric);

/* Whether a listed metric is computed from an event with this unit mask (NULL: it has none). */
bool bx_metric_list_needs(const bx_metric_list *l, uint16_t event, const bx_cat_umask *umask);

/* Lists the metrics by group. If words are given, it lists each metric once. Returns their number.
 * json: NULL, or the destination of JSON objects, one for each metric. */
size_t bx_list_metrics(const bx_metric_list *l, bx_buf *to, bx_json *json);

#endif
