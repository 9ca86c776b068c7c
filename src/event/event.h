/* Event selections and the registers that hold them, for the layers above this one. The public part
 * is in boxscore.h. */
#ifndef BX_EVENT_EVENT_H
#define BX_EVENT_EVENT_H

#include "catalog/catalog.h"
#include "seam/signal.h"

/* The value of bx_evsel.event for a code that is no event of the catalogue. */
#define BX_RAW BX_NONE

/* Whether all numbers of the selection are valid in the catalogue, even if the caller filled it in.
 * The functions below rely on it. A kernel's event (BX_KERNEL) is not in the catalogue. */
bool bx_event_is_valid(const struct bx_catalog *c, const bx_evsel *event);

/* The text that bx_event_format() or bx_event_format_perf() writes. The caller frees it. NULL: out
 * of memory. */
typedef size_t bx_event_format_call(const struct bx_catalog *c, const bx_evsel *event, char *to,
                                    size_t room);
char *bx_event_text(const struct bx_catalog *c, const bx_evsel *event,
                    bx_event_format_call *format);

#define BX_LOWEST UINT_MAX

/* The registers that make `counter` of a unit count the event. BX_LOWEST: the lowest counter that
 * can. The order: the control register, then shared registers, then what another counter's control
 * register must have for this one. Returns their number (0 for a free-running counter), at most 1 +
 * BX_EXTRAS. Enables of the box or the package are not included. The event must be able to use that
 * counter; an event of a fixed counter has no other, whatever `counter` is. 0 also for a kernel's
 * event (BX_KERNEL). */
size_t bx_event_registers(const bx_catalog *c, const bx_evsel *event, unsigned counter,
                          bx_regvalue *to);

/* The lowest counter that can count the event: its index, or -1 for a fixed or free-running one and
 * for a kernel's event. */
int bx_event_lowest_counter(const bx_catalog *c, const bx_evsel *event);

/* The counters (mask of their indices) that can count the event. A named counter is ignored. */
uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event);

static inline unsigned bx_lowest_bit(uint32_t mask) /* 0 if the mask is empty */
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

static inline unsigned bx_lowest_bit64(uint64_t mask) /* 0 if the mask is empty */
{
    return mask ? (unsigned)__builtin_ctzll(mask) : 0;
}

/* Whether the counter is a fixed or a free-running one. */
static inline bool bx_counts_one(const bx_cat_counter *counter)
{
    return counter->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE);
}

/* The privilege levels (BX_LEVEL_*) that the event is counted at. All where the PMU does not
 * distinguish them. */
unsigned bx_event_levels(const struct bx_catalog *c, const bx_evsel *event);

/* The level (BX_LEVEL_*) that a modifier (index within the PMU) selects; 0: it is no level. */
unsigned bx_modifier_level(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned local);

/* A counter of a PMU by its index within the unit; NULL if there is none. */
const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index);

/* The value of the control register that selects the event and enables the counter itself. Overflow
 * interrupts are off. 0 for a free-running counter. */
uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter);

/* ---- places: equal sub-registers of a unit, one of which an event borrows ---- */

/* The places that the event may borrow on a port (number within the unit; 0 without ports). Returns
 * their number; they are adjacent, and *first is the catalogue index of the first (BX_NONE: none).
 * Places that the selection or its event names are respected. A raw code has the place of that
 * code. 0: the event is in no slot, or has no place on this port. */
unsigned bx_event_places(const struct bx_catalog *c, const bx_evsel *event, unsigned port,
                         uint16_t *first);

/* The code of an event (catalogue index) at the signal seam, which selects it in the counter's
 * control register. An event in a slot has that of its first place. */
uint16_t bx_event_signal_code(const struct bx_catalog *c, unsigned event);

/* An event's code as documents have it, and the field of the control register that it goes to
 * (BX_NONE: it goes elsewhere). In a slot, each equal place has a code of its own: `place` is one
 * of the number that bx_event_codes() returns. */
typedef struct bx_event_code {
    uint16_t field;
    uint32_t value;
} bx_event_code;
unsigned bx_event_codes(const struct bx_catalog *c, unsigned event);
bx_event_code bx_event_code_at(const struct bx_catalog *c, unsigned event, unsigned place);

/* The first of those places; BX_NONE: the event is in no slot. */
uint16_t bx_event_place(const struct bx_catalog *c, const bx_evsel *event, unsigned port);

/* The place that control and extra[] of the selection describe: the first on the named port, or
 * else on the lowest. BX_NONE: the event is in no slot. */
uint16_t bx_event_reference_place(const struct bx_catalog *c, const bx_evsel *event);

/* The place that a counter's control register selects: the most specific one. BX_NONE: none. */
uint16_t bx_place_selected(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint64_t control);

/* Like bx_event_registers for one counter and one place (catalogue index; BX_NONE: the event is in
 * no slot). The control register comes first, then the shared registers for this place. At most 1 +
 * BX_EXTRAS. */
size_t bx_event_registers_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *on, uint16_t place, bx_regvalue *to);

/* The value of the control register alone. */
uint64_t bx_event_control_at(const struct bx_catalog *c, const bx_evsel *event,
                             const bx_cat_counter *counter, uint16_t place);

