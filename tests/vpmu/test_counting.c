/* How counters count the signals that they see: 334060-001 tables 2-2 to 2-4 and 2-7. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

/* Table 2-2. */
#define GLOBAL  BIT(29)
#define WAKE    BIT(30)
#define FRZ     BIT(31)

/* Table 2-7; event 34H, unit mask 11H. */
#define EDGE    BIT(18)
#define OVF     BIT(20)
#define EN      BIT(22)
#define INV     BIT(23)
#define THR(t)  ((uint64_t)(t) << 24)
#define LOOKUPS (EN | 0x1134)

enum {
    SELECT0 = 0x700,
    SELECT1 = 0x701,
    COUNT0 = 0x706,
    COUNT1 = 0x707,
    CTRL = 0xe01,
    STATUS = 0xe02
};

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    script_init(&b.script);
    script_hold(&b.script, BOX_CLOCK, 0, SCRIPT_ANY, 0, 1)->style = SCRIPT_OPEN;
    script_add(&b.script, BOX_CBO, 0, 0x34, 0x11)->style = SCRIPT_RUNS;
    bench_open(&b, "virtual:skl,part=plain");
    return 0;
}

/* The signal that LOOKUPS selects in C-Box 0. */
static void lookups(uint32_t level, uint64_t cycles)
{
    raise_signal(&b, BOX_CBO, 0, 0x34, 0x11, level, cycles);
}

static void idle(uint64_t cycles)
{
    script_pass(&b.script, cycles);
}

/* Levels 1 x 10, 2 x 5, 0 x 4, 7 x 3, then 2 idle cycles: 41 in all, on counter 0. */
static uint64_t count_of(uint64_t control)
{
    set(&b, SELECT0, control);
    set(&b, CTRL, GLOBAL);
    lookups(1, 10);
    lookups(2, 5);
    idle(4);
    lookups(7, 3);
    idle(2);
    return get(&b, COUNT0);
}

static void test_both_enables_are_needed(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS);
    lookups(1, 10);
    assert_int_equal(get(&b, COUNT0), 0);
    set(&b, SELECT0, LOOKUPS & ~EN);
    set(&b, CTRL, GLOBAL);
    lookups(1, 10);
    assert_int_equal(get(&b, COUNT0), 0);
    set(&b, SELECT0, LOOKUPS);
    lookups(1, 10);
    set(&b, CTRL, 0);
    lookups(1, 10);
    assert_int_equal(get(&b, COUNT0), 10);
}

static void test_levels_add_up(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS), 41);
}

static void test_only_the_selected_signal_is_seen(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS);
    set(&b, CTRL, GLOBAL);
    raise_signal(&b, BOX_CBO, 0, 0x34, 0x10, 1, 10); /* another unit mask */
    raise_signal(&b, BOX_CBO, 0, 0x22, 0x11, 1, 10); /* another code */
    raise_signal(&b, BOX_CBO, 1, 0x34, 0x11, 1, 10); /* another slice */
    raise_signal(&b, BOX_ARB, 0, 0x34, 0x11, 1, 10); /* another box */
    assert_int_equal(get(&b, COUNT0), 0);
}

static void test_threshold(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | THR(2)), 8);
}

static void test_threshold_of_31(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | THR(31));
    set(&b, CTRL, GLOBAL);
    lookups(30, 10);
    lookups(31, 4);
    lookups(4000000000, 3);
    assert_int_equal(get(&b, COUNT0), 7);
}

static void test_inverted_threshold_counts_idle_cycles(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | THR(2) | INV), 10 + 4 + 2);
}

static void test_invert_without_threshold_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | INV), 41);
}

/* The level goes 1, 2 without a fall in between, then 0, 7. */
static void test_edge(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | EDGE), 2);
}

static void test_edge_of_a_threshold(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | EDGE | THR(2)), 2); /* 1 to 2, 0 to 7 */
}

/* Below 2: from the start, after level 2, after level 7. */
static void test_edge_of_an_inverted_threshold(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | EDGE | INV | THR(2)), 3);
}

