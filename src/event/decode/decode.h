/* Register values as event selections, by catalogue index. */
#ifndef BX_EVENT_DECODE_DECODE_H
#define BX_EVENT_DECODE_DECODE_H

#include "register/register.h"

typedef struct bx_decoded {
    bx_evsel event; /* .unit and .counter are those of the register; .unit is BX_ANY if its address
                       is the same on all cores */
    uint16_t reg;   /* control register, catalogue index */
    uint64_t value; /* value of the control register, as it was given */
} bx_decoded;

/* Turns register values of one reading of a machine into events. Registers that select no event (a
 * counter's value, a global control) give none; an address that the CPU model lacks is an error.
 * Writes at most `room` events; returns BX_OK with their number in *n. */
int bx_decode(const bx_catalog *c, int cpu, const bx_raw *raw, size_t raws, bx_decoded *to,
              size_t room, size_t *n, bx_error *e);

#endif
