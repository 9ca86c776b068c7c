/* The Xeon 7500 machine with one access at a time: the packets that it sends, and its duration.
 * Ports of an R-Box: links 0, 1, 4, 5; S-Boxes 2, 6; B-Boxes 3, 7. */
#include "../cmocked.h"

#include "nhmex_rig.h"

enum {
    U = BX_NHMEX_U,
    C = BX_NHMEX_C,
    S = BX_NHMEX_S,
    R = BX_NHMEX_R,
    M = BX_NHMEX_M,
    W = BX_NHMEX_W
};
enum { IPERF = 1, XBR = 3 };
enum { NCB, NCS, DRS, NDR, SNP, HOM, CLASSES }; /* bits of NEW_PC */
enum { PAGE_1 = 64 }; /* a line whose home is package 1, S-, B-, M-Box 0 */
static const uint32_t FLITS_SENT = UINT32_C(1) << 31;

/* ---- packets ---- */

/* Packets that arrived at each port of each package, and flits that left. */
struct traffic {
    uint64_t in[8][8][CLASSES], flits[8][8];
};

static struct traffic look(struct rig *r)
{
    struct traffic t = {0};

    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned port = 0; port < 8; port++) {
            for (unsigned class = 0; class < CLASSES; class ++)
                t.in[p][port][class] = rig_unit(r, R, p, port, IPERF, 1u << class | 0x80);
            t.flits[p][port] = rig_unit(r, R, p, port, IPERF, FLITS_SENT);
        }
    return t;
}

/* Packets of one class from a port of a package to a port of another package, or the same. */
struct hop {
    unsigned package, in, out, class, flits, packets;
};

/* Checks that exactly these have passed since `before`. */
static void check_hops(struct rig *r, const struct traffic *before, const struct hop *hop,
                       unsigned n)
{
    struct traffic expected = *before, is = look(r);

    for (unsigned i = 0; i < n; i++) {
        expected.in[hop[i].package][hop[i].in][hop[i].class] += hop[i].packets;
        expected.flits[hop[i].package][hop[i].out] += (uint64_t)hop[i].packets * hop[i].flits;
    }
    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned port = 0; port < 8; port++) {
            for (unsigned class = 0; class < CLASSES; class ++)
                assert_int_equal(is.in[p][port][class], expected.in[p][port][class]);
            assert_int_equal(is.flits[p][port], expected.flits[p][port]);
        }
}

#define CHECK_HOPS(r, before, ...)                                                                 \
    do {                                                                                           \
        static const struct hop hops[] = {__VA_ARGS__};                                            \
        check_hops(r, before, hops, sizeof hops / sizeof *hops);                                   \
    } while (0)

/* Packets that arrived at a port with this message class code (323535-001 page 142), opcode and,
 * unless -1, state of data. Counting begins with the first read. */
static uint64_t matched(struct rig *r, unsigned package, unsigned port, unsigned class,
                        unsigned opcode, int rds)
{
    bx_selection sel = {
        .box = R,
        .package = (uint16_t)package,
        .unit = (uint16_t)(port / 4),
        .port = (uint16_t)(port % 4),
        .code = XBR,
        .filter = {0x210000, class << 9 | opcode << 5, 0x1fe0},
    };

    if (rds >= 0) {
        sel.filter[1] |= (uint64_t)rds << 48;
        sel.filter[2] |= UINT64_C(0xf) << 48;
    }
    return rig_tally(r, &sel);
}

enum { HOM0_CODE, HOM1_CODE, NDR_CODE, SNP_CODE, NCS_CODE, NCB_CODE = 12, DRS_CODE = 14 };

/* A store of package 0 to a line of package 1 that nobody has.
 * HOM0 RdInvOwn   at the C-Box 0, ring 4, IRQ 4: 8; egress 1, ring 4: 13; S-Box 2: 15; R-Box 6 and
 *                 1: 22; link 30: 52; R-Box: 59.
 * SNP SnpInvOwn   behind it, until 60 at the S-Box; queue 2, egress 1, ring 4: 67; IPQ 4, response
 *                 3, egress 1, ring 4: 79.
 * HOM1 RspI       S-Box 2, to the B-Box 3: 84.
 * memory          table 6, decode 4, RAS 12, CAS 14, line 4, answer 10: 109.
 * DRS DataC_E_Cmp 2: 111; R-Box 6 and 9, link 30: 156; R-Box: 171; queue 2, egress 2, ring 4: 179;
 *                 egress 2, ring 4: 185. */