static void test_edge_with_invert_alone(void **state)
{
    (void)state;
    assert_int_equal(count_of(LOOKUPS | EDGE | INV), 2);
}

static void test_a_signal_that_is_high_when_enabled_is_one_rise(void **state)
{
    (void)state;
    script_set(&b.script.source[1], 0, 20, 3);
    idle(5);
    set(&b, SELECT0, LOOKUPS | EDGE);
    set(&b, CTRL, GLOBAL);
    idle(5);
    assert_int_equal(get(&b, COUNT0), 1);
    set(&b, SELECT0, LOOKUPS | EDGE); /* the same signal again: no new edge */
    idle(5);
    assert_int_equal(get(&b, COUNT0), 1);
    set(&b, CTRL, 0);
    set(&b, CTRL, GLOBAL);
    idle(10);
    assert_int_equal(get(&b, COUNT0), 2);
}

static void test_a_signal_goes_on_or_falls(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | EDGE);
    set(&b, CTRL, GLOBAL);
    lookups(1, 3);
    lookups(1, 3);
    lookups(2, 3);
    assert_int_equal(get(&b, COUNT0), 1);
    bx_vpmu_fall(b.v);
    lookups(1, 3);
    assert_int_equal(get(&b, COUNT0), 2);
    idle(1);
    lookups(1, 3);
    assert_int_equal(get(&b, COUNT0), 3);
}

static void test_model_and_raised_levels_add_up(void **state)
{
    (void)state;
    script_set(&b.script.source[1], 0, 10, 2);
    set(&b, SELECT0, LOOKUPS);
    set(&b, SELECT1, LOOKUPS | THR(5));
    set(&b, CTRL, GLOBAL);
    idle(3);
    lookups(3, 9); /* 7 of them in addition to level 2 */
    assert_int_equal(get(&b, COUNT0), 10 * 2 + 9 * 3);
    assert_int_equal(get(&b, COUNT1), 7);
}

/* ---- values ---- */

static void test_a_count_can_be_written_while_it_runs(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS);
    set(&b, SELECT1, LOOKUPS | THR(1));
    set(&b, CTRL, GLOBAL);
    lookups(2, 10);
    set(&b, COUNT0, 1000);
    set(&b, COUNT1, 2000);
    lookups(2, 10);
    assert_int_equal(get(&b, COUNT0), 1020);
    assert_int_equal(get(&b, COUNT1), 2010);
}

static void test_a_select_can_be_written_while_it_runs(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS);
    set(&b, CTRL, GLOBAL);
    lookups(2, 10);
    set(&b, SELECT0, EN | 0x8834);
    lookups(2, 10);
    raise_signal(&b, BOX_CBO, 0, 0x34, 0x88, 1, 5);
    assert_int_equal(get(&b, COUNT0), 25);
    set(&b, SELECT0, LOOKUPS | OVF);
    lookups(2, 10);
    assert_int_equal(get(&b, COUNT0), 45);
}

static void test_44_bits_wrap_silently(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS);
    set(&b, COUNT0, WIDTH(44) - 1);
    set(&b, CTRL, GLOBAL | FRZ | 1);
    lookups(1, 5);
    assert_int_equal(get(&b, COUNT0), 3);
    assert_int_equal(get(&b, STATUS), 0);
    assert_int_equal(get(&b, CTRL), GLOBAL | FRZ | 1);
    assert_int_equal(b.pmis, 0);
}

static void test_48_bits_of_the_clock(void **state)
{
    (void)state;
    set(&b, 0x394, EN | OVF);
    set(&b, 0x395, WIDTH(48) - 9);
    set(&b, CTRL, GLOBAL);
    idle(9);
    assert_int_equal(get(&b, 0x395), WIDTH(48));
    assert_int_equal(get(&b, STATUS), 0);
    idle(1);
    assert_int_equal(get(&b, 0x395), 0);
    assert_int_equal(get(&b, STATUS), 1);
    idle(7);
    assert_int_equal(get(&b, 0x395), 7);
}

