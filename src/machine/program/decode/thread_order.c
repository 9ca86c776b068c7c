/* Places where a thread waits for a word that another thread has written. */
#include "machine/program/decode/thread_order.h"

#include "base/grow.h"

enum { FIRST_ROOM = 16 };

void bx_decoder_add_cut(bx_decoder *d, size_t at, bx_written until)
{
    bx_cut *all = bx_grow(d->cut, d->cuts, &d->cuts_room, sizeof *all, FIRST_ROOM);
    if (!all) {
        bx_decoder_no_memory(d, "no memory for the order of its threads");
        return;
    }
    d->cut = all;
    d->cut[d->cuts++] = (bx_cut){at, until};
}

void bx_decoder_order(bx_decoder *d, bx_word_writers *writers, unsigned thread, uint64_t made)
{
    d->writers = writers;
    d->thread = thread;
    d->made = made;
}

const bx_cut *bx_decoder_cuts(const bx_decoder *d, size_t *n)
{
    *n = d->cuts;
    return d->cut;
}
