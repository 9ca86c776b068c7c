/* What blocks cost a core, worked out by hand: docs/explanation/model-core-time.md, "The time of a
 * core". */
#include "../cmocked.h"

#include "machine/program/decode/decoder.h"
#include "machine/program/decode/lackey.h"

#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4 * BX_DECODER_BURST, MOST = 64, CODE = 0x1000, DATA = 0x20000 };

static const bx_core_time four_wide = {.width = 4, .l1 = 4, .fp_add = 4, .fp_multiply = 5};

typedef struct rig {
    struct bx_frames *frames;
    bx_physical_memory *memory;
    bx_address_space *space;
    bx_decoder *decoder;
    bx_access to[ROOM];
    size_t n; /* accesses of the last words */
} rig;

static rig *begin(const bx_core_time *core)
{
    rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->frames = bx_frames_new(1);
    r->memory = bx_physical_memory_new(r->frames);
    r->space = bx_address_space_new(r->memory);
    r->decoder = bx_decoder_new(r->space, false);
    assert_non_null(r->decoder);
    if (core)
        bx_decoder_time(r->decoder, core);
    return r;
}

static void end(rig *r)
{
    bx_decoder_free(r->decoder);
    bx_address_space_free(r->space);
    bx_physical_memory_free(r->memory);
    bx_frames_free(r->frames);
    free(r);
}

static void decode(rig *r, const uint64_t *words, size_t n)
{
    assert_int_equal(bx_decoder_read(r->decoder, words, n, r->to, ROOM, &r->n), n);
    assert_null(bx_decoder_malformed(r->decoder));
}

