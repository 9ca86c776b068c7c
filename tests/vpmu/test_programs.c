/* Register accesses of other programs: none may fault, and the selected events must count. */
#include "../cmocked.h"

#include "trace.h"

static struct bench b;

/* ---- LIKWID 5.2.2, likwid-perfctr -g CACHE_LOOKUP_READ_MESI:CBOX0C0 ---- */

static void test_likwid(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, BOX_CBO, 0, 0x34, 0x1f, 3);
    bench_open(&b, "virtual:skl,part=plain,cores=2,slices=4");
    struct register_log t = {
        .name = "likwid-skylake-client-cbo.txt",
        .start = 0xe01,
        .go = 29,
        .counter = 0x706,
        .preloaded = {0xce, 0x396, 0x606, 0x700, 0xe02},
    };
    register_log_play(&b, &t);
    assert_int_equal(t.counted, 3 * 10);
    assert_int_equal(t.lines, 84);
    assert_int_equal(b.pmis, 0); /* overflow is enabled, but 2^44 is far */
    bench_close(&b);
}

/* ---- the Linux driver: arch/x86/events/intel/uncore_snb.c ---- */

enum { LINUX_BOX_ON = 0x2000001f, LINUX_EN = 0x400000 };

/* Two events on one box: enable_event, enable_box, read_counter, disable_event, exit_box. */
static void test_linux_cbox(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, BOX_CBO, 2, 0x34, 0x88, 1); /* unc_cbo_cache_lookup.any_i */
    /* xsnp_response.miss_xcore, cmask=1 */
    script_hold(&b.script, BOX_CBO, 2, 0x22, 0x41, 2)->style = SCRIPT_OPEN;
    bench_open(&b, "virtual:skl,part=plain");
    set(&b, 0xe01, LINUX_BOX_ON);
    set(&b, 0x720, 0x8834 | LINUX_EN);
    set(&b, 0x721, 0x1004122 | LINUX_EN);
    uint64_t before0 = get(&b, 0x726), before1 = get(&b, 0x727);
    script_pass(&b.script, 100);
    assert_int_equal(get(&b, 0x726) - before0, 100);
    assert_int_equal(get(&b, 0x727) - before1, 100);
    set(&b, 0x720, 0x8834);
    script_pass(&b.script, 50);
    assert_int_equal(get(&b, 0x726) - before0, 100);
    assert_int_equal(get(&b, 0x727) - before1, 150);
    set(&b, 0x721, 0x1004122);
    set(&b, 0xe01, 0);
    script_pass(&b.script, 50);
    assert_int_equal(get(&b, 0x727) - before1, 150);
    bench_close(&b);
}

static void test_linux_arb_and_clock(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, BOX_ARB, 0, 0x80, 0x01, 7)->style = SCRIPT_OPEN;
    script_hold(&b.script, BOX_CLOCK, 0, SCRIPT_ANY, 0, 1);
    bench_open(&b, "virtual:skl,part=plain");
    set(&b, 0x394, LINUX_EN); /* clockticks: the fixed counter */
    set(&b, 0x3b2, 0x180 | LINUX_EN);
    set(&b, 0xe01, LINUX_BOX_ON);
    script_pass(&b.script, 1000);
    assert_int_equal(get(&b, 0x395), 1000);
    assert_int_equal(get(&b, 0x3b0), 7000);
    set(&b, 0x394, 0);
    script_pass(&b.script, 10);
    assert_int_equal(get(&b, 0x395), 1000);
    bench_close(&b);
}

/* snb_uncore_imc_init_box: two dwords of the BAR, then 32-bit reads. */
static void test_linux_imc(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, BOX_IMC, 0, 0x5050, 0, 3)->sum = UINT32_MAX - 10;
    script_hold(&b.script, BOX_IMC, 0, 0x5044, 0, 1);
    bench_open(&b, "virtual:skl,part=plain");
    uint64_t bar = get_pci(&b, 0x48, 32) | get_pci(&b, 0x4c, 32) << 32;
    bar &= ~UINT64_C(0xfff);
    assert_int_equal(bar, 0xfed10000);
    uint32_t before = (uint32_t)get_mem(&b, bar + 0x5050, 32);
    script_pass(&b.script, 100);
    uint32_t after = (uint32_t)get_mem(&b, bar + 0x5050, 32);
    assert_true(after < before); /* it has wrapped */
    assert_int_equal((uint32_t)(after - before), 300);
    assert_int_equal(get_mem(&b, bar + 0x5044, 32), 100);
    bench_close(&b);
}

/* ---- nanoBench, cacheLib ---- */

/* All lookups of every C-Box: they show which slice an address belongs to. */
static void test_nanobench(void **state)
{
    (void)state;
    script_init(&b.script);
    for (uint16_t unit = 0; unit < 4; unit++)
        script_hold(&b.script, BOX_CBO, unit, 0x34, 0x8f, unit == 2 ? 5 : 0);
    bench_open(&b, "virtual:skl,part=plain");
    unsigned boxes = (get(&b, 0x396) & 0xf) - 1;
    assert_int_equal(boxes, 4);
    set(&b, 0xe01, 0);
    for (unsigned n = 0; n < boxes; n++) {
        set(&b, 0x700 + 0x10 * n, 0x408f34);
        set(&b, 0x706 + 0x10 * n, 0);
    }
    set(&b, 0xe01, 0x20000000);
    script_pass(&b.script, 40);
    set(&b, 0xe01, 0);
    for (unsigned n = 0; n < boxes; n++)
        assert_int_equal(get(&b, 0x706 + 0x10 * n), n == 2 ? 200 : 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likwid),    cmocka_unit_test(test_linux_cbox),
        cmocka_unit_test(test_linux_imc), cmocka_unit_test(test_linux_arb_and_clock),
        cmocka_unit_test(test_nanobench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
