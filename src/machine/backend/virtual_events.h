/* Events of a virtual machine: whether its model produces them, in which words, and who causes
 * them. The functions are those of bx_backend_functions. */
#ifndef BX_MACHINE_BACKEND_VIRTUAL_EVENTS_H
#define BX_MACHINE_BACKEND_VIRTUAL_EVENTS_H

#include "machine/backend/backend.h"

/* The selection that an event of this CPU makes at a place, in a counter of its own. *by_cycle: the
 * counter compares the level with a threshold, or counts rises. */
bx_selection bx_virtual_selection(const bx_backend *b, const bx_evsel *event, uint16_t place,
                                  bool *by_cycle);

bool bx_virtual_produces(const bx_backend *b, const bx_evsel *event, uint16_t place);
bool bx_virtual_describe(const bx_backend *b, const bx_evsel *event, uint16_t place, bx_buf *to);
bool bx_virtual_needs_remarks(const bx_backend *b, const bx_evsel *event, uint16_t place);
int bx_virtual_attribute(bx_backend *b, const bx_attribute_ask *ask, size_t n, unsigned events,
                         bool *told, bx_error *e);

#endif
