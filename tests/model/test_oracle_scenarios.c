/* The oracle itself, compared with small scenarios worked out by hand from
 * docs/explanation/model-client.md. */
#include "../cmocked.h"

#include "oracle.h"

#define LOAD(line, cost)            bx_access_make(line, BX_LOAD, 0, cost)
#define LOAD_DEPENDENT(line, cost)  bx_access_make(line, BX_LOAD, BX_ACCESS_DEPENDENT, cost)
#define STORE(line, cost)           bx_access_make(line, BX_STORE, 0, cost)
#define STORE_DEPENDENT(line, cost) bx_access_make(line, BX_STORE, BX_ACCESS_DEPENDENT, cost)
#define STORE_PARTIAL(line, cost)   bx_access_make(line, BX_STORE, BX_ACCESS_PARTIAL, cost)
#define PAST(line, cost)            bx_access_make(line, BX_NON_TEMPORAL, 0, cost)
#define PAST_PARTIAL(line, cost)    bx_access_make(line, BX_NON_TEMPORAL, BX_ACCESS_PARTIAL, cost)
#define FETCH(line, cost)           bx_access_make(line, BX_FETCH, 0, cost)

#define ACCESSES(...)                                                                              \
    {                                                                                              \
        (const bx_access[]){__VA_ARGS__},                                                          \
            sizeof((const bx_access[]){__VA_ARGS__}) / sizeof(bx_access)                           \
    }
#define AGENT(number, ...)  [number] = ACCESSES(__VA_ARGS__)
#define TRACES(...)         ((const struct oracle_trace[BX_AGENTS]){__VA_ARGS__})

/* Counts of slice 0. */
#define READ_(state)        lookup[0][ORACLE_READ][ORACLE_##state]
#define WRITE_(state)       lookup[0][ORACLE_WRITE][ORACLE_##state]
#define EXTSNP_(state)      lookup[0][ORACLE_EXTSNP][ORACLE_##state]
#define XCORE_(response)    xsnp[0][ORACLE_XCORE][ORACLE_##response]
#define EXTERNAL_(response) xsnp[0][ORACLE_EXTERNAL][ORACLE_##response]
#define EVICTION_(response) xsnp[0][ORACLE_EVICTION][ORACLE_##response]
#define BY_GT               imc_requests[ORACLE_GT]
#define BY_IA               imc_requests[ORACLE_IA]
#define BY_IO               imc_requests[ORACLE_IO]

/* Distances of lines that share a set: of L1 but not L2; of L1 and L2. */
enum { L1_STRIDE = 64, L2_STRIDE = 1024 };

/* One slice, so that ring = 2 x the core's number. */
static const bx_model_shape one_slice = {1, 4, 1, 2 << 20};
static const bx_model_shape four_slices = {1, 4, 4, 8 << 20};
static const bx_model_shape tiny_llc = {1, 4, 1, 64 << 10}; /* 64 sets: L1_STRIDE shares a set */

static struct oracle *play(const bx_model_shape *shape, const struct oracle_trace *traces)
{
    struct oracle *o = oracle_new(shape, true);

    oracle_run(o, traces);
    return o;
}

static void expect(struct oracle *o, const struct oracle_counts *expected)
{
    char difference[120];

    if (oracle_difference(oracle_counts(o), expected, difference, sizeof difference))
        fail_msg("%s", difference);
}

/* Loads and other accesses of cores that miss all caches while the channel is free: 20 cycles to
 * the channel, 130 from there. */
static struct oracle_counts misses(unsigned loads, unsigned others)
{
    unsigned all = loads + others;

    return (struct oracle_counts){.accesses = all,
                                  .READ_(I) = all,
                                  .arb_all = all,
                                  .arb_data_read = loads,
                                  .occupancy_all = all * 150,
                                  .occupancy_data_read = loads * 150,
                                  .BY_IA = all,
                                  .data_reads = all};
}

static void expect_freed(struct oracle *o, const struct oracle_counts *expected)
{
    expect(o, expected);
    oracle_free(o);
}

/* READ with state I; memory: service at 0 + 20, data 130 later; the entry lives from 0 to 150. */
static void test_cold_load(void **state)
{
    (void)state;
    struct oracle *o = play(&one_slice, TRACES(AGENT(0, LOAD(0, 0))));
    assert_int_equal(oracle_clock(o, 0), 0);
    struct oracle_counts expected = misses(1, 0);
    expected.end = 150;
    expect_freed(o, &expected);
}

