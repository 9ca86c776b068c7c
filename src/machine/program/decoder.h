/* Turns the words of a trace (tracer/trace_format.h) into accesses of one core. The rules are in
 * docs/model.md, "Traces of programs". */
#ifndef BX_MACHINE_PROGRAM_DECODER_H
#define BX_MACHINE_PROGRAM_DECODER_H

#include "model/engine/frames.h"
#include "model/model.h"

#include <stddef.h>

/* Room for accesses that is enough for any execution of a block. */
enum { BX_DECODER_BURST = 8192 };

/* What the program did. By cachegrind's rule a modification counts once, among the modifications;
 * a guarded access counts if it was made. */
typedef struct bx_trace_counts {
    uint64_t instructions, loads, stores, modifications;
} bx_trace_counts;

typedef struct bx_decoder bx_decoder;

/* frames must outlive the decoder. NULL: out of memory. */
bx_decoder *bx_decoder_new(struct bx_frames *frames);

/* Before the first word: remarks (model/engine/access.h) are to be among the accesses. */
void bx_decoder_make_remarks(bx_decoder *d);

void bx_decoder_free(bx_decoder *d); /* NULL is fine */

/* Decodes whole records while `to` has room for a burst. Returns the number of words decoded;
 * *made: accesses written. Stops at BX_TRACE_SKIP, at a record that `n` words do not hold whole,
 * and at a malformed one. */
size_t bx_decoder_read(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to, size_t room,
                       size_t *made);

/* Whether this word says that the rest of its chunk is not used. */
bool bx_decoder_skips(uint64_t word);

/* At the end of the trace: writes an access for the remaining cost, or for non-temporal stores that
 * were still being combined. Returns how many, 0 or 1. */
size_t bx_decoder_end(bx_decoder *d, bx_access *to);

/* What is wrong with the trace; NULL: nothing so far. */
const char *bx_decoder_malformed(const bx_decoder *d);
bool bx_decoder_out_of_memory(const bx_decoder *d); /* rather than malformed */

bx_trace_counts bx_decoder_counts(const bx_decoder *d);

#endif
