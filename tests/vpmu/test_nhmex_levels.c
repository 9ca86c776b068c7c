/* How counters of the Xeon 7500 add levels: compared or not, with accumulators and queue tallies.
 * Also the patterns of B- and S-Boxes. 323535-001 sections 2.3 to 2.5, 2.8. */
#include "../cmocked.h"

#include "nhmex_boxes.h"

#include <errno.h>

#define WRAPS BIT(48)

static struct bench b;

static int set_up(void **state)
{
    bench_open_silent(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL);
    *state = &b;
    return 0;
}

static void start(const struct nhmex_counter *c, uint64_t control)
{
    set(&b, c->enable, get(&b, c->enable) | BIT(c->bit));
    set(&b, c->control, control | c->on);
}

/* ---- B-Box ---- */

enum { TF_ALL = 0x04, IMT_VALID = 0x07 };

static void raise_b(unsigned unit, unsigned counter, unsigned code, uint32_t level, uint64_t cycles)
{
    const bx_selection what = {
        .box = B_BOX, .unit = (uint16_t)unit, .counter = (uint16_t)counter, .code = (uint16_t)code};
    raise_what(&b, &what, level, cycles);
}

/* The counter gets the carries: one for 256, for IMT_VALID_OCCUPANCY one for 32 (p46, p55). */
static void test_accumulators(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(B_BOX, 1, 0);
    start(&c, TF_ALL << 1);
    raise_b(1, 0, TF_ALL, 5, 51);
    assert_int_equal(get(&b, c.value), 0);
    raise_b(1, 0, TF_ALL, 1, 1);
    assert_int_equal(get(&b, c.value), 1);
    raise_b(1, 0, TF_ALL, 100, 100);
    assert_int_equal(get(&b, c.value), 40); /* 10256 / 256 */
    start(&c, IMT_VALID << 1);
    assert_int_equal(get(&b, c.value), 40);
    raise_b(1, 0, IMT_VALID, 31, 1);
    assert_int_equal(get(&b, c.value), 40); /* no remainder of the other event */
    raise_b(1, 0, IMT_VALID, 33, 1);
    assert_int_equal(get(&b, c.value), 42);
}

static void test_what_an_accumulator_keeps(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(B_BOX, 0, 0);
    start(&c, TF_ALL << 1);
    raise_b(0, 0, TF_ALL, 255, 1);
    set(&b, c.control, TF_ALL << 1);
    raise_b(0, 0, TF_ALL, 255, 1);
    set(&b, c.value, 7);
    start(&c, TF_ALL << 1);
    raise_b(0, 0, TF_ALL, 1, 1);
    assert_int_equal(get(&b, c.value), 8);
    raise_b(0, 0, TF_ALL, 255, 1);
    set(&b, U_CTL, EN_ALL | RST_ALL);
    raise_b(0, 0, TF_ALL, 255, 1);
    assert_int_equal(get(&b, c.value), 0);
}

static void test_an_accumulator_overflows(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(B_BOX, 0, 0);
    set(&b, c.value, WRAPS - 2);
    start(&c, TF_ALL << 1 | BIT(20));
    set(&b, U_CTL, EN_ALL | CORE(0));
    raise_b(0, 0, TF_ALL, 2, 255);
    assert_int_equal(get(&b, c.status), 0);
    raise_b(0, 0, TF_ALL, 2, 1);
    assert_int_equal(get(&b, c.status), 1);
    assert_int_equal(get(&b, c.value), 0);
    raise_b(0, 0, TF_ALL, 0, 40);
    assert_int_equal(b.pmi[0].time, 256 + 32);
}

/* Code 1 is a different event on counters 0, 1 and 2. */
static void test_a_code_belongs_to_a_counter(void **state)
{
    (void)state;
    struct nhmex_counter c[4];
    for (unsigned i = 0; i < 4; i++) {
        c[i] = nhmex_counter_of(B_BOX, 0, i);
        start(&c[i], 1 << 1);
    }
    raise_b(0, 0, 1, 1, 10);
    raise_b(0, 1, 1, 1, 20);
    raise_b(0, 2, 1, 1, 30);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(get(&b, c[i].value), 10 * (i + 1));
}