/* A condition of the counter (`other_condition`) in another counter's control register, unless it
 * is an enable of the box. For example, P6 enables both counters in the first counter's control
 * register. */
bx_regvalue bx_event_other_condition(const struct bx_catalog *c, const bx_cat_counter *on);

/* Moves extra[] from the first place of the slot to the event's reference place, and adds the
 * event's choice there. */
void bx_event_move_extras(const struct bx_catalog *c, bx_evsel *event);

/* Fills in the shared registers (extra[]) that the event needs. `relevant` (mask): the PMU's
 * modifiers whose fields matter, whatever their value. Those in the control register are
 * skipped. */
void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t relevant);

/* The kind of bits that the unit mask lacks, so that it selects nothing (index in
 * bx_cat_event.each); -1: none. */
int bx_event_lacks(const bx_cat_event *of, uint32_t umask);

/* What the selection lacks, so that it counts nothing: a kind of bits of its unit mask, or a filter
 * with a bit for each choice of which none is chosen ("state"). NULL: nothing is known to lack. */
const char *bx_event_lacking(const struct bx_catalog *c, const bx_cat_event *of,
                             const bx_evsel *event);

/* The modifiers of the event's `bound` that the selection's unit masks allow. */
uint32_t bx_umask_takes(const struct bx_catalog *c, const bx_evsel *event);

/* The modifiers (mask) that matter to the event with its unit masks. */
uint32_t bx_event_takes(const struct bx_catalog *c, const bx_evsel *event);

/* The modifiers (mask) that may matter to a raw code that no event has. A code in a place has those
 * of its slot; any other code has all. Modifiers in the registers of a port belong to codes that
 * name the port. */
uint32_t bx_code_takes(const struct bx_catalog *c, const bx_evsel *raw);

/* The modifiers (mask), together with their masks and with the modifiers that they mask. */
uint32_t bx_event_with_masks(const struct bx_catalog *c, uint16_t pmu, uint32_t modifiers);

/* The value of the modifier's mask that compares all bits. */
uint64_t bx_compares_all(const struct bx_catalog *c, const bx_cat_modifier *m);

/* Whether the unit mask's name sets the modifier (catalogue index). */
bool bx_umask_sets(const struct bx_catalog *c, const bx_cat_umask *u, uint16_t modifier);

/* Whether a unit mask name of this event sets the modifier (index within the PMU). */
bool bx_event_names_modifier(const struct bx_catalog *c, const bx_cat_event *event, unsigned local);

/* Whether the modifiers have the values that the event fixes. Modifiers not given may still get
 * them. */
bool bx_event_sets_hold(const struct bx_catalog *c, const bx_cat_event *of, const bx_evsel *event);

/* The modifiers (mask) that the event fixes. */
uint32_t bx_event_fixes(const struct bx_catalog *c, const bx_cat_event *event);

/* Whether event strings may give a hidden modifier (catalogue index) as a number. They may if names
 * of the event set it, if it is part of a filter that another modifier enables, or if it is a
 * filter of a raw code (event NULL). */
bool bx_has_number(const struct bx_catalog *c, const bx_cat_event *event, uint16_t modifier);

/* The modifiers (mask) whose value is not 0. */
uint32_t bx_event_used(const bx_evsel *event, unsigned modifiers);

/* The modifiers (mask) whose value differs from the catalogue's preset (0 without a preset).
 * Modifiers that are not given have their preset. */
uint32_t bx_event_unusual(const struct bx_catalog *c, const bx_evsel *event);

/* Whether the counts of `part` are included in those of `whole`: the same event, on the same units
 * or on fewer. If `whole` leaves the counter or the place open, `part` must do so, too. */
bool bx_event_is_part(const struct bx_catalog *c, const bx_evsel *whole, const bx_evsel *part);

/* Whether a reading that was made for the same selection on all units also belongs to this
 * selection. */
static inline bool bx_event_has_reading(const bx_evsel *event, const bx_reading *r)
{
    return (event->unit == BX_ANY || event->unit == r->unit) &&
           (event->package == BX_ANY || event->package == r->package) &&
           (event->port == BX_ANY || event->port == r->port);
}

/* Whether the selection is a metric's operand: this event on any unit, in any spelling. */
bool bx_event_is_operand(const struct bx_catalog *c, const bx_evsel *event,
                         const bx_cat_operand *operand);

/* The event that the selection's code means on one of these counters (mask) with these modifiers
 * (mask; those that are not at their preset). BX_RAW: no event has the code, or the event does not
 * take the modifiers. */
uint16_t bx_event_of_code(const struct bx_catalog *c, const bx_evsel *event, uint32_t counters,
                          uint32_t modifiers);

/* Whether the selection has the settings that naming the modifier makes. If not, the modifier's
 * value has no meaning. */
bool bx_modifier_sets_hold(const struct bx_catalog *c, const bx_cat_modifier *m,
                           const bx_evsel *event);

/* The modifiers (mask) that the event of a raw selection's code fixes. With another value, the
 * selection is raw. */
uint32_t bx_code_fixes(const struct bx_catalog *c, const bx_evsel *raw);

#endif
