/* Words of a trace as bytes: bytes computed by hand, any words and back, and invalid words. */
#include "../cmocked.h"
#include "../dice.h"
#include "../rounds.h"

#include "tracefile/codec.h"

#include "tracer/trace_format.h"

#include <string.h>

enum { ROOM = 4096, DESCRIBED = 8 /* words of BLOCK_5 */ };

#define CONTROL(kind, value)    bx_trace_control_word(BX_TRACE_##kind, value)
#define ENTRY(kind, size, rest) bx_trace_entry(BX_TRACE_##kind, size, rest)
#define COUNT(list)             (sizeof(list) / sizeof(list)[0])

/* Block 5: an instruction with a load, an exit; one with a guarded store, an exit. */
#define BLOCK_5                                                                                    \
    CONTROL(BLOCK, 6), 5, ENTRY(INSTRUCTION, 4, 0x1000), ENTRY(LOAD, 8, 0), ENTRY(EXIT, 0, 0),     \
        ENTRY(INSTRUCTION, 2, 0x1004), ENTRY(STORE, 4, BX_TRACE_GUARDED), ENTRY(EXIT, 0, 0)

typedef struct columns {
    uint8_t records[ROOM * BX_CODEC_WORD], near[ROOM * BX_CODEC_WORD], far[ROOM * BX_CODEC_WORD];
    size_t records_n, near_n, far_n;
} columns;

static columns made;

static size_t encode_with(bx_codec *c, const uint64_t *words, size_t n)
{
    bx_codec_columns ends = {made.records, made.near, made.far};
    size_t all = bx_codec_encode(c, words, n, &ends);
    made.records_n = (size_t)(ends.records - made.records);
    made.near_n = (size_t)(ends.near - made.near);
    made.far_n = (size_t)(ends.far - made.far);
    return all;
}

static size_t encode(const uint64_t *words, size_t n)
{
    bx_codec *c = bx_codec_new();
    assert_non_null(c);
    size_t all = encode_with(c, words, n);
    assert_null(bx_codec_wrong(c));
    bx_codec_free(c);
    return all;
}

static bx_codec_inputs inputs(void)
{
    return (bx_codec_inputs){{made.records, made.records + made.records_n},
                             {made.near, made.near + made.near_n},
                             {made.far, made.far + made.far_n}};
}

/* words: BLOCK_5, and the words that become these bytes. */
static void expect(const uint64_t *words, size_t n, const columns *wanted)
{
    assert_int_equal(encode(words, DESCRIBED), DESCRIBED);
    size_t first = made.records_n;
    assert_int_equal(encode(words, n), n);
    assert_int_equal(made.records_n - first, wanted->records_n);
    assert_int_equal(made.near_n, wanted->near_n);
    assert_int_equal(made.far_n, wanted->far_n);
    assert_memory_equal(made.records + first, wanted->records, wanted->records_n);
    assert_memory_equal(made.near, wanted->near, wanted->near_n);
    assert_memory_equal(made.far, wanted->far, wanted->far_n);
}

/* 5 << 7 is 640, and an execution is its word plus 3. */
static void executions_are_differences(void **state)
{
    (void)state;
    const uint64_t words[] = {BLOCK_5, 640, 0x40, 640, 0x48, 641, 0x44, 0x10, 640, 0x44, 640, 0x44};
    static const columns wanted = {
        .records_n = 10,
        .records = {0x83, 0x05, 0x83, 0x05, /* the successor of 640 is not known yet */
                    0x84, 0x05, 0x83, 0x05, /* nor is that of 641 */
                    0x83, 0x05},            /* 641 followed 640 the last time */
        .near_n = 6,
        .near = {0x80, 0x10, 0x07, 0x20, 0, 0}, /* 0x40, 8 more, 4 less, 0x10, the same twice */
    };
    expect(words, COUNT(words), &wanted);
}

static void an_execution_that_was_foreseen_is_one_byte(void **state)
{
    (void)state;
    const uint64_t words[] = {BLOCK_5, 640, 1, 640, 1, 640, 1, 640, 2};
    static const columns wanted = {
        .records_n = 6,
        .records = {0x83, 0x05, 0x83, 0x05, 0x01, 0x00}, /* then with the same address; without */
        .near_n = 3,
        .near = {2, 0, 2},
    };
    expect(words, COUNT(words), &wanted);
}

