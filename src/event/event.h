/* Event selections and the registers that hold them: what the floors above need beside boxscore.h.
 */
#ifndef BX_EVENT_EVENT_H
#define BX_EVENT_EVENT_H

#include "catalog/catalog.h"

/* bx_evsel.event of a code that no event of the catalogue has. */
#define BX_RAW BX_NONE

/* The counters (mask of their indices) that can count the event; without regard to one it names. */
uint32_t bx_event_counters(const struct bx_catalog *c, const bx_evsel *event);

static inline unsigned bx_lowest_bit(uint32_t mask) /* 0 of none */
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

/* A counter of a PMU by its index within the unit; NULL if there is none. */
const bx_cat_counter *bx_pmu_counter(const struct bx_catalog *c, uint16_t pmu, unsigned index);

/* The contents of the counter's control register that select the event and enable the counter
 * itself. Overflow reports and interrupts are off. 0 for a free-running counter. */
uint64_t bx_event_control(const struct bx_catalog *c, const bx_evsel *event,
                          const bx_cat_counter *counter);

/* Fills in the shared registers (extra[]) that the event needs. `cares`: mask over the PMU's
 * modifiers whose fields matter to it, whatever their value; those in the control register are
 * passed over. */
void bx_event_extras(const struct bx_catalog *c, bx_evsel *event, uint32_t cares);

/* The modifiers (mask) that a modifier's field is used with: those that set the same. A thread
 * filter compares core and thread as soon as either is given. */
uint32_t bx_modifier_partners(const struct bx_catalog *c, const bx_cat_pmu *pmu, unsigned local);

/* The modifiers of the event's `bound` that unit masks within this value take. */
uint32_t bx_umask_takes(const struct bx_catalog *c, const bx_cat_event *event, uint32_t umask);

/* Whether a unit mask's name of this event sets the modifier (index within the PMU). */
bool bx_event_names_modifier(const struct bx_catalog *c, const bx_cat_event *event, unsigned local);

/* Whether event strings may have a hidden modifier (catalogue index) as a number: one that names of
 * the event set, a part of a filter that another modifier enables, or any filter of a raw code
 * (event NULL). */
bool bx_has_number(const struct bx_catalog *c, const bx_cat_event *event, uint16_t modifier);

/* The modifiers (mask) that are not 0. */
uint32_t bx_event_used(const bx_evsel *event, unsigned modifiers);

/* The event that a code means together with modifiers (mask of those that are not 0), or BX_RAW:
 * none has this code, or the one that has it does not take them. */
uint16_t bx_event_of_code(const struct bx_catalog *c, uint16_t pmu, uint16_t code,
                          uint32_t modifiers);

/* The register at an address of a CPU model, and the unit that it belongs to. */
typedef struct bx_place {
    uint16_t reg; /* BX_NONE: the CPU model has none there */
    uint16_t unit;
} bx_place;
bx_place bx_register_at(const struct bx_catalog *c, unsigned cpu, unsigned space, uint64_t address);

/* The bits of a value that a register of this kind cannot hold: reserved ones that are set, fixed
 * ones that differ. */
uint64_t bx_register_foreign(const struct bx_catalog *c, uint16_t reg, uint64_t value);

/* A field's part of its register's value. */
uint64_t bx_field_of(const bx_cat_field *field, uint64_t value);

#endif
