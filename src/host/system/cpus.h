/* The logical CPUs of a machine, with their packages and cores. */
#ifndef BX_HOST_SYSTEM_CPUS_H
#define BX_HOST_SYSTEM_CPUS_H

#include "base/arena.h"
#include "base/str.h"

enum { BX_NO_CPU = 0xffff };

typedef struct bx_cpus {
    unsigned packages, cores; /* cores: of the package with most cores */
    unsigned others;          /* threads besides the first of each core */
    unsigned fitted;          /* cores per package including offline ones, at most */
    /* By [package x cores + core]: the logical CPU of a core's first thread. Packages and cores are
     * numbered in the order of the kernel's ids, which may have gaps. Where a package has fewer
     * cores, or some are offline, its last entries are BX_NO_CPU. After the cores are the other
     * threads. Addresses of registers (bx_address.cpu) use indices of this table. */
    const uint16_t *logical;
    const uint16_t *package; /* by other thread: its package, */
    const uint16_t *core;    /* and its core in the package */
} bx_cpus;

/* Entries of the table. */
unsigned bx_cpus_all(const bx_cpus *cpus);

/* The package of an entry. */
unsigned bx_cpus_package(const bx_cpus *cpus, unsigned i);

/* The package and core of a logical CPU. false: it is not online. */
bool bx_cpus_locate(const bx_cpus *cpus, unsigned logical, unsigned *package, unsigned *core);

/* Cuts the next range from a list such as "0-3,6". false: there is none. */
bool bx_cpus_range(bx_str *list, uint64_t *lo, uint64_t *hi);

/* Reads the online CPUs of the machine under `root`. Without topology files, all are cores of one
 * package. The table lives in the arena. false when out of memory (arena->failed), or if there is
 * no CPU. */
bool bx_cpus_read(const char *root, bx_arena *arena, bx_cpus *cpus);

#endif
