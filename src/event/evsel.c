/* Event selections: the counters that can count them, the modifiers that they take, and the
 * registers that they need. */
#include "event/event.h"

#include "base/bits.h"
#include "event/foreign_names.h"

#include <stdlib.h>
#include <string.h>

const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index)
{
    bx_span counters = bx_cat_pmus(c)[pmu].counters; /* in the order of their indices, from 0 */
    return index < counters.n ? &bx_cat_counters(c)[counters.first + index] : NULL;
}

/* The counters for a raw code: all that can count any event. */
static uint32_t free_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_span counters = bx_cat_pmus(c)[event->pmu].counters;
    uint32_t can = 0;
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (!bx_counts_one(counter))
            can |= UINT32_C(1) << counter->index;
    }
    return can;
}

/* Whether the selection has the unit mask's bits and what it sets. */
static bool has_umask(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_umask *u)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    bool has = !(u->value & ~event->umask);
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[u->sets.first + i];
        has &= event->modifier[set->modifier - first] == set->value;
    }
    return has;
}

/* The counters for the selection's unit mask. If several unit masks match, the one with the most
 * settings is used: INST_RETIRED.TOTAL_CYCLES_PS is PREC_DIST with a threshold. */
static uint32_t counters_of_umask(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_span span = bx_cat_events(c)[event->event].umasks;
    uint32_t counters = 0;
    unsigned most = 0;
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[span.first + i];
        if (u->value && u->sets.n >= most && has_umask(c, event, u)) {
            counters = u->sets.n > most || !counters ? u->counters
                       : u->counters                 ? counters & u->counters
                                                     : counters;
            most = u->sets.n;
        }
    }
    return counters;
}

uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    if (event->event == BX_RAW)
        return free_counters(c, event);
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    uint32_t some = of->flags & BX_EVENT_COUNTERS ? counters_of_umask(c, event) : 0;
    return some ? some : of->counters;
}

unsigned bx_modifier_level(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned local)
{
    uint16_t field = bx_cat_modifiers(c)[pmu->modifiers.first + local].field;
    for (unsigned i = 0; pmu->levels >> local & 1 && i < pmu->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + i];
        if (counter->user == field || counter->os == field)
            return counter->user == field ? BX_LEVEL_USER : BX_LEVEL_OS;
    }
    return 0;
}

unsigned bx_event_levels(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    unsigned levels = 0;
    for (uint32_t left = pmu->levels & bx_event_used(event, pmu->modifiers.n); left;
         left &= left - 1)
        levels |= bx_modifier_level(c, pmu, bx_lowest_bit(left));
    return pmu->levels ? levels : BX_LEVELS;
}

int bx_event_lacks(const bx_cat_event *of, uint32_t umask)
{
    for (int i = 0; i < BX_EACH; i++)
        if (of->each[i] && !(of->each[i] & umask))
            return i;
    return -1;
}

const char *bx_event_lacking(const struct bx_catalog *c, const bx_cat_event *of,
                             const bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    int lacks = bx_event_lacks(of, event->umask);
    if (lacks >= 0)
        return bx_cat_z(c, of->each_name[lacks]);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        bool filters = m->flags & BX_MODIFIER_BITS && m->reg != BX_NONE && !m->lo;
        if (filters && of->minds >> i & 1 && !event->modifier[i])
            return bx_cat_z(c, m->name);
    }
    return NULL;
}

bool bx_event_sets_hold(const struct bx_catalog *c, const bx_cat_event *of, const bx_evsel *event)
{
    for (unsigned i = 0; i < of->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[of->sets.first + i];
        unsigned local = set->modifier - bx_cat_pmus(c)[event->pmu].modifiers.first;
        if (event->given >> local & 1 && event->modifier[local] != set->value)
            return false;
    }
    return true;
}

uint16_t bx_event_of_code(const struct bx_catalog *c, const bx_evsel *event, uint32_t counters,
                          uint32_t modifiers)
{
    uint16_t found = bx_cat_event_by_code_on(c, event->pmu, event->code, counters);
    bool elsewhere = found == BX_NONE;
    if (elsewhere)
        found = bx_cat_event_by_code(c, event->pmu, event->code);
    if (found == BX_NONE || (elsewhere && bx_codes_differ(c, event->pmu)))
        return BX_RAW;
    const bx_cat_event *of = &bx_cat_events(c)[found];
    bool fixed = !(of->counters & free_counters(c, event)); /* its code is in no register */
    return fixed || modifiers & ~of->modifiers || !bx_event_sets_hold(c, of, event) ? BX_RAW
                                                                                    : found;
}

bool bx_modifier_sets_hold(const struct bx_catalog *c, const bx_cat_modifier *m,
                           const bx_evsel *event)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first + i];
        if (event->modifier[set->modifier - first] != set->value)
            return false;
    }
    return true;
}

uint32_t bx_event_fixes(const struct bx_catalog *c, const bx_cat_event *event)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < event->sets.n; i++)
        mask |= UINT32_C(1) << (bx_cat_sets(c)[event->sets.first + i].modifier -
                                bx_cat_pmus(c)[event->pmu].modifiers.first);
    return mask;
}

