/* The write filter: the last check before a real register is written. Only monitoring registers are
 * written, and their reserved bits do not change. */
#ifndef BX_GUARD_WRITE_FILTER_H
#define BX_GUARD_WRITE_FILTER_H

#include "seam/bus.h"
#include "topology/topology.h"

/* A bus that passes reads and allowed writes, and answers EPROTO to other writes: a plan with such
 * a write is wrong. Closing it closes `next`. NULL when out of memory; `next` stays open then. */
struct bx_bus *bx_write_filter_open(struct bx_bus *next, const bx_topology *t);

#endif
