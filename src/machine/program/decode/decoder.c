/* Decodes the words of a trace: descriptions and executions of blocks become accesses. */
#include "machine/program/decode/decoder.h"

#include "machine/program/decode/blocks.h"
#include "machine/program/decode/branches.h"
#include "machine/program/decode/kernel_pages.h"
#include "machine/program/decode/non_temporal.h"
#include "machine/program/decode/pages.h"
#include "machine/program/decode/thread_order.h"
#include "model/part/prefetchers.h"

enum { KIND_AND_FLAGS = (1 << BX_DECODER_ACCESS_COST_SHIFT) - 1 };

void bx_decoder_retire_to(bx_decoder *d, bx_retire_to to)
{
    d->retires = to;
    d->retires_full = to.end - BX_DECODER_RETIREMENTS;
}

const bx_retirement *bx_decoder_retired_end(const bx_decoder *d)
{
    return d->retires.next;
}

bool bx_decoder_retired_is_full(const bx_decoder *d)
{
    return d->retires.next > d->retires_full;
}

const char *bx_decoder_malformed(const bx_decoder *d)
{
    return d->malformed;
}

bool bx_decoder_out_of_memory(const bx_decoder *d)
{
    return d->no_memory;
}

/* ---- descriptions ---- */

/* Forgets the exit of the last block, except its last fetched line. */
static void forget_exit(bx_decoder *d)
{
    d->before.fetched = d->last->fetched;
    d->last = &d->before;
}

/* words: the block's number, then the entries. */
static const char *read_description(bx_decoder *d, const uint64_t *words, size_t entries)
{
    uint64_t number = words[0];
    forget_exit(d); /* the description may replace its block */
    if (number >= BX_TRACE_BLOCKS)
        return "a block number that is too large";
    const char *wrong = bx_draft_draw_up(&d->draft, words + 1, entries);
    if (wrong)
        return wrong;
    bx_decoder_forget_branches(d, words + 1, entries);
    d->no_memory = !bx_decoder_keep_block(d, number);
    return d->no_memory ? "no memory for its blocks" : NULL;
}

/* ---- executions ---- */

/* Makes a data access that crosses lines, is guarded, or is non-temporal. *cost: cycles that are
 * not yet part of an access, before and after this call. */
