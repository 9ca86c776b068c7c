/* The parts of bx_builder_finish(): resolve.c fills in what was left out, resolve_raw.c finds the
 * event of a raw code, resolve_needs.c refuses what does not go together, resolve_place.c a place
 * that is not there. */
#ifndef BX_EVENT_BUILD_RESOLVE_H
#define BX_EVENT_BUILD_RESOLVE_H

#include "event/build/builder.h"

static inline const char *bx_builder_name_of(const bx_event_builder *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

/* `local`: its index within the PMU. */
static inline const bx_cat_modifier *bx_builder_local_modifier(const bx_event_builder *d,
                                                               unsigned local)
{
    return &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + local];
}

/* What is not given has its preset. */
void bx_resolve_presets(bx_event_builder *d);

/* What is given is compared as a whole, unless it is said which bits are. */
void bx_resolve_masks(bx_event_builder *d);

/* A raw code that an event has is that event, so that equal registers have one canonical string. */
int bx_resolve_raw(bx_event_builder *d, bx_str part);

/* The place that was named must be there; one that goes without saying is left out. */
int bx_resolve_place(bx_event_builder *d, bx_str part);

/* Refuses modifiers (`used`: those that are not 0) and unit masks that lack each other. */
int bx_resolve_needs(bx_event_builder *d, uint32_t used, bx_str part);

/* Refuses the modifier that needs another one beside it: an edge without a threshold sees no rise.
 */
int bx_refuse_missing_modifier(bx_event_builder *d, uint32_t used, bx_str part);

/* Refuses a mask of a pattern that is not in use: an address is, when it is given. */
int bx_refuse_unused_masks(bx_event_builder *d, bx_str part);

#endif
