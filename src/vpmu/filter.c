/* Decides which signals pass the filters of a counter's unit. */
#include "vpmu/internal.h"

/* ---- filter registers ---- */

bx_vfilters bx_vpmu_filters_of(const struct bx_catalog *c, uint16_t pmu)
{
    bx_span modifiers = bx_cat_pmus(c)[pmu].modifiers;
    bx_vfilters to = {.n = 0};
    for (unsigned i = 0; i < modifiers.n; i++) {
        uint16_t reg = bx_cat_modifiers(c)[modifiers.first + i].reg;
        unsigned at = 0;
        while (at < to.n && to.reg[at] < reg)
            at++;
        if (reg == BX_NONE || (at < to.n && to.reg[at] == reg) || to.n == BX_FILTERS)
            continue;
        for (unsigned k = to.n++; k > at; k--)
            to.reg[k] = to.reg[k - 1];
        to.reg[at] = reg;
    }
    return to;
}

static unsigned index_of(const bx_vfilters *filters, uint16_t reg)
{
    for (unsigned i = 0; i < filters->n; i++)
        if (filters->reg[i] == reg)
            return i;
    return BX_FILTERS;
}

unsigned bx_vpmu_filter_index(const struct bx_catalog *c, uint16_t reg)
{
    bx_vfilters filters = bx_vpmu_filters_of(c, bx_cat_regs(c)[reg].pmu);
    return index_of(&filters, reg);
}

/* ---- filters that apply ---- */

/* Whether a unit mask is selected. In a slot, unit masks of a choice are numbers; elsewhere they
 * are bits that combine. */
static bool is_chosen(const struct bx_catalog *c, const bx_cat_event *event, const bx_cat_umask *u,
                      uint32_t umask)
{
    if (event->slot == BX_NONE || !(u->flags & BX_UMASK_ALONE))
        return (u->value & umask) == u->value;
    uint32_t bits = 0;
    for (unsigned i = 0; i < event->umasks.n; i++)
        bits |= bx_cat_umasks(c)[event->umasks.first + i].value;
    return (umask & bits) == u->value;
}

/* The PMU's modifiers that apply to an event and unit mask. If some unit masks of the event need or
 * take a modifier, it applies only with one of them; others always apply. */
static uint32_t relevant_modifiers(const struct bx_catalog *c, uint16_t pmu, uint16_t i,
                                   uint32_t umask)
{
    if (i == BX_NONE)
        return 0;
    const bx_cat_event *event = &bx_cat_events(c)[i];
    uint32_t taken = event->modifiers, bound = 0, here = 0;
    for (unsigned k = 0; k < event->umasks.n; k++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + k];
        bound |= u->needs | u->takes;
        if (is_chosen(c, event, u, umask))
            here |= u->needs | u->takes;
        for (unsigned s = 0; s < u->sets.n; s++)
            taken |= UINT32_C(1) << (bx_cat_sets(c)[u->sets.first + s].modifier -
                                     bx_cat_pmus(c)[pmu].modifiers.first);
    }
    for (unsigned s = 0; s < event->sets.n; s++)
        taken |= UINT32_C(1) << (bx_cat_sets(c)[event->sets.first + s].modifier -
                                 bx_cat_pmus(c)[pmu].modifiers.first);
    return (taken & ~bound) | here;
}

/* The modifier of which this one is the mask, that is, it says which bits of the other's field are
 * compared. NULL: it is no mask. */
static const bx_cat_modifier *compared_under(const struct bx_catalog *c, const bx_cat_pmu *p,
                                             uint16_t mask)
{
    for (unsigned i = 0; i < p->modifiers.n; i++)
        if (bx_cat_modifiers(c)[p->modifiers.first + i].masked == mask)
            return &bx_cat_modifiers(c)[p->modifiers.first + i];
    return NULL;
}

/* Whether a filter is enabled: by bits of the control register, or of a filter register. */
static bool switched_on(const struct bx_catalog *c, const bx_vfilters *filters, uint64_t control,
                        const uint64_t *value, const bx_cat_modifier *m)
{
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first + i];
        const bx_cat_modifier *other = &bx_cat_modifiers(c)[set->modifier];
        const bx_cat_field *f = &bx_cat_fields(c)[other->field];
        unsigned at = other->reg == BX_NONE ? BX_FILTERS : index_of(filters, other->reg);
        if (bx_bits_get(at == BX_FILTERS ? control : value[at], f->lo, f->hi) != set->value)
            return false;
    }
    return true;
}

