#include "event/event.h"

#include "base/bits.h"

const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index)
{
    bx_span counters = bx_cat_pmus(c)[pmu].counters; /* in the order of their indices, from 0 */
    return index < counters.n ? &bx_cat_counters(c)[counters.first + index] : NULL;
}

uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    if (event->event != BX_RAW)
        return bx_cat_events(c)[event->event].counters;
    bx_span counters = bx_cat_pmus(c)[event->pmu].counters;
    uint32_t can = 0;
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (!counter->flags)
            can |= UINT32_C(1) << counter->index;
    }
    return can;
}

uint16_t bx_event_of_code(const struct bx_catalog *c, uint16_t pmu, uint16_t code,
                          uint32_t modifiers)
{
    uint16_t event = bx_cat_event_by_code(c, pmu, code);
    bool takes = event != BX_NONE && (modifiers & ~bx_cat_events(c)[event].modifiers) == 0;
    return takes ? event : BX_RAW;
}

/* The value in its place. It fits: the catalogue's values are checked when it is built, the user's
 * when they are read. */
static uint64_t in_place(const struct bx_catalog *c, uint16_t field, uint64_t value)
{
    return field == BX_NONE ? 0 : value << bx_cat_fields(c)[field].lo;
}

uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter)
{
    if (counter->control == BX_NONE)
        return 0;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint64_t control =
        in_place(c, pmu->select_event, event->code) | in_place(c, pmu->select_umask, event->umask);
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    for (uint32_t left = event->given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        if (modifiers[i].reg == BX_NONE)
            control |= in_place(c, modifiers[i].field, event->modifier[i]);
    }
    /* Conditions on other registers are enables of the box or the package: not this event's. */
    const bx_cat_cond *conds = &bx_cat_conds(c)[counter->counts.first];
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (conds[i].reg == counter->control)
            control |= in_place(c, conds[i].field, conds[i].value);
    return control;
}

/* The event's extra register of this index, in the order of the catalogue; NULL: too many. */
static bx_regvalue *extra_of(bx_evsel *event, uint16_t reg)
{
    unsigned i = 0, last = event->extras;
    while (i < last && event->extra[i].reg < reg)
        i++;
    if (i < last && event->extra[i].reg == reg)
        return &event->extra[i];
    if (last == BX_EXTRAS)
        return NULL;
    for (; last > i; last--)
        event->extra[last] = event->extra[last - 1];
    event->extra[i] = (bx_regvalue){.reg = reg};
    event->extras++;
    return &event->extra[i];
}

void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t cares)
{
    const bx_cat_modifier *modifiers =
        &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first];
    event->extras = 0;
    for (uint32_t left = cares; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        const bx_cat_modifier *m = &modifiers[i];
        bx_regvalue *extra = m->reg == BX_NONE ? NULL : extra_of(event, m->reg);
        if (!extra)
            continue;
        const bx_cat_field *field = &bx_cat_fields(c)[m->field];
        extra->value |= event->modifier[i] << field->lo;
        extra->mask |= bx_mask_bits(field->lo, field->hi);
    }
}

uint32_t bx_modifier_partners(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned local)
{
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    const bx_cat_set *sets = bx_cat_sets(c);
    uint16_t enable = modifiers[local].sets.n ? sets[modifiers[local].sets.first].modifier
                                              : (uint16_t)(pmu->modifiers.first + local);
    uint32_t partners = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (modifiers[i].sets.n && sets[modifiers[i].sets.first].modifier == enable)
            partners |= UINT32_C(1) << i;
    return partners;
}

uint32_t bx_umask_takes(const struct bx_catalog *c, const bx_cat_event *event, uint32_t umask)
{
    const bx_cat_umask *all = &bx_cat_umasks(c)[event->umasks.first];
    uint32_t takes = 0;
    for (unsigned i = 0; event->bound && i < event->umasks.n; i++)
        if (all[i].value && (all[i].value & ~umask) == 0)
            takes |= all[i].takes | all[i].needs;
    return takes;
}

