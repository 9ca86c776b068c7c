/* Assigns each event to a counter of a unit, a place and a pass. */
#ifndef BX_SCHEDULE_SCHEDULE_H
#define BX_SCHEDULE_SCHEDULE_H

#include "topology/topology.h"

/* One event on one counter of one unit. */
typedef struct bx_assignment {
    uint16_t event; /* index into the events given */
    uint16_t package, unit;
    uint16_t counter; /* catalogue index of the counter */
    uint16_t place;   /* catalogue index of the borrowed place; BX_NONE: no slot */
    uint16_t pass;    /* 0 … passes of its box - 1 */
    uint16_t passes;  /* passes of its box: it counts in each pass p with p % passes == pass */
} bx_assignment;

typedef struct bx_schedule {
    bx_assignment *assignments; /* by event, package, unit, port */
    size_t n;
    unsigned passes; /* highest number of passes of any box */
} bx_schedule;

/* Expands the events over the units and ports that they name, and assigns counters. Each box gets
 * as few passes as counters and shared registers allow (fit.h has the limit up to which that is
 * proved). Compatible events of one unit share a pass. A counter or place that an event names is
 * respected. The events of a metric share a pass if they fit: metric_groups.c. Fixed counters are
 * boxes of their own; events that require the same of one can share it.
 *
 * Events of one group count at the same time: with one PMU in each unit, with several PMUs in the
 * whole package. BX_NO_FIT with an event's span if the event cannot be counted at all, or not with
 * the others of its group. bx_schedule_free() frees the assignments. */
int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e);
void bx_schedule_free(bx_schedule *s);

/* Explains why there are several passes: *why names the first event that must wait, and the reason.
 * false: there is only one pass. */
bool bx_schedule_explain(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                         bx_error *why);

/* The port of an assignment by its number in the package; BX_ANY: its unit has no ports. */
int bx_assignment_port(const struct bx_catalog *c, const bx_assignment *assignment);

#endif
