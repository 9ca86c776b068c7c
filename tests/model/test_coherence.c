/* MESI, core-valid bits and inclusion in small scenarios, worked out by hand from
 * docs/explanation/model-client.md. Each access completes before the next one. */
#include "../cmocked.h"

#include "client_rig.h"

#include <stdio.h>

/* One slice: the ring adds twice the core's number. Lines L2_STRIDE apart share their sets of L1
 * and L2. */
enum { X = 100, L2_STRIDE = 1024, MISS = 150, HIT = 34, CLEAN = 25, DIRTY = 35, RING = 2 };
/* A line is free one cycle after it has arrived, when the next access begins. */
enum { FREE = 1 };

static struct rig four_cores(void)
{
    return rig_new(4, 1, 8 << 20);
}

/* The counts of slice 0 that are not 0, as text, so that a test can have them in one line. */
static const char *counted(const struct rig *r, char text[400])
{
    static const char request[] = "RWX", state[] = "ISEM", from[] = "xca", response[] = "-hm";
    const struct bx_client_counts *c = rig_counts(r);
    size_t n = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < BX_CLIENT_LOOKUPS; i++)
        for (unsigned s = 0; s < BX_MESI_STATES; s++)
            if (c->lookup[0][i][s])
                n += (size_t)snprintf(text + n, 400 - n, "%c%c%d ", request[i], state[s],
                                      (int)c->lookup[0][i][s]);
    for (unsigned i = 0; i < BX_SNOOP_SOURCES; i++)
        for (unsigned s = 0; s < BX_SNOOP_RESPONSES; s++)
            if (c->xsnp[0][i][s])
                n += (size_t)snprintf(text + n, 400 - n, "%c%c%d ", from[i], response[s],
                                      (int)c->xsnp[0][i][s]);
    if (n)
        text[n - 1] = '\0';
    return text;
}

/* Lookups: R, W or X (external), then the state found. Snoops: x external, c other core, a
 * eviction, then the answer: - h m. */
#define assert_counted(rig, expected)                                                              \
    do {                                                                                           \
        char text[400];                                                                            \
        assert_string_equal(counted(rig, text), expected);                                         \
    } while (0)

/* Evicts line X from the core's L1D (8 ways) and L2 (4 ways) by twelve loads of its sets. A dirty
 * line goes from L1D to L2 first. */
static void forget(struct rig *r, unsigned core)
{
    for (uint64_t i = 1; i <= 12; i++)
        rig_load(r, core, X + (i + 20 * core) * L2_STRIDE);
}

static void test_first_load(void **state)
{
    (void)state;
    struct rig r = four_cores();

    assert_int_equal(rig_load(&r, 2, X), MISS + 2 * RING);
    assert_counted(&r, "RI1");
    const struct bx_client_counts *c = rig_counts(&r);
    assert_int_equal(c->arb[BX_ARB_DATA_READ], 1);
    assert_int_equal(c->arb[BX_ARB_OTHER_READ], 0);
    assert_int_equal(c->occupancy[BX_ARB_DATA_READ], 150);
    assert_int_equal(c->imc[BX_IMC_IA], 1);
    assert_int_equal(c->data_reads, 1);
    assert_int_equal(c->data_writes, 0);
    assert_int_equal(rig_load(&r, 2, X), 0);
    assert_int_equal(rig_store(&r, 2, X), 0); /* E: no snoop is needed */
    assert_counted(&r, "RI1");
    rig_free(&r);
}

static void test_pingpong(void **state)
{
    (void)state;
    struct rig r = four_cores();

    assert_int_equal(rig_store(&r, 0, X), MISS);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_OTHER_READ], 1); /* an RFO is no data read */
    assert_int_equal(rig_store(&r, 1, X),
                     FREE + HIT + DIRTY + RING); /* found in E, so it is filled in E */
    assert_counted(&r, "RI1 RE1 cm1");
    assert_int_equal(rig_store(&r, 0, X), FREE + HIT + DIRTY); /* the snoop made it M */
    assert_int_equal(rig_store(&r, 1, X), FREE + HIT + DIRTY + RING);
    assert_counted(&r, "RI1 RE1 RM2 cm3");
    assert_int_equal(rig_counts(&r)->data_writes, 0);
    rig_free(&r);
}

