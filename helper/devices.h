/* Opens the machine's devices while the helper has rights; they stay open. */
#ifndef BX_HELPER_DEVICES_H
#define BX_HELPER_DEVICES_H

#include "guard/allow_list.h"
#include "host/host.h"

/* Reads every register once, on every CPU, which opens all files that this needs. CPUs that cannot
 * be reached are reported on standard error. */
int bx_devices_open(const bx_host *h, const bx_allow *allow, bx_error *e);

/* Puts bx_reroute_open() in front of h->bus: registers of a package are accessed on any of its
 * CPUs. false when out of memory. */
bool bx_devices_reroute(bx_host *h);

/* The kernel's numbers of the packages; NULL when out of memory. */
int *bx_devices_packages(const char *root, const bx_cpus *cpus);

#endif
