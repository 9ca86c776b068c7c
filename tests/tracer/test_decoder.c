/* Decodes words of traces into accesses: by hand, and random programs as lackey sees them. */
#include "random_programs.h"

static void a_block_with_two_exits(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    struct bx_frames *expected = bx_frames_new(SEED);
    bx_decoder *d = open_decoder(&r, false);
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 8),
        5,
        instruction(0x1000, 4),
        bx_trace_entry(BX_TRACE_LOAD, 8, 0),
        instruction(0x1004, 2),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        instruction(0x1006, 4),
        bx_trace_entry(BX_TRACE_LOAD, 4, 0),
        bx_trace_entry(BX_TRACE_STORE, 4, BX_TRACE_MODIFY),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        5 << BX_TRACE_EXIT_BITS | 1, /* all of it */
        0x2000,
        0x303e,
        0x303e,
        5 << BX_TRACE_EXIT_BITS | 0, /* to the first exit */
        0x2040,
    };
    assert_int_equal(decode(d, words, sizeof words / sizeof *words, to), 2 + 2 + 2 + 1);
    const struct {
        uint64_t address;
        unsigned kind, cost;
    } is[] = {{0x1000, BX_FETCH, 1}, {0x2000, BX_LOAD, 0},  {0x303e, BX_LOAD, 2},
              {0x3040, BX_LOAD, 0},  {0x303e, BX_STORE, 0}, {0x3040, BX_STORE, 0},
              {0x2040, BX_LOAD, 1}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        assert_int_equal(to[i], bx_access_make(bx_frames_line(expected, is[i].address), is[i].kind,
                                               0, is[i].cost));
    bx_trace_counts c = bx_decoder_counts(d);
    assert_int_equal(c.instructions, 3 + 2);
    assert_int_equal(c.loads, 2);
    assert_int_equal(c.modifications, 1);
    assert_int_equal(c.stores, 0);
    assert_int_equal(bx_decoder_end(d, to), 1); /* the second instruction's cycle */
    close_decoder(d, &r);
    bx_frames_free(expected);
}

/* A machine with lines of 32 bytes: an instruction and a load that cross one, a line of its own for
 * each half of 64 bytes, and two whole lines past the caches. */
static void lines_of_32_bytes(void **state)
{
    (void)state;
    static bx_access to[ROOM];
    rig r;
    struct bx_frames *expected = bx_frames_new(SEED);
    bx_decoder *d = open_decoder_of_lines(&r, false, 5);
    bx_frames_set_line(expected, 5);
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 5),
        1,
        instruction(0x101e, 4),
        bx_trace_entry(BX_TRACE_LOAD, 8, 0),
        bx_trace_entry(BX_TRACE_STORE, 8, 0),
        bx_trace_entry(BX_TRACE_STORE, 64, BX_TRACE_NON_TEMPORAL),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        1 << BX_TRACE_EXIT_BITS | 0,
        0x303e,
        0x3038,
        0x5020,
    };
    const struct {
        uint64_t address;
        unsigned kind, cost;
    } is[] = {{0x101e, BX_FETCH, 1},       {0x1020, BX_FETCH, 0}, {0x303e, BX_LOAD, 0},
              {0x3040, BX_LOAD, 0},        {0x3038, BX_STORE, 0}, {0x5020, BX_NON_TEMPORAL, 0},
              {0x5040, BX_NON_TEMPORAL, 0}};
    assert_int_equal(decode(d, words, sizeof words / sizeof *words, to), 7);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        assert_int_equal(to[i], bx_access_make(bx_frames_line(expected, is[i].address), is[i].kind,
                                               0, is[i].cost));
    assert_int_equal(bx_access_line(to[2]) >> 7, bx_frames_map(expected, 3));
    assert_int_equal(bx_access_line(to[2]) & 127, 1);
    assert_int_equal(bx_access_line(to[3]) & 127, 2);
    close_decoder(d, &r);
    bx_frames_free(expected);
}