static void test_rfo_remote_home(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);
    struct traffic before = look(&r);

    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 4, -1), 0);
    assert_int_equal(matched(&r, 0, 2, SNP_CODE, 4, -1), 0);
    assert_int_equal(matched(&r, 1, 3, DRS_CODE, 2, 4), 0);
    assert_int_equal(rig_do(&r, 0, BX_STORE, PAGE_1, 0), 185);
    CHECK_HOPS(&r, &before, {0, 2, 0, HOM, 1, 1}, {1, 0, 3, HOM, 1, 1}, {0, 2, 0, SNP, 1, 1},
               {1, 0, 2, SNP, 1, 1}, {1, 3, 0, DRS, 9, 1}, {0, 0, 2, DRS, 9, 1});
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 4, -1), 1);
    assert_int_equal(matched(&r, 0, 2, SNP_CODE, 4, -1), 1);
    assert_int_equal(matched(&r, 1, 3, DRS_CODE, 2, 4), 1);
    assert_int_equal(rig_unit(&r, S, 1, 0, 0x60, 2), 1);        /* RspI to its own B-Box */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x31, 2), 171);      /* REQ_TBL_OCCUPANCY 8 … 179 */
    assert_int_equal(rig_b(&r, 1, 0, 0, 0x07), 52);             /* IMT_VALID_OCCUPANCY 59 … 111 */
    assert_int_equal(rig_b(&r, 1, 0, 0, 0x04), 52);             /* TF_ALL */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x1e, 0), 171);      /* OCCUPANCY_MAF 8 … 179 */
    assert_int_equal(rig_unit(&r, M, 1, 0, 0x1d, 0), 1);        /* INFLIGHT_CMDS: one read (p130) */
    assert_int_equal(rig_unit(&r, R, 0, 2, IPERF, 0x10000), 1); /* the snoop waits: 21 … 22 */
    assert_int_equal(rig_unit(&r, R, 0, 2, IPERF, 0x2a0000), 1);
    rig_free(&r);
}

/* The same store with one credit of VNA for each length. At 15 both packets are at the R-Box: the
 * request has the credit until it has left, at 22, so the snoop takes that of SNP on VN0. In
 * package 1 the request arrives at 52, and its credit is back at 59 + 30; the snoop is there at 53.
 */
static void test_one_credit(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "nhmex",
        (bx_model_shape){.packages = 2, .cores = 1, .times = {.vna_short = 1, .vna_long = 1}});

    assert_int_equal(rig_do(&r, 0, BX_STORE, PAGE_1, 0), 185);
    assert_int_equal(rig_unit(&r, R, 0, 2, IPERF, 1u << SNP), 1); /* VN0 */
    assert_int_equal(rig_unit(&r, R, 1, 0, IPERF, 1u << SNP), 1);
    assert_int_equal(rig_all(&r, R, IPERF, 0x3f), 2);
    assert_int_equal(rig_all(&r, R, IPERF, 0x7f), 0);    /* VN1 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 1), 7); /* NO_CREDIT_VNA:RBOX 15 … 22 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x81, 0), 0); /* NO_CREDIT_SNP */
    assert_int_equal(rig_unit(&r, R, 0, 2, 2, 0x15), 1); /* GLOBAL_ARB_BID_FAIL:VN0_SNP */
    assert_int_equal(rig_b(&r, 1, 0, 3, 0x15), 0);       /* RBOX_VNA_UNAVAIL */
    rig_free(&r);
}

/* With three packages two snoops follow it. The first leaves by the request's link, at 23; so the
 * second one waits for the credit of VNA, until 22. */
static void test_no_credit(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "nhmex",
        (bx_model_shape){.packages = 3, .cores = 1, .times = {.vna_short = 1, .vna_long = 1}});

    rig_do(&r, 0, BX_STORE, PAGE_1, 0);
    assert_int_equal(rig_unit(&r, R, 0, 2, IPERF, 1u << SNP), 1);
    assert_int_equal(rig_unit(&r, R, 0, 2, IPERF, 0x80 | 1u << SNP), 1);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 1), 7); /* NO_CREDIT_VNA:RBOX */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x81, 0), 7); /* NO_CREDIT_SNP 15 … 22 */
    rig_free(&r);
}

