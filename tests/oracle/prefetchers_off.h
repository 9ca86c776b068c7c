/* Which prefetchers of a trial's cores are off. For all oracles. */
#ifndef BX_TESTS_ORACLE_PREFETCHERS_OFF_H
#define BX_TESTS_ORACLE_PREFETCHERS_OFF_H

#include "model/engine/access.h"

/* A bit for each. Most trials have all on. */
static inline unsigned prefetchers_off(uint64_t trial, unsigned core)
{
    return trial % 3 ? 0 : (unsigned)(trial / 3 + core) % (1u << BX_PREFETCHERS);
}

#endif
