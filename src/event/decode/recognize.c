/* Recognises the event in register values. */
#include "event/decode/recognize.h"

#include "base/bits.h"
#include "event/format/spell.h"

static uint64_t get(const struct bx_catalog *c, uint16_t field, uint64_t value)
{
    return field == BX_NONE ? 0 : bx_field_of(&bx_cat_fields(c)[field], value);
}

/* The value of a unit's shared register; false if it was not read. */
static bool value_of(const bx_register_values *r, uint16_t reg, unsigned unit, uint64_t *value)
{
    for (size_t i = 0; i < r->n; i++)
        if (bx_register_is_raw(r->c, reg, unit, &r->raw[i])) {
            *value = r->raw[i].value;
            return true;
        }
    return false;
}

static void set_modifier(const struct bx_catalog *c, bx_evsel *event, unsigned local,
                         uint64_t value)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    event->modifier[local] = get(c, bx_cat_modifiers(c)[first + local].field, value);
    event->given |= UINT32_C(1) << local;
}

/* ---- relevant modifiers ---- */

/* Whether naming the modifier sets another one in a shared register that turns it on. */
static bool turns_on(const struct bx_catalog *c, const bx_cat_modifier *m)
{
    return m->sets.n && bx_cat_modifiers(c)[bx_cat_sets(c)[m->sets.first].modifier].reg != BX_NONE;
}

/* The modifiers (mask) of shared registers that may matter to the event: those that it takes, if
 * the control register turns them on or they need no enable. *always: of these, those that matter
 * even at their default. Other contents of a shared register belong to another counter. A raw code
 * has all modifiers that it takes. */
static uint32_t relevant_modifiers(const struct bx_catalog *c, const bx_evsel *event,
                                   uint32_t *always)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_event *of = event->event == BX_RAW ? NULL : &bx_cat_events(c)[event->event];
    uint32_t may = of ? of->modifiers & ~of->bound & pmu->shared : bx_code_takes(c, event);
    uint32_t relevant = 0, enabled = 0; /* filters that the control register turns on */
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (m->flags & BX_MODIFIER_HIDDEN && event->modifier[i])
            enabled |= m->partners;
        if (!m->sets.n || turns_on(c, m))
            relevant |= UINT32_C(1) << i;
    }
    if (!of) {
        *always = bx_code_fixes(c, event);
        return ((relevant | *always) & may) | enabled;
    }
    *always = bx_event_with_masks(
        c, event->pmu, bx_umask_takes(c, event) | of->minds | bx_event_fixes(c, of) | enabled);
    return bx_event_with_masks(c, event->pmu, (relevant & may) | *always);
}

/* The register of a modifier when the event borrows this place. The catalogue describes modifiers
 * in the first place of the slot. */
static uint16_t register_of(const struct bx_catalog *c, const bx_cat_modifier *m, uint16_t place)
{
    if (place == BX_NONE)
        return m->reg;
    const bx_cat_place *to = &bx_cat_places(c)[place];
    const bx_cat_place *from = &bx_cat_places(c)[bx_cat_slots(c)[to->slot].places.first];
    for (unsigned i = 0; i < BX_PLACE_REGS; i++)
        if (from->reg[i] != BX_NONE && from->reg[i] == m->reg)
            return to->reg[i];
    return m->reg;
}

/* Reads the modifiers that names of unit masks set: they distinguish the names. */
static void read_names(const bx_register_values *r, uint16_t place, bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    const bx_cat_modifier *all = &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first];
    for (uint32_t left = of->modifiers & ~of->bound; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        uint64_t value;
        if (all[i].flags & BX_MODIFIER_HIDDEN && all[i].reg != BX_NONE &&
            bx_event_names_modifier(c, of, i) &&
            value_of(r, register_of(c, &all[i], place), (unsigned)event->unit, &value))
            set_modifier(c, event, i, value);
    }
}

static void forget(const bx_cat_modifier *all, unsigned local, bx_evsel *event)
{
    event->modifier[local] = all[local].preset;
    event->given &= ~(UINT32_C(1) << local);
}

/* Drops patterns and filters that are not turned on: an earlier event may have left them. If such a
 * modifier was read and is turned on, it belongs to the event with any value. Returns the modifiers
 * that remain. */
static uint32_t forget_unused(const struct bx_catalog *c, uint32_t read, uint32_t seen,
                              bx_evsel *event)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    const bx_cat_modifier *all = &bx_cat_modifiers(c)[first];
    uint32_t left = read;
    for (unsigned i = 0; i < bx_cat_pmus(c)[event->pmu].modifiers.n; i++) {
        if (!turns_on(c, &all[i]))
            continue;
        if (bx_modifier_sets_hold(c, &all[i], event)) {
            left |= seen & UINT32_C(1) << i;
            continue;
        }
        forget(all, i, event);
        left &= ~(UINT32_C(1) << i);
        if (all[i].masked == BX_NONE)
            continue;
        forget(all, (unsigned)(all[i].masked - first), event);
        left &= ~(UINT32_C(1) << (all[i].masked - first));
    }
    return bx_event_with_masks(c, event->pmu, left);
}