uint32_t bx_code_fixes(const struct bx_catalog *c, const bx_evsel *raw)
{
    uint16_t reference = bx_event_reference_place(c, raw);
    uint16_t event = bx_cat_event_by_code(c, raw->pmu, raw->code);
    if (reference == BX_NONE)
        return event == BX_NONE ? 0 : bx_event_fixes(c, &bx_cat_events(c)[event]);
    bx_span all = bx_cat_pmus(c)[raw->pmu].events;
    uint32_t mask = 0;
    for (unsigned i = 0; i < all.n; i++)
        if (bx_cat_events(c)[all.first + i].slot == bx_cat_places(c)[reference].slot)
            mask |= bx_event_fixes(c, &bx_cat_events(c)[all.first + i]);
    return mask;
}

void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t relevant)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(c)[pmu->modifiers.first];
    unsigned n = 0;
    for (unsigned i = 0; i < BX_SHARED && pmu->shared_in[i]; i++) {
        uint64_t value = 0, mask = 0;
        uint16_t reg = BX_NONE;
        for (uint32_t left = relevant & pmu->shared_in[i]; left; left &= left - 1) {
            const bx_cat_modifier *m = &modifiers[bx_lowest_bit(left)];
            value |= event->modifier[bx_lowest_bit(left)] << m->at;
            mask |= m->mask;
            reg = m->reg;
        }
        if (mask && n < BX_EXTRAS)
            event->extra[n++] = (bx_regvalue){reg, value, mask};
    }
    event->extras = (uint8_t)n;
    if (pmu->slots.n)
        bx_event_move_extras(c, event);
}

/* Whether the unit mask may be in the value. In a group of whole values, its value must equal the
 * group's part of `umask`; otherwise its bits must be set. */
static bool may_be(const bx_cat_umask *all, unsigned n, const bx_cat_umask *u, uint32_t umask)
{
    uint32_t mask = 0;
    bool named = false;
    for (unsigned i = 0; i < n; i++)
        mask |= all[i].group == u->group ? all[i].value : 0;
    for (unsigned i = 0; i < n; i++)
        named |= all[i].group == u->group && all[i].value == (umask & mask);
    return named && mask ? u->value == (umask & mask) : u->value && !(u->value & ~umask);
}

/* Whether the selection has the settings of a name that has no value of its own. */
static bool is_set(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_umask *u)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    bool holds = u->sets.n && !u->value;
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[u->sets.first + i];
        holds &= event->modifier[set->modifier - first] == set->value;
    }
    return holds;
}

uint32_t bx_umask_takes(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    const bx_cat_umask *all = &bx_cat_umasks(c)[of->umasks.first];
    unsigned n = of->umasks.n;
    uint32_t takes = 0;
    for (unsigned i = 0; of->bound && i < n; i++)
        if (is_set(c, event, &all[i]) ||
            (all[i].flags & BX_UMASK_ALONE ? may_be(all, n, &all[i], event->umask)
                                           : all[i].value && !(all[i].value & ~event->umask)))
            takes |= all[i].takes | all[i].needs;
    return takes;
}

uint32_t bx_event_takes(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event->event];
    return of->modifiers & ~(of->bound & ~bx_umask_takes(c, event));
}

uint32_t bx_code_takes(const struct bx_catalog *c, const bx_evsel *raw)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[raw->pmu];
    uint16_t reference = bx_event_reference_place(c, raw);
    if (reference == BX_NONE)
        return pmu->ports ? ~pmu->shared : UINT32_MAX;
    uint16_t slot = bx_cat_places(c)[reference].slot;
    uint32_t takes = ~pmu->shared | bx_cat_slots(c)[slot].modifiers;
    for (unsigned i = 0; i < pmu->events.n; i++)
        if (bx_cat_events(c)[pmu->events.first + i].slot == slot)
            takes |= bx_cat_events(c)[pmu->events.first + i].modifiers;
    return takes;
}

uint32_t bx_event_with_masks(const struct bx_catalog *c, uint16_t pmu, uint32_t modifiers)
{
    uint16_t first = bx_cat_pmus(c)[pmu].modifiers.first;
    uint32_t more = modifiers;
    for (uint32_t left = bx_cat_pmus(c)[pmu].masked; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        uint32_t pair = UINT32_C(1) << i | UINT32_C(1)
                                               << (bx_cat_modifiers(c)[first + i].masked - first);
        more |= modifiers & pair ? pair : 0;
    }
    return more;
}

uint64_t bx_compares_all(const struct bx_catalog *c, const bx_cat_modifier *m)
{
    const bx_cat_modifier *mask = &bx_cat_modifiers(c)[m->masked];
    const bx_cat_field *f = &bx_cat_fields(c)[mask->field];
    return mask->flags & BX_MODIFIER_IGNORES ? 0 : bx_mask_width(f->hi - f->lo + 1u);
}

