/* Relations between counts that must hold for any work, in terms of the events: sums over the
 * matrix, and conservation of traffic. */
#include "../cmocked.h"

#include "client_rig.h"

static struct rig run(unsigned cores, uint64_t llc, const char *spec)
{
    struct rig r = rig_new(cores, 4, llc);
    rig_work(&r, spec);
    return r;
}

static uint64_t snoops_from(const struct rig *r, enum bx_snoop_source from)
{
    return rig_snoops(r, from, BX_SNOOP_MISS) + rig_snoops(r, from, BX_SNOOP_HIT) +
           rig_snoops(r, from, BX_SNOOP_HITM);
}

static uint64_t lookups(const struct rig *r, enum bx_client_lookup request)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_MESI_STATES; s++)
        sum += rig_lookups(r, request, (enum bx_line_state)s);
    return sum;
}

static uint64_t tally(struct rig *r, unsigned box, unsigned code, unsigned umask)
{
    uint64_t all = 0;
    for (unsigned unit = 0; unit < (box == BX_CLIENT_CBO ? 4u : 1u); unit++) {
        bx_selection sel = {
            .box = (uint16_t)box, .unit = (uint16_t)unit, .code = (uint16_t)code, .umask = umask};
        all += rig_tally(r, &sel);
    }
    return all;
}

#define ALL_AGENTS                                                                                 \
    "random,size=1M,iterations=30000,cores=2+stream,size=256K,cores=2+dma,size=1M,iterations="     \
    "30000+gfx,size=1M,iterations=30000"

static const char *const full_line_work[] = {
    "stream,size=1M",
    "copy,size=512K,cores=3",
    "random,size=2M,iterations=50000,cores=4,write=40",
    "sharing,cores=4,iterations=20000,write=30",
    "pingpong,cores=4,iterations=5000",
    "dma,iterations=20000",
    "gfx,iterations=20000",
    ALL_AGENTS,
};
enum { WORKS = sizeof full_line_work / sizeof *full_line_work };

/* With whole lines each request is one transfer. */
static void test_requests_are_transfers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORKS; i++) {
        struct rig r = run(4, 1 << 20, full_line_work[i]);
        const struct bx_client_counts *c = rig_counts(&r);
        assert_int_equal(c->imc[BX_IMC_GT] + c->imc[BX_IMC_IA] + c->imc[BX_IMC_IO],
                         c->data_reads + c->data_writes);
        /* ARB: everything that the memory controller does, except requests of IO. */
        assert_int_equal(c->arb[BX_ARB_DATA_READ] + c->arb[BX_ARB_OTHER_READ] +
                             c->arb[BX_ARB_WRITE] + c->imc[BX_IMC_IO],
                         c->data_reads + c->data_writes);
        rig_free(&r);
    }
}

/* A read lookup that finds nothing reads memory. Nothing else reads memory, except IO. */
static void test_misses_are_reads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORKS; i++) {
        struct rig r = run(4, 1 << 20, full_line_work[i]);
        const struct bx_client_counts *c = rig_counts(&r);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I),
                         c->arb[BX_ARB_DATA_READ] + c->arb[BX_ARB_OTHER_READ]);
        assert_true(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I) <= c->data_reads);
        /* Write-backs find their line; only GT's stores may miss. */
        if (c->imc[BX_IMC_GT] == 0)
            assert_int_equal(rig_lookups(&r, BX_CLIENT_WRITE, BX_LINE_I), 0);
        assert_int_equal(lookups(&r, BX_CLIENT_EXTSNP), c->coh);
        rig_free(&r);
    }
}

/* With one core alone nobody is snooped, so no core answers another one or has anything in S. */
static void test_single_core(void **state)
{
    (void)state;
    struct rig r = run(1, 1 << 20, "random,size=4M,iterations=200000,write=30");
    const struct bx_client_counts *c = rig_counts(&r);

    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), c->data_reads);
    assert_int_equal(c->imc[BX_IMC_IA], c->data_reads + c->data_writes);
    assert_int_equal(c->arb[BX_ARB_WRITE], c->data_writes);
    assert_int_equal(snoops_from(&r, BX_SNOOP_XCORE), 0);
    assert_int_equal(snoops_from(&r, BX_SNOOP_EXTERNAL), 0);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_S), 0);
    /* Every line that left the LLC had the core's bit: one snoop each. 16384 lines remain. */
    assert_int_equal(snoops_from(&r, BX_SNOOP_EVICTION), c->data_reads - 16384);
    assert_true(c->data_writes <= rig_lookups(&r, BX_CLIENT_WRITE, BX_LINE_E) +
                                      rig_snoops(&r, BX_SNOOP_EVICTION, BX_SNOOP_HITM));
    rig_free(&r);
}

