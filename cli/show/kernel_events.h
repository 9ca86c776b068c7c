/* Events that only a host's kernel has, for the commands that measure. */
#ifndef BX_CLI_SHOW_KERNEL_EVENTS_H
#define BX_CLI_SHOW_KERNEL_EVENTS_H

#include "base/arena.h"
#include "machine/machine.h"

/* If only the kernel's own events are counted, because there is no catalogued uncore: a line that
 * says so and lists what there is. NULL: nothing to say. */
const char *bx_kernel_remark(const bx_machine *m, bx_arena *a);

/* Whether all events are the kernel's own. */
bool bx_kernel_only(const bx_evsel *events, size_t n);

#endif
