/* Resolves an event selection: fills in what was left out, and refuses contradictions. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"

/* ---- modifiers that were left out ---- */

void bx_resolve_presets(bx_event_builder *d)
{
    for (uint32_t left = d->pmu->preset & ~d->to.given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        d->to.modifier[i] = bx_builder_local_modifier(d, i)->preset;
    }
}

void bx_resolve_masks(bx_event_builder *d)
{
    for (uint32_t left = d->pmu->masked & d->to.given; left; left &= left - 1) {
        const bx_cat_modifier *m = bx_builder_local_modifier(d, bx_lowest_bit(left));
        unsigned mask = (unsigned)(m->masked - d->pmu->modifiers.first);
        if (d->to.given >> mask & 1)
            continue;
        d->to.modifier[mask] = d->zero_masks ? 0 : bx_compares_all(d->c, m);
        d->to.given |= UINT32_C(1) << mask;
    }
}

/* Sets masks as Linux does, which writes them with the event even if they were not given. */
static void resolve_zero_masks(bx_event_builder *d)
{
    for (uint32_t left = d->pmu->masked & d->event->modifiers; left; left &= left - 1) {
        unsigned mask = (unsigned)(bx_builder_local_modifier(d, bx_lowest_bit(left))->masked -
                                   d->pmu->modifiers.first);
        if (!(d->to.given >> mask & 1))
            d->to.modifier[mask] = 0;
        d->to.given |= UINT32_C(1) << mask;
    }
}

/* ---- unit masks that were left out ---- */

static int resolve_umask(bx_event_builder *d, bx_str part)
{
    if (d->event->umask_default != BX_NONE)
        return bx_builder_umask(d, d->event->umask_default, part);
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask",
                         bx_builder_name_of(d, d->event->name));
    bx_names names = bx_names_of_umasks(d->c, d->event);
    bx_hint(d->e, "one or more of %s", names.text);
    return code;
}

static int refuse_without(bx_event_builder *d, const bx_cat_group *group, bx_str part)
{
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask",
                         bx_builder_name_of(d, d->event->name));
    bx_names names = bx_names_of_group(d->c, group);
    bx_hint(d->e, "one%s of %s", group->flags & BX_GROUP_ONE ? "" : " or more", names.text);
    return code;
}

/* Whether the catalogue's preset was overridden: by a number, or by another tool's terms. */
static bool is_set(const bx_event_builder *d, const bx_cat_umask *preset)
{
    for (unsigned i = 0; i < preset->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[preset->sets.first + i];
        if (d->to.given >> (set->modifier - d->pmu->modifiers.first) & 1)
            return true;
    }
    return false;
}

static int resolve_groups(bx_event_builder *d, bx_str part)
{
    const bx_cat_group *groups = &bx_cat_groups(d->c)[d->event->groups.first];
    int code = BX_OK;
    for (unsigned i = 0; !code && i < d->event->groups.n; i++) {
        if (d->named_groups >> i & 1)
            continue;
        if (groups[i].preset != BX_NONE) {
            const bx_cat_umask *preset = &bx_cat_umasks(d->c)[groups[i].preset];
            if (preset->sets.n ? !is_set(d, preset) : !d->has_number)
                code = bx_builder_umask(d, groups[i].preset, part);
        } else if (groups[i].flags & BX_GROUP_REQUIRED && !d->has_number) {
            code = refuse_without(d, &groups[i], part);
        }
    }
    return code;
}

/* Refuses names of one kind alone, such as a state of a lookup without a request. A number is taken
 * as it is. */
static int refuse_half(bx_event_builder *d, bx_str part)
{
    int lacks = d->has_number ? -1 : bx_event_lacks(d->event, d->to.umask);
    if (lacks < 0)
        return BX_OK;
    bx_names names = {0};
    for (unsigned i = 0; i < d->event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(d->c)[d->event->umasks.first + i];
        if (!(u->flags & BX_UMASK_ALIAS) && !(u->value & ~d->event->each[lacks]))
            bx_names_add(&names, bx_builder_name_of(d, u->name));
    }
    const char *name = bx_builder_name_of(d, d->event->each_name[lacks]);
    const char *article = name[0] == 'a' ? "an" : "a";
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs %s %s, too: so it counts nothing",
                         bx_builder_name_of(d, d->event->name), article, name);
    bx_hint(d->e, "add one of %s", names.text);
    return code;
}

/* ---- a selection ---- */

/* The modifiers that are not 0. *needs: the modifiers that they need. */
static uint32_t used_of(const bx_event_builder *d, uint32_t *needs)
{
    uint32_t used = 0;
    for (uint32_t left = d->to.given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        if (!d->to.modifier[i])
            continue;
        used |= UINT32_C(1) << i;
        *needs |= bx_builder_local_modifier(d, i)->needs;
    }
    return used;
}

void bx_resolve_levels(bx_event_builder *d)
{
    uint32_t levels = d->pmu->levels;
    if (d->to.given & levels)
        return;
    d->to.given |= levels;
    for (; levels; levels &= levels - 1)
        d->to.modifier[bx_lowest_bit(levels)] = 1;
}

int bx_resolve_event(bx_event_builder *d, bx_str part)
{
    int code = BX_OK;
    if (d->event->groups.n)
        code = resolve_groups(d, part);
    else if (!d->has_umask && d->event->umasks.n)
        code = resolve_umask(d, part);
    if (!code)
        code = refuse_half(d, part);
    if (code)
        return code;
    bx_resolve_levels(d);
    bx_resolve_presets(d);
    bx_resolve_masks(d);
    if (d->zero_masks)
        resolve_zero_masks(d);
    /* A shared modifier counts as given if a name fixed it, if it is not at its default, or if the
     * event minds it. Without shared or masked modifiers, a modifier at its default equals one that
     * is given. */
    uint32_t unusual =
        d->pmu->shared || d->pmu->masked ? bx_event_unusual(d->c, &d->to) : d->to.given;
    d->to.given &= ~d->pmu->shared | d->fixed | d->event->minds | unusual;
    uint32_t needs = 0, used = used_of(d, &needs);
    d->relevant |= used & unusual;
    code = bx_resolve_needs(d, used, part);
    d->relevant = bx_event_with_masks(d->c, d->to.pmu, d->relevant);
    if (!code && needs & ~used)
        code = bx_refuse_missing_modifier(d, used, part);
    if (!code)
        code = bx_refuse_unused_masks(d, unusual, part);
    return code ? code : bx_resolve_place(d, part);
}