/* Core 3 is three stops from slice 0: completion 7 + 150 + 6, for which a dependent load waits. The
 * load after it hits L1D and costs only its own 5 cycles. */
static void test_dependent_load(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(3, LOAD_DEPENDENT(0, 7), LOAD_DEPENDENT(0, 5))));
    assert_int_equal(oracle_clock(o, 3), 168);
    struct oracle_counts expected = misses(1, 0);
    expected.accesses += 1;
    expected.end = 168;
    expect_freed(o, &expected);
}

/* Address bit 6 is in the first mask only, bit 7 in the second only, bit 8 in neither; the masks'
 * lowest bits are 6, 10, 12, 14 and 7, 11, 13, 15. Line 3 is on slice 3: 6 cycles away from core 0.
 */
static void test_slices(void **state)
{
    (void)state;
    struct oracle *o =
        play(&four_slices, TRACES(AGENT(0, LOAD(1, 0), LOAD(2, 0), LOAD(3, 0), LOAD(4, 0),
                                        LOAD(16, 0), LOAD(32, 0), LOAD(48, 0), LOAD(64 + 16, 0))));
    const struct oracle_counts *counts = oracle_counts(o);

    assert_int_equal(counts->lookup[0][ORACLE_READ][ORACLE_I], 2); /* 4, 80 */
    assert_int_equal(counts->lookup[1][ORACLE_READ][ORACLE_I], 2); /* 1, 16 */
    assert_int_equal(counts->lookup[2][ORACLE_READ][ORACLE_I], 2); /* 2, 32 */
    assert_int_equal(counts->lookup[3][ORACLE_READ][ORACLE_I], 2); /* 3, 48 */
    oracle_free(o);

    o = play(&four_slices, TRACES(AGENT(0, LOAD(3, 0))));
    assert_int_equal(oracle_counts(o)->end, 156);
    oracle_free(o);
    o = play(&four_slices, TRACES(AGENT(3, LOAD(3, 0))));
    assert_int_equal(oracle_counts(o)->end, 150);
    oracle_free(o);
}

/* Lines 0 and 2 share a channel: the second is served at 32 and done at 162. Line 1 does not wait.
 */
static void test_channels(void **state)
{
    (void)state;
    struct oracle *o = play(&one_slice, TRACES(AGENT(0, LOAD(0, 0), LOAD(2, 0), LOAD(1, 0))));
    const struct oracle_signal occupancy = {ORACLE_BOX_ARB, 0, 0x80, 1};
    uint32_t level[200];
    unsigned at_least[4] = {0};

    assert_int_equal(oracle_counts(o)->occupancy_all, 150 + 162 + 150);
    assert_int_equal(oracle_counts(o)->end, 162);
    oracle_levels(oracle_log(o), &occupancy, level, 200);
    for (unsigned t = 0; t < 200; t++)
        for (unsigned threshold = 1; threshold < 4; threshold++)
            at_least[threshold] += level[t] >= threshold;
    assert_int_equal(at_least[1], 162);
    assert_int_equal(at_least[2], 150);
    assert_int_equal(at_least[3], 150);
    oracle_free(o);
}

/* Ten loads go out at 0, five on each channel, 12 cycles apart. The eleventh waits for the first
 * buffer (150): service at 170, data at 300. */
static void test_fill_buffers(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice,
             TRACES(AGENT(0, LOAD(0, 0), LOAD(1, 0), LOAD(2, 0), LOAD(3, 0), LOAD(4, 0), LOAD(5, 0),
                          LOAD(6, 0), LOAD(7, 0), LOAD(8, 0), LOAD(9, 0), LOAD(10, 0))));
    assert_int_equal(oracle_clock(o, 0), 150);
    expect_freed(
        o, &(struct oracle_counts){.accesses = 11,
                                   .READ_(I) = 11,
                                   .arb_all = 11,
                                   .arb_data_read = 11,
                                   .occupancy_all = 2 * (150 + 162 + 174 + 186 + 198) + 150,
                                   .occupancy_data_read = 2 * (150 + 162 + 174 + 186 + 198) + 150,
                                   .BY_IA = 11,
                                   .data_reads = 11,
                                   .end = 300});
}

