/* The meaning of selections of the Xeon 7500's boxes: reported levels agree with tallies, and
 * comparisons of packets use the given fields. */
#include "../cmocked.h"

#include "ear.h"
#include "nhmex_rig.h"

enum { C = BX_NHMEX_C, B = BX_NHMEX_B, S = BX_NHMEX_S, R = BX_NHMEX_R, M = BX_NHMEX_M };
enum { W = BX_NHMEX_W };

/* ---- levels and tallies ---- */

static const bx_selection watched[] = {
    {.box = C, .code = 0x18},                          /* OCCUPANCY_IRQ */
    {.box = C, .code = 0x1e, .unit = 1},               /* OCCUPANCY_MAF */
    {.box = C, .code = 0x15, .umask = 0x0f},           /* LLC_HITS */
    {.box = C, .code = 0x0a, .umask = 0x7f},           /* ARB_LOSSES */
    {.box = C, .code = 0x0b, .umask = 0x07},           /* STARVED_EGRESS */
    {.box = S, .code = 0x07, .umask = 3},              /* TO_R_B_HOM_MSGQ_OCCUPANCY */
    {.box = S, .code = 0x06, .umask = 3},              /* …_CYCLES_NE */
    {.box = S, .code = 0x31, .umask = 3},              /* REQ_TBL_OCCUPANCY */
    {.box = S, .code = 0x0f, .umask = 0x0f},           /* TO_R_DRS_MSGQ_CYCLES_NE */
    {.box = S, .code = 0x0f, .umask = 0x03},           /* of two C-Boxes */
    {.box = B, .code = 0x07, .package = 1},            /* IMT_VALID_OCCUPANCY */
    {.box = B, .code = 0x04, .unit = 1},               /* TF_ALL */
    {.box = B, .code = 0x07, .counter = 2},            /* IMT_NE_CYCLES */
    {.box = R, .code = 1, .umask = UINT32_C(1) << 31}, /* FLITS_SENT */
    {.box = R, .code = 1, .umask = 1 << 30},           /* NULL_IDLE */
    {.box = R, .code = 1, .umask = 0x10000},           /* EOT_NE_CYCLES */
    {.box = R, .code = 2, .umask = 0x09, .port = 2},   /* TARGET_AVAILABLE */
    {.box = M, .code = 0x1d},                          /* INFLIGHT_CMDS */
    {.box = M, .code = 0x06},                          /* REFRESH */
    {.box = M, .code = 0x08},                          /* SCHED_MODE_CHANGES */
    {.box = M, .code = 0x00, .umask = 4},              /* DSP_FILL:RDQ_EMPTY */
    {.box = M, .code = 0x20, .umask = 8},              /* CYCLES_DSP_FILL:WRQ_EMPTY */
    {.box = M, .code = 0x21, .umask = 0},              /* CYCLES_SCHED_MODE:TRADEOFF */
    {.box = W, .counter = 4, .code = 0xff},            /* FIXED_UNCORE_CLOCK */
};

enum { WATCHED = sizeof watched / sizeof *watched };

static void test_levels_are_tallies(void **state)
{
    (void)state;
    static const char *const work[] = {
        "random,size=256K,cores=4,seed=3,iterations=1500,write=40",
        "stream,size=64K,cores=4+dma,size=64K,iterations=500,step=24",
    };
    struct rig r = rig_new(2, 2, UINT64_C(2) * 16 * 24 * 64);
    struct ear ear;
    uint64_t before[WATCHED];

    rig_work(&r, work[0]);
    ear_open(&ear, &r);
    for (unsigned i = 0; i < WATCHED; i++) {
        ear.since[i] = rig_now(&r);
        before[i] = rig_tally(&r, &watched[i]);
        assert_true(r.s->watch(r.s, i, &watched[i]));
    }
    for (unsigned i = 0; i < sizeof work / sizeof *work; i++)
        rig_work(&r, work[i]);
    bx_model_idle(r.m, 50000);
    for (unsigned i = 0; i < WATCHED; i++) {
        ear_close(&ear, i, rig_now(&r));
        assert_int_equal(ear.sum[i], rig_tally(&r, &watched[i]) - before[i]);
        assert_true(ear.sum[i] > 0 || watched[i].code == 0x0b || watched[i].box == M);
    }
    rig_free(&r);
}

/* ---- after the work ---- */