static void test_the_clock_takes_any_signal_of_its_box(void **state)
{
    (void)state;
    set(&b, 0x394, EN);
    set(&b, CTRL, GLOBAL);
    raise_signal(&b, BOX_CLOCK, 0, 0, 1, 4, 10);
    raise_signal(&b, BOX_CLOCK, 0, 0xff, 0, 1, 10);
    assert_int_equal(get(&b, 0x395), 20 + 40 + 10);
}

static void test_memory_counters_wrap_at_32_bits(void **state)
{
    (void)state;
    raise_signal(&b, BOX_IMC, 0, 0x5054, 0, UINT32_MAX, 1);
    assert_int_equal(get_mem(&b, 0xfed15054, 32), UINT32_MAX);
    raise_signal(&b, BOX_IMC, 0, 0x5054, 0, 1, 3);
    assert_int_equal(get_mem(&b, 0xfed15054, 32), 2);
    raise_signal(&b, BOX_IMC, 0, 0x5054, 0, 0x80000000, 5);
    assert_int_equal(get_mem(&b, 0xfed15054, 32), 0x80000002);
    assert_int_equal(get_mem(&b, 0xfed15050, 32), 0);
}

/* ---- overflow ---- */

static void test_each_kind_has_its_status_bit(void **state)
{
    (void)state;
    set(&b, 0x731, EN | OVF | 0x1134);
    set(&b, 0x737, WIDTH(44));
    set(&b, 0x3b2, EN | OVF | 0x0180);
    set(&b, 0x3b0, WIDTH(44));
    set(&b, 0x394, EN | OVF);
    set(&b, 0x395, WIDTH(48) - 2);
    set(&b, CTRL, GLOBAL);
    raise_signal(&b, BOX_CBO, 3, 0x34, 0x11, 1, 1);
    assert_int_equal(get(&b, STATUS), 8);
    raise_signal(&b, BOX_ARB, 0, 0x80, 0x01, 1, 1);
    assert_int_equal(get(&b, STATUS), 8 | 2);
    idle(1);
    assert_int_equal(get(&b, STATUS), 8 | 2 | 1);
    set(&b, STATUS, 0); /* writing 0 is ignored */
    assert_int_equal(get(&b, STATUS), 8 | 2 | 1);
    set(&b, STATUS, 2);
    assert_int_equal(get(&b, STATUS), 8 | 1);
    set(&b, STATUS, 8 | 2 | 1);
    assert_int_equal(get(&b, STATUS), 0);
}

static void assert_pmi(unsigned i, uint64_t time, unsigned cpu)
{
    assert_true(i < b.pmis);
    assert_int_equal(b.pmi[i].time, time);
    assert_int_equal(b.pmi[i].cpu, cpu);
}

static void test_interrupts_go_to_the_selected_cores(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, COUNT0, WIDTH(44) - 3);
    set(&b, CTRL, GLOBAL | 1 << 1 | 1 << 3 | 1 << 4); /* there is no core 4 */
    idle(20);
    lookups(2, 5); /* overflows in the second cycle */
    assert_int_equal(b.pmis, 2);
    assert_pmi(0, 22, 1);
    assert_pmi(1, 22, 3);
    assert_int_equal(get(&b, COUNT0), 6); /* it continues to count */
}

static void test_each_overflow_interrupts(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, COUNT0, WIDTH(44));
    set(&b, CTRL, GLOBAL | 1);
    /* 2^44 is 4096 x (2^32 - 1) + 4096: after the first, every 4096 cycles. */
    lookups(UINT32_MAX, 3 * 4096 + 4);
    assert_int_equal(b.pmis, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_pmi(i, 1 + 4096 * i, 0);
}

