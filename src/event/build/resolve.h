/* The parts of bx_draft_finish(): resolve.c fills in what was left out, resolve_raw.c finds the
 * event of a raw code, resolve_needs.c refuses what does not go together, resolve_place.c a place
 * that is not there. */
#ifndef BX_EVENT_BUILD_RESOLVE_H
#define BX_EVENT_BUILD_RESOLVE_H

#include "event/build/builder.h"

static inline const char *bx_settle_name_of(const bx_draft *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

/* `local`: its index within the PMU. */
static inline const bx_cat_modifier *bx_settle_modifier(const bx_draft *d, unsigned local)
{
    return &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + local];
}

/* What is not given has its preset. */
void bx_settle_presets(bx_draft *d);

/* What is given is compared as a whole, unless it is said which bits are. */
void bx_settle_masks(bx_draft *d);

/* A raw code that an event has is that event, so that equal registers have one canonical string. */
int bx_settle_raw(bx_draft *d, bx_str part);

/* The place that was named must be there; one that goes without saying is left out. */
int bx_settle_place(bx_draft *d, bx_str part);

/* Refuses modifiers (`used`: those that are not 0) and unit masks that lack each other. */
int bx_settle_needs(bx_draft *d, uint32_t used, bx_str part);

/* Refuses the modifier that wants another one beside it: an edge without a threshold sees no rise.
 */
int bx_settle_alone(bx_draft *d, uint32_t used, bx_str part);

/* Refuses a mask of a pattern that is not in use: an address is, when it is given. */
int bx_settle_unused_masks(bx_draft *d, bx_str part);

#endif
