#include "event/event.h"

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
        control |= in_place(c, modifiers[i].field, event->modifier[i]);
    }
    /* Conditions on other registers are enables of the box or the package: not this event's. */
    const bx_cat_cond *conds = &bx_cat_conds(c)[counter->counts.first];
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (conds[i].reg == counter->control)
            control |= in_place(c, conds[i].field, conds[i].value);
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
    return 1u + event->extras;
}