static void as_lackey_decodes(void **state)
{
    (void)state;
    enum { MOST = 1 << 17 };
    program *p = malloc(sizeof *p);
    bx_access *expected = malloc(MOST * sizeof *expected), *is = malloc(MOST * sizeof *is);
    for (unsigned round = 0; round < 60; round++) {
        rig r;
        bx_decoder *d = open_decoder(&r, false);
        make_program(p);
        size_t n = by_lackey(p, expected, MOST), made;
        assert_int_equal(bx_decoder_read(d, p->words, p->n, is, MOST, &made), p->n);
        made += bx_decoder_end(d, is + made);
        for (size_t i = 0; i < n && i < made; i++)
            if (is[i] != expected[i])
                fail_msg("round %u, access %zu: %" PRIx64 ", lackey's %" PRIx64, round, i, is[i],
                         expected[i]);
        assert_int_equal(made, n);
        close_decoder(d, &r);
    }
    free(p);
    free(expected);
    free(is);
}

/* ---- locked operations ---- */

/* An instruction that adds to the word at `address`, locked: the third in its block. */
static size_t add_locked(const bx_core_time *core, bool remarks, uint64_t address, bx_access *to)
{
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    if (remarks)
        bx_decoder_make_remarks(d);
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, 6),
        5,
        instruction(0x1000, 4),
        instruction(0x1004, 4),
        instruction(0x1008, 4),
        bx_trace_entry(BX_TRACE_LOAD, 8, BX_TRACE_LOCKED),
        bx_trace_entry(BX_TRACE_STORE, 8, BX_TRACE_LOCKED | BX_TRACE_MODIFY),
        bx_trace_entry(BX_TRACE_EXIT, 0, 0),
        5 << BX_TRACE_EXIT_BITS,
        address,
        address,
    };
    if (core)
        bx_decoder_time(d, core);
    size_t made = decode(d, words, sizeof words / sizeof *words, to);
    made += bx_decoder_end(d, to + made);
    assert_int_equal(bx_decoder_counts(d).modifications, 1);
    close_decoder(d, &r);
    return made;
}

