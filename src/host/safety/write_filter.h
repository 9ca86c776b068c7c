/* The write filter: the last check before a real register is written, whoever asks: it must be one
 * that the catalogue has for monitoring, and its reserved bits stay as they are. */
#ifndef BX_HOST_SAFETY_WRITE_FILTER_H
#define BX_HOST_SAFETY_WRITE_FILTER_H

#include "seam/bus.h"
#include "topology/topology.h"

/* A bus that lets through what is allowed, and answers EPROTO to other writes: a plan that asks for
 * one is wrong. Reads pass. Closing it closes `next`. NULL when out of memory; next is then left
 * alone. */
struct bx_bus *bx_write_filter_open(struct bx_bus *next, const bx_topology *t);

#endif