static void test_requests_of_one_cycle_are_one_interrupt(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, SELECT1, LOOKUPS | OVF);
    set(&b, COUNT0, WIDTH(44));
    set(&b, COUNT1, WIDTH(44));
    set(&b, CTRL, GLOBAL | 1);
    lookups(1, 5);
    assert_int_equal(b.pmis, 1);
    assert_pmi(0, 1, 0);
    assert_int_equal(get(&b, COUNT0), 4);
    assert_int_equal(get(&b, COUNT1), 4);
}

static void test_a_freeze_stops_everything_in_that_cycle(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, SELECT1, LOOKUPS | THR(1));
    set(&b, 0x710, LOOKUPS);
    set(&b, 0x394, EN);
    set(&b, COUNT0, WIDTH(44) - 6);
    set(&b, CTRL, GLOBAL | FRZ | 1 << 2);
    bx_selection slice1 = {.box = BOX_CBO, .unit = 1, .code = 0x34, .umask = 0x11};
    bx_error e = {0};
    assert_int_equal(bx_vpmu_inject(b.v, &slice1, 5, 40, &e), BX_OK);
    lookups(1, 30); /* the seventh cycle overflows */
    assert_int_equal(get(&b, CTRL), FRZ | 1 << 2);
    assert_int_equal(get(&b, COUNT0), 0);
    assert_int_equal(get(&b, COUNT1), 7);
    assert_int_equal(get(&b, 0x716), 7 * 5);
    assert_int_equal(get(&b, 0x395), 7);
    assert_int_equal(get(&b, STATUS), 8);
    assert_int_equal(b.pmis, 1);
    assert_pmi(0, 7, 2);
    set(&b, CTRL, GLOBAL | FRZ); /* software enables it again: SDM 3B, and table 2-2 */
    idle(3);
    assert_int_equal(get(&b, 0x395), 10);
    assert_int_equal(get(&b, 0x716), 7 * 5 + 3 * 5);
}

static void test_a_freeze_needs_no_selected_core(void **state)
{
    (void)state;
    set(&b, 0x394, EN | OVF);
    set(&b, 0x395, WIDTH(48) - 3);
    set(&b, CTRL, GLOBAL | FRZ);
    idle(10);
    assert_int_equal(get(&b, CTRL), FRZ);
    assert_int_equal(get(&b, 0x395), 0);
    assert_int_equal(b.pmis, 0);
}

static void test_edges_and_thresholds_overflow_too(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF | EDGE);
    set(&b, SELECT1, LOOKUPS | OVF | THR(2) | INV);
    set(&b, COUNT0, WIDTH(44) - 1);
    set(&b, COUNT1, WIDTH(44) - 9);
    set(&b, CTRL, GLOBAL | 1);
    lookups(3, 4);
    idle(4);       /* below 2 */
    lookups(3, 4); /* the second edge, at cycle 8 */
    idle(20);      /* the tenth cycle below 2 is cycle 17 */
    assert_int_equal(b.pmis, 2);
    assert_pmi(0, 9, 0);
    assert_pmi(1, 18, 0);
}

static void test_sleeping_cores(void **state)
{
    (void)state;
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, COUNT0, WIDTH(44));
    set(&b, CTRL, GLOBAL | 7);
    assert_false(bx_vpmu_asleep(b.v, 1));
    bx_vpmu_sleep(b.v, 1, true);
    bx_vpmu_sleep(b.v, 3, true);
    lookups(1, 1);
    assert_int_equal(b.pmis, 2);
    assert_pmi(0, 1, 0);
    assert_pmi(1, 1, 2);
    assert_true(bx_vpmu_asleep(b.v, 1));
    set(&b, COUNT0, WIDTH(44));
    set(&b, CTRL, GLOBAL | WAKE | 7);
    lookups(1, 1);
    assert_int_equal(b.pmis, 5);
    assert_pmi(3, 2, 1);
    assert_false(bx_vpmu_asleep(b.v, 1));
    assert_true(bx_vpmu_asleep(b.v, 3)); /* not selected, so not changed */
    bx_vpmu_sleep(b.v, 99, true);
    assert_false(bx_vpmu_asleep(b.v, 99));
}

