/* The cores on which a program's threads run: `--threads`. */
#ifndef BX_MACHINE_PROGRAM_TASK_CORE_LIST_H
#define BX_MACHINE_PROGRAM_TASK_CORE_LIST_H

#include "topology/topology.h"

enum { BX_CORES_MOST = 64 };

/* The cores, in the order in which threads get them. */
typedef struct bx_core_list {
    unsigned char core[BX_CORES_MOST];
    unsigned n;
    unsigned of_package; /* cores of a package; 0: all */
} bx_core_list;

/* text: "compact" (cores in order; also NULL), "spread" (packages in turn), or a list such as
 * "0-3,8". BX_BAD_INPUT. */
int bx_core_list_parse(const char *text, const bx_topology *t, bx_core_list *list, bx_error *e);

#endif
