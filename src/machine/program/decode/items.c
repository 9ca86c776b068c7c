/* Items of blocks that few executions have: accesses of several lines, prefetch and string
 * instructions, bus locks, costs that are too large. */
#include "machine/program/decode/items.h"

#include "machine/program/decode/non_temporal.h"
#include "model/part/prefetchers.h"

enum { KIND_AND_FLAGS = (1 << BX_DECODER_ACCESS_COST_SHIFT) - 1 };

bx_access *bx_item_take_closely(bx_decoder *d, const bx_block_item *i, uint64_t address,
                                uint64_t *cost, bx_access *to)
{
    bx_access kind = i->access & 3;
    *cost += i->cost;
    if (address > UINT64_MAX - i->size) { /* also BX_TRACE_NO_ACCESS */
        *(kind == BX_LOAD ? &d->unmade_loads : &d->unmade_stores) += 1;
        bx_decoder_retire(d, d->retired_as.unmade[kind != BX_LOAD], to);
        return to;
    }
    uint64_t last = (address + i->size - 1) >> d->lines.shift;
    if (kind == BX_NON_TEMPORAL)
        return bx_decoder_take_non_temporal(d, address, address + i->size, cost, to);
    for (uint64_t first = address >> d->lines.shift, line = first; line <= last;
         line++, *cost = 0) {
        if (line > first)
            bx_decoder_retire(d, d->retired_as.split[kind], to);
        to = bx_decoder_make_data(d, d->tlb != NULL, line << d->lines.shift,
                                  bx_decoder_line_of(d, line, bx_decoder_touch_of(kind)) |
                                      (i->access & KIND_AND_FLAGS) | bx_decoder_cost(*cost),
                                  to);
    }
    return to;
}

/* A prefetch to a page that is not in memory does nothing: it raises no page fault (253666,
 * PREFETCHh). A flush is a load of its page. */
static bx_access *steer(bx_decoder *d, const bx_block_item *i, uint64_t address, uint64_t *cost,
                        bx_access *to)
{
    unsigned node;
    bool zero;
    if (!bx_access_flushes(i->access) &&
        !bx_address_space_node(d->space, address >> BX_PAGE_SHIFT, &node, &zero)) {
        *cost += i->cost;
        return to;
    }
    bx_access made =
        bx_decoder_line(d, address, BX_TOUCH_READ) | (i->access + bx_decoder_cost(*cost));
    *cost = 0;
    return bx_decoder_make_data(d, d->tlb != NULL, address, made, to);
}

/* A string instruction asks for the ownership of a line that it overwrites, and for no data. The
 * cycles before are those of its store. */
static bx_access *overwrite(bx_decoder *d, const bx_block_item *i, uint64_t address, uint64_t *cost,
                            bx_access *to)
{
    *cost += i->cost;
    if (address == BX_TRACE_NO_ACCESS)
        return to;
    bx_access asks = BX_STORE | BX_ACCESS_WHOLE | BX_ACCESS_AUXILIARY;
    asks |= bx_decoder_line(d, address, BX_TOUCH_WRITE);
    return bx_decoder_make_data(d, d->tlb != NULL, address, asks, to);
}

/* The locked operation that follows waits for all accesses before it, and locks the bus. */
static bx_access *lock_bus(const bx_decoder *d, const bx_block_item *i, uint64_t address,
                           uint64_t *cost, bx_access *to)
{
    *cost += i->cost;
    if (address > UINT64_MAX - i->size ||
        (address + i->size - 1) >> d->lines.shift == address >> d->lines.shift)
        return to;
    *to++ = BX_ACCESS_LOCK | bx_decoder_cost(*cost);
    *to++ = i->access & ~(bx_access)bx_decoder_cost(BX_ACCESS_COST_MAX);
    *cost = 0;
    return to;
}

bx_access *bx_item_take_other(bx_decoder *d, const bx_block_item *i, uint64_t address,
                              uint64_t *cost, bx_access *to)
{
    if (i->kind == BX_ITEM_STEER)
        return steer(d, i, address, cost, to);
    return i->kind == BX_ITEM_LOCK_BUS ? lock_bus(d, i, address, cost, to)
                                       : overwrite(d, i, address, cost, to);
}

bx_access *bx_item_see_line(bx_decoder *d, const bx_block_item *i, bx_block_instruction *by,
                            bx_access *to)
{
    bool seen = i->kind == BX_ITEM_DATA ? (i->access & 3) != BX_NON_TEMPORAL
                                        : i->kind != BX_ITEM_REMARK && i->kind < BX_ITEM_STEER;
    if (!seen || by->line == BX_BLOCK_UNSEEN)
        return to;
    by->line = (uint32_t)(to[-1] >> BX_DECODER_ACCESS_LINE_SHIFT);
    return bx_prefetchers_see(d->prefetchers, by->address, to[-1], to);
}

bx_access *bx_decoder_spend_some(bx_decoder *d, uint64_t *cost, uint32_t more, uint32_t most,
                                 bx_access *to)
{
    for (; *cost + more > most; *cost -= BX_ACCESS_COST_MAX)
        *to++ = bx_decoder_line_of(d, d->last->fetched, BX_TOUCH_FETCH) | BX_FETCH |
                bx_decoder_cost(BX_ACCESS_COST_MAX);
    return to;
}
