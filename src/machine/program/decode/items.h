/* Items of blocks: the accesses that each makes when its block is executed. */
#ifndef BX_MACHINE_PROGRAM_DECODE_ITEMS_H
#define BX_MACHINE_PROGRAM_DECODE_ITEMS_H

#include "machine/program/decode/pages.h"

/* ---- what few items need ---- */

/* Makes a data access that crosses lines, is guarded, or is non-temporal. *cost: cycles that are
 * not yet part of an access, before and after this call. */
bx_access *bx_item_take_closely(bx_decoder *d, const bx_block_item *i, uint64_t address,
                                uint64_t *cost, bx_access *to);

/* Makes what an item makes that is neither a data access nor a fetch. */
bx_access *bx_item_take_other(bx_decoder *d, const bx_block_item *i, uint64_t address,
                              uint64_t *cost, bx_access *to);

/* Adds the accesses of the prefetchers after an access in another line than this item's last one.
 * `to` is the end of that access. */
bx_access *bx_item_see_line(bx_decoder *d, const bx_block_item *i, bx_block_instruction *by,
                            bx_access *to);

/* Makes cycles beyond `most` the cost of additional fetches of the last fetched line. */
bx_access *bx_decoder_spend_some(bx_decoder *d, uint64_t *cost, uint32_t more, uint32_t most,
                                 bx_access *to);

/* ---- what most need ---- */

static inline void bx_item_fetch_first(bx_decoder *d, bx_block_item *i)
{
    i->access =
        bx_decoder_line_of(d, i->access, BX_TOUCH_FETCH) | BX_FETCH | bx_decoder_cost(i->cost);
    i->kind = BX_ITEM_FETCH;
}

/* Makes a fetch with TLBs. A fetch from the same page as the last one needs no look-up. */
static inline bx_access *bx_item_fetch_translated(bx_decoder *d, const bx_block_item *i,
                                                  uint64_t cost, bx_access *to)
{
    uint64_t from = i->access >> d->lines.page_shift;
    bool other = from + 1 != d->fetched.number;
    if (other)
        d->fetched.line = bx_decoder_line(d, from << BX_PAGE_SHIFT, BX_TOUCH_FETCH);
    *to = d->fetched.line | bx_decoder_line_in_page(d, i->access << d->lines.shift) | BX_FETCH |
          bx_decoder_cost(i->cost + cost);
    d->fetched.number = from + 1;
    return !other || bx_tlb_hits(d->tlb, BX_TLB_INSTRUCTIONS, from) ? to + 1
                                                                    : bx_decoder_walk(d, from, to);
}

/* Makes the accesses of an item. *cost: cycles of earlier instructions that no access has yet. */
static inline __attribute__((always_inline)) bx_access *
bx_item_take(bx_decoder *d, bx_block_item *i, const uint64_t *words, bool tlb, uint64_t *cost,
             bx_access *to)
{
    bx_access access = i->access;
    if (i->kind == BX_ITEM_DATA) {
        uint64_t address = words[i->word];
        if (__builtin_expect((int)(address & d->lines.byte_mask) > i->last, 0)) {
            uint64_t rest = *cost; /* a copy, so that the compiler keeps `cost` in a register */
            bx_access *next = bx_item_take_closely(d, i, address, &rest, to);
            *cost = rest;
            return next;
        }
        access += bx_decoder_cost(*cost);
        *cost = 0;
        if (tlb)
            return bx_decoder_take_data(d, address, access, to);
        *to = access | bx_decoder_line(d, address, bx_decoder_touch_of(access & 3));
        return to + 1;
    }
    if (tlb && i->kind == BX_ITEM_UNKNOWN) {
        to = bx_item_fetch_translated(d, i, *cost, to);
        *cost = 0;
        return to;
    }
    if (__builtin_expect(i->kind >= BX_ITEM_UNKNOWN, 0)) {
        if (i->kind >= BX_ITEM_STEER) {
            uint64_t rest = *cost; /* as above */
            bx_access *next = bx_item_take_other(d, i, words[i->word], &rest, to);
            *cost = rest;
            return next;
        }
        bx_item_fetch_first(d, i);
        access = i->access;
    }
    *to = access + bx_decoder_cost(*cost);
    *cost = 0;
    return to + 1;
}

static inline bx_access *bx_item_prefetch(bx_decoder *d, const bx_block_item *i,
                                          bx_block_instruction *by, bx_access *to)
{
    return (uint32_t)(to[-1] >> BX_DECODER_ACCESS_LINE_SHIFT) == by->line
               ? to
               : bx_item_see_line(d, i, by, to);
}

static inline __attribute__((always_inline)) bx_access *
bx_item_take_and_prefetch(bx_decoder *d, bx_block_item *i, bx_block_instruction *by,
                          const uint64_t *words, bool tlb, uint64_t *cost, bx_access *to)
{
    bx_access *next = bx_item_take(d, i, words, tlb, cost, to);
    return next == to ? to : bx_item_prefetch(d, i, by, next);
}

static inline bx_access *bx_decoder_spend(bx_decoder *d, uint64_t *cost, uint32_t more,
                                          uint32_t most, bx_access *to)
{
    return *cost + more > most ? bx_decoder_spend_some(d, cost, more, most, to) : to;
}

#endif
