/* The order of the threads of a process: words that another thread wrote last. */
#ifndef BX_MACHINE_PROGRAM_DECODE_THREAD_ORDER_H
#define BX_MACHINE_PROGRAM_DECODE_THREAD_ORDER_H

#include "machine/program/decode/decoder_state.h"

/* The thread must wait there, in the present call of bx_decoder_read(). */
void bx_decoder_add_cut(bx_decoder *d, bx_cut cut);

/* A store is that many accesses of its thread in the core, at least: an assumption. Of five
 * instructions, about two access memory, so a core that begins four a cycle makes so many accesses
 * in 20 cycles. */
enum { BX_FORWARDED_WITHIN = 32 };

/* Handles the words of an access. The thread waits before access `at` for the last writer of each
 * word. If the access is a write, the thread becomes their last writer, with access `written`. Most
 * accesses have one word. Returns whether the thread itself has written all of them just before. */
static inline bool bx_decoder_order_access(bx_decoder *d, const bx_block_item *i, uint64_t address,
                                           size_t at, size_t written)
{
    bool write = (i->access & 3) != BX_LOAD;
    bx_written by_us = bx_written_make(d->thread, d->made + written);
    uint64_t word = address >> 3, last_word = (address + i->size - 1) >> 3;
    bool own = true;
    do {
        bx_written *words = bx_word_writers_page(d->writers, word >> (BX_PAGE_SHIFT - 3));
        if (__builtin_expect(!words, 0)) {
            bx_decoder_no_memory(d, "no memory for the order of its threads");
            return false;
        }
        bx_written *last = &words[word & ((1 << (BX_PAGE_SHIFT - 3)) - 1)];
        if (__builtin_expect(*last && bx_written_thread(*last) != d->thread, 0))
            bx_decoder_add_cut(d, (bx_cut){at, written - 1, *last});
        own = own && by_us - *last <= BX_FORWARDED_WITHIN;
        if (write)
            *last = by_us;
    } while (__builtin_expect(word++ < last_word, 0));
    return own;
}

#endif
