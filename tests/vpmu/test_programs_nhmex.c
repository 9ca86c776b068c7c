/* Register accesses of other programs on the Xeon 7500: none may fault, and the selected events
 * must count. */
#include "../cmocked.h"

#include "nhmex_boxes.h"
#include "trace.h"

static struct bench b;

/* ---- LIKWID 5.2.2, likwid-perfctr -g LLC_HITS_ALL:CBOX0C0 ---- */

static void test_likwid(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, C_BOX, 0, 0x15, 0x0f, 5);
    bench_open(&b, "virtual:nhmex,part=plain,packages=1,cores=2");
    struct register_log t = {
        .name = "likwid-nehalem-ex-cbox.txt",
        .start = U_CTL,
        .go = 28,
        .counter = 0xd11,
        .preloaded = {0xce},
    };
    register_log_play(&b, &t);
    assert_int_equal(t.lines, 45);
    assert_int_equal(t.counted, 5 * 10);
    assert_int_equal(get(&b, 0xd11), 0);
    assert_int_equal(get(&b, U_CTL), 0);
    bench_close(&b);
}

/* ---- the Linux driver: arch/x86/events/intel/uncore_nhmex.c ---- */

/* nhmex_uncore_msr_disable_box, nhmex_uncore_msr_enable_box: all counters, W's clock as well */
static void linux_box(unsigned control, uint64_t counters, bool on)
{
    uint64_t value = get(&b, control);
    set(&b, control, on ? value | counters : value & ~counters);
}

static void linux_start(void)
{
    bench_open_silent(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL); /* nhmex_uncore_msr_init_box */
}

/* uncore_ubox/event=0x2/: its box control is the global one, which stays on */
static void test_linux_ubox(void **state)
{
    (void)state;
    linux_start();
    linux_box(U_CTL, 1, false);
    set(&b, 0xc10, 0x2 | BIT(22));
    linux_box(U_CTL, 1, true);
    assert_int_equal(get(&b, U_CTL), EN_ALL | 1);
    raise_signal(&b, U_BOX, 0, 0x2, 0, 3, 10);
    linux_box(U_CTL, 1, false);
    raise_signal(&b, U_BOX, 0, 0x2, 0, 3, 10);
    assert_int_equal(get(&b, 0xc11), 30);
    bench_close(&b);
}

/* uncore_wbox/clockticks/ and uncore_wbox/event=0x0,umask=0x3/ */
static void test_linux_wbox(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, W_BOX, 0, 0xff, 0, 1);
    bench_open(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL);
    linux_box(0xc80, 0xf | BIT(31), false);
    set(&b, 0x395, 1);
    set(&b, 0xc90, 0x300 | BIT(22));
    linux_box(0xc80, 0xf | BIT(31), true);
    raise_signal(&b, W_BOX, 0, 0, 3, 2, 50);
    linux_box(0xc80, 0xf | BIT(31), false);
    script_pass(&b.script, 9);
    assert_int_equal(get(&b, 0x394), 50);
    assert_int_equal(get(&b, 0xc91), 100);
    bench_close(&b);
}

/* uncore_sbox_1/event=0x0,match=0x…,mask=0x…/: nhmex_sbox_msr_enable_event */
static void test_linux_sbox(void **state)
{
    (void)state;
    bx_selection what = {.box = S_BOX, .unit = 1};
    linux_start();
    for (unsigned again = 0; again < 2; again++) { /* MM_EN is 1 the second time */
        set(&b, 0xe58, 0);
        set(&b, 0xe59, (uint64_t)1 << 43 | 2);
        set(&b, 0xe5a, WIDTH(38) << 1);
        set(&b, 0xe58, BIT(63));
    }
    set(&b, 0xcd0, BIT(22));
    linux_box(0xcc0, 0xf, true);
    what.applies[1] = (uint64_t)0x1f << 43 | 0x1f;
    what.filter[1] = (uint64_t)1 << 43 | 2;
    raise_what(&b, &what, 1, 4);
    what.filter[1] ^= 1;
    raise_what(&b, &what, 1, 4);
    what.filter[1] = (uint64_t)2 << 43 | 2;
    raise_what(&b, &what, 1, 4);
    assert_int_equal(get(&b, 0xcd1), 4);
    bench_close(&b);
}

/* uncore_bbox_0/event=0x4,counter=2,match=0x123,mask=0xfff/: nhmex_bbox_msr_enable_event */
static void test_linux_bbox(void **state)
{
    (void)state;
    bx_selection what = {.box = B_BOX, .code = 4, .counter = 2};
    linux_start();
    set(&b, 0xe45, 0x123);
    set(&b, 0xe46, 0xfff);
    set(&b, 0xc34, 1 | 4 << 1);
    linux_box(0xc20, 0xf, true);
    what.applies[0] = WIDTH(44);
    what.filter[0] = 0x5123;
    raise_what(&b, &what, 1, 4);
    what.filter[0] = 0x5124;
    raise_what(&b, &what, 1, 4);
    assert_int_equal(get(&b, 0xc35), 4);
    bench_close(&b);
}

/* uncore_mbox_0: reads of FVC on its second place, and DRAM_CMD of an address: nhmex_mbox_msr_
 * enable_event writes the shared register, MM_CFG = 0, match, mask, MM_CFG, control. */
