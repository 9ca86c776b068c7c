/* Events that a host's kernel names and the catalogue does not: numbered as they are met, so that a
 * bx_evsel can stand for one (BX_KERNEL). */
#ifndef BX_MACHINE_KERNEL_EVENTS_H
#define BX_MACHINE_KERNEL_EVENTS_H

#include "machine/machine.h"

/* The event that a selection stands for; NULL: it is none of this machine's kernel. */
const bx_perf_event *bx_machine_kernel_event(const bx_machine *m, const bx_evsel *event);

/* Where a host could not be opened for want of all else, an error that advises to take it. */
void bx_machine_hint_at_sysfs(bx_error *e);

/* Whether the machine's kernel has the event or PMU of that name, or can tell why not. */
bool bx_machine_kernel_knows(bx_machine *m, bx_str part);

/* The number within its package of the i-th CPU of the mask of the event's `source`, counted over
 * all sources; and the package. */
void bx_machine_kernel_location(const bx_machine *m, const bx_perf_event *event, size_t source,
                                size_t i, unsigned *package, unsigned *unit);

/* What a unit of an event's readings is called, "uncore_imc_1"; "" if there is none. */
void bx_machine_kernel_unit(const bx_machine *m, const bx_evsel *event, unsigned unit, char *to,
                            size_t room);

#endif
