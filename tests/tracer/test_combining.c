/* Non-temporal stores of a program to several lines by turns: what leaves the write-combining
 * buffers, and what reaches memory (334060-001 table 3-3). */
#include "../cmocked.h"

#include "tracer/counted.h"

#include <stdio.h>

enum { LINES = 256, STORES = 16 /* of 4 bytes, to a line */ };

#define SKL "--machine virtual:skl"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_by_turns_are_combined),
        cmocka_unit_test(as_many_as_there_are_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
