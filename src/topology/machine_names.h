/* Names of machines, after "virtual:": a CPU model, one of its other names, or one of its parts. */
#ifndef BX_TOPOLOGY_MACHINE_NAMES_H
#define BX_TOPOLOGY_MACHINE_NAMES_H

#include "topology/topology.h"

/* Sets the CPU of t, and its part if the name is that of a part; else the part is BX_NONE. Only
 * letters and digits are compared: "E5-2680 v2" is "e5-2680v2". false: there is no such machine. */
bool bx_machine_name_find(bx_topology *t, bx_str name);

/* Says that there is no machine of this name, which is at `at` of the machine string. */
int bx_machine_name_unknown(const struct bx_catalog *c, size_t at, bx_str name, bx_error *e);

/* The names of a CPU model besides its own one, separated by spaces. */
const char *bx_machine_other_names(const struct bx_catalog *c, const bx_cat_cpu *cpu);

#endif
