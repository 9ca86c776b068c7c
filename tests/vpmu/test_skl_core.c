/* The counters of a Skylake core, bit by bit, and RDPMC. Addresses and bits: SDM volume 4; SDM
 * volume 3B, architectural performance monitoring, versions 1 to 4. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

#include <errno.h>

enum {
    SEL0 = 0x186,
    CTR0 = 0xc1,
    FULL0 = 0x4c1,
    FIXED0 = 0x309,
    FIXED_CTRL = 0x38d,
    STATUS = 0x38e,
    CTRL = 0x38f,
    RESET = 0x390,
    BOX = 5, /* the last of the CPU's PMUs */
    INSTRUCTIONS = 0xc0,
};

#define INT  BIT(20)
#define EN   BIT(22)
#define ALL  (UINT64_C(0x7) << 32 | 0xff) /* of the eight general and three fixed counters */
#define BOTH (BIT(16) | BIT(17))

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:skl,part=plain");
    return 0;
}

/* ---- registers ---- */

static void test_each_bit(void **state)
{
    (void)state;
    const uint64_t select = WIDTH(34), fixed = WIDTH(12);
    const uint64_t clears = ALL | BIT(55) | WIDTH(6) << 58;
    for (unsigned n = 0; n < 8; n++)
        check_bits(&b, SEL0 + n, select, select, 0);
    for (unsigned n = 0; n < 3; n++)
        check_bits(&b, FIXED0 + n, WIDTH(48), WIDTH(48), 0);
    check_bits(&b, FIXED_CTRL, fixed, fixed, 0);
    set(&b, CTRL, 0);
    check_bits(&b, CTRL, ALL, ALL, 0);
    check_bits(&b, RESET, clears, 0, 0);
    assert_int_equal(wr(&b, 0, STATUS, 0), EIO);
}

/* A write of a general counter sets bits 31:0; those above become copies of bit 31. */
static void test_sign_extended_writes(void **state)
{
    (void)state;
    set(&b, CTR0, 0x7fffffff);
    assert_int_equal(get(&b, CTR0), 0x7fffffff);
    set(&b, CTR0, 0x80000000);
    assert_int_equal(get(&b, CTR0), UINT64_C(0xffff80000000));
}

/* IA32_A_PMC: the same counters, written in full. */
static void test_full_width_writes(void **state)
{
    (void)state;
    set(&b, CTR0 + 6, 5);
    assert_int_equal(get(&b, FULL0 + 6), 5);
    set(&b, FULL0 + 6, WIDTH(40));
    assert_int_equal(get(&b, FULL0 + 6), WIDTH(40));
    assert_int_equal(get(&b, CTR0 + 6), WIDTH(40));
    assert_int_equal(get(&b, CTR0 + 5), 0);
    assert_int_equal(wr(&b, 0, FULL0, BIT(48)), EIO);
}

/* SDM volume 3A, states at power-up: the general counters are let. */
static void test_power_on(void **state)
{
    (void)state;
    assert_int_equal(get(&b, CTRL), 0xff);
    assert_int_equal(get(&b, STATUS), 0);
    assert_int_equal(get(&b, FIXED_CTRL), 0);
}

static void test_each_core_has_its_own(void **state)
{
    (void)state;
    for (unsigned cpu = 0; cpu < 4; cpu++)
        set_on(&b, cpu, SEL0, cpu + 1);
    for (unsigned cpu = 0; cpu < 4; cpu++)
        assert_int_equal(get_on(&b, cpu, SEL0), cpu + 1);
    assert_int_equal(wr(&b, 4, SEL0, 0), ENXIO);
}

/* ---- counting ---- */

static void raise_on(unsigned core, unsigned code, unsigned level_mask, unsigned counter)
{
    raise_what(&b,
               &(bx_selection){.box = BOX,
                               .unit = (uint16_t)core,
                               .code = (uint16_t)code,
                               .counter = (uint8_t)counter,
                               .levels = (uint8_t)level_mask},
               1, 10);
}

static void test_a_signal_is_of_one_core(void **state)
{
    (void)state;
    for (unsigned cpu = 0; cpu < 4; cpu++)
        set_on(&b, cpu, SEL0 + 7, EN | BOTH | INSTRUCTIONS);
    raise_on(2, INSTRUCTIONS, 0, 7);
    for (unsigned cpu = 0; cpu < 4; cpu++)
        assert_int_equal(get_on(&b, cpu, CTR0 + 7), cpu == 2 ? 10 : 0);
}

