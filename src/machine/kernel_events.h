/* Events that a host's kernel has and the catalogue lacks. Each gets a number when it is parsed; a
 * bx_evsel refers to it by that number (BX_KERNEL). */
#ifndef BX_MACHINE_KERNEL_EVENTS_H
#define BX_MACHINE_KERNEL_EVENTS_H

#include "host/perf/kernel_pmus.h"
#include "machine/machine.h"

/* The kernel of a host. It exists even if sysfs shows no PMUs: software events need none. NULL: the
 * machine is not a host. */
bx_perf *bx_machine_perf(const bx_machine *m);

/* Whether the machine's kernel may count events of the catalogue. */
bool bx_machine_kernel_may_count(const bx_machine *m);

/* The kernel's event that a selection refers to; NULL: it is not an event of the kernel. */
const bx_perf_event *bx_machine_kernel_event(const bx_machine *m, const bx_evsel *event);

/* Whether every event is one that a virtual machine's model counts in place of a kernel, or that it
 * has to leave to one. */
bool bx_machine_only_of_kernels(const bx_machine *m, const bx_evsel *events, size_t n);

/* Corrects an error about opening the host: the hint then says that sysfs is missing, instead of
 * "use the host". */
void bx_machine_hint_at_sysfs(bx_error *e);

/* Whether the machine's kernel has the event or PMU of that name, or has a hint about it. */
bool bx_machine_kernel_knows(bx_machine *m, bx_str part);

/* Gives the location of the i-th CPU in the cpumask of the event's `source`: its package, and its
 * number there, counted over all sources (*unit). */
void bx_machine_kernel_location(const bx_machine *m, const bx_perf_event *event, size_t source,
                                size_t i, unsigned *package, unsigned *unit);

/* The name of a unit in readings of the event, "uncore_imc_1"; "": none. */
void bx_machine_kernel_unit(const bx_machine *m, const bx_evsel *event, unsigned unit, char *to,
                            size_t room);

#endif
