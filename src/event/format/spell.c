/* Finds names for the value of a unit mask. */
#include "event/format/spell.h"

/* The search for names: for each group in turn, the name of a whole value, or names of bits. */
typedef struct search {
    const struct bx_catalog *c;
    const bx_evsel *event;
    const bx_cat_event *of;
    const bx_cat_group *groups;
    unsigned n;
    uint32_t used; /* modifiers that are not 0 */
    bx_spelling s;
} search;

static const bx_cat_umask *umask(const search *f, unsigned i)
{
    return &bx_cat_umasks(f->c)[i];
}

static unsigned local(const search *f, const bx_cat_set *set)
{
    return set->modifier - bx_cat_pmus(f->c)[f->event->pmu].modifiers.first;
}

static const bx_cat_set *set_of(const search *f, const bx_cat_umask *u, unsigned i)
{
    return &bx_cat_sets(f->c)[u->sets.first + i];
}

/* Whether all bits that a name sets are compared, as they are when the name is read. The name may
 * also set the mask. */
static bool compared(const search *f, const bx_cat_umask *u, const bx_cat_set *set)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[set->modifier];
    if (m->masked == BX_NONE)
        return true;
    for (unsigned i = 0; i < u->sets.n; i++)
        if (set_of(f, u, i)->modifier == m->masked)
            return true;
    unsigned first = bx_cat_pmus(f->c)[f->event->pmu].modifiers.first;
    return f->event->modifier[m->masked - first] == bx_compares_all(f->c, m);
}

/* Whether the modifiers have the values of the unit mask's name. */
static bool sets_hold(const search *f, const bx_cat_umask *u)
{
    for (unsigned i = 0; i < u->sets.n; i++)
        if (f->event->modifier[local(f, set_of(f, u, i))] != set_of(f, u, i)->value ||
            !compared(f, u, set_of(f, u, i)))
            return false;
    return true;
}

static void add_name(search *f, uint16_t name)
{
    if (f->s.n < BX_SPELLED)
        f->s.umask[f->s.n++] = name;
}

/* Whether the names of a group only set one modifier that has no names itself: states, opcodes.
 * *modifier is its index within the PMU. */
static bool sets_only(const search *f, const bx_cat_group *group, unsigned *modifier)
{
    if (!group->umasks.n)
        return false;
    const bx_cat_umask *u = umask(f, group->umasks.first);
    if (u->value || !u->sets.n)
        return false;
    const bx_cat_set *set = set_of(f, u, 0);
    *modifier = local(f, set);
    return bx_cat_modifiers(f->c)[set->modifier].flags & BX_MODIFIER_HIDDEN;
}

/* ---- names for the value of the unit mask ---- */

/* Whether the selection shows what the name sets: it was given, or it is not at its default. */
static bool is_explicit(const search *f, const bx_cat_umask *u)
{
    bool explicit = true;
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = set_of(f, u, i);
        const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[set->modifier];
        explicit &= f->event->given >> local(f, set) & 1 || set->value != m->preset ||
                    m->masked != BX_NONE; /* sets_hold() has checked that it is compared */
    }
    return explicit;
}

/* Whether to try a before b, of two names that fit. The order: lower rank (the manual's), more bits
 * covered, no settings beyond those that were given, more settings, listed first. */
static bool before(const search *f, const bx_cat_umask *a, const bx_cat_umask *b)
{
    int bits = __builtin_popcount(a->value) - __builtin_popcount(b->value);
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (bits)
        return bits > 0;
    if (is_explicit(f, a) != is_explicit(f, b))
        return is_explicit(f, a);
    return a->sets.n != b->sets.n ? a->sets.n > b->sets.n : a < b;
}

/* The group's name to try after `last` (BX_NONE: the first); BX_NONE: no more. */
static uint16_t next_name(const search *f, const bx_cat_group *group, uint16_t last)
{
    uint16_t best = BX_NONE;
    for (unsigned i = 0; i < group->umasks.n; i++) {
        uint16_t at = (uint16_t)(group->umasks.first + i);
        const bx_cat_umask *u = umask(f, at);
        if (u->flags & BX_UMASK_ALIAS || u->value & ~f->event->umask || !sets_hold(f, u))
            continue;
        if (last != BX_NONE && !before(f, umask(f, last), u))
            continue;
        if (best == BX_NONE || before(f, u, umask(f, best)))
            best = at;
    }
    return best;
}

/* Whether the names can be read back: the modifiers that they need are set, and a name takes each
 * modifier that is set. */
static bool demands_met(const search *f)
{
    uint32_t needs = 0, takes = 0;
    for (unsigned i = 0; i < f->s.n; i++) {
        const bx_cat_umask *u = umask(f, f->s.umask[i]);
        needs |= u->needs;
        takes |= u->takes | u->needs;
    }
    return !(needs & ~f->used) && !(f->used & f->of->bound & ~takes);
}

static bool names_from(search *f, unsigned group, uint32_t covered);