static unsigned cost(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* ---- blocks of instructions of one byte, all in one line ---- */

/* Describes block `number`: so many instructions, then a load or not, then an exit. */
static void describe(rig *r, uint64_t number, unsigned instructions, bool load,
                     bx_trace_recurrence recurrence)
{
    uint64_t words[MOST + 4];
    size_t n = 2;
    assert_true(instructions <= MOST);
    for (unsigned i = 0; i < instructions; i++)
        words[n++] = bx_trace_instruction(CODE + i % 32, 1, BX_CLASS_OTHER);
    if (load)
        words[n++] = bx_trace_entry(BX_TRACE_LOAD, 8, 0);
    words[n++] = bx_trace_exit(recurrence, 0);
    words[0] = bx_trace_control_word(BX_TRACE_BLOCK, (uint32_t)(n - 2));
    words[1] = number;
    decode(r, words, n);
    assert_int_equal(r->n, 0);
}

/* Executes it so many times; the cycles that its accesses cost. */
static uint64_t execute(rig *r, uint64_t number, unsigned times, bool load)
{
    const uint64_t words[] = {number << BX_TRACE_EXIT_BITS, DATA};
    uint64_t sum = 0;
    for (unsigned i = 0; i < times; i++) {
        decode(r, words, load ? 2 : 1);
        for (size_t k = 0; k < r->n; k++)
            sum += cost(r->to[k]);
    }
    return sum;
}

/* The cycles of so many rounds of a loop. */
static uint64_t rounds(const bx_core_time *core, unsigned instructions,
                       bx_trace_recurrence recurrence, unsigned times)
{
    rig *r = begin(core);
    describe(r, 3, instructions, false, recurrence);
    uint64_t sum = execute(r, 3, times, false);
    if (bx_decoder_end(r->decoder, r->to))
        sum += cost(r->to[0]);
    end(r);
    return sum;
}

#define ROUNDS(core, instructions, times, ...)                                                     \
    rounds(core, instructions, (bx_trace_recurrence){__VA_ARGS__}, times)

static void a_round_takes_its_chain_or_its_width(void **state)
{
    (void)state;
    assert_int_equal(ROUNDS(&four_wide, 6, 1000, .cycles = 4), 4000);    /* additions */
    assert_int_equal(ROUNDS(&four_wide, 5, 1000, .additions = 1), 4000); /* a sum of floats */
    assert_int_equal(ROUNDS(&four_wide, 5, 1000, .multiplications = 1), 5000);
    assert_int_equal(ROUNDS(&four_wide, 3, 1000, .loads = 1), 4000); /* pointers */
    assert_int_equal(ROUNDS(&four_wide, 4, 1000, .loads = 2, .cycles = 3), 11000);
    assert_int_equal(ROUNDS(&four_wide, 12, 1000, .cycles = 1), 3000); /* unrolled */
    assert_int_equal(ROUNDS(&four_wide, 12, 1000, .cycles = 3), 3000);
}

/* Cycles of 1,000 rounds of a block with one load of 32 bytes, or one store, and these ports. */
static uint64_t of_ports(const bx_core_time *core, enum bx_trace_entry_kind access,
                         bx_trace_ports ports)
{
    rig *r = begin(core);
    const uint64_t words[] = {bx_trace_control_word(BX_TRACE_BLOCK, 4),
                              3,
                              bx_trace_instruction(CODE, 1, BX_CLASS_OTHER),
                              bx_trace_entry(access, 32, 0),
                              bx_trace_ports_entry(ports),
                              bx_trace_exit((bx_trace_recurrence){0}, 0)};
    decode(r, words, sizeof words / sizeof *words);
    uint64_t sum = execute(r, 3, 1000, true);
    if (bx_decoder_end(r->decoder, r->to))
        sum += cost(r->to[0]);
    end(r);
    return sum;
}

#define PORTS(core, access, ...) of_ports(core, BX_TRACE_##access, (bx_trace_ports){__VA_ARGS__})

static void a_round_takes_its_busiest_port(void **state)
{
    (void)state;
    const bx_core_time core = {.width = 4,
                               .load_ports = 2,
                               .load_bytes = 16,
                               .store_ports = 1,
                               .store_bytes = 16,
                               .alu_ports = 3,
                               .fp_ports = 2,
                               .fp_add_ports = 1,
                               .fp_multiply_ports = 2,
                               .divide = {[BX_DIVIDE_32] = 6,
                                          [BX_DIVIDE_64] = 42,
                                          [BX_DIVIDE_SINGLE] = 3,
                                          [BX_DIVIDE_DOUBLE] = 4,
                                          [BX_ROOT_DOUBLE] = 6}};
    assert_int_equal(PORTS(&four_wide, LOAD, .operations = 9, .divisions[BX_DIVIDE_64] = 1), 250);
    assert_int_equal(PORTS(&core, LOAD, 0), 1000);
    assert_int_equal(PORTS(&core, STORE, 0), 2000);
    assert_int_equal(PORTS(&core, LOAD, .loads = 5), 2500);
    assert_int_equal(PORTS(&core, LOAD, .operations = 9), 3000);
    assert_int_equal(PORTS(&core, LOAD, .additions = 4), 4000);
    assert_int_equal(PORTS(&core, LOAD, .multiplications = 4), 2000);
    assert_int_equal(PORTS(&core, LOAD, .additions = 3, .multiplications = 7), 5000);
    assert_int_equal(PORTS(&core, LOAD, .integer_multiplications = 3), 3000);
    assert_int_equal(PORTS(&core, LOAD, .divisions[BX_DIVIDE_32] = 1, .divisions[BX_DIVIDE_64] = 1),
                     48000);
    assert_int_equal(
        PORTS(&core, LOAD, .divisions[BX_DIVIDE_SINGLE] = 2, .divisions[BX_DIVIDE_DOUBLE] = 1),
        10000);
}

/* Cycles of 1,000 rounds of a block with these divisions in it, and on its chain. */
static uint64_t of_divisions(const bx_core_time *core, enum bx_division kind, unsigned in_block,
                             unsigned on_chain)
{
    rig *r = begin(core);
    bx_trace_ports ports = {.operations = 1};
    bx_trace_recurrence chain = {.cycles = 1};
    ports.divisions[kind] = in_block;
    chain.divisions[kind] = on_chain;
    uint64_t divides = bx_trace_divides_entry(ports, chain);
    const uint64_t words[] = {
        bx_trace_control_word(BX_TRACE_BLOCK, divides ? 4 : 3),
        3,
        bx_trace_instruction(CODE, 1, BX_CLASS_OTHER),
        bx_trace_ports_entry(ports),
        divides ? divides : bx_trace_exit(chain, 0),
        bx_trace_exit(chain, 0),
    };
    decode(r, words, divides ? 6 : 5);
    uint64_t sum = execute(r, 3, 1000, false);
    if (bx_decoder_end(r->decoder, r->to))
        sum += cost(r->to[0]);
    end(r);
    return sum;
}

/* Each kind has the divider for its own time, and makes those wait that need its result. */
static void divisions_take_their_own_times(void **state)
{
    (void)state;
    const bx_core_time core = {.width = 4,
                               .divide = {6, 21, 25, 82, 3, 4, 7, 8},
                               .divide_wait = {26, 38, 44, 91, 11, 14, 12, 18}};
    for (unsigned k = 0; k < BX_DIVISIONS; k++) {
        assert_int_equal(of_divisions(&core, k, 3, 0), 3000 * core.divide[k]);
        assert_int_equal(of_divisions(&core, k, 1, 1), 1000 + 1000 * core.divide_wait[k]);
        assert_int_equal(of_divisions(&core, k, 4, 2), /* the chain is shorter for some */
                         1000 * (4 * core.divide[k] > 1 + 2 * core.divide_wait[k]
                                     ? 4 * core.divide[k]
                                     : 1 + 2 * core.divide_wait[k]));
    }
    const bx_core_time slow = {.width = 4, .divide_wait = {[BX_DIVIDE_128] = 127}};
    assert_int_equal(of_divisions(&slow, BX_DIVIDE_128, 31, 31), 1000 * (1 + 31 * 127));
}

static void without_width_an_instruction_is_a_cycle(void **state)
{
    (void)state;
    const bx_core_time plain = {.l1 = 4, .fp_add = 4, .core_hz = 3, .uncore_hz = 2};
    assert_int_equal(ROUNDS(NULL, 5, 1000, .cycles = 50, .loads = 1), 5000);
    assert_int_equal(ROUNDS(&plain, 5, 1000, .cycles = 50, .loads = 1), 5000);
}

/* 7 quarters of a cycle, 10 thirds, 5 x 2/3 of a quarter: nothing is lost over any number of
 * rounds. */
static void parts_of_cycles_are_carried_over(void **state)
{
    (void)state;
    const bx_core_time three_wide = {.width = 3};
    const bx_core_time slow_uncore = {.width = 4, .core_hz = 3000000000, .uncore_hz = 2000000000};
    const bx_core_time odd = {.width = 4, .core_hz = 2266666667, .uncore_hz = 2666666667};
    assert_int_equal(ROUNDS(&four_wide, 7, 4, .cycles = 1), 7);
    assert_int_equal(ROUNDS(&four_wide, 7, 100000, .cycles = 1), 175000);
    assert_int_equal(ROUNDS(&four_wide, 1, 1000, .cycles = 0), 250);
    assert_int_equal(ROUNDS(&four_wide, 1, 1003, .cycles = 0), 250);
    assert_int_equal(ROUNDS(&three_wide, 10, 3, .cycles = 1), 10);
    assert_int_equal(ROUNDS(&three_wide, 10, 100000, .cycles = 1), 333333);
    assert_int_equal(ROUNDS(&slow_uncore, 5, 6, .cycles = 1), 5);
    assert_int_equal(ROUNDS(&slow_uncore, 5, 60000, .cycles = 3), 120000);
    assert_int_equal(ROUNDS(&odd, 3, 100000, .cycles = 17), 2000000); /* 17 x 20/17 */
}

/* ---- within a block ---- */

/* Its first exit stands after 4 instructions with a chain of 3 cycles; 4 more follow with a chain
 * of 8 in all, then 4 without a chain that is longer. */
static void each_part_of_a_block_has_its_own_pace(void **state)
{
    (void)state;
    rig *r = begin(&four_wide);
    uint64_t words[2 + 12 + 6 + 3] = {bx_trace_control_word(BX_TRACE_BLOCK, 21), 3};
    static const unsigned chain[] = {3, 8, 2};
    size_t n = 2;
    for (unsigned part = 0; part < 3; part++) {
        for (unsigned i = 0; i < 4; i++) {
            words[n++] = bx_trace_instruction(CODE + 4 * part + i, 1, BX_CLASS_OTHER);
            if (i & 1)
                words[n++] = bx_trace_entry(BX_TRACE_LOAD, 8, 0);
        }
        words[n++] = bx_trace_exit((bx_trace_recurrence){.cycles = chain[part]}, 0);
    }
    assert_int_equal(n, 23);
    decode(r, words, n);
    /* Cycles up to instruction i of the first part: 3i/4; of the second: 3 + 5i/4; of the third: 8,
     * as a chain that ends does not give time back. */
    const uint64_t all[] = {3 << BX_TRACE_EXIT_BITS | 2, DATA, DATA, DATA, DATA, DATA, DATA};
    decode(r, all, 7);
    assert_int_equal(r->n, 7);
    static const unsigned expected[] = {0, 1, 2, 2, 3, 0, 0};
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(cost(r->to[i]), expected[i]);
    decode(r, (const uint64_t[]){3 << BX_TRACE_EXIT_BITS, DATA, DATA}, 3);
    assert_int_equal(r->n, 2); /* the line has been fetched */
    assert_int_equal(cost(r->to[0]) + cost(r->to[1]), 3);
    end(r);
}

/* Two exits without an instruction between them. */
static void an_exit_may_follow_an_exit(void **state)
{
    (void)state;
    rig *r = begin(&four_wide);
    const uint64_t words[] = {bx_trace_control_word(BX_TRACE_BLOCK, 4),
                              3,
                              bx_trace_instruction(CODE, 1, BX_CLASS_OTHER),
                              bx_trace_exit((bx_trace_recurrence){.cycles = 2}, 0),
                              bx_trace_exit((bx_trace_recurrence){.cycles = 6}, 0),
                              bx_trace_entry(BX_TRACE_EXIT, 0, 0),
                              3 << BX_TRACE_EXIT_BITS,
                              3 << BX_TRACE_EXIT_BITS | 1,
                              3 << BX_TRACE_EXIT_BITS | 2};
    uint64_t sum = 0;
    decode(r, words, sizeof words / sizeof *words);
    for (size_t i = 0; i < r->n; i++)
        sum += cost(r->to[i]);
    assert_int_equal(bx_decoder_end(r->decoder, r->to), 1);
    assert_int_equal(sum + cost(r->to[0]), 2 + 6 + 6);
    end(r);
}

/* The largest description that there can be: 255 of each, on the slowest core. No access has more
 * than the largest cost, and nothing is lost. */
static void long_chains_are_spread_over_more_accesses(void **state)
{
    (void)state;
    const bx_core_time slow = {.width = 8,
                               .l1 = 15,
                               .fp_add = 15,
                               .fp_multiply = 15,
                               .core_hz = 1000000000,
                               .uncore_hz = 4000000000};
    const bx_trace_recurrence most = {
        .cycles = 99999, .loads = 999, .additions = 999, .multiplications = 999};
    rig *r = begin(&slow);
    describe(r, 3, 2, true, most);
    describe(r, 4, 1, true, (bx_trace_recurrence){0});
    uint64_t sum = execute(r, 3, 3, true);
    sum += execute(r, 4, 1, true); /* an eighth of 4 cycles, and what was left */
    assert_in_range(sum, 3 * 4 * (4095 + 3 * 255 * 15), 3 * 4 * (4095 + 3 * 255 * 15) + 1);
    for (size_t i = 0; i < r->n; i++)
        assert_true(bx_access_line(r->to[i]) >> bx_page_lines_shift(BX_USUAL_LINE_SHIFT) <
                    1 << BX_FRAME_BITS);
    end(r);
}

/* A load whose own cycles do not fit after those of a loop before it; also by the plain rule. */
static void a_cost_that_is_divided_leaves_the_line_alone(void **state)
{
    (void)state;
    rig *r = begin(NULL);
    uint64_t data = bx_decoder_physical(r->decoder, DATA); /* written: not the page of zeros */
    describe(r, 3, 10, false, (bx_trace_recurrence){0});
    describe(r, 4, 10, true, (bx_trace_recurrence){0});
    execute(r, 3, 409, false);
    execute(r, 4, 1, true);
    assert_int_equal(r->n, 2);
    assert_int_equal(cost(r->to[0]), 4095);
    assert_int_equal(cost(r->to[1]), 4089 + 10 - 4095);
    assert_int_equal(bx_access_line(r->to[1]), data / 64);
    end(r);
}

/* A loop without accesses, in a process with several threads: its cycles do not wait for the next
 * access, where there would be no room for all of the fetches. */
static void a_long_loop_is_spread_as_it_runs(void **state)
{
    (void)state;
    rig *r = begin(NULL);
    bx_word_writers *writers = bx_word_writers_new();
    uint64_t sum = 0;
    assert_non_null(writers);
    describe(r, 3, 10, false, (bx_trace_recurrence){0});
    bx_decoder_order(r->decoder, writers, 1, 0);
    for (unsigned i = 0; i < 5000; i++) {
        sum += execute(r, 3, 1, false);
        assert_true(r->n <= 2);
    }
    assert_int_equal(bx_decoder_end(r->decoder, r->to), 1);
    assert_int_equal(sum + cost(r->to[0]), 50000);
    bx_word_writers_free(writers);
    end(r);
}

/* Three threads that wait for each other, as those of a Go program do: loops of three instructions
 * without accesses, in short turns. In no interval does a core's clock stand still: an instruction
 * takes at least 1/4 of a cycle, and at most what two accesses can hold is not in it yet. */
static void threads_that_wait_take_time(void **state)
{
    (void)state;
    enum {
        THREADS = 3,
        TURNS = 3000,
        ROUNDS = 50,
        INSTRUCTIONS = 3,
        HELD = 2 * BX_ACCESS_COST_MAX
    };
    rig *r = begin(&four_wide);
    bx_word_writers *writers = bx_word_writers_new();
    bx_decoder_thread thread[THREADS] = {0};
    uint64_t cycles[THREADS] = {0}, instructions[THREADS] = {0};
    assert_non_null(writers);
    describe(r, 3, INSTRUCTIONS, false, (bx_trace_recurrence){0});
    bx_decoder_order(r->decoder, writers, 1, 0);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        unsigned t = turn % THREADS;
        bx_decoder_thread before = bx_decoder_switch(r->decoder, thread[t]);
        cycles[t] += execute(r, 3, ROUNDS, false);
        instructions[t] += ROUNDS * INSTRUCTIONS;
        assert_true(4 * (cycles[t] + HELD) >= instructions[t]);
        assert_true(4 * cycles[t] <= instructions[t]);
        thread[t] = bx_decoder_switch(r->decoder, before);
    }
    assert_true(cycles[0] > 4 * HELD);
    bx_word_writers_free(writers);
    end(r);
}

