/* The prefetchers of one core. They see which instruction touches which line, if it is another line
 * than the instruction touched before. Their prefetches follow this access in the stream. When the
 * machine model executes a prefetch, it checks whether the prefetcher is switched off.
 * docs/explanation/model-prefetchers.md, "Prefetchers". */
#ifndef BX_MODEL_PART_PREFETCHERS_H
#define BX_MODEL_PART_PREFETCHERS_H

#include "model/part/prefetcher_streamer.h"
#include "model/part/prefetcher_stride.h"

/* Most prefetches for one access: one each of the stride, next-line and adjacent-line
 * prefetchers. */
enum { BX_PREFETCH_MOST = 3 + BX_STREAMER_AT_ONCE };

struct bx_prefetchers {
    unsigned page_shift; /* a page has 2^page_shift lines */
    struct bx_streamer streamer;
    struct bx_touched_lines touched;
    struct bx_stride stride;
};

/* A page has 2^page_shift lines. */
void bx_prefetchers_power_on(struct bx_prefetchers *p, unsigned page_shift);

/* `instruction` (an address or another number) makes an access `a`: a load, store or fetch. Writes
 * up to BX_PREFETCH_MOST prefetches to `to` and returns their end. */
bx_access *bx_prefetchers_see(struct bx_prefetchers *p, uint32_t instruction, bx_access a,
                              bx_access *to);

#endif