/* Two loads of one core at 0, in two banks. */
static struct rig two_loads(bx_model_times times)
{
    struct rig r = rig_of("nhmex", (bx_model_shape){.packages = 1, .cores = 1, .times = times});
    const bx_access loads[] = {bx_access_make(0, BX_LOAD, 0, 0),
                               bx_access_make(128, BX_LOAD, 0, 0)};

    rig_feed(&r, 0, loads, 2);
    rig_run(&r);
    return r;
}

/* Two loads with one credit of the B-Box. The requests are ready to
 * leave the S-Box at 15 and 16; the credit is back at 15 + 2 x 3. */
static void test_credit_of_the_b_box(void **state)
{
    (void)state;
    struct rig r = two_loads((bx_model_times){.b_vna = 1});

    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 2), 5); /* NO_CREDIT_VNA:BBOX 16 … 21 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 3), 5);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 1), 0);
    rig_free(&r);
}

/* The same with one credit of the S-Box. Home: 18; table 6, decode 4, RAS 12, CAS 14, line 4,
 * answer 10, and 2: the first line is at the port at 70 and leaves it at 72. The second one follows
 * it on the bus, and is there at 74. The credit is back at 72 + 2 x 3. */
static void test_credit_of_the_s_box(void **state)
{
    (void)state;
    struct rig r = two_loads((bx_model_times){.s_vn0 = 1});

    assert_int_equal(rig_b(&r, 0, 0, 3, 0x14), 1); /* SBOX_VN0_UNAVAIL */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x09), 1); /* DRSQ_INSERTS */
    assert_int_equal(rig_b(&r, 0, 0, 0, 0x09), 4); /* DRSQ_OCCUPANCY 74 … 78 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x86, 3), 0);
    rig_free(&r);
}

/* With 20 cycles between S-Box and B-Box the request is at its home at 15 + 20, and the line at the
 * port at 87: 35 + 6 + 4 + 12 + 14 + 4 + 10 + 2. It is at the S-Box at 107, at the C-Box at 115
 * (queue 2, egress 2, ring 4) and at the core at 121. The credit is back at 87 + 2 + 2 x 20 = 129,
 * but work has ended. */
static void test_work_ends_without_credits(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "nhmex", (bx_model_shape){.packages = 1, .cores = 1, .times = {.s_vn0 = 1, .s_to_b = 20}});

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_now(&r), 121);
    rig_free(&r);
}

/* Package 0 reads a line that package 2 has modified; its home is package 1. */
static void test_snoop_hits_modified_in_a_third_package(void **state)
{
    (void)state;
    struct rig r = rig_new(3, 1, 0);

    rig_do(&r, 2, BX_STORE, PAGE_1, 0);
    struct traffic before = look(&r);
    assert_int_equal(matched(&r, 2, 2, HOM1_CODE, 12, -1), 0); /* RspFwdSWb */
    assert_int_equal(matched(&r, 2, 2, DRS_CODE, 5, -1), 0);   /* WbSData */
    assert_int_equal(matched(&r, 2, 2, DRS_CODE, 0, 1), 0);    /* DataC_F */
    assert_int_equal(matched(&r, 1, 3, NDR_CODE, 8, -1), 0);   /* Cmp */
    rig_do(&r, 0, BX_LOAD, PAGE_1, 0);
    /* Links: 0 to 1 by 0, 1 to 0 by 1; 0 to 2 by 1, 2 to 0 by 0; 2 to 1 by 1, 1 to 2 by 0. */
    CHECK_HOPS(&r, &before, {0, 2, 0, HOM, 1, 1}, {1, 1, 3, HOM, 1, 1}, /* RdData */
               {0, 2, 0, SNP, 1, 1}, {1, 1, 2, SNP, 1, 1},              /* SnpData to 1: RspI */
               {0, 2, 1, SNP, 1, 1}, {2, 0, 2, SNP, 1, 1},              /* SnpData to 2 */
               {2, 2, 1, HOM, 1, 1}, {1, 0, 3, HOM, 1, 1},              /* RspFwdSWb */
               {2, 2, 1, DRS, 9, 1}, {1, 0, 3, DRS, 9, 1},              /* WbSData */
               {2, 2, 0, DRS, 9, 1}, {0, 1, 2, DRS, 9, 1},              /* DataC_F */
               {1, 3, 1, NDR, 1, 1}, {0, 0, 2, NDR, 1, 1});             /* Cmp */
    assert_int_equal(matched(&r, 2, 2, HOM1_CODE, 12, -1), 1);
    assert_int_equal(matched(&r, 2, 2, DRS_CODE, 5, -1), 1);
    assert_int_equal(matched(&r, 2, 2, DRS_CODE, 0, 1), 1);
    assert_int_equal(matched(&r, 1, 3, NDR_CODE, 8, -1), 1);
    assert_int_equal(rig_unit(&r, C, 2, 0, 0x28, 0xff), 1); /* SNP_HITS */
    assert_int_equal(rig_unit(&r, C, 2, 0, 0x28, 0x01), 1); /* REMOTE_RD_HITM */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x16, 0x08), 1); /* LLC_S_FILLS:F */
    assert_int_equal(rig_b(&r, 1, 0, 3, 0x12), 1);          /* IMPLICIT_WBS */
    rig_free(&r);
}