/* Unit masks of several states and requests count the sum of their parts. */
static void test_masks_add_up(void **state)
{
    (void)state;
    struct rig r = run(4, 1 << 20, ALL_AGENTS);
    static const unsigned request[] = {0x10, 0x20, 0x40, 0x80}, from[] = {0x20, 0x40, 0x80};

    for (unsigned i = 0; i < 4; i++) {
        uint64_t mesi = 0, es = tally(&r, BX_CLIENT_CBO, 0x34, request[i] | 6);
        for (unsigned state_bit = 1; state_bit <= 8; state_bit *= 2)
            mesi += tally(&r, BX_CLIENT_CBO, 0x34, request[i] | state_bit);
        assert_int_equal(tally(&r, BX_CLIENT_CBO, 0x34, request[i] | 0xf), mesi);
        assert_int_equal(es, tally(&r, BX_CLIENT_CBO, 0x34, request[i] | 2) +
                                 tally(&r, BX_CLIENT_CBO, 0x34, request[i] | 4));
    }
    assert_int_equal(tally(&r, BX_CLIENT_CBO, 0x34, 0x8f),
                     tally(&r, BX_CLIENT_CBO, 0x34, 0x1f) + tally(&r, BX_CLIENT_CBO, 0x34, 0x2f) +
                         tally(&r, BX_CLIENT_CBO, 0x34, 0x4f));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(tally(&r, BX_CLIENT_CBO, 0x22, from[i] | 0xd),
                         tally(&r, BX_CLIENT_CBO, 0x22, from[i] | 1) +
                             tally(&r, BX_CLIENT_CBO, 0x22, from[i] | 4) +
                             tally(&r, BX_CLIENT_CBO, 0x22, from[i] | 8));
    rig_free(&r);
}

/* Loads that each wait for the one before use the ARB alone: each is in it for 150 cycles. The next
 * one comes after its cost, one cycle, and the time on the ring, 0 to 6. */
static void test_occupancy(void **state)
{
    (void)state;
    struct rig r = run(1, 1 << 20, "chase,size=4M,passes=1");
    const struct bx_client_counts *c = rig_counts(&r);

    assert_int_equal(c->arb[BX_ARB_DATA_READ], 65536);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0x80, 1), 65536 * 150);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0x80, 2), 65536 * 150);
    assert_true(rig_now(&r) >= 65536 * 151 && rig_now(&r) <= 65536 * (151 + 6));
    rig_free(&r);
}

/* When memory is always busy, a line takes 12 cycles of one of the two channels. */
static void test_bandwidth(void **state)
{
    (void)state;
    struct rig r = run(4, 1 << 20, "stream,size=2M,cores=4");
    const struct bx_client_counts *c = rig_counts(&r);
    uint64_t least = (c->data_reads + c->data_writes) * 12 / 2;

    assert_true(rig_now(&r) >= least && rig_now(&r) < least + least / 4);
    rig_free(&r);
}

/* LIKWID's accuracy tests: bytes moved by memory per byte that the program uses. A copy moves three
 * arrays, because the written one is read first; a triad moves four. Lines that stay in the LLC are
 * written later. */
static void test_bytes_per_array(void **state)
{
    (void)state;
    enum { LINES = (16 << 20) / 64, LLC_LINES = (1 << 20) / 64 };
    struct rig copy = run(1, 1 << 20, "copy,size=16M"), triad = run(1, 1 << 20, "stream,size=16M");

    assert_int_equal(rig_counts(&copy)->data_reads, 2 * LINES);
    assert_in_range(rig_counts(&copy)->data_writes, LINES - LLC_LINES, LINES);
    assert_int_equal(rig_counts(&triad)->data_reads, 3 * LINES);
    assert_in_range(rig_counts(&triad)->data_writes, LINES - LLC_LINES, LINES);
    rig_free(&copy);
    rig_free(&triad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_are_transfers),
        cmocka_unit_test(test_misses_are_reads),
        cmocka_unit_test(test_single_core),
        cmocka_unit_test(test_masks_add_up),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_bytes_per_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