static unsigned cost_in(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* 18 cycles of a core at 4 GHz are 9 of an uncore at 2 GHz, and come before the load, which gets
 * the line for the store. */
static void a_locked_addition(void **state)
{
    (void)state;
    static bx_access plain[ROOM], locked[ROOM];
    const bx_core_time core = {.locked = 18, .core_hz = 4000000000, .uncore_hz = 2000000000};
    assert_int_equal(add_locked(NULL, false, 0x2000, plain), 3);
    assert_int_equal(add_locked(&core, false, 0x2000, locked), 4);
    assert_int_equal(locked[0], plain[0]);
    assert_true(bx_access_is_lock(locked[1]));
    assert_int_equal(cost_in(locked[1]), cost_in(plain[1]) + 9);
    assert_int_equal(cost_in(locked[2]), 0);
    assert_int_equal(plain[1] & 7, BX_LOAD);
    assert_int_equal(locked[2] & 7, BX_STORE | BX_ACCESS_DEPENDENT);
    assert_int_equal(bx_access_line(locked[2]), bx_access_line(plain[1]));
    assert_int_equal(locked[3], plain[2]);
    /* With remarks costs are instructions: the model knows the cycles of the operation. */
    assert_int_equal(add_locked(&core, true, 0x2000, locked), 4);
    assert_true(bx_access_is_lock(locked[1]));
    assert_int_equal(cost_in(locked[1]), cost_in(plain[1]));
}

/* 8 bytes from byte 60 of a line on: the core waits, and locks the bus, before the accesses to both
 * lines. */
static void a_locked_addition_to_two_lines(void **state)
{
    (void)state;
    static bx_access plain[ROOM], locked[ROOM];
    const bx_core_time core = {.locks_bus = true};
    assert_int_equal(add_locked(&core, false, 0x2038, locked), 3);
    assert_int_equal(add_locked(NULL, false, 0x203c, plain), 5);
    assert_int_equal(add_locked(&core, false, 0x203c, locked), 7);
    assert_int_equal(locked[0], plain[0]);
    assert_true(bx_access_is_lock(locked[1]));
    assert_int_equal(cost_in(locked[1]), cost_in(plain[1]));
    assert_true(bx_access_locks_bus(locked[2]));
    assert_int_equal(cost_in(locked[2]) + cost_in(locked[3]), 0);
    assert_int_equal(bx_access_line(locked[3]), bx_access_line(plain[1]));
    for (unsigned i = 2; i < 5; i++)
        assert_int_equal(locked[i + 2], plain[i]);
}

/* ---- invalid words ---- */

static void malformed(const uint64_t *words, size_t n, const char *message)
{
    static bx_access to[ROOM];
    rig r;
    bx_decoder *d = open_decoder(&r, false);
    size_t made;
    bx_decoder_read(d, words, n, to, ROOM, &made);
    assert_non_null(bx_decoder_malformed(d));
    assert_string_equal(bx_decoder_malformed(d), message);
    close_decoder(d, &r);
}

#define MALFORMED(message, ...)                                                                    \
    malformed((const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / 8, message)
#define BLOCK(n) bx_trace_control_word(BX_TRACE_BLOCK, n), 0
#define EXIT     bx_trace_entry(BX_TRACE_EXIT, 0, 0)

static void each_has_its_message(void **state)
{
    (void)state;
    MALFORMED("a block that was not described", 0);
    MALFORMED("a block that was not described", BLOCK(2), instruction(1, 1), EXIT, 1);
    MALFORMED("a description that is too long", BLOCK(BX_TRACE_ENTRIES + 1));
    MALFORMED("a block number that is too large", bx_trace_control_word(BX_TRACE_BLOCK, 0),
              BX_TRACE_BLOCKS);
    MALFORMED("a block without an end", BLOCK(0));
    MALFORMED("a block without an end", BLOCK(1), instruction(1, 1));
    MALFORMED("a block that does not begin with an instruction", BLOCK(1), EXIT);
    MALFORMED("an entry of unknown kind", BLOCK(2), instruction(1, 1), UINT64_C(9) << 60);
    MALFORMED("instructions that are too large or too many", BLOCK(1),
              instruction(UINT64_C(0xffffffffffc1), 1));
    MALFORMED("an instruction of unknown class", BLOCK(1), bx_trace_instruction(1, 1, BX_CLASSES));
    MALFORMED("an instruction of unknown class", BLOCK(1),
              bx_trace_entry(BX_TRACE_INSTRUCTION, 1 | BX_TRACE_TAKEN_ALWAYS, 1));
    MALFORMED("accesses that are empty or too many", BLOCK(2), instruction(1, 1),
              bx_trace_entry(BX_TRACE_LOAD, 0, 0));
    MALFORMED("a modification without a load", BLOCK(2), instruction(1, 1),
              bx_trace_entry(BX_TRACE_STORE, 1, BX_TRACE_MODIFY));
}

/* The most branches that a block may have if they are predicted, and one more. */
static void branches_of_a_block(void **state)
{
    (void)state;
    static const bx_predictor_sizes sizes = {.kind = BX_PREDICTOR_LOCAL,
                                             .btb = 512,
                                             .btb_ways = 4,
                                             .btb_history = 4,
                                             .return_stack = 16};
    for (unsigned n = 255; n <= 256; n++) {
        static bx_access to[ROOM];
        static uint64_t words[2 + 256 + 1];
        uint64_t *w = words;
        *w++ = bx_trace_control_word(BX_TRACE_BLOCK, n + 1);
        *w++ = 0;
        for (unsigned i = 0; i < n; i++)
            *w++ = bx_trace_instruction(0x1000 + 2 * i, 2, BX_CLASS_JUMP);
        *w++ = EXIT;
        rig r;
        bx_decoder *d = open_decoder(&r, false);
        size_t made;
        bx_decoder_predict(d, &sizes);
        size_t read = bx_decoder_read(d, words, (size_t)(w - words), to, ROOM, &made);
        assert_int_equal(read, n == 255 ? n + 3 : 0);
        if (n == 256)
            assert_string_equal(bx_decoder_malformed(d), "a block with too many branches");
        close_decoder(d, &r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_with_two_exits),
        cmocka_unit_test(lines_of_32_bytes),
        cmocka_unit_test(as_lackey_decodes),
        cmocka_unit_test(a_locked_addition),
        cmocka_unit_test(a_locked_addition_to_two_lines),
        cmocka_unit_test(each_has_its_message),
        cmocka_unit_test(branches_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
