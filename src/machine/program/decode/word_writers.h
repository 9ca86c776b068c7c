/* Who wrote each 8-byte word of a process last, while it has several threads. */
#ifndef BX_MACHINE_PROGRAM_DECODE_WORD_WRITERS_H
#define BX_MACHINE_PROGRAM_DECODE_WORD_WRITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_word_writers bx_word_writers;

enum { BX_WRITER_SHIFT = 44 }; /* a process may have had 2^20 threads, each with 2^44 accesses */

/* A thread's access, by its number in that thread's stream: the number of accesses up to it, itself
 * included. 0: nobody. */
typedef uint64_t bx_written;
static inline bx_written bx_written_make(unsigned thread, uint64_t access)
{
    return (uint64_t)thread << BX_WRITER_SHIFT | access;
}
static inline unsigned bx_written_thread(bx_written w)
{
    return (unsigned)(w >> BX_WRITER_SHIFT);
}
static inline uint64_t bx_written_access(bx_written w)
{
    return w & ((UINT64_C(1) << BX_WRITER_SHIFT) - 1);
}

bx_word_writers *bx_word_writers_new(void);    /* NULL: out of memory */
void bx_word_writers_free(bx_word_writers *w); /* NULL is fine */

/* The entries of the page's 512 words. NULL: out of memory. */
bx_written *bx_word_writers_page(bx_word_writers *w, uint64_t page);

#endif
