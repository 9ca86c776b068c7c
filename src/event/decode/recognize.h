/* Which event a counter's control register selects, together with what its unit's shared registers
 * hold. */
#ifndef BX_EVENT_DECODE_RECOGNIZE_H
#define BX_EVENT_DECODE_RECOGNIZE_H

#include "event/event.h"

/* Registers of a machine that were read. */
typedef struct bx_register_values {
    const struct bx_catalog *c;
    const bx_raw *raw;
    size_t n;
} bx_register_values;

/* Fills in event, code, unit mask, modifiers, port, place and shared registers. The selection's PMU
 * and unit are known, and the counter if it is one of them. */
void bx_recognize(const bx_register_values *r, uint64_t control, bx_evsel *event);

/* The event of a slot that makes this choice in the place's register: selected as a raw code, with
 * the register's contents as its unit mask. Its modifiers are those of the registers. BX_RAW: none
 * has names for it. */
uint16_t bx_event_of_choice(const struct bx_catalog *c, const bx_evsel *raw, uint16_t place);

#endif