bool bx_umask_sets(const struct bx_catalog *c, const bx_cat_umask *u, uint16_t modifier)
{
    for (unsigned i = 0; i < u->sets.n; i++)
        if (bx_cat_sets(c)[u->sets.first + i].modifier == modifier)
            return true;
    return false;
}

bool bx_event_names_modifier(const struct bx_catalog *c, const bx_cat_event *event, unsigned local)
{
    uint16_t modifier = (uint16_t)(bx_cat_pmus(c)[event->pmu].modifiers.first + local);
    for (unsigned i = 0; i < event->umasks.n; i++)
        if (bx_umask_sets(c, &bx_cat_umasks(c)[event->umasks.first + i], modifier))
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

uint32_t bx_event_unusual(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_modifier *all = &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first];
    uint32_t unusual = 0;
    for (uint32_t left = event->given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        unusual |= (uint32_t)(event->modifier[i] != all[i].preset) << i;
    }
    return unusual;
}

/* Whether the selection is counted on all units. If there is only one, its number makes no
 * difference. */
static bool is_everywhere(const struct bx_catalog *c, const bx_evsel *event)
{
    return (event->unit == BX_ANY || bx_cat_pmus(c)[event->pmu].unit_max <= 1) &&
           event->package == BX_ANY && event->port == BX_ANY && event->place == BX_ANY;
}

bool bx_event_is_operand(const struct bx_catalog *c, const bx_evsel *event,
                         const bx_cat_operand *operand)
{
    if (event->pmu == BX_KERNEL || event->event != operand->event ||
        event->umask != operand->umask || !is_everywhere(c, event))
        return false;
    uint32_t unusual = bx_event_unusual(c, event);
    for (unsigned i = 0; i < operand->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[operand->sets.first + i];
        unsigned local = set->modifier - bx_cat_pmus(c)[event->pmu].modifiers.first;
        if (event->modifier[local] != set->value)
            return false;
        unusual &= ~(UINT32_C(1) << local);
    }
    return !unusual;
}

/* Whether a unit or package number of `part` is within that of `whole`: a number restricts it. */
static bool is_within(int16_t whole, int16_t part)
{
    return whole == BX_ANY || whole == part;
}

bool bx_event_is_part(const struct bx_catalog *c, const bx_evsel *whole, const bx_evsel *part)
{
    bool single = whole->pmu != BX_KERNEL && bx_cat_pmus(c)[whole->pmu].unit_max <= 1;
    return whole->pmu == part->pmu && whole->event == part->event && whole->code == part->code &&
           whole->umask == part->umask && (single || is_within(whole->unit, part->unit)) &&
           is_within(whole->package, part->package) && is_within(whole->port, part->port) &&
           is_within(part->counter, whole->counter) && is_within(part->place, whole->place) &&
           memcmp(whole->modifier, part->modifier, sizeof whole->modifier) == 0;
}

/* The named counter, or else the lowest that can count the event. */
static inline const bx_cat_counter *lowest(const struct bx_catalog *c, const bx_evsel *event)
{
    unsigned index = event->counter != BX_ANY ? (unsigned)event->counter
                                              : bx_lowest_bit(bx_event_counters(c, event));
    return &bx_cat_counters(c)[bx_cat_pmus(c)[event->pmu].counters.first + index];
}

int bx_event_lowest_counter(const bx_catalog *c, const bx_evsel *event)
{
    if (!bx_event_is_valid(c, event))
        return -1;
    const bx_cat_counter *counter = lowest(c, event);
    return bx_counts_one(counter) ? -1 : counter->index;
}

/* The counter with this number and its control register. A fixed counter's event can be on no
 * other. */
static const bx_cat_counter *counter_numbered(const struct bx_catalog *c, const bx_evsel *event,
                                              unsigned counter, uint64_t *control)
{
    const bx_cat_counter *on = lowest(c, event);
    if (bx_counts_one(on) || (counter == on->index && event->counter == BX_ANY))
        return on;
    on = bx_pmu_counter(c, event->pmu, counter);
    if (on)
        *control = bx_event_control(c, event, on);
    return on;
}

size_t bx_event_registers(const bx_catalog *c, const bx_evsel *event, unsigned counter,
                          bx_regvalue *to)
{
    if (!bx_event_is_valid(c, event))
        return 0;
    uint64_t control = event->control; /* the value for the lowest counter */
    const bx_cat_counter *on =
        counter == BX_LOWEST ? lowest(c, event) : counter_numbered(c, event, counter, &control);
    if (!on || on->control == BX_NONE)
        return 0;
    size_t n = 1;
    to[0] = (bx_regvalue){on->control, control, UINT64_MAX};
    for (unsigned i = 0; i < event->extras; i++)
        to[n++] = event->extra[i];
    if (on->other_condition != BX_NONE && n <= BX_EXTRAS)
        to[n++] = bx_event_other_condition(c, on);
    return n;
}

char *bx_event_text(const struct bx_catalog *c, const bx_evsel *event, bx_event_format_call *format)
{
    size_t n = format(c, event, NULL, 0);
    char *text = malloc(n + 1);

    if (text)
        *text = '\0';
    if (text && n)
        format(c, event, text, n + 1);
    return text;
}
