/* The words of one process's trace (tracer/trace_format.h) as fewer bytes, and back.
 * docs/reference/trace.md has the rules. */
#ifndef BX_TRACEFILE_CODEC_H
#define BX_TRACEFILE_CODEC_H

#include "tracefile/counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_codec_counts {
    bx_trace_counts made; /* of a process */
    uint64_t threads;     /* that began, the first one included */
} bx_codec_counts;

typedef struct bx_codec bx_codec;

bx_codec *bx_codec_new(void); /* NULL: out of memory */
void bx_codec_free(bx_codec *c);

/* The bytes are in three columns, each packed better than all in one: records, differences of
 * addresses in a byte, and longer ones. */
typedef struct bx_codec_columns {
    uint8_t *records, *near, *far;
} bx_codec_columns;

typedef struct bx_codec_input {
    const uint8_t *at, *end;
} bx_codec_input;

typedef struct bx_codec_inputs {
    bx_codec_input records, near, far;
} bx_codec_inputs;

/* Bytes that a word becomes in a column at most. */
enum { BX_CODEC_WORD = 10 };

/* words: n of whole records; those before SKIP are encoded. Moves the ends of the columns, which
 * have room for n × BX_CODEC_WORD bytes each. Returns the number of words encoded: nothing is valid
 * after bx_codec_wrong(). */
size_t bx_codec_encode(bx_codec *c, const uint64_t *words, size_t n, bx_codec_columns *to);

/* The next `words` words, exactly. false: bx_codec_wrong(). */
bool bx_codec_decode(bx_codec *c, bx_codec_inputs *in, uint64_t *to, size_t words);

/* What was wrong; NULL: nothing so far. Nothing can be encoded or decoded afterwards. */
const char *bx_codec_wrong(const bx_codec *c);
bool bx_codec_ran_out(const bx_codec *c); /* it was memory */

/* Of all that was encoded or decoded. */
bx_codec_counts bx_codec_count(const bx_codec *c);

#endif