/* Both packages' cores access one line of package 1 at 0, package 0's with a store. */
static struct rig at_once(unsigned kind)
{
    struct rig r = rig_new(2, 1, 0);
    const bx_access store = bx_access_make(PAGE_1, BX_STORE, 0, 0);
    const bx_access other = bx_access_make(PAGE_1, kind, 0, 0);

    assert_int_equal(matched(&r, 0, 2, HOM1_CODE, 4, -1), 0);
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 15, -1), 0);
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 9, -1), 0);
    assert_int_equal(matched(&r, 1, 3, NDR_CODE, 11, -1), 0);
    assert_int_equal(matched(&r, 0, 2, DRS_CODE, 0, 8), 0);
    rig_feed(&r, 0, &store, 1);
    rig_feed(&r, 1, &other, 1);
    rig_run(&r);
    return r;
}

/* Package 0's store is that of test_rfo_remote_home: its slice has the line at 179. Package 1's
 * request is at its home at 18, and has to wait for the first one, until 111.
 * SNP      from the S-Box at 13: queue 2, R-Box 6 and 1, link 30: 52; R-Box: 59; queue 2, egress 1,
 *          ring 4, IPQ 4: 70.
 * RspCnflt 3, egress 1, ring 4, queue 2, R-Boxes and link 44: 124.
 * AckCnflt from 179: the core has it modified, 35; the same way: 268.
 * Cmp_Fwd  2, R-Boxes and link 44: 314; queue 2, egress 1, ring 4: 321.
 * DataC_M  3, egress 2, ring 4: 330; queue 10, R-Box 6 and 9, link 30: 385; R-Box: 400; queue 2,
 *          egress 2, ring 4: 408; egress 2, ring 4: 414. */
static void test_conflict(void **state)
{
    (void)state;
    struct rig r = at_once(BX_STORE);

    assert_int_equal(rig_now(&r), 414);
    assert_int_equal(matched(&r, 0, 2, HOM1_CODE, 4, -1), 1);  /* RspCnflt */
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 15, -1), 1); /* AckCnflt */
    assert_int_equal(matched(&r, 1, 3, NDR_CODE, 11, -1), 1);  /* Cmp_FwdInvOwn */
    assert_int_equal(matched(&r, 0, 2, DRS_CODE, 0, 8), 1);    /* DataC_M */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x11, 0x08), 1);    /* MAF_NACK1:AC_PENDING */
    assert_int_equal(rig_unit(&r, C, 1, 0, 0x11, 0x08), 0);
    assert_int_equal(rig_b(&r, 1, 0, 3, 0x17), 1); /* CONFLICTS */
    assert_int_equal(rig_b(&r, 1, 0, 1, 0x07), 3); /* IMT_INSERTS_ALL: AckCnflt, too (p47) */
    rig_free(&r);
}