static void test_readers(void **state)
{
    (void)state;
    struct rig r = four_cores();

    rig_load(&r, 0, X);
    assert_int_equal(rig_load(&r, 1, X),
                     FREE + HIT + CLEAN + RING); /* only core 0 may have changed it */
    assert_counted(&r, "RI1 RE1 ch1");
    assert_int_equal(rig_load(&r, 2, X), FREE + HIT + 2 * RING); /* S: clean for certain */
    assert_counted(&r, "RI1 RS1 RE1 ch1");
    /* A writer must snoop all others. */
    assert_int_equal(rig_store(&r, 1, X), HIT + CLEAN + RING);
    assert_counted(&r, "RI1 RS2 RE1 ch3");
    /* The writer has the line alone, and the LLC has it in E: the next reader finds it dirty. */
    assert_int_equal(rig_load(&r, 3, X), FREE + HIT + DIRTY + 3 * RING);
    assert_counted(&r, "RI1 RS2 RE2 ch3 cm1");
    /* Both have S now, the LLC M. Two bits: no snoop. */
    assert_int_equal(rig_load(&r, 0, X), FREE + HIT);
    assert_counted(&r, "RI1 RS2 RE2 RM1 ch3 cm1");
    rig_free(&r);
}

/* Cores drop clean lines silently; the core's bit stays until a snoop. */
static void test_silent_eviction(void **state)
{
    (void)state;
    struct rig r = four_cores();

    rig_load(&r, 0, X);
    forget(&r, 0);
    assert_counted(&r, "RI13");
    assert_int_equal(rig_load(&r, 1, X), HIT + CLEAN + RING);
    assert_counted(&r, "RI13 RE1 c-1");
    /* Core 0's bit is cleared and core 1 got E, so core 1 may store. */
    rig_store(&r, 1, X);
    assert_counted(&r, "RI13 RE1 c-1");
    rig_load(&r, 0, X);
    assert_counted(&r, "RI13 RE2 c-1 cm1");
    rig_free(&r);
}

/* A core that loads a line again is not snooped for it. */
static void test_own_bit(void **state)
{
    (void)state;
    struct rig r = four_cores();

    rig_load(&r, 0, X);
    forget(&r, 0);
    assert_int_equal(rig_load(&r, 0, X), HIT);
    assert_counted(&r, "RI13 RE1");
    rig_store(&r, 0, X);
    assert_counted(&r, "RI13 RE1");
    rig_free(&r);
}

/* A dirty line evicted from L2 is written back: a WRITE lookup that finds E, and M the next
 * time. */
static void test_write_back(void **state)
{
    (void)state;
    struct rig r = four_cores();

    rig_store(&r, 0, X);
    forget(&r, 0);
    assert_counted(&r, "RI13 WE1");
    rig_store(&r, 0, X);
    forget(&r, 0); /* its lines are in the LLC by now */
    assert_int_equal(rig_lookups(&r, BX_CLIENT_WRITE, BX_LINE_M), 1);
    assert_int_equal(rig_counts(&r)->data_writes, 0);
    /* Core 0's bit is still set, so the next reader snoops it in vain. */
    assert_int_equal(rig_load(&r, 1, X), HIT + CLEAN + RING);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_MISS), 1);
    rig_free(&r);
}

/* A small LLC of 64 sets: the 17th line of a set evicts the first one, from the cores as well. */
static void test_inclusion(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 64 << 10);

    rig_store(&r, 0, X);     /* way 0: dirty in core 0 */
    rig_load(&r, 0, X + 64); /* way 1: in both cores */
    rig_load(&r, 1, X + 64);
    for (uint64_t i = 2; i < 16; i++)
        rig_wait(&r, BX_AGENT_GT, BX_LOAD, X + i * 64, 0); /* in no core */
    assert_counted(&r, "RI16 RE1 ch1");
    assert_int_equal(rig_counts(&r)->data_writes, 0);

    rig_wait(&r, BX_AGENT_GT, BX_LOAD, X + 16 * 64, 0); /* replaces way 0 */
    assert_counted(&r, "RI17 RE1 ch1 am1");
    assert_int_equal(rig_counts(&r)->data_writes, 1);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_WRITE], 1);
    assert_int_equal(rig_counts(&r)->imc[BX_IMC_IA], 3); /* two reads and this write */
    assert_int_equal(rig_counts(&r)->imc[BX_IMC_GT], 15);

    /* Line 1 was hit at age 1, so it has age 0 before the set is full, and 2 afterwards. Line 2 in
     * way 2 is replaced next, and no core has it. */
    rig_wait(&r, BX_AGENT_GT, BX_LOAD, X + 17 * 64, 0);
    assert_counted(&r, "RI18 RE1 ch1 am1");
    assert_int_equal(rig_load(&r, 0, X + 64), 0);
    /* Core 0 lost line 0. */
    assert_true(rig_load(&r, 0, X) >= MISS);
    rig_free(&r);
}