void bx_vpmu_applies(const struct bx_catalog *c, uint16_t pmu, uint16_t event, uint64_t control,
                     uint32_t umask, const uint64_t *value, uint64_t applies[BX_FILTERS])
{
    const bx_cat_pmu *p = &bx_cat_pmus(c)[pmu];
    uint32_t taken = relevant_modifiers(c, pmu, event, umask);
    bx_vfilters filters = bx_vpmu_filters_of(c, pmu);
    for (unsigned i = 0; i < p->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[p->modifiers.first + i];
        if (m->reg == BX_NONE || !(taken >> i & 1))
            continue;
        unsigned filter = index_of(&filters, m->reg);
        /* A mask is in use if its filter is. */
        const bx_cat_modifier *of = compared_under(c, p, (uint16_t)(p->modifiers.first + i));
        if (filter < BX_FILTERS && switched_on(c, &filters, control, value, m) &&
            (!of || switched_on(c, &filters, control, value, of)))
            applies[filter] |= bx_cat_field_mask(&bx_cat_fields(c)[m->field]);
    }
}

/* ---- signals that pass ---- */

/* Whether some unit mask that takes the modifier sets it to 0, so that 0 has a name. */
static bool names_zero(const struct bx_catalog *c, const bx_cat_pmu *p, uint16_t modifier)
{
    for (unsigned e = 0; e < p->events.n; e++) {
        const bx_cat_event *event = &bx_cat_events(c)[p->events.first + e];
        for (unsigned k = 0; k < event->umasks.n; k++) {
            const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + k];
            for (unsigned s = 0; s < u->sets.n; s++) {
                const bx_cat_set *set = &bx_cat_sets(c)[u->sets.first + s];
                if (set->modifier == modifier && set->value == 0 &&
                    u->takes >> (modifier - p->modifiers.first) & 1)
                    return true;
            }
        }
    }
    return false;
}

/* No document says what a filter of 0 does. We read it as: nothing is filtered. The exceptions are
 * fields in which 0 is a value like any other. These are: a thread or a core, which have an enable
 * bit of their own; a command 0 that has a name; an empty set of states. */
static bool matches(const struct bx_catalog *c, const bx_cat_pmu *p, uint16_t modifier,
                    uint64_t filter, uint64_t key)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[modifier];
    if (m->flags & BX_MODIFIER_BITS)
        return filter & key || (filter == 0 && m->lo > 0);
    return filter == key || (filter == 0 && m->sets.n == 0 && !names_zero(c, p, modifier));
}

static unsigned width_of(const bx_cat_field *f)
{
    return f->hi - f->lo + 1U;
}

/* The bits of a field that are compared under the counter's mask. A mask of one bit applies to all
 * bits of the field. Any other mask that is narrower than the field applies to the field's upper
 * bits. */
static uint64_t compared(const struct bx_catalog *c, const bx_vfilters *filters,
                         const bx_selection *counter, const bx_cat_modifier *m)
{
    const bx_cat_modifier *by = &bx_cat_modifiers(c)[m->masked];
    const bx_cat_field *f = &bx_cat_fields(c)[by->field];
    unsigned width = width_of(&bx_cat_fields(c)[m->field]), bits = width_of(f);
    unsigned at = by->reg == BX_NONE ? BX_FILTERS : index_of(filters, by->reg);
    uint64_t mask = at == BX_FILTERS ? 0 : bx_bits_get(counter->filter[at], f->lo, f->hi);
    if (by->flags & BX_MODIFIER_IGNORES)
        mask ^= bx_mask_width(bits);
    if (bits == 1)
        return mask ? bx_mask_width(width) : 0;
    return mask << (width > bits ? width - bits : 0);
}

static bool passes(const struct bx_catalog *c, const bx_cat_pmu *p, const bx_vfilters *filters,
                   const bx_selection *counter, const bx_selection *signal, uint16_t modifier)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[modifier];
    const bx_cat_field *f = &bx_cat_fields(c)[m->field];
    unsigned at = m->reg == BX_NONE ? BX_FILTERS : index_of(filters, m->reg);
    if (at == BX_FILTERS || !(counter->applies[at] & signal->applies[at] & bx_cat_field_mask(f)) ||
        compared_under(c, p, modifier))
        return true;
    uint64_t filter = bx_bits_get(counter->filter[at], f->lo, f->hi);
    uint64_t key = bx_bits_get(signal->filter[at], f->lo, f->hi);
    if (m->masked != BX_NONE)
        return !((filter ^ key) & compared(c, filters, counter, m));
    return matches(c, p, modifier, filter, key);
}

static bool levels_match(const bx_selection *counter, const bx_selection *signal)
{
    return signal->levels == 0 || signal->levels & counter->levels;
}

bool bx_vpmu_lets_through(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *selected,
                          const bx_selection *signal)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_pmu *p = &bx_cat_pmus(cat)[c->facts->pmu];
    bx_vfilters filters = bx_vpmu_filters_of(cat, c->facts->pmu);
    if (!levels_match(selected, signal))
        return false;
    for (unsigned i = 0; filters.n && i < p->modifiers.n; i++)
        if (!passes(cat, p, &filters, selected, signal, (uint16_t)(p->modifiers.first + i)))
            return false;
    return true;
}
