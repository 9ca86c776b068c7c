/* Derived metrics: evaluates formulas over event values by name. */
#ifndef BX_METRIC_METRIC_H
#define BX_METRIC_METRIC_H

#include "catalog/catalog.h"

/* Sets the value of a name in a formula: an event string (from braces) or a bare word such as
 * `seconds`. Returns false if it was not measured. */
typedef bool bx_metric_lookup(void *context, bx_str name, double *value);

enum bx_metric_state { BX_METRIC_OK, BX_METRIC_NOT_MEASURED, BX_METRIC_UNDEFINED /* x / 0 */ };

/* Evaluates numbers, names, `{event string}`, parentheses, and operators with perf's precedence,
 * from the weakest: `X if C else Y`, |, ^, &, comparisons, + -, * / %. & | ^ % are of whole
 * numbers. Functions: min, max and d_ratio, of two values, and source_count and has_event of an
 * event, which the lookup gets as "source_count EVENT". BX_BAD_INPUT with the span in the formula
 * if it is malformed. */
int bx_metric_eval(bx_str formula, bx_metric_lookup *lookup, void *context, double *value,
                   enum bx_metric_state *state, bx_error *e);

/* Calls take() with the event string of each operand that is an event, in the order of the formula:
 * `index` is the operand's in metric->operands. Stops when take() returns false. */
typedef bool bx_metric_take(void *context, unsigned index, bx_str event);
void bx_metric_events(const struct bx_catalog *c, const bx_cat_metric *metric, bx_metric_take *take,
                      void *context);

/* The first name in the formula that stands for nothing that can be counted: an imported metric may
 * have one. No string: none. */
bx_str bx_metric_unknown(const struct bx_catalog *c, const bx_cat_metric *metric);

#endif