static void test_inclusion_asks_every_core(void **state)
{
    (void)state;
    struct rig r = rig_new(4, 1, 64 << 10);

    for (unsigned core = 0; core < 3; core++)
        rig_load(&r, core, X);
    forget(&r, 1);
    /* The set has X with three bits; its other lines are in L1D and L2 of core 1 only. They fill
     * the set one after the other, and the loads of X have set its age to 0. */
    for (uint64_t i = 20; i < 60; i++)
        rig_wait(&r, BX_AGENT_GT, BX_LOAD, X + i * 64, 0);
    assert_true(rig_load(&r, 0, X) >= MISS);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_EVICTION, BX_SNOOP_HIT) +
                         rig_snoops(&r, BX_SNOOP_EVICTION, BX_SNOOP_MISS),
                     3 + 12);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_EVICTION, BX_SNOOP_HITM), 0);
    rig_free(&r);
}

/* An upgrade keeps the copy: no memory access, and L1D has the line only once. */
static void test_upgrade(void **state)
{
    (void)state;
    struct rig r = four_cores();

    rig_load(&r, 0, X);
    rig_load(&r, 1, X);
    assert_int_equal(rig_store(&r, 0, X), FREE + HIT + CLEAN);
    assert_counted(&r, "RI1 RS1 RE1 ch2");
    assert_int_equal(rig_counts(&r)->data_reads, 1);
    assert_int_equal(rig_load(&r, 0, X), 0);
    assert_int_equal(rig_store(&r, 0, X), 0);
    rig_free(&r);
}

/* Instructions: a core that has the line only in L1I has a copy, and it is clean. */
static void test_code(void **state)
{
    (void)state;
    struct rig r = four_cores();

    assert_int_equal(rig_wait(&r, 0, BX_FETCH, X, 0), MISS);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_OTHER_READ], 1);
    forget(&r, 0); /* evicted from L2, but not from L1I */
    assert_int_equal(rig_wait(&r, 0, BX_FETCH, X, 0), 0);
    assert_int_equal(rig_load(&r, 1, X), HIT + CLEAN + RING);
    assert_counted(&r, "RI13 RE1 ch1");
    assert_int_equal(rig_wait(&r, 0, BX_FETCH, X, 0), 0); /* shared, and still there */
    rig_store(&r, 1, X);
    assert_counted(&r, "RI13 RS1 RE1 ch2");
    assert_int_equal(rig_wait(&r, 0, BX_FETCH, X, 0), FREE + HIT + DIRTY); /* lost to the writer */
    rig_free(&r);
}

static void test_gt(void **state)
{
    (void)state;
    struct rig r = four_cores();

    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_LOAD, X, 0), MISS);
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_LOAD, X, 0), HIT);
    assert_counted(&r, "RI1 RE1");
    rig_store(&r, 0, X); /* an RFO without a snoop */
    assert_counted(&r, "RI1 RE2");
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_LOAD, X, 0),
                     HIT); /* however long the snoop takes */
    assert_counted(&r, "RI1 RE3 xm1");
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_STORE, X, 0), HIT);
    assert_counted(&r, "RI1 RE3 WM1 xh1 xm1");
    assert_int_equal(rig_load(&r, 0, X), HIT); /* invalidated; only the LLC has it */
    assert_counted(&r, "RI1 RE3 RM1 WM1 xh1 xm1");
    /* A store that misses is not filled: 20 to the channel, 12 there. */
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_STORE, X + 1, 0), 32);
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_STORE, X + 1, 0), 32);
    assert_counted(&r, "RI1 RE3 RM1 WI2 WM1 xh1 xm1");
    assert_int_equal(rig_counts(&r)->imc[BX_IMC_GT], 3);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_WRITE], 2);
    rig_free(&r);
}

