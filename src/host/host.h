/* The host: the machine that we run on, or one whose /dev, /proc and /sys lie under a folder. */
#ifndef BX_HOST_HOST_H
#define BX_HOST_HOST_H

#include "host/system/cpus.h"
#include "host/perf/kernel_pmus.h"
#include "topology/topology.h"

typedef struct bx_host {
    bx_topology topology; /* cpu is BX_NONE if the catalogue does not have it */
    struct bx_bus *bus;   /* NULL: no access to its registers, and no_access says why */
    char no_access[240];
    /* The bus, if boxscore-helper executes the accesses; it then holds the locks and restores
     * registers. Else NULL. */
    struct bx_bus *helper;
    char helper_socket[108]; /* its socket, or "" */
    uint32_t signature;      /* of the CPU: family << 16 | model */
    unsigned stepping;
    bool only_readable;   /* its registers can be read but not written; counting needs writes */
    bool gathered;        /* unpacked from a file of `machine gather`: read-only */
    bool counts_uncore;   /* counters that the catalogue describes can be counted */
    bool helper_required; /* the options require the helper: the kernel's PMUs are not used */
    const bx_cpus *cpus;
    bx_perf perf; /* the PMUs of its kernel */
    bx_arena arena;
} bx_host;

/* Finds the CPU in the catalogue, opens the access to its registers and counts the units of each
 * PMU. For that it reads registers but writes none. The caller closes h->bus, before h.
 * BX_NO_ACCESS if the registers cannot be reached, or the CPU is not in the catalogue, and the
 * kernel offers no PMU either; *h needs no closing then. */
int bx_host_open(const struct bx_catalog *c, const bx_machine_options *o, bx_host *h, bx_error *e);
void bx_host_close(bx_host *h); /* all zero is fine */

#endif
