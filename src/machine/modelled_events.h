/* Events of a kernel that a virtual machine's model counts in its place: "task-clock",
 * "page-faults". docs/reference/events.md, "Kernel events". */
#ifndef BX_MACHINE_MODELLED_EVENTS_H
#define BX_MACHINE_MODELLED_EVENTS_H

#include "host/perf/kernel_pmus.h"
#include "machine/machine.h"

typedef struct bx_modelled_name {
    const char *name, *counts; /* what one count is */
    const char *title;
    bool alias;        /* another name of an event before it */
    const char *means; /* what it includes; NULL: its title says all */
} bx_modelled_name;

/* Those that some work makes count; NULL beyond the last. */
const bx_modelled_name *bx_modelled_event_at(size_t i);

/* Reads perf's name of an event that is not one of the machine's PMUs. *to lives in the machine.
 * BX_NOT_FOUND: there is no such event. */
int bx_modelled_event_read(bx_machine *m, bx_str part, bx_perf_event *to, bx_error *e);

/* What the model has counted since power-on, and the state of that value (enum bx_state). */
unsigned bx_modelled_event_count(const bx_machine *m, const bx_perf_event *event, uint64_t *value);

#endif