/* Nine lines of one L1 set: the bits point back to way 0, so the ninth takes line 0's way. Line 0
 * is then found in L2 (2 cycles) and takes way 4, line 1 is still in L1D, line 4 costs 8 as it is
 * waited for. */
static void test_l2_hits(void **state)
{
    (void)state;
    enum { S = L1_STRIDE };
    struct oracle *o =
        play(&one_slice,
             TRACES(AGENT(0, LOAD(0 * S, 1000), LOAD(1 * S, 1000), LOAD(2 * S, 1000),
                          LOAD(3 * S, 1000), LOAD(4 * S, 1000), LOAD(5 * S, 1000),
                          LOAD(6 * S, 1000), LOAD(7 * S, 1000), LOAD(8 * S, 1000),
                          LOAD(0 * S, 1000), LOAD(1 * S, 1000), LOAD_DEPENDENT(4 * S, 1000))));
    struct oracle_counts expected = misses(9, 0);
    expected.accesses += 3;
    expected.end = 12000 + 2 + 8;
    expect_freed(o, &expected);
}

/* A store's miss is no DATA_READ. Core 1 then finds the LLC in E, core 0's copy dirty: 34 + 2 + 35.
 * Core 0's second store finds S: it snoops again, core 1 is clean: 34 + 25. Then core 1 once more,
 * LLC in M. The misses at 1500 and 2500 keep the cores from running ahead. */
static void test_store_and_upgrade(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, STORE(0, 0), LOAD(100, 1500), STORE(0, 500)),
                                AGENT(1, LOAD(0, 1000), LOAD(200, 1500), LOAD(0, 500))));
    struct oracle_counts expected = misses(2, 1);
    expected.accesses += 3;
    expected.READ_(E) = 1;
    expected.READ_(M) = 2;
    expected.XCORE_(HITM) = 2;
    expected.XCORE_(HIT) = 1;
    expected.end = 3000 + 34 + 2 + 35;
    expect_freed(o, &expected);
}

/* The second reader's snoop finds a clean copy; the third finds the LLC in S and snoops no core;
 * the writer snoops both. */
static void test_sharing(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, LOAD(0, 0), LOAD(100, 2500), STORE_DEPENDENT(0, 500)),
                                AGENT(1, LOAD(0, 1000)), AGENT(2, LOAD_DEPENDENT(0, 2000))));
    assert_int_equal(oracle_clock(o, 2), 2000 + 34 + 4);
    assert_int_equal(oracle_clock(o, 0), 3000 + 34 + 25);
    struct oracle_counts expected = misses(2, 0);
    expected.accesses += 3;
    expected.READ_(E) = 1;
    expected.READ_(S) = 2;
    expected.XCORE_(HIT) = 3;
    expected.end = 3059;
    expect_freed(o, &expected);
}

/* Core 0's dirty line, accessed from outside. GT's load makes it shared (HITM, LLC M), and IO's
 * load finds it clean (HIT). IO's partial write sends the line to memory first (service 3020, done
 * 3032), then its own part (3032 to 3044); the next part is merged. */
static void test_external(void **state)
{
    (void)state;
    struct oracle *o = play(
        &one_slice,
        TRACES(AGENT(0, STORE(0, 0)), AGENT(BX_AGENT_GT, LOAD(0, 1000)),
               AGENT(BX_AGENT_IO, LOAD(0, 2000), STORE_PARTIAL(0, 1000), STORE_PARTIAL(0, 1000))));
    assert_int_equal(oracle_clock(o, BX_AGENT_IO), 4000);
    expect_freed(o, &(struct oracle_counts){.accesses = 5,
                                            .READ_(I) = 1,
                                            .READ_(E) = 1,
                                            .EXTSNP_(M) = 2,
                                            .EXTSNP_(I) = 1,
                                            .EXTERNAL_(HITM) = 1,
                                            .EXTERNAL_(HIT) = 2,
                                            .coh = 3,
                                            .arb_all = 2,
                                            .arb_writes = 1,
                                            .occupancy_all = 150 + 32,
                                            .BY_IA = 2,
                                            .BY_IO = 2,
                                            .data_reads = 1,
                                            .data_writes = 2,
                                            .end = 4000});
}

