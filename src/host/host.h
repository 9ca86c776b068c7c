/* The machine that we run on, or one whose /dev, /proc and /sys lie under a folder. */
#ifndef BX_HOST_HOST_H
#define BX_HOST_HOST_H

#include "host/system/cpus.h"
#include "host/perf/kernel_pmus.h"
#include "host/perf/perf_calls.h"
#include "topology/topology.h"

typedef struct bx_host {
    bx_topology topology; /* its cpu is BX_NONE where the catalogue does not have it */
    struct bx_bus *bus;   /* NULL: there is no way to its registers, and lacks says why */
    char lacks[240];
    struct bx_bus *helper;   /* the bus, where a boxscore-helper carries accesses out; else NULL: it
                                holds the locks and puts registers back */
    char helper_socket[108]; /* its socket, or "" */
    uint32_t signature;      /* of the CPU: family << 16 | model */
    unsigned stepping;
    bool only_readable; /* its registers are: counting takes writing them */
    bool gathered;      /* it is in a file that was gathered, which is never written */
    bool foreign;       /* its files are below a folder: the kernel that we ask is another one's */
    bool counts_uncore; /* there is a way to counters that the catalogue describes */
    unsigned driver;    /* enum bx_driver */
    bool helper_required; /* it was insisted on: what the catalogue describes goes through it */
    int paranoid;         /* perf_event_paranoid */
    const bx_cpus *cpus;
    bx_perf perf;               /* what its kernel can count */
    const bx_perf_calls *calls; /* and how that is asked for */
    bx_arena arena;
} bx_host;

/* Finds its CPU in the catalogue, opens the ways to its registers and finds out what units it has,
 * for which registers are read and none is written. h->bus is the caller's to close, before h.
 * BX_NO_ACCESS where its registers cannot be reached, or the CPU is not in the catalogue, and the
 * kernel offers no PMU either; *h needs no closing then. */
int bx_host_open(const struct bx_catalog *c, const bx_machine_options *o, bx_host *h, bx_error *e);
void bx_host_close(bx_host *h); /* all zero is fine */

#endif
