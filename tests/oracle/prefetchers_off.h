/* Which prefetchers of a core are disabled in a trial. For all oracles. */
#ifndef BX_TESTS_ORACLE_PREFETCHERS_OFF_H
#define BX_TESTS_ORACLE_PREFETCHERS_OFF_H

#include "model/engine/access.h"

/* One bit for each prefetcher. Most trials have all enabled. */
static inline unsigned prefetchers_off(uint64_t trial, unsigned core)
{
    return trial % 3 ? 0 : (unsigned)(trial / 3 + core) % (1u << BX_PREFETCHERS);
}

#endif
