/* What the encoder relies on in the PMUs of a compiled catalogue, beside references that lead to
 * rows: its own modifiers, few of them, masks over these alone, counters in their order, bits. */
#include "base/bits.h"
#include "catalog/catalog.h"
#include "catalog/check.h"

/* All modifiers of the PMU, as a mask. */
static uint32_t modifiers_of(const bx_cat_pmu *pmu)
{
    return (UINT32_C(1) << pmu->modifiers.n) - 1;
}

static bool lies_in(bx_span span, uint16_t row)
{
    return row >= span.first && row - span.first < span.n;
}

static bool sets_are_own(const struct bx_catalog *c, const bx_cat_pmu *pmu, bx_span sets)
{
    for (unsigned i = 0; i < sets.n; i++)
        if (!lies_in(pmu->modifiers, bx_cat_sets(c)[sets.first + i].modifier))
            return false;
    return true;
}

static bool fields_are_sound(const struct bx_catalog *c)
{
    for (uint32_t i = 0; i < c->fields.n; i++)
        if (bx_cat_fields(c)[i].lo > bx_cat_fields(c)[i].hi || bx_cat_fields(c)[i].hi > 63)
            return false;
    return true;
}

/* The masks of a PMU that repeat what its modifiers say. */
static bool masks_are_derived(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    uint32_t levels = 0, hidden = 0, masked = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        levels |= (uint32_t)((m->flags & BX_MODIFIER_LEVEL) != 0) << i;
        hidden |= (uint32_t)((m->flags & BX_MODIFIER_HIDDEN) != 0) << i;
        masked |= (uint32_t)(m->masked != BX_NONE) << i;
    }
    return pmu->levels == levels && pmu->hidden == hidden && pmu->masked == masked;
}

/* The first of several partners is written with its first setting. */
static bool partners_are_sound(const bx_cat_modifier *m, unsigned local)
{
    uint32_t first = m->partners & (~m->partners + 1);
    return first != UINT32_C(1) << local || m->sets.n;
}

static bool modifiers_are_sound(const struct bx_catalog *c, uint32_t index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        const bx_cat_field *field = &bx_cat_fields(c)[m->field];
        if (m->at != field->lo || m->mask != bx_mask_bits(field->lo, field->hi) ||
            m->pmu != index || (m->needs | m->partners) & ~modifiers_of(pmu) ||
            (m->masked != BX_NONE && !lies_in(pmu->modifiers, m->masked)) ||
            (m->twin != BX_NONE && !lies_in(pmu->modifiers, m->twin)) ||
            !sets_are_own(c, pmu, m->sets) || !partners_are_sound(m, i))
            return false;
        for (unsigned k = 0; k < m->values.n; k++)
            if (!sets_are_own(c, pmu, bx_cat_values(c)[m->values.first + k].sets))
                return false;
    }
    if (!masks_are_derived(c, pmu))
        return false;
    uint32_t masks = pmu->shared | pmu->preset;
    for (size_t i = 0; i < BX_SHARED; i++)
        masks |= pmu->shared_in[i];
    for (unsigned i = 0; i < pmu->slots.n; i++)
        masks |= bx_cat_slots(c)[pmu->slots.first + i].modifiers;
    return !(masks & ~modifiers_of(pmu));
}

static bool umasks_are_sound(const struct bx_catalog *c, const bx_cat_pmu *pmu,
                             const bx_cat_event *event)
{
    for (unsigned i = 0; i < event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + i];
        if ((u->needs | u->takes) & ~modifiers_of(pmu) || !sets_are_own(c, pmu, u->sets))
            return false;
    }
    return true;
}

static bool events_are_sound(const struct bx_catalog *c, uint32_t index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    uint32_t counters = pmu->counters.n == 32 ? UINT32_MAX : (UINT32_C(1) << pmu->counters.n) - 1;
    for (unsigned k = 0; k < pmu->events.n; k++) {
        const bx_cat_event *event = &bx_cat_events(c)[pmu->events.first + k];
        uint32_t masks = event->modifiers | event->bound | event->minds;
        if (!event->counters || event->counters & ~counters || event->pmu != index ||
            masks & ~modifiers_of(pmu) || !sets_are_own(c, pmu, event->sets) ||
            !sets_are_own(c, pmu, event->implied) || !umasks_are_sound(c, pmu, event))
            return false;
    }
    return true;
}

static bool counters_are_sound(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    for (unsigned k = 0; k < pmu->counters.n; k++)
        if (bx_cat_counters(c)[pmu->counters.first + k].index != k)
            return false;
    return true;
}

static bool operands_are_sound(const struct bx_catalog *c)
{
    for (uint32_t i = 0; i < c->operands.n; i++) {
        const bx_cat_operand *o = &bx_cat_operands(c)[i];
        if (o->kind >= BX_OPERAND_KINDS ||
            (o->event >= c->events.n && o->event < BX_OPERAND_EVENTS))
            return false;
        if (o->event < c->events.n &&
            !sets_are_own(c, &bx_cat_pmus(c)[bx_cat_events(c)[o->event].pmu], o->sets))
            return false;
    }
    return true;
}

bool bx_catalog_pmus_are_sound(const struct bx_catalog *c)
{
    if (!fields_are_sound(c))
        return false;
    for (uint32_t i = 0; i < c->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[i];
        if (pmu->modifiers.n > BX_MODIFIERS || pmu->counters.n > 32 || pmu->scope > BX_SCOPE_CPU ||
            !counters_are_sound(c, pmu) || !modifiers_are_sound(c, i) || !events_are_sound(c, i))
            return false;
    }
    for (uint32_t i = 0; i < c->regs.n; i++)
        if (bx_cat_regs(c)[i].space > BX_SPACE_MMIO || bx_cat_regs(c)[i].first_addr >= c->addrs.n)
            return false;
    return operands_are_sound(c);
}