/* GT writes that miss: 10 to 42; merged at 20; a full one at 30 (service 50); a part after it is
 * not merged (62 to 74), nor one of another line (74 to 86). A store that hits the LLC is no memory
 * write: the last part is merged with the one before it. */
static void test_merging(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, LOAD(101, 0)),
                                AGENT(BX_AGENT_GT, STORE_PARTIAL(0, 10), STORE_PARTIAL(0, 10),
                                      STORE(0, 10), STORE_PARTIAL(0, 10), STORE_PARTIAL(2, 10),
                                      STORE_PARTIAL(101, 10), STORE_PARTIAL(2, 10))));
    expect_freed(o, &(struct oracle_counts){.accesses = 8,
                                            .READ_(I) = 1,
                                            .WRITE_(I) = 6,
                                            .WRITE_(E) = 1,
                                            .EXTERNAL_(HIT) = 1,
                                            .arb_all = 7,
                                            .arb_data_read = 1,
                                            .arb_writes = 6,
                                            .occupancy_all = 150 + 32 + 0 + 32 + 34 + 36 + 0,
                                            .occupancy_data_read = 150,
                                            .BY_IA = 1,
                                            .BY_GT = 6,
                                            .data_reads = 1,
                                            .data_writes = 4,
                                            .end = 150});
}

/* Partial writes of IA, by a core's non-temporal stores to two lines by turns: of line 0 at 10
 * (service 30, done 42), merged at 20 with it; of line 2 at 30 (50 to 62) and of line 0 at 40, not
 * merged (62 to 74); a whole line at 50 (74 to 86), after which a part is not merged (86 to 98).
 */
static void test_merging_of_cores(void **state)
{
    (void)state;
    struct oracle *o = play(
        &one_slice, TRACES(AGENT(0, PAST_PARTIAL(0, 10), PAST_PARTIAL(0, 10), PAST_PARTIAL(2, 10),
                                 PAST_PARTIAL(0, 10), PAST(0, 10), PAST_PARTIAL(0, 10))));
    expect_freed(o, &(struct oracle_counts){.accesses = 6,
                                            .WRITE_(I) = 6,
                                            .arb_all = 6,
                                            .arb_writes = 6,
                                            .occupancy_all = 32 + 0 + 32 + 34 + 36 + 38,
                                            .BY_IA = 6,
                                            .data_writes = 5,
                                            .end = 98});
}

/* A clean line leaves L1D and L2 silently; the LLC still has core 0's bit. Core 1's snoop gets MISS
 * (34 + 2 + 25). It gets E, so its store is private. */
static void test_snoop_miss(void **state)
{
    (void)state;
    enum { S = L2_STRIDE };
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, LOAD(0 * S, 0), LOAD(1 * S, 200), LOAD(2 * S, 200),
                                      LOAD(3 * S, 200), LOAD(4 * S, 200), LOAD(5 * S, 200),
                                      LOAD(6 * S, 200), LOAD(7 * S, 200), LOAD(8 * S, 200)),
                                AGENT(1, LOAD_DEPENDENT(0, 2000), STORE(0, 10))));
    struct oracle_counts expected = misses(9, 0);
    expected.accesses += 2;
    expected.READ_(E) = 1;
    expected.XCORE_(MISS) = 1;
    expected.end = 2000 + 34 + 2 + 25 + 10;
    expect_freed(o, &expected);
}

/* Sixteen fills of age 1 become 3 when the set is full; the seventeenth takes way 0, where a store
 * was: core 0 holds it in M in L2 by then. The write is served first, from t + 20 to t + 32, then
 * the read: t + 162. */
static void test_llc_eviction(void **state)
{
    (void)state;
    bx_access a[17];

    a[0] = STORE(0, 200);
    for (unsigned i = 1; i < 17; i++)
        a[i] = LOAD(i * L1_STRIDE, 200);
    struct oracle *o = play(&tiny_llc, TRACES([0] = {a, 17}));
    expect_freed(o, &(struct oracle_counts){.accesses = 17,
                                            .READ_(I) = 17,
                                            .EVICTION_(HITM) = 1,
                                            .arb_all = 18,
                                            .arb_data_read = 16,
                                            .arb_writes = 1,
                                            .occupancy_all = 16 * 150 + 32 + 162,
                                            .occupancy_data_read = 15 * 150 + 162,
                                            .BY_IA = 18,
                                            .data_reads = 17,
                                            .data_writes = 1,
                                            .end = 17 * 200 + 162});
}

