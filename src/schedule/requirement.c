/* Determines the requirements of events for the registers that counters of a unit share. */
#include "event/event.h"
#include "schedule/internal.h"

const bx_cat_counter *bx_fixed_counter_of(const bx_topology *t, const bx_evsel *event)
{
    const bx_cat_counter *counter =
        bx_pmu_counter(t->catalog, event->pmu, bx_lowest_bit(bx_allowed_counters(t, event)));
    return counter->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE) ? counter : NULL;
}

unsigned bx_assignment_local_port(const struct bx_catalog *c, const bx_assignment *assignment)
{
    return assignment->place == BX_NONE ? 0 : bx_cat_places(c)[assignment->place].port;
}

int bx_assignment_port(const struct bx_catalog *c, const bx_assignment *assignment)
{
    if (assignment->place == BX_NONE)
        return BX_ANY;
    const bx_cat_place *place = &bx_cat_places(c)[assignment->place];
    unsigned ports = bx_cat_pmus(c)[bx_cat_slots(c)[place->slot].pmu].ports;
    return ports ? (int)(ports * assignment->unit + place->port) : BX_ANY;
}

static bool is_control(const bx_topology *t, const bx_cat_counter *on, uint16_t reg)
{
    return reg == on->control || (on->other_condition != BX_NONE &&
                                  reg == bx_cat_conds(t->catalog)[on->other_condition].reg);
}

static bx_requirement requirement_at(const bx_topology *t, const bx_evsel *event, uint16_t place)
{
    const bx_cat_counter *on =
        bx_pmu_counter(t->catalog, event->pmu, bx_lowest_bit(bx_allowed_counters(t, event)));
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_event_registers_at(t->catalog, event, on, place, regs);
    bx_requirement alternative = {.n = 0};
    for (size_t i = 0; i < n; i++)
        if (!is_control(t, on, regs[i].reg) && alternative.n < BX_EXTRAS)
            alternative.reg[alternative.n++] = regs[i];
    return alternative;
}

/* All events of a fixed counter share it; they must agree on the contents of its control
 * register. */
static bx_requirement requirement_of_fixed(const bx_cat_counter *counter, const bx_evsel *event)
{
    if (counter->control == BX_NONE)
        return (bx_requirement){.n = 0};
    return (bx_requirement){.reg = {{counter->control, event->control, UINT64_MAX}}, .n = 1};
}

unsigned bx_requirements_of(const bx_topology *t, const bx_evsel *event, unsigned port,
                            bx_requirement *alternatives, uint16_t *first)
{
    const bx_cat_counter *fixed = bx_fixed_counter_of(t, event);
    unsigned n = fixed ? 0 : bx_event_places(t->catalog, event, port, first);
    if (n == 0) {
        *first = BX_NONE;
        alternatives[0] =
            fixed ? requirement_of_fixed(fixed, event) : requirement_at(t, event, BX_NONE);
        return 1;
    }
    n = n < BX_PLACES ? n : BX_PLACES;
    for (unsigned i = 0; i < n; i++)
        alternatives[i] = requirement_at(t, event, (uint16_t)(*first + i));
    return n;
}

uint64_t bx_box_key(const bx_topology *t, const bx_evsel *events, const bx_assignment *assignment)
{
    const bx_evsel *event = &events[assignment->event];
    const bx_cat_counter *fixed = bx_fixed_counter_of(t, event);
    return (uint64_t)assignment->package << 48 | (uint64_t)assignment->unit << 32 |
           (uint64_t)event->pmu << 16 | (fixed ? 1u + fixed->index : 0);
}
