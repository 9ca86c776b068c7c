/* Checks of modifiers: what they hold, what they set, what they need. */
#include "catalog/check.h"

#include "base/bits.h"

uint64_t bx_check_field_most(const bx_check *k, uint16_t field)
{
    const bx_cat_field *f = &bx_cat_fields(k->c)[field];
    return bx_mask_width(f->hi - f->lo + 1U);
}

/* A modifier, or a `select`, stands for the same bits of every counter's control register. */
static bool in_all_controls(const bx_check *k, const bx_cat_pmu *pmu, uint16_t field)
{
    const bx_cat_field *f = &bx_cat_fields(k->c)[field];
    for (uint16_t i = pmu->counters.first; i < pmu->counters.first + pmu->counters.n; i++) {
        uint16_t control = bx_cat_counters(k->c)[i].control;
        uint16_t other = control == BX_NONE
                             ? field
                             : bx_cat_find_field(k->c, control, bx_cat_str(k->c, f->name));
        const bx_cat_field *o = &bx_cat_fields(k->c)[other == BX_NONE ? field : other];
        if (other == BX_NONE || o->lo != f->lo || o->hi != f->hi)
            return false;
    }
    return true;
}

static void check_modifier(const bx_check *k, uint16_t i)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
    const bx_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
    if (m->lo > m->hi || m->hi > bx_check_field_most(k, m->field))
        bx_check_fail(k, node, m->flag ? "field" : "range", 0, "the field holds 0 to %llu",
                      (unsigned long long)bx_check_field_most(k, m->field));
    if (m->libpfm_hi < m->hi)
        bx_check_fail(k, node, "libpfm_range", 0,
                      "libpfm4 takes more than the field holds, not less");
    if (m->flags & BX_MODIFIER_LEVEL && !m->flag)
        bx_check_fail(k, node, "range", 0, "a privilege level is counted or not: a flag");
    if (m->reg == BX_NONE && !in_all_controls(k, &bx_cat_pmus(k->c)[m->pmu], m->field))
        bx_check_fail(k, node, "field", 0, "not every counter has it at the same bits");
}

void bx_check_modifier(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++)
        check_modifier(k, i);
}

static void check_sets(const bx_check *k, const bx_node *node, bx_span span)
{
    for (uint16_t n = 0; n < span.n; n++) {
        const bx_cat_set *set = &bx_cat_sets(k->c)[span.first + n];
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[set->modifier];
        if (set->value < m->lo || set->value > m->hi)
            bx_check_fail(k, node, "sets", n, "%s goes from %llu to %llu", bx_cat_z(k->c, m->name),
                          (unsigned long long)m->lo, (unsigned long long)m->hi);
    }
}

void bx_check_sets(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++)
        check_sets(k, bx_check_from(k, BX_T_MODIFIERS, i), bx_cat_modifiers(k->c)[i].sets);
    for (uint16_t i = 0; i < k->c->umasks.n; i++)
        check_sets(k, bx_check_from(k, BX_T_UMASKS, i), bx_cat_umasks(k->c)[i].sets);
}

/* Events want different things of a register that counters share: that makes it a slot. */
void bx_check_shared(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
        if (m->reg == BX_NONE)
            continue;
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[m->reg];
        if (!(reg->flags & BX_REG_SHARED) || reg->pmu != m->pmu)
            bx_check_fail(k, bx_check_from(k, BX_T_MODIFIERS, i), "field", 0,
                          "neither of the counter's control nor of a shared register of the unit");
    }
}

/* Whether some unit mask or modifier of the PMU sets a modifier. */
static bool is_set(const bx_check *k, uint16_t modifier)
{
    for (uint16_t i = 0; i < k->c->sets.n; i++)
        if (bx_cat_sets(k->c)[i].modifier == modifier)
            return true;
    return false;
}

/* A hidden modifier is reached in another way than by its name. */
void bx_check_hidden(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
        const bx_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
        if (m->flags & BX_MODIFIER_HIDDEN && !m->kernel && !m->likwid && !is_set(k, i))
            bx_check_fail(k, node, NULL, 0, "nothing sets this modifier");
    }
}

/* What is needed can be given: it is not the modifier itself, and the event takes it. */
void bx_check_needs(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
        if (m->needs >> (i - bx_cat_pmus(k->c)[m->pmu].modifiers.first) & 1)
            bx_check_fail(k, bx_check_from(k, BX_T_MODIFIERS, i), "needs", 0,
                          "a modifier does not need itself");
    }
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(k->c)[i];
        const bx_node *node = bx_check_from(k, BX_T_UMASKS, i);
        if (umask->takes & ~bx_cat_events(k->c)[umask->event].modifiers)
            bx_check_fail(k, node, bx_node_has(node, "needs") ? "needs" : "takes", 0,
                          "the event does not take all of these");
    }
}
