/* The cycles of a core, with marks for what it does in each. For all oracles. */
#ifndef BX_TESTS_ORACLE_CYCLES_H
#define BX_TESTS_ORACLE_CYCLES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum oracle_cycle {
    ORACLE_LOADS = 1, /* requests to the LLC that are outstanding, by kind of access */
    ORACLE_STORES = 2,
    ORACLE_FETCHES = 4,
    ORACLE_LOADS_MISS = 8, /* loads that the LLC does not have */
    ORACLE_BEYOND_L2 = 16, /* loads of instructions that L2 does not have */
    ORACLE_BEYOND_LLC = 32,
    ORACLE_IDLE = 64, /* the core waits */
};

struct oracle_cycles {
    unsigned char *cycle;
    uint64_t n;
};

static inline void oracle_mark(struct oracle_cycles *c, unsigned what, uint64_t from, uint64_t to)
{
    if (to > c->n) {
        uint64_t n = to + to / 2 + 64;
        c->cycle = realloc(c->cycle, n);
        if (!c->cycle)
            abort();
        memset(c->cycle + c->n, 0, n - c->n);
        c->n = n;
    }
    for (uint64_t t = from; t < to; t++)
        c->cycle[t] |= (unsigned char)what;
}

/* Cycles that have all of these marks. */
static inline uint64_t oracle_marked(const struct oracle_cycles *c, unsigned what)
{
    uint64_t n = 0;

    for (uint64_t t = 0; t < c->n; t++)
        n += (c->cycle[t] & what) == what;
    return n;
}

#endif