/* A 1 in the mask compares the bit: a pattern for incoming messages of class HOM0, opcode
 * RdInvOwn. */
static void test_b_box_pattern(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(B_BOX, 0, 1);
    bx_selection what = {.box = B_BOX, .counter = 1, .code = 5}; /* MSG_OPCODE_IN_MATCH */
    set(&b, 0xe45, (uint64_t)4 << 52);
    set(&b, 0xe46, (uint64_t)0xff << 44 << 4 | (uint64_t)0xf << 44);
    start(&c, 5 << 1);
    what.applies[0] = (uint64_t)0xf << 44 | (uint64_t)0xf << 52;
    what.filter[0] = (uint64_t)4 << 52;
    raise_what(&b, &what, 1, 3);
    assert_int_equal(get(&b, c.value), 3);
    what.filter[0] |= (uint64_t)2 << 44;
    raise_what(&b, &what, 1, 3);
    assert_int_equal(get(&b, c.value), 3);
    set(&b, 0xe46, (uint64_t)0xf << 52); /* the class is not compared */
    raise_what(&b, &what, 1, 3);
    assert_int_equal(get(&b, c.value), 6);
    what.filter[0] ^= (uint64_t)1 << 52;
    raise_what(&b, &what, 1, 3);
    assert_int_equal(get(&b, c.value), 6);
}

/* ---- S-Box ---- */

enum { HOM_MSGQ_OCCUPANCY = 0x07 };

static void raise_s(unsigned code, unsigned umask, uint32_t level, uint64_t cycles)
{
    raise_signal(&b, S_BOX, 0, code, umask, level, cycles);
}

/* Seven bits for each counter, which RESET_OCC_CNT sets to 0 (p60, p63). */
static void test_queue_tally(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(S_BOX, 0, 2);
    start(&c, 0x0107);
    raise_s(HOM_MSGQ_OCCUPANCY, 1, 40, 10);
    assert_int_equal(get(&b, c.value), 400);
    bx_error e = {0};
    const bx_selection what = {.box = S_BOX, .code = HOM_MSGQ_OCCUPANCY, .umask = 1};
    assert_int_equal(bx_vpmu_inject(b.v, &what, 40, 100, &e), BX_OK);
    script_pass(&b.script, 10);
    set(&b, c.value, 0);
    set(&b, c.control, 0x0107 | BIT(22) | BIT(17));
    assert_int_equal(get(&b, c.control), 0x0107 | BIT(22)); /* the bit reads 0 */
    script_pass(&b.script, 10);
    assert_int_equal(get(&b, c.value), 0);
    assert_int_equal(bx_vpmu_inject(b.v, &what, 2, 10, &e), BX_OK);
    script_pass(&b.script, 10);
    assert_int_equal(get(&b, c.value), 20);
    script_pass(&b.script, 70);
    assert_int_equal(get(&b, c.value), 20);
    script_pass(&b.script, 1); /* 40 entries leave whose arrival the tally did not see */
    assert_int_equal(get(&b, c.value), 20 + 128 - 40);
    set(&b, c.control, 0x0107 | BIT(22) | BIT(17));
    set(&b, c.value, 0);
    raise_s(HOM_MSGQ_OCCUPANCY, 1, 130, 3); /* more than seven bits can hold */
    assert_int_equal(get(&b, c.value), 6);
}

/* The same with levels of the machine, and with a counter that is disabled meanwhile. */
static void test_queue_tally_of_a_machine(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(S_BOX, 1, 0);
    script_init(&b.script);
    struct script_source *queue = script_add(&b.script, S_BOX, 1, 0x0d, 0);
    queue->style = SCRIPT_OPEN;
    script_set(queue, 0, 10, 3);
    script_set(queue, 10, 10, 5);
    bench_open(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL);
    set(&b, c.enable, 1);
    script_pass(&b.script, 2);
    set(&b, c.control, 0x0d | BIT(17));
    script_pass(&b.script, 3);
    set(&b, c.control, 0x0d | BIT(22));
    script_pass(&b.script, 15);
    assert_int_equal(get(&b, c.value), 10 * 2);
    set(&b, c.control, 0x0d | BIT(22) | BIT(24)); /* thresholds compare the tally */
    script_pass(&b.script, 5);
    assert_int_equal(get(&b, c.value), 10 * 2 + 5);
    bench_close(&b);
}