/* Reads the modifiers of shared registers that matter, among those in `takes`. Returns those that
 * belong to the event. */
static uint32_t read_shared(const bx_register_values *r, uint16_t place, uint32_t takes,
                            bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_cat_modifier *all = &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first];
    uint32_t read = 0, seen = 0, always;
    if (event->event != BX_RAW)
        read_names(r, place, event);
    for (uint32_t left = relevant_modifiers(c, event, &always) & takes; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        uint64_t value;
        if (all[i].reg == BX_NONE ||
            !value_of(r, register_of(c, &all[i], place), (unsigned)event->unit, &value))
            continue;
        set_modifier(c, event, i, value);
        seen |= UINT32_C(1) << i;
        bool own = event->event == BX_RAW && all[i].sets.n; /* a raw code may use it as a filter */
        if (own || always >> i & 1 || event->modifier[i] != all[i].preset)
            read |= UINT32_C(1) << i;
    }
    return forget_unused(c, bx_event_with_masks(c, event->pmu, read), seen, event);
}

/* ---- the event ---- */

/* Whether names express the whole selection. *implied: the modifiers of those names. */
static bool is_spelled(const struct bx_catalog *c, const bx_evsel *event, uint32_t *implied)
{
    *implied = 0;
    if (!bx_cat_events(c)[event->event].umasks.n)
        return !event->umask;
    bx_spelling s = bx_event_spell(c, event);
    *implied = s.implied;
    return !s.number;
}

/* Makes the selection one of an event of the slot. false: the event does not have this choice in
 * this place. */
static bool as_event(const struct bx_catalog *c, const bx_evsel *raw, uint16_t place,
                     uint16_t event, bx_evsel *to)
{
    const bx_cat_place *p = &bx_cat_places(c)[place];
    const bx_cat_event *of = &bx_cat_events(c)[event];
    bool there = of->place == BX_ANY_PLACE || of->place == p->index;
    if (of->slot != p->slot || !there || (raw->umask & of->code) != of->code)
        return false;
    *to = *raw;
    to->event = event;
    to->code = of->code;
    to->umask = raw->umask & ~of->code;
    uint32_t shared = bx_cat_pmus(c)[raw->pmu].shared;
    return !(bx_event_unusual(c, raw) & ~shared & ~of->modifiers);
}

/* The better of two events with names for a choice: the one that exists only in this place, because
 * its name implies the place. */
static uint16_t better(const struct bx_catalog *c, uint16_t a, uint16_t b)
{
    return a == BX_RAW || (bx_cat_events(c)[a].place == BX_ANY_PLACE &&
                           bx_cat_events(c)[b].place != BX_ANY_PLACE)
               ? b
               : a;
}

/* Sets modifiers to their presets. They belong to other unit masks, and must not hide the event. */
static void leave_out(const struct bx_catalog *c, uint32_t modifiers, bx_evsel *event)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    for (uint32_t left = modifiers; left; left &= left - 1)
        event->modifier[bx_lowest_bit(left)] =
            bx_cat_modifiers(c)[first + bx_lowest_bit(left)].preset;
}

uint16_t bx_event_of_choice(const struct bx_catalog *c, const bx_evsel *raw, uint16_t place)
{
    bx_span events = bx_cat_pmus(c)[raw->pmu].events;
    uint16_t found = BX_RAW;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        bx_evsel one;
        uint32_t implied;
        if (!as_event(c, raw, place, i, &one))
            continue;
        leave_out(c, bx_cat_events(c)[i].bound & ~bx_umask_takes(c, &one), &one);
        if (bx_event_sets_hold(c, &bx_cat_events(c)[i], &one) && is_spelled(c, &one, &implied))
            found = better(c, found, i);
    }
    return found;
}

uint16_t bx_event_meant(const struct bx_catalog *c, const bx_evsel *raw)
{
    bx_evsel plain = *raw;
    plain.given = 0;
    leave_out(c, (uint32_t)bx_mask_width(bx_cat_pmus(c)[raw->pmu].modifiers.n), &plain);
    uint16_t reference = bx_event_reference_place(c, raw);
    uint32_t counters = raw->counter == BX_ANY ? UINT32_MAX : UINT32_C(1) << raw->counter;
    return reference == BX_NONE ? bx_event_of_code(c, &plain, counters, 0)
                                : bx_event_of_choice(c, &plain, reference);
}

/* The modifiers (mask) that only names of the event set, if all of them are at their preset: they
 * then need not be printed. */
static uint32_t says_nothing(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    uint32_t named = 0;
    for (uint32_t left = of->modifiers & ~of->bound; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        const bx_cat_modifier *m =
            &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first + i];
        if (m->flags & BX_MODIFIER_HIDDEN && m->reg != BX_NONE && bx_event_names_modifier(c, of, i))
            named |= UINT32_C(1) << i;
    }
    return named & bx_event_unusual(c, event) ? 0 : named & ~of->minds;
}

