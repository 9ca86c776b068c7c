/* The accesses that a kernel makes for system calls of a program. */
#include "machine/program/decode/kernel_pages.h"
#include "machine/program/decode/pages.h"

size_t bx_decoder_kernel(bx_decoder *d, unsigned kind, uint64_t *address, uint64_t end,
                         bx_access *to, size_t room)
{
    bx_access *next = to;
    bool tlb = bx_decoder_has_tlb(d);
    bx_retired_table *retired = d->retired;
    d->retired = NULL; /* these accesses retire no instruction of the program */
    while (*address < end &&
           room - (size_t)(next - to) > bx_decoder_page_accesses(d) + BX_WALK_LOADS) {
        bx_access line = bx_decoder_line(d, *address, bx_decoder_touch_of(kind));
        next += bx_decoder_make_pages(d, next, 0, room - (size_t)(next - to) - BX_WALK_LOADS - 1);
        bx_access *from = next;
        next = bx_decoder_make_data(d, tlb, *address,
                                    line | kind | bx_decoder_cost(1) | BX_ACCESS_AUXILIARY, next);
        if (d->witness)
            bx_decoder_note(d, from, next,
                            (bx_who){.address = *address,
                                     .code = d->code,
                                     .object = bx_decoder_object(d, *address)});
        *address = (*address | d->lines.byte_mask) + 1;
    }
    d->retired = retired;
    return (size_t)(next - to);
}
