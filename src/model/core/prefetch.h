/* The prefetchers of one core. They see which instruction touches which line, if it is another line
 * than the instruction touched before. Their prefetches follow this access in the stream. When the
 * machine model executes a prefetch, it checks whether the prefetcher is switched off.
 * docs/explanation/model-prefetchers.md, "Prefetchers". */
#ifndef BX_MODEL_CORE_PREFETCH_H
#define BX_MODEL_CORE_PREFETCH_H

#include "model/engine/access.h"

enum {
    BX_PREFETCH_MOST = 5, /* most prefetches for one access */
    BX_PREFETCH_LINES = 512,
    BX_PREFETCH_INSTRUCTIONS = 256,
    BX_PREFETCH_STREAMS = 32,
    BX_PREFETCH_PLACES = 256,
};

/* The stride of an instruction's loads, in lines; 0: unknown or too long. */
struct bx_prefetch_stride {
    uint32_t instruction, line;
    int32_t stride;
};

/* The stream of a page. `last` and `ahead` are lines within the page. */
struct bx_prefetch_stream {
    int8_t direction; /* 1 or -1; 0: none so far */
    uint8_t steps;    /* in this direction, up to 2 */
    uint8_t last;     /* the line touched last */
    uint8_t ahead;    /* the farthest line requested, or `last` */
};

struct bx_prefetchers {
    _Alignas(64) uint32_t page[BX_PREFETCH_STREAMS];
    struct bx_prefetch_stream stream[BX_PREFETCH_STREAMS];
    unsigned next_stream;                /* the next one to be replaced */
    uint8_t place[BX_PREFETCH_PLACES];   /* index in `page` of the last page with these low bits */
    uint32_t touched[BX_PREFETCH_LINES]; /* the last line with these low bits */
    struct bx_prefetch_stride stride[BX_PREFETCH_INSTRUCTIONS]; /* by low bits of instruction */
};

void bx_prefetchers_power_on(struct bx_prefetchers *p);

/* `instruction` (an address or another number) makes an access `a`: a load, store or fetch. Writes
 * up to BX_PREFETCH_MOST prefetches to `to` and returns their end. */
bx_access *bx_prefetchers_see(struct bx_prefetchers *p, uint32_t instruction, bx_access a,
                              bx_access *to);

#endif
