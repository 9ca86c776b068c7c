#include "vpmu/inside.h"

unsigned bx_vpmu_filter_index(const struct bx_catalog *c, uint16_t reg)
{
    const bx_cat_reg *regs = bx_cat_regs(c);
    unsigned index = 0;
    if (!(regs[reg].flags & BX_REG_SHARED))
        return BX_FILTERS;
    for (uint16_t i = bx_cat_pmus(c)[regs[reg].pmu].regs.first; i < reg; i++)
        index += (regs[i].flags & BX_REG_SHARED) != 0;
    return index < BX_FILTERS ? index : BX_FILTERS;
}

/* Which of the PMU's modifiers mean something for a code and unit mask. Those that some unit masks
 * of the event ask for count only with such a unit mask; the others always. */
static uint32_t looked_at(const struct bx_catalog *c, uint16_t pmu, uint16_t code, uint32_t umask)
{
    uint16_t i = bx_cat_event_by_code(c, pmu, code);
    if (i == BX_NONE)
        return 0;
    const bx_cat_event *event = &bx_cat_events(c)[i];
    uint32_t taken = event->modifiers, bound = 0, here = 0;
    for (unsigned k = 0; k < event->umasks.n; k++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + k];
        bound |= u->needs | u->takes;
        if ((u->value & umask) == u->value)
            here |= u->needs | u->takes;
        for (unsigned s = 0; s < u->sets.n; s++)
            taken |= UINT32_C(1) << (bx_cat_sets(c)[u->sets.first + s].modifier -
                                     bx_cat_pmus(c)[pmu].modifiers.first);
    }
    return (taken & ~bound) | here;
}

/* Whether the control register has the bits that switch a filter on. */
static bool switched_on(const struct bx_catalog *c, uint64_t control, const bx_cat_modifier *m)
{
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first + i];
        const bx_cat_modifier *other = &bx_cat_modifiers(c)[set->modifier];
        const bx_cat_field *f = &bx_cat_fields(c)[other->field];
        if (other->reg == BX_NONE && bx_bits_get(control, f->lo, f->hi) != set->value)
            return false;
    }
    return true;
}

/* Which filter a modifier's field is in; BX_FILTERS: none. */
static unsigned filter_of(const struct bx_catalog *c, const bx_cat_modifier *m)
{
    return m->reg == BX_NONE ? BX_FILTERS : bx_vpmu_filter_index(c, m->reg);
}

void bx_vpmu_applies(const struct bx_catalog *c, uint16_t pmu, uint64_t control, uint16_t code,
                     uint32_t umask, uint64_t applies[BX_FILTERS])
{
    const bx_cat_pmu *p = &bx_cat_pmus(c)[pmu];
    uint32_t taken = looked_at(c, pmu, code, umask);
    for (unsigned i = 0; i < BX_FILTERS; i++)
        applies[i] = 0;
    for (unsigned i = 0; i < p->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[p->modifiers.first + i];
        unsigned filter = filter_of(c, m);
        if (filter < BX_FILTERS && taken >> i & 1 && switched_on(c, control, m))
            applies[filter] |= bx_cat_field_mask(&bx_cat_fields(c)[m->field]);
    }
}

void bx_vpmu_filters(const bx_vpmu *v, const bx_vcounter *c, bx_vmode *mode)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_span regs = bx_cat_pmus(cat)[c->facts->pmu].regs;
    if (!c->filtered)
        return;
    for (uint16_t i = regs.first; i < regs.first + regs.n; i++) {
        unsigned filter = bx_vpmu_filter_index(cat, i);
        if (filter < BX_FILTERS)
            mode->filter[filter] = bx_vpmu_reg_of(v, c, i)->value;
    }
    bx_vpmu_applies(cat, c->facts->pmu, bx_vpmu_reg_of(v, c, c->facts->control)->value, mode->code,
                    mode->umask, mode->applies);
}

/* No document says what a filter of 0 does. Held: nothing is filtered, unless 0 is a value like any
 * other: a thread or a core, which have a switch of their own, or a set of states without any. */
static bool matches(const bx_cat_modifier *m, uint64_t filter, uint64_t key)
{
    if (m->flags & BX_MODIFIER_BITS)
        return filter & key || (filter == 0 && m->lo > 0);
    return filter == key || (filter == 0 && m->sets.n == 0);
}

static bool levels_match(const bx_selection *counter, const bx_selection *signal)
{
    return signal->levels == 0 || signal->levels & counter->levels;
}

bool bx_vpmu_lets_through(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *signal)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_pmu *p = &bx_cat_pmus(cat)[c->facts->pmu];
    if (!levels_match(&c->sees, signal))
        return false;
    for (unsigned i = 0; c->filtered && i < p->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(cat)[p->modifiers.first + i];
        const bx_cat_field *f = &bx_cat_fields(cat)[m->field];
        unsigned at = filter_of(cat, m);
        if (at == BX_FILTERS || !(c->sees.applies[at] & signal->applies[at] & bx_cat_field_mask(f)))
            continue;
        if (!matches(m, bx_bits_get(c->sees.filter[at], f->lo, f->hi),
                     bx_bits_get(signal->filter[at], f->lo, f->hi)))
            return false;
    }
    return true;
}
