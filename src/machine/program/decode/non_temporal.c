/* Non-temporal stores, which are combined into writes of lines. */
#include "machine/program/decode/non_temporal.h"

#include "machine/program/decode/pages.h"

/* A bit for each of the first n bytes of a line. */
static uint64_t first_bytes(uint64_t n)
{
    return n < BX_LINE_BYTES_MOST ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

bx_access bx_decoder_write_combined(bx_decoder *d, bx_combined c, uint64_t cost)
{
    unsigned flags = c.written == first_bytes(d->lines.byte_mask + 1) ? 0 : BX_ACCESS_PARTIAL;
    return bx_decoder_line_of(d, c.line, BX_TOUCH_WRITE) | BX_NON_TEMPORAL | flags |
           bx_decoder_cost(cost);
}

/* Stores n bytes of that line, from byte `first` on. */
static bx_access *combine(bx_decoder *d, uint64_t line, unsigned first, unsigned n, uint64_t cost,
                          bx_access *to)
{
    bx_combined leaves[2], bytes = {line, first_bytes(n) << first};
    unsigned left = bx_write_combine(&d->combining, d->draft.core.wc_buffers, bytes,
                                     first_bytes(d->lines.byte_mask + 1), leaves);
    for (unsigned i = 0; i < left; i++)
        *to++ = bx_decoder_write_combined(d, leaves[i], i ? 0 : cost);
    return to;
}

static bx_access *store_past_caches(bx_decoder *d, uint64_t address, uint64_t end, uint64_t cost,
                                    bx_access *to)
{
    while (address < end) {
        unsigned first = (unsigned)(address & d->lines.byte_mask);
        uint64_t rest = d->lines.byte_mask + 1 - first,
                 n = end - address < rest ? end - address : rest;
        bx_access *next = combine(d, address >> d->lines.shift, first, (unsigned)n, cost, to);
        cost = next == to ? cost : 0;
        to = next;
        address += n;
    }
    return to;
}

bx_access *bx_decoder_take_non_temporal(bx_decoder *d, uint64_t address, uint64_t end,
                                        uint64_t *cost, bx_access *to)
{
    const uint64_t bytes = 1 << BX_PAGE_SHIFT;
    for (uint64_t at = address; d->tlb && at < end; at = (at | (bytes - 1)) + 1) {
        bx_decoder_line(d, at, BX_TOUCH_WRITE);
        to = bx_decoder_make_data(d, true, at, BX_NON_TEMPORAL | bx_decoder_cost(*cost), to) - 1;
        *cost = *to >> BX_DECODER_ACCESS_COST_SHIFT & BX_ACCESS_COST_MAX;
    }
    bx_access *next = store_past_caches(d, address, end, *cost, to);
    *cost = next == to ? *cost : 0;
    return next;
}