/* MATCH and MASK fault while MM_EN is 1 (p61). A 1 in the mask ignores the bit. */
static void test_s_box_pattern(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(S_BOX, 0, 0);
    bx_selection what = {.box = S_BOX};
    set(&b, 0xe49, (uint64_t)0x1234 << 5 | 3);
    set(&b, 0xe4a, 0);
    set(&b, 0xe48, BIT(63));
    assert_int_equal(wr(&b, 0, 0xe49, 0), EIO);
    assert_int_equal(wr(&b, 0, 0xe4a, 0), EIO);
    assert_int_equal(get(&b, 0xe49), 0x1234 << 5 | 3);
    assert_int_equal(wr(&b, 0, 0xe59, 1), 0); /* the other S-Box's */
    start(&c, 0);
    what.applies[1] = WIDTH(38) << 5 | 0x1f;
    what.filter[1] = (uint64_t)0x1234 << 5 | 3;
    raise_what(&b, &what, 1, 2);
    assert_int_equal(get(&b, c.value), 2);
    what.filter[1] ^= (uint64_t)1 << 5;
    raise_what(&b, &what, 1, 2);
    assert_int_equal(get(&b, c.value), 2);
    set(&b, 0xe48, 0);
    set(&b, 0xe4a, 1 << 1); /* that bit is not compared */
    set(&b, 0xe48, BIT(63));
    raise_what(&b, &what, 1, 2);
    assert_int_equal(get(&b, c.value), 4);
    what.filter[1] ^= 1; /* hnid */
    raise_what(&b, &what, 1, 2);
    assert_int_equal(get(&b, c.value), 4);
    set(&b, 0xe48, 0);
    set(&b, 0xe4a, 1 << 1 | 1);
    raise_what(&b, &what, 1, 2);
    assert_int_equal(get(&b, c.value), 6);
}

/* ---- C-Box and W-Box ---- */

/* Thresholds have eight bits; edges are those of the comparison. */
static void test_threshold_invert_and_edge(void **state)
{
    (void)state;
    static const struct {
        uint64_t control, counted;
    } rows[] = {
        {0, 300 * 4 + 199 * 6},
        {(uint64_t)200 << 24, 4},
        {(uint64_t)200 << 24 | BIT(23), 6},
        {(uint64_t)200 << 24 | BIT(18), 2},
        {BIT(18), 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct nhmex_counter c = nhmex_counter_of(C_BOX, 2, (unsigned)i);
        start(&c, c.select | rows[i].control);
        nhmex_raise(&b, &c, 300, 2);
        nhmex_raise(&b, &c, 199, 3);
        nhmex_raise(&b, &c, 300, 2);
        nhmex_raise(&b, &c, 199, 3);
        set(&b, c.control, 0);
        assert_int_equal(get(&b, c.value), rows[i].counted);
        script_pass(&b.script, 1);
    }
}

/* The clock counts its own signal only. Other signals of its box are for counters that select
 * them. */
static void test_the_clock_of_the_w_box(void **state)
{
    (void)state;
    script_init(&b.script);
    script_hold(&b.script, W_BOX, 0, 0xff, 0, 1);
    bench_open(&b, "virtual:nhmex,part=plain");
    struct nhmex_counter clock = nhmex_counter_of(W_BOX, 0, 4),
                         other = nhmex_counter_of(W_BOX, 0, 1);
    set(&b, U_CTL, EN_ALL);
    start(&clock, 0);
    start(&other, other.select);
    nhmex_raise(&b, &other, 3, 10);
    assert_int_equal(get(&b, clock.value), 10);
    assert_int_equal(get(&b, other.value), 30);
    bench_close(&b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accumulators),
        TEST(test_what_an_accumulator_keeps),
        TEST(test_an_accumulator_overflows),
        TEST(test_a_code_belongs_to_a_counter),
        TEST(test_b_box_pattern),
        TEST(test_queue_tally),
        cmocka_unit_test(test_queue_tally_of_a_machine),
        TEST(test_s_box_pattern),
        TEST(test_threshold_invert_and_edge),
        cmocka_unit_test(test_the_clock_of_the_w_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
