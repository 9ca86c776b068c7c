/* The numbers of a machine string: keys, presets, what is derived, and which shapes can be. */
#ifndef BX_TOPOLOGY_SHAPE_H
#define BX_TOPOLOGY_SHAPE_H

#include "topology/topology.h"

/* Shape keys that the CPU of t has; the index of one of them, BX_SHAPES if there is none. */
unsigned bx_shape_count(const bx_topology *t);
unsigned bx_shape_find(const bx_topology *t, bx_str key);

void bx_shape_preset(bx_topology *t); /* every key to its preset; 0: to be derived */
void bx_shape_derive(bx_topology *t); /* fills in those that are still 0 */

/* Reads "key=value,…" (p NULL: no keys), a part of spec, into t->shape, derives the rest and checks
 * the whole. Spans of errors are in spec. */
int bx_shape_read(bx_topology *t, bx_str spec, bx_str keys, bx_error *e);

/* A number as it is written in machine strings: "8M", "4", an address as "0xfed10000". */
void bx_shape_format(uint64_t value, char *to, size_t room);

#endif
