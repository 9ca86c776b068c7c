/* Node filters that name packages which the machine does not have. */
#ifndef BX_MEASURE_NODES_H
#define BX_MEASURE_NODES_H

#include "measure/remarks.h"
#include "topology/topology.h"

/* Says so of each event with such a filter: it counts nothing of these packages. */
void bx_note_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *events, size_t n);

#endif
