/* Refuses selections in which something is missing that a unit mask or a modifier needs. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/format/spell.h"

#include <inttypes.h>

int bx_refuse_unused_masks(bx_event_builder *d, uint32_t unusual, bx_str part)
{
    for (uint32_t left = d->pmu->masked; left; left &= left - 1) {
        const bx_cat_modifier *m = bx_builder_local_modifier(d, bx_lowest_bit(left));
        unsigned mask = (unsigned)(m->masked - d->pmu->modifiers.first);
        if (!(unusual >> mask & 1) || bx_modifier_sets_hold(d->c, m, &d->to))
            continue;
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' needs '%s'",
                             bx_builder_name_of(d, bx_builder_local_modifier(d, mask)->name),
                             bx_builder_name_of(d, m->name));
        bx_hint(d->e, "it says which bits of '%s' are compared", bx_builder_name_of(d, m->name));
        return code;
    }
    return BX_OK;
}

/* Refuses a modifier, or a setting of a unit mask's name, without a unit mask that takes it. */
static int refuse_bound(bx_event_builder *d, unsigned local, bx_str part)
{
    bool named = d->fixed >> local & 1 && d->setter[local].from == BX_FROM_UMASK;
    bx_cat_text what = named ? bx_cat_umasks(d->c)[d->setter[local].item].name
                             : bx_builder_local_modifier(d, local)->name;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask that it goes with",
                         bx_builder_name_of(d, what));
    bx_names names = {0};
    for (unsigned i = 0; i < d->event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(d->c)[d->event->umasks.first + i];
        if ((u->takes | u->needs) >> local & 1 && !(u->flags & BX_UMASK_ALIAS))
            bx_names_add(&names, bx_builder_name_of(d, u->name));
    }
    bx_hint(d->e, "such as %s", names.text);
    return code;
}

/* The name of the unit mask that needs the modifier. */
static const char *needing(const bx_event_builder *d, unsigned local)
{
    for (unsigned i = 0; i < d->event->groups.n; i++)
        if (d->named_groups >> i & 1 && bx_cat_umasks(d->c)[d->first_named[i]].needs >> local & 1)
            return bx_builder_name_of(d, bx_cat_umasks(d->c)[d->first_named[i]].name);
    return bx_builder_name_of(d, d->event->name);
}

static void hint_values(bx_event_builder *d, const bx_cat_modifier *m)
{
    bx_hint(d->e, "%s=%" PRIu64 " to %s=%" PRIu64, bx_builder_name_of(d, m->name),
            m->lo ? m->lo : 1, bx_builder_name_of(d, m->name), m->flag ? 1 : m->hi);
}

static int refuse_need(bx_event_builder *d, unsigned local, bx_str part)
{
    const bx_cat_modifier *m = bx_builder_local_modifier(d, local);
    bool hidden = m->flags & BX_MODIFIER_HIDDEN;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs %s'%s'", needing(d, local),
                         hidden ? "a unit mask of the kind " : "", bx_builder_name_of(d, m->name));
    if (!hidden) {
        hint_values(d, m);
        return code;
    }
    bx_names names =
        bx_names_of_setters(d->c, d->event, (uint16_t)(d->pmu->modifiers.first + local));
    bx_hint(d->e, "one of %s", names.text);
    return code;
}

int bx_refuse_missing_modifier(bx_event_builder *d, uint32_t used, bx_str part)
{
    uint32_t left = used;
    while (!(bx_builder_local_modifier(d, bx_lowest_bit(left))->needs & ~used))
        left &= left - 1;
    const bx_cat_modifier *m = bx_builder_local_modifier(d, bx_lowest_bit(left));
    const bx_cat_modifier *other = bx_builder_local_modifier(d, bx_lowest_bit(m->needs & ~used));
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' needs '%s'", bx_builder_name_of(d, m->name),
                         bx_builder_name_of(d, other->name));
    hint_values(d, other);
    return code;
}

/* The modifiers of the names that will be printed instead of a number. */
static uint32_t implied(const bx_event_builder *d)
{
    return d->has_number && d->event->umasks.n ? bx_event_spell(d->c, &d->to).implied : 0;
}

int bx_resolve_needs(bx_event_builder *d, uint32_t used, bx_str part)
{
    if (d->has_number)
        d->takes |= bx_umask_takes(d->c, &d->to);
    uint32_t loose = used & d->event->bound & ~d->takes, missing = d->needs & ~used;
    if (loose)
        return refuse_bound(d, bx_lowest_bit(loose), part);
    if (missing)
        return refuse_need(d, bx_lowest_bit(missing), part);
    uint32_t given = (d->to.given | implied(d)) & d->event->modifiers & ~d->event->bound;
    d->relevant |= d->takes | d->event->minds | given;
    return BX_OK;
}
