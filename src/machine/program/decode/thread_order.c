/* Places where a thread waits for a word that another thread has written. */
#include "machine/program/decode/thread_order.h"

#include "base/grow.h"

enum { FIRST_ROOM = 16 };

void bx_decoder_add_cut(bx_decoder *d, bx_cut cut)
{
    bx_cut *all = bx_grow(d->cut, d->cuts, &d->cuts_room, sizeof *all, FIRST_ROOM);
    if (!all) {
        bx_decoder_no_memory(d, "no memory for the order of its threads");
        return;
    }
    d->cut = all;
    d->cut[d->cuts++] = cut;
}

void bx_decoder_order(bx_decoder *d, bx_word_writers *writers, unsigned thread, uint64_t made)
{
    d->writers = writers;
    d->thread = thread;
    d->made = made;
}

void bx_decoder_write_word(bx_decoder *d, bx_word_writers *writers, uint64_t address, bx_written by)
{
    uint64_t word = address >> 3;
    bx_written *words = bx_word_writers_page(writers, word >> (BX_PAGE_SHIFT - 3));
    if (words)
        words[word & ((1 << (BX_PAGE_SHIFT - 3)) - 1)] = by;
    else
        bx_decoder_no_memory(d, "no memory for the order of its threads");
}

const bx_cut *bx_decoder_cuts(const bx_decoder *d, size_t *n)
{
    *n = d->cuts;
    return d->cut;
}
