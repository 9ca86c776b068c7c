/* Recognises the event that a counter's control register and its unit's shared registers select. */
#ifndef BX_EVENT_DECODE_RECOGNIZE_H
#define BX_EVENT_DECODE_RECOGNIZE_H

#include "event/event.h"
#include "register/register.h"

/* Values that were read from a machine's registers. */
typedef struct bx_register_values {
    const struct bx_catalog *c;
    const bx_raw *raw;
    size_t n;
} bx_register_values;

/* Fills in event, code, unit mask, modifiers, port, place and shared registers. PMU and unit of the
 * selection must be set, and the counter if the control register is a counter's. false: no event
 * matches the registers. */
bool bx_recognize(const bx_register_values *r, uint64_t control, bx_evsel *event);

/* The same, as a raw code with modifiers among those in `takes` (mask). */
void bx_recognize_code(const bx_register_values *r, uint64_t control, uint32_t takes,
                       bx_evsel *event);

/* The slot's event that makes the same choice in the place's register. The raw selection has the
 * register's contents as its unit mask, and the registers' modifiers. BX_RAW: no event has this
 * choice. */
uint16_t bx_event_of_choice(const struct bx_catalog *c, const bx_evsel *raw, uint16_t place);

/* The event of a fixed counter, on any unit. */
bx_evsel bx_event_of_counter(const struct bx_catalog *c, const bx_cat_counter *counter);

/* The event that has the code of a raw selection, or its choice in a place. Other register contents
 * do not matter. BX_RAW: there is none. */
uint16_t bx_event_meant(const struct bx_catalog *c, const bx_evsel *raw);

/* What a selection, maybe a raw code, lacks so that it counts nothing (bx_event_lacking()). */
const char *bx_event_nothing(const struct bx_catalog *c, const bx_evsel *event);

#endif
