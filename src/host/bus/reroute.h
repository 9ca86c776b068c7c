/* Which CPU the MSRs of a package are accessed on: they are the same from all of them. It is the
 * one that the calling thread is on, as that interrupts nobody; else the one that is asked for; and
 * when that goes offline in the middle of a measurement another one takes over. */
#ifndef BX_HOST_BUS_REROUTE_H
#define BX_HOST_BUS_REROUTE_H

#include "host/system/cpus.h"
#include "seam/bus.h"
#include "topology/topology.h"

/* The CPU that the calling thread is on, by the kernel's number; negative: it is not known. */
typedef int bx_current_cpu_call(void);
int bx_current_cpu(void);

/* A bus in front of `next`, which answers ENXIO, ENODEV or ENOENT for a CPU that is gone. MSRs of a
 * package are then accessed on the next of its CPUs that answers; those of a core are gone with it.
 * cpus, whose table it continues to use: all CPUs of the machine; NULL: its cores are all that is
 * known. here NULL: the CPUs are not those of the kernel that we run on. Closing it closes `next`.
 * NULL when out of memory; next is then left alone. */
struct bx_bus *bx_reroute_open(struct bx_bus *next, const bx_topology *t, const bx_cpus *cpus,
                               bx_current_cpu_call *here);

#endif
