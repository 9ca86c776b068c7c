/* A thread's write-combining buffers: non-temporal stores to a line until all of it is written, or
 * its buffer is needed for another one (docs/explanation/model.md). */
#ifndef BX_MACHINE_PROGRAM_DECODE_WRITE_COMBINING_H
#define BX_MACHINE_PROGRAM_DECODE_WRITE_COMBINING_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_WC_BUFFERS_MOST = 16 };

/* A line that is written, so far. */
typedef struct bx_combined {
    uint64_t line;    /* virtual */
    uint64_t written; /* a bit for each byte */
} bx_combined;

/* All 0: empty. */
typedef struct bx_write_combining {
    unsigned n;
    bx_combined of[BX_WC_BUFFERS_MOST]; /* the least recently used first */
} bx_write_combining;

/* Bytes of a line are written; there are so many buffers, 0: one. Returns how many lines leave, 0
 * to 2. */
unsigned bx_write_combine(bx_write_combining *w, unsigned buffers, bx_combined bytes,
                          bx_combined leaves[2]);

#endif
