/* Register accesses of other people's programs: none may fault, and what they select must count. */
#include "cmocked.h"

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bench b;

static struct script_source *source(uint16_t box, uint16_t unit, uint16_t code, uint32_t umask,
                                    uint32_t level)
{
    struct script_source *s = script_add(&b.script, box, unit, code, umask);
    script_set(s, 0, SCRIPT_CYCLES, level);
    return s;
}

/* ---- LIKWID 5.2.2, likwid-perfctr -g CACHE_LOOKUP_READ_MESI:CBOX0C0 ---- */

static FILE *open_trace(const char *name)
{
    char path[4096];
    const char *root = getenv("SOURCE_ROOT");
    snprintf(path, sizeof(path), "%s/tests/traces/%s", root ? root : ".", name);
    return fopen(path, "r");
}

/* Ten cycles pass whenever counting is enabled: bit 29 of E01H. */
static void play_write(unsigned cpu, uint64_t msr, uint64_t value)
{
    assert_int_equal(wr(&b, cpu, msr, value), 0);
    if (msr == 0xe01 && value & 1 << 29)
        script_pass(&b.script, 10);
}

/* Values that were read are the recording's own; but for the presets that its header names, the
 * counter is what matters: `counted`, then twice as much. */
static uint64_t play_trace(FILE *f, unsigned *lines)
{
    char line[256];
    uint64_t msr, value, counted = 0, got;
    unsigned cpu, reads = 0;
    char way;
    while (fgets(line, sizeof(line), f)) {
        if (line[0] == '#')
            continue;
        ++*lines;
        if (sscanf(line, "pci 00:00.0 R64 0x%" SCNx64 " 0x%" SCNx64, &msr, &value) == 2) {
            assert_int_equal(get_pci(&b, msr, 64), value);
            continue;
        }
        assert_int_equal(
            sscanf(line, "cpu%u %c 0x%" SCNx64 " 0x%" SCNx64, &cpu, &way, &msr, &value), 4);
        if (way == 'W') {
            play_write(cpu, msr, value);
            continue;
        }
        assert_int_equal(rd(&b, cpu, msr, &got), 0);
        if (msr == 0xce || msr == 0x396 || msr == 0x606 || msr == 0x700 || msr == 0xe02)
            assert_int_equal(got, value);
        if (msr == 0x706) {
            counted = counted ? counted : got;
            assert_int_equal(got, counted * ++reads);
        }
    }
    return counted;
}

static void test_likwid(void **state)
{
    (void)state;
    script_init(&b.script);
    source(BOX_CBO, 0, 0x34, 0x1f, 3);
    bench_open(&b, "virtual:skl,cores=2,slices=4");
    FILE *f = open_trace("likwid-skylake-client-cbo.txt");
    assert_non_null(f);
    unsigned lines = 0;
    assert_int_equal(play_trace(f, &lines), 3 * 10);
    assert_int_equal(lines, 84);
    fclose(f);
    assert_int_equal(b.pmis, 0); /* overflow enabled, but 2^44 is far */
    bench_close(&b);
}

/* ---- the Linux driver: arch/x86/events/intel/uncore_snb.c ---- */

enum { LINUX_BOX_ON = 0x2000001f, LINUX_EN = 0x400000 };

/* Two events on one box: enable_event, enable_box, read_counter, disable_event, exit_box. */
static void test_linux_cbox(void **state)
{
    (void)state;
    script_init(&b.script);
    source(BOX_CBO, 2, 0x34, 0x88, 1);                      /* unc_cbo_cache_lookup.any_i */
    source(BOX_CBO, 2, 0x22, 0x41, 2)->style = SCRIPT_OPEN; /* xsnp_response.miss_xcore, cmask=1 */
    bench_open(&b, "virtual:skl");
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
    source(BOX_ARB, 0, 0x80, 0x01, 7)->style = SCRIPT_OPEN;
    source(BOX_CLOCK, 0, 0, 0, 1);
    bench_open(&b, "virtual:skl");
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
    source(BOX_IMC, 0, 0x5050, 0, 3)->sum = UINT32_MAX - 10;
    source(BOX_IMC, 0, 0x5044, 0, 1);
    bench_open(&b, "virtual:skl");
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

/* All lookups of every C-Box: which slice an address belongs to. */
static void test_nanobench(void **state)
{
    (void)state;
    script_init(&b.script);
    for (uint16_t unit = 0; unit < 4; unit++)
        source(BOX_CBO, unit, 0x34, 0x8f, unit == 2 ? 5 : 0);
    bench_open(&b, "virtual:skl");
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