/* GT fills a set (ages all 3) and hits line 0 `hits` times; `misses` later IO loads it, touching no
 * age. */
static bool line_0_survives(unsigned hits, unsigned misses)
{
    bx_access gt[80], io = LOAD(0, 4000);
    unsigned n = 0, next_line = 0;

    for (unsigned i = 0; i < 16; i++)
        gt[n++] = LOAD(next_line++ * L1_STRIDE, 10);
    for (unsigned i = 0; i < hits; i++)
        gt[n++] = LOAD(0, 10);
    for (unsigned i = 0; i < misses; i++)
        gt[n++] = LOAD(next_line++ * L1_STRIDE, 10);
    struct oracle *o = play(&tiny_llc, TRACES([BX_AGENT_GT] = {gt, n}, [BX_AGENT_IO] = {&io, 1}));
    const struct oracle_counts *counts = oracle_counts(o);
    bool survives = counts->lookup[0][ORACLE_EXTSNP][ORACLE_E] == 1;
    assert_int_equal(counts->READ_(I), 16 + misses);
    assert_int_equal(counts->READ_(E), hits);
    assert_int_equal(counts->EXTSNP_(I) + counts->EXTSNP_(E), 1);
    oracle_free(o);
    return survives;
}

/* Without a hit line 0 is replaced first. One hit: 3 to 1; 15 misses fill ways 1 to 15 with age 1,
 * all become 3, and line 0 is next. Two hits: 1 to 0; after 15 misses ages are 2 and 3s, after 15
 * more 3 and 2s. */
static void test_qlru(void **state)
{
    (void)state;
    assert_true(line_0_survives(0, 0));
    assert_false(line_0_survives(0, 1));
    assert_true(line_0_survives(1, 15));
    assert_false(line_0_survives(1, 16));
    assert_true(line_0_survives(2, 30));
    assert_false(line_0_survives(2, 31));
    assert_true(line_0_survives(3, 30));
    assert_false(line_0_survives(3, 31));
}

/* Core 0 stores to line 0 and reads lines of the same L1 and L2 set. L2 loses its clean copy to the
 * 4th; L1D's goes into L2 in M at the 8th (way 2: the fills 4 to 8 went to ways 0, 2, 1, 3, 0);
 * fills 9, 10 and 11 go to ways 1, 3 and 0. The 12th writes it back: the LLC was in E. */
static void test_write_back(void **state)
{
    (void)state;
    for (unsigned loads = 11; loads <= 12; loads++) {
        bx_access a[13];
        a[0] = STORE(0, 200);
        for (unsigned i = 1; i <= loads; i++)
            a[i] = LOAD(i * L2_STRIDE, 200);
        struct oracle *o = play(&one_slice, TRACES([0] = {a, loads + 1}));
        struct oracle_counts expected = misses(loads, 1);
        expected.WRITE_(E) = loads == 12;
        expected.end = (loads + 1) * 200 + 150;
        expect_freed(o, &expected);
    }
}

/* The exception. As above, but line 4 is a store as well: after 8 accesses it is in L1D way 4 only,
 * which is the next victim. Fetches 9, 10, 11 leave line 0 (M) as L2's next victim. The load of
 * line 64, which a fetch brought into L2, pushes line 4 into L2 and line 0 out of it: a WRITE, but
 * no READ. When core 1 takes line 4 away before the load's turn, the load is private by then. */
static void exception(bool taken_away)
{
    enum { S = L2_STRIDE };
    const struct oracle_trace thief = ACCESSES(STORE(4 * S, 1950));
    struct oracle *o =
        play(&one_slice,
             TRACES(AGENT(0, STORE(0 * S, 100), LOAD(1 * S, 100), LOAD(2 * S, 100),
                          LOAD(3 * S, 100), STORE(4 * S, 100), LOAD(5 * S, 100), LOAD(6 * S, 100),
                          LOAD(7 * S, 100), LOAD(8 * S, 100), FETCH(9 * S, 100), FETCH(10 * S, 100),
                          FETCH(11 * S, 100), FETCH(64, 100), LOAD_DEPENDENT(64, 100)),
                    [1] = taken_away ? thief : (struct oracle_trace){NULL, 0}));
    /* The fetches complete at 1150, 1400, 1650 and 1900; the load is at 2000. */
    assert_int_equal(oracle_clock(o, 0), 2008);
    struct oracle_counts expected = misses(7, 6);
    expected.accesses += 1 + taken_away;
    expected.READ_(E) = taken_away;
    expected.WRITE_(E) = !taken_away;
    expected.XCORE_(HITM) = taken_away;
    expected.end = taken_away ? 1950 + 34 + 2 + 35 : 2008;
    expect_freed(o, &expected);
}

