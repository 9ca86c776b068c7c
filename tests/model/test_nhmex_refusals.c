/* What a slice or a home refuses, and how long it then waits, worked out by hand from
 * docs/explanation/model-nhmex.md, "Refusals". A load of a line that nobody has, at home in its
 * package, begun at 0:
 *
 *     ring 4, IRQ 4: accepted at 8; egress AD_SB 1, ring 4: 13; S-Box 2, to the B-Box 3: 18; IMT 6,
 *     decode 4, RAS 12, CAS 14, bus 4, answer 10: 68; the home answers 2 later, at 70; to the S-Box
 *     3, queue 2, egress 2, ring 4: at 81 it leaves the MAF; egress BL_NSB 2, ring 4: 87. */
#include "../cmocked.h"

#include "nhmex_rig.h"

#define C BX_NHMEX_C
#define S BX_NHMEX_S

enum { OCCUPANCY_IRQ = 0x18, TRANS_IRQ = 0x19, OCCUPANCY_RWRF = 0x20, BOUNCES_P2C_AD = 0x01 };
enum { MAF_NACK1 = 0x11, VIC_PENDING = 0x02, SNP_PENDING = 0x04, PA_BLOCK = 0x20 };
enum { ALL_MAF_NACK2 = 0x80, ANY_OF_1 = 0xff };
enum {
    MAF_NACK2 = 0x12,
    MAF_FULL = 0x01,
    EGRESS_FULL = 0x02,
    VIQ_FULL = 0x04,
    NO_TRACKER_CREDITS = 0x08,
    NO_S_FIFO_CREDITS = 0x10,
    NO_S_REQTBL_ENTRIES = 0x20,
};

static struct rig rig_with(unsigned packages, unsigned cores, bx_model_times times)
{
    return rig_of("nhmex", (bx_model_shape){.packages = packages, .cores = cores, .times = times});
}

static uint64_t c_box(struct rig *r, unsigned code, unsigned umask)
{
    return rig_unit(r, C, 0, 0, code, umask);
}

static void load(bx_access *a, uint64_t line)
{
    *a = bx_access_make(line, BX_LOAD, 0, 0);
}

/* Loads of as many lines at once, of different banks. */
static uint64_t load_at_once(struct rig *r, unsigned n)
{
    bx_access access[8];

    for (unsigned i = 0; i < n; i++)
        load(&access[i], 128 * i);
    return rig_play(r, 0, access, n);
}

/* The second load waits in IRQ, from 4 on, until the first one has left the MAF or the table. */
static void check_second_waits(bx_model_times times, unsigned reason)
{
    struct rig r = rig_with(1, 1, times);

    assert_int_equal(load_at_once(&r, 2), 81 + 73 + 6);
    assert_int_equal(c_box(&r, TRANS_IRQ, 0), 2);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + (81 - 4));
    assert_int_equal(c_box(&r, MAF_NACK2, reason), 1);
    assert_int_equal(c_box(&r, MAF_NACK2, 0x7d & ~reason), 0); /* EGRESS_FULL holds none back */
    assert_int_equal(c_box(&r, MAF_NACK1, ALL_MAF_NACK2), 1);
    rig_free(&r);
}

static void test_idle(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 1, (bx_model_times){0});
    assert_int_equal(load_at_once(&r, 1), 87);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4);
    assert_int_equal(c_box(&r, OCCUPANCY_RWRF, 0), 1);
    assert_int_equal(c_box(&r, MAF_NACK1, ANY_OF_1), 0);
    rig_free(&r);
}

static void test_full_tables(void **state)
{
    (void)state;
    check_second_waits((bx_model_times){.maf = 1}, MAF_FULL);
    check_second_waits((bx_model_times){.s_table = 1}, NO_S_REQTBL_ENTRIES);
}

/* The credit is back when the home answers, at 70. The second load is at home from 80 on. */
static void test_tracker_credits(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 1, (bx_model_times){.imt = 1});
    assert_int_equal(load_at_once(&r, 2), 87 + 62);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + (70 - 4));
    assert_int_equal(c_box(&r, MAF_NACK2, NO_TRACKER_CREDITS), 1);
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x16), 52 + 52); /* IMT_FULL: 18 … 70, 80 … 132 */
    rig_free(&r);
}

/* IRQ has the first load in 4 … 8, the second in 8 … 81, the third in 81 … 154. The last two stay
 * in front of the ring until 3 before that. */
