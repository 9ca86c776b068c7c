/* Plans for the Xeon 7500's boxes, typed from document 323535-001 as catalog/nhmex/ cites it.
 * Section 2.1 (p13 to p16): en_all is bit 28 and rst_all bit 29 of C00H. The order of a new
 * interval is reset, clear the box's overflow bit, preload, en_all = 1 with rst_all = 0. Boxes: S
 * p58 to p63 (MM_CFG before MATCH and MASK, p61), R p86 to p98, M p112 to p127, W p136 to p140. A
 * reset clears 98 counters a package; each of them that is not listed is unrequested, and is saved
 * and put back as well. */
#include "listing.h"

#include <string.h>

static const char machine[] = "virtual:nhmex,packages=1";

/* The order is: disable globally, reset, disable the box, clear its overflow bit, preset the
 * counter, match off, pattern, match on, control, box, en_all with rst_all = 0. */
static void a_pattern_of_the_sbox(void **state)
{
    (void)state;
    expect(machine, "nhmex_unc_sbox0::TO_R_PROG_EV:mc=1",
           "save 0 0xc00\nsave 0 0xc40\nsave 0 0xc41\nsave 0 0xc01\nsave 0 0xe48\nsave 0 "
           "0xe49\nsave 0 0xe4a\nsave 0 0xc50\n"
           "setup 0 0xc00=0x0\nsetup 0 0xc00=0x20000000\n"
           "setup 0 0xc40=0x0\nsetup 0 0xc42=0x1\nsetup 0 0xc51=0x0\n"
           "setup 0 0xe48=0x0\nsetup 0 0xe49=0x80000000000\nsetup 0 0xe4a=0x7fffffffff\n"
           "setup 0 0xe48=0x8000000000000000\n"
           "setup 0 0xc50=0x400000\n"
           "start 0 0xc40=0x1\nstart 0 0xc00=0x10000000\n"
           "read 0 0xc51\n"
           "stop 0 0xc00=0x0\nstop 0 0xc40=0x0\n");
}

/* Port 5 is port 1 of the right half: XBAR_MM1 there is 0x0A, at bits 5:1; dis is bit 63. */
static void a_pattern_of_the_rbox(void **state)
{
    (void)state;
    expect(machine, "nhmex_unc_rbox::XBAR_MATCH:port=5:mc=14",
           "save 0 0xc00\nsave 0 0xe20\nsave 0 0xe21\nsave 0 0xc01\nsave 0 0xe84\nsave 0 "
           "0xe85\nsave 0 0xe86\nsave 0 0xe30\n"
           "setup 0 0xc00=0x0\nsetup 0 0xc00=0x20000000\n"
           "setup 0 0xe20=0x0\nsetup 0 0xe22=0x1\nsetup 0 0xe31=0x0\n"
           "setup 0 0xe84=0x8000000000000000\nsetup 0 0xe85=0x1c00\nsetup 0 0xe86=0x1e00\n"
           "setup 0 0xe84=0x210000\n"
           "setup 0 0xe30=0x15\n"
           "start 0 0xe20=0x1\nstart 0 0xc00=0x10000000\n"
           "read 0 0xe31\n"
           "stop 0 0xc00=0x0\nstop 0 0xe20=0x0\n");
}

/* Two events of a port's QLX register use one half each; an event alone leaves the other half
 * unchanged. */
static void halves_of_a_register(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, machine, "nhmex_unc_rbox::QUE_ARB_BID:SNP:port=1");
    assert_non_null(strstr(f.text, "setup 0 0xe0d=0x10 keep 0xff00\nsetup 0 0xe10=0x11\n"));
    done(&f);
    plan(&f, machine,
         "nhmex_unc_rbox::QUE_ARB_BID:SNP:port=1,nhmex_unc_rbox::QUE_ARB_BID:NDR:port=1");
    assert_non_null(
        strstr(f.text, "setup 0 0xe0d=0x2010\nsetup 0 0xe10=0x11\nsetup 0 0xe12=0x13\n"));
    done(&f);
}

/* READS leaves the rest of ZDP_CTL_FVC unchanged: RESP and the fields of the three other events.
 * inc_sel 0x0D at bits 13:9, wrap_mode bit 6. */
