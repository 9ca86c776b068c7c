#include "event/event.h"

const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index)
{
    bx_span counters = bx_cat_pmus(c)[pmu].counters; /* in the order of their indices, from 0 */
    return index < counters.n ? &bx_cat_counters(c)[counters.first + index] : NULL;
}

/* Of a raw code: all that are free to count anything. */
static uint32_t free_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_span counters = bx_cat_pmus(c)[event->pmu].counters;
    uint32_t can = 0;
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (!counter->flags)
            can |= UINT32_C(1) << counter->index;
    }
    return can;
}

uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event != BX_RAW ? bx_cat_events(c)[event->event].counters
                                  : free_counters(c, event);
}

uint16_t bx_event_of_code(const struct bx_catalog *c, uint16_t pmu, uint16_t code,
                          uint32_t modifiers)
{
    uint16_t event = bx_cat_event_by_code(c, pmu, code);
    bool takes = event != BX_NONE && (modifiers & ~bx_cat_events(c)[event].modifiers) == 0;
    return takes ? event : BX_RAW;
}

uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter)
{
    if (counter->control == BX_NONE)
        return 0;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    /* The values fit: the catalogue's are checked when it is built, the user's when they are read.
     */
    uint64_t control = counter->enable;
    if (pmu->select_event != BX_NONE)
        control |= (uint64_t)event->code << pmu->event_at;
    if (pmu->select_umask != BX_NONE)
        control |= (uint64_t)event->umask << pmu->umask_at;
    for (uint32_t left = event->given & ~pmu->shared; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        control |= event->modifier[i] << modifiers[i].at;
    }
    return control;
}

void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t cares)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    event->extras = 0;
    for (unsigned slot = 0; slot < BX_EXTRAS && pmu->slots[slot]; slot++) {
        uint64_t value = 0, mask = 0;
        uint16_t reg = BX_NONE;
        for (uint32_t left = cares & pmu->slots[slot]; left; left &= left - 1) {
            unsigned i = bx_lowest_bit(left);
            value |= event->modifier[i] << modifiers[i].at;
            mask |= modifiers[i].mask;
            reg = modifiers[i].reg;
        }
        if (mask)
            event->extra[event->extras++] = (bx_regvalue){reg, value, mask};
    }
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
    for (unsigned i = 0; i < modifiers && i < BX_MODIFIERS; i++)
        used |= (uint32_t)(event->modifier[i] != 0) << i;
    return used;
}

/* The counter that is named, or else the lowest that can count the event. */
static const bx_cat_counter *lowest(const struct bx_catalog *c, const bx_evsel *event)
{
    unsigned index = event->counter != BX_ANY ? (unsigned)event->counter
                                              : bx_lowest_bit(bx_event_counters(c, event));
    return &bx_cat_counters(c)[bx_cat_pmus(c)[event->pmu].counters.first + index];
}

int bx_event_lowest_counter(const bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_counter *counter = lowest(c, event);
    return counter->flags ? -1 : counter->index;
}

/* A condition of this counter that lies in another counter's control register is no enable of the
 * box: P6 enables both counters in the first one's. */
static bx_regvalue condition(const struct bx_catalog *c, const bx_cat_counter *on)
{
    const bx_cat_cond *cond = &bx_cat_conds(c)[on->elsewhere];
    const bx_cat_field *field = &bx_cat_fields(c)[cond->field];
    return (bx_regvalue){cond->reg, cond->value << field->lo, bx_cat_field_mask(field)};
}

/* The counter that is asked for, and its control. An event of a fixed counter can be on no other.
 */
static const bx_cat_counter *asked(const struct bx_catalog *c, const bx_evsel *event,
                                   unsigned counter, uint64_t *control)
{
    const bx_cat_counter *on = lowest(c, event);
    if (on->flags || (counter == on->index && event->counter == BX_ANY))
        return on;
    on = bx_pmu_counter(c, event->pmu, counter);
    if (on)
        *control = bx_event_control(c, event, on);
    return on;
}

size_t bx_event_registers(const bx_catalog *c, const bx_evsel *event, unsigned counter,
                          bx_regvalue *to)
{
    uint64_t control = event->control; /* on the lowest counter */
    const bx_cat_counter *on =
        counter == BX_LOWEST ? lowest(c, event) : asked(c, event, counter, &control);
    if (!on || on->control == BX_NONE)
        return 0;
    size_t n = 1;
    to[0] = (bx_regvalue){on->control, control, UINT64_MAX};
    for (unsigned i = 0; i < event->extras; i++)
        to[n++] = event->extra[i];
    if (on->elsewhere != BX_NONE && n <= BX_EXTRAS)
        to[n++] = condition(c, on);
    return n;
}
