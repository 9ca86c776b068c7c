/* Which event is counted on which counter of which unit, at which place, in which pass. */
#ifndef BX_SCHEDULE_SCHEDULE_H
#define BX_SCHEDULE_SCHEDULE_H

#include "topology/topology.h"

/* One event on one counter of one unit. */
typedef struct bx_assignment {
    uint16_t event; /* index into the events given */
    uint16_t package, unit;
    uint16_t counter; /* catalogue index of the counter */
    uint16_t place;   /* catalogue index of the place that it borrows; BX_NONE: it is in no slot */
    uint16_t pass;    /* 0 … passes of its box - 1 */
    uint16_t passes;  /* passes of its box: it counts in every pass p with p % passes == pass */
} bx_assignment;

typedef struct bx_schedule {
    bx_assignment *assignments; /* by event, package, unit, port */
    size_t n;
    unsigned passes; /* of the whole: the most of any box */
} bx_schedule;

/* Expands the events over the units and ports they ask for. As few passes per box as counters and
 * shared registers allow (fit.h says up to how many events that is sure); events of one unit that
 * are compatible are in one pass. A counter that an event names is kept to, and so is a place.
 * Fixed counters are boxes of their own, which any number of events share that require the same of
 * them.
 *
 * Events of one group count at once: those of one PMU in each unit, those of several PMUs in the
 * whole package. BX_NO_FIT with an event's span when an event cannot be counted at all, or not
 * beside the others of its group. bx_schedule_free() frees assignments. */
int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e);
void bx_schedule_free(bx_schedule *s);

/* Why there is more than one pass: the first event that has to wait, and what for, as the message
 * of *why. False: there is one only. */
bool bx_schedule_explain(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                         bx_error *why);

/* The port of an assignment, by its number in the package; BX_ANY: the unit has none. */
int bx_assignment_port(const struct bx_catalog *c, const bx_assignment *assignment);

#endif
