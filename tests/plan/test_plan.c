/* Plans typed from document 334060-001: addresses table 2-1; EN bit 29 of E01H table 2-2; the bits
 * of E02H that a 1 clears, 3, 1 and 0, table 2-3 (CBO_CTR_OVF at bit 3: catalog/skl/package.pmu);
 * CNT_EN bit 22 of 394H table 2-4; select registers with EN bit 22 table 2-7; event codes tables
 * 3-1 and 3-2; order: local programming before the global enable, section 2.2.1. */
#include "listing.h"

#include <string.h>

static void one_event_of_one_cbox(void **state)
{
    (void)state;
    expect("virtual:skl", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I",
           "save 0 0xe01\nsave 0 0xe02\nsave 0 0x706\nsave 0 0x700\n"
           "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\nsetup 0 0x706=0x0\nsetup 0 0x700=0x408834\n"
           "start 0 0xe01=0x20000000\n"
           "read 0 0x706\n"
           "stop 0 0xe01=0x0\n");
}

static void all_cboxes(void **state)
{
    (void)state;
    expect("virtual:skl,cores=2", "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_XSNP_RESPONSE:HITM_XCORE",
           "save 0 0xe01\nsave 0 0xe02\nsave 0 0x706\nsave 0 0x716\nsave 0 0x707\nsave 0 0x717\n"
           "save 0 0x700\nsave 0 0x710\nsave 0 0x701\nsave 0 0x711\n"
           "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\n"
           "setup 0 0x706=0x0\nsetup 0 0x716=0x0\nsetup 0 0x707=0x0\nsetup 0 0x717=0x0\n"
           "setup 0 0x700=0x401834\nsetup 0 0x710=0x401834\n"
           "setup 0 0x701=0x404822\nsetup 0 0x711=0x404822\n"
           "start 0 0xe01=0x20000000\n"
           "read 0 0x706\nread 0 0x716\nread 0 0x707\nread 0 0x717\n"
           "stop 0 0xe01=0x0\n");
}

/* The ARB's counters come before its selects. Occupancy stays on counter 0; its threshold is bits
 * 28:24. */
static void the_arb(void **state)
{
    (void)state;
    expect("virtual:skl",
           "UNC_ARB_TRK_REQUESTS:WRITES,UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST",
           "save 0 0xe01\nsave 0 0xe02\nsave 0 0x3b1\nsave 0 0x3b0\nsave 0 0x3b3\nsave 0 0x3b2\n"
           "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\nsetup 0 0x3b1=0x0\nsetup 0 0x3b0=0x0\n"
           "setup 0 0x3b3=0x402081\nsetup 0 0x3b2=0x1400180\n"
           "start 0 0xe01=0x20000000\n"
           "read 0 0x3b1\nread 0 0x3b0\n"
           "stop 0 0xe01=0x0\n");
}

/* Two events share the fixed counter: it is programmed once, and read for each. */
static void the_clock(void **state)
{
    (void)state;
    expect("virtual:skl", "UNC_CLOCK:SOCKET,UNC_CLOCK:SOCKET",
           "save 0 0xe01\nsave 0 0xe02\nsave 0 0x395\nsave 0 0x394\n"
           "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\nsetup 0 0x395=0x0\nsetup 0 0x394=0x400000\n"
           "start 0 0xe01=0x20000000\n"
           "read 0 0x395\nread 0 0x395\n"
           "stop 0 0xe01=0x0\n");
}

/* Section 3.3: the counters are free-running, so nothing is written. */
static void the_memory_controller(void **state)
{
    (void)state;
    expect("virtual:skl", "DRAM_DATA_READS,DRAM_GT_REQUESTS",
           "read 0 BAR+0x5050\nread 0 BAR+0x5040\n");
}

/* A core's registers are accessed on that core. The levels in one control register enable all fixed
 * counters (SDM volume 3B, IA32_FIXED_CTR_CTRL). */
