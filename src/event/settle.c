/* Settling an event selection: what was left out is filled in, what does not go together refused.
 */
#include "event/draft.h"
#include "event/hint.h"

#include <inttypes.h>

static const char *name_of(const bx_draft *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

static const bx_cat_modifier *modifier(const bx_draft *d, unsigned local)
{
    return &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + local];
}

/* A raw code that an event has is that event, so that equal registers have one canonical string. */
static int settle_raw(bx_draft *d, bx_str part)
{
    if (!d->has_code) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "RAW without a code");
        bx_hint(d->e, "write %s::RAW:code=0x34:umask=0x88", name_of(d, d->pmu->name));
        return code;
    }
    d->has_umask = d->has_number = true;
    uint32_t used = bx_event_used(&d->to, d->pmu->modifiers.n);
    uint16_t event = bx_event_of_code(d->c, d->to.pmu, d->to.code, used & ~d->pmu->shared);
    if (event == BX_RAW)
        return BX_OK;
    bx_draft_event(d, d->to.pmu, event);
    uint32_t alien = used & ~d->event->modifiers;
    if (!alien)
        return BX_OK;
    return BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
                     name_of(d, d->event->name),
                     name_of(d, modifier(d, bx_lowest_bit(alien))->name));
}

/* ---- unit masks that were left out ---- */

static int settle_umask(bx_draft *d, bx_str part)
{
    if (d->event->umask_default != BX_NONE)
        return bx_draft_umask(d, d->event->umask_default, part);
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask", name_of(d, d->event->name));
    bx_names names = bx_names_of_umasks(d->c, d->event);
    bx_hint(d->e, "one or more of %s", names.text);
    return code;
}

static int refuse_without(bx_draft *d, const bx_cat_group *group, bx_str part)
{
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask", name_of(d, d->event->name));
    bx_names names = bx_names_of_group(d->c, group);
    bx_hint(d->e, "one%s of %s", group->flags & BX_GROUP_ONE ? "" : " or more", names.text);
    return code;
}

/* What a preset sets was set otherwise: as a number, or in another tool's terms. */
static bool is_set(const bx_draft *d, const bx_cat_umask *preset)
{
    for (unsigned i = 0; i < preset->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[preset->sets.first + i];
        if (d->to.given >> (set->modifier - d->pmu->modifiers.first) & 1)
            return true;
    }
    return false;
}

static int settle_groups(bx_draft *d, bx_str part)
{
    const bx_cat_group *groups = &bx_cat_groups(d->c)[d->event->groups.first];
    int code = BX_OK;
    for (unsigned i = 0; !code && i < d->event->groups.n; i++) {
        if (d->picked >> i & 1)
            continue;
        if (groups[i].preset != BX_NONE) {
            const bx_cat_umask *preset = &bx_cat_umasks(d->c)[groups[i].preset];
            if (preset->sets.n ? !is_set(d, preset) : !d->has_number)
                code = bx_draft_umask(d, groups[i].preset, part);
        } else if (groups[i].flags & BX_GROUP_REQUIRED && !d->has_number) {
            code = refuse_without(d, &groups[i], part);
        }
    }
    return code;
}

/* ---- what goes together ---- */

/* A modifier, or what a unit mask's name sets, beside no unit mask that takes it. */
static int refuse_bound(bx_draft *d, unsigned local, bx_str part)
{
    bool named = d->fixed >> local & 1;
    bx_cat_text what = named ? bx_cat_umasks(d->c)[d->fixer[local]].name : modifier(d, local)->name;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask that it goes with",
                         name_of(d, what));
    bx_names names = {0};
    for (unsigned i = 0; i < d->event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(d->c)[d->event->umasks.first + i];
        if ((u->takes | u->needs) >> local & 1 && !(u->flags & BX_UMASK_ALIAS))
            bx_names_add(&names, name_of(d, u->name));
    }
    bx_hint(d->e, "such as %s", names.text);
    return code;
}

/* The unit mask that was named and needs the modifier. */
static const char *needing(const bx_draft *d, unsigned local)
{
    for (unsigned i = 0; i < d->event->groups.n; i++)
        if (d->picked >> i & 1 && bx_cat_umasks(d->c)[d->pick[i]].needs >> local & 1)
            return name_of(d, bx_cat_umasks(d->c)[d->pick[i]].name);
    return name_of(d, d->event->name);
}

