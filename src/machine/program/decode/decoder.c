/* Decodes the words of a trace: descriptions and executions of blocks become accesses. */
#include "machine/program/decode/decoder.h"

#include "machine/program/decode/blocks.h"
#include "machine/program/decode/branches.h"
#include "machine/program/decode/items.h"
#include "machine/program/decode/kernel_pages.h"
#include "machine/program/decode/non_temporal.h"
#include "machine/program/decode/notes.h"
#include "machine/program/decode/thread_order.h"

enum { BLOCKS_BACK = 8 }; /* blocks in which the load that a later block awaits is looked for */

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
    d->held = 0;
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

/* ---- executions of blocks ---- */

/* Before the first block of a thread: sets the line whose fetches take costs that are too large. */
static void know_line(bx_decoder *d, const bx_block_exit *left)
{
    if (d->last->fetched == BX_BLOCK_NO_LINE)
        d->last->fetched = bx_block_with(left)->first_line;
}

/* The same as the loop of execute(), for a large cost from before the block. A fetch may carry the
 * largest cost; for other accesses, bx_decoder_spend() reduces it first. */
static __attribute__((noinline, cold)) bx_access *
take_with_care(bx_decoder *d, bx_block *b, bx_block_item *i, const bx_block_item *end,
               const bx_block_exit *left, const uint64_t *words, uint64_t *cost, bx_access *to)
{
    know_line(d, left);
    for (; i < end; i++) {
        bx_access *from = to;
        to = bx_decoder_spend(d, cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == BX_ITEM_DATA), to);
        to = b->by ? bx_item_take_and_prefetch(d, i, &b->by[i - b->item], words, d->tlb != NULL,
                                               cost, to)
                   : bx_item_take(d, i, words, d->tlb != NULL, cost, to);
        if (d->draft.remarks)
            to = bx_item_remark(i, words, to);
        if (b->note)
            bx_note_accesses(d, b, i, words, from, to);
    }
    bx_access *from = to;
    to = bx_decoder_spend(d, cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    if (d->draft.remarks)
        to = bx_exit_remark(left, cost, to);
    if (b->note)
        bx_decoder_note(d, from, to, (bx_who){.code = bx_block_last_code(b, left)});
    return to;
}

/* An address comes from these registers, which this exit has left with values of loads: from now
 * on, accesses wait for such loads. */
static void await_loads_of(bx_block_exit *left, uint16_t registers)
{
    const bx_block *b = bx_block_with(left);
    for (unsigned i = 0; i < left->items; i++)
        if (b->kept[i] & registers)
            b->item[i].access |= BX_ACCESS_DEPENDENT;
    left->kept &= (uint16_t)~registers;
}

/* The same, for registers that one of the last blocks has loaded and the others have passed on. */
static __attribute__((noinline)) void await_loads(bx_decoder *d, uint16_t registers)
{
    bx_block_exit *left = d->last;
    d->held &= (uint16_t)~registers;
    for (unsigned n = 0; registers && n < BLOCKS_BACK; n++, left = left->previous) {
        if (left->kept & registers)
            await_loads_of(left, left->kept & registers);
        registers &= left->passes;
    }
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
    d->held = (d->held & left->passes) | left->kept;
    left->previous = d->last;
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
        bool timed, bool tlb, bool prefetches, enum bx_notes notes, bx_access *to)
{
    bx_block_item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    if (__builtin_expect(d->held & b->needed, 0))
        await_loads(d, d->held & b->needed);
    if (d->last->fetched == b->first_line)
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
            to = prefetches ? bx_item_take_and_prefetch(d, i, by++, words, tlb, &cost, to)
                            : bx_item_take(d, i, words, tlb, &cost, to);
            if (remarks)
                to = bx_item_remark(i, words, to);
            if (notes)
                who = bx_note_item(d, at++, i, words, notes == BX_NOTES_OF_OBJECTS, who,
                                   (size_t)(to - from));
        }
        bx_access *from = to;
        if (remarks)
            to = bx_exit_remark(left, &cost, to);
        if (remarks && notes)
            bx_decoder_note(d, from, to, (bx_who){.code = bx_block_last_code(b, left)});
    }
    leave(d, left, cost, timed);
    return to;
}