/* A non-temporal store in place of package 1's needs no data: the modified line goes home. */
static void test_conflict_brings_the_line(void **state)
{
    (void)state;
    struct rig r = at_once(BX_NON_TEMPORAL);

    assert_int_equal(matched(&r, 0, 2, HOM1_CODE, 4, -1), 1);
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 15, -1), 0);
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 9, -1), 1); /* AckCnfltWbI */
    assert_int_equal(matched(&r, 0, 2, DRS_CODE, 0, 8), 0);
    assert_int_equal(rig_b(&r, 1, 0, 3, 0x12), 1); /* IMPLICIT_WBS */
    rig_free(&r);
}

/* A modified line is evicted: its slice has one set, of 24 ways. */
static void test_write_back(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, UINT64_C(24) * 64);
    struct traffic before;

    for (unsigned i = 0; i < 24; i++)
        rig_do(&r, 0, BX_STORE, PAGE_1 + i, 0);
    before = look(&r);
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 12, -1), 0); /* WbMtoI */
    assert_int_equal(matched(&r, 0, 2, DRS_CODE, 4, -1), 0);   /* WbIData */
    rig_do(&r, 0, BX_STORE, PAGE_1 + 24, 0);
    CHECK_HOPS(&r, &before, {0, 2, 0, HOM, 1, 2}, {1, 0, 3, HOM, 1, 2}, /* RdInvOwn, WbMtoI */
               {0, 2, 0, SNP, 1, 1}, {1, 0, 2, SNP, 1, 1},              /* SnpInvOwn */
               {1, 3, 0, DRS, 9, 1}, {0, 0, 2, DRS, 9, 1},              /* DataC_E_Cmp */
               {0, 2, 0, DRS, 9, 1}, {1, 0, 3, DRS, 9, 1},              /* WbIData */
               {1, 3, 0, NDR, 1, 1}, {0, 0, 2, NDR, 1, 1});             /* Cmp */
    assert_int_equal(matched(&r, 0, 2, HOM0_CODE, 12, -1), 1);
    assert_int_equal(matched(&r, 0, 2, DRS_CODE, 4, -1), 1);
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x17, 0x01), 1); /* LLC_VICTIMS:M */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x1d, 0), 1);    /* TRANS_VIQ */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x06, 0x01),
                     1); /* SINKS_C2P:IV, the core's copy is invalidated */
    assert_int_equal(rig_b(&r, 1, 0, 1, 0x0c), 1); /* IMT_INSERTS_WR */
    rig_free(&r);
}

/* A device behind port 5 of package 0 reads a line, writes it, and writes a part of it. */
static void test_devices(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);
    struct traffic before = look(&r);

    assert_int_equal(matched(&r, 0, 3, DRS_CODE, 2, 0), 0); /* DataC_I_Cmp */
    rig_do(&r, BX_AGENT_IO, BX_LOAD, 0, 0);
    CHECK_HOPS(&r, &before, {0, 5, 3, HOM, 1, 1}, {0, 5, 2, SNP, 1, 1}, {0, 3, 5, DRS, 9, 1});
    assert_int_equal(matched(&r, 0, 3, DRS_CODE, 2, 0), 1);

    /* InvItoE, SnpInvItoE, Gnt_Cmp; then WbMtoI, WbIData, Cmp. */
    before = look(&r);
    assert_int_equal(matched(&r, 0, 3, NDR_CODE, 0, -1), 0);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 0, 0);
    CHECK_HOPS(&r, &before, {0, 5, 3, HOM, 1, 2}, {0, 5, 2, SNP, 1, 1}, {0, 3, 5, NDR, 1, 2},
               {0, 5, 3, DRS, 9, 1});
    assert_int_equal(matched(&r, 0, 3, NDR_CODE, 0, -1), 1);

    before = look(&r);
    assert_int_equal(matched(&r, 0, 5, DRS_CODE, 8, -1), 0); /* WbIDataPtl */
    rig_do(&r, BX_AGENT_IO, BX_STORE, 0, BX_ACCESS_PARTIAL);
    CHECK_HOPS(&r, &before, {0, 5, 3, HOM, 1, 2}, {0, 5, 2, SNP, 1, 1}, {0, 3, 5, NDR, 1, 2},
               {0, 5, 3, DRS, 11, 1});
    assert_int_equal(matched(&r, 0, 5, DRS_CODE, 8, -1), 1);

    assert_int_equal(rig_b(&r, 0, 0, 1, 0x0a), 5);       /* IMT_INSERTS_IOH */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x0d), 2);       /* …_IOH_WR */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x10), 2);       /* …_IOH_INVITOE */
    assert_int_equal(rig_b(&r, 0, 0, 1, 0x0b), 0);       /* …_NON_IOH */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x6c, 3), 0); /* no S-Box requests */
    rig_free(&r);
}

