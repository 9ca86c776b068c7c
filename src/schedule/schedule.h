/* Which event sits on which counter of which unit, in which pass. */
#ifndef BX_SCHEDULE_SCHEDULE_H
#define BX_SCHEDULE_SCHEDULE_H

#include "topology/topology.h"

/* One event on one counter of one unit. */
typedef struct bx_seat {
    uint16_t event; /* index into the events given */
    uint16_t package, unit;
    uint16_t counter; /* catalogue index of the counter */
    uint16_t pass;    /* 0 … passes of its box - 1 */
    uint16_t passes;  /* passes of its box: it counts in every pass p with p % passes == pass */
} bx_seat;

typedef struct bx_schedule {
    bx_seat *seats; /* by event, package, unit */
    size_t n;
    unsigned passes; /* of the whole: the most of any box */
} bx_schedule;

/* Spreads the events over the units they ask for. As few passes per box as counters allow; events
 * of one unit that fit together are together. A counter that an event names is kept to. BX_NO_FIT
 * with the event's span when an event cannot be counted at all. bx_schedule_free() frees seats. */
int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e);
void bx_schedule_free(bx_schedule *s);

#endif
