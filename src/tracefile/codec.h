/* The words of one process's trace (tracer/trace_format.h) as fewer bytes, and back.
 * docs/reference/trace.md has the rules. */
#ifndef BX_TRACEFILE_CODEC_H
#define BX_TRACEFILE_CODEC_H

#include "tracefile/counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_codec_counts {
    bx_trace_counts made; /* accesses that the process made */
    uint64_t threads;     /* threads that began, including the first one */
} bx_codec_counts;

typedef struct bx_codec bx_codec;

bx_codec *bx_codec_new(void); /* NULL: out of memory */
void bx_codec_free(bx_codec *c);

/* The bytes are in three columns: records, address differences of one byte, and longer differences.
 * Separate columns compress better than one. */
typedef struct bx_codec_columns {
    uint8_t *records, *near, *far;
} bx_codec_columns;

typedef struct bx_codec_input {
    const uint8_t *at, *end;
} bx_codec_input;

typedef struct bx_codec_inputs {
    bx_codec_input records, near, far;
} bx_codec_inputs;

/* The most bytes that one word becomes in a column. */
enum { BX_CODEC_WORD = 10 };

/* Encodes n words, which must be whole records, up to the first SKIP. Moves the ends of the
 * columns; each must have room for n × BX_CODEC_WORD bytes. Returns the number of words encoded. If
 * bx_codec_wrong() is then set, the result is not valid. */
size_t bx_codec_encode(bx_codec *c, const uint64_t *words, size_t n, bx_codec_columns *to);

/* Decodes exactly the next `words` words. false: see bx_codec_wrong(). */
bool bx_codec_decode(bx_codec *c, bx_codec_inputs *in, uint64_t *to, size_t words);

/* The error; NULL: none so far. After an error nothing can be encoded or decoded. */
const char *bx_codec_wrong(const bx_codec *c);
bool bx_codec_ran_out(const bx_codec *c); /* whether the error was that memory ran out */

/* The memory that all readers of the words need for what the records say, estimated from above. */
typedef struct bx_codec_memory {
    uint64_t held;   /* until the process has ended */
    uint64_t kept;   /* to the end of the trace */
    uint64_t kernel; /* no memory: bytes that the kernel accesses, which take time and pages */
} bx_codec_memory;

/* Limits the memory that further records may take, and the bytes that the kernel accesses: records
 * that need more are wrong. At first there is no limit. */
void bx_codec_allow(bx_codec *c, uint64_t bytes, uint64_t kernel);
bx_codec_memory bx_codec_memory_of(const bx_codec *c);

/* Calls `control` for each control record that is encoded or decoded. */
typedef void bx_codec_control(void *context, const uint64_t *words);
void bx_codec_watch(bx_codec *c, bx_codec_control *control, void *context);

/* The counts of everything that was encoded or decoded. */
bx_codec_counts bx_codec_count(const bx_codec *c);

#endif
