/* Gauges and queues, compared with counts made cycle by cycle. */
#include "../cmocked.h"

#include "model/part/queue.h"

enum { CYCLES = 3000, ENTRIES = 400, FULL = 5, MARK = 3, STARVES = 16 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* The increase of a gauge's sum in one cycle, from all levels. */
static uint64_t naive(const unsigned level[], unsigned cycle, enum bx_gauge_sum which)
{
    unsigned is = level[cycle], was = cycle ? level[cycle - 1] : 0;

    switch (which) {
    case BX_GAUGE_ENTRIES:
        return is;
    case BX_GAUGE_NOT_EMPTY:
        return is > 0;
    case BX_GAUGE_FULL:
        return is >= FULL;
    case BX_GAUGE_MARKED:
        return is >= MARK;
    case BX_GAUGE_EMPTIED:
        return was > 0 && is == 0;
    case BX_GAUGE_FILLED:
        return was < FULL && is >= FULL;
    case BX_GAUGE_MARK_CROSSED:
        return (was >= MARK) != (is >= MARK);
    case BX_GAUGE_UNMARKED:
        return is < MARK;
    default:
        return is == 0;
    }
}

static const enum bx_gauge_sum sums[] = {
    BX_GAUGE_ENTRIES, BX_GAUGE_NOT_EMPTY,    BX_GAUGE_FULL,  BX_GAUGE_MARKED,   BX_GAUGE_EMPTIED,
    BX_GAUGE_FILLED,  BX_GAUGE_MARK_CROSSED, BX_GAUGE_EMPTY, BX_GAUGE_UNMARKED,
};

enum { SUMS = sizeof sums / sizeof *sums };

/* Entries of any length, added in any order, some of them before earlier ones. */
static void test_sums(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bx_arena memory = {0};
        struct bx_gauge g = {.full = FULL, .mark = MARK, .edges = true};
        unsigned level[CYCLES] = {0};
        uint64_t random = seed, sum[SUMS] = {0};

        for (unsigned now = 0; now < CYCLES; now++) {
            while (next_random(&random) % 8 == 0) {
                unsigned begin = now + (unsigned)(next_random(&random) % 100);
                unsigned end = begin + (unsigned)(next_random(&random) % 50);
                bx_gauge_put(&g, &memory, now, begin, end);
                for (unsigned i = begin; i < end && i < CYCLES; i++)
                    level[i]++;
            }
            /* The gauge is not read in every cycle, so it advances over many cycles at once. */
            if (next_random(&random) % seed == 0)
                for (unsigned i = 0; i < SUMS; i++) {
                    assert_int_equal(bx_gauge_sum(&g, sums[i], now), sum[i]);
                    assert_int_equal(bx_gauge_level(&g, sums[i], now), naive(level, now, sums[i]));
                }
            for (unsigned i = 0; i < SUMS; i++)
                sum[i] += naive(level, now, sums[i]);
        }
        assert_false(memory.failed);
        bx_arena_free(&memory);
    }
}

/* Nothing changes between a read and the time returned by bx_gauge_next(). */
static void test_next(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bx_arena memory = {0};
        struct bx_gauge g = {.full = FULL, .mark = MARK, .edges = true};
        uint64_t random = seed, until = 0, level[SUMS] = {0};

        for (unsigned i = 0; i < ENTRIES; i++) {
            uint64_t begin = next_random(&random) % CYCLES;
            bx_gauge_put(&g, &memory, 0, begin, begin + 1 + next_random(&random) % 30);
        }
        for (unsigned now = 0; now < CYCLES; now++)
            for (unsigned i = 0; i < SUMS; i++) {
                uint64_t is = bx_gauge_level(&g, sums[i], now);
                if (now < until)
                    assert_int_equal(is, level[i]);
                level[i] = is;
                if (now >= until && i == SUMS - 1)
                    until = bx_gauge_next(&g, now);
            }
        assert_true(until == UINT64_MAX || until > CYCLES - 1);
        assert_false(memory.failed);
        bx_arena_free(&memory);
    }
}

/* A clock with a fixed period. */
static void test_every(void **state)
{
    (void)state;
    struct bx_gauge g = {.every = 10};
    uint64_t sum = 0;

    for (uint64_t now = 0; now < 100; now++) {
        assert_int_equal(bx_gauge_sum(&g, BX_GAUGE_ENTRIES, now), sum);
        assert_int_equal(bx_gauge_level(&g, BX_GAUGE_ENTRIES, now), now > 0 && now % 10 == 0);
        sum += now > 0 && now % 10 == 0;
    }
    assert_int_equal(bx_gauge_next(&g, 3), 10);
    assert_int_equal(bx_gauge_next(&g, 10), 11);
    assert_int_equal(bx_gauge_next(&g, 11), 20);
}

