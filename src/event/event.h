/* Event selections and the registers that hold them: what the floors above need beside boxscore.h.
 */
#ifndef BX_EVENT_EVENT_H
#define BX_EVENT_EVENT_H

#include "catalog/catalog.h"

/* bx_evsel.event of a code that no event of the catalogue has. */
#define BX_RAW BX_NONE

/* Reads one event of a list; spans of its errors count from the start of `part`. */
typedef int bx_event_reader(void *context, bx_str part, bx_evsel *event, bx_error *e);

/* bx_events_parse() with another reader of what is between the commas, which is asked twice for
 * each: first without anybody keeping the answer. */
int bx_events_read(bx_event_reader *read, void *context, const char *text, bx_evsel *events,
                   size_t room, size_t *n, bx_error *e);

/* The counters (mask of their indices) that can count the event; without regard to one it names. */
uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event);

static inline unsigned bx_lowest_bit(uint32_t mask) /* 0 of none */
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

static inline unsigned bx_lowest_bit64(uint64_t mask) /* 0 of none */
{
    return mask ? (unsigned)__builtin_ctzll(mask) : 0;
}

/* Whether the counter is a fixed or a free-running one. */
static inline bool bx_counts_one(const bx_cat_counter *counter)
{
    return counter->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE);
}

/* A counter of a PMU by its index within the unit; NULL if there is none. */
const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index);

/* The contents of the counter's control register that select the event and enable the counter
 * itself. Overflow reports and interrupts are off. 0 for a free-running counter. */
uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter);

/* ---- places: which of several equal sub-registers of the unit an event borrows ---- */

/* The places on a port (number within the unit; 0 where there are none) that the event may borrow:
 * their number, and the first's catalogue index in *first (BX_NONE of none). They are beside one
 * another. What the selection and its event pin is obeyed; a raw code has the place that it is the
 * code of. 0: the event is in no slot, or takes no place of this port. */
unsigned bx_event_places(const struct bx_catalog *c, const bx_evsel *event, unsigned port,
                         uint16_t *first);

/* The first of them; BX_NONE: the event is in no slot. */
uint16_t bx_event_place(const struct bx_catalog *c, const bx_evsel *event, unsigned port);

/* The place that control and extra[] of the selection are for: the first on the port that it names,
 * or else on the lowest; BX_NONE. */
uint16_t bx_event_reference_place(const struct bx_catalog *c, const bx_evsel *event);

/* The place that a counter's control register selects, the one that says most; BX_NONE. */
uint16_t bx_place_selected(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint64_t control);

/* Like bx_event_registers for one counter and one place (catalogue index; BX_NONE: the event is in
 * no slot): control first, then the shared registers as they are when the event borrows this place.
 * At most 1 + BX_EXTRAS. */
size_t bx_event_registers_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *on, uint16_t place, bx_regvalue *to);

/* The control register alone. */
uint64_t bx_event_control_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *counter, uint16_t place);

/* A condition of the counter (`other_condition`) that lies in another one's control register and is
 * no enable of the box: P6 enables both counters in the first one's. */
bx_regvalue bx_event_other_condition(const struct bx_catalog *c, const bx_cat_counter *on);

/* Moves extra[], which is as in the first place of the slot, to the event's reference place, and
 * adds the choice that it makes there. */
void bx_event_move_extras(const struct bx_catalog *c, bx_evsel *event);

/* Fills in the shared registers (extra[]) that the event needs. `relevant`: mask over the PMU's
 * modifiers whose fields matter to it, whatever their value; those in the control register are
 * passed over. */
void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t relevant);

/* The same of an event that borrows no place. `modifiers`: those of its PMU. Inline: it is part of
 * the fast path. */
static inline void bx_event_fill_extras(const bx_cat_pmu *pmu, const bx_cat_modifier *modifiers,
                                        bx_evsel *event, uint32_t relevant)
{
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
}

/* The modifiers (mask) that a modifier's field is used with: those that set the same. A thread
 * filter compares core and thread as soon as either is given. */
uint32_t bx_modifier_partners(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned local);

/* The modifiers of its event's `bound` that the selection takes: those of its unit masks. */
uint32_t bx_umask_takes(const struct bx_catalog *c, const bx_evsel *event);

/* The modifiers, with those that mask them and those that they mask. */
uint32_t bx_event_with_masks(const struct bx_catalog *c, uint16_t pmu, uint32_t modifiers);

/* The value of the modifier's mask with which all its bits are compared. */
uint64_t bx_compares_all(const struct bx_catalog *c, const bx_cat_modifier *m);

/* Whether a unit mask's name of this event sets the modifier (index within the PMU). */
bool bx_event_names_modifier(const struct bx_catalog *c, const bx_cat_event *event, unsigned local);

/* Whether the modifiers have the values that the event fixes; those that are not given may get
 * them.
 */
bool bx_event_sets_hold(const struct bx_catalog *c, const bx_cat_event *of, const bx_evsel *event);

/* Whether event strings may have a hidden modifier (catalogue index) as a number: one that names of
 * the event set, a part of a filter that another modifier enables, or any filter of a raw code
 * (event NULL). */
bool bx_has_number(const struct bx_catalog *c, const bx_cat_event *event, uint16_t modifier);

/* The modifiers (mask) that are not 0. */
uint32_t bx_event_used(const bx_evsel *event, unsigned modifiers);

/* Those that are not as they are when nobody gives them: presets aside, not 0. */
uint32_t bx_event_unusual(const struct bx_catalog *c, const bx_evsel *event);

/* The event that the selection's code means on one of these counters (mask) together with its
 * modifiers (mask of those that are not as they are when not given), or BX_RAW: none has this code,
 * or the one that has it does not take them. */
uint16_t bx_event_of_code(const struct bx_catalog *c, const bx_evsel *event, uint32_t counters,
                          uint32_t modifiers);

/* Whether what naming the modifier sets is as it sets it: without, its value means nothing. */
bool bx_modifier_sets_hold(const struct bx_catalog *c, const bx_cat_modifier *m,
                           const bx_evsel *event);

/* The modifiers (mask) that the event of a raw selection's code fixes: another value makes it raw.
 */
uint32_t bx_code_fixes(const struct bx_catalog *c, const bx_evsel *raw);

/* The register at an address of a CPU model, and the unit that it belongs to. */
typedef struct bx_unit_register {
    uint16_t reg; /* BX_NONE: the CPU model has none there */
    uint16_t unit;
} bx_unit_register;
bx_unit_register bx_register_at(const struct bx_catalog *c, unsigned cpu, unsigned space,
                                uint64_t address);

/* The bits of a value that a register of this kind cannot hold: reserved ones that are set. */
uint64_t bx_register_invalid_bits(const struct bx_catalog *c, uint16_t reg, uint64_t value);

/* A field's part of its register's value. */
uint64_t bx_field_of(const bx_cat_field *field, uint64_t value);

#endif