/* Whether the event is the only one of a core's slot (off-core response), and nothing is chosen.
 * Then it is meant, though a choice of 0 has no name. */
static bool is_alone(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_span events = bx_cat_pmus(c)[event->pmu].events;
    bool of_core = bx_cat_pmus(c)[event->pmu].scope == BX_SCOPE_CORE;
    unsigned n = event->umask || !of_core ? 2 : 0;
    for (uint16_t i = events.first; i < events.first + events.n; i++)
        n += bx_cat_events(c)[i].slot == bx_cat_events(c)[event->event].slot;
    return n == 1;
}

/* Chooses the event for register values. Modifiers are read as far as they matter to that event. */
static void choose_event(const bx_register_values *r, uint16_t place, bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_evsel raw = *event;
    bx_span events = bx_cat_pmus(c)[raw.pmu].events;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        bx_evsel one;
        if (!as_event(c, &raw, place, i, &one))
            continue;
        uint32_t read = read_shared(r, place, UINT32_MAX, &one), implied;
        uint32_t nothing = says_nothing(c, &one); /* a plain name is better */
        one.given &= ~nothing;
        read &= ~nothing;
        if (!bx_event_sets_hold(c, &bx_cat_events(c)[i], &one) ||
            (!is_spelled(c, &one, &implied) && !is_alone(c, &one)))
            continue;
        bx_event_extras(c, &one, read | implied);
        if (better(c, event->event, i) == i)
            *event = one;
    }
}

/* The place to print: none if it is the first of its port or the event's name implies it. */
static int16_t place_to_print(const struct bx_catalog *c, const bx_evsel *event, uint16_t place)
{
    bx_evsel free = *event;
    free.place = BX_ANY;
    return bx_event_reference_place(c, &free) == place ? BX_ANY : bx_cat_places(c)[place].index;
}

/* Reads the choice in the place's register. */
static void read_choice(const bx_register_values *r, uint16_t place, bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_cat_place *p = &bx_cat_places(c)[place];
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint64_t contents = 0;
    if (p->has && value_of(r, p->reg[0], (unsigned)event->unit, &contents))
        contents = bx_bits_get(contents, p->lo, p->hi);
    event->code = p->code;
    event->umask = (uint32_t)contents;
    event->port = pmu->ports ? (int16_t)(event->unit * pmu->ports + p->port) : BX_ANY;
    event->place = p->index;
}

/* Reads the control register. Returns the place that it selects, or BX_NONE. */
static uint16_t read_control(const bx_register_values *r, uint64_t control, bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    event->event = BX_RAW;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (m->reg == BX_NONE)
            set_modifier(c, event, i, control);
        else
            event->modifier[i] = m->preset;
    }
    uint16_t place = bx_place_selected(c, pmu, control);
    if (place != BX_NONE) {
        read_choice(r, place, event);
        return place;
    }
    event->code = (uint32_t)get(c, pmu->select_event, control);
    event->umask = (uint32_t)get(c, pmu->select_umask, control);
    return BX_NONE;
}

static void name_code(const bx_register_values *r, bx_evsel *event)
{
    const struct bx_catalog *c = r->c;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint32_t counters = event->counter == BX_ANY ? UINT32_MAX : UINT32_C(1) << event->counter;
    uint32_t unusual = bx_event_unusual(c, event), implied = 0;
    uint16_t named = bx_event_of_code(c, event, counters, unusual & ~pmu->shared);
    if (named == BX_RAW)
        return;
    event->event = named;
    uint32_t read = read_shared(r, BX_NONE, UINT32_MAX, event);
    if (!bx_event_sets_hold(c, &bx_cat_events(c)[named], event))
        event->event = BX_RAW;
    else
        is_spelled(c, event, &implied);
    bx_event_extras(c, event, read | implied);
}

bool bx_recognize(const bx_register_values *r, uint64_t control, bx_evsel *event)
{
    uint16_t place = read_control(r, control, event);
    if (place == BX_NONE)
        name_code(r, event);
    else
        choose_event(r, place, event);
    event->place = place == BX_NONE ? BX_ANY : place_to_print(r->c, event, place);
    return event->event != BX_RAW;
}

void bx_recognize_code(const bx_register_values *r, uint64_t control, uint32_t takes,
                       bx_evsel *event)
{
    uint16_t place = read_control(r, control, event);
    bx_event_extras(r->c, event, read_shared(r, place, takes, event));
    if (place != BX_NONE)
        event->place = place_to_print(r->c, event, place);
}

const char *bx_event_nothing(const struct bx_catalog *c, const bx_evsel *event)
{
    uint16_t of = event->event == BX_RAW ? bx_event_meant(c, event) : event->event;
    return of == BX_RAW ? NULL : bx_event_lacking(c, &bx_cat_events(c)[of], event);
}
