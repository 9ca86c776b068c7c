/* Adjacent-line prefetcher, into L2: the other line of a pair. It has no state of its own. */
#ifndef BX_MODEL_PART_PREFETCHER_ADJACENT_H
#define BX_MODEL_PART_PREFETCHER_ADJACENT_H

#include "model/part/prefetcher.h"

static inline bx_access *bx_adjacent_see(const struct bx_prefetch_seen *seen, bx_access *to)
{
    uint32_t other = seen->line ^ 1;

    return bx_prefetch_if(!bx_was_touched(seen->touched, other), other, BX_PREFETCHER_ADJACENT,
                          seen->kind, to);
}

#endif