/* A general counter counts if its EN, its bit of the global control and a level's bit are set. */
static void test_enables_of_a_general_counter(void **state)
{
    (void)state;
    static const struct {
        uint64_t select, global;
        unsigned counted;
    } cases[] = {{EN | BOTH, 8, 10},     {EN | BOTH, ALL & ~UINT64_C(8), 0},
                 {BOTH, ALL, 0},         {EN, ALL, 0},
                 {EN | BIT(16), ALL, 0}, {EN | BIT(17), ALL, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(&b, CTRL, cases[i].global);
        set(&b, SEL0 + 3, cases[i].select | INSTRUCTIONS);
        set(&b, CTR0 + 3, 0);
        raise_on(0, INSTRUCTIONS, BX_LEVEL_OS, 3);
        assert_int_equal(get(&b, CTR0 + 3), cases[i].counted);
    }
}

/* Fixed counter 1: bits 5:4 of its control are the levels, 0: it is off; bit 33 of the global one.
 */
static void test_levels_of_a_fixed_counter(void **state)
{
    (void)state;
    static const struct {
        uint64_t control, global;
        unsigned os, user;
    } cases[] = {{0x00, ALL, 0, 0},   {0x10, ALL, 10, 0},      {0x20, ALL, 0, 10},
                 {0x30, ALL, 10, 10}, {0x30, BIT(33), 10, 10}, {0x30, ALL & ~BIT(33), 0, 0},
                 {0xfcf, ALL, 0, 0},  {0xfff, ALL, 10, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(&b, CTRL, cases[i].global);
        set(&b, FIXED_CTRL, cases[i].control);
        set(&b, FIXED0 + 1, 0);
        raise_on(0, FIXED0 + 1, BX_LEVEL_OS, 9);
        assert_int_equal(get(&b, FIXED0 + 1), cases[i].os);
        raise_on(0, FIXED0 + 1, BX_LEVEL_USER, 9);
        assert_int_equal(get(&b, FIXED0 + 1), cases[i].os + cases[i].user);
    }
}

/* An overflow sets the counter's status bit in any case, and interrupts its own core if INT is set.
 * The bit stays until it is cleared through 390H. */
static void test_overflow(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        set_on(&b, 1, SEL0 + n, EN | BOTH | INSTRUCTIONS | (n == 5 ? INT : 0));
        set_on(&b, 1, CTR0 + n, n == 5 || n == 0 ? 0xfffffffe : 0);
    }
    raise_on(1, INSTRUCTIONS, 0, 0);
    assert_int_equal(get_on(&b, 1, STATUS), 1 | BIT(5));
    assert_int_equal(get(&b, STATUS), 0);
    assert_int_equal(b.pmis, 1);
    assert_int_equal(b.pmi[0].cpu, 1);
    set_on(&b, 1, RESET, BIT(5));
    assert_int_equal(get_on(&b, 1, STATUS), 1);
}

static void test_overflow_of_a_fixed_counter(void **state)
{
    (void)state;
    set(&b, CTRL, ALL);
    set(&b, FIXED_CTRL, 0x803 | 0x300); /* 0 at all levels; 2 too, with its PMI */
    set(&b, FIXED0, WIDTH(48));
    set(&b, FIXED0 + 2, WIDTH(48) - 8);
    raise_on(0, FIXED0, 0, 8);
    assert_int_equal(get(&b, STATUS), BIT(32));
    assert_int_equal(b.pmis, 0);
    raise_on(0, FIXED0 + 2, 0, 10);
    assert_int_equal(get(&b, STATUS), BIT(32) | BIT(34));
    assert_int_equal(get(&b, FIXED0 + 2), 1);
    assert_int_equal(b.pmis, 1);
    set(&b, RESET, BIT(34));
    assert_int_equal(get(&b, STATUS), BIT(32));
}

/* ---- RDPMC ---- */

/* SDM volume 2, RDPMC: fixed counters have bit 30. */
static void test_rdpmc(void **state)
{
    (void)state;
    uint64_t value = 0;
    set_on(&b, 3, CTR0 + 7, 77);
    set_on(&b, 3, FIXED0 + 2, 99);
    assert_int_equal(bx_vpmu_rdpmc(b.v, 3, 7, 0, false, BX_MODE_PROTECTED, &value), 0);
    assert_int_equal(value, 77);
    assert_int_equal(bx_vpmu_rdpmc(b.v, 3, 0x40000002, 3, true, BX_MODE_PROTECTED, &value), 0);
    assert_int_equal(value, 99);
    static const uint32_t none[] = {8, 10, 0x40000003, 0x20000000, 0x80000000};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(bx_vpmu_rdpmc(b.v, 3, none[i], 0, true, BX_MODE_PROTECTED, &value), EIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_bit),
        TEST(test_sign_extended_writes),
        TEST(test_full_width_writes),
        TEST(test_power_on),
        TEST(test_each_core_has_its_own),
        TEST(test_a_signal_is_of_one_core),
        TEST(test_enables_of_a_general_counter),
        TEST(test_levels_of_a_fixed_counter),
        TEST(test_overflow),
        TEST(test_overflow_of_a_fixed_counter),
        TEST(test_rdpmc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