static uint64_t use_register(struct rig *r, enum bx_access_kind kind, unsigned flags)
{
    bx_access a = bx_access_uncacheable(UINT64_C(1) << 36, kind, flags, 0);
    return rig_play(r, 0, &a, 1);
}

/* A core reads 8 bytes of a device's registers.
 * NCS NcRdPtl     ring 4, IRQ 4: 8; egress AD 1, ring 4: 13; S-Box 2: 15; R-Box 6 and 1: 22; link
 * to the IOH 30: 52. DRS DataNc      the device 100, link 30: 182; R-Box 6 and 9: 197; queue 2,
 * egress BL 2, ring 4: 205; egress 2, ring 4: 211. */
static void test_register_is_read(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);
    struct traffic before = look(&r);

    assert_int_equal(matched(&r, 0, 2, NCS_CODE, 4, -1), 0);
    assert_int_equal(matched(&r, 0, 5, DRS_CODE, 3, -1), 0);
    assert_int_equal(use_register(&r, BX_LOAD, BX_ACCESS_PARTIAL), 211);
    CHECK_HOPS(&r, &before, {0, 2, 5, NCS, 1, 1}, {0, 5, 2, DRS, 9, 1});
    assert_int_equal(matched(&r, 0, 2, NCS_CODE, 4, -1), 1);
    assert_int_equal(matched(&r, 0, 5, DRS_CODE, 3, -1), 1);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x66, 0x1), 1); /* PKTS_SENT_NCS:CBOX0_4 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x67, 0), 1);   /* FLITS_SENT_NCS */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x16, 0xf), 2); /* TO_R_NCS_MSGQ_OCCUPANCY 13 … 15 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x68, 0xf), 0); /* PKTS_SENT_NCB */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x1e, 0), 197); /* OCCUPANCY_MAF 8 … 205 */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x14, 7), 0);   /* LLC_MISSES */
    assert_int_equal(use_register(&r, BX_LOAD, BX_ACCESS_PARTIAL), 211); /* no cache has it */
    rig_free(&r);
}

/* A core writes 8 bytes there; the device interrupts the core.
 * NCB NcWrPtl     at the C-Box 8; egress BL 2, ring 4: 14; S-Box 1 and 11: 26; R-Box 6 and 11: 43;
 *                 link 30: 73.
 * NDR Cmp         link 30: 103; R-Box 7: 110; queue 2, egress AK 1, ring 4: 117.
 * NCB IntPhysical the device 100, link 30: 203; R-Box 6 and 11: 220; queue 2, egress BL 2, ring 4:
 *                 228.
 * NDR Cmp         egress AK 1, ring 4: 233; S-Box 2: 235; R-Box 7: 242; link 30: 272. */
static void test_register_is_written(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);
    struct traffic before = look(&r);

    assert_int_equal(matched(&r, 0, 2, NCB_CODE, 12, -1), 0);
    assert_int_equal(matched(&r, 0, 5, NCB_CODE, 10, -1), 0);
    assert_int_equal(use_register(&r, BX_STORE, BX_ACCESS_PARTIAL), 272);
    CHECK_HOPS(&r, &before, {0, 2, 5, NCB, 11, 1}, {0, 5, 2, NDR, 1, 1}, {0, 5, 2, NCB, 11, 1},
               {0, 2, 5, NDR, 1, 1});
    assert_int_equal(matched(&r, 0, 2, NCB_CODE, 12, -1), 1);
    assert_int_equal(matched(&r, 0, 5, NCB_CODE, 10, -1), 1);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x68, 0x1), 1);  /* PKTS_SENT_NCB:CBOX0_4 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x69, 0), 11);   /* FLITS_SENT_NCB */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x13, 0xf), 12); /* TO_R_NCB_MSGQ_OCCUPANCY 14 … 26 */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x75, 0), 1);    /* PKTS_RCVD_NCB */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x26, 4), 2);    /* TO_RING_MSGQ_OCCUPANCY:NCB */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x63, 0), 1);    /* PKTS_SENT_NDR */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x0d, 0), 2);    /* TO_R_NDR_MSGQ_OCCUPANCY */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x1e, 0), 109);  /* OCCUPANCY_MAF 8 … 117 */
    assert_int_equal(rig_unit(&r, U, 0, 0, 0x01, 0), 1);    /* BUF_VALID_REMOTE_INT */
    assert_int_equal(rig_unit(&r, U, 0, 0, 0xf9, 0), 1);    /* IPIS_SENT */

    /* A whole line is data, which the device takes without an interrupt. */
    before = look(&r);
    assert_int_equal(matched(&r, 0, 2, NCB_CODE, 1, -1), 0);
    use_register(&r, BX_STORE, 0);
    CHECK_HOPS(&r, &before, {0, 2, 5, NCB, 9, 1}, {0, 5, 2, NDR, 1, 1});
    assert_int_equal(matched(&r, 0, 2, NCB_CODE, 1, -1), 1); /* WcWr */
    rig_free(&r);
}

