/* Finds the frames of a process's addresses, through the TLBs of its threads. */
#include "machine/program/decode/pages.h"

#include "base/grow.h"
#include "machine/program/decode/branches.h"
#include "machine/program/decode/kernel_pages.h"

#include <string.h>

/* ---- TLBs ---- */

/* Makes the TLBs of a thread at its first access. */
static bool add_tlb(bx_decoder *d)
{
    bx_tlb **all = bx_grow(d->all, d->tlbs, &d->tlbs_room, sizeof(bx_tlb *), 1);
    if (!all)
        return false;
    d->all = all;
    d->tlb = bx_tlb_new(d->geometry);
    if (!d->tlb)
        return false;
    d->all[d->tlbs++] = d->tlb;
    return true;
}

bool bx_decoder_has_tlb(bx_decoder *d)
{
    if (d->geometry && !d->tlb && !add_tlb(d))
        bx_decoder_no_memory(d, "no memory for its TLBs");
    return d->tlb != NULL;
}

void bx_decoder_thread_end(bx_decoder *d, const bx_decoder_thread *its)
{
    bx_decoder_end_predictor(d, its->branches);
    for (size_t i = 0; i < d->tlbs; i++)
        if (d->all[i] == its->tlb) {
            bx_tlb_counts_add(&d->translated, &its->tlb->counts);
            bx_tlb_free(its->tlb);
            d->all[i] = d->all[--d->tlbs];
        }
    for (bx_call_stacks **link = &d->all_calls; *link; link = &(*link)->next)
        if (*link == its->calls) {
            *link = its->calls->next;
            its->calls->next = NULL;
            bx_call_stacks_free(its->calls);
            return;
        }
}

bx_tlb_counts bx_decoder_translations(const bx_decoder *d)
{
    bx_tlb_counts sum = d->translated;
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_counts_add(&sum, &d->all[i]->counts);
    return sum;
}

void bx_decoder_forget_known(bx_decoder *d)
{
    memset(d->known, 0, sizeof d->known);
}

static void invalidate(bx_decoder *d, uint64_t first, uint64_t pages)
{
    d->fetched.number = 0;
    bx_decoder_forget_known(d);
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_invalidate(d->all[i], first, pages);
}

bx_access *bx_decoder_walk(bx_decoder *d, uint64_t virtual_page, bx_access *to)
{
    enum bx_page_size size =
        bx_address_space_is_huge(d->space, virtual_page) ? BX_PAGE_2M : BX_PAGE_4K;
    bx_access access = *to;
    size_t loads = bx_tlb_translate(d->tlb, d->tables, virtual_page, size, &access, to);
    bx_decoder_retire(d, bx_tlb_retires(d->tlb, &d->retired_as.translations, size, access), to);
    to[loads] = access;
    if (loads && bx_page_tables_out_of_memory(d->tables))
        bx_decoder_no_memory(d, "no memory for its page tables");
    return to + loads + 1;
}

/* Makes a page known, because it is the most recently used page in its set of the TLB. number: page
 * number plus 1. */
static void know(bx_decoder *d, uint64_t number)
{
    const bx_decoder_page *p = &d->page[number % BX_DECODER_PAGES];
    d->known[number % BX_DECODER_KNOWN] = p->number == number ? *p : (bx_decoder_page){0};
}

/* Translates a page that is not the most recently used one of its set. A 4-KiB page replaces the
 * entry of its set in `known`. Huge pages of one set have many entries there, so all are forgotten.
 */
static __attribute__((noinline)) bx_access *translate_other(bx_decoder *d, uint64_t page,
                                                            bx_access *to)
{
    to = bx_tlb_find(d->tlb, BX_TLB_DATA, page) ? to + 1 : bx_decoder_walk(d, page, to);
    if (!bx_tlb_is_recent(d->tlb, BX_TLB_DATA, BX_PAGE_4K, page))
        bx_decoder_forget_known(d);
    return to;
}

