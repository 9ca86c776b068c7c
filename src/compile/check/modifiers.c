/* Checks of modifiers: their ranges, settings and needs. */
#include "compile/check/check.h"

/* Whether an event that the counter can count takes the modifier. */
static bool is_taken(const bx_check *k, const bx_cat_pmu *pmu, unsigned counter, unsigned modifier)
{
    for (uint16_t i = pmu->events.first; i < pmu->events.first + pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        if (event->counters >> counter & 1 && event->modifiers >> modifier & 1)
            return true;
    }
    return false;
}

/* Whether a modifier has the same bits in the control registers of all counters, except counters
 * whose only event does not take it. */
static bool in_all_controls(const bx_check *k, const bx_cat_pmu *pmu, uint16_t modifier)
{
    uint16_t field = bx_cat_modifiers(k->c)[modifier].field;
    const bx_cat_field *f = &bx_cat_fields(k->c)[field];
    for (unsigned n = 0; n < pmu->counters.n; n++) {
        const bx_cat_counter *counter = &bx_cat_counters(k->c)[pmu->counters.first + n];
        uint16_t control = counter->control;
        if (counter->flags & BX_COUNTER_FIXED &&
            !is_taken(k, pmu, n, modifier - pmu->modifiers.first))
            continue;
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
    const bx_syntax_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
    if (m->lo > m->hi || m->hi > bx_check_field_most(k, m->field))
        bx_check_fail(k, node, m->flag ? "field" : "range", 0, "the field holds 0 to %llu",
                      (unsigned long long)bx_check_field_most(k, m->field));
    if (m->libpfm_hi < m->hi)
        bx_check_fail(k, node, "libpfm", 0, "libpfm4 takes more than the field holds, not less");
    if (m->flags & BX_MODIFIER_LEVEL && !m->flag)
        bx_check_fail(k, node, "range", 0, "a privilege level is counted or not: a flag");
    if (m->reg == BX_NONE && !in_all_controls(k, &bx_cat_pmus(k->c)[m->pmu], i))
        bx_check_fail(k, node, "field", 0, "not every counter has it at the same bits");
    if (m->preset && (m->preset < m->lo || m->preset > m->hi))
        bx_check_fail(k, node, "preset", 0, "%s goes from %llu to %llu", bx_cat_z(k->c, m->name),
                      (unsigned long long)m->lo, (unsigned long long)m->hi);
}

static bool is_mask(const bx_check *k, uint16_t modifier)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++)
        if (bx_cat_modifiers(k->c)[i].masked == modifier)
            return true;
    return false;
}

/* Checks masks: a mask has one bit for each bit that it masks, or for several, and is not masked
 * itself. An event takes both. */
void bx_check_masked(const bx_check *k)
{
    const bx_cat_modifier *all = bx_cat_modifiers(k->c);
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_syntax_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
        uint16_t mask = all[i].masked;
        if (is_mask(k, i) && all[i].preset && all[i].preset != all[i].hi)
            bx_check_fail(k, node, "preset", 0, "a mask compares no bit or ignores all, 0 or %llu",
                          (unsigned long long)all[i].hi);
        if (mask != BX_NONE &&
            bx_check_field_most(k, all[mask].field) > bx_check_field_most(k, all[i].field))
            bx_check_fail(k, node, "masked", 0, "the mask is wider than what it masks");
        if (mask != BX_NONE && all[mask].masked != BX_NONE)
            bx_check_fail(k, node, "masked", 0, "the mask is masked itself");
    }
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        bx_span span = bx_cat_pmus(k->c)[event->pmu].modifiers;
        for (unsigned m = 0; m < span.n; m++) {
            uint16_t mask = event->modifiers >> m & 1 ? all[span.first + m].masked : BX_NONE;
            if (mask != BX_NONE && !(event->modifiers >> (mask - span.first) & 1))
                bx_check_fail(k, bx_check_from(k, BX_T_EVENTS, i), "takes", 0,
                              "it does not take '%s', the mask of a modifier that it takes",
                              bx_cat_z(k->c, all[mask].name));
        }
    }
}

/* Whether a modifier's twins end with one that has none. */
static bool has_last_twin(const bx_check *k, uint16_t modifier)
{
    unsigned steps = 0;
    for (; modifier != BX_NONE && steps <= BX_MODIFIERS; steps++)
        modifier = bx_cat_modifiers(k->c)[modifier].twin;
    return modifier == BX_NONE;
}

