/* The meaning of single events of the Xeon 7500 machine, worked out by hand from the guide's
 * definitions (323535-001; each has its page) and the rules of docs/explanation/model-nhmex.md. */
#include "../cmocked.h"

#include "nhmex_rig.h"

enum { C = BX_NHMEX_C, S = BX_NHMEX_S, R = BX_NHMEX_R, M = BX_NHMEX_M };
enum { PAGE = 64 }; /* lines; home agents alternate by pages */

/* ---- snoops: pages 38, 39 and 74 ---- */

/* Four packages. A read spawns three snoops, and only the first counts as sent. */
static void test_snoops(void **state)
{
    (void)state;
    struct rig r = rig_new(4, 1, 0);

    rig_do(&r, 0, BX_LOAD, PAGE, 0);                  /* nobody has it */
    assert_int_equal(rig_all(&r, S, 0x62, 0), 1);     /* PKTS_SENT_SNP */
    assert_int_equal(rig_all(&r, S, 0x71, 0), 3);     /* PKTS_RCVD_SNP */
    assert_int_equal(rig_all(&r, S, 0x0a, 0), 3 * 2); /* TO_R_SNP_MSGQ_OCCUPANCY: all three */
    assert_int_equal(rig_all(&r, C, 0x27, 3), 3);    /* SNPS: all snoops, whether they hit or not */
    assert_int_equal(rig_all(&r, C, 0x28, 0xff), 0); /* SNP_HITS */
    rig_do(&r, 2, BX_LOAD, PAGE, 0);                 /* package 0 has it in E */
    assert_int_equal(rig_all(&r, S, 0x62, 0), 2);
    assert_int_equal(rig_all(&r, C, 0x27, 1), 6);
    assert_int_equal(rig_all(&r, C, 0x28, 0x02), 1); /* REMOTE_RD_HITE */
    rig_do(&r, 3, BX_STORE, PAGE, 0);                /* packages 0 (S) and 2 (F) have it */
    assert_int_equal(rig_all(&r, S, 0x62, 0), 3);
    assert_int_equal(rig_all(&r, C, 0x27, 2), 3);    /* REMOTE_RFO */
    assert_int_equal(rig_all(&r, C, 0x28, 0x40), 1); /* REMOTE_RFO_HITS */
    assert_int_equal(rig_all(&r, C, 0x28, 0x80), 1); /* REMOTE_RFO_HITF */
    rig_free(&r);
}

/* Package 2 has modified a line of package 1, and package 0 reads it. One answer spawns WbSData for
 * the home and DataC_F for the requester (page 73). */
static void test_data_spawned(void **state)
{
    (void)state;
    struct rig r = rig_new(3, 1, 0);

    rig_do(&r, 2, BX_STORE, PAGE, 0);
    rig_do(&r, 0, BX_LOAD, PAGE, 0);
    assert_int_equal(rig_unit(&r, S, 2, 0, 0x64, 0xf), 1);   /* PKTS_SENT_DRS:ALL */
    assert_int_equal(rig_unit(&r, S, 2, 0, 0x65, 0), 2 * 9); /* FLITS_SENT_DRS */
    rig_do(&r, 2, BX_STORE, 2 * PAGE,
           0); /* the home is there: WbSData does not leave the package */
    rig_do(&r, 0, BX_LOAD, 2 * PAGE, 0);
    assert_int_equal(rig_unit(&r, S, 2, 0, 0x64, 0xf), 2);
    assert_int_equal(rig_unit(&r, S, 2, 0, 0x65, 0), 3 * 9);
    rig_free(&r);
}

/* A single package has no other to snoop. */
static void test_no_snoops(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_all(&r, S, 0x6c, 3), 1);
    assert_int_equal(rig_all(&r, S, 0x62, 0), 0);
    rig_free(&r);
}

/* ---- the queues between a core and the ring: page 40 ---- */

/* Two cores store to a line of slice 0, then core 0 reads it. Requests are counted at the stop of
 * the requesting core, responses at the stop of the snooped core. */
static void test_core_fifos(void **state)
{
    (void)state;
    const struct {
        unsigned core, kind;
        unsigned requests[2], responses[2]; /* so far, of each core */
    } steps[] = {
        {0, BX_STORE, {1, 0}, {0, 0}},
        {1, BX_STORE, {1, 1}, {1, 0}},
        {0, BX_LOAD, {2, 1}, {1, 1}},
        {0, BX_LOAD, {2, 1}, {1, 1}}, /* private */
    };
    struct rig r = rig_new(1, 2, 0);

    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        rig_do(&r, steps[i].core, steps[i].kind, 0, 0);
        for (unsigned core = 0; core < 2; core++) {
            assert_int_equal(rig_unit(&r, C, 0, core, 0x21, 0), steps[i].requests[core]);
            assert_int_equal(rig_unit(&r, C, 0, core, 0x20, 0), steps[i].requests[core]);
            assert_int_equal(rig_unit(&r, C, 0, core, 0x23, 0), steps[i].responses[core]);
            assert_int_equal(rig_unit(&r, C, 0, core, 0x22, 0), steps[i].responses[core]);
        }
    }
    rig_free(&r);
}

