/* Settling an event selection: what was left out is filled in, what does not go together refused.
 */
#include "base/bits.h"
#include "event/draft.h"
#include "event/hint.h"
#include "event/recognize.h"
#include "event/spell.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(const bx_draft *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

static const bx_cat_modifier *modifier(const bx_draft *d, unsigned local)
{
    return &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + local];
}

/* ---- what was not given ---- */

/* What is not given has its preset. */
static void settle_presets(bx_draft *d)
{
    for (uint32_t left = d->pmu->preset & ~d->to.given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        d->to.modifier[i] = modifier(d, i)->preset;
    }
}

/* What is given is compared as a whole, unless it is said which bits are. */
static void settle_masks(bx_draft *d)
{
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = modifier(d, i);
        if (m->masked == BX_NONE || !(d->to.given >> i & 1))
            continue;
        unsigned mask = (unsigned)(m->masked - d->pmu->modifiers.first);
        if (d->to.given >> mask & 1)
            continue;
        d->to.modifier[mask] = d->zero_masks ? 0 : bx_compares_all(d->c, m);
        d->to.given |= UINT32_C(1) << mask;
    }
}

/* A mask of a pattern that is not in use: an address is, when it is given. */
static int check_masks(bx_draft *d, bx_str part)
{
    uint32_t unusual = bx_event_unusual(d->c, &d->to);
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = modifier(d, i);
        unsigned mask = (unsigned)(m->masked - d->pmu->modifiers.first);
        if (m->masked == BX_NONE || !(unusual >> mask & 1) ||
            bx_modifier_sets_hold(d->c, m, &d->to))
            continue;
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' needs '%s'",
                             name_of(d, modifier(d, mask)->name), name_of(d, m->name));
        bx_hint(d->e, "it says which bits of '%s' are compared", name_of(d, m->name));
        return code;
    }
    return BX_OK;
}

/* Linux writes its masks with the event, given or not. */
static void settle_zero_masks(bx_draft *d)
{
    for (unsigned i = 0; d->event && d->zero_masks && i < d->pmu->modifiers.n; i++) {
        uint16_t masked = modifier(d, i)->masked;
        if (masked == BX_NONE || !(d->event->modifiers >> i & 1))
            continue;
        uint32_t mask = UINT32_C(1) << (masked - d->pmu->modifiers.first);
        if (d->to.given & mask)
            continue;
        d->to.modifier[masked - d->pmu->modifiers.first] = 0;
        d->to.given |= mask;
    }
}

/* ---- raw codes ---- */

/* A code that is no place's, of a PMU whose control register then selects a place: that place has a
 * code of its own. */
static int check_code(bx_draft *d, bx_str part)
{
    const bx_cat_counter *counter = bx_pmu_counter(d->c, d->to.pmu, 0);
    uint64_t control = bx_event_control_at(d->c, &d->to, counter, BX_NONE);
    if (!d->pmu->slots.n || bx_place_selected(d->c, d->pmu, control) == BX_NONE)
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s has no code 0x%" PRIx32,
                         name_of(d, d->pmu->name), d->to.code);
    bx_names names = {0};
    for (unsigned i = 0; i < d->pmu->slots.n; i++) {
        const bx_cat_slot *slot = &bx_cat_slots(d->c)[d->pmu->slots.first + i];
        char name[48];
        snprintf(name, sizeof name, "%u %s", bx_cat_places(d->c)[slot->places.first].code,
                 name_of(d, slot->name));
        bx_names_add(&names, name);
    }
    bx_hint(d->e, "codes are those of its registers: %s", names.text);
    return code;
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
    settle_presets(d);
    settle_masks(d);
    uint32_t unusual = bx_event_unusual(d->c, &d->to);
    uint16_t home = bx_event_home(d->c, &d->to);
    uint32_t counters = d->to.counter == BX_ANY ? UINT32_MAX : UINT32_C(1) << d->to.counter;
    uint16_t event = home == BX_NONE
                         ? bx_event_of_code(d->c, &d->to, counters, unusual & ~d->pmu->shared)
                         : bx_event_of_choice(d->c, &d->to, home);
    uint32_t takes = UINT32_MAX;
    if (home != BX_NONE)
        takes = ~d->pmu->shared | bx_cat_slots(d->c)[bx_cat_places(d->c)[home].slot].modifiers;
    if (event != BX_RAW) {
        bx_draft_event(d, d->to.pmu, event);
        d->to.umask &= home == BX_NONE ? UINT32_MAX : ~d->event->code;
        takes = d->event->modifiers;
    }
    if (!(unusual & ~takes))
        return home == BX_NONE && event == BX_RAW ? check_code(d, part) : BX_OK;
    return BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
                     d->event ? name_of(d, d->event->name) : "RAW",
                     name_of(d, modifier(d, bx_lowest_bit(unusual & ~takes))->name));
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
    bool named = d->fixed >> local & 1 && d->fixer[local].from == BX_FROM_UMASK;
    bx_cat_text what =
        named ? bx_cat_umasks(d->c)[d->fixer[local].item].name : modifier(d, local)->name;
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

