/* Finds what a counter selects: code, unit mask, port, filters. */
#include "vpmu/internal.h"

static const bx_cat_pmu *pmu_of(const struct bx_catalog *c, const bx_cat_counter *counter)
{
    return &bx_cat_pmus(c)[counter->pmu];
}

static bool is_fixed(const bx_cat_counter *counter)
{
    return counter->flags & BX_COUNTER_FIXED;
}

/* ---- places ---- */

/* The sub-register (place) that the control register selects; NULL: none. */
static const bx_cat_place *control_place(const struct bx_catalog *c, const bx_cat_pmu *p,
                                         uint64_t control)
{
    for (unsigned s = 0; s < p->slots.n; s++) {
        bx_span places = bx_cat_slots(c)[p->slots.first + s].places;
        for (unsigned i = 0; i < places.n; i++) {
            const bx_cat_place *place = &bx_cat_places(c)[places.first + i];
            if ((control & place->control_mask) == place->control)
                return place;
        }
    }
    return NULL;
}

/* The bits of the control register, other than code and unit mask, that any place uses. While they
 * are 0, a plain code is selected. */
static uint64_t switches(const struct bx_catalog *c, const bx_cat_pmu *p)
{
    uint64_t common = p->slots.n ? ~UINT64_C(0) : 0;
    for (unsigned s = 0; s < p->slots.n; s++) {
        bx_span places = bx_cat_slots(c)[p->slots.first + s].places;
        for (unsigned i = 0; i < places.n; i++)
            common &= bx_cat_places(c)[places.first + i].control_mask;
    }
    if (p->select_event != BX_NONE)
        common &= ~bx_cat_field_mask(&bx_cat_fields(c)[p->select_event]);
    if (p->select_umask != BX_NONE)
        common &= ~bx_cat_field_mask(&bx_cat_fields(c)[p->select_umask]);
    return common;
}

/* The register of a place that corresponds to `reg` of the slot's first place. The catalogue
 * describes modifiers in the first place. */
static uint16_t register_in(const struct bx_catalog *c, const bx_cat_place *place, uint16_t reg)
{
    if (!place)
        return reg;
    const bx_cat_place *first = &bx_cat_places(c)[bx_cat_slots(c)[place->slot].places.first];
    for (unsigned k = 0; k < BX_PLACE_REGS; k++)
        if (first->reg[k] == reg && reg != BX_NONE)
            return place->reg[k];
    return reg;
}

/* ---- the event, which determines filters, accumulator and tally ---- */

