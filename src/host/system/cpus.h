/* Which logical CPUs there are, and where in the machine they sit. */
#ifndef BX_HOST_SYSTEM_CPUS_H
#define BX_HOST_SYSTEM_CPUS_H

#include "base/arena.h"
#include "base/str.h"

enum { BX_NO_CPU = 0xffff };

typedef struct bx_cpus {
    unsigned packages, cores; /* cores per package: of the one that has most */
    unsigned others;          /* threads besides the first of each core */
    unsigned fitted;          /* cores per package with those that are offline, at most */
    /* The logical CPU that stands for a core, its first thread: of [package x cores + core].
     * Packages and cores are numbered in the order of the kernel's ids, which may have gaps. Where
     * a package has fewer cores, or some are offline, BX_NO_CPU stands for the last. Behind the
     * cores are the other threads. An index of this table is a CPU's number in an address. */
    const uint16_t *logical;
    const uint16_t *package; /* of [i]: where the other thread i sits */
} bx_cpus;

/* Entries of the table. */
unsigned bx_cpus_all(const bx_cpus *cpus);

/* The package of an entry. */
unsigned bx_cpus_package(const bx_cpus *cpus, unsigned i);

/* Cuts the next range from a list such as "0-3,6". false: there is none. */
bool bx_cpus_range(bx_str *list, uint64_t *lo, uint64_t *hi);

/* Looks at the CPUs that are online under `root`. Where the kernel does not tell where they are,
 * all are cores of one package. The table lives in the arena. false when out of memory, or if there
 * is no CPU at all. */
bool bx_cpus_read(const char *root, bx_arena *arena, bx_cpus *cpus);

#endif
