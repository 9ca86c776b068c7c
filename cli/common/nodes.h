/* Notes on node filters that name packages which the machine does not have. */
#ifndef BX_CLI_COMMON_NODES_H
#define BX_CLI_COMMON_NODES_H

#include "topology/topology.h"

/* Prints a note for each event whose node filter names packages that do not exist. Such an event
 * counts nothing of them. */
void bx_cli_note_nodes(const bx_topology *t, const bx_evsel *events, size_t n);

#endif