static void test_full_irq(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 1, (bx_model_times){.irq = 1, .maf = 1});
    assert_int_equal(load_at_once(&r, 3), 81 + 73 + 73 + 6);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + 73 + 73);
    assert_int_equal(c_box(&r, OCCUPANCY_RWRF, 0), 1 + 5 + 78);
    assert_int_equal(c_box(&r, BOUNCES_P2C_AD, 0x01), 2);
    rig_free(&r);
}

/* With one fill buffer the core sends its next request only when the first one is done, so that
 * nothing is refused; with two, the third load waits for the first one, at 87, and is in IRQ from
 * 91 until the second leaves the MAF. */
static void test_core_is_blocked(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 1, (bx_model_times){.irq = 1, .maf = 1, .fill_buffers = 2});
    assert_int_equal(load_at_once(&r, 3), 81 + 73 + 73 + 6);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + 73 + (154 - 91));
    rig_free(&r);
}

/* The other core's load finds the line when the first one has left the MAF. Its hit snoops the
 * first core, which has it unmodified: 26 + 25. */
static void test_same_line(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 2, (bx_model_times){0});
    bx_access one = bx_access_make(0, BX_LOAD, 0, 0);
    rig_feed(&r, 0, &one, 1);
    rig_feed(&r, 1, &one, 1);
    assert_int_equal(rig_run(&r), 81 + 26 + 25 + 6);
    assert_int_equal(c_box(&r, MAF_NACK1, PA_BLOCK), 1);
    assert_int_equal(c_box(&r, MAF_NACK1, ANY_OF_1), 1);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + (81 - 4));
    rig_free(&r);
}

/* A slice of one set, whose lines 4n are those of the core, the first `modified` of them in M. */
static struct rig full_slice(unsigned packages, unsigned modified, bx_model_times times)
{
    struct rig r = rig_of(
        "nhmex",
        (bx_model_shape){.packages = packages, .cores = 1, .llc_bytes = 24 * 64, .times = times});
    for (unsigned n = 0; n < 24; n++)
        rig_do(&r, 0, n < modified ? BX_STORE : BX_LOAD, 4 * n, 0);
    return r;
}

/* Line 2, of the other side, is accepted at 8 and replaces line 0: the core has it modified, 35;
 * VIQ 6, egress 2, ring 4: 55; data to the B-Box 10 and 3: 68; the home answers at 70: S-Box 3,
 * queue 2, egress 1, ring 4: 80. Until then line 0 cannot be read again. */
static void test_victim(void **state)
{
    (void)state;
    struct rig r = full_slice(1, 1, (bx_model_times){0});
    uint64_t before = c_box(&r, OCCUPANCY_IRQ, 0);
    bx_access access[2];
    load(&access[0], 2);
    load(&access[1], 0);
    assert_int_equal(c_box(&r, MAF_NACK1, ANY_OF_1), 0);
    rig_play(&r, 0, access, 2);
    assert_int_equal(c_box(&r, MAF_NACK1, VIC_PENDING), 1);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0) - before, 4 + (80 - 4));
    rig_free(&r);
}

/* The victim of the first is in VIQ from 43 to 49. */
static void test_full_viq(void **state)
{
    (void)state;
    struct rig r = full_slice(1, 2, (bx_model_times){.viq = 1});
    uint64_t before = c_box(&r, OCCUPANCY_IRQ, 0);
    bx_access access[2];
    load(&access[0], 2);
    load(&access[1], 6);
    rig_play(&r, 0, access, 2);
    assert_int_equal(c_box(&r, MAF_NACK2, VIQ_FULL), 1);
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0) - before, 4 + (49 - 4));
    rig_free(&r);
}

/* Both loads are accepted at 8, and one waits for AD_SB. */
static void test_egress(void **state)
{
    (void)state;
    struct rig r = rig_with(1, 1, (bx_model_times){0});
    load_at_once(&r, 2);
    assert_int_equal(c_box(&r, MAF_NACK2, 0x7f), 1);
    assert_int_equal(c_box(&r, MAF_NACK2, EGRESS_FULL), 1);
    assert_int_equal(c_box(&r, 0x0a, 0x7f), 1); /* ARB_LOSSES */
    assert_int_equal(c_box(&r, OCCUPANCY_IRQ, 0), 4 + 4);
    rig_free(&r);
}