/* With five packages there is no link left for devices. */
static void test_no_devices(void **state)
{
    (void)state;
    struct rig r = rig_new(5, 1, 0);

    rig_do(&r, BX_AGENT_IO, BX_LOAD, 0, 0);
    assert_int_equal(use_register(&r, BX_LOAD, BX_ACCESS_PARTIAL), 0);
    assert_int_equal(rig_all(&r, R, IPERF, 0xff), 0);
    rig_free(&r);
}

/* With eight packages, 3 is two links from 0, over 1, and 0 is two links from 3, over 2. Every
 * other package is snooped: 1, 2, 4 and 7 over one link, 3, 5 and 6 over two. Answers go to 3, two
 * of them over two links. */
static void test_two_hops(void **state)
{
    (void)state;
    struct rig r = rig_new(8, 1, 0);
    const uint64_t line = 3 * 64;

    rig_do(&r, 0, BX_LOAD, line, 0);
    assert_int_equal(rig_all(&r, R, IPERF, 0x80 | 1u << SNP), 4 * 2 + 3 * 3);
    assert_int_equal(rig_all(&r, R, IPERF, 0x80 | 1u << HOM), 3 + 4 * 2 + 2 * 3);
    assert_int_equal(rig_all(&r, R, IPERF, 0x80 | 1u << DRS), 3);
    assert_int_equal(rig_unit(&r, R, 1, 0, IPERF, 0x80 | 1u << HOM),
                     1); /* RdData, passing through */
    assert_int_equal(rig_unit(&r, R, 2, 0, IPERF, 0x80 | 1u << DRS), 1); /* DataC_E_Cmp, by 2 */
    assert_int_equal(rig_all(&r, C, 0x27, 1), 7);                        /* SNPS:REMOTE_RD */
    rig_free(&r);
}

/* Every package reaches every other. */
static void test_all_ways(void **state)
{
    (void)state;
    for (unsigned packages = 2; packages <= 8; packages++)
        for (unsigned from = 0; from < packages; from++)
            for (unsigned to = 0; to < packages; to++) {
                struct rig r = rig_new(packages, 1, UINT64_C(24) * 64);
                rig_do(&r, from, BX_LOAD, to * UINT64_C(64), 0);
                assert_int_equal(rig_package(&r, M, to, 0x1a, 0), 1);
                assert_int_equal(rig_all(&r, S, 0x71, 0), packages - 1);
                rig_free(&r);
            }
}

/* A line that another core of the package has is a hit: ring 4, IRQ 4, slice 26, snoop of the core
 * 25, data 2, ring 4. If the core has modified the line, the snoop takes 35. */
static void test_hits(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 2, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_do(&r, 1, BX_LOAD, 0, 0), 65);
    assert_int_equal(rig_package(&r, C, 0, 0x15, 0x02), 1); /* LLC_HITS:E */
    rig_do(&r, 0, BX_STORE, 2, 0);
    assert_int_equal(rig_do(&r, 1, BX_LOAD, 2, 0), 75);
    assert_int_equal(rig_package(&r, C, 0, 0x15, 0x0f), 2);
    assert_int_equal(rig_package(&r, C, 0, 0x14, 0x07), 2);
    rig_free(&r);
}