/* Whether an entry that begins at `begin` and stays for so long finds room in every cycle. */
static bool fits(const unsigned level[], unsigned capacity, uint64_t begin, uint64_t cycles)
{
    for (uint64_t i = begin; i < begin + cycles && i < CYCLES; i++)
        if (level[i] >= capacity)
            return false;
    return true;
}

/* The first time from which there is room for the whole stay, and the counted wait. */
static void test_stations(void **state)
{
    (void)state;
    uint64_t all_waits = 0, all_bypasses = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        unsigned capacity = (unsigned)(seed % 4) + 1, level[CYCLES] = {0};
        bx_arena memory = {0};
        struct bx_queue s;
        uint64_t random = seed, waits = 0, waited = 0, starved = 0, lives = 0;
        uint64_t bypasses = 0, inserts = 0;

        bx_queue_power_on(&s, capacity, STARVES);
        for (uint64_t now = 0; now < CYCLES / 2; now += next_random(&random) % 32) {
            bool known = next_random(&random) % 3;
            uint64_t t = now + next_random(&random) % 60, life = 1 + next_random(&random) % 20;
            uint64_t stay = known ? life : CYCLES, expected = t;
            while (!fits(level, capacity, expected, stay))
                expected++;
            uint64_t begin = bx_queue_begin(&s, now, t, known ? life : BX_QUEUE_UNKNOWN);
            assert_int_equal(begin, expected);
            bypasses += begin == t && level[t] == 0;
            bx_queue_put(&s, &memory, now, t, begin, begin + life);
            for (uint64_t i = begin; i < begin + life; i++)
                assert_true(++level[i] <= capacity);
            inserts++;
            waits += begin > t;
            waited += begin - t;
            starved += begin > t + STARVES ? begin - t - STARVES : 0;
            lives += life;
        }
        assert_int_equal(s.inserts, inserts);
        assert_int_equal(s.waits, waits);
        assert_int_equal(s.bypasses, bypasses);
        assert_int_equal(bx_gauge_sum(&s.in, BX_GAUGE_ENTRIES, CYCLES), lives);
        assert_int_equal(bx_gauge_sum(&s.waiting, BX_GAUGE_ENTRIES, CYCLES), waited);
        assert_int_equal(bx_gauge_sum(&s.starving, BX_GAUGE_ENTRIES, CYCLES), starved);
        all_waits += waits;
        all_bypasses += bypasses;
        assert_false(memory.failed);
        bx_arena_free(&memory);
    }
    assert_true(all_waits > 0 && all_bypasses > 0);
}

/* Entries of four lanes: cycles with one in any lane of a set, and the level in each cycle. */
static void test_lanes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        unsigned level[BX_GAUGE_MAX_LANES][CYCLES] = {{0}};
        uint64_t by_lanes[1 << BX_GAUGE_MAX_LANES] = {0}, random = seed, now = 0;
        uint64_t expected[1 << BX_GAUGE_MAX_LANES] = {0};
        bx_arena memory = {0};
        struct bx_gauge g = {.by_lanes = by_lanes};

        for (; now < CYCLES / 2; now += next_random(&random) % 16) {
            unsigned lane = (unsigned)(next_random(&random) % BX_GAUGE_MAX_LANES);
            uint64_t begin = now + next_random(&random) % 40;
            uint64_t end = begin + next_random(&random) % 20;
            bx_gauge_put_lane(&g, &memory, lane, now, begin, end);
            for (uint64_t i = begin; i < end; i++)
                level[lane][i]++;
        }
        for (uint64_t i = 0; i < CYCLES; i++) {
            unsigned busy = 0;
            for (unsigned lane = 0; lane < BX_GAUGE_MAX_LANES; lane++)
                busy |= (level[lane][i] != 0) << lane;
            for (unsigned set = 0; set < 1u << BX_GAUGE_MAX_LANES; set++) {
                enum bx_gauge_sum which = (enum bx_gauge_sum)(BX_GAUGE_LANES + set);
                if (i >= now)
                    assert_int_equal(bx_gauge_level(&g, which, i), (busy & set) != 0);
                expected[set] += (busy & set) != 0;
            }
        }
        for (unsigned set = 0; set < 1u << BX_GAUGE_MAX_LANES; set++)
            assert_int_equal(bx_gauge_sum(&g, (enum bx_gauge_sum)(BX_GAUGE_LANES + set), CYCLES),
                             expected[set]);
        assert_false(memory.failed);
        bx_arena_free(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_next),  cmocka_unit_test(test_every),
        cmocka_unit_test(test_stations), cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
