/* The number of units of each PMU of a host, where machines of one CPU model differ. */
#ifndef BX_HOST_UNITS_H
#define BX_HOST_UNITS_H

#include "host/host.h"

/* Reads the numbers from registers. For PMUs with one unit per core, also finds the units of
 * offline cores. BX_NO_ACCESS if a register cannot be read. */
int bx_units_from_registers(bx_host *h, bx_error *e);

/* Takes the numbers from the names of the kernel's PMUs. false: it drives none of them. */
bool bx_units_from_kernel(bx_host *h);

#endif
