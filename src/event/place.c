/* Places: the equal sub-registers of a unit that an event may borrow, and the register contents
 * when it borrows one. */
#include "base/bits.h"
#include "event/event.h"
#include "register/register.h"

static const bx_cat_place *place_at(const struct bx_catalog *c, uint16_t place)
{
    return &bx_cat_places(c)[place];
}

/* Whether the event may borrow this place of its PMU. */
static bool may_borrow(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_place *p)
{
    if (event->place != BX_ANY && event->place != p->index)
        return false;
    if (event->event == BX_RAW)
        return p->code == event->code;
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    return of->slot == p->slot && (of->place == BX_ANY_PLACE || of->place == p->index);
}

unsigned bx_event_places(const struct bx_catalog *c, const bx_evsel *event, unsigned port,
                         uint16_t *first)
{
    bx_span slots = bx_cat_pmus(c)[event->pmu].slots;
    unsigned n = 0;
    *first = BX_NONE;
    for (uint16_t s = slots.first; s < slots.first + slots.n; s++) {
        bx_span places = bx_cat_slots(c)[s].places;
        for (uint16_t i = places.first; i < places.first + places.n; i++) {
            const bx_cat_place *p = place_at(c, i);
            if (p->port != port || !may_borrow(c, event, p))
                continue;
            if (n++ == 0)
                *first = i;
        }
    }
    return n;
}

/* Whether the place is chosen by a field of the control register, whose number is then the event's
 * code: not where ports have other numbers for the same event. */
static bool has_own_code(const struct bx_catalog *c, const bx_cat_event *of)
{
    return of->slot != BX_NONE && !bx_cat_pmus(c)[of->pmu].ports &&
           bx_cat_slots(c)[of->slot].places.n;
}

unsigned bx_event_codes(const struct bx_catalog *c, unsigned event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event];
    bool any = has_own_code(c, of) && of->place == BX_ANY_PLACE;
    return any ? bx_cat_slots(c)[of->slot].places.n : 1;
}

/* The field that the place's settings choose it by: the PMU's field for codes, or else the widest
 * one. */
static uint16_t chosen_by(const struct bx_catalog *c, const bx_cat_pmu *pmu,
                          const bx_cat_place *place)
{
    uint16_t control = bx_cat_counters(c)[pmu->counters.first].control, best = BX_NONE;
    bx_span fields = bx_cat_regs(c)[control].fields;
    int most = 0;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        uint64_t mask = bx_cat_field_mask(&bx_cat_fields(c)[i]);
        int bits = __builtin_popcountll(mask);
        if ((mask & place->control_mask) != mask)
            continue;
        if (i == pmu->select_event)
            return i;
        best = bits > most ? i : best;
        most = bits > most ? bits : most;
    }
    return best;
}

bx_event_code bx_event_code_at(const struct bx_catalog *c, unsigned event, unsigned place)
{
    const bx_cat_event *of = &bx_cat_events(c)[event];
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[of->pmu];
    if (!has_own_code(c, of))
        return (bx_event_code){of->slot == BX_NONE ? pmu->select_event : BX_NONE, of->code};
    unsigned at = of->place == BX_ANY_PLACE ? place : of->place;
    const bx_cat_place *p = place_at(c, (uint16_t)(bx_cat_slots(c)[of->slot].places.first + at));
    uint16_t field = chosen_by(c, pmu, p);
    uint64_t value = field == BX_NONE ? 0 : bx_field_of(&bx_cat_fields(c)[field], p->control);
    return (bx_event_code){field, (uint32_t)value};
}

uint16_t bx_event_signal_code(const struct bx_catalog *c, unsigned event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event];
    if (of->slot == BX_NONE)
        return (uint16_t)of->code;
    bx_span places = bx_cat_slots(c)[of->slot].places;
    uint16_t at = places.first;
    if (of->place != BX_ANY_PLACE && of->place < places.n)
        at = (uint16_t)(at + of->place);
    return place_at(c, at)->code;
}

uint16_t bx_event_place(const struct bx_catalog *c, const bx_evsel *event, unsigned port)
{
    uint16_t first;
    bx_event_places(c, event, port, &first);
    return first;
}

uint16_t bx_event_reference_place(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    if (!pmu->slots.n)
        return BX_NONE;
    bool ports = pmu->ports && event->port != BX_ANY;
    return bx_event_place(c, event, ports ? (unsigned)event->port % pmu->ports : 0);
}

uint16_t bx_place_selected(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint64_t control)
{
    uint16_t best = BX_NONE;
    int bits = 0;
    for (uint16_t s = pmu->slots.first; s < pmu->slots.first + pmu->slots.n; s++) {
        bx_span places = bx_cat_slots(c)[s].places;
        for (uint16_t i = places.first; i < places.first + places.n; i++) {
            const bx_cat_place *p = &bx_cat_places(c)[i];
            int more = __builtin_popcountll(p->control_mask);
            if ((control & p->control_mask) == p->control && more > bits) {
                best = i;
                bits = more;
            }
        }
    }
    return best;
}