static void test_io(void **state)
{
    (void)state;
    struct rig r = four_cores();
    const struct bx_client_counts *c = rig_counts(&r);

    assert_int_equal(rig_wait(&r, BX_AGENT_IO, BX_LOAD, X, 0), MISS);
    assert_int_equal(rig_wait(&r, BX_AGENT_IO, BX_LOAD, X, 0), MISS); /* not filled */
    assert_counted(&r, "XI2");
    assert_int_equal(c->arb[BX_ARB_OTHER_READ], 0); /* no ARB entry */
    rig_store(&r, 1, X);
    assert_int_equal(rig_wait(&r, BX_AGENT_IO, BX_LOAD, X, 0), HIT);
    assert_counted(&r, "RI1 XI2 XE1 xm1");
    assert_int_equal(c->data_reads, 3);
    /* Dirty in the LLC. A whole line replaces it, so it need not be written back. */
    assert_int_equal(rig_wait(&r, BX_AGENT_IO, BX_STORE, X, 0), 32);
    assert_counted(&r, "RI1 XI2 XE1 XM1 xh1 xm1");
    assert_int_equal(c->data_writes, 1);
    assert_true(rig_load(&r, 1, X) > MISS); /* gone from the LLC */
    rig_store(&r, 1, X);
    /* A part of a line: core 1's data goes to memory first, then the part. */
    assert_int_equal(rig_wait(&r, BX_AGENT_IO, BX_STORE, X, BX_ACCESS_PARTIAL), 44);
    assert_counted(&r, "RI2 XI2 XE2 XM1 xh1 xm2");
    assert_int_equal(c->data_writes, 3);
    assert_int_equal(c->arb[BX_ARB_WRITE], 1);
    assert_int_equal(c->imc[BX_IMC_IA], 3);
    assert_int_equal(c->imc[BX_IMC_IO], 4);
    assert_int_equal(c->coh, 5);
    rig_free(&r);
}

/* Partial writes to one line, one after the other, are one transfer. */
static void test_partial_writes(void **state)
{
    (void)state;
    struct rig r = four_cores();
    const struct bx_client_counts *c = rig_counts(&r);

    for (unsigned agent = BX_AGENT_GT; agent <= BX_AGENT_IO; agent++) {
        enum bx_imc_agent by = agent == BX_AGENT_GT ? BX_IMC_GT : BX_IMC_IO;
        uint64_t writes = c->data_writes;
        for (unsigned i = 0; i < 8; i++)
            rig_wait(&r, agent, BX_STORE, X, BX_ACCESS_PARTIAL);
        assert_int_equal(c->imc[by], 8);
        assert_int_equal(c->data_writes, writes + 1);
        rig_wait(&r, agent, BX_STORE, X + 1, BX_ACCESS_PARTIAL); /* another line */
        rig_wait(&r, agent, BX_STORE, X, BX_ACCESS_PARTIAL);
        rig_wait(&r, agent, BX_STORE, X, 0); /* a whole line */
        rig_wait(&r, agent, BX_STORE, X, BX_ACCESS_PARTIAL);
        assert_int_equal(c->imc[by], 12);
        assert_int_equal(c->data_writes, writes + 5);
        rig_wait(&r, agent, BX_LOAD, X + 2, 0); /* a read in between makes no difference */
        rig_wait(&r, agent, BX_STORE, X, BX_ACCESS_PARTIAL);
        assert_int_equal(c->data_writes, writes + 5);
    }
    assert_int_equal(c->arb[BX_ARB_WRITE], 13); /* GT's stores, including the merged ones */
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_load),
        cmocka_unit_test(test_pingpong),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_silent_eviction),
        cmocka_unit_test(test_own_bit),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_inclusion),
        cmocka_unit_test(test_inclusion_asks_every_core),
        cmocka_unit_test(test_upgrade),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_gt),
        cmocka_unit_test(test_io),
        cmocka_unit_test(test_partial_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