/* Five modified lines of the other package leave VIQ at 49. Their data is at the S-Box at 55, 57,
 * 59, 61 and 63, and takes 10 there: the fifth waits until 65. */
static void test_s_box_queue(void **state)
{
    (void)state;
    struct rig r =
        rig_of("nhmex", (bx_model_shape){.packages = 2, .cores = 1, .llc_bytes = 24 * 64});
    bx_access access[5];
    for (unsigned n = 0; n < 24; n++)
        rig_do(&r, 0, n < 5 ? BX_STORE : BX_LOAD, n < 5 ? 64 + n : n, 0);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x82, 0), 0); /* NO_CREDIT_DRS */
    for (unsigned n = 0; n < 5; n++)
        load(&access[n], 30 + n);
    rig_play(&r, 0, access, 5);
    assert_int_equal(c_box(&r, MAF_NACK2, NO_S_FIFO_CREDITS), 1);
    assert_int_equal(rig_unit(&r, S, 0, 0, 0x82, 0), 2);
    rig_free(&r);
}

/* The load of package 0 is in the IMT from 18 until 2 after the response of package 1:
 * SNP S-Box 2, R-Box 7, link 30, R-Box 7: 59; queue 2, egress 1, ring 4, IPQ 4, response 3, egress
 * 1, ring 4: 78; HOM1 S-Box 2, R-Box 7, link 30, R-Box 7: 124. The load of package 1 arrives at 59,
 * and is in the IMT from 126 on. Its snoop meets the first load, which is done 3, queue 2, egress 2
 * and ring 4 after 126: 137. Then
 * AckCnflt the core has the line, 25; response 3, egress 1, ring 4, S-Box 2, B-Box 3: 175.
 * Cmp_Fwd  2, 3, queue 2, egress 1, ring 4: 187.
 * RspFwdS  response 3, egress 2, ring 4, S-Box 2, B-Box 3: 201; and 2. */
static void test_conflict(void **state)
{
    (void)state;
    struct rig r = rig_with(2, 1, (bx_model_times){0});
    bx_access one = bx_access_make(0, BX_LOAD, 0, 0);
    rig_feed(&r, 0, &one, 1);
    rig_feed(&r, 1, &one, 1);
    rig_run(&r);
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x17), 1); /* CONFLICTS */
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x0f), 1); /* DEMAND_FETCH */
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x0e), 1); /* COHQ_BYPASS */
    assert_int_equal(rig_b(&r, 0, 0, 3, 0x13), 0); /* COHQ_IMT_ALLOC_WAIT */
    assert_int_equal(rig_b(&r, 0, 0, 0, 0x07), (126 - 18) + (203 - 126));
    assert_int_equal(rig_b(&r, 0, 0, 0, 0x04), (126 - 18) + (203 - 59)); /* TF_ALL */
    rig_free(&r);
}

/* The same, with the load of package 1 later: it asks its slice at 66, when the snoop of the other
 * has arrived in IPQ, where it is for 4 cycles. One cycle earlier nothing holds it back. */
static void test_snoop_pending(void **state)
{
    (void)state;
    for (unsigned cost = 57; cost <= 58; cost++) {
        struct rig r = rig_with(2, 1, (bx_model_times){0});
        bx_access one = bx_access_make(0, BX_LOAD, 0, 0),
                  late = bx_access_make(0, BX_LOAD, 0, cost);
        rig_feed(&r, 0, &one, 1);
        rig_feed(&r, 1, &late, 1);
        rig_run(&r);
        const bx_selection pending = {
            .box = C, .package = 1, .code = MAF_NACK1, .umask = SNP_PENDING};
        const bx_selection waits = {.box = C, .package = 1, .code = OCCUPANCY_IRQ};
        assert_int_equal(rig_tally(&r, &pending), cost == 58);
        assert_int_equal(rig_tally(&r, &waits), cost == 58 ? 8 : 4);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_full_tables),
        cmocka_unit_test(test_tracker_credits),
        cmocka_unit_test(test_full_irq),
        cmocka_unit_test(test_core_is_blocked),
        cmocka_unit_test(test_same_line),
        cmocka_unit_test(test_victim),
        cmocka_unit_test(test_full_viq),
        cmocka_unit_test(test_egress),
        cmocka_unit_test(test_s_box_queue),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_snoop_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
