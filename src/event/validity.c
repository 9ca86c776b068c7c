/* Checks whether a selection that a caller filled in can be used. Parsed selections always can. */
#include "event/event.h"

#include "base/bits.h"

static bool has_event(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event == BX_RAW ||
           (event->event < c->events.n && bx_cat_events(c)[event->event].pmu == event->pmu);
}

static bool has_registers(const struct bx_catalog *c, const bx_evsel *event)
{
    if (event->extras > BX_EXTRAS)
        return false;
    for (unsigned i = 0; i < event->extras; i++)
        if (event->extra[i].reg >= c->regs.n)
            return false;
    return true;
}

static bool fits(const struct bx_catalog *c, uint16_t field, uint64_t value)
{
    const bx_cat_field *f = &bx_cat_fields(c)[field];
    return field == BX_NONE || value <= bx_mask_width(f->hi - f->lo + 1u);
}

/* Whether the values fit their fields. Places have fields of their own. */
static bool has_values(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (!fits(c, bx_cat_modifiers(c)[pmu->modifiers.first + i].field, event->modifier[i]))
            return false;
    if (bx_event_reference_place(c, event) != BX_NONE)
        return true;
    return fits(c, pmu->select_umask, event->umask) &&
           (event->event != BX_RAW || fits(c, pmu->select_event, event->code));
}

bool bx_event_is_valid(const struct bx_catalog *c, const bx_evsel *event)
{
    if (event->pmu >= c->pmus.n || !has_event(c, event) || !has_registers(c, event))
        return false;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    return pmu->counters.n && event->counter >= BX_ANY && event->counter < (int)pmu->counters.n &&
           event->unit >= BX_ANY && event->package >= BX_SOCKET && event->port >= BX_ANY &&
           (event->place == BX_ANY || bx_event_reference_place(c, event) != BX_NONE) &&
           has_values(c, event);
}
