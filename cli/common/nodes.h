/* Packages that a node filter names and the machine does not have. */
#ifndef BX_CLI_COMMON_NODES_H
#define BX_CLI_COMMON_NODES_H

#include "topology/topology.h"

/* Prints a note for each event whose filter by node names packages that do not exist: nothing of
 * them is counted. */
void bx_cli_note_nodes(const bx_topology *t, const bx_evsel *events, size_t n);

#endif
