/* The P6 machine by hand: every count of small scenarios, computed from
 * docs/explanation/model-p6.md. A bus clock has 7 cycles. A lookup of L2 takes 6 cycles, a line
 * from it 8, and a line from memory 14 bus clocks. */
#include "../cmocked.h"

#include "p6_rig.h"

struct count {
    unsigned code, umask, value;
};

static void check(const struct rig *r, const struct count *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = p6_count(r, row[i].code, row[i].umask);
        if (value != row[i].value)
            fail_msg("event %02x:%02x is %llu, not %u", row[i].code, row[i].umask,
                     (unsigned long long)value, row[i].value);
    }
}

#define CHECK(r, ...)                                                                              \
    do {                                                                                           \
        static const struct count rows[] = {__VA_ARGS__};                                          \
        check(r, rows, sizeof rows / sizeof *rows);                                                \
    } while (0)

/* Three instructions, the last of which loads: at 3. L2 has been looked up at 9; the request is in
 * bus clock 2 (cycle 14), the data in 12 to 15 (cycles 84 to 111), which L2 takes from 112 to 120.
 */
static void test_load_from_memory(void **state)
{
    (void)state;
    const bx_access a = bx_access_make(1, BX_LOAD, BX_ACCESS_DEPENDENT, 3);
    struct rig r = p6_new();

    rig_play(&r, 0, &a, 1);
    assert_int_equal(rig_now(&r), 120);
    CHECK(&r, {CPU_CLK_UNHALTED, 0, 120}, {INST_RETIRED, 0, 3}, {UOPS_RETIRED, 0, 3},
          {INST_DECODER, 0, 3}, {DATA_MEM_REFS, 0, 1}, {DCU_LINES_IN, 0, 1}, {DCU_M_LINES_IN, 0, 0},
          {DCU_MISS_OUTSTANDING, 0, 112 - 3 - 2}, {L2_LD, I, 1}, {L2_LD, MESI, 1},
          {L2_LD, M | E | S, 0}, {L2_LD, 0, 0}, {L2_RQSTS, MESI, 1}, {L2_LINES_IN, 0, 1},
          {L2_M_LINES_INM, 0, 0}, {L2_LINES_OUT, 0, 0}, {L2_ADS, 0, 2}, {L2_DBUS_BUSY, 0, 8},
          {L2_DBUS_BUSY_RD, 0, 0}, {BUS_TRAN_BRD, 0, 1}, {BUS_TRAN_BRD, ANY, 1},
          {BUS_TRAN_BURST, 0, 1}, {BUS_TRAN_MEM, 0, 1}, {BUS_TRAN_ANY, 0, 1}, {BUS_TRAN_RFO, 0, 0},
          {BUS_DRDY_CLOCKS, 0, 0}, {BUS_DRDY_CLOCKS, ANY, 28}, {BUS_DATA_RCV, 0, 4},
          {BUS_REQ_OUTSTANDING, 0, 112 - 14}, {BUS_TRAN_DEF, 0, 0}, {RESOURCE_STALLS, 0, 0},
          {IFU_IFETCH, 0, 0}, {BUS_HIT_DRV, 0, 0});
    rig_free(&r);
}

/* Lines 0, 128, 256, 384 and 512 share a set of L1D, but not of L2: the fifth evicts one. Accessing
 * that again takes 1 + 6 + 8 cycles, and finds E. */
static void test_load_from_l2(void **state)
{
    (void)state;
    struct rig r = p6_new();

    for (uint64_t i = 0; i < 5; i++)
        p6_one(&r, 0, BX_LOAD, 128 * i, 0);
    uint64_t before = rig_now(&r), outstanding = p6_count(&r, DCU_MISS_OUTSTANDING, 0);
    p6_one(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_now(&r) - before, 15);
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0) - outstanding, 14);
    CHECK(&r, {L2_LD, I, 5}, {L2_LD, E, 1}, {L2_RQSTS, MESI, 6}, {DCU_LINES_IN, 0, 6},
          {L2_LINES_IN, 0, 5}, {L2_DBUS_BUSY, 0, 6 * 8}, {L2_DBUS_BUSY_RD, 0, 8}, {L2_ADS, 0, 11},
          {BUS_TRAN_BRD, 0, 5}, {DCU_M_LINES_OUT, 0, 0});
    before = rig_now(&r);
    p6_one(&r, 0, BX_LOAD, 0, 0); /* now it is in L1D */
    assert_int_equal(rig_now(&r) - before, 1);
    CHECK(&r, {L2_LD, MESI, 6}, {DATA_MEM_REFS, 0, 7}, {INST_RETIRED, 0, 7});
    rig_free(&r);
}