static void counters_of_a_core(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    expect("virtual:skl,cores=2",
           "skl_core1::INSTR_RETIRED_ANY,skl_core1::CPU_CLK_UNHALTED_REF,skl_core1::INST_RETIRED:u",
           "save 0 0x38d\nsave 0 0x38f\nsave 0 0x38e\nsave 0 0x309\nsave 0 0x30b\nsave 0 0xc1\n"
           "save 0 0x186\n"
           "setup 0 0x38d=0x0\nsetup 0 0x38f=0x0\nsetup 0 0x390=0x500000001\n"
           "setup 0 0x309=0x0\nsetup 0 0x30b=0x0\nsetup 0 0xc1=0x0\nsetup 0 0x186=0x4100c0\n"
           "start 0 0x38d=0x303\nstart 0 0x38f=0x500000001\n"
           "read 0 0x309\nread 0 0x30b\nread 0 0xc1\n"
           "stop 0 0x38d=0x0\nstop 0 0x38f=0x0\n");
    plan(&f, "virtual:skl,cores=4", "skl_core2::INST_RETIRED");
    assert_true(f.plan.n > 0);
    for (size_t i = 0; i < f.plan.n; i++)
        assert_int_equal(f.plan.ops[i].at.cpu, 2);
    done(&f);
    plan(&f, "virtual:skl,cores=4", "INST_RETIRED");
    unsigned cpus = 0;
    for (size_t i = 0; i < f.plan.n; i++)
        cpus |= 1U << f.plan.ops[i].at.cpu;
    assert_int_equal(cpus, 15);
    done(&f);
}

/* Three events on two counters: the counters are switched off before the other pass. */
static void two_passes(void **state)
{
    (void)state;
    expect("virtual:skl",
           "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_M,"
           "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:WRITE_M,UNC_CLOCK:SOCKET,DRAM_DATA_READS",
           "save 0 0xe01\nsave 0 0xe02\nsave 0 0x736\nsave 0 0x737\nsave 0 0x395\n"
           "save 0 0x730\nsave 0 0x731\nsave 0 0x394\n"
           "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\n"
           "setup 0 0x736=0x0\nsetup 0 0x737=0x0\nsetup 0 0x395=0x0\n"
           "setup 0 0x730=0x408834\nsetup 0 0x731=0x408134\nsetup 0 0x394=0x400000\n"
           "start 0 0xe01=0x20000000\n"
           "read 0 0x736\nread 0 0x737\nread 0 0x395\nread 0 BAR+0x5050\n"
           "stop 0 0xe01=0x0\nstop 0 0x730=0x0\nstop 0 0x731=0x0\n"
           "setup 1 0xe01=0x0\nsetup 1 0xe02=0xb\n"
           "setup 1 0x736=0x0\nsetup 1 0x395=0x0\n"
           "setup 1 0x730=0x402134\nsetup 1 0x394=0x400000\n"
           "start 1 0xe01=0x20000000\n"
           "read 1 0x736\nread 1 0x395\nread 1 BAR+0x5050\n"
           "stop 1 0xe01=0x0\nstop 1 0x730=0x0\n");
}

/* A change of passes affects only multiplexed counters. */
static void what_is_the_same_in_every_pass(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, "virtual:skl",
         "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_M,"
         "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:WRITE_M,UNC_CLOCK:SOCKET,"
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    for (size_t i = 0; i < f.plan.n; i++) {
        const bx_op *op = &f.plan.ops[i];
        if (op->step == BX_STEP_SETUP || op->step == BX_STEP_START || op->step == BX_STEP_STOP)
            assert_int_equal(op->every_pass, op->at.offset < 0x730 || op->at.offset > 0x737);
    }
    done(&f);
}

static void addresses_and_links(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, "virtual:skl", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_WRITES");
    for (size_t i = 0; i < f.plan.n; i++) {
        const bx_op *op = &f.plan.ops[i];
        assert_int_equal(op->package, 0);
        assert_int_equal(op->at.cpu, 0);
        /* A write refers to the operation that saved its register. */
        if (op->write) {
            const bx_op *saved = &f.plan.ops[op->saved];
            assert_int_equal(saved->step, BX_STEP_SAVE);
            assert_int_equal(saved->at.offset, op->at.offset);
        } else {
            assert_int_equal(op->saved, BX_NOT_SAVED);
        }
    }
    size_t n;
    const bx_op *read = bx_plan_part(&f.plan, BX_STEP_READ, 0, &n);
    assert_int_equal(n, 2);
    assert_int_equal(read[0].assignment, 0);
    assert_int_equal(read[0].unit, 1);
    assert_int_equal(read[0].at.space, BX_SPACE_MSR);
    assert_int_equal(read[0].at.width, 64);
    assert_int_equal(read[0].at.offset, 0x716);
    assert_int_equal(read[1].assignment, 1);
    assert_int_equal(read[1].at.space, BX_SPACE_MMIO);
    assert_int_equal(read[1].at.width, 32);
    assert_int_equal(read[1].at.offset, 0x5054);
    bx_plan_part(&f.plan, BX_STEP_START, 1, &n);
    assert_int_equal(n, 0);
    done(&f);
}

