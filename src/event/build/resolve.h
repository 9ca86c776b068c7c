/* The parts of bx_builder_finish(). resolve.c fills in what was left out, resolve_raw.c finds the
 * event of a raw code, resolve_needs.c refuses contradictions, resolve_place.c checks the place. */
#ifndef BX_EVENT_BUILD_RESOLVE_H
#define BX_EVENT_BUILD_RESOLVE_H

#include "event/build/builder.h"

static inline const char *bx_builder_name_of(const bx_event_builder *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

/* local: index of the modifier within the PMU. */
static inline const bx_cat_modifier *bx_builder_local_modifier(const bx_event_builder *d,
                                                               unsigned local)
{
    return &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + local];
}

/* Gives each modifier that was left out its preset in the catalogue. */
void bx_resolve_presets(bx_event_builder *d);

/* A value without a mask is compared in all bits. */
void bx_resolve_masks(bx_event_builder *d);

/* Without a privilege level all levels are counted. */
void bx_resolve_levels(bx_event_builder *d);

/* Fills in what the event string left out, and refuses contradictions. */
int bx_resolve_event(bx_event_builder *d, bx_str part);

/* Turns a raw code into the event that has it, so that equal registers have one canonical string.
 * The code remains if the event could not have the registers' contents. */
int bx_resolve_raw(bx_event_builder *d, bx_str part);

/* Refuses a named place that does not exist. Removes a named place that is implied. */
int bx_resolve_place(bx_event_builder *d, bx_str part);

/* Refuses unit masks and modifiers that need something that is missing. used: modifiers that are
 * not 0. */
int bx_resolve_needs(bx_event_builder *d, uint32_t used, bx_str part);

/* Refuses a modifier whose partner is missing: for example, edge detection needs a threshold. */
int bx_refuse_missing_modifier(bx_event_builder *d, uint32_t used, bx_str part);

/* Refuses a mask whose pattern is not in use. An address is in use if it is given. unusual:
 * modifiers not at their default. */
int bx_refuse_unused_masks(bx_event_builder *d, uint32_t unusual, bx_str part);

#endif