static void test_exception(void **state)
{
    (void)state;
    exception(false);
    exception(true);
}

/* Core 0 fetches line 0, and four loads evict it from L2. A copy only in L1I answers HIT and is
 * invalidated. The next fetch, delayed by a miss at 1500, requests the line again and finds core
 * 1's copy dirty. */
static void test_instruction_copy(void **state)
{
    (void)state;
    enum { S = L2_STRIDE };
    struct oracle *o = play(
        &one_slice, TRACES(AGENT(0, FETCH(0, 0), LOAD(1 * S, 100), LOAD(2 * S, 100),
                                 LOAD(3 * S, 100), LOAD(4 * S, 100), LOAD(100, 950), FETCH(0, 500)),
                           AGENT(1, STORE(0, 1000))));
    struct oracle_counts expected = misses(5, 1);
    expected.accesses += 2;
    expected.READ_(E) = 2;
    expected.XCORE_(HIT) = 1;
    expected.XCORE_(HITM) = 1;
    expected.end = 2000 + 34 + 35;
    expect_freed(o, &expected);
}

/* Core 0's dirty copy is only in L1D when core 0 fetches the line: the core does not snoop itself.
 * L1D's copy stays dirty, as core 1 finds. */
static void test_fetch_of_own_dirty_line(void **state)
{
    (void)state;
    enum { S = L2_STRIDE };
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, STORE(0, 0), LOAD(1 * S, 100), LOAD(2 * S, 100),
                                      LOAD(3 * S, 100), LOAD(4 * S, 100), FETCH(0, 100)),
                                AGENT(1, LOAD(0, 1000))));
    assert_int_equal(oracle_clock(o, 0), 500 + 34);
    struct oracle_counts expected = misses(4, 1);
    expected.accesses += 2;
    expected.READ_(E) = 2;
    expected.XCORE_(HITM) = 1;
    expected.end = 1000 + 34 + 2 + 35;
    expect_freed(o, &expected);
}

/* All at time 0, in the order core 0, core 1, GT, IO. Core 1's store begins when the line has
 * arrived at core 0. */
static void test_turns(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(0, STORE(0, 0)), AGENT(1, STORE(0, 0)),
                                AGENT(BX_AGENT_GT, STORE(0, 0)), AGENT(BX_AGENT_IO, LOAD(0, 0))));
    struct oracle_counts expected = misses(0, 1);
    expected.accesses += 3;
    expected.READ_(E) = 1;
    expected.XCORE_(HITM) = 1;
    expected.WRITE_(M) = 1;
    expected.EXTSNP_(M) = 1;
    expected.EXTERNAL_(HITM) = 1;
    expected.coh = 1;
    expected.end = 151 + 34 + 2 + 35;
    expect_freed(o, &expected);
}

/* Core 0's store at 1150 comes after core 1's load at 500, which left S, so it is an upgrade. */
static void test_order(void **state)
{
    (void)state;
    struct oracle *o = play(
        &one_slice, TRACES(AGENT(0, LOAD_DEPENDENT(0, 0), STORE(0, 1000)), AGENT(1, LOAD(0, 500))));
    struct oracle_counts expected = misses(1, 0);
    expected.accesses += 2;
    expected.READ_(E) = 1;
    expected.READ_(S) = 1;
    expected.XCORE_(HIT) = 2;
    expected.end = 1150 + 34 + 25;
    expect_freed(o, &expected);
}

/* A line that GT reads is in the LLC without a core's bit: core 0 gets E without a snoop. A line
 * that IO reads is not kept. A second run starts at the end of the first. */
