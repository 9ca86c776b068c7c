#include "event/event.h"

#include "base/bits.h"

const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index)
{
    bx_span counters = bx_cat_pmus(c)[pmu].counters;
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (counter->index == index)
            return counter;
    }
    return NULL;
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

static uint64_t put(const struct bx_catalog *c, uint64_t control, uint16_t field, uint64_t value)
{
    if (field == BX_NONE)
        return control;
    const bx_cat_field *f = &bx_cat_fields(c)[field];
    return bx_bits_set(control, f->lo, f->hi, value);
}

uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter)
{
    if (counter->control == BX_NONE)
        return 0;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint64_t control = put(c, 0, pmu->select_event, event->code);
    control = put(c, control, pmu->select_umask, event->umask);
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (event->modifier[i])
            control = put(c, control, modifiers[i].field, event->modifier[i]);
    /* Conditions on other registers are enables of the box or the package: not this event's. */
    const bx_cat_cond *conds = &bx_cat_conds(c)[counter->counts.first];
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (conds[i].reg == counter->control)
            control = put(c, control, conds[i].field, conds[i].value);
    return control;
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
    /* An event of a fixed or free-running counter can be on no other. */
    const bx_cat_counter *on = lowest(c, event);
    if (!on->flags)
        on = bx_pmu_counter(c, event->pmu, counter);
    if (!on || on->control == BX_NONE)
        return 0;
    to[0] = (bx_regvalue){on->control, bx_event_control(c, event, on), UINT64_MAX};
    for (unsigned i = 0; i < event->extras; i++)
        to[1 + i] = event->extra[i];
    return 1u + event->extras;
}