/* The store reads for ownership. Four loads of its set move the line to L2, where the next store
 * finds it in M. */
static void test_store(void **state)
{
    (void)state;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_STORE, 0, 0);
    CHECK(&r, {BUS_TRAN_RFO, 0, 1}, {BUS_TRAN_BRD, 0, 0}, {L2_ST, I, 1}, {DCU_M_LINES_IN, 0, 1},
          {L2_M_LINES_INM, 0, 0}, {UOPS_RETIRED, 0, 2}, {INST_RETIRED, 0, 1}, {SB_DRAINS, 0, 0});
    p6_one(&r, 0, BX_STORE, 0, 0); /* L1D has it */
    CHECK(&r, {L2_ST, MESI, 1}, {UOPS_RETIRED, 0, 4}, {DATA_MEM_REFS, 0, 2}, {SB_DRAINS, 0, 0});
    for (uint64_t i = 1; i <= 4; i++)
        p6_one(&r, 0, BX_LOAD, 128 * i, 0);
    CHECK(&r, {DCU_M_LINES_OUT, 0, 1}, {L2_M_LINES_INM, 0, 0}, {L2_ADS, 0, 5 * 2 + 1},
          {BUS_TRANS_WB, 0, 0});
    p6_one(&r, 0, BX_STORE, 0, 0);
    CHECK(&r, {L2_ST, M, 1}, {L2_ST, MESI, 2}, {L2_RQSTS, M, 1}, {DCU_M_LINES_IN, 0, 2},
          {BUS_TRAN_RFO, 0, 1}, {BUS_TRAN_INVAL, 0, 0});
    rig_free(&r);
}

/* Lines 0, 4096, … share a set of L2 (and of L1D). When the fifth evicts the stored one from L1D,
 * it comes to L2 in M. L2 has just evicted it, too, so it is allocated again, and the next line
 * evicts it to memory. */
static void test_write_back(void **state)
{
    (void)state;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_STORE, 0, 0);
    for (uint64_t i = 1; i <= 4; i++)
        p6_one(&r, 0, BX_LOAD, 4096 * i, 0);
    CHECK(&r, {DCU_M_LINES_OUT, 0, 1}, {L2_M_LINES_INM, 0, 1}, {L2_LINES_IN, 0, 6},
          {L2_LINES_OUT, 0, 2}, {L2_M_LINES_OUTM, 0, 0}, {BUS_TRANS_WB, 0, 0});
    for (uint64_t i = 5; i <= 8; i++)
        p6_one(&r, 0, BX_LOAD, 4096 * i, 0);
    CHECK(&r, {L2_M_LINES_OUTM, 0, 1}, {BUS_TRANS_WB, 0, 1}, {L2_LINES_OUT, 0, 6},
          {BUS_DRDY_CLOCKS, 0, 4}, {BUS_DRDY_CLOCKS, ANY, (9 + 1) * 28}, {BUS_TRAN_BURST, 0, 10},
          {BUS_TRAN_MEM, 0, 10}, {BUS_DATA_RCV, 0, 36});
    rig_free(&r);
}

/* A device reads a line that the processor has changed, then a line that it shares, and then writes
 * it. */
