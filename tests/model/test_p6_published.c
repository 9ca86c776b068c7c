/* Published facts on P6 processors, and on all processors with write-back and write-allocate
 * caches, which do not come from our page. */
#include "../cmocked.h"

#include "p6_rig.h"

enum { LINE_BYTES = 32, MOST_CACHED = 16384 + 512 /* lines of L2 and of the DCU */ };

/* Bytes on the bus per byte that the program loads and stores. LIKWID, test/accuracy, counts them
 * in memory controllers: load 1.0, store 2.0, copy 1.5, stream 1.3333 (three arrays), because a
 * store reads its line first and writes it back later. Lines that are in the caches at the end have
 * not been written back. */
static void check_ratio(const struct rig *r, uint64_t known_lines, unsigned numerator,
                        unsigned denominator)
{
    uint64_t all = known_lines * numerator / denominator;
    uint64_t moved = p6_count(r, BUS_TRAN_BURST, 0);

    assert_in_range(moved, all - MOST_CACHED, all);
}

static void test_bytes_moved(void **state)
{
    (void)state;
    static const struct {
        const char *work;
        unsigned arrays, numerator, denominator;
    } cases[] = {
        {"chase,size=16M,passes=1", 1, 1, 1},
        {"copy,size=16M,stride=32", 2, 3, 2},
        {"stream,size=16M,stride=32", 3, 4, 3},
    };
    const uint64_t lines = (16 << 20) / LINE_BYTES;

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig r = p6_new();
        rig_work(&r, cases[i].work);
        check_ratio(&r, cases[i].arrays * lines, cases[i].numerator, cases[i].denominator);
        rig_free(&r);
    }
}

static void test_stores_move_twice(void **state)
{
    (void)state;
    enum { LINES = 100000 };
    static bx_access store[LINES];
    struct rig r = p6_new();

    for (unsigned i = 0; i < LINES; i++)
        store[i] = bx_access_make(i, BX_STORE, 0, 1);
    rig_play(&r, 0, store, LINES);
    check_ratio(&r, LINES, 2, 1);
    rig_free(&r);
}

/* Document 002, table 6-2, 48H: a miss that also misses L2 is counted two cycles short: N + 2
 * cycles count as N. A hit of L2 is not. */
static void test_misses_are_counted_short(void **state)
{
    (void)state;
    const bx_access then = bx_access_make(0, BX_LOAD, BX_ACCESS_DEPENDENT, 0);
    const bx_access far = bx_access_make(1, BX_LOAD, BX_ACCESS_DEPENDENT, 0);
    struct rig r = p6_new();

    p6_one(&r, 0, BX_FETCH, 0, 0);
    uint64_t near_cycles = rig_play(&r, 0, &then, 1);
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0), near_cycles);
    /* A load from memory that the core waits for, and the next load, which hits. */
    uint64_t before = p6_count(&r, DCU_MISS_OUTSTANDING, 0);
    uint64_t begin = rig_now(&r);
    rig_feed(&r, 0, (const bx_access[]){far, then}, 2);
    while (p6_count(&r, DATA_MEM_REFS, 0) < 3)
        bx_model_run(r.m, rig_now(&r) + 1);
    /* The second load was in the cycle that has just passed. */
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0) - before, rig_now(&r) - 1 - begin - 2);
    rig_free(&r);
}

/* The same, 62H: bus clocks in which the processor drives data, but processor cycles in which any
 * agent does. Line after line is written back. */
static void test_units_of_drdy(void **state)
{
    (void)state;
    struct rig r = p6_new();

    rig_work(&r, "copy,size=2M,stride=32");
    uint64_t own = p6_count(&r, BUS_DRDY_CLOCKS, 0), received = p6_count(&r, BUS_DATA_RCV, 0);
    uint64_t any = p6_count(&r, BUS_DRDY_CLOCKS, ANY);
    assert_true(own > 0);
    assert_int_equal(any % (own + received), 0); /* a whole ratio of bus to core clock */
    assert_true(any > own + received);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_moved),
        cmocka_unit_test(test_stores_move_twice),
        cmocka_unit_test(test_misses_are_counted_short),
        cmocka_unit_test(test_units_of_drdy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
