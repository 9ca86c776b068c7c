/* Checks of slots, their places, and the events in them. */
#include "compile/check/check.h"

#include "base/bits.h"

static unsigned registers_of(const bx_cat_place *place)
{
    unsigned n = 0;
    while (n < BX_PLACE_REGS && place->reg[n] != BX_NONE)
        n++;
    return n;
}

static bool same_fields(const bx_check *k, uint16_t a, uint16_t b)
{
    bx_span x = bx_cat_regs(k->c)[a].fields, y = bx_cat_regs(k->c)[b].fields;
    bool same = x.n == y.n;
    for (uint16_t i = 0; same && i < x.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(k->c)[x.first + i];
        const bx_cat_field *g = &bx_cat_fields(k->c)[y.first + i];
        same = f->name == g->name && f->lo == g->lo && f->hi == g->hi && f->kind == g->kind;
    }
    return same;
}

/* Whether two places are equal except for their selection, registers and bits. */
static bool alike(const bx_check *k, const bx_cat_place *a, const bx_cat_place *b)
{
    bool same =
        registers_of(a) == registers_of(b) && a->has == b->has && a->hi - a->lo == b->hi - b->lo;
    for (unsigned i = 0; same && i < registers_of(a); i++)
        same = same_fields(k, a->reg[i], b->reg[i]);
    return same;
}

static bool select_same(const bx_cat_place *a, const bx_cat_place *b)
{
    return ((a->control ^ b->control) & a->control_mask & b->control_mask) == 0;
}

/* Checks that each control value selects only one place of the PMU, or one event without a place.
 */
static void check_selection(const bx_check *k, uint16_t i, const bx_cat_pmu *pmu)
{
    const bx_cat_place *place = &bx_cat_places(k->c)[i];
    const bx_syntax_node *node = bx_check_from(k, BX_T_PLACES, i);
    for (uint16_t other = bx_cat_slots(k->c)[pmu->slots.first].places.first; other < i; other++)
        if (select_same(place, &bx_cat_places(k->c)[other]))
            bx_check_fail(k, node, NULL, 0, "another place is selected like this");
    for (unsigned n = 0; n < pmu->events.n && pmu->select_event != BX_NONE; n++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[pmu->events.first + n];
        uint64_t control = (uint64_t)event->code << bx_cat_fields(k->c)[pmu->select_event].lo;
        if (event->slot == BX_NONE && ((control ^ place->control) & place->control_mask) == 0)
            bx_check_fail(k, node, NULL, 0, "the event '%s' is selected like this",
                          bx_cat_z(k->c, event->name));
    }
}

static void check_place(const bx_check *k, uint16_t i)
{
    const bx_cat_place *place = &bx_cat_places(k->c)[i];
    const bx_cat_slot *slot = &bx_cat_slots(k->c)[place->slot];
    const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[slot->pmu];
    const bx_syntax_node *node = bx_check_from(k, BX_T_PLACES, i);
    if (!alike(k, place, &bx_cat_places(k->c)[slot->places.first]))
        bx_check_fail(k, node, NULL, 0, "not like the first place of the slot");
    if (i > slot->places.first && place->port < bx_cat_places(k->c)[i - 1].port)
        bx_check_fail(k, node, "port", 0, "places are listed port by port");
    if (place->has && place->hi >= bx_cat_regs(k->c)[place->reg[0]].width)
        bx_check_fail(k, node, "at", registers_of(place), "the register has %u bits",
                      bx_cat_regs(k->c)[place->reg[0]].width);
    check_selection(k, i, pmu);
}

/* The most places of one port of the slot. */
static unsigned places_of_port(const bx_check *k, const bx_cat_slot *slot)
{
    unsigned most = 0;
    for (uint16_t i = slot->places.first; i < slot->places.first + slot->places.n; i++)
        if (bx_cat_places(k->c)[i].index >= most)
            most = bx_cat_places(k->c)[i].index + 1U;
    return most;
}

void bx_check_slot(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->slots.n; i++)
        if (bx_cat_slots(k->c)[i].places.n == 0)
            bx_check_fail(k, bx_check_from(k, BX_T_SLOTS, i), NULL, 0, "this slot has no place");
    for (uint16_t i = 0; i < k->c->places.n && !k->b->failed; i++)
        check_place(k, i);
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_EVENTS, i);
        unsigned most =
            event->slot == BX_NONE ? 0 : places_of_port(k, &bx_cat_slots(k->c)[event->slot]);
        if (bx_syntax_arg(node, "in", 1).p && event->place >= most)
            bx_check_fail(k, node, "in", 1, "its slot has %u places of a port", most);
    }
}

/* Checks that a place's registers, with the one for the event's choice, are not more than
 * BX_EXTRAS. */
void bx_check_registers(const bx_check *k)
{
    for (uint16_t p = 0; p < k->c->pmus.n; p++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[p];
        uint32_t held = 0;
        for (unsigned i = 0; i < BX_SHARED; i++)
            held |= pmu->shared_in[i];
        if (pmu->shared & ~held)
            bx_check_fail(k, bx_check_from(k, BX_T_PMUS, p), NULL, 0,
                          "modifiers are in more than %d shared registers", BX_SHARED);
    }
}

/* Checks that an event that follows a counter follows one of its own unit, and is not counted on
 * that one. */
void bx_check_follows(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        if (event->follows == BX_NO_COUNTER)
            continue;
        if (event->follows >= bx_cat_pmus(k->c)[event->pmu].counters.n ||
            event->counters >> event->follows & 1)
            bx_check_fail(k, bx_check_from(k, BX_T_EVENTS, i), "follows", 0,
                          "this is not another counter of the unit");
    }
}

/* Checks that the bit that resets a queue tally is not stored, and that an event of a tally is on a
 * counter that has one. */
void bx_check_tally(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->counters.n; i++) {
        uint16_t field = bx_cat_counters(k->c)[i].tally;
        if (field != BX_NONE &&
            (bx_cat_fields(k->c)[field].kind != BX_FIELD_WO || bx_check_field_most(k, field) != 1))
            bx_check_fail(k, bx_check_from(k, BX_T_COUNTERS, i), "tally", 0,
                          "this is not a single write-only bit");
    }
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        bx_span counters = bx_cat_pmus(k->c)[event->pmu].counters;
        for (unsigned n = 0; event->flags & BX_EVENT_TALLY && n < counters.n; n++)
            if (event->counters >> n & 1 &&
                bx_cat_counters(k->c)[counters.first + n].tally == BX_NONE)
                bx_check_fail(k, bx_check_from(k, BX_T_EVENTS, i), NULL, 0,
                              "counter %u has no queue tally", n);
    }
}
