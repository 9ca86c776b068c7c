/* Metrics and groups of metrics by name, as the events to count for them. */
#ifndef BX_MEASURE_METRIC_CHOICE_H
#define BX_MEASURE_METRIC_CHOICE_H

#include "base/arena.h"
#include "catalog/catalog.h"

typedef struct bx_metric_choice {
    const bool *asked; /* of the metrics of the machine's CPU */
} bx_metric_choice;

/* Reads names, separated by commas. Spans are in `names`. BX_NOT_FOUND: one is neither a metric nor
 * a group; or the machine's CPU is not in the catalogue. */
int bx_metric_choice_read(const bx_machine *m, const char *names, bx_arena *arena,
                          bx_metric_choice *to, bx_error *e);

/* Appends the events that the metrics need and *events lacks, to *n of *events and to their text.
 * *events becomes a new array in the arena, with room for one more. in_turns: events that do not
 * fit at once are multiplexed. Then the events of each metric become an event group, if the
 * hardware can count them at once, and an event of several metrics may be in several groups. Events
 * of units that the machine lacks are left out; BX_NO_FIT: it lacks all of them. */
int bx_metric_choice_add(const bx_machine *m, const bx_metric_choice *o, bool in_turns,
                         bx_arena *arena, bx_evsel **events, size_t *n, const char **text,
                         bx_error *e);

#endif