static void test_devices_and_second_run(void **state)
{
    (void)state;
    struct oracle *o =
        play(&one_slice, TRACES(AGENT(BX_AGENT_GT, LOAD(0, 0)), AGENT(BX_AGENT_IO, LOAD(1, 0))));
    struct oracle_counts expected = {.accesses = 2,
                                     .READ_(I) = 1,
                                     .EXTSNP_(I) = 1,
                                     .coh = 1,
                                     .arb_all = 1,
                                     .occupancy_all = 150,
                                     .BY_GT = 1,
                                     .BY_IO = 1,
                                     .data_reads = 2,
                                     .end = 150};
    expect(o, &expected);
    oracle_run(o, TRACES(AGENT(0, LOAD(0, 10), STORE(0, 10), LOAD(1, 10))));
    expected.accesses += 3;
    expected.READ_(E)++;
    expected.READ_(I)++;
    expected.arb_all++;
    expected.arb_data_read++;
    expected.occupancy_all += 150;
    expected.occupancy_data_read += 150;
    expected.BY_IA++;
    expected.data_reads++;
    expected.end = 150 + 30 + 150;
    expect_freed(o, &expected);
}

/* The signals of the first part of test_external: code and unit mask bits as in document
 * 334060-001. */
static void test_levels(void **state)
{
    (void)state;
    struct oracle *o = play(&one_slice, TRACES(AGENT(0, STORE(0, 0)), AGENT(1, LOAD(2, 0)),
                                               AGENT(BX_AGENT_IO, STORE_PARTIAL(0, 100))));
    static const struct {
        struct oracle_signal signal;
        unsigned sum, highest;
    } expected[] = {
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x88}, 2, 2}, /* ANY, I */
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x18}, 2, 2}, /* READ, I */
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x4f}, 1, 1}, /* EXTSNP, any state */
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x42}, 1, 1}, /* EXTSNP, E */
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x80}, 0, 0}, /* no state */
        {{ORACLE_BOX_CBOX, 0, 0x34, 0x0f}, 0, 0}, /* no request */
        {{ORACLE_BOX_CBOX, 1, 0x34, 0x8f}, 0, 0}, /* another slice */
        {{ORACLE_BOX_CBOX, 0, 0x22, 0x28}, 1, 1}, /* HITM, EXTERNAL */
        {{ORACLE_BOX_CBOX, 0, 0x22, 0x25}, 0, 0}, /* MISS and HIT, EXTERNAL */
        {{ORACLE_BOX_ARB, 0, 0x80, 0x01}, 150 + 162 + 32, 3},
        {{ORACLE_BOX_ARB, 0, 0x80, 0x02}, 162, 1},
        {{ORACLE_BOX_ARB, 0, 0x81, 0x01}, 3, 2},
        {{ORACLE_BOX_ARB, 0, 0x81, 0x22}, 2, 1}, /* DATA_READ at 0, WRITES at 100 */
        {{ORACLE_BOX_ARB, 0, 0x81, 0x23}, 3, 2}, /* parts of ALL */
        {{ORACLE_BOX_ARB, 0, 0x84, 0x01}, 1, 1},
        {{ORACLE_BOX_CLOCK, 0, 0, 0}, 200, 1},
        {{ORACLE_BOX_IMC, 0, 0x5040, 0}, 0, 0},
        {{ORACLE_BOX_IMC, 0, 0x5044, 0}, 3, 2},
        {{ORACLE_BOX_IMC, 0, 0x5048, 0}, 1, 1},
        {{ORACLE_BOX_IMC, 0, 0x5050, 0}, 2, 2},
        {{ORACLE_BOX_IMC, 0, 0x5054, 0}, 2, 2},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t level[200];
        unsigned sum = 0, highest = 0;
        oracle_levels(oracle_log(o), &expected[i].signal, level, 200);
        for (unsigned t = 0; t < 200; t++) {
            sum += level[t];
            highest = level[t] > highest ? level[t] : highest;
        }
        assert_int_equal(sum, expected[i].sum);
        assert_int_equal(highest, expected[i].highest);
    }
    oracle_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold_load),
        cmocka_unit_test(test_dependent_load),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_fill_buffers),
        cmocka_unit_test(test_l2_hits),
        cmocka_unit_test(test_store_and_upgrade),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_merging_of_cores),
        cmocka_unit_test(test_snoop_miss),
        cmocka_unit_test(test_llc_eviction),
        cmocka_unit_test(test_qlru),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_instruction_copy),
        cmocka_unit_test(test_fetch_of_own_dirty_line),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_devices_and_second_run),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
