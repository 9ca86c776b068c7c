/* perf's terms for whole registers, and for control register fields that choose a place. Linux has
 * such terms only for some PMUs. */
#ifndef BX_EVENT_FOREIGN_PERF_REGISTERS_H
#define BX_EVENT_FOREIGN_PERF_REGISTERS_H

#include "event/build/builder.h"

/* The field of a PMU's control register with this name in Linux ("inc_sel"), or BX_NONE. */
uint16_t bx_perf_field(const struct bx_catalog *c, uint16_t pmu, bx_str key);

/* Applies the place or code that a control register selects. Errors point to `at`. *place is
 * BX_NONE if no place is selected. */
int bx_perf_select(bx_event_builder *d, uint64_t control, bx_str at, uint16_t *place);

/* Reads a term for a whole register. *known: whether the key is such a term. */
int bx_perf_register(bx_event_builder *d, uint16_t place, bx_str key, uint64_t value, bx_str term,
                     bool *known);

#endif
