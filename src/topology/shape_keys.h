/* The shape keys of a machine string: reading and printing them, their defaults and derived values,
 * and the check of all together. */
#ifndef BX_TOPOLOGY_SHAPE_KEYS_H
#define BX_TOPOLOGY_SHAPE_KEYS_H

#include "topology/topology.h"

/* The number of shape keys of the CPU of t; the index of a key, BX_SHAPES if it is unknown. */
unsigned bx_shape_count(const bx_topology *t);
unsigned bx_shape_find(const bx_topology *t, bx_str key);

/* Sets every key to its default: that of the memory or part of t, else the CPU's. 0: it is derived.
 */
void bx_shape_defaults(bx_topology *t);
void bx_shape_derive(bx_topology *t); /* derives the keys that are 0 */

/* Slices of the LLC of a package. */
uint64_t bx_shape_slices(const bx_topology *t);

/* Reads "key=value,…" (p NULL: no keys), a part of spec, into t->shape. Derives the other keys and
 * checks all together. Spans of errors count from the start of spec. */
int bx_shape_read(bx_topology *t, bx_str spec, bx_str keys, bx_error *e);

/* The value of a key in the form of machine strings: "8M", "4", an address as "0xfed10000", "on".
 */
void bx_shape_format(const bx_topology *t, unsigned key, char *to, size_t room);

#endif