static void test_linux_mbox(void **state)
{
    (void)state;
    bx_selection what = {.box = M_BOX, .code = 0x0e, .umask = 5};
    linux_start();
    linux_box(0xca0, 0x3f, false);
    set(&b, 0xcab, 5 << 14);
    set(&b, 0xcb0, 0x0e << 9 | BIT(6) | 1);
    set(&b, 0xcaa, 2 << 8);
    set(&b, 0xe54, 0);
    set(&b, 0xe55, 0x1000);
    set(&b, 0xe56, 0x7ffffff);
    set(&b, 0xe54, BIT(63));
    set(&b, 0xcb2, 0x0a << 9 | BIT(6) | 1);
    linux_box(0xca0, 0x3f, true);
    raise_what(&b, &what, 1, 6);
    what = (bx_selection){.box = M_BOX, .code = 0x0a, .umask = 2};
    what.applies[8] = WIDTH(34);
    what.filter[8] = 0x1000;
    raise_what(&b, &what, 1, 7);
    what.filter[8] = 0x1080;
    raise_what(&b, &what, 1, 7);
    assert_int_equal(get(&b, 0xcb1), 6);
    assert_int_equal(get(&b, 0xcb3), 7);
    bench_close(&b);
}

/* uncore_rbox_1: nhmex_rbox_msr_enable_event for IPERF0, both halves of QLX, and a pattern */
static void test_linux_rbox(void **state)
{
    (void)state;
    bx_selection what = {.box = R_BOX, .unit = 1, .port = 3, .code = 1, .umask = 0x80};
    linux_start();
    set(&b, 0xe0b, 0x80);
    set(&b, 0xe30, 0x12 << 1 | 1);
    set(&b, 0xe2f, 0x43);
    set(&b, 0xe32, 0x14 << 1 | 1);
    set(&b, 0xe2f, 0x43 | 0x10 << 8);
    set(&b, 0xe34, 0x15 << 1 | 1);
    set(&b, 0xe9c, 0x210000);
    set(&b, 0xe9d, 0x1c80);
    set(&b, 0xe9e, 0x1fe0);
    set(&b, 0xe36, 0x17 << 1 | 1);
    linux_box(0xe20, 0xff, true);
    raise_what(&b, &what, 1, 2);
    what.code = 2;
    what.umask = 0x43;
    raise_what(&b, &what, 1, 3);
    what.umask = 0x10;
    raise_what(&b, &what, 1, 4);
    what.code = 3;
    what.umask = 0;
    what.applies[1] = 0x1fe0;
    what.filter[1] = 0x1c80;
    raise_what(&b, &what, 1, 5);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(get(&b, 0xe31 + 2 * i), 2 + i);
    bench_close(&b);
}

/* ---- PCM: what it programs on Nehalem-EX, src/cpucounters.cpp ---- */

/* Everything is reset before it is programmed; reads and writes of each M-Box by FVC, of whose
 * sub-registers the two boxes take one each; B-Boxes, the first IPERF register of each port, the
 * clock. */
static void test_pcm(void **state)
{
    (void)state;
    bench_open_silent(&b, "virtual:nhmex,part=plain,packages=1");
    set(&b, 0xcb1, 99);
    set(&b, U_CTL, RST_ALL);
    set(&b, U_CTL, 0);
    assert_int_equal(get(&b, 0xcb1), 0);
    for (unsigned unit = 0; unit < 2; unit++) {
        set(&b, 0xca0 + 0x40 * unit, 0x3f);
        set(&b, 0xcab + 0x40 * unit, 5 << 11);
        set(&b, 0xcb0 + 0x40 * unit, 0x0d << 9 | BIT(6) | 1);
        set(&b, 0xc20 + 0x40 * unit, 0xf);
        set(&b, 0xc32 + 0x40 * unit, 0x0c << 1 | 1); /* IMT_INSERTS_WR */
    }
    set(&b, 0xe00, 0xff);
    set(&b, 0xe20, 0xff);
    for (unsigned port = 0; port < 8; port++) {
        set(&b, 0xe04 + port, 0xc4); /* ANY_DRS */
        set(&b, 0xe10 + 0x20 * (port / 4) + 2 * (port % 4), 6 * (port % 4) << 1 | 1);
    }
    set(&b, 0xc80, BIT(31));
    set(&b, 0x395, 1);
    set(&b, U_CTL, EN_ALL);
    bx_selection what = {.box = M_BOX, .unit = 1, .code = 0x0d, .umask = 5};
    raise_what(&b, &what, 1, 40);
    what = (bx_selection){.box = B_BOX, .code = 0x0c, .counter = 1};
    raise_what(&b, &what, 1, 50);
    what = (bx_selection){.box = R_BOX, .unit = 1, .port = 1, .code = 1, .umask = 0xc4};
    raise_what(&b, &what, 1, 60);
    assert_int_equal(get(&b, 0xcb1), 0);
    assert_int_equal(get(&b, 0xcf1), 40);
    assert_int_equal(get(&b, 0xc33), 50);
    assert_int_equal(get(&b, 0xc73), 0);
    for (unsigned port = 0; port < 8; port++)
        assert_int_equal(get(&b, 0xe11 + 0x20 * (port / 4) + 2 * (port % 4)), port == 5 ? 60 : 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likwid),     cmocka_unit_test(test_linux_ubox),
        cmocka_unit_test(test_linux_wbox), cmocka_unit_test(test_linux_sbox),
        cmocka_unit_test(test_linux_bbox), cmocka_unit_test(test_linux_mbox),
        cmocka_unit_test(test_linux_rbox), cmocka_unit_test(test_pcm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
