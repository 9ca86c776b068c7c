/* Stores of a program that write whole lines. Non-temporal ones to several lines by turns: what
 * leaves the write-combining buffers, and what reaches memory (334060-001 table 3-3). Those of
 * string instructions: what is read (docs/explanation/model-programs.md). */
#include "../cmocked.h"

#include "tracer/counted.h"

#include <stdio.h>

enum { LINES = 256, STORES = 16 /* of 4 bytes, to a line */ };

#define SKL "--machine virtual:skl,part=plain"

/* What the machine counts of as many lines by turns. */
static uint64_t written(const char *event, const char *options, unsigned by_turns)
{
    char program[64];
    snprintf(program, sizeof program, "${P}combine%.*s", 2 * (int)(by_turns - 1),
             " x x x x x x x x x x x x");
    return count_event(event, options, program);
}

/* A whole line is one write and one transfer. */
static void lines_by_turns_are_combined(void **state)
{
    (void)state;
    static const unsigned by_turns[] = {1, 2, 10};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(written("DRAM_DATA_WRITES", SKL, by_turns[i]), by_turns[i] * LINES);
        assert_int_equal(written("UNC_ARB_TRK_REQUESTS:WRITES", SKL, by_turns[i]),
                         by_turns[i] * LINES);
    }
}

/* There are as many buffers as fill buffers. With fewer than lines, each store is a partial write
 * of its own. Before the first of a line, the line itself is written, which the kernel has cleared.
 */
static void as_many_as_there_are_buffers(void **state)
{
    (void)state;
    const unsigned all = LINES * (STORES + 1);
    assert_int_equal(written("UNC_ARB_TRK_REQUESTS:WRITES", SKL, 11), 11 * all);
    assert_int_equal(written("UNC_ARB_TRK_REQUESTS:WRITES", SKL ",fill_buffers=11", 11),
                     11 * LINES);
    assert_int_equal(written("UNC_ARB_TRK_REQUESTS:WRITES", SKL ",wc_buffers=1", 2), 2 * all);
    assert_int_equal(written("UNC_ARB_TRK_REQUESTS:WRITES", SKL ",wc_buffers=2", 2), 2 * LINES);
}

/* REP STOS and REP MOVS read no line that they overwrite from its begin to its end, upwards. All
 * other stores read the lines. */
static void string_instructions_read_no_line_that_they_overwrite(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        unsigned reads; /* of lines of the arrays */
    } of[] = {{"", 0},
              {" x", 2},              /* of bytes; the first and the last line in parts */
              {" x x", LINES},        /* downwards */
              {" x x x", LINES},      /* a copy: the lines that it copies */
              {" x x x x", LINES},    /* without REP */
              {" x x x x x", LINES}}; /* ordinary stores */
    /* with prefetchers, too: they do not see these stores */
    static const char *const machines[] = {"virtual:skl,part=plain", "virtual:skl,part=i7-6700k"};
    for (unsigned m = 0; m < 2; m++) {
        char options[128], program[64];
        uint64_t first = 0;
        snprintf(options, sizeof options, "--machine %s --kernel-accesses off", machines[m]);
        for (unsigned i = 0; i < (m ? 2 : sizeof of / sizeof *of); i++) {
            snprintf(program, sizeof program, "${P}overwrite%s", of[i].arguments);
            uint64_t reads = count_event("DRAM_DATA_READS", options, program);
            first = i ? first : reads;
            assert_int_equal(reads - first, of[i].reads);
        }
        assert_in_range(first, 1, 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_by_turns_are_combined),
        cmocka_unit_test(as_many_as_there_are_buffers),
        cmocka_unit_test(string_instructions_read_no_line_that_they_overwrite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
