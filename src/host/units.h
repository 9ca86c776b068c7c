/* How many units of each PMU a host has, where that is not the same in all machines of a CPU model.
 */
#ifndef BX_HOST_UNITS_H
#define BX_HOST_UNITS_H

#include "host/host.h"

/* Asks registers that tell; of PMUs that each core has a unit of, what is there of cores that are
 * offline. BX_NO_ACCESS. */
int bx_units_ask_registers(bx_host *h, bx_error *e);

/* Where there are no registers to ask, the kernel's names tell. false: it drives none. */
bool bx_units_ask_kernel(bx_host *h);

#endif