static void test_snoops(void **state)
{
    (void)state;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_STORE, 7, 0);
    p6_one(&r, BX_AGENT_IO, BX_LOAD, 7, 0); /* M in L1D: stalled for two bus clocks, then HITM */
    CHECK(&r, {BUS_HITM_DRV, 0, 3}, {BUS_HIT_DRV, 0, 2}, {BUS_SNOOP_STALL, 0, 14},
          {DCU_M_LINES_OUT, 0, 1}, {BUS_DRDY_CLOCKS, 0, 4}, {BUS_TRAN_BRD, 0, 0},
          {BUS_TRAN_BRD, ANY, 1}, {BUS_TRANS_WB, ANY, 0}, {BUS_TRAN_MEM, 0, 1},
          {BUS_TRAN_MEM, ANY, 2});
    p6_one(&r, BX_AGENT_IO, BX_LOAD, 7, 0); /* S in L2 */
    CHECK(&r, {BUS_HITM_DRV, 0, 3}, {BUS_HIT_DRV, 0, 3}, {BUS_SNOOP_STALL, 0, 14},
          {BUS_DRDY_CLOCKS, 0, 4});
    p6_one(&r, 0, BX_LOAD, 7, 0);
    CHECK(&r, {L2_LD, S, 1}, {L2_LD, MESI, 1});
    p6_one(&r, 0, BX_STORE, 7, 0); /* S in L1D and L2 */
    CHECK(&r, {L2_ST, S, 1}, {BUS_TRAN_INVAL, 0, 1}, {BUS_TRAN_RFO, 0, 1}, {DCU_M_LINES_IN, 0, 1},
          {BUS_TRAN_BURST, 0, 1}, {BUS_TRAN_ANY, 0, 2});
    p6_one(&r, BX_AGENT_IO, BX_STORE, 7, BX_ACCESS_PARTIAL);
    CHECK(&r, {BUS_HITM_DRV, 0, 6}, {BUS_HIT_DRV, 0, 5}, {BUS_TRAN_PWR, 0, 0},
          {BUS_TRAN_PWR, ANY, 1}, {BUS_TRAN_P, ANY, 1}, {DCU_M_LINES_OUT, 0, 2},
          {L2_LINES_OUT, 0, 1}, {L2_M_LINES_OUTM, 0, 0}, {BUS_DRDY_CLOCKS, 0, 8});
    p6_one(&r, 0, BX_LOAD, 7, 0); /* no copy is left */
    CHECK(&r, {L2_LD, I, 1}, {BUS_TRAN_BRD, 0, 1});
    p6_one(&r, BX_AGENT_IO, BX_STORE, 7, 0); /* a clean line is lost silently */
    CHECK(&r, {BUS_HIT_DRV, 0, 5}, {BUS_HITM_DRV, 0, 6}, {L2_LINES_OUT, 0, 2},
          {BUS_TRAN_PWR, ANY, 1}, {BUS_TRAN_BURST, ANY, 5}, {BUS_TRAN_ANY, ANY, 7});
    rig_free(&r);
}

/* A page's first fetch costs a walk of 20 cycles. The line: from 21, looked up until 27, requested
 * in clock 4 (cycle 28), there after 14 bus clocks at 126. */
static void test_fetches(void **state)
{
    (void)state;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_FETCH, 0, 0);
    assert_int_equal(rig_now(&r), 126 + 8);
    CHECK(&r, {IFU_IFETCH, 0, 1}, {IFU_IFETCH_MISS, 0, 1}, {ITLB_MISS, 0, 1},
          {IFU_MEM_STALL, 0, 125}, {L2_IFETCH, I, 1}, {BUS_TRAN_IFETCH, 0, 1},
          {DATA_MEM_REFS, 0, 0}, {DCU_LINES_IN, 0, 0}, {DCU_MISS_OUTSTANDING, 0, 0},
          {L2_RQSTS, I, 1});
    p6_one(&r, 0, BX_FETCH, 0, 0);
    CHECK(&r, {IFU_IFETCH, 0, 2}, {IFU_IFETCH_MISS, 0, 1}, {ITLB_MISS, 0, 1},
          {IFU_MEM_STALL, 0, 125});
    p6_one(&r, 0, BX_STORE, 1, 0); /* code that is written, then executed: L1D loses its copy */
    p6_one(&r, 0, BX_FETCH, 1, 0);
    CHECK(&r, {DCU_M_LINES_OUT, 0, 1}, {L2_IFETCH, M, 1}, {ITLB_MISS, 0, 1},
          {IFU_MEM_STALL, 0, 125 + 6 + 8 + 8}, {BUS_TRAN_IFETCH, 0, 1});
    rig_free(&r);
}

/* Five loads at once: the fifth waits for a fill buffer. Their data is consecutive on the bus,
 * four bus clocks each, and requests are three clocks apart. The second's data is a clock late, the
 * third's two. With more buffers, the eighth's is seven late: it is deferred, and each after it. */