static unsigned bits_of(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

/* The event of the slot that a unit mask can mean; of several, the one whose code has the most
 * bits. */
static uint16_t event_in(const struct bx_catalog *c, const bx_cat_pmu *p, const bx_cat_place *place,
                         uint32_t umask)
{
    const bx_cat_event *events = bx_cat_events(c);
    uint16_t best = BX_NONE;
    for (uint16_t i = p->events.first; i < p->events.first + p->events.n; i++) {
        const bx_cat_event *e = &events[i];
        if (e->slot != place->slot || (umask & e->code) != e->code ||
            (e->place != BX_ANY_PLACE && e->place != place->index))
            continue;
        if (best == BX_NONE || bits_of(e->code) > bits_of(events[best].code))
            best = i;
    }
    return best;
}

/* Whether a place's slot has no events: its control code exists, but no table describes it. */
static bool is_unassigned(const struct bx_catalog *c, const bx_cat_pmu *p,
                          const bx_cat_place *place)
{
    for (uint16_t i = p->events.first; i < p->events.first + p->events.n; i++)
        if (bx_cat_events(c)[i].slot == place->slot)
            return false;
    return true;
}

/* ---- the selection by registers ---- */

static uint64_t field(const struct bx_catalog *c, uint16_t which, uint64_t value)
{
    return bx_field_of(&bx_cat_fields(c)[which], value);
}

static void select_nothing(bx_selection *to)
{
    to->code = BX_NONE;
    to->umask = 0;
    to->port = 0;
}

/* Selects a plain code. A code that the documents have only for other counters counts nothing on
 * this one. Codes that they do not have at all exist: the command `signal` reaches them. No
 * document says what hardware does. */
static void choose_code(const struct bx_catalog *c, const bx_cat_counter *counter, uint64_t control,
                        bx_selection *to)
{
    const bx_cat_pmu *p = pmu_of(c, counter);
    if (control & switches(c, p)) {
        select_nothing(to);
        return;
    }
    if (p->select_event != BX_NONE)
        to->code = (uint16_t)field(c, p->select_event, control);
    if (p->select_umask != BX_NONE)
        to->umask = (uint32_t)field(c, p->select_umask, control);
    if (!(bx_cat_counters_of_code(c, counter->pmu, to->code) >> counter->index & 1))
        select_nothing(to);
}

static void choose_place(const bx_cat_place *place, const bx_vreg_reader *registers,
                         bx_selection *to)
{
    to->code = place->code;
    to->port = place->port;
    to->umask = 0;
    if (place->has)
        to->umask = (uint32_t)bx_bits_get(registers->get(registers->of, place->reg[0]), place->lo,
                                          place->hi);
}

static uint16_t choose(const struct bx_catalog *c, const bx_cat_counter *counter,
                       const bx_cat_place *place, uint64_t control, const bx_vreg_reader *registers,
                       bx_selection *to)
{
    const bx_cat_pmu *p = pmu_of(c, counter);
    to->port = 0;
    if (!place) {
        choose_code(c, counter, control, to);
        return bx_cat_event_by_code_on(c, counter->pmu, to->code, UINT32_C(1) << counter->index);
    }
    if (is_unassigned(c, p, place)) {
        select_nothing(to);
        return BX_NONE;
    }
    choose_place(place, registers, to);
    return event_in(c, p, place, to->umask);
}

/* Whether the place's registers contain what the event needs there. They do not if the pattern is
 * unused, or if its packets are not described (323535-001 p97). */
static bool is_set_up(const struct bx_catalog *c, uint16_t event, const bx_cat_place *place,
                      const bx_vreg_reader *registers)
{
    bx_span sets = event == BX_NONE || !place ? (bx_span){0} : bx_cat_events(c)[event].sets;
    for (unsigned i = 0; i < sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[sets.first + i];
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[set->modifier];
        if (m->reg != BX_NONE &&
            field(c, m->field, registers->get(registers->of, register_in(c, place, m->reg))) !=
                set->value)
            return false;
    }
    return true;
}

/* Whether a modifier that matters has a value that no model distinguishes. */
static bool is_unmodelled(const struct bx_catalog *c, const bx_cat_pmu *p, bx_vfilters filters,
                          uint64_t control, const bx_selection *sel)
{
    for (unsigned i = 0; i < p->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[p->modifiers.first + i];
        uint64_t value = m->reg == BX_NONE ? control & m->mask : m->preset << m->at;
        for (unsigned k = 0; k < filters.n; k++)
            if (filters.reg[k] == m->reg && sel->applies[k] & m->mask)
                value = sel->filter[k] & m->mask;
        if (m->flags & BX_MODIFIER_UNMODELLED && value != m->preset << m->at)
            return true;
    }
    return false;
}

static uint16_t select_by(const struct bx_catalog *c, const bx_cat_counter *counter,
                          uint64_t control, const bx_vreg_reader *registers, bx_selection *to)
{
    to->counter = counter->index;
    for (unsigned i = 0; i < BX_FILTERS; i++)
        to->filter[i] = to->applies[i] = 0;
    const bx_cat_place *place = control_place(c, pmu_of(c, counter), control);
    uint16_t event = choose(c, counter, place, control, registers, to);
    if (!is_set_up(c, event, place, registers)) {
        select_nothing(to);
        event = BX_NONE;
    }
    bx_vfilters filters = bx_vpmu_filters_of(c, counter->pmu);
    uint64_t value[BX_FILTERS];
    for (unsigned i = 0; i < filters.n; i++)
        value[i] = to->filter[i] =
            registers->get(registers->of, register_in(c, place, filters.reg[i]));
    if (filters.n)
        bx_vpmu_applies(c, counter->pmu, event, control, to->umask, value, to->applies);
    to->unmodelled = is_unmodelled(c, pmu_of(c, counter), filters, control, to);
    return event;
}

uint16_t bx_vpmu_select(const struct bx_catalog *c, const bx_cat_counter *counter,
                        const bx_vreg_reader *registers, bx_selection *to)
{
    to->counter = counter->index;
    if (is_fixed(counter) || counter->control == BX_NONE)
        return BX_NONE; /* the counter keeps its nominal code */
    return select_by(c, counter, registers->get(registers->of, counter->control), registers, to);
}

void bx_vpmu_select_flag(const struct bx_catalog *c, const bx_cat_counter *counter,
                         const bx_vreg_reader *registers, bx_selection *to)
{
    uint64_t control = registers->get(registers->of, counter->control);
    select_by(c, counter, control | switches(c, pmu_of(c, counter)), registers, to);
}
