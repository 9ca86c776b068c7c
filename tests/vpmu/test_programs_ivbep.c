/* Register accesses of other programs on Ivy Bridge-EP and the P6 family: none may fault, and the
 * selected events must count. */
#include "../cmocked.h"

#include "trace.h"

enum { CBOX = 1, STRIDE = 0x20 };
enum { BOX_CTL = 0xd04, CTL = 0xd10, FILTER0 = 0xd14, CTR = 0xd16, FILTER1 = 0xd1a };

static struct bench b;

/* ---- LIKWID 5.2.2, likwid-perfctr -g LLC_LOOKUP_DATA_READ:CBOX0C0 ---- */

static void test_likwid(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, CBOX, 0, 0x34, 0x03, 5);
    bench_open(&b, "virtual:ivbep,part=plain,packages=1,cores=2");
    struct register_log t = {
        .name = "likwid-ivybridge-ep-cbo.txt",
        .start = 0xc00,
        .go = 29,
        .counter = CTR,
        .preloaded = {0xce, 0x606},
    };
    register_log_play(&b, &t);
    assert_int_equal(t.lines, 75);
    assert_int_equal(t.counted, 5 * 10);
    assert_int_equal(get(&b, CTL), 0);
    assert_int_equal(get(&b, FILTER0), 0);
    bench_close(&b);
}

/* ---- the Linux driver: arch/x86/events/intel/uncore_snbep.c ---- */

/* snbep_uncore_msr_disable_box, snbep_uncore_msr_enable_box */
static void linux_freeze(unsigned unit, bool on)
{
    uint64_t value = get(&b, BOX_CTL + STRIDE * unit);
    set(&b, BOX_CTL + STRIDE * unit, on ? value | 0x100 : value & ~UINT64_C(0x100));
}

/* ivbep_cbox_enable_event: both filters, from one word, then the control */
static void linux_enable(unsigned unit, unsigned i, uint64_t filter, uint64_t config)
{
    set(&b, FILTER0 + STRIDE * unit, filter & 0xffffffff);
    set(&b, FILTER0 + STRIDE * unit + 6, filter >> 32);
    set(&b, CTL + STRIDE * unit + i, config | 0x400000);
}

/* uncore_cbox_3/event=0x35,umask=0x41,filter_opc=0x182,filter_nid=0x2/ and
 * uncore_cbox_3/event=0x35,umask=0x8,thresh=1/ */
static void test_linux_cbox(void **state)
{
    (void)state;
    bx_selection what = {.box = CBOX, .unit = 3, .code = 0x35, .umask = 0x41};
    what.filter[1] = 0x182 << 20 | 2;
    what.applies[1] = UINT64_C(0x1ff) << 20 | 0xffff;
    bench_open_silent(&b, "virtual:ivbep,part=plain");
    for (unsigned unit = 0; unit < 10; unit++)
        set(&b, BOX_CTL + STRIDE * unit, 3); /* ivbep_uncore_msr_init_box */
    linux_freeze(3, true);
    linux_enable(3, 0, UINT64_C(0x18200002) << 32, 0x4135);
    set(&b, CTL + STRIDE * 3 + 1, 0x1000835 | 0x400000);
    linux_freeze(3, false);
    uint64_t before = get(&b, CTR + STRIDE * 3);
    raise_what(&b, &what, 4, 100);
    what.filter[1] = 0x180 << 20 | 2;
    raise_what(&b, &what, 4, 100);
    raise_signal(&b, CBOX, 3, 0x35, 8, 6, 50);
    linux_freeze(3, true);
    assert_int_equal(get(&b, BOX_CTL + STRIDE * 3), 0x30100);
    assert_int_equal(get(&b, CTR + STRIDE * 3) - before, 400);
    assert_int_equal(get(&b, CTR + STRIDE * 3 + 1), 50);
    set(&b, CTL + STRIDE * 3, 0x4135); /* snbep_uncore_msr_disable_event */
    linux_freeze(3, false);
    what.filter[1] = 0x182 << 20 | 2;
    raise_what(&b, &what, 4, 100);
    assert_int_equal(get(&b, CTR + STRIDE * 3) - before, 400);
    bench_close(&b);
}

/* ---- an event that follows counter 0 ---- */

/* 329468-002, COUNTER0_OCCUPANCY (1FH): counter 0 counts TOR_OCCUPANCY (36H, ALL 08H), which is 3
 * for 10 cycles and 5 for 20; counters 1 to 3 look at the same level: as it is, for how long it is
 * at least 4, how often it rises to that. */
static void test_counter0_occupancy(void **state)
{
    (void)state;
    enum { EN = 0x400000, EDGE = 0x40000, THRESHOLD = 24, FOLLOW = 0x1f };
    bench_open_silent(&b, "virtual:ivbep,part=plain");
    set(&b, CTL + 1, EN | FOLLOW);
    set(&b, CTL + 2, EN | 4u << THRESHOLD | FOLLOW);
    set(&b, CTL + 3, EN | 4u << THRESHOLD | EDGE | FOLLOW);
    raise_signal(&b, CBOX, 0, 0x36, 8, 7, 100); /* counter 0 does not count yet */
    assert_int_equal(get(&b, CTR + 1), 0);
    set(&b, CTL, EN | 2u << THRESHOLD | 0x0836); /* its threshold is independent */
    raise_signal(&b, CBOX, 0, 0x36, 8, 3, 10);
    raise_signal(&b, CBOX, 0, 0x36, 8, 5, 20);
    raise_signal(&b, CBOX, 0, 0x36, 1, 9, 20); /* another unit mask */
    raise_signal(&b, CBOX, 1, 0x36, 8, 9, 20); /* another C-Box */
    assert_int_equal(get(&b, CTR), 30);
    assert_int_equal(get(&b, CTR + 1), 3 * 10 + 5 * 20);
    assert_int_equal(get(&b, CTR + 2), 20);
    assert_int_equal(get(&b, CTR + 3), 1);
    set(&b, CTL, EN | 0x0436); /* the present selection of counter 0 */
    raise_signal(&b, CBOX, 0, 0x36, 4, 6, 10);
    assert_int_equal(get(&b, CTR + 1), 130 + 60);
    set(&b, CTL, 0x0436);
    raise_signal(&b, CBOX, 0, 0x36, 4, 6, 10);
    assert_int_equal(get(&b, CTR + 1), 130 + 60);
    bench_close(&b);
}