bool bx_event_names_modifier(const struct bx_catalog *c, const bx_cat_event *event, unsigned local)
{
    const bx_cat_umask *all = &bx_cat_umasks(c)[event->umasks.first];
    uint16_t modifier = (uint16_t)(bx_cat_pmus(c)[event->pmu].modifiers.first + local);
    for (unsigned i = 0; i < event->umasks.n; i++)
        for (unsigned j = 0; j < all[i].sets.n; j++)
            if (bx_cat_sets(c)[all[i].sets.first + j].modifier == modifier)
                return true;
    return false;
}

bool bx_has_number(const struct bx_catalog *c, const bx_cat_event *event, uint16_t modifier)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[modifier];
    unsigned local = modifier - bx_cat_pmus(c)[m->pmu].modifiers.first;
    if (!event || m->sets.n)
        return m->reg != BX_NONE;
    return bx_event_names_modifier(c, event, local);
}

uint32_t bx_event_used(const bx_evsel *event, unsigned modifiers)
{
    uint32_t used = 0;
    for (unsigned i = 0; i < modifiers; i++)
        used |= (uint32_t)(event->modifier[i] != 0) << i;
    return used;
}

uint32_t bx_modifiers_with(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned flags)
{
    uint32_t with = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        with |= (uint32_t)((bx_cat_modifiers(c)[pmu->modifiers.first + i].flags & flags) != 0) << i;
    return with;
}

/* A condition of this counter that lies in another counter's control register is no enable of the
 * box: P6 enables both counters in the first one's. */
static size_t put_conditions(const struct bx_catalog *c, const bx_cat_counter *on, bx_regvalue *to,
                             size_t room)
{
    const bx_cat_cond *conds = &bx_cat_conds(c)[on->counts.first];
    bx_span counters = bx_cat_pmus(c)[on->pmu].counters;
    size_t n = 0;
    for (unsigned i = 0; i < on->counts.n; i++)
        for (unsigned j = 0; conds[i].reg != on->control && n < room && j < counters.n; j++)
            if (bx_cat_counters(c)[counters.first + j].control == conds[i].reg) {
                uint64_t value = in_place(c, conds[i].field, conds[i].value);
                to[n++] = (bx_regvalue){conds[i].reg, value,
                                        bx_cat_field_mask(&bx_cat_fields(c)[conds[i].field])};
                break;
            }
    return n;
}

/* The counter that is named, or else the lowest that can count the event. */
static const bx_cat_counter *lowest(const struct bx_catalog *c, const bx_evsel *event)
{
    bool named = event->counter != BX_ANY;
    return bx_pmu_counter(c, event->pmu,
                          named ? (unsigned)event->counter
                                : bx_lowest_bit(bx_event_counters(c, event)));
}

int bx_event_lowest_counter(const bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_counter *counter = lowest(c, event);
    return counter->flags ? -1 : counter->index;
}

size_t bx_event_registers(const bx_catalog *c, const bx_evsel *event, unsigned counter,
                          bx_regvalue *to)
{
    const bx_cat_counter *on = lowest(c, event);
    uint64_t control = event->control;
    /* An event of a fixed counter can be on no other; the control is that of the lowest counter. */
    if (!on->flags && (counter != on->index || event->counter != BX_ANY)) {
        on = bx_pmu_counter(c, event->pmu, counter);
        control = on ? bx_event_control(c, event, on) : 0;
    }
    if (!on || on->control == BX_NONE)
        return 0;
    to[0] = (bx_regvalue){on->control, control, UINT64_MAX};
    for (unsigned i = 0; i < event->extras; i++)
        to[1 + i] = event->extra[i];
    return 1u + event->extras +
           put_conditions(c, on, to + 1 + event->extras, BX_EXTRAS - (size_t)event->extras);
}