/* An interrupt handler as software would write it: preset the counter, enable again. */
static void handler(void *context, unsigned cpu)
{
    unsigned *n = context;
    assert_int_equal(cpu, 0);
    assert_int_equal(get(&b, STATUS), 8);
    assert_int_equal(get(&b, CTRL), FRZ | 1);
    set(&b, COUNT0, WIDTH(44) - 9);
    set(&b, STATUS, 8);
    set(&b, CTRL, GLOBAL | FRZ | 1);
    ++*n;
}

static void test_a_handler_may_write_registers(void **state)
{
    (void)state;
    unsigned n = 0;
    bx_vpmu_on_pmi(b.v, handler, &n);
    set(&b, SELECT0, LOOKUPS | OVF);
    set(&b, COUNT0, WIDTH(44) - 9);
    set(&b, 0x394, EN);
    set(&b, CTRL, GLOBAL | FRZ | 1);
    lookups(1, 100);
    assert_int_equal(n, 10);
    assert_int_equal(get(&b, 0x395), 100); /* no time passes in the handler */
}

/* ---- signals that cannot be raised ---- */

static void test_too_many_signals(void **state)
{
    (void)state;
    bx_selection what = {.box = BOX_CBO, .code = 0x34, .umask = 0x11};
    bx_error e = {0};
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(bx_vpmu_inject(b.v, &what, 1, 10, &e), BX_OK);
    assert_int_equal(bx_vpmu_inject(b.v, &what, 1, 10, &e), BX_NO_FIT);
    set(&b, SELECT0, LOOKUPS);
    set(&b, CTRL, GLOBAL);
    idle(20);
    assert_int_equal(get(&b, COUNT0), 160);
    lookups(1, 10);
    assert_int_equal(get(&b, COUNT0), 170);
}

static void test_the_end_of_time(void **state)
{
    (void)state;
    bx_selection what = {.box = BOX_CBO, .code = 0x34, .umask = 0x11};
    bx_error e = {0};
    idle(5);
    assert_int_equal(bx_vpmu_inject(b.v, &what, 1, UINT64_MAX - 5, &e), BX_BAD_INPUT);
    assert_int_equal(bx_vpmu_inject(b.v, &what, 1, 0, &(bx_error){0}), BX_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_both_enables_are_needed),
        TEST(test_levels_add_up),
        TEST(test_only_the_selected_signal_is_seen),
        TEST(test_threshold),
        TEST(test_threshold_of_31),
        TEST(test_inverted_threshold_counts_idle_cycles),
        TEST(test_invert_without_threshold_does_nothing),
        TEST(test_edge),
        TEST(test_edge_of_a_threshold),
        TEST(test_edge_of_an_inverted_threshold),
        TEST(test_edge_with_invert_alone),
        TEST(test_a_signal_that_is_high_when_enabled_is_one_rise),
        TEST(test_a_signal_goes_on_or_falls),
        TEST(test_model_and_raised_levels_add_up),
        TEST(test_a_count_can_be_written_while_it_runs),
        TEST(test_a_select_can_be_written_while_it_runs),
        TEST(test_44_bits_wrap_silently),
        TEST(test_48_bits_of_the_clock),
        TEST(test_the_clock_takes_any_signal_of_its_box),
        TEST(test_memory_counters_wrap_at_32_bits),
        TEST(test_each_kind_has_its_status_bit),
        TEST(test_interrupts_go_to_the_selected_cores),
        TEST(test_each_overflow_interrupts),
        TEST(test_requests_of_one_cycle_are_one_interrupt),
        TEST(test_a_freeze_stops_everything_in_that_cycle),
        TEST(test_a_freeze_needs_no_selected_core),
        TEST(test_edges_and_thresholds_overflow_too),
        TEST(test_sleeping_cores),
        TEST(test_a_handler_may_write_registers),
        TEST(test_too_many_signals),
        TEST(test_the_end_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