/* Each has its own part of a cycle: of 4 executions of 1/4 in turn, neither makes a whole one. */
static void threads_have_parts_of_their_own(void **state)
{
    (void)state;
    rig *r = begin(&four_wide);
    bx_decoder_thread other = {0}, all_of_two;
    describe(r, 3, 1, false, (bx_trace_recurrence){0});
    for (unsigned i = 0; i < 6; i++) {
        execute(r, 3, 1, false);
        other = bx_decoder_switch(r->decoder, other);
    }
    assert_int_equal(other.cost, 0);
    assert_int_equal(other.part, 3);
    all_of_two = bx_decoder_switch(r->decoder, other);
    assert_int_equal(all_of_two.cost, 0);
    assert_int_equal(all_of_two.part, 3);
    execute(r, 3, 1, false);
    assert_int_equal(bx_decoder_end(r->decoder, r->to), 1);
    assert_int_equal(cost(r->to[0]), 1);
    end(r);
}

/* ---- beside blocks ---- */

static void a_ratio_is_the_nearest_that_fits(void **state)
{
    (void)state;
    static const struct {
        bx_core_time core;
        uint32_t cycles, by;
        bx_ratio is;
    } row[] = {{{.core_hz = 3400000000, .uncore_hz = 4000000000}, 1, 4, {5, 17}},
               {{.core_hz = 0, .uncore_hz = 4000000000}, 1, 4, {1, 4}},
               {{.core_hz = 3000000000, .uncore_hz = 2000000000}, 4, 1, {8, 3}},
               {{.core_hz = 2266666667, .uncore_hz = 2666666667}, 1, 1, {20, 17}},
               {{.core_hz = 2266666667, .uncore_hz = 2666666667}, 0, 1, {0, 1}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bx_ratio r = bx_core_time_ratio(&row[i].core, row[i].cycles, row[i].by);
        assert_int_equal(r.n, row[i].is.n);
        assert_int_equal(r.d, row[i].is.d);
    }
}

/* Lackey's text has no chains: the width alone. 8 instructions of a line, and a load: with a width
 * of 4 two cycles, with one of 3 at 4/3 GHz two as well, and 2/3 of one that the next ones get. */
static void lackey_goes_by_the_width(void **state)
{
    (void)state;
    static const char text[] = "I  1000,4\nI  1004,4\nI  1008,4\nI  100c,4\nI  1010,4\n"
                               "I  1014,4\nI  1018,4\nI  101c,4\n L 20000,8\n";
    const bx_core_time thirds = {.width = 3};
    bx_access to[2 * BX_LACKEY_BURST];
    size_t made;
    bx_lackey l = {.frames = bx_frames_new(1), .slot = bx_core_time_slot(&four_wide)};
    assert_int_equal(bx_lackey_read(&l, text, sizeof text - 1, to, 2 * BX_LACKEY_BURST, &made),
                     sizeof text - 1);
    assert_int_equal(made, 2);
    assert_int_equal(cost(to[0]), 0);
    assert_int_equal(cost(to[1]), 2);
    l.slot = bx_core_time_slot(&thirds);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        bx_lackey_read(&l, text, sizeof text - 1, to, 2 * BX_LACKEY_BURST, &made);
        sum += cost(to[made - 1]);
    }
    assert_int_equal(sum, 8);
    bx_frames_free(l.frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_takes_its_chain_or_its_width),
        cmocka_unit_test(a_round_takes_its_busiest_port),
        cmocka_unit_test(divisions_take_their_own_times),
        cmocka_unit_test(without_width_an_instruction_is_a_cycle),
        cmocka_unit_test(parts_of_cycles_are_carried_over),
        cmocka_unit_test(each_part_of_a_block_has_its_own_pace),
        cmocka_unit_test(an_exit_may_follow_an_exit),
        cmocka_unit_test(long_chains_are_spread_over_more_accesses),
        cmocka_unit_test(a_cost_that_is_divided_leaves_the_line_alone),
        cmocka_unit_test(a_long_loop_is_spread_as_it_runs),
        cmocka_unit_test(threads_that_wait_take_time),
        cmocka_unit_test(threads_have_parts_of_their_own),
        cmocka_unit_test(a_ratio_is_the_nearest_that_fits),
        cmocka_unit_test(lackey_goes_by_the_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