bx_access *bx_decoder_translated(bx_decoder *d, uint64_t address, bx_access access, bx_access *to)
{
    uint64_t page = address >> BX_PAGE_SHIFT;
    *to = access;
    to = bx_tlb_repeats(d->tlb, BX_TLB_DATA, page) ? to + 1 : translate_other(d, page, to);
    know(d, page + 1);
    return to;
}

/* ---- pages ---- */

static bx_access ask_for_page(bx_decoder *d, uint64_t number, enum bx_touch how)
{
    bx_page_found found = bx_address_space_touch(d->space, number - 1, how);
    bx_decoder_page *p = found.writable ? &d->page[number % BX_DECODER_PAGES]
                                        : &d->read_only[number % BX_DECODER_PAGES];
    d->page_faults += found.faulted;
    if (found.changed)
        invalidate(d, number - 1, 1);
    if (d->kernel && found.huge)
        bx_decoder_add_faults_of_huge(d, found.frame, number - 1);
    else if (d->kernel && found.made != BX_PAGE_THERE)
        bx_decoder_add_fault(d, (bx_decoder_fault){found.frame, found.from,
                                                   found.made == BX_PAGE_COPIED, number - 1});
    *p = (bx_decoder_page){number, bx_decoder_first_line(d, found.frame)};
    if (how == BX_TOUCH_WRITE) /* the page may have been read from another frame before */
        d->read_only[number % BX_DECODER_PAGES].number = 0;
    return p->line;
}

bx_access bx_decoder_look_up(bx_decoder *d, uint64_t number, enum bx_touch how)
{
    const bx_decoder_page *p = &d->read_only[number % BX_DECODER_PAGES];
    return how != BX_TOUCH_WRITE && p->number == number ? p->line : ask_for_page(d, number, how);
}

void bx_decoder_flush(bx_decoder *d)
{
    memset(d->page, 0, sizeof d->page);
    memset(d->read_only, 0, sizeof d->read_only);
    bx_decoder_forget_known(d);
    d->fetched.number = 0;
}

void bx_decoder_invalidate(bx_decoder *d, uint64_t address, uint64_t bytes)
{
    uint64_t first = address >> BX_PAGE_SHIFT;
    invalidate(d, first, bytes ? ((address + bytes - 1) >> BX_PAGE_SHIFT) - first + 1 : 0);
}

void bx_decoder_migrate(bx_decoder *d, uint64_t page, unsigned node)
{
    bx_decoder_fault f = {.copied = true, .page = page};
    if (!bx_address_space_migrate(d->space, page, node, &f.from, &f.frame))
        return;
    invalidate(d, page, 1);
    bx_decoder_flush(d);
    if (d->kernel)
        bx_decoder_add_fault(d, f);
}

void bx_decoder_migrate_range(bx_decoder *d, uint64_t address, uint64_t bytes)
{
    uint64_t page = address >> BX_PAGE_SHIFT;
    for (uint64_t n; (n = bx_address_space_next(d->space, &page, address + bytes));)
        bx_decoder_migrate(d, n - 1, BX_NODES_MOST);
}

void bx_decoder_migrate_node(bx_decoder *d, unsigned from, unsigned to)
{
    uint64_t page = 0;
    for (uint64_t n; (n = bx_address_space_next(d->space, &page, UINT64_MAX));) {
        unsigned node;
        bool zero;
        if (bx_address_space_node(d->space, n - 1, &node, &zero) && node == from)
            bx_decoder_migrate(d, n - 1, to);
    }
}

void bx_decoder_touch(bx_decoder *d, uint64_t address)
{
    (void)bx_decoder_line(d, address, BX_TOUCH_READ);
}

uint64_t bx_decoder_physical(bx_decoder *d, uint64_t address)
{
    bx_access line = bx_decoder_line(d, address, BX_TOUCH_READ);
    if (bx_address_space_is_zero(d->space, line >> d->lines.frame_shift))
        line = bx_decoder_line(d, address, BX_TOUCH_WRITE);
    return line >> BX_DECODER_ACCESS_LINE_SHIFT << d->lines.shift | (address & d->lines.byte_mask);
}