/* The core has the bytes of a load in a store of its own, which waits for nothing. */
static inline void forward(bx_access *load)
{
    if (bx_access_kind_of(*load) == BX_LOAD)
        *load = (*load | BX_ACCESS_FORWARDED) & ~(bx_access)BX_ACCESS_DEPENDENT;
}

/* As execute(), for a process with several threads. first: where the decoded accesses begin. */
static bx_access *execute_in_order(bx_decoder *d, bx_block *b, bx_block_exit *left,
                                   const uint64_t *words, bx_access *to, const bx_access *first)
{
    bx_block_item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    if (d->held & b->needed)
        await_loads(d, d->held & b->needed);
    if (d->last->fetched == b->first_line)
        cost += i++->cost;
    know_line(d, left);
    for (; i < end; i++) {
        uint64_t address = i->kind == BX_ITEM_DATA ? words[i->word] : 0;
        bx_access *from = to;
        to =
            bx_decoder_spend(d, &cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == BX_ITEM_DATA), to);
        size_t at = (size_t)(to - first);
        to = bx_item_take(d, i, words, d->tlb != NULL, &cost, to);
        size_t made = (size_t)(to - first); /* the access itself is last, after its page walk */
        if (i->kind == BX_ITEM_DATA && address <= UINT64_MAX - i->size &&
            bx_decoder_order_access(d, i, address, at, d->tlb && made > at ? made : at + 1) &&
            made > at)
            forward(&to[-1]);
        if (b->by && made > at)
            to = bx_item_prefetch(d, i, &b->by[i - b->item], to);
        if (b->note)
            bx_note_accesses(d, b, i, words, from, to);
    }
    bx_access *from = to;
    to = bx_decoder_spend(d, &cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    if (b->note)
        bx_decoder_note(d, from, to, (bx_who){.code = bx_block_last_code(b, left)});
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

/* `more` accesses were inserted at `from`: retirements after that point move after them. */
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
             bool tlb, bool prefetches, enum bx_notes notes, bx_access **to, bx_access *full,
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
            d->code = bx_block_last_code(b, left);
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
                        BX_NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated(bx_decoder *d, const uint64_t *words,
                                                        size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, false, BX_NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_prefetching(bx_decoder *d, const uint64_t *words,
                                                         size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, true, BX_NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated_prefetching(bx_decoder *d,
                                                                    const uint64_t *words, size_t n,
                                                                    bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, true, BX_NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_in_order(bx_decoder *d, const uint64_t *words,
                                                      size_t n, bx_access **to, bx_access *full,
                                                      const bx_access *first)
{
    return read_records(d, words, n, false, true, true, false, false, BX_NO_NOTES, to, full, first);
}

static __attribute__((noinline)) size_t read_timed(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, false, BX_NO_NOTES, to, full, NULL);
}

static __attribute__((noinline)) size_t read_plain(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, false, false, false, false, BX_NO_NOTES, to, full,
                        NULL);
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
NOTING(note_plain, false, false, false, BX_NOTES)
NOTING(note_plain_objects, false, false, false, BX_NOTES_OF_OBJECTS)
NOTING(note_all, true, true, true, BX_NOTES)
NOTING(note_all_objects, true, true, true, BX_NOTES_OF_OBJECTS)

static __attribute__((noinline)) size_t note_any(bx_decoder *d, const uint64_t *words, size_t n,
                                                 bx_access **to, bx_access *full,
                                                 const bx_access *first)
{
    return read_records(d, words, n, d->draft.remarks, d->draft.core.width || d->draft.remarks,
                        d->writers != NULL, d->tlb != NULL, d->prefetchers != NULL,
                        d->objects ? BX_NOTES_OF_OBJECTS : BX_NOTES, to, full, first);
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