/* The modifiers that names stand for which will be printed for a number. */
static uint32_t said(const bx_draft *d)
{
    bool whole = d->event->flags & BX_EVENT_WHOLE;
    return whole && d->has_number && d->event->umasks.n ? bx_event_spell(d->c, &d->to).said : 0;
}

static int check_event(bx_draft *d, uint32_t used, bx_str part)
{
    if (d->has_number)
        d->takes |= bx_umask_takes(d->c, &d->to);
    uint32_t loose = used & d->event->bound & ~d->takes, missing = d->needs & ~used;
    if (loose)
        return refuse_bound(d, bx_lowest_bit(loose), part);
    if (missing)
        return refuse_need(d, bx_lowest_bit(missing), part);
    uint32_t given = (d->to.given | said(d)) & d->event->modifiers & ~d->event->bound;
    d->cares |= d->takes | d->event->minds | given;
    return BX_OK;
}

/* ---- places ---- */

static int no_place(bx_draft *d)
{
    bx_evsel free = d->to;
    free.place = BX_ANY;
    uint16_t first;
    uint16_t home = bx_event_home(d->c, &free);
    const char *name = d->event ? name_of(d, d->event->name) : "RAW";
    if (home == BX_NONE) {
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, d->pin_place, "%s has no places to choose from", name);
        bx_hint(d->e, "leave out '%s'", bx_quote(d->pin_place).text);
        return code;
    }
    unsigned n = bx_event_places(d->c, &free, bx_cat_places(d->c)[home].port, &first);
    unsigned lowest = bx_cat_places(d->c)[first].index;
    int code = BX_REFUSE(d, BX_NOT_FOUND, d->pin_place, "%s has no such place", name);
    if (n == 1)
        bx_hint(d->e, "it has one only, %u; its number is left out", lowest);
    else
        bx_hint(d->e, "places are %u to %u; without a number any that is free is taken", lowest,
                lowest + n - 1);
    return code;
}

/* An event that is pinned to a place and is another's there by a name of its own is that one. */
static void settle_name(bx_draft *d)
{
    if (d->event->place != BX_ANY_PLACE || d->event->slot == BX_NONE)
        return;
    for (unsigned i = 0; i < d->pmu->events.n; i++) {
        const bx_cat_event *other = &bx_cat_events(d->c)[d->pmu->events.first + i];
        if (other->slot != d->event->slot || other->place != d->to.place ||
            other->code != d->event->code || d->event->modifiers & ~other->modifiers)
            continue;
        d->event = other;
        d->to.event = (uint16_t)(d->pmu->events.first + i);
        d->to.place = BX_ANY;
        return;
    }
}

/* Whether the choice fits the field that it goes to. */
static int check_choice(bx_draft *d, uint16_t home, bx_str part)
{
    const bx_cat_place *p = &bx_cat_places(d->c)[home];
    uint64_t most = p->has ? bx_mask_width(p->hi - p->lo + 1u) : 0;
    if (d->to.umask <= most)
        return BX_OK;
    return BX_REFUSE(d, BX_BAD_INPUT, part, "umask=0x%" PRIx32 " is out of range 0..0x%" PRIx64,
                     d->to.umask, most);
}

static int settle_place(bx_draft *d, bx_str part)
{
    uint16_t home = bx_event_home(d->c, &d->to);
    int code = home == BX_NONE ? BX_OK : check_choice(d, home, part);
    if (code || d->to.place == BX_ANY)
        return code;
    if (home == BX_NONE)
        return no_place(d);
    if (d->event && d->event->place == d->to.place)
        d->to.place = BX_ANY; /* its name says so */
    else if (d->event)
        settle_name(d);
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
    settle_presets(d);
    settle_masks(d);
    settle_zero_masks(d);
    if (d->event && d->event->flags & BX_EVENT_WHOLE) /* what it minds it has in any case */
        d->to.given &= ~d->pmu->shared | d->fixed | bx_event_unusual(d->c, &d->to);
    uint32_t needs = 0, used = used_of(d, &needs);
    d->cares |= used & bx_event_unusual(d->c, &d->to);
    if (d->event)
        code = check_event(d, used, part);
    else
        d->cares |= bx_event_unusual(d->c, &d->to) | (bx_code_fixes(d->c, &d->to) & d->to.given);
    d->cares = bx_event_with_masks(d->c, d->to.pmu, d->cares);
    if (!code && needs & ~used)
        code = refuse_alone(d, used, part);
    if (!code)
        code = check_masks(d, part);
    return code ? code : settle_place(d, part);
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
