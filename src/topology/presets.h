/* Parts and memories of a machine string: values of shape keys under one name. */
#ifndef BX_TOPOLOGY_PRESETS_H
#define BX_TOPOLOGY_PRESETS_H

#include "topology/topology.h"

/* Whether the key is `part` or `memory` and the CPU of t has any. */
bool bx_preset_is_key(const bx_topology *t, bx_str key);

/* t->part: a part that the machine's name is, or BX_NONE. Sets the part and memory of t from
 * "key=value,…", a part of spec. The default part is the CPU's first part; the default memory is
 * the one that fits the part. Spans of errors count from the start of spec. */
int bx_preset_read(bx_topology *t, bx_str spec, bx_str keys, bx_error *e);

/* The CPU's first part. */
void bx_preset_defaults(bx_topology *t);

/* Sets the shape keys for which the part and the memory of t have values. */
void bx_preset_apply(bx_topology *t);

/* The memory that fits the part of t; BX_NONE. */
uint16_t bx_preset_fits(const bx_topology *t);

#endif