static void common_fields(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, machine, "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS");
    assert_non_null(strstr(f.text, "setup 0 0xcab=0x2800 keep 0x"));
    const bx_op *op = f.plan.ops;
    while (op->step != BX_STEP_SETUP || op->at.offset != 0xcab)
        op++;
    assert_int_equal(op->keep & 0x7fc000, 0x7fc000);
    assert_int_equal(op->keep & 0x38e0, 0);
    assert_non_null(strstr(f.text, "setup 0 0xcb0=0x1a41\n"));
    done(&f);
}

/* The W-Box's fixed clock: bit 31 of the box's registers, its own enable is bit 0 of 395H. */
static void the_uncore_clock(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, machine, "FIXED_UNCORE_CLOCK");
    assert_non_null(strstr(f.text, "setup 0 0xc00=0x0\nsetup 0 0xc00=0x20000000\n"
                                   "setup 0 0xc80=0x0\nsetup 0 0xc82=0x80000000\n"
                                   "setup 0 0x394=0x0\nsetup 0 0x395=0x1\n"
                                   "start 0 0xc80=0x80000000\nstart 0 0xc00=0x10000000\n"));
    done(&f);
}

/* Boxes are enabled once, for the counters of all passes. No box is stopped when the pass
 * changes. */
static void passes_leave_boxes_enabled(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, machine,
         "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS,nhmex_unc_mbox0::FVC:BBOX_CMDS.WRITES,"
         "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS");
    assert_int_equal(f.schedule.passes, 2);
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t n;
        const bx_op *start = bx_plan_part(&f.plan, BX_STEP_START, pass, &n);
        assert_int_equal(n, 2);
        assert_int_equal(start[0].at.offset, 0xca0);
        assert_int_equal(start[0].value, 0x3);
        assert_true(start[0].every_pass && start[1].every_pass);
        const bx_op *setup = bx_plan_part(&f.plan, BX_STEP_SETUP, pass, &n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(setup[i].every_pass, setup[i].at.offset < 0xcab);
    }
    done(&f);
}

/* Counters that rst_all clears but no event uses are saved: U 1, C 48, B 8, S 8, R 16, M 12, W
 * 5. */
static void unrequested_counters(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    unsigned saved = 0, resets = 0;
    plan(&f, "virtual:nhmex,packages=2", "nhmex_unc_cbox0@1::LLC_MISSES:ALL");
    for (size_t i = 0; i < f.plan.n; i++) {
        const bx_op *op = &f.plan.ops[i];
        assert_int_equal(op->package, 1);
        saved += op->unrequested && op->step == BX_STEP_SAVE;
        resets += op->resets;
    }
    assert_int_equal(saved, 98 + 8 * (4 + 3)); /* and the counters of 8 cores */
    assert_int_equal(resets, 1);
    done(&f);
}

/* 2^48 - N, unless that would end in FFFFFE or FFFFFF (p140). */
static void intervals(void **state)
{
    (void)state;
    struct fixture f = {.interval = 1000};
    plan(&f, machine, "nhmex_unc_cbox0::LLC_MISSES:ALL");
    assert_non_null(strstr(f.text, "setup 0 0xd02=0x1\nsetup 0 0xd11=0xfffffffffc18\n"));
    const bx_cat_counter *counter =
        &bx_cat_counters(f.topology.catalog)[f.schedule.assignments[0].counter];
    assert_int_equal(bx_plan_start_of(counter, 0), 0);
    assert_int_equal(bx_plan_start_of(counter, 3), 0xfffffffffffd);
    assert_int_equal(bx_plan_start_of(counter, 2), 0xfffffffffffd);
    assert_int_equal(bx_plan_start_of(counter, 1), 0xfffffffffffd);
    assert_int_equal(bx_plan_start_of(counter, 0x5000001), 0xfffffafffffd);
    assert_int_equal(bx_plan_start_of(counter, UINT64_C(1) << 48), 0);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_of_the_sbox), cmocka_unit_test(a_pattern_of_the_rbox),
        cmocka_unit_test(halves_of_a_register),  cmocka_unit_test(common_fields),
        cmocka_unit_test(the_uncore_clock),      cmocka_unit_test(passes_leave_boxes_enabled),
        cmocka_unit_test(unrequested_counters),  cmocka_unit_test(intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