/* ---- one workload through all boxes ---- */

/* A core of package 0 reads a page of package 1, line by line: the counts of each kind of box. */
static void test_story(void **state)
{
    (void)state;
    enum { LINES = 64 };
    struct rig r = rig_new(2, 1, 0);

    for (unsigned i = 0; i < LINES; i++)
        rig_do(&r, 0, BX_LOAD, PAGE_1 + i, 0);
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x14, 4), LINES);     /* LLC_MISSES:I */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x16, 2), LINES);     /* LLC_S_FILLS:E */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x6c, 2), LINES);     /* TO_R_B_REQUESTS:REMOTE */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x60, 1), LINES);     /* PKTS_SENT_HOM:RBOX */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x62, 0), LINES);     /* PKTS_SENT_SNP */
    assert_int_equal(rig_unit(&r, S, 1, 0, 0x71, 0), LINES);     /* PKTS_RCVD_SNP */
    assert_int_equal(rig_unit(&r, C, 1, 0, 0x27, 1), LINES);     /* SNPS:REMOTE_RD */
    assert_int_equal(rig_unit(&r, C, 1, 0, 0x28, 0xff), 0);      /* SNP_HITS */
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x72, 0), LINES);     /* PKTS_RCVD_DRS_FROM_R */
    assert_int_equal(rig_unit(&r, C, 0, 0, 0x07, 4), 2 * LINES); /* SINKS_S2C:BL */
    assert_int_equal(rig_unit(&r, R, 0, 0, IPERF, FLITS_SENT), 2 * LINES);
    assert_int_equal(rig_unit(&r, R, 1, 0, IPERF, FLITS_SENT), 9 * LINES);
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(rig_b(&r, 1, side, 1, 0x1d), LINES / 2);           /* IMT_INSERTS_RD */
        assert_int_equal(rig_b(&r, 0, side, 1, 0x07), 0);                   /* IMT_INSERTS_ALL */
        assert_int_equal(rig_unit(&r, M, 1, side, 0x1a, 0), LINES / 2);     /* BBOX_CMDS_ALL */
        assert_int_equal(rig_unit(&r, M, 1, side, 0x15, 0), 1);             /* PAGE_EMPTY */
        assert_int_equal(rig_unit(&r, M, 1, side, 0x14, 0), LINES / 2 - 1); /* PAGE_HIT */
    }
    bx_selection clock = {.box = W, .package = 1, .counter = 4, .code = 0xff};
    assert_int_equal(rig_tally(&r, &clock), r.s->now(r.s));
    rig_free(&r);
}

enum { LINES = 40 };

/* Requests for a line that have arrived at the B-Box since the first call. */
static uint64_t requests_for(struct rig *r, uint64_t line)
{
    bx_selection sel = {.box = BX_NHMEX_B,
                        .counter = 2,
                        .code = 4, /* MSG_ADDR_IN_MATCH */
                        .filter = {line, (UINT64_C(1) << 44) - 1}};
    return rig_tally(r, &sel);
}

/* A box compares with each pattern that was ever requested, from the first request on. */
static void test_many_patterns(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    for (uint64_t i = 0; i < LINES; i++)
        assert_int_equal(requests_for(&r, 4 * i), 0);
    for (uint64_t i = 1; i < LINES; i += 2)
        rig_do(&r, 0, BX_LOAD, 4 * i, 0);
    for (uint64_t i = 0; i < LINES; i++)
        assert_int_equal(requests_for(&r, 4 * i), i % 2);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfo_remote_home),
        cmocka_unit_test(test_one_credit),
        cmocka_unit_test(test_no_credit),
        cmocka_unit_test(test_credit_of_the_b_box),
        cmocka_unit_test(test_credit_of_the_s_box),
        cmocka_unit_test(test_work_ends_without_credits),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_conflict_brings_the_line),
        cmocka_unit_test(test_snoop_hits_modified_in_a_third_package),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_register_is_read),
        cmocka_unit_test(test_register_is_written),
        cmocka_unit_test(test_no_devices),
        cmocka_unit_test(test_two_hops),
        cmocka_unit_test(test_all_ways),
        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_story),
        cmocka_unit_test(test_many_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
