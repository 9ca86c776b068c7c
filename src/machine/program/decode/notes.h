/* What is told besides accesses: remarks, and who has made each access. */
#ifndef BX_MACHINE_PROGRAM_DECODE_NOTES_H
#define BX_MACHINE_PROGRAM_DECODE_NOTES_H

#include "machine/program/decode/decoder_state.h"

/* ---- remarks ---- */

static inline bool bx_item_is_misaligned(const bx_block_item *i, const uint64_t *words)
{
    uint64_t address = words[i->word], first = address % 8;
    return first + i->size > 8 && first && address <= UINT64_MAX - i->size;
}

/* After the accesses of an item. */
static inline bx_access *bx_item_remark(const bx_block_item *i, const uint64_t *words,
                                        bx_access *to)
{
    if (i->kind == BX_ITEM_DATA && __builtin_expect(bx_item_is_misaligned(i, words), 0))
        *to++ = bx_access_remark(BX_REMARK_MISALIGNED, 0);
    return to;
}

/* After all items. After the remark of a branch, no cost remains for its exit. */
static inline bx_access *bx_exit_remark(const bx_block_exit *left, uint64_t *cost, bx_access *to)
{
    if (!(left->number & BX_BLOCK_LEFT_TAKEN))
        return to;
    *to = bx_access_remark(BX_REMARK_TAKEN, 0) | bx_decoder_cost(*cost);
    *cost = 0;
    return to + 1;
}

/* ---- notes ---- */

/* The number of the last instruction before an exit. */
static inline uint32_t bx_block_last_code(const bx_block *b, const bx_block_exit *left)
{
    return b->code[left->number % BX_BLOCK_LEFT_TAKEN];
}

/* What is noted: nothing, the instructions of accesses, or also the objects that they use. */
enum bx_notes { BX_NO_NOTES, BX_NOTES, BX_NOTES_OF_OBJECTS };

/* What comes after the call, or the return, is in another context. */
void bx_note_follow_call(bx_decoder *d, const bx_block_note *at, uint64_t slot);

bx_who *bx_note_several(bx_who *who, size_t n, const bx_who *of);

/* The same, wherever they are. */
void bx_note_accesses(bx_decoder *d, const bx_block *b, const bx_block_item *i,
                      const uint64_t *words, const bx_access *from, const bx_access *to);

static inline uint32_t bx_note_object_of(bx_decoder *d, const bx_block_note *at, uint64_t address)
{
    if (at->data)
        return bx_decoder_object(d, address);
    return at->address ? BX_OBJECT_CODE : BX_OBJECT_NONE;
}

/* Notes who has made the accesses of an item: n from *who on. A fetch is at its line. */
static inline __attribute__((always_inline)) bx_who *
bx_note_item(bx_decoder *d, const bx_block_note *at, const bx_block_item *i, const uint64_t *words,
             bool objects, bx_who *who, size_t n)
{
    uint64_t address = at->data ? words[i->word] : at->address;
    uint32_t object = objects && n ? bx_note_object_of(d, at, address) : 0;
    if (__builtin_expect(n == 1, 1)) /* most make one */
        *who++ = (bx_who){address, at->code, d->context, object};
    else
        who = bx_note_several(who, n, &(bx_who){address, at->code, d->context, object});
    if (__builtin_expect(at->turn, 0))
        bx_note_follow_call(d, at, address);
    return who;
}

#endif