static bx_access *take_closely(bx_decoder *d, const bx_block_item *i, uint64_t address,
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

static void fetch_first(bx_decoder *d, bx_block_item *i)
{
    i->access =
        bx_decoder_line_of(d, i->access, BX_TOUCH_FETCH) | BX_FETCH | bx_decoder_cost(i->cost);
    i->kind = BX_ITEM_FETCH;
}

/* Makes a fetch with TLBs. A fetch from the same page as the last one needs no look-up. */
static inline bx_access *fetch_translated(bx_decoder *d, const bx_block_item *i, uint64_t cost,
                                          bx_access *to)
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

/* A prefetch to a page that is not in memory does nothing: it raises no page fault (253666,
 * PREFETCHh). A flush is a load of its page. */
static __attribute__((noinline)) bx_access *steer(bx_decoder *d, const bx_block_item *i,
                                                  uint64_t address, uint64_t *cost, bx_access *to)
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
static __attribute__((noinline)) bx_access *
overwrite(bx_decoder *d, const bx_block_item *i, uint64_t address, uint64_t *cost, bx_access *to)
{
    *cost += i->cost;
    if (address == BX_TRACE_NO_ACCESS)
        return to;
    bx_access asks = BX_STORE | BX_ACCESS_WHOLE | BX_ACCESS_AUXILIARY;
    asks |= bx_decoder_line(d, address, BX_TOUCH_WRITE);
    return bx_decoder_make_data(d, d->tlb != NULL, address, asks, to);
}

/* The locked operation that follows waits for all accesses before it, and locks the bus. */
static __attribute__((noinline, cold)) bx_access *lock_bus(const bx_decoder *d,
                                                           const bx_block_item *i, uint64_t address,
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

/* Makes what an item makes that is neither a data access nor a fetch. */
static __attribute__((noinline)) bx_access *
take_other(bx_decoder *d, const bx_block_item *i, uint64_t address, uint64_t *cost, bx_access *to)
{
    if (i->kind == BX_ITEM_STEER)
        return steer(d, i, address, cost, to);
    return i->kind == BX_ITEM_LOCK_BUS ? lock_bus(d, i, address, cost, to)
                                       : overwrite(d, i, address, cost, to);
}

/* Makes the accesses of an item. *cost: cycles of earlier instructions that no access has yet. */
static inline __attribute__((always_inline)) bx_access *take(bx_decoder *d, bx_block_item *i,
                                                             const uint64_t *words, bool tlb,
                                                             uint64_t *cost, bx_access *to)
{
    bx_access access = i->access;
    if (i->kind == BX_ITEM_DATA) {
        uint64_t address = words[i->word];
        if (__builtin_expect((int)(address & d->lines.byte_mask) > i->last, 0)) {
            uint64_t rest = *cost; /* a copy, so that the compiler keeps `cost` in a register */
            bx_access *next = take_closely(d, i, address, &rest, to);
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
        to = fetch_translated(d, i, *cost, to);
        *cost = 0;
        return to;
    }
    if (__builtin_expect(i->kind >= BX_ITEM_UNKNOWN, 0)) {
        if (i->kind >= BX_ITEM_STEER) {
            uint64_t rest = *cost; /* as above */
            bx_access *next = take_other(d, i, words[i->word], &rest, to);
            *cost = rest;
            return next;
        }
        fetch_first(d, i);
        access = i->access;
    }
    *to = access + bx_decoder_cost(*cost);
    *cost = 0;
    return to + 1;
}

/* Adds the accesses of the prefetchers after an access in another line than this item's last one.
 * `to` is the end of that access. */
static __attribute__((noinline)) bx_access *see_line(bx_decoder *d, const bx_block_item *i,
                                                     bx_block_instruction *by, bx_access *to)
{
    bool seen = i->kind == BX_ITEM_DATA ? (i->access & 3) != BX_NON_TEMPORAL
                                        : i->kind != BX_ITEM_REMARK && i->kind < BX_ITEM_STEER;
    if (!seen || by->line == BX_BLOCK_UNSEEN)
        return to;
    by->line = (uint32_t)(to[-1] >> BX_DECODER_ACCESS_LINE_SHIFT);
    return bx_prefetchers_see(d->prefetchers, by->address, to[-1], to);
}

static inline bx_access *prefetch(bx_decoder *d, const bx_block_item *i, bx_block_instruction *by,
                                  bx_access *to)
{
    return (uint32_t)(to[-1] >> BX_DECODER_ACCESS_LINE_SHIFT) == by->line ? to
                                                                          : see_line(d, i, by, to);
}

static inline __attribute__((always_inline)) bx_access *
take_and_prefetch(bx_decoder *d, bx_block_item *i, bx_block_instruction *by, const uint64_t *words,
                  bool tlb, uint64_t *cost, bx_access *to)
{
    bx_access *next = take(d, i, words, tlb, cost, to);
    return next == to ? to : prefetch(d, i, by, next);
}

/* Makes cycles beyond `most` the cost of additional fetches of the last fetched line. */
static bx_access *spend_some(bx_decoder *d, uint64_t *cost, uint32_t more, uint32_t most,
                             bx_access *to)
{
    for (; *cost + more > most; *cost -= BX_ACCESS_COST_MAX)
        *to++ = bx_decoder_line_of(d, d->last->fetched, BX_TOUCH_FETCH) | BX_FETCH |
                bx_decoder_cost(BX_ACCESS_COST_MAX);
    return to;
}

static inline bx_access *spend(bx_decoder *d, uint64_t *cost, uint32_t more, uint32_t most,
                               bx_access *to)
{
    return *cost + more > most ? spend_some(d, cost, more, most, to) : to;
}

/* ---- remarks ---- */

static inline bool is_misaligned(const bx_block_item *i, const uint64_t *words)
{
    uint64_t address = words[i->word], first = address % 8;
    return first + i->size > 8 && first && address <= UINT64_MAX - i->size;
}

/* Behind the accesses of an item. */
static inline bx_access *remark_item(const bx_block_item *i, const uint64_t *words, bx_access *to)
{
    if (i->kind == BX_ITEM_DATA && __builtin_expect(is_misaligned(i, words), 0))
        *to++ = bx_decoder_remark(BX_REMARK_MISALIGNED, 0);
    return to;
}

/* Behind all items. After the remark of a branch, no cost remains for its exit. */
static inline bx_access *remark_exit(const bx_block_exit *left, uint64_t *cost, bx_access *to)
{
    if (!(left->number & BX_BLOCK_LEFT_TAKEN))
        return to;
    *to = bx_decoder_remark(BX_REMARK_TAKEN, 0) | bx_decoder_cost(*cost);
    *cost = 0;
    return to + 1;
}

/* ---- executions of blocks ---- */

/* Before the first block of a thread: sets the line whose fetches take costs that are too large. */
static void know_line(bx_decoder *d, const bx_block_exit *left)
{
    if (d->last->fetched == BX_BLOCK_NO_LINE)
        d->last->fetched = bx_block_with(left)->first_line;
}

/* The number of the last instruction before an exit. */
static inline uint32_t last_code(const bx_block *b, const bx_block_exit *left)
{
    return b->code[left->number % BX_BLOCK_LEFT_TAKEN];
}

/* What comes after the call, or the return, is in another context. */
static __attribute__((noinline)) void follow_call(bx_decoder *d, const bx_block_note *at,
                                                  uint64_t slot)
{
    if (!bx_decoder_has_calls(d))
        return;
    bx_decoder_enter(d, at->turn == BX_TURN_CALL
                            ? bx_call_stacks_call(d->calls, d->witness, at->code, slot)
                            : bx_call_stacks_return(d->calls, d->witness, slot));
}

/* What is noted: nothing, the instructions of accesses, or also the objects that they use. */
enum notes { NO_NOTES, NOTES, NOTES_OF_OBJECTS };

static inline uint32_t object_of_item(bx_decoder *d, const bx_block_note *at, uint64_t address)
{
    if (at->data)
        return bx_decoder_object(d, address);
    return at->address ? BX_OBJECT_CODE : BX_OBJECT_NONE;
}

static __attribute__((noinline)) bx_who *note_several(bx_who *who, size_t n, const bx_who *of)
{
    while (n--)
        *who++ = *of;
    return who;
}

/* Notes who has made the accesses of an item: n from *who on. A fetch is at its line. */
static inline __attribute__((always_inline)) bx_who *
note_item(bx_decoder *d, const bx_block_note *at, const bx_block_item *i, const uint64_t *words,
          bool objects, bx_who *who, size_t n)
{
    uint64_t address = at->data ? words[i->word] : at->address;
    uint32_t object = objects && n ? object_of_item(d, at, address) : 0;
    if (__builtin_expect(n == 1, 1)) /* most make one */
        *who++ = (bx_who){address, at->code, d->context, object};
    else
        who = note_several(who, n, &(bx_who){address, at->code, d->context, object});
    if (__builtin_expect(at->turn, 0))
        follow_call(d, at, address);
    return who;
}

/* The same, wherever they are. */
static void note_items_accesses(bx_decoder *d, const bx_block *b, const bx_block_item *i,
                                const uint64_t *words, const bx_access *from, const bx_access *to)
{
    note_item(d, &b->note[i - b->item], i, words, d->objects, bx_decoder_who(d, from),
              (size_t)(to - from));
}

/* The same as the loop of execute(), for a large cost from before the block. A fetch may carry the
 * largest cost; for other accesses, spend() reduces it first. */
static __attribute__((noinline, cold)) bx_access *
take_with_care(bx_decoder *d, bx_block *b, bx_block_item *i, const bx_block_item *end,
               const bx_block_exit *left, const uint64_t *words, uint64_t *cost, bx_access *to)
{
    know_line(d, left);
    for (; i < end; i++) {
        bx_access *from = to;
        to = spend(d, cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == BX_ITEM_DATA), to);
        to = b->by ? take_and_prefetch(d, i, &b->by[i - b->item], words, d->tlb != NULL, cost, to)
                   : take(d, i, words, d->tlb != NULL, cost, to);
        if (d->draft.remarks)
            to = remark_item(i, words, to);
        if (b->note)
            note_items_accesses(d, b, i, words, from, to);
    }
    bx_access *from = to;
    to = spend(d, cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    if (d->draft.remarks)
        to = remark_exit(left, cost, to);
    if (b->note)
        bx_decoder_note(d, from, to, (bx_who){.code = last_code(b, left)});
    return to;
}

/* The previous block loaded a register from which an address comes: from now on, accesses wait for
 * such loads. */
static __attribute__((noinline)) void await_loads(bx_block_exit *left, uint16_t registers)
{
    const bx_block *b = bx_block_with(left);
    for (unsigned i = 0; i < left->items; i++)
        if (b->kept[i] & registers)
            b->item[i].access |= BX_ACCESS_DEPENDENT;
    left->kept &= (uint16_t)~registers;
}

/* Ends an execution. The parts of cycles that blocks leave over add up to whole cycles. */
static inline void leave(bx_decoder *d, bx_block_exit *left, uint64_t cost, bool timed)
{
    d->cost = (uint32_t)(cost + left->cost);
    if (timed) {
        d->part += left->part;
        if (d->part >= d->draft.slot.d) {
            d->part -= d->draft.slot.d;
            d->cost++;
        }
    }
    d->last = left;
    left->executions++;
}

/* Whether an access of the block could exceed the largest cost of an access. */
static inline bool is_much(const bx_block *b, uint64_t cost, bool timed)
{
    return timed ? cost + b->cost >= BX_ACCESS_COST_MAX
                 : cost > BX_ACCESS_COST_MAX - BX_BLOCK_INSTRUCTIONS;
}

static inline __attribute__((always_inline)) bx_access *
execute(bx_decoder *d, bx_block *b, bx_block_exit *left, const uint64_t *words, bool remarks,
        bool timed, bool tlb, bool prefetches, enum notes notes, bx_access *to)
{
    bx_block_item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    bx_block_exit *last = d->last;
    if (__builtin_expect(last->kept & b->needed, 0))
        await_loads(last, last->kept & b->needed);
    if (last->fetched == b->first_line)
        cost += i++->cost;
    if (__builtin_expect(is_much(b, cost, timed), 0)) {
        uint64_t rest = cost; /* a copy, so that the compiler keeps `cost` in a register */
        to = take_with_care(d, b, i, end, left, words, &rest, to);
        cost = rest;
    } else {
        bx_block_instruction *by = prefetches ? &b->by[i - b->item] : NULL;
        const bx_block_note *at = notes ? &b->note[i - b->item] : NULL;
        bx_who *who = notes ? bx_decoder_who(d, to) : NULL;
        for (; i < end; i++) {
            const bx_access *from = to;
            to = prefetches ? take_and_prefetch(d, i, by++, words, tlb, &cost, to)
                            : take(d, i, words, tlb, &cost, to);
            if (remarks)
                to = remark_item(i, words, to);
            if (notes)
                who = note_item(d, at++, i, words, notes == NOTES_OF_OBJECTS, who,
                                (size_t)(to - from));
        }
        bx_access *from = to;
        if (remarks)
            to = remark_exit(left, &cost, to);
        if (remarks && notes)
            bx_decoder_note(d, from, to, (bx_who){.code = last_code(b, left)});
    }
    leave(d, left, cost, timed);
    return to;
}

/* As execute(), for a process with several threads. first: where the decoded accesses begin. */
static bx_access *execute_in_order(bx_decoder *d, bx_block *b, bx_block_exit *left,
                                   const uint64_t *words, bx_access *to, const bx_access *first)
{
    bx_block_item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    bx_block_exit *last = d->last;
    if (last->kept & b->needed)
        await_loads(last, last->kept & b->needed);
    if (last->fetched == b->first_line)
        cost += i++->cost;
    know_line(d, left);
    for (; i < end; i++) {
        uint64_t address = i->kind == BX_ITEM_DATA ? words[i->word] : 0;
        bx_access *from = to;
        to = spend(d, &cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == BX_ITEM_DATA), to);
        size_t at = (size_t)(to - first);
        to = take(d, i, words, d->tlb != NULL, &cost, to);
        size_t made = (size_t)(to - first); /* the access itself is last, after its page walk */
        if (i->kind == BX_ITEM_DATA && address <= UINT64_MAX - i->size)
            bx_decoder_order_access(d, i, address, at, d->tlb && made > at ? made : at + 1);
        if (b->by && made > at)
            to = prefetch(d, i, &b->by[i - b->item], to);
        if (b->note)
            note_items_accesses(d, b, i, words, from, to);
    }
    bx_access *from = to;
    to = spend(d, &cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    if (b->note)
        bx_decoder_note(d, from, to, (bx_who){.code = last_code(b, left)});
    leave(d, left, cost, true);
    return to;
}

/* ---- records ---- */

/* Decodes one record other than an execution. Returns its number of words. 0: another component
 * handles the record, or it is not complete. */
static size_t read_control(bx_decoder *d, const uint64_t *words, size_t n)
{
    if (bx_trace_control_kind(*words) != BX_TRACE_BLOCK)
        return 0;
    int length = bx_trace_record_words(words, n);
    if (length < 0)
        d->malformed = "a description that is too long";
    else if (length > 0)
        d->malformed = read_description(d, words + 1, (size_t)length - 2);
    d->stops |= d->malformed != NULL;
    return d->malformed ? 0 : (size_t)length;
}

static bx_block *block_of(const bx_decoder *d, uint64_t word)
{
    uint64_t number = word >> BX_TRACE_EXIT_BITS;
    bx_block *b = number < d->room ? d->block[number] : NULL;
    return b && word % BX_TRACE_EXITS < b->exits ? b : NULL;
}

/* `more` accesses were inserted at `from`: retirements after that point move behind them. */
static void put_off(bx_decoder *d, const bx_access *from, size_t more)
{
    if (!d->retired)
        return;
    uint32_t at = (uint32_t)(from - d->retires.origin);
    for (bx_retirement *r = d->retires.next; r > d->retires.begin && r[-1].before > at; r--)
        r[-1].before += (uint32_t)more;
}

/* Inline, so that each variant below contains only the code that it needs. */
static inline __attribute__((always_inline)) size_t
read_records(bx_decoder *d, const uint64_t *words, size_t n, bool remarks, bool timed, bool ordered,
             bool tlb, bool prefetches, enum notes notes, bx_access **to, bx_access *full,
             const bx_access *first)
{
    const uint64_t *p = words, *end = words + n;
    bx_access *next = *to, *last = next; /* last: the beginning of the last execution */
    while (p < end && full - next >= BX_DECODER_BURST && !d->stops &&
           !bx_decoder_retired_is_full(d)) {
        if (*p & BX_TRACE_CONTROL) {
            size_t taken = read_control(d, p, (size_t)(end - p));
            if (taken == 0)
                break;
            p += taken;
            continue;
        }
        bx_block *b = block_of(d, *p);
        if (!b) {
            d->malformed = "a block that was not described";
            d->stops = true;
            break;
        }
        bx_block_exit *left = &b->exit[*p % BX_TRACE_EXITS];
        if (left->words > end - p)
            break;
        const uint64_t *behind = p + left->words;
        last = next;
        if (d->told_late)
            next = bx_decoder_arrive(d, b->first, next);
        bx_decoder_retire(d, left->retires, next);
        next = ordered ? execute_in_order(d, b, left, p, next, first)
                       : execute(d, b, left, p, remarks, timed, tlb, prefetches, notes, next);
        if (notes)
            d->code = last_code(b, left);
        if (left->branches)
            next = bx_decoder_predict_block(d, b, left, d->code, next);
        p = behind;
    }
    if (d->faults && !d->writers) { /* otherwise cuts, which are indices, would be wrong */
        size_t more = bx_decoder_make_pages(d, last, (size_t)(next - last), (size_t)(full - last));
        put_off(d, last, more);
        next += more;
    }
    *to = next;
    return (size_t)(p - words);
}

static __attribute__((noinline)) size_t read_remarking(bx_decoder *d, const uint64_t *words,
                                                       size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, true, true, false, d->tlb != NULL, d->prefetchers != NULL,
                        NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated(bx_decoder *d, const uint64_t *words,
                                                        size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, false, NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_prefetching(bx_decoder *d, const uint64_t *words,
                                                         size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, true, NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated_prefetching(bx_decoder *d,
                                                                    const uint64_t *words, size_t n,
                                                                    bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, true, NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_in_order(bx_decoder *d, const uint64_t *words,
                                                      size_t n, bx_access **to, bx_access *full,
                                                      const bx_access *first)
{
    return read_records(d, words, n, false, true, true, false, false, NO_NOTES, to, full, first);
}

static __attribute__((noinline)) size_t read_timed(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, false, NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_plain(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, false, false, false, false, NO_NOTES, to, full, NULL);
}

/* With notes, there are variants for the usual cases: without anything else, and with all. Else it
 * is looked up for each access. */
#define NOTING(name, timed, tlb, prefetches, notes)                                                \
    static __attribute__((noinline)) size_t name(bx_decoder *d, const uint64_t *words, size_t n,   \
                                                 bx_access **to, bx_access *full)                  \
    {                                                                                              \
        return read_records(d, words, n, false, timed, false, tlb, prefetches, notes, to, full,    \
                            NULL);                                                                 \
    }
NOTING(note_plain, false, false, false, NOTES)
NOTING(note_plain_objects, false, false, false, NOTES_OF_OBJECTS)
NOTING(note_all, true, true, true, NOTES)
NOTING(note_all_objects, true, true, true, NOTES_OF_OBJECTS)

static __attribute__((noinline)) size_t note_any(bx_decoder *d, const uint64_t *words, size_t n,
                                                 bx_access **to, bx_access *full,
                                                 const bx_access *first)
{
    return read_records(d, words, n, d->draft.remarks, d->draft.core.width || d->draft.remarks,
                        d->writers != NULL, d->tlb != NULL, d->prefetchers != NULL,
                        d->objects ? NOTES_OF_OBJECTS : NOTES, to, full, first);
}

static size_t read_noting(bx_decoder *d, const uint64_t *words, size_t n, bx_access **to,
                          bx_access *full, const bx_access *first)
{
    bool timed = d->draft.core.width;
    if (d->draft.remarks || d->writers || timed != (d->tlb != NULL) ||
        timed != (d->prefetchers != NULL))
        return note_any(d, words, n, to, full, first);
    if (timed)
        return d->objects ? note_all_objects(d, words, n, to, full)
                          : note_all(d, words, n, to, full);
    return d->objects ? note_plain_objects(d, words, n, to, full)
                      : note_plain(d, words, n, to, full);
}

static size_t read_some(bx_decoder *d, const uint64_t *words, size_t n, bx_access **to,
                        bx_access *full, const bx_access *first)
{
    if (d->witness)
        return read_noting(d, words, n, to, full, first);
    if (d->draft.remarks)
        return read_remarking(d, words, n, to, full);
    if (d->writers)
        return read_in_order(d, words, n, to, full, first);
    if (d->prefetchers)
        return d->tlb ? read_translated_prefetching(d, words, n, to, full)
                      : read_prefetching(d, words, n, to, full);
    if (d->tlb)
        return read_translated(d, words, n, to, full);
    if (d->draft.core.width)
        return read_timed(d, words, n, to, full);
    return read_plain(d, words, n, to, full);
}

size_t bx_decoder_read(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to, size_t room,
                       size_t *made)
{
    bx_access *next = to, *full = to + room;
    size_t read = 0, taken;
    d->cuts = 0;
    bx_decoder_has_tlb(d);
    bx_decoder_has_predictor(d);
    do {
        next += bx_decoder_make_pages(d, next, 0, (size_t)(full - next));
        taken = d->stops ? 0 : read_some(d, words + read, n - read, &next, full, to);
        read += taken;
    } while (taken && read < n);
    *made = (size_t)(next - to);
    return read;
}

bx_decoder_thread bx_decoder_switch(bx_decoder *d, bx_decoder_thread to)
{
    uint64_t fetched = d->last->fetched;
    bx_decoder_thread from = {fetched != BX_BLOCK_NO_LINE,
                              d->cost,
                              d->part,
                              d->code,
                              fetched,
                              d->combining,
                              d->tlb,
                              d->calls,
                              d->branches};
    forget_exit(d);
    d->before.fetched = to.fetches ? to.fetched : BX_BLOCK_NO_LINE;
    d->cost = to.cost;
    d->part = to.part;
    d->code = to.code ? to.code : BX_CODE_KERNEL;
    d->combining = to.combining;
    d->tlb = to.tlb;
    d->calls = to.calls;
    bx_decoder_enter(d, to.calls ? to.calls->context : 0);
    d->branches = to.branches;
    d->told_late = to.branches && (to.branches->pends || to.branches->bogus);
    bx_decoder_forget_known(d);
    d->fetched.number = 0;
    return from;
}

/* Whether something retires after all accesses. */
static bool retires_at(const bx_decoder *d, const bx_access *to)
{
    return d->retired && d->retires.next > d->retires.begin &&
           d->retires.next[-1].before == to - d->retires.origin;
}

size_t bx_decoder_settle(bx_decoder *d, bx_access *to)
{
    uint32_t cost = d->cost;
    d->cost = 0;
    if ((cost == 0 && !retires_at(d, to)) || d->last->fetched == BX_BLOCK_NO_LINE)
        return 0;
    *to =
        bx_decoder_line_of(d, d->last->fetched, BX_TOUCH_FETCH) | BX_FETCH | bx_decoder_cost(cost);
    if (d->witness)
        bx_decoder_note(d, to, to + 1, (bx_who){.code = d->code});
    return 1;
}

size_t bx_decoder_end(bx_decoder *d, bx_access *to)
{
    size_t n = d->combining.n;
    if (!n)
        return bx_decoder_settle(d, to);
    for (size_t i = 0; i < n; i++)
        to[i] = bx_decoder_write_combined(d, d->combining.of[i], i ? 0 : d->cost);
    if (d->witness)
        bx_decoder_note(d, to, to + n, (bx_who){.code = d->code});
    d->combining.n = 0;
    d->cost = 0;
    return n;
}
