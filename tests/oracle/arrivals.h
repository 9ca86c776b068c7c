/* "A line's turns": lines that are on their way to a core. For all oracles. */
#ifndef BX_TESTS_ORACLE_ARRIVALS_H
#define BX_TESTS_ORACLE_ARRIVALS_H

#include "core_counts.h"

#include "model/engine/access.h"

enum { ORACLE_ARRIVALS = 64 };

struct arrivals {
    struct {
        uint64_t line, at;
    } of[ORACLE_ARRIVALS]; /* the last ones */
    unsigned n;
};

/* A load or store has requested a line, which arrives at `at`. A store's line that comes from no
 * other core is not awaited. whole: nor is one that the store overwrites. */
static inline void arrival_add(struct arrivals *a, enum oracle_source from, unsigned kind,
                               bool whole, uint64_t line, uint64_t at)
{
    bool from_core = from == ORACLE_CLEAN || from == ORACLE_DIRTY || from == ORACLE_PACKAGE_CLEAN ||
                     from == ORACLE_PACKAGE_DIRTY;

    if (kind != BX_LOAD && (kind != BX_STORE || whole || !from_core))
        return;
    a->of[a->n % ORACLE_ARRIVALS].line = line;
    a->of[a->n++ % ORACLE_ARRIVALS].at = at;
}

/* When an access that hits L1D at t is done. */
static inline uint64_t arrival_of(const struct arrivals *a, uint64_t line, bool dependent,
                                  uint64_t t)
{
    for (unsigned i = 0; dependent && i < ORACLE_ARRIVALS; i++)
        if (a->of[i].line == line && a->of[i].at > t)
            t = a->of[i].at;
    return t;
}

#endif