uint64_t bx_event_control_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *counter, uint16_t place)
{
    if (counter->control == BX_NONE)
        return 0;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    /* The values fit: those of the catalogue are checked at build time, the user's when they are
     * read. */
    uint64_t control = counter->enable;
    if (place != BX_NONE)
        control |= place_at(c, place)->control;
    else if (pmu->select_event != BX_NONE && !bx_counts_one(counter))
        control |= (uint64_t)event->code << pmu->event_at;
    if (place == BX_NONE && pmu->select_umask != BX_NONE && !bx_counts_one(counter))
        control |= (uint64_t)event->umask << pmu->umask_at;
    uint32_t set = bx_counts_one(counter) ? 0 : (event->given | pmu->preset) & ~pmu->shared;
    for (uint32_t left = set; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        control |= event->modifier[i] << modifiers[i].at;
    }
    return control;
}

uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter)
{
    return bx_event_control_at(c, event, counter, bx_event_reference_place(c, event));
}

/* ---- shared registers ---- */

/* The field of a place that code and unit mask go to. */
static uint64_t choice_mask(const bx_cat_place *p)
{
    return p->has ? bx_mask_bits(p->lo, p->hi) : 0;
}

/* Moves a register value from one place to another. */
static bx_regvalue moved(bx_regvalue r, const bx_cat_place *from, const bx_cat_place *to)
{
    if (r.reg == from->reg[0]) {
        uint64_t here = choice_mask(from), there = choice_mask(to);
        uint64_t value = (r.value & here) >> from->lo, mask = (r.mask & here) >> from->lo;
        r.value = (r.value & ~here) | (value << to->lo & there);
        r.mask = (r.mask & ~here) | (mask << to->lo & there);
    }
    for (unsigned i = 0; i < BX_PLACE_REGS; i++)
        if (from->reg[i] != BX_NONE && r.reg == from->reg[i])
            return (bx_regvalue){to->reg[i], r.value, r.mask};
    return r;
}

/* Adds a register value, or combines it with the one there. The list is in the catalogue's
 * order. */
static void add_extra(bx_evsel *event, bx_regvalue r)
{
    unsigned at = 0;
    while (at < event->extras && event->extra[at].reg < r.reg)
        at++;
    if (at < event->extras && event->extra[at].reg == r.reg) {
        event->extra[at].value |= r.value;
        event->extra[at].mask |= r.mask;
        return;
    }
    if (event->extras == BX_EXTRAS)
        return;
    for (unsigned i = event->extras++; i > at; i--)
        event->extra[i] = event->extra[i - 1];
    event->extra[at] = r;
}

void bx_event_move_extras(const struct bx_catalog *c, bx_evsel *event)
{
    uint16_t reference = bx_event_reference_place(c, event);
    if (reference == BX_NONE)
        return;
    /* Modifiers are described in the slot's first place. */
    const bx_cat_place *to = place_at(c, reference);
    const bx_cat_place *from = place_at(c, bx_cat_slots(c)[to->slot].places.first);
    bx_evsel before = *event;
    event->extras = 0;
    for (unsigned i = 0; i < before.extras; i++)
        add_extra(event, moved(before.extra[i], from, to));
    uint32_t code = event->event == BX_RAW ? 0 : event->code;
    if (to->has)
        add_extra(event, (bx_regvalue){to->reg[0], (uint64_t)(code | event->umask) << to->lo,
                                       choice_mask(to)});
}

bx_regvalue bx_event_other_condition(const struct bx_catalog *c, const bx_cat_counter *on)
{
    const bx_cat_cond *cond = &bx_cat_conds(c)[on->other_condition];
    return (bx_regvalue){cond->reg, bx_condition_bits(c, cond),
                         bx_cat_field_mask(&bx_cat_fields(c)[cond->field])};
}

size_t bx_event_registers_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *on, uint16_t place, bx_regvalue *to)
{
    if (on->control == BX_NONE)
        return 0;
    size_t n = 1;
    uint16_t reference = bx_event_reference_place(c, event);
    to[0] = (bx_regvalue){on->control, bx_event_control_at(c, event, on, place), UINT64_MAX};
    for (unsigned i = 0; i < event->extras; i++)
        to[n++] = place == reference || place == BX_NONE || reference == BX_NONE
                      ? event->extra[i]
                      : moved(event->extra[i], place_at(c, reference), place_at(c, place));
    if (on->other_condition != BX_NONE && n <= BX_EXTRAS)
        to[n++] = bx_event_other_condition(c, on);
    return n;
}