/* No queue, table or buffer has anything left. */
static void test_nothing_is_left(void **state)
{
    (void)state;
    static const unsigned c_codes[] = {0x18, 0x1a, 0x1c, 0x1e, 0x20, 0x22};
    struct rig r = rig_new(2, 2, UINT64_C(2) * 16 * 24 * 64);
    uint64_t sum[2][64];

    rig_work(&r, "random,size=256K,cores=4,iterations=1000,write=40+dma,size=64K,iterations=500");
    for (unsigned round = 0; round < 2; round++) {
        uint64_t *to = sum[round];
        for (unsigned i = 0; i < 6; i++)
            *to++ = rig_all(&r, C, c_codes[i], 0);
        *to++ = rig_all(&r, S, 0x31, 3);
        *to++ = rig_all(&r, S, 0x07, 3);
        *to++ = rig_all(&r, S, 0x10, 0x0f);
        *to++ = rig_all(&r, S, 0x2e, 0);
        *to++ = rig_all_b(&r, 0, 0x04);
        *to++ = rig_all_b(&r, 0, 0x07);
        *to++ = rig_all_b(&r, 0, 0x09);
        *to++ = rig_all(&r, R, 1, UINT32_C(1) << 31);
        *to++ = rig_all(&r, M, 0x1d, 0);
        *to++ = rig_all(&r, M, 0x1c, 0);
        bx_model_idle(r.m, 1000);
        for (unsigned i = 0; round && i < (unsigned)(to - sum[1]); i++)
            assert_int_equal(sum[1][i], sum[0][i]);
    }
    rig_free(&r);
}

/* ---- comparisons ---- */

static uint64_t compared(struct rig *r, unsigned box, unsigned counter, unsigned code,
                         uint64_t config, uint64_t match, uint64_t mask)
{
    bx_selection sel = {.box = (uint16_t)box,
                        .code = (uint16_t)code,
                        .counter = (uint16_t)counter,
                        .filter = {config, match, mask}};
    return rig_tally(r, &sel);
}

/* B-Box 0 of package 0: MATCH, MASK; bits with a 1 are compared. */
static uint64_t b_compared(struct rig *r, unsigned counter, unsigned code, uint64_t match,
                           uint64_t mask)
{
    return compared(r, B, counter, code, match, mask, 0);
}

/* A line of package 0 that package 0 reads and package 1 then reads: the home gets RdData, RspI,
 * RdData and RspFwdS, and sends DataC_E_Cmp and Cmp. */
static void test_b_comparisons(void **state)
{
    (void)state;
    const uint64_t line = 128, any = 0, opc_in = UINT64_C(0xf) << 52, msg_in = UINT64_C(0xf) << 44;
    const uint64_t addr = (UINT64_C(1) << 44) - 1, msg_out = UINT64_C(0xf) << 48;
    const struct {
        unsigned counter, code;
        uint64_t match, mask, n;
    } looks[] = {
        {1, 1, any, any, 4},                                                /* MSG_IN_MATCH */
        {1, 1, UINT64_C(1) << 44, msg_in, 2},                               /* HOM1 */
        {1, 3, UINT64_C(2) << 52, opc_in, 2},                               /* OPCODE_IN_MATCH */
        {1, 5, UINT64_C(10) << 52 | UINT64_C(1) << 44, opc_in | msg_in, 1}, /* RspFwdS */
        {1, 2, any, any, 2},                                                /* MSG_OUT_MATCH */
        {1, 2, UINT64_C(14) << 48, msg_out, 1},                             /* DRS */
        {0, 1, line, msg_in | addr, 2},                                     /* HOM0 of that line */
        {0, 1, line + 1, addr, 0},
        {2, 4, line, addr, 4}, /* ADDR_IN_MATCH */
    };
    struct rig r = rig_new(2, 1, 0);

    for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_int_equal(
            b_compared(&r, looks[i].counter, looks[i].code, looks[i].match, looks[i].mask), 0);
    rig_do(&r, 0, BX_LOAD, line, 0);
    rig_do(&r, 1, BX_LOAD, line, 0);
    for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_int_equal(
            b_compared(&r, looks[i].counter, looks[i].code, looks[i].match, looks[i].mask),
            looks[i].n);
    rig_free(&r);
}

/* S-Box 0 of package 0, whose C-Box reads a line of package 1: RdData and SnpData leave for the
 * R-Box. Bits with a 1 in the mask are not compared. */
static void test_s_comparisons(void **state)
{
    (void)state;
    const uint64_t on = UINT64_C(1) << 63, ignore = 0x7fffffffff, line = 64;
    const uint64_t hom0 = UINT64_C(1) << 43;
    const struct {
        uint64_t config, match, mask, n;
    } looks[] = {
        {on, 0, ignore, 2},          {0, 0, ignore, 0},      {on, hom0, ignore, 1},
        {on, hom0 << 1, ignore, 0},  {on, line << 5, 1, 2},  /* the line; not its home */
        {on, (line + 1) << 5, 1, 0}, {on, 1, ignore - 1, 2}, /* its home is package 1 */
        {on, 0, ignore - 1, 0},
    };
    struct rig r = rig_new(2, 1, 0);

    for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_int_equal(compared(&r, S, 0, 0, looks[i].config, looks[i].match, looks[i].mask), 0);
    rig_do(&r, 0, BX_LOAD, line, 0);
    for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_int_equal(compared(&r, S, 0, 0, looks[i].config, looks[i].match, looks[i].mask),
                         looks[i].n);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_are_tallies),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_b_comparisons),
        cmocka_unit_test(test_s_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
