/* The accesses that a kernel makes for new pages of a program. */
#include "machine/program/decode/kernel_pages.h"

#include "base/grow.h"

#include <string.h>

enum {
    FAULTS = 16, /* usual number of faults in one burst */
    ACCESSES_MOST = 2 * (1 << BX_PAGE_SHIFT) / BX_LINE_BYTES_LEAST, /* of a page */
};

void bx_decoder_add_fault(bx_decoder *d, bx_decoder_fault f)
{
    bx_decoder_fault *all = bx_grow(d->fault, d->faults, &d->faults_room, sizeof *all, FAULTS);
    if (!all) {
        bx_decoder_no_memory(d, "no memory for its pages");
        return;
    }
    d->fault = all;
    d->fault[d->faults++] = f;
    d->stops = true;
}

uint64_t bx_decoder_take_page_faults(bx_decoder *d)
{
    uint64_t n = d->page_faults;
    d->page_faults = 0;
    return n;
}

void bx_decoder_add_faults_of_huge(bx_decoder *d, uint64_t frame, uint64_t page)
{
    uint64_t first = frame >> BX_HUGE_SHIFT << BX_HUGE_SHIFT;
    for (unsigned i = 0; i < 1 << BX_HUGE_SHIFT && !d->no_memory; i++)
        bx_decoder_add_fault(
            d, (bx_decoder_fault){.frame = first + i,
                                  .page = (page & -(uint64_t)(1 << BX_HUGE_SHIFT)) + i});
}

static bx_access *make_page(const bx_decoder *d, const bx_decoder_fault *f, bx_access *to)
{
    for (bx_access line = 0; line >> d->lines.page_shift == 0; line++) {
        bx_access at =
            line << BX_DECODER_ACCESS_LINE_SHIFT | bx_decoder_cost(1) | BX_ACCESS_AUXILIARY;
        if (f->copied)
            *to++ = bx_decoder_first_line(d, f->from) | at | BX_LOAD;
        *to++ = bx_decoder_first_line(d, f->frame) | at | BX_STORE | BX_ACCESS_WHOLE;
    }
    return to;
}

/* The instruction that has faulted: the first of those n that accesses the page. Without one, it is
 * that of the first access, or the last one that was executed: a kernel has the page made. */
static bx_who who_faults(const bx_decoder *d, const bx_who *who, size_t n, uint64_t page)
{
    for (size_t i = 0; i < n; i++)
        if (who[i].address >> BX_PAGE_SHIFT == page)
            return who[i];
    return n ? who[0] : (bx_who){.code = d->code, .context = d->context};
}

/* Accesses move after the lines of a page, which the first of them, or the next one, has asked
 * for. */
static void note_page(bx_decoder *d, const bx_access *to, size_t n, size_t lines,
                      const bx_decoder_fault *f)
{
    bx_who *who = d->retires.who + (to - d->retires.origin);
    bx_who by = who_faults(d, who, n, f->page);
    uint32_t object = bx_decoder_object(d, f->page << BX_PAGE_SHIFT);
    memmove(who + lines, who, n * sizeof *who);
    for (size_t i = 0; i < lines; i++)
        who[i] = (bx_who){.address = f->page << BX_PAGE_SHIFT | (f->copied ? i / 2 : i)
                                                                    << d->lines.shift,
                          .code = by.code,
                          .object = object,
                          .context = by.context};
}

size_t bx_decoder_make_pages(bx_decoder *d, bx_access *to, size_t n, size_t room)
{
    const size_t most = bx_decoder_page_accesses(d);
    bx_access made[ACCESSES_MOST];
    size_t more = 0, done = 0;
    for (; done < d->faults && room - n - more >= most; done++) {
        size_t lines = (size_t)(make_page(d, &d->fault[done], made) - made);
        memmove(to + more + lines, to + more, n * sizeof *to);
        if (d->witness)
            note_page(d, to + more, n, lines, &d->fault[done]);
        memcpy(to + more, made, lines * sizeof *to);
        more += lines;
    }
    d->faults -= done;
    if (done)
        memmove(d->fault, d->fault + done, d->faults * sizeof *d->fault);
    d->stops = d->faults || d->malformed;
    return more;
}
