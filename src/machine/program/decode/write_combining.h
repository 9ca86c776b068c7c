/* A thread's write-combining buffers. A buffer collects non-temporal stores to a line until the
 * whole line is written, or until the buffer is needed for another line
 * (docs/explanation/model-programs.md, "Traces of programs"). */
#ifndef BX_MACHINE_PROGRAM_DECODE_WRITE_COMBINING_H
#define BX_MACHINE_PROGRAM_DECODE_WRITE_COMBINING_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_WC_BUFFERS_MOST = 32 };

/* A line that is partly written. */
typedef struct bx_combined {
    uint64_t line;    /* virtual */
    uint64_t written; /* one bit for each byte */
} bx_combined;

/* All 0: empty. */
typedef struct bx_write_combining {
    unsigned n;
    bx_combined of[BX_WC_BUFFERS_MOST]; /* the least recently used first */
} bx_write_combining;

/* Writes bytes of a line. buffers: number of buffers; 0 means 1. whole: all bytes of a line.
 * Returns the number of lines that leave the buffers, 0 to 2. */
unsigned bx_write_combine(bx_write_combining *w, unsigned buffers, bx_combined bytes,
                          uint64_t whole, bx_combined leaves[2]);

#endif