static bool needs(const struct fixture *f, size_t assignment, uint64_t address)
{
    for (size_t i = 0; i < f->plan.n; i++)
        if (f->plan.ops[i].at.offset == address)
            return bx_plan_needs(&f->topology, f->events, &f->schedule.assignments[assignment],
                                 &f->plan.ops[i]);
    fail_msg("no operation at 0x%" PRIx64, address);
    return false;
}

static void what_an_assignment_needs(void **state)
{
    (void)state;
    struct fixture f = {.interval = 0};
    plan(&f, "virtual:skl",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS");
    static const struct {
        uint64_t address;
        bool by[4];
    } cases[] = {
        {0xe01, {true, true, true, false}},    {0xe02, {false, false, false, false}},
        {0x700, {true, false, false, false}},  {0x706, {true, false, false, false}},
        {0x701, {false, true, false, false}},  {0x707, {false, true, false, false}},
        {0x710, {false, false, true, false}},  {0x716, {false, false, true, false}},
        {0x5050, {false, false, false, true}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t s = 0; s < 4; s++)
            assert_int_equal(needs(&f, s, cases[i].address), cases[i].by[s]);
    done(&f);
}

static void nothing_to_do(void **state)
{
    (void)state;
    struct fixture f;
    bx_plan p;
    bx_schedule none = {.passes = 1};
    size_t n;
    assert_int_equal(
        bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl"), &f.topology, NULL), BX_OK);
    assert_int_equal(bx_plan_make(&f.topology, f.events, &none, 0, NULL, &p, NULL), BX_OK);
    assert_int_equal(p.n, 0);
    bx_plan_part(&p, BX_STEP_SAVE, 0, &n);
    assert_int_equal(n, 0);
    bx_plan_free(&p);
}

static void address_text(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    uint16_t pmu = bx_cat_find_pmu(c, BX_STR("skl_unc_package"));
    bx_op op = {.reg = bx_cat_find_reg(c, pmu, BX_STR("MCHBAR"))};
    char text[32];
    assert_int_equal(bx_address_format(c, &op, text, sizeof text), 12);
    assert_string_equal(text, "00:00.0+0x48"); /* section 3.3 */
    assert_int_equal(bx_address_format(c, &op, text, 3), 12);
    assert_string_equal(text, "00");
    assert_string_equal(bx_plan_step_name(BX_STEP_RESTORE), "restore");
    assert_string_equal(bx_plan_step_name(99), "");
}

/* Document 002 has no global enable: EN, bit 22 of PerfEvtSel0, enables both counters. It is set
 * last, with the rest of that register, in every pass. USR 16, OS 17; PerfEvtSel0 186H, PerfCtr0
 * C1H. */
static void enable_in_another_control(void **state)
{
    (void)state;
    expect("virtual:p6", "INST_RETIRED,DATA_MEM_REFS",
           "save 0 0x186\nsave 0 0xc1\nsave 0 0xc2\nsave 0 0x187\n"
           "setup 0 0x186=0x300c0\nsetup 0 0xc1=0x0\nsetup 0 0xc2=0x0\n"
           "setup 0 0x187=0x30043\n"
           "start 0 0x186=0x4300c0\n"
           "read 0 0xc1\nread 0 0xc2\n"
           "stop 0 0x186=0x0\n");
    /* A metric uses DATA_MEM_REFS and DCU_LINES_IN, so they share the second pass. */
    struct fixture f = {.interval = 0};
    plan(&f, "virtual:p6", "INST_RETIRED:u,DATA_MEM_REFS,DCU_LINES_IN,L2_ADS");
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t n;
        const bx_op *start = bx_plan_part(&f.plan, BX_STEP_START, pass, &n);
        assert_int_equal(n, 1);
        assert_false(start->every_pass);
        assert_int_equal(start->value, pass ? 0x430043 : 0x4100c0);
    }
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_event_of_one_cbox),
        cmocka_unit_test(all_cboxes),
        cmocka_unit_test(the_arb),
        cmocka_unit_test(the_clock),
        cmocka_unit_test(the_memory_controller),
        cmocka_unit_test(counters_of_a_core),
        cmocka_unit_test(two_passes),
        cmocka_unit_test(what_is_the_same_in_every_pass),
        cmocka_unit_test(addresses_and_links),
        cmocka_unit_test(what_an_assignment_needs),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(address_text),
        cmocka_unit_test(enable_in_another_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
