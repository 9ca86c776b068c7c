/* Matching members with counters: passes and assignments, against an exhaustive search. */
#include "../cmocked.h"

#include "schedule/match.h"

#include <stdbool.h>
#include <string.h>

/* Exhaustive search: tries every assignment of members to counters. An assignment takes as many
 * passes as its fullest counter has members. */
static unsigned search(const uint32_t *can, size_t n, unsigned *load, size_t i)
{
    if (i == n) {
        unsigned most = 0;
        for (unsigned c = 0; c < BX_MATCH_COUNTERS; c++)
            most = load[c] > most ? load[c] : most;
        return most;
    }
    unsigned best = UINT32_MAX;
    for (unsigned c = 0; c < BX_MATCH_COUNTERS; c++) {
        if (!(can[i] >> c & 1))
            continue;
        load[c]++;
        unsigned passes = search(can, n, load, i + 1);
        best = passes < best ? passes : best;
        load[c]--;
    }
    return best;
}

static unsigned least_passes(const uint32_t *can, size_t n)
{
    unsigned load[BX_MATCH_COUNTERS] = {0};
    return search(can, n, load, 0);
}

enum { MOST = 16 };

/* Checks that every member is on a possible counter, no two share one in a pass, and no pass is
 * empty. */
static unsigned match_soundly(const uint32_t *can, size_t n)
{
    uint8_t counter[MOST];
    uint16_t pass[MOST];
    unsigned passes = bx_match(can, n, counter, pass);
    uint32_t used[MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        assert_true(can[i] >> counter[i] & 1);
        assert_true(pass[i] < passes);
        assert_false(used[pass[i]] >> counter[i] & 1);
        used[pass[i]] |= UINT32_C(1) << counter[i];
    }
    for (unsigned p = 0; p < passes; p++)
        assert_int_not_equal(used[p], 0);
    return passes;
}

static void nothing_takes_no_pass(void **state)
{
    (void)state;
    assert_int_equal(bx_match(NULL, 0, NULL, NULL), 0);
}

static void first_come_sits_low(void **state)
{
    (void)state;
    const uint32_t can[] = {3, 3, 3, 3, 3};
    uint8_t counter[5];
    uint16_t pass[5];
    assert_int_equal(bx_match(can, 5, counter, pass), 3);
    const uint8_t counters[] = {0, 1, 0, 1, 0};
    const uint16_t passes[] = {0, 0, 1, 1, 2};
    assert_memory_equal(counter, counters, sizeof counters);
    assert_memory_equal(pass, passes, sizeof passes);
}

/* Greedy assignment would give counter 0 to the first member, and leave none for the second. */
static void a_member_makes_room_for_a_restricted_one(void **state)
{
    (void)state;
    const uint32_t can[] = {3, 1};
    uint8_t counter[2];
    uint16_t pass[2];
    assert_int_equal(bx_match(can, 2, counter, pass), 1);
    assert_int_equal(counter[0], 1);
    assert_int_equal(counter[1], 0);
}

static void a_chain_of_moves(void **state)
{
    (void)state;
    /* Each member can move up by one counter; the last member needs the first counter. */
    const uint32_t can[] = {0x3, 0x6, 0xc, 0x18, 0x1};
    assert_int_equal(match_soundly(can, 5), 1);
}

static void the_last_counter_of_all(void **state)
{
    (void)state;
    const uint32_t can[] = {UINT32_C(1) << 31, UINT32_C(1) << 31, UINT32_C(3) << 30};
    assert_int_equal(match_soundly(can, 3), 2);
}

/* All sets of up to five members over three counters. */
static void fewest_passes_of_all_small_sets(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        unsigned sets = 1;
        for (size_t i = 0; i < n; i++)
            sets *= 7;
        for (unsigned set = 0; set < sets; set++) {
            uint32_t can[5];
            unsigned rest = set;
            for (size_t i = 0; i < n; i++, rest /= 7)
                can[i] = rest % 7 + 1;
            assert_int_equal(match_soundly(can, n), least_passes(can, n));
        }
    }
}

/* Random sets of up to eight members over five counters. */
static void fewest_passes_of_random_sets(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (unsigned round = 0; round < 400; round++) {
        uint32_t can[8];
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t n = 1 + (x >> 33) % 8;
        for (size_t i = 0; i < n; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
            can[i] = (x >> 33) % 31 + 1;
            if (x >> 60 & 1) /* some have only few possible counters */
                can[i] &= -can[i];
        }
        assert_int_equal(match_soundly(can, n), least_passes(can, n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_takes_no_pass),
        cmocka_unit_test(first_come_sits_low),
        cmocka_unit_test(a_member_makes_room_for_a_restricted_one),
        cmocka_unit_test(a_chain_of_moves),
        cmocka_unit_test(the_last_counter_of_all),
        cmocka_unit_test(fewest_passes_of_all_small_sets),
        cmocka_unit_test(fewest_passes_of_random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