/* Core 0 of package 0 stores to a line that core 1 of package 0 and package 1 share. */
static void share_and_store(struct rig *r)
{
    rig_do(r, 2, BX_LOAD, 0, 0);
    rig_do(r, 0, BX_LOAD, 0, 0);
    rig_do(r, 1, BX_LOAD, 0, 0);
    r->of[0].one = bx_access_make(0, BX_STORE, 0, 0);
    rig_feed(r, 0, &r->of[0].one, 1);
}

/* A store to a shared line: the package's other cores are snooped after the home's answer, in the
 * last 25 cycles before the answer of the C-Box, which takes egress 1 and ring 4. Their response
 * enters RSPF 4 cycles before the end of the 25. */
static void test_shared_line_is_taken(void **state)
{
    (void)state;
    enum { OCCUPANCY_RSPF = 0x22 };
    struct rig whole = rig_new(2, 2, 0), r = rig_new(2, 2, 0);

    share_and_store(&whole);
    uint64_t before = rig_unit(&whole, C, 0, 1, OCCUPANCY_RSPF, 0), cycles = rig_run(&whole);
    share_and_store(&r);
    uint64_t response = rig_now(&r) + cycles - 1 - 4 - 4;
    bx_model_run(r.m, response);
    assert_int_equal(rig_unit(&r, C, 0, 1, OCCUPANCY_RSPF, 0), before);
    bx_model_run(r.m, response + 1);
    assert_int_equal(rig_unit(&r, C, 0, 1, OCCUPANCY_RSPF, 0), before + 1);
    rig_free(&whole);
    rig_free(&r);
}

/* A snoop of another package: the slice answers it; its core answers the slice. */
static void test_remote_snoop_of_a_core(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 0, BX_STORE, 0, 0);
    rig_do(&r, 1, BX_STORE, 0, 0); /* snoops the core of package 0 */
    rig_do(&r, 1, BX_STORE, 1, 0); /* snoops nothing there */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x27, 3), 2);
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x23, 0), 1); /* TRANS_RSPF */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x21, 0), 1); /* TRANS_RWRF: the store */
    rig_free(&r);
}

/* ---- bypasses of the egress: page 33 ---- */

/* A miss: the request goes to the S-Box (AD), the line to the core (BL). A bypass loses no
 * cycle. */
static void test_egress_bypass(void **state)
{
    (void)state;
    enum { EGRESS_BYPASS_WINS = 0x0c };
    const struct {
        unsigned umask, n;
    } rings[] = {{0x01, 1}, {0x04, 0}, {0x10, 1}, {0x40, 0}, {0x55, 2}};
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    for (unsigned i = 0; i < sizeof rings / sizeof *rings; i++)
        assert_int_equal(rig_unit(&r, C, 0, 0, EGRESS_BYPASS_WINS, rings[i].umask), rings[i].n);
    rig_free(&r);
}

/* ---- S-Box to B-Box: page 75 ---- */

/* A read of the own package: RdData takes the bypass for a cycle. The credit for DataC_Cmp returns
 * in an idle flit, which is another cycle. */
static void test_home_bypass(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x60, 2), 1); /* PKTS_SENT_HOM:BBOX */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x6b, 0), 1); /* BBOX_CREDIT_RETURNS */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x52, 0), 2); /* S2B_HOM_BYPASS */
    rig_free(&r);
}

/* ---- arbitration: page 103 ---- */

/* Package 1 has modified a line of package 0, which reads it. WbSData and DataC_F leave through one
 * link, so the second waits for the nine flits of the first. One bid fails, for nine clocks. */
static void test_local_bid_fails(void **state)
{
    (void)state;
    enum { QLX = 2, LOCAL_BID = 1, QUE_FAIL_DRS = 0x43, LOCAL_FAIL = 4, S_PORT = 2 };
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 1, BX_STORE, 0, 0);
    uint64_t bids = rig_unit(&r, R, 1, S_PORT, QLX, LOCAL_BID);
    uint64_t clocks = rig_unit(&r, R, 1, S_PORT, QLX, LOCAL_FAIL);
    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_unit(&r, R, 1, S_PORT, QLX, LOCAL_FAIL) - clocks, 9);
    assert_int_equal(rig_unit(&r, R, 1, S_PORT, QLX, QUE_FAIL_DRS), 1);
    assert_int_equal(rig_unit(&r, R, 1, S_PORT, QLX, LOCAL_BID) - bids, 4); /* 3 packets */
    rig_free(&r);
}

/* ---- home agents: pages 46 to 49 ---- */

/* Package 1 makes two reads of package 0, in different banks. Their data is on the bus for 4 cycles
 * each, one after the other, and keeps the port to the R-Box busy for 9, so the second waits 5. */
