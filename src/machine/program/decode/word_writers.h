/* The last writer of each 8-byte word of a process that has several threads. */
#ifndef BX_MACHINE_PROGRAM_DECODE_WORD_WRITERS_H
#define BX_MACHINE_PROGRAM_DECODE_WORD_WRITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BX_WRITER_SHIFT = 44 }; /* room for 2^20 threads of a process, each with 2^44 accesses */

/* An access of a thread, by its number in that thread's stream: the first access has number 1. 0:
 * no writer. */
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

typedef struct bx_word_page {
    uint64_t page;     /* number of the page plus 1; 0: free */
    bx_written *words; /* [512] */
} bx_word_page;

enum { BX_WORD_PAGES_RECENT = 256 };

typedef struct bx_word_writers {
    bx_word_page recent[BX_WORD_PAGES_RECENT]; /* indexed by the low bits of the page number */
    bx_word_page *slot;                        /* [mask + 1]: a hash table, at most half full */
    uint64_t mask, used;
} bx_word_writers;

bx_word_writers *bx_word_writers_new(void);    /* NULL: out of memory */
void bx_word_writers_free(bx_word_writers *w); /* NULL is fine */

/* Searches the whole table. */
bx_written *bx_word_writers_find(bx_word_writers *w, uint64_t page);

/* The entries of the page's 512 words. NULL: out of memory. Inline, because every access of a
 * process with several threads calls it. */
static inline bx_written *bx_word_writers_page(bx_word_writers *w, uint64_t page)
{
    const bx_word_page *recent = &w->recent[page % BX_WORD_PAGES_RECENT];
    return recent->page == page + 1 ? recent->words : bx_word_writers_find(w, page);
}

#endif
