/* The machine that we run on, or one whose /dev, /proc and /sys lie under a folder. */
#ifndef BX_ACCESS_HOST_H
#define BX_ACCESS_HOST_H

#include "access/cpus.h"
#include "topology/topology.h"

typedef struct bx_host {
    bx_topology topology;
    struct bx_bus *bus;
    bx_arena arena;
} bx_host;

/* Finds its CPU in the catalogue, opens the ways to its registers and finds out what units it has,
 * for which registers are read and none is written. BX_NO_ACCESS where the CPU is not in the
 * catalogue, or its registers cannot be reached; *h needs no closing then. */
int bx_host_open(const struct bx_catalog *c, const char *root, bx_host *h, bx_error *e);
void bx_host_close(bx_host *h); /* all zero is fine */

#endif