static void hint_values(bx_draft *d, const bx_cat_modifier *m)
{
    bx_hint(d->e, "%s=%" PRIu64 " to %s=%" PRIu64, name_of(d, m->name), m->lo ? m->lo : 1,
            name_of(d, m->name), m->flag ? 1 : m->hi);
}

static int refuse_need(bx_draft *d, unsigned local, bx_str part)
{
    const bx_cat_modifier *m = modifier(d, local);
    bool hidden = m->flags & BX_MODIFIER_HIDDEN;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs %s'%s'", needing(d, local),
                         hidden ? "a unit mask of the kind " : "", name_of(d, m->name));
    if (!hidden) {
        hint_values(d, m);
        return code;
    }
    bx_names names =
        bx_names_of_setters(d->c, d->event, (uint16_t)(d->pmu->modifiers.first + local));
    bx_hint(d->e, "one of %s", names.text);
    return code;
}

/* A modifier wants another one beside it: an edge without a threshold sees no rise. */
static int refuse_alone(bx_draft *d, uint32_t used, bx_str part)
{
    uint32_t left = used;
    while (!(modifier(d, bx_lowest_bit(left))->needs & ~used))
        left &= left - 1;
    const bx_cat_modifier *m = modifier(d, bx_lowest_bit(left));
    const bx_cat_modifier *other = modifier(d, bx_lowest_bit(m->needs & ~used));
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' needs '%s'", name_of(d, m->name),
                         name_of(d, other->name));
    hint_values(d, other);
    return code;
}

static int check_event(bx_draft *d, uint32_t used, bx_str part)
{
    if (d->has_number)
        d->takes |= bx_umask_takes(d->c, d->event, d->to.umask);
    uint32_t loose = used & d->event->bound & ~d->takes, missing = d->needs & ~used;
    if (loose)
        return refuse_bound(d, bx_lowest_bit(loose), part);
    if (missing)
        return refuse_need(d, bx_lowest_bit(missing), part);
    d->cares |= d->takes | (d->to.given & d->event->modifiers & ~d->event->bound);
    return BX_OK;
}

/* ---- the whole ---- */

/* Modifiers that are not 0, and what they need. */
static uint32_t used_of(const bx_draft *d, uint32_t *needs)
{
    uint32_t used = 0;
    for (uint32_t left = d->to.given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        if (!d->to.modifier[i])
            continue;
        used |= UINT32_C(1) << i;
        *needs |= modifier(d, i)->needs;
    }
    return used;
}

/* Where no privilege level is named, all are counted. */
static void settle_levels(bx_draft *d)
{
    uint32_t levels = d->pmu->levels;
    if (d->to.given & levels)
        return;
    d->to.given |= levels;
    for (; levels; levels &= levels - 1)
        d->to.modifier[bx_lowest_bit(levels)] = 1;
}

static int settle(bx_draft *d, bx_str part)
{
    int code = BX_OK;
    if (!d->event)
        code = settle_raw(d, part);
    if (!code && d->event && d->event->groups.n)
        code = settle_groups(d, part);
    else if (!code && !d->has_umask && d->event->umasks.n)
        code = settle_umask(d, part);
    if (code)
        return code;
    if (d->pmu->levels)
        settle_levels(d);
    uint32_t needs = 0, used = used_of(d, &needs);
    d->cares |= used;
    if (d->event)
        code = check_event(d, used, part);
    if (!code && needs & ~used)
        code = refuse_alone(d, used, part);
    return code;
}

int bx_draft_finish(bx_draft *d, bx_str part)
{
    int code = settle(d, part);
    if (code)
        return code;
    uint32_t can = d->event ? d->event->counters : bx_event_counters(d->c, &d->to);
    if (d->to.counter != BX_ANY && !(can >> d->to.counter & 1))
        return bx_draft_wrong_counter(d);
    unsigned index = d->to.counter != BX_ANY ? (unsigned)d->to.counter : bx_lowest_bit(can);
    d->to.control =
        bx_event_control(d->c, &d->to, &bx_cat_counters(d->c)[d->pmu->counters.first + index]);
    bx_event_extras(d->c, &d->to, d->cares);
    d->to.at = (size_t)(part.p - d->text.p);
    d->to.len = part.n;
    return BX_OK;
}