static void longer_differences_are_in_a_column_of_their_own(void **state)
{
    (void)state;
    const uint64_t words[] = {BLOCK_5, 640, 0x1000, 640, 0x101000, 640, 0x101000 - 127};
    static const columns wanted = {
        .records_n = 5,
        .records = {0x83, 0x05, 0x83, 0x05, 0x00},
        .near_n = 3,
        .near = {254, 255, 254},
        /* 0x2000 - 253; 0x200000 - 253 - 0x10000 as a number; 253 - 253 */
        .far_n = 7,
        .far = {0x03, 0x1f, 0x83, 0xfe, 0x7b, 0, 0},
    };
    expect(words, COUNT(words), &wanted);
}

static void an_access_that_was_not_made_leaves_the_slot(void **state)
{
    (void)state;
    const uint64_t words[] = {BLOCK_5, 641, 0, 0x10, 641, 0, BX_TRACE_NO_ACCESS, 641, 0, 0x10};
    static const columns wanted = {
        .records_n = 5,
        .records = {0x84, 0x05, 0x84, 0x05, 0x01},
        .near_n = 4,
        .near = {0, 0x20, 0, 253},
    };
    expect(words, COUNT(words), &wanted);
}

static void nothing_behind_skip_is_encoded(void **state)
{
    (void)state;
    const uint64_t words[] = {BLOCK_5, 640, 1, CONTROL(SKIP, 0), 99, 99};
    assert_int_equal(encode(words, COUNT(words)), DESCRIBED + 2);
}

static void counts_are_those_of_what_was_executed(void **state)
{
    (void)state;
    const uint64_t words[] = {
        BLOCK_5, 640, 1, 641, 1, BX_TRACE_NO_ACCESS, 641, 1, 2, CONTROL(START, 2), 1,
        /* described again, with a modification */
        CONTROL(BLOCK, 4), 5, ENTRY(INSTRUCTION, 4, 0x1000), ENTRY(LOAD, 8, 0),
        ENTRY(STORE, 8, BX_TRACE_MODIFY), ENTRY(EXIT, 0, 0), 640, 8, 8};
    bx_codec *c = bx_codec_new();
    assert_int_equal(encode_with(c, words, COUNT(words)), COUNT(words));
    bx_codec_counts n = bx_codec_count(c);
    assert_int_equal(n.made.instructions, 1 + 2 + 2 + 1);
    assert_int_equal(n.made.loads, 3);
    assert_int_equal(n.made.stores, 1);
    assert_int_equal(n.made.modifications, 1);
    assert_int_equal(n.threads, 2);
    bx_codec_free(c);
}

/* ---- any words ---- */

static uint64_t seed = 7;

static size_t random_block(uint64_t *to, unsigned number, unsigned *words)
{
    size_t n = 2;
    to[n++] = ENTRY(INSTRUCTION, 4, number * 16);
    *words = dice_below(&seed, 6);
    for (unsigned i = 0; i < *words; i++)
        to[n++] = dice_below(&seed, 2) ? ENTRY(LOAD, 8, 0) : ENTRY(STORE, 4, BX_TRACE_GUARDED);
    to[n++] = ENTRY(EXIT, 0, 0);
    to[0] = CONTROL(BLOCK, (uint32_t)n - 2);
    to[1] = number;
    return n;
}

static uint64_t random_address(void)
{
    static const uint64_t edge[] = {0, BX_TRACE_NO_ACCESS, UINT64_MAX - 1, UINT64_C(1) << 63};
    return dice_below(&seed, 4) ? dice_next(&seed) >> dice_below(&seed, 64)
                                : edge[dice_below(&seed, 4)];
}

static size_t random_control(uint64_t *to)
{
    to[0] = dice_below(&seed, 2) ? CONTROL(UNTRACED, BX_TRACE_FOREIGN)
                                 : CONTROL(NOTE, BX_TRACE_NOTE_CUT);
    to[1] = dice_below(&seed, 4);
    for (size_t i = 0; i < to[1]; i++)
        to[2 + i] = dice_next(&seed);
    return 2 + (size_t)to[1];
}

static size_t random_words(uint64_t *to)
{
    enum { BLOCKS = 8 };
    unsigned words[BLOCKS];
    size_t n = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        n += random_block(to + n, i, &words[i]);
    while (n < ROOM - 32) {
        unsigned block = dice_below(&seed, BLOCKS + 2);
        if (block == BLOCKS) {
            n += random_control(to + n);
        } else if (block > BLOCKS) {
            block = dice_below(&seed, BLOCKS);
            n += random_block(to + n, block, &words[block]);
        } else {
            to[n++] = (uint64_t)block << BX_TRACE_EXIT_BITS;
            for (unsigned i = 0; i < words[block]; i++)
                to[n++] = random_address();
        }
    }
    return n;
}

