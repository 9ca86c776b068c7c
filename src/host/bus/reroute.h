/* Chooses the CPU that the MSRs of a package are accessed on; they are the same from all its CPUs.
 * The first choice is the calling thread's CPU, because no other CPU is then interrupted. Otherwise
 * it is the requested CPU. If that CPU goes offline during a measurement, another CPU of the
 * package takes over. */
#ifndef BX_HOST_BUS_REROUTE_H
#define BX_HOST_BUS_REROUTE_H

#include "host/system/cpus.h"
#include "seam/bus.h"
#include "topology/topology.h"

/* The CPU that the calling thread is on, by the kernel's number; negative: unknown. */
typedef int bx_current_cpu_call(void);
int bx_current_cpu(void);

/* A bus in front of `next`, which answers ENXIO, ENODEV or ENOENT for a CPU that is gone. MSRs of a
 * package are then accessed on the next of its CPUs that answers. MSRs of a core fail.
 * cpus: all CPUs of the machine, and must outlive the bus. NULL: only its cores are known.
 * here NULL: the CPUs are not those of the kernel that we run on.
 * Closing the bus closes `next`. The result is NULL when out of memory; `next` stays open then. */
struct bx_bus *bx_reroute_open(struct bx_bus *next, const bx_topology *t, const bx_cpus *cpus,
                               bx_current_cpu_call *here);

#endif
