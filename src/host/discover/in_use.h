/* Finds counters that other software uses, by reading the registers. A counter is in use if all
 * bits that it needs to count are set. A counter whose event is selected while its box or the
 * package is off counts nothing; firmware and ended programs leave such counters behind. */
#ifndef BX_HOST_DISCOVER_IN_USE_H
#define BX_HOST_DISCOVER_IN_USE_H

#include "plan/plan.h"

typedef struct bx_inuse {
    uint16_t counter; /* catalogue index */
    uint16_t package, unit;
} bx_inuse;

/* Checks the counters that the plan would disturb: it programs them, or changes an enable of their
 * box or package. plan NULL: all counters. Writes no register. Counters that cannot be read count
 * as not in use. Returns how many are in use; stores at most `room` of them. */
size_t bx_inuse_find(const bx_topology *t, struct bx_bus *bus, const bx_plan *plan, bx_inuse *to,
                     size_t room);

/* The event that the counter counts, as a string ("skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I"). If
 * the catalogue has no such event: its control register and the value. */
void bx_inuse_event(const bx_topology *t, struct bx_bus *bus, const bx_inuse *u, char *to,
                    size_t room);

#endif
