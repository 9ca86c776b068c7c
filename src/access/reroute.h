/* When a CPU goes offline in the middle of a measurement, another one of its package takes over:
 * registers of the package are the same from all of them. */
#ifndef BX_ACCESS_REROUTE_H
#define BX_ACCESS_REROUTE_H

#include "seam/bus.h"
#include "topology/topology.h"

/* A bus in front of `next`, which answers ENXIO, ENODEV or ENOENT for a CPU that is gone. MSRs of a
 * package are then accessed on the next of its cores that answers; those of a core are gone with
 * it. Closing it closes `next`. NULL when out of memory; next is then left alone. */
struct bx_bus *bx_reroute_open(struct bx_bus *next, const bx_topology *t);

#endif
