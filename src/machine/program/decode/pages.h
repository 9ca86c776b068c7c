/* The frames of a process's addresses, found through the TLBs of its threads. */
#ifndef BX_MACHINE_PROGRAM_DECODE_PAGES_H
#define BX_MACHINE_PROGRAM_DECODE_PAGES_H

#include "machine/program/decode/decoder_state.h"

/* Whether threads have TLBs. Makes the TLBs of a thread at its first access. */
bool bx_decoder_has_tlb(bx_decoder *d);

/* Forgets the known pages, because another thread runs, or pages have changed. */
void bx_decoder_forget_known(bx_decoder *d);

/* Inserts the page walk before *to, an access to the page. Returns the end of the accesses. */
bx_access *bx_decoder_walk(bx_decoder *d, uint64_t virtual_page, bx_access *to);

/* The first line of a page that is not remembered as writable. number: page number plus 1. */
bx_access bx_decoder_look_up(bx_decoder *d, uint64_t number, enum bx_touch how);

/* The line of an address in its page, as in a bx_access. */
static inline bx_access bx_decoder_line_in_page(const bx_decoder *d, uint64_t address)
{
    return (address & d->lines.in_page_mask) * d->lines.factor;
}

/* How an access touches its page. kind: BX_LOAD or BX_STORE, or another one that does not write. */
static inline enum bx_touch bx_decoder_touch_of(bx_access kind)
{
    return kind == BX_STORE ? BX_TOUCH_WRITE : BX_TOUCH_READ;
}

/* The physical line of an address, as in a bx_access. */
static inline __attribute__((always_inline)) bx_access
bx_decoder_line(bx_decoder *d, uint64_t address, enum bx_touch how)
{
    uint64_t number = (address >> BX_PAGE_SHIFT) + 1;
    const bx_decoder_page *p = &d->page[number % BX_DECODER_PAGES];
    bx_access line =
        __builtin_expect(p->number == number, 1) ? p->line : bx_decoder_look_up(d, number, how);
    return line | bx_decoder_line_in_page(d, address);
}

/* Writes a data access after its page walk. Only for threads with TLBs. */
bx_access *bx_decoder_translated(bx_decoder *d, uint64_t address, bx_access access, bx_access *to);

/* The same, with or without TLBs (tlb). */
static inline bx_access *bx_decoder_make_data(bx_decoder *d, bool tlb, uint64_t address,
                                              bx_access access, bx_access *to)
{
    if (tlb)
        return bx_decoder_translated(d, address, access, to);
    *to = access;
    return to + 1;
}

/* The physical line of a virtual line. */
static inline bx_access bx_decoder_line_of(bx_decoder *d, uint64_t line, enum bx_touch how)
{
    return bx_decoder_line(d, line << d->lines.shift, how);
}

/* Writes a load or store of that address after its page walk, with TLBs. access: without its line.
 * Most pages are known: one look-up then gives the frame and shows that no TLB changes. */
static inline __attribute__((always_inline)) bx_access *
bx_decoder_take_data(bx_decoder *d, uint64_t address, bx_access access, bx_access *to)
{
    uint64_t number = (address >> BX_PAGE_SHIFT) + 1;
    const bx_decoder_page *known = &d->known[number % BX_DECODER_KNOWN];
    if (__builtin_expect(known->number == number, 1)) {
        *to = access | known->line | bx_decoder_line_in_page(d, address);
        return to + 1;
    }
    access |= bx_decoder_line(d, address, bx_decoder_touch_of(access & 3));
    return bx_decoder_translated(d, address, access, to);
}

#endif