/* ---- PCM: initFreeze, programCbo and what follows, src/cpucounters.cpp ---- */

enum { PCM_FRZ_EN = 0x10000, PCM_FRZ = 0x100, PCM_RST_COUNTERS = 0x2 };

static void pcm_program(unsigned cpu, unsigned unit, const uint64_t *events, uint64_t opcode)
{
    unsigned box = STRIDE * unit;
    set_on(&b, cpu, BOX_CTL + box, PCM_FRZ_EN);
    set_on(&b, cpu, BOX_CTL + box, PCM_FRZ_EN + PCM_FRZ);
    set_on(&b, cpu, FILTER1 + box, opcode << 20);
    for (unsigned i = 0; i < 4; i++) {
        set_on(&b, cpu, CTL + box + i, 0x400000);
        set_on(&b, cpu, CTL + box + i, 0x400000 + events[i]);
    }
    set_on(&b, cpu, BOX_CTL + box, PCM_FRZ_EN + PCM_FRZ + PCM_RST_COUNTERS);
    set_on(&b, cpu, BOX_CTL + box, PCM_FRZ_EN);
}

/* PCIe reads of a line as it is, on both packages. */
static void test_pcm(void **state)
{
    (void)state;
    static const uint64_t events[4] = {0x0135, 0, 0x0136, 0};
    bx_selection what = {.box = CBOX, .unit = 9, .code = 0x35, .umask = 1};
    what.filter[1] = 0x19e << 20;
    what.applies[1] = UINT64_C(0x1ff) << 20;
    bench_open_silent(&b, "virtual:ivbep,part=plain");
    for (unsigned package = 0; package < 2; package++)
        for (unsigned unit = 0; unit < 10; unit++) {
            set_on(&b, 10 * package, CTR + STRIDE * unit, 77);
            pcm_program(10 * package, unit, events, 0x19e);
        }
    raise_what(&b, &what, 1, 30);
    what.package = 1;
    raise_what(&b, &what, 2, 30);
    what.filter[1] = 0x195 << 20;
    raise_what(&b, &what, 2, 30);
    for (unsigned unit = 0; unit < 10; unit++) {
        assert_int_equal(get_on(&b, 3, CTR + STRIDE * unit), unit == 9 ? 30 : 0);
        assert_int_equal(get_on(&b, 13, CTR + STRIDE * unit), unit == 9 ? 60 : 0);
        set(&b, BOX_CTL + STRIDE * unit, PCM_FRZ_EN + PCM_FRZ);
    }
    assert_int_equal(get(&b, BOX_CTL), 0x30100);
    bench_close(&b);
}

/* ---- the Linux driver: arch/x86/events/intel/p6.c ---- */

enum { SEL0 = 0x186, SEL1 = 0x187, CTR0 = 0xc1, CTR1 = 0xc2 };

/* p6_pmu_enable_all, p6_pmu_disable_all: PerfEvtSel0's enable is that of both. */
static void p6_all(bool on)
{
    uint64_t value = get(&b, SEL0);
    set(&b, SEL0, on ? value | 0x400000 : value & ~UINT64_C(0x400000));
}

/* Two events with a period of 1000, the interrupt on: counting begins at -1000 in 32 bits. An event
 * that is disabled is left at 2EH with unit mask 0, which counts nothing. */
static void test_linux_p6(void **state)
{
    (void)state;
    bench_open_silent(&b, "virtual:p6,part=plain");
    p6_all(false);
    set(&b, CTR0, (uint32_t)-1000);
    set(&b, SEL0, 0x1300c0); /* instructions, user and kernel, INT */
    set(&b, CTR1, (uint32_t)-1000);
    set(&b, SEL1, 0x130f2e);
    p6_all(true);
    assert_int_equal(get(&b, SEL0), 0x5300c0);
    raise_signal(&b, 0, 0, 0xc0, 0, 2, 600);
    raise_signal(&b, 0, 0, 0x2e, 0xf, 1, 400);
    assert_int_equal(b.pmis, 1);
    assert_int_equal(b.pmi[0].time, 500);
    p6_all(false);
    assert_int_equal(get(&b, CTR0), 200);
    assert_int_equal((uint32_t)get(&b, CTR1), (uint32_t)-600);
    assert_int_equal(get(&b, CTR1), UINT64_C(0xfffffffda8));
    set(&b, SEL0, 0x002e); /* p6_pmu_disable_event */
    p6_all(true);
    raise_signal(&b, 0, 0, 0xc0, 0, 2, 100);
    raise_signal(&b, 0, 0, 0x2e, 0xf, 1, 100);
    assert_int_equal(get(&b, CTR0), 200);
    assert_int_equal((uint32_t)get(&b, CTR1), (uint32_t)-500);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likwid),
        cmocka_unit_test(test_linux_cbox),
        cmocka_unit_test(test_counter0_occupancy),
        cmocka_unit_test(test_pcm),
        cmocka_unit_test(test_linux_p6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
