/* Notes that few accesses need. */
#include "machine/program/decode/notes.h"

void bx_note_follow_call(bx_decoder *d, const bx_block_note *at, uint64_t slot)
{
    if (!bx_decoder_has_calls(d))
        return;
    bx_decoder_enter(d, at->turn == BX_TURN_CALL
                            ? bx_call_stacks_call(d->calls, d->witness, at->code, slot)
                            : bx_call_stacks_return(d->calls, d->witness, slot));
}

bx_who *bx_note_several(bx_who *who, size_t n, const bx_who *of)
{
    while (n--)
        *who++ = *of;
    return who;
}

void bx_note_accesses(bx_decoder *d, const bx_block *b, const bx_block_item *i,
                      const uint64_t *words, const bx_access *from, const bx_access *to)
{
    bx_note_item(d, &b->note[i - b->item], i, words, d->objects, bx_decoder_who(d, from),
                 (size_t)(to - from));
}
