/* Next-line prefetcher, into L1D: a load of a line after one that was touched. It has no state of
 * its own. */
#ifndef BX_MODEL_PART_PREFETCHER_NEXT_H
#define BX_MODEL_PART_PREFETCHER_NEXT_H

#include "model/part/prefetcher.h"

static inline bx_access *bx_next_see(const struct bx_prefetch_seen *seen, bx_access *to)
{
    uint32_t line = seen->line;
    unsigned page = seen->page_shift;
    bool in_page =
        bx_prefetch_same_page(page, line, line - 1) && bx_prefetch_same_page(page, line, line + 1);

    return bx_prefetch_if(in_page && bx_was_touched(seen->touched, line - 1), line + 1,
                          BX_PREFETCHER_NEXT, BX_LOAD, to);
}

#endif
