/* What events want of the registers that a unit's counters share. */
#include "event/event.h"
#include "schedule/internal.h"

const bx_cat_counter *bx_seat_fixed(const bx_topology *t, const bx_evsel *event)
{
    const bx_cat_counter *counter =
        bx_pmu_counter(t->catalog, event->pmu, bx_lowest_bit(bx_seat_counters(t, event)));
    return counter->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE) ? counter : NULL;
}

unsigned bx_seat_local_port(const struct bx_catalog *c, const bx_seat *seat)
{
    return seat->place == BX_NONE ? 0 : bx_cat_places(c)[seat->place].port;
}

int bx_seat_port(const struct bx_catalog *c, const bx_seat *seat)
{
    if (seat->place == BX_NONE)
        return BX_ANY;
    const bx_cat_place *place = &bx_cat_places(c)[seat->place];
    unsigned ports = bx_cat_pmus(c)[bx_cat_slots(c)[place->slot].pmu].ports;
    return ports ? (int)(ports * seat->unit + place->port) : BX_ANY;
}

static bool is_control(const bx_topology *t, const bx_cat_counter *on, uint16_t reg)
{
    return reg == on->control ||
           (on->elsewhere != BX_NONE && reg == bx_cat_conds(t->catalog)[on->elsewhere].reg);
}

static bx_choice choice_at(const bx_topology *t, const bx_evsel *event, uint16_t place)
{
    const bx_cat_counter *on =
        bx_pmu_counter(t->catalog, event->pmu, bx_lowest_bit(bx_seat_counters(t, event)));
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_event_registers_at(t->catalog, event, on, place, regs);
    bx_choice choice = {.n = 0};
    for (size_t i = 0; i < n; i++)
        if (!is_control(t, on, regs[i].reg) && choice.n < BX_EXTRAS)
            choice.reg[choice.n++] = regs[i];
    return choice;
}

/* All events of a fixed counter share it, its control then is what they have to agree on. */
static bx_choice choice_of_fixed(const bx_cat_counter *counter, const bx_evsel *event)
{
    if (counter->control == BX_NONE)
        return (bx_choice){.n = 0};
    return (bx_choice){.reg = {{counter->control, event->control, UINT64_MAX}}, .n = 1};
}

unsigned bx_seat_choices(const bx_topology *t, const bx_evsel *event, unsigned port,
                         bx_choice *choices, uint16_t *first)
{
    const bx_cat_counter *fixed = bx_seat_fixed(t, event);
    unsigned n = fixed ? 0 : bx_event_places(t->catalog, event, port, first);
    if (n == 0) {
        *first = BX_NONE;
        choices[0] = fixed ? choice_of_fixed(fixed, event) : choice_at(t, event, BX_NONE);
        return 1;
    }
    n = n < BX_PLACES ? n : BX_PLACES;
    for (unsigned i = 0; i < n; i++)
        choices[i] = choice_at(t, event, (uint16_t)(*first + i));
    return n;
}

bool bx_same_box(const bx_topology *t, const bx_evsel *events, const bx_seat *a, const bx_seat *b)
{
    const bx_evsel *one = &events[a->event], *other = &events[b->event];
    return a->package == b->package && a->unit == b->unit && one->pmu == other->pmu &&
           bx_seat_fixed(t, one) == bx_seat_fixed(t, other);
}
