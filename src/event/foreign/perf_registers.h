/* perf's terms of the PMUs for which Linux has terms for whole registers, and for fields of the
 * control register that choose where an event's choice is. */
#ifndef BX_EVENT_FOREIGN_PERF_REGISTERS_H
#define BX_EVENT_FOREIGN_PERF_REGISTERS_H

#include "event/build/builder.h"

/* The field of the control register of a PMU that Linux calls so ("inc_sel"), or BX_NONE. */
uint16_t bx_perf_field(const struct bx_catalog *c, uint16_t pmu, bx_str key);

/* Chooses what a control register selects: a place, or a code. `at`: the term to blame. *place is
 * BX_NONE where none is selected. */
int bx_perf_select(bx_event_builder *d, uint64_t control, bx_str at, uint16_t *place);

/* A term for a whole register. *known: whether it is one. */
int bx_perf_register(bx_event_builder *d, uint16_t place, bx_str key, uint64_t value, bx_str term,
                     bool *known);

#endif