/* Checks that twins can have the same values. A twin may have a twin, too. */
void bx_check_twin(const bx_check *k)
{
    const bx_cat_modifier *all = bx_cat_modifiers(k->c);
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_syntax_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
        uint16_t twin = all[i].twin;
        if (!has_last_twin(k, i))
            bx_check_fail(k, node, "twin", 0, "a modifier is not its own twin");
        else if (twin != BX_NONE && (all[twin].lo != all[i].lo || all[twin].hi != all[i].hi))
            bx_check_fail(k, node, "twin", 0, "the twin holds other values");
    }
}

/* Checks that names of values are distinct, and their meanings, too. */
void bx_check_value(const bx_check *k)
{
    const bx_cat_value *values = bx_cat_values(k->c);
    for (uint16_t m = 0; m < k->c->modifiers.n; m++) {
        const bx_cat_modifier *owner = &bx_cat_modifiers(k->c)[m];
        for (uint16_t i = owner->values.first; i < owner->values.first + owner->values.n; i++) {
            const bx_syntax_node *node = bx_check_from(k, BX_T_VALUES, i);
            if (values[i].value < owner->lo || values[i].value > owner->hi)
                bx_check_fail(k, node, NULL, 1, "%s goes from %llu to %llu",
                              bx_cat_z(k->c, owner->name), (unsigned long long)owner->lo,
                              (unsigned long long)owner->hi);
            if (bx_cat_find_value(k->c, m, bx_cat_str(k->c, values[i].name)) != i)
                bx_check_fail(k, node, NULL, 0, "this name is taken");
            for (uint16_t other = owner->values.first; other < i; other++)
                if (values[other].value == values[i].value &&
                    bx_check_same_sets(k, values[other].sets, values[i].sets))
                    bx_check_fail(k, node, NULL, 1, "'%s' means the same",
                                  bx_cat_z(k->c, values[other].name));
        }
    }
}

void bx_check_modifier(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++)
        check_modifier(k, i);
}

static void check_sets(const bx_check *k, const bx_syntax_node *node, bx_span span)
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
    for (uint16_t i = 0; i < k->c->events.n; i++)
        check_sets(k, bx_check_from(k, BX_T_EVENTS, i), bx_cat_events(k->c)[i].sets);
    for (uint16_t i = 0; i < k->c->values.n; i++)
        check_sets(k, bx_check_from(k, BX_T_VALUES, i), bx_cat_values(k->c)[i].sets);
}

static bool is_shared(const bx_check *k, uint16_t reg, uint16_t pmu)
{
    return bx_cat_regs(k->c)[reg].flags & BX_REG_SHARED && bx_cat_regs(k->c)[reg].pmu == pmu;
}

static void check_shared_place(const bx_check *k, uint16_t i)
{
    const bx_cat_place *place = &bx_cat_places(k->c)[i];
    for (unsigned n = 0; n < BX_PLACE_REGS && place->reg[n] != BX_NONE; n++)
        if (!is_shared(k, place->reg[n], bx_cat_slots(k->c)[place->slot].pmu))
            bx_check_fail(k, bx_check_from(k, BX_T_PLACES, i), "at", n,
                          "not a shared register of the unit");
}

/* Checks registers that counters share: if events need different values there, they must form a
 * slot. */
void bx_check_shared(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->places.n; i++)
        check_shared_place(k, i);
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
        if (m->reg == BX_NONE)
            continue;
        if (!is_shared(k, m->reg, m->pmu))
            bx_check_fail(k, bx_check_from(k, BX_T_MODIFIERS, i), "field", 0,
                          "neither of the counter's control nor of a shared register of the unit");
    }
}

/* Whether anything sets a modifier, or it is set by giving the modifier that it masks. */
static bool is_set(const bx_check *k, uint16_t modifier)
{
    if (is_mask(k, modifier))
        return true;
    for (uint16_t i = 0; i < k->c->sets.n; i++)
        if (bx_cat_sets(k->c)[i].modifier == modifier)
            return true;
    return false;
}

/* Checks that a hidden modifier can be set in another way than by its name. */
void bx_check_hidden(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_MODIFIERS, i);
        if (m->flags & BX_MODIFIER_HIDDEN && !m->kernel && !m->likwid && !is_set(k, i))
            bx_check_fail(k, node, NULL, 0, "nothing sets this modifier");
    }
}

/* Checks that a needed modifier can be given: it is not the modifier itself, and the event takes
 * it. */
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
        const bx_syntax_node *node = bx_check_from(k, BX_T_UMASKS, i);
        if (umask->takes & ~bx_cat_events(k->c)[umask->event].modifiers)
            bx_check_fail(k, node, bx_syntax_has(node, "needs") ? "needs" : "takes", 0,
                          "the event does not take all of these");
    }
}
