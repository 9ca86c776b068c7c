/* The machine's devices, opened for good while there are rights. */
#ifndef BX_HELPER_DEVICES_H
#define BX_HELPER_DEVICES_H

#include "host/safety/allow_list.h"
#include "host/host.h"

/* Reads every register once, on every CPU: whatever file that takes is open from then on. CPUs that
 * cannot be reached are reported. */
int bx_devices_open(const bx_host *h, const bx_allow *allow, bx_error *e);

/* From then on any CPU will do for a package's registers: the one that we are on, or one that is
 * there. false when out of memory. */
bool bx_devices_reroute(bx_host *h);

/* The kernel's numbers of the packages; NULL when out of memory. */
int *bx_devices_packages(const char *root, const bx_cpus *cpus);

#endif