static void test_drsq(void **state)
{
    (void)state;
    const bx_access two[] = {bx_access_make(0, BX_LOAD, 0, 0), bx_access_make(128, BX_LOAD, 0, 0)};
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 1, BX_LOAD, 384, 0); /* a single read never waits */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x09), 0);
    rig_play(&r, 1, two, 2);
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x1d), 3); /* IMT_INSERTS_RD */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x09), 1); /* DRSQ_INSERTS */
    assert_int_equal(rig_b(&r, 0, 0, 0, 0x09), 5); /* DRSQ_OCCUPANCY */
    rig_free(&r);
}

/* Eight cores make ten reads each at once, half of them to each B-Box, whose table has 32 entries.
 * The 8 that find a full table begin to read memory only when they enter it; the others are
 * prefetched. */
static void test_demand_fetch(void **state)
{
    (void)state;
    enum { CORES = 8, READS = 10, TABLE = 32, SIDES = 2 };
    struct rig r = rig_new(1, CORES, 0);
    bx_access reads[CORES][READS];
    uint64_t fetched = 0, ahead = 0;

    for (unsigned core = 0; core < CORES; core++) {
        for (unsigned i = 0; i < READS; i++)
            reads[core][i] = bx_access_make(core * READS + i, BX_LOAD, 0, 0);
        rig_feed(&r, core, reads[core], READS);
    }
    rig_run(&r);
    for (unsigned side = 0; side < SIDES; side++) {
        assert_int_equal(rig_b(&r, 0, side, 1, 0x1d), CORES * READS / SIDES);
        fetched += rig_b(&r, 0, side, 3, 0x0f); /* DEMAND_FETCH */
        ahead += rig_b(&r, 0, side, 3, 0x0e);   /* COHQ_BYPASS */
    }
    assert_int_equal(fetched + ahead, CORES * READS);
    assert_int_equal(fetched, CORES * READS - SIDES * TABLE);
    rig_free(&r);
}

/* Memory answers 44 after the read is issued. In the home's own package that is at 68, and the
 * snoop's response comes at 124. From the other package the response is first (84, 109). */
static void test_ack_before_last_snoop(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x19), 1);
    rig_do(&r, 0, BX_LOAD, PAGE, 0);
    assert_int_equal(rig_b(&r, 1, 0, 3, 0x19), 0);
    rig_free(&r);
}

/* One read finds room: the prefetch is used. */
static void test_no_demand_fetch(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x1d), 1);
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x0f), 0);
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x0e), 1);
    rig_free(&r);
}

/* ---- non-temporal stores: InvItoE, then a write-back to the home (page 142) ---- */

static uint64_t inserts(struct rig *r, unsigned code)
{
    return rig_all_b(r, 1, code);
}

enum { WRITES = 0x0c, INVITOE = 0x0f, READS = 0x1d, LLC_MISSES = 0x14, FILLS = 0x16, HITS = 0x15 };

/* A line that nobody has, then a line that another core has modified: neither is read from memory
 * for it. */
static void test_a_non_temporal_store(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 2, 0);

    rig_do(&r, 0, BX_NON_TEMPORAL, 0, 0);
    assert_int_equal(inserts(&r, READS), 0);
    assert_int_equal(inserts(&r, INVITOE), 1);
    assert_int_equal(inserts(&r, WRITES), 1);
    assert_int_equal(rig_all(&r, C, LLC_MISSES, 4), 1); /* I */
    assert_int_equal(rig_all(&r, C, FILLS, 0x0f), 0);
    rig_do(&r, 1, BX_STORE, 4, 0);
    assert_int_equal(inserts(&r, READS), 1);
    rig_do(&r, 0, BX_NON_TEMPORAL, 4, BX_ACCESS_PARTIAL);
    assert_int_equal(rig_all(&r, C, HITS, 2), 1);     /* E: only core 1 knows of the change */
    assert_int_equal(inserts(&r, WRITES), 1 + 1 + 1); /* the modified line, and the store */
    assert_int_equal(inserts(&r, INVITOE), 1);
    rig_do(&r, 1, BX_LOAD, 4, 0);
    assert_int_equal(inserts(&r, READS), 2); /* nobody has it any more */
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_non_temporal_store),
        cmocka_unit_test(test_snoops),
        cmocka_unit_test(test_no_snoops),
        cmocka_unit_test(test_core_fifos),
        cmocka_unit_test(test_shared_line_is_taken),
        cmocka_unit_test(test_remote_snoop_of_a_core),
        cmocka_unit_test(test_home_bypass),
        cmocka_unit_test(test_local_bid_fails),
        cmocka_unit_test(test_drsq),
        cmocka_unit_test(test_demand_fetch),
        cmocka_unit_test(test_no_demand_fetch),
        cmocka_unit_test(test_data_spawned),
        cmocka_unit_test(test_egress_bypass),
        cmocka_unit_test(test_ack_before_last_snoop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