/* Adds single bits of the group for the part that no other name covers. */
static bool bits_of(search *f, unsigned group, uint32_t covered)
{
    const bx_cat_group *g = &f->groups[group];
    unsigned start = f->s.n;
    for (unsigned i = 0; i < g->umasks.n; i++) {
        uint16_t at = (uint16_t)(g->umasks.first + i);
        const bx_cat_umask *u = umask(f, at);
        bool plain = u->flags & BX_UMASK_BIT && !(u->flags & (BX_UMASK_ALIAS | BX_UMASK_ALONE));
        if (!plain || u->sets.n || !(f->event->umask & ~covered & u->value))
            continue;
        covered |= u->value;
        add_name(f, at);
    }
    if (f->s.n > start && names_from(f, group + 1, covered))
        return true;
    f->s.n = start;
    return false;
}

static bool names_from(search *f, unsigned group, uint32_t covered)
{
    if (group == f->n)
        return covered == f->event->umask && demands_met(f);
    const bx_cat_group *g = &f->groups[group];
    unsigned start = f->s.n, unused;
    if (sets_only(f, g, &unused))
        return names_from(f, group + 1, covered);
    for (uint16_t at = next_name(f, g, BX_NONE); at != BX_NONE; at = next_name(f, g, at)) {
        add_name(f, at);
        if (names_from(f, group + 1, covered | umask(f, at)->value))
            return true;
        f->s.n = start;
    }
    if (bits_of(f, group, covered))
        return true;
    bool may_lack = g->preset == BX_NONE && !(g->flags & BX_GROUP_REQUIRED);
    return may_lack && names_from(f, group + 1, covered);
}

/* ---- names for modifiers that have none ---- */

/* The name of the whole value with the lowest rank; BX_NONE: there is none. */
static uint16_t whole(const search *f, const bx_cat_group *g)
{
    uint16_t best = BX_NONE;
    for (unsigned i = 0; i < g->umasks.n; i++) {
        uint16_t at = (uint16_t)(g->umasks.first + i);
        bool fits = !(umask(f, at)->flags & BX_UMASK_ALIAS) && sets_hold(f, umask(f, at));
        if (fits && (best == BX_NONE || umask(f, at)->rank < umask(f, best)->rank))
            best = at;
    }
    return best;
}

/* Adds names that set some of the bits each, and together all bits. */
static bool parts(search *f, const bx_cat_group *g, uint64_t value)
{
    unsigned start = f->s.n;
    uint64_t left = value;
    for (unsigned i = 0; i < g->umasks.n; i++) {
        uint16_t at = (uint16_t)(g->umasks.first + i);
        const bx_cat_umask *u = umask(f, at);
        if (u->flags & (BX_UMASK_ALIAS | BX_UMASK_ALONE) || u->sets.n != 1 ||
            set_of(f, u, 0)->value & ~value || !(set_of(f, u, 0)->value & left))
            continue;
        left &= ~set_of(f, u, 0)->value;
        add_name(f, at);
    }
    if (left)
        f->s.n = start;
    return !left && value;
}

static void spell_setting(search *f, const bx_cat_group *g, unsigned modifier)
{
    bool bound = f->of->bound >> modifier & 1;
    uint64_t value = f->event->modifier[modifier];
    if (bound && !value)
        return;
    uint16_t at = whole(f, g);
    uint16_t index = (uint16_t)(bx_cat_pmus(f->c)[f->event->pmu].modifiers.first + modifier);
    if (at != BX_NONE)
        add_name(f, at);
    else if (!(bx_cat_modifiers(f->c)[index].flags & BX_MODIFIER_BITS && parts(f, g, value)))
        return;
    f->s.implied |= UINT32_C(1) << modifier;
}

bx_spelling bx_event_spell(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    /* An event without groups has one implied group, in which any number of unit masks may be
     * named. */
    const bx_cat_group implied = {
        .preset = of->umask_default,
        .umasks = of->umasks,
        .flags = of->umasks.n ? BX_GROUP_REQUIRED : 0,
    };
    search f = {
        .c = c,
        .event = event,
        .of = of,
        .groups = of->groups.n ? &bx_cat_groups(c)[of->groups.first] : &implied,
        .n = of->groups.n ? of->groups.n : 1,
    };
    uint32_t modifiers = bx_cat_pmus(c)[event->pmu].modifiers.n;
    f.used = bx_event_used(event, modifiers);
    f.s.number = bx_event_lacks(of, event->umask) >= 0 || !names_from(&f, 0, 0);
    for (unsigned i = 0; i < f.s.n; i++)
        for (unsigned j = 0; j < umask(&f, f.s.umask[i])->sets.n; j++)
            f.s.implied |= UINT32_C(1) << local(&f, set_of(&f, umask(&f, f.s.umask[i]), j));
    unsigned modifier;
    for (unsigned i = 0; i < f.n; i++)
        if (sets_only(&f, &f.groups[i], &modifier))
            spell_setting(&f, &f.groups[i], modifier);
    return f.s;
}
