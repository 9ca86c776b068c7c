/* Whether somebody else counts already, found in the registers themselves: a counter is in use
 * when all that it needs to count is set. One that is selected while its box or the package is off
 * counts nothing: that is what firmware and ended programs leave behind. */
#ifndef BX_HOST_DISCOVER_IN_USE_H
#define BX_HOST_DISCOVER_IN_USE_H

#include "plan/plan.h"

typedef struct bx_inuse {
    uint16_t counter; /* catalogue index */
    uint16_t package, unit;
} bx_inuse;

/* Looks at the counters that carrying out the plan would disturb: those that it programs, and those
 * whose enables, of the box or of the package, it changes. plan NULL: at all counters. Nothing is
 * written. What cannot be read is not in use. Returns how many were found; at most `room` are
 * written. */
size_t bx_inuse_find(const bx_topology *t, struct bx_bus *bus, const bx_plan *plan, bx_inuse *to,
                     size_t room);

/* What it counts, as an event string ("skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I"), or its counter
 * and what its control holds where that is no event of the catalogue. */
void bx_inuse_event(const bx_topology *t, struct bx_bus *bus, const bx_inuse *u, char *to,
                    size_t room);

#endif