static void test_fill_buffers(void **state)
{
    (void)state;
    bx_access a[10];
    struct rig r = p6_new();

    for (unsigned i = 0; i < 10; i++)
        a[i] = bx_access_make(i, BX_LOAD, 0, i == 0);
    rig_play(&r, 0, a, 4);
    /* at 1: looked up at 7, requested in clock 1; data in 11 … 26; the last one to L2 until 197. */
    assert_int_equal(rig_now(&r), 27 * 7 + 8);
    CHECK(&r, {RESOURCE_STALLS, 0, 0}, {BUS_TRAN_DEF, 0, 0}, {BUS_DATA_RCV, 0, 16},
          {BUS_REQ_OUTSTANDING, 0, 7 * (14 + 15 + 16 + 17)}, {INST_RETIRED, 0, 1},
          {DCU_MISS_OUTSTANDING, 0, (105 + 133 + 161 + 189) - 4 * (1 + 2)});
    rig_free(&r);
    r = p6_new();
    rig_play(&r, 0, a, 5); /* the first buffer is free at clock 15, cycle 105 */
    CHECK(&r, {RESOURCE_STALLS, 0, 104}, {DATA_MEM_REFS, 0, 5});
    rig_free(&r);
    r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .times = {.fill_buffers = 10}});
    rig_play(&r, 0, a, 10);
    CHECK(&r, {RESOURCE_STALLS, 0, 0}, {BUS_TRAN_DEF, 0, 3}, {BUS_DATA_RCV, 0, 40});
    rig_free(&r);
}

/* A load of a line that a store still waits for also waits: from 2 until 105. */
static void test_blocked_load(void **state)
{
    (void)state;
    const bx_access a[] = {bx_access_make(0, BX_STORE, 0, 1), bx_access_make(0, BX_LOAD, 0, 1)};
    struct rig r = p6_new();

    rig_play(&r, 0, a, 2);
    CHECK(&r, {LD_BLOCKS, 0, 1}, {SB_DRAINS, 0, 105 - 2}, {DATA_MEM_REFS, 0, 2},
          {DCU_LINES_IN, 0, 1}, {UOPS_RETIRED, 0, 3}, {CPU_CLK_UNHALTED, 0, 113});
    rig_free(&r);
}

/* Thirteen stores that hit, after one that misses: the buffer has twelve entries, and the first is
 * free at 105. */
static void test_store_buffer(void **state)
{
    (void)state;
    bx_access a[13];
    struct rig r = p6_new();

    p6_one(&r, 0, BX_STORE, 5, 0);
    uint64_t begin = rig_now(&r);
    assert_int_equal(begin, 113);
    a[0] = bx_access_make(0, BX_STORE, 0, 1);
    for (unsigned i = 1; i < 13; i++)
        a[i] = bx_access_make(5, BX_STORE, 0, 1);
    rig_play(&r, 0, a, 13);
    /* The first at 114: looked up until 120, requested in clock 18, there at 32 * 7. The thirteenth
     * would be at 113 + 13. */
    CHECK(&r, {RESOURCE_STALLS, 0, 224 - 126}, {INST_RETIRED, 0, 14}, {UOPS_RETIRED, 0, 28});
    rig_free(&r);
}

/* A store to a line that L2 has, after one that misses. It completes and leaves its fill buffer
 * with the first one, at the end of the first one's data, which is 8 cycles before that line is in
 * L2. */
static void test_stores_complete_in_order(void **state)
{
    (void)state;
    const bx_access stores[] = {bx_access_make(64, BX_STORE, 0, 0),
                                bx_access_make(1, BX_STORE, 0, 0)};
    struct rig r = p6_new();

    p6_one(&r, 0, BX_FETCH, 1, 0);
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0), 0);
    uint64_t completion = rig_play(&r, 0, stores, 2) - 8;
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0), 2 * completion - 2);
    rig_free(&r);
}

/* A store to a line that the DCU has in S, but L2 does not have, misses L2 as well: two cycles
 * less. */
static void test_upgrade_of_a_line_not_in_l2(void **state)
{
    (void)state;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_LOAD, 0, 0);
    p6_one(&r, BX_AGENT_IO, BX_LOAD, 0, 0);
    for (unsigned i = 1; i <= 4; i++) /* lines of L2's set, which do not affect the DCU */
        p6_one(&r, 0, BX_FETCH, i * 4096, 0);
    uint64_t before = p6_count(&r, DCU_MISS_OUTSTANDING, 0);
    uint64_t cycles = rig_do(&r, 0, BX_STORE, 0, 0);
    assert_int_equal(p6_count(&r, L2_ST, I), 1);
    assert_int_equal(p6_count(&r, BUS_TRAN_INVAL, 0), 1);
    assert_int_equal(p6_count(&r, DCU_MISS_OUTSTANDING, 0) - before, cycles - 2);
    rig_free(&r);
}