static void words_come_back(void **state)
{
    (void)state;
    static uint64_t words[ROOM], back[ROOM];
    for (unsigned i = 0; i < rounds_of(50, 2000); i++) {
        size_t n = random_words(words);
        assert_int_equal(encode(words, n), n);
        bx_codec_inputs in = inputs();
        bx_codec *c = bx_codec_new();
        assert_true(bx_codec_decode(c, &in, back, n));
        assert_memory_equal(back, words, n * sizeof *words);
        assert_true(in.records.at == in.records.end && in.near.at == in.near.end &&
                    in.far.at == in.far.end);
        bx_codec_free(c);
    }
}

/* ---- invalid words ---- */

static void refuse_words(const uint64_t *words, size_t n, const char *why)
{
    bx_codec *c = bx_codec_new();
    encode_with(c, words, n);
    assert_string_equal(bx_codec_wrong(c), why);
    assert_false(bx_codec_ran_out(c));
    bx_codec_free(c);
}

/* After the description of block 5. */
static void refuse_bytes(const uint8_t *bytes, size_t n, const uint8_t *near, size_t near_n,
                         const char *why)
{
    const uint64_t words[] = {BLOCK_5};
    uint64_t to[64];
    encode(words, COUNT(words));
    memcpy(made.records + made.records_n, bytes, n);
    memcpy(made.near, near, near_n);
    made.records_n += n;
    made.near_n = near_n;
    bx_codec_inputs in = inputs();
    bx_codec *c = bx_codec_new();
    assert_true(bx_codec_decode(c, &in, to, DESCRIBED));
    assert_false(bx_codec_decode(c, &in, to, 3));
    assert_string_equal(bx_codec_wrong(c), why);
    bx_codec_free(c);
}

#define REFUSE_WORDS(why, ...)                                                                     \
    refuse_words((const uint64_t[]){__VA_ARGS__},                                                  \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), why)
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void nonsense_is_refused(void **state)
{
    (void)state;
    REFUSE_WORDS("a block that was not described", 640);
    REFUSE_WORDS("a block that was not described", BLOCK_5, 642, 1);
    REFUSE_WORDS("an execution that is not whole", BLOCK_5, 641, 1);
    REFUSE_WORDS("a record of unknown kind, or without an end", CONTROL(SKIP, 1));
    REFUSE_WORDS("a record of unknown kind, or without an end", CONTROL(CALL, 0), 1, 2);
    REFUSE_WORDS("a record of unknown kind, or without an end", CONTROL(UNTRACED, 1), 513, 2);
    REFUSE_WORDS("a block number that is too large", CONTROL(BLOCK, 0), 1 << 24);
    REFUSE_WORDS("an entry of unknown kind", CONTROL(BLOCK, 1), 5, 0);
    REFUSE_WORDS("a block with accesses that do not fit", CONTROL(BLOCK, 1), 5,
                 ENTRY(STORE, 4, BX_TRACE_MODIFY));
    static const char no_end[] = "a number without an end";
    refuse_bytes(BYTES(0x80), BYTES(0), no_end);
    refuse_bytes(BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02), BYTES(0),
                 no_end);
    refuse_bytes(BYTES(0x83, 0x05), BYTES(254), no_end);
    refuse_bytes(BYTES(0x83, 0x05), BYTES(255), no_end);
    refuse_bytes(BYTES(0x00), BYTES(0), "a block that was not described");
    refuse_bytes(BYTES(0x01), BYTES(0), "a block that was not described");
    refuse_bytes(BYTES(0x85, 0x05), BYTES(0), "a block that was not described");
    refuse_bytes(BYTES(0x84, 0x05), BYTES(0), "an address is missing");
    refuse_bytes(BYTES(0x83, 0x05, 0x84, 0x05), BYTES(0, 0, 0), "an execution that is not whole");
    refuse_bytes(BYTES(0x02, 0x80, 0x01), BYTES(0), "a record of unknown kind, or without an end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions_are_differences),
        cmocka_unit_test(an_execution_that_was_foreseen_is_one_byte),
        cmocka_unit_test(longer_differences_are_in_a_column_of_their_own),
        cmocka_unit_test(nothing_behind_skip_is_encoded),
        cmocka_unit_test(an_access_that_was_not_made_leaves_the_slot),
        cmocka_unit_test(counts_are_those_of_what_was_executed),
        cmocka_unit_test(words_come_back),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
