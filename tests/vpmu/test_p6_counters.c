/* The two counters of the P6 family, bit by bit, and RDPMC. Addresses and bits: SDM volume 3,
 * "Performance Monitoring (P6 Family Processor)"; edk2 P6Msr.h. RDPMC: document 002 section 6.3. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

#include <errno.h>

enum { SEL0 = 0x186, SEL1 = 0x187, CTR0 = 0xc1, CTR1 = 0xc2 };

#define USR    BIT(16)
#define OS     BIT(17)
#define E      BIT(18)
#define PC     BIT(19)
#define INT    BIT(20)
#define EN     BIT(22)
#define INV    BIT(23)

#define SELECT (WIDTH(21) | INV | (uint64_t)0xff << 24)

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:p6,part=plain");
    return 0;
}

/* ---- registers ---- */

/* Bit 22 of PerfEvtSel1 is not an enable; libpfm4 sets it in every encoding. */
static void test_each_bit_of_the_selects(void **state)
{
    (void)state;
    check_bits(&b, SEL0, SELECT | EN, SELECT | EN, 0);
    check_bits(&b, SEL1, SELECT | EN, SELECT, 0);
}

/* A write sets bits 31:0, bits 39:32 become copies of bit 31. */
static void test_each_bit_of_the_counters(void **state)
{
    (void)state;
    for (unsigned msr = CTR0; msr <= CTR1; msr++)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t reads = bit < 31 ? BIT(bit) : bit == 31 ? UINT64_C(0xff80000000) : 0;
            assert_int_equal(wr(&b, 0, msr, BIT(bit)), bit < 40 ? 0 : EIO);
            assert_int_equal(get(&b, msr), reads);
            set(&b, msr, 0);
        }
}

static void test_sign_extended_writes(void **state)
{
    (void)state;
    static const struct {
        uint64_t written, reads;
    } cases[] = {
        {0, 0},
        {0x7fffffff, 0x7fffffff},
        {0x80000000, UINT64_C(0xff80000000)},
        {0xffffffff, UINT64_C(0xffffffffff)},
        {UINT64_C(0xff00000001), 1},
        {UINT64_C(0x0180000001), UINT64_C(0xff80000001)},
    };
    for (size_t i = 0; i < ARRAY(cases); i++) {
        set(&b, CTR1, cases[i].written);
        assert_int_equal(get(&b, CTR1), cases[i].reads);
    }
}

static void test_registers_of_each_model(void **state)
{
    (void)state;
    static const char *const specs[] = {"virtual:ppro", "virtual:pii", "virtual:p6,part=plain",
                                        "virtual:pm"};
    for (size_t i = 0; i < ARRAY(specs); i++) {
        uint64_t value;
        bench_close(&b);
        bench_open_silent(&b, specs[i]);
        set(&b, SEL0, 0x4300c0);
        assert_int_equal(get(&b, SEL0), 0x4300c0);
        raise_signal(&b, 0, 0, 0xc0, 0, 2, 8);
        assert_int_equal(get(&b, CTR0), 16);
        assert_int_equal(rd(&b, 0, 0xc3, &value), EIO);
        assert_int_equal(rd(&b, 0, 0x188, &value), EIO);
        assert_int_equal(rd(&b, 0, 0x38f, &value), EIO);
    }
}

/* ---- counting ---- */

static void test_one_enable_for_both(void **state)
{
    (void)state;
    set(&b, SEL0, 0x0079 | OS | USR);
    set(&b, SEL1, 0x00c0 | OS | USR | EN); /* ignored here */
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(get(&b, CTR1), 0);
    set(&b, SEL0, EN); /* counter 0 selects nothing, and enables counter 1 */
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(get(&b, CTR1), 10);
    assert_int_equal(get(&b, CTR0), 0);
    set(&b, SEL1, 0x00c0 | OS | USR);
    set(&b, SEL0, 0x00c0 | OS | USR | EN);
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(get(&b, CTR1), 20);
    assert_int_equal(get(&b, CTR0), 10);
    set(&b, SEL0, 0);
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(get(&b, CTR1), 20);
}

/* USR: CPL 1 to 3; OS: CPL 0; neither: nothing. A signal without a level counts at any. */
static void test_privilege_levels(void **state)
{
    (void)state;
    for (unsigned counted = 0; counted < 4; counted++)
        for (unsigned at = 0; at < 3; at++) {
            set(&b, CTR0, 0);
            set(&b, SEL0, 0xc0 | EN | (counted & 1 ? OS : 0) | (counted & 2 ? USR : 0));
            bx_selection what = {.code = 0xc0, .levels = (uint8_t)at};
            raise_what(&b, &what, 1, 10);
            bool sees = at ? counted & at : counted;
            assert_int_equal(get(&b, CTR0), sees ? 10 : 0);
        }
}

static void test_what_the_model_is_shown(void **state)
{
    (void)state;
    script_add(&b.script, 0, 0, 0xc0, 0);
    set(&b, SEL0, 0x10000c0 | EN | OS);
    assert_int_equal(b.script.watch[0].sel.levels, BX_LEVEL_OS);
    set(&b, SEL0, 0x10000c0 | EN | USR);
    assert_int_equal(b.script.watch[0].sel.levels, BX_LEVEL_USER);
    set(&b, SEL0, 0x10000c0 | EN | USR | OS);
    assert_int_equal(b.script.watch[0].sel.levels, BX_LEVELS);
}