static bx_access prefetch_of(uint64_t line, enum bx_prefetcher by)
{
    return bx_access_prefetch(line, by, BX_LOAD);
}

/* A load at 1 is requested in bus clock 1, its data are there at 105. The prefetch of the next line
 * is requested in clock 4; its data, in 15 to 18, are there at 133. A load of that line at 10 gets
 * it then, from 133 to 141. It is no transaction of its own. */
static void test_prefetch_into_l2(void **state)
{
    (void)state;
    const bx_access a[] = {bx_access_make(0, BX_LOAD, 0, 1), prefetch_of(1, BX_PREFETCHER_STREAMER),
                           bx_access_make(1, BX_LOAD, BX_ACCESS_DEPENDENT, 9)};
    struct rig r = p6_new();

    rig_play(&r, 0, a, 3);
    assert_int_equal(rig_now(&r), 141);
    CHECK(&r, {BUS_TRAN_BRD, 0, 2}, {L2_LD, I, 2}, {L2_LD, E, 1}, {L2_LINES_IN, 0, 2},
          {DCU_LINES_IN, 0, 2}, {DATA_MEM_REFS, 0, 2}, {INST_RETIRED, 0, 10},
          {DCU_MISS_OUTSTANDING, 0, (105 - 1 - 2) + (141 - 10)});
    rig_free(&r);
}

/* One entry: the second prefetch is dropped. One of a line that the DCU has does nothing. */
static void test_prefetches_in_flight(void **state)
{
    (void)state;
    const bx_access a[] = {
        bx_access_make(0, BX_LOAD, BX_ACCESS_DEPENDENT, 1), prefetch_of(1, BX_PREFETCHER_ADJACENT),
        prefetch_of(2, BX_PREFETCHER_STREAMER), prefetch_of(0, BX_PREFETCHER_NEXT)};
    struct rig r =
        rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .times = {.super_queue = 1}});

    rig_play(&r, 0, a, 4);
    CHECK(&r, {BUS_TRAN_BRD, 0, 2}, {L2_LINES_IN, 0, 2}, {DCU_LINES_IN, 0, 1});
    rig_play(&r, 0, a + 2, 1);
    CHECK(&r, {BUS_TRAN_BRD, 0, 3});
    rig_free(&r);
}

/* L2 has the line of a fetch: it is carried to the DCU from 7 to 15, and is no miss there. */
static void test_prefetch_into_dcu(void **state)
{
    (void)state;
    const bx_access next = prefetch_of(1, BX_PREFETCHER_NEXT) | 1 << 4;
    struct rig r = p6_new();

    p6_one(&r, 0, BX_FETCH, 1, 0);
    uint64_t before = rig_now(&r);
    rig_play(&r, 0, &next, 1);
    assert_int_equal(rig_now(&r) - before, 1 + 6 + 8);
    CHECK(&r, {L2_LD, E, 1}, {DCU_LINES_IN, 0, 1}, {DCU_MISS_OUTSTANDING, 0, 0},
          {DATA_MEM_REFS, 0, 0}, {BUS_TRAN_BRD, 0, 0});
    p6_one(&r, 0, BX_LOAD, 1, 0);
    CHECK(&r, {L2_LD, MESI, 1}, {DATA_MEM_REFS, 0, 1});
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_from_memory),
        cmocka_unit_test(test_load_from_l2),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_snoops),
        cmocka_unit_test(test_fetches),
        cmocka_unit_test(test_fill_buffers),
        cmocka_unit_test(test_blocked_load),
        cmocka_unit_test(test_store_buffer),
        cmocka_unit_test(test_stores_complete_in_order),
        cmocka_unit_test(test_upgrade_of_a_line_not_in_l2),
        cmocka_unit_test(test_prefetch_into_l2),
        cmocka_unit_test(test_prefetches_in_flight),
        cmocka_unit_test(test_prefetch_into_dcu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