static void test_threshold_invert_edge(void **state)
{
    (void)state;
    static const struct {
        uint64_t control;
        unsigned count;
    } cases[] = {
        {0, 2 * (5 * 1 + 4 * 3)},            /* sums */
        {0x02000000, 2 * 4},                 /* cycles with at least 2 */
        {0x02000000 | INV, 2 * (5 + 2) + 1}, /* fewer than 2 */
        {0x02000000 | E, 2},                 /* rises */
        {E, 2},                              /* from 0 */
        {INV | 0, 2 * (5 * 1 + 4 * 3)},      /* no effect without a threshold */
        {0xff000000, 0},
        {PC, 2 * (5 * 1 + 4 * 3)}, /* the pins are not modelled */
    };
    for (size_t i = 0; i < ARRAY(cases); i++) {
        set(&b, SEL0, 0xc0 | EN | OS | USR | cases[i].control);
        set(&b, CTR0, 0);
        for (unsigned k = 0; k < 2; k++) {
            raise_signal(&b, 0, 0, 0xc0, 0, 1, 5);
            raise_signal(&b, 0, 0, 0xc0, 0, 3, 4);
            script_pass(&b.script, k ? 3 : 2);
        }
        assert_int_equal(get(&b, CTR0), cases[i].count);
        set(&b, SEL0, 0);
    }
}

/* INT: the local APIC's interrupt when 40 bits overflow. */
static void test_overflow(void **state)
{
    (void)state;
    set(&b, SEL1, 0xc0 | OS | USR | INT);
    set(&b, CTR1, 0xfffffffe); /* -2 */
    set(&b, CTR0, 0xffffffff);
    set(&b, SEL0, 0xc0 | OS | USR | EN); /* overflows as well, but without INT */
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(get(&b, CTR1), 8);
    assert_int_equal(get(&b, CTR0), 9);
    assert_int_equal(b.pmis, 1);
    assert_int_equal(b.pmi[0].time, 2);
    assert_int_equal(b.pmi[0].cpu, 0);
    bx_vpmu_sleep(b.v, 0, true);
    set(&b, CTR1, 0xffffffff);
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 1);
    assert_int_equal(b.pmis, 2);
    assert_false(bx_vpmu_asleep(b.v, 0));
}

/* Two overflows in one cycle make one interrupt. */
static void test_overflows_of_one_cycle(void **state)
{
    (void)state;
    set(&b, SEL1, 0xc0 | OS | USR | INT);
    set(&b, SEL0, 0xc0 | OS | USR | INT | EN);
    set(&b, CTR0, 0xfffffffd);
    set(&b, CTR1, 0xfffffffd);
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(b.pmis, 1);
}

/* ---- RDPMC ---- */

static int rdpmc(uint32_t ecx, unsigned cpl, bool pce, enum bx_cpu_mode mode, uint64_t *value)
{
    return bx_vpmu_rdpmc(b.v, 0, ecx, cpl, pce, mode, value);
}

static const uint32_t indexes[] = {0,          1,          2,          3,          0x40000000,
                                   0x40000001, 0x80000000, 0x80000001, 0xffffffff, 0x100};

static const uint64_t counts[2] = {UINT64_C(0xff80000123), 0x7654321};

/* The whole table: a counter, or a fault that does not change the value. */
static void check_rdpmc(unsigned cpl, bool pce, enum bx_cpu_mode mode, bool allowed)
{
    for (size_t i = 0; i < ARRAY(indexes); i++) {
        uint64_t value = 0x5555;
        bool ok = allowed && indexes[i] <= 1;
        assert_int_equal(rdpmc(indexes[i], cpl, pce, mode, &value), ok ? 0 : EIO);
        assert_int_equal(value, ok ? counts[indexes[i]] : 0x5555);
    }
}

static void test_rdpmc(void **state)
{
    (void)state;
    set(&b, CTR0, 0x80000123);
    set(&b, CTR1, 0x7654321);
    for (unsigned cpl = 0; cpl < 4; cpl++)
        for (unsigned pce = 0; pce < 2; pce++) {
            check_rdpmc(cpl, pce, BX_MODE_PROTECTED, cpl == 0 || pce);
            check_rdpmc(cpl, pce, BX_MODE_REAL, true); /* CPL is 0 there */
            check_rdpmc(cpl, pce, BX_MODE_V86, pce);   /* CPL is 3 there */
        }
}

static void test_rdpmc_while_it_counts(void **state)
{
    (void)state;
    uint64_t value = 0;
    set(&b, SEL0, 0xc0 | OS | USR | EN);
    set(&b, SEL1, 0xc0 | OS | USR);
    set(&b, CTR1, 0xffffffff);
    raise_signal(&b, 0, 0, 0xc0, 0, 1, 10);
    assert_int_equal(rdpmc(0, 0, false, BX_MODE_PROTECTED, &value), 0);
    assert_int_equal(value, 10);
    assert_int_equal(rdpmc(1, 3, true, BX_MODE_PROTECTED, &value), 0);
    assert_int_equal(value, 9); /* modulo 2^40 */
    assert_int_equal(bx_vpmu_rdpmc(b.v, 1, 0, 0, true, BX_MODE_REAL, &value), ENXIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_bit_of_the_selects),
        TEST(test_each_bit_of_the_counters),
        TEST(test_sign_extended_writes),
        TEST(test_registers_of_each_model),
        TEST(test_one_enable_for_both),
        TEST(test_privilege_levels),
        TEST(test_what_the_model_is_shown),
        TEST(test_threshold_invert_edge),
        TEST(test_overflow),
        TEST(test_overflows_of_one_cycle),
        TEST(test_rdpmc),
        TEST(test_rdpmc_while_it_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
