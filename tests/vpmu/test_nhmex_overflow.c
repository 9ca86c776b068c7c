/* The path of an overflow on the Xeon 7500: status bits, summaries, the U-Box, freeze, interrupts.
 * 323535-001 p13 to p16, p57 to p59, p86, p109, p136. */
#include "../cmocked.h"

#include "nhmex_boxes.h"

#define WRAPS BIT(48)

static struct bench b;

static int set_up(void **state)
{
    bench_open_silent(&b, "virtual:nhmex,part=plain,packages=2");
    *state = &b;
    return 0;
}

/* The counters of every box, one after the other. */
static void each(void (*test)(const struct nhmex_counter *c))
{
    for (unsigned box = U_BOX; box <= W_BOX; box++)
        for (unsigned unit = 0; unit < nhmex_units_of(box); unit++)
            for (unsigned i = 0; i < nhmex_counters_of(box); i++) {
                struct nhmex_counter c = nhmex_counter_of(box, unit, i);
                bench_open_silent(&b, "virtual:nhmex,part=plain,packages=2");
                test(&c);
                bench_close(&b);
            }
}

/* ---- enables ---- */

static void counts_with_all_three(const struct nhmex_counter *c)
{
    nhmex_start(&b, c, 0, 0);
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 7);
    set(&b, U_CTL, c->box == U_BOX ? U_EN : 0);
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 7);
    if (c->box != U_BOX)
        set(&b, c->enable, 0);
    set(&b, U_CTL, EN_ALL);
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 7);
    nhmex_start(&b, c, 0, 0);
    set(&b, c->control, (c->select | c->on) & ~(c->box == M_BOX ? BIT(0) : c->on));
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 7);
    nhmex_start(&b, c, 0, 0);
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 14);
    assert_int_equal(get_on(&b, 8, c->value), 0); /* the other package's */
}

static void test_three_levels_of_enable(void **state)
{
    (void)state;
    each(counts_with_all_three);
}

/* ---- status ---- */

static void check_summaries(const struct nhmex_counter *c, bool on)
{
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(get(&b, 0xc43 + 0x80 * side), on && c->side == side ? BIT(c->summary) : 0);
}

/* The bit is set without PMI_EN, too, and every summary above it. */
static void is_told_upwards(const struct nhmex_counter *c)
{
    bool own = c->box == U_BOX;
    set(&b, c->value, WRAPS - 5);
    nhmex_start(&b, c, 0, CORE(0));
    nhmex_raise(&b, c, 1, 5);
    assert_int_equal(get(&b, c->value), 0);
    assert_int_equal(get(&b, c->status), own ? COND | BIT(0) : BIT(c->bit));
    check_summaries(c, true);
    assert_int_equal(get(&b, U_STATUS), COND | BIT(c->above));
    assert_int_equal(get_on(&b, 8, U_STATUS), 0);
    assert_int_equal(b.pmis, 0);
    set(&b, c->clear, BIT(c->bit));
    assert_int_equal(get(&b, c->clear), 0);
    assert_int_equal(get(&b, c->status), own ? COND : 0);
    check_summaries(c, false);
    assert_int_equal(get(&b, U_STATUS), COND); /* sticky */
    set(&b, U_OVF, COND);
    assert_int_equal(get(&b, U_STATUS), 0);
}

static void test_status_and_summaries(void **state)
{
    (void)state;
    each(is_told_upwards);
}

static void test_summaries_are_not_written(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(C_BOX, 5, 3);
    set(&b, c.value, WRAPS - 1);
    nhmex_start(&b, &c, 0, 0);
    nhmex_raise(&b, &c, 1, 1);
    set(&b, U_STATUS, 0);
    set(&b, U_OVF, 0xf);
    set(&b, 0xcc3, 0);
    assert_int_equal(get(&b, 0xcc3), BIT(2));
    assert_int_equal(get(&b, U_STATUS), BIT(2));
}

/* Two boxes with one summary bit. */
static void test_a_summary_of_two(void **state)
{
    (void)state;
    struct nhmex_counter c[2] = {nhmex_counter_of(B_BOX, 1, 2), nhmex_counter_of(M_BOX, 1, 5)};
    for (unsigned i = 0; i < 2; i++) {
        set(&b, c[i].value, WRAPS - 1);
        nhmex_start(&b, &c[i], 0, 0);
        nhmex_raise(&b, &c[i], 1, 1);
    }
    assert_int_equal(get(&b, 0xcc3), BIT(16));
    set(&b, c[0].clear, BIT(2));
    assert_int_equal(get(&b, 0xcc3), BIT(16));
    set(&b, c[1].clear, BIT(4)); /* another counter's */
    assert_int_equal(get(&b, 0xcc3), BIT(16));
    set(&b, c[1].clear, BIT(5));
    assert_int_equal(get(&b, 0xcc3), 0);
}

/* ---- requests ---- */

/* The counter continues for 32 cycles after the overflow: nhmex.cpu. */
static void is_frozen_later(const struct nhmex_counter *c)
{
    set(&b, c->value, WRAPS - 10);
    nhmex_start(&b, c, c->pmi, FRZ_ALL | CORE(3) | CORE(5));
    nhmex_raise(&b, c, 1, 41);
    assert_int_equal(b.pmis, 0);
    assert_int_equal(get(&b, U_STATUS), COND | BIT(c->above));
    assert_int_equal(get(&b, U_CTL) & EN_ALL, EN_ALL);
    nhmex_raise(&b, c, 1, 59);
    assert_int_equal(get(&b, c->value), 32);
    assert_int_equal(get(&b, U_CTL) & (EN_ALL | FRZ_ALL), FRZ_ALL);
    assert_int_equal(get(&b, U_STATUS), COND | PMI_SEEN | BIT(c->above));
    assert_int_equal(b.pmis, 2);
    assert_int_equal(b.pmi[0].cpu, 3);
    assert_int_equal(b.pmi[1].cpu, 5);
    assert_int_equal(b.pmi[0].time, 42);
}

static void test_freeze(void **state)
{
    (void)state;
    each(is_frozen_later);
}

static void test_a_delay_of_the_machine_string(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        unsigned delay;
    } specs[] = {{"virtual:nhmex,part=plain,freeze=0", 0},
                 {"virtual:nhmex,part=plain,freeze=1", 1},
                 {"virtual:nhmex,part=plain,freeze=700", 700}};
    struct nhmex_counter c = nhmex_counter_of(S_BOX, 0, 1);
    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
        bench_open_silent(&b, specs[i].spec);
        set(&b, c.value, WRAPS - 10);
        nhmex_start(&b, &c, c.pmi, FRZ_ALL | CORE(7));
        nhmex_raise(&b, &c, 1, 1000);
        assert_int_equal(get(&b, c.value), specs[i].delay);
        assert_int_equal(b.pmis, 1);
        assert_int_equal(b.pmi[0].time, 10 + specs[i].delay);
        bench_close(&b);
    }
}

/* p86: only after the bit that caused it has been cleared. */
static void test_one_request_until_the_bit_is_cleared(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(R_BOX, 1, 6);
    set(&b, c.value, WRAPS - 10);
    nhmex_start(&b, &c, c.pmi, FRZ_ALL | CORE(0));
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(b.pmis, 1);
    set(&b, c.value, WRAPS - 10);
    set(&b, U_CTL, EN_ALL | FRZ_ALL | CORE(0));
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(get(&b, c.value), 90);
    assert_int_equal(b.pmis, 1);
    set(&b, c.clear, BIT(6));
    set(&b, c.value, WRAPS - 10);
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(get(&b, c.value), 32);
    assert_int_equal(b.pmis, 2);
}

/* Without FRZ_ALL the request is only an interrupt; without PMI_EN it is none. */
/* A request that is still on its way is not sent again: the first one decides when counting ends.
 */
static void test_a_request_on_its_way(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(S_BOX, 0, 1);
    bench_open_silent(&b, "virtual:nhmex,part=plain,freeze=700");
    set(&b, c.value, WRAPS - 10);
    nhmex_start(&b, &c, c.pmi, FRZ_ALL | CORE(7));
    nhmex_raise(&b, &c, 1, 110);
    set(&b, c.clear, UINT64_C(1) << c.bit);
    set(&b, c.value, WRAPS - 10);
    nhmex_raise(&b, &c, 1, 1000);
    assert_int_equal(b.pmis, 1);
    assert_int_equal(b.pmi[0].time, 710);
    bench_close(&b);
}

static void test_requests_that_do_not_freeze(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(M_BOX, 0, 2);
    set(&b, c.value, WRAPS - 10);
    nhmex_start(&b, &c, c.pmi, CORE(1));
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(get(&b, c.value), 90);
    assert_int_equal(get(&b, U_CTL), EN_ALL | CORE(1));
    assert_int_equal(b.pmis, 1);
    set(&b, c.clear, BIT(2));
    set(&b, c.value, WRAPS - 10);
    nhmex_start(&b, &c, 0, FRZ_ALL | CORE(1));
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(get(&b, c.value), 90);
    assert_int_equal(b.pmis, 1);
}

static void test_each_core_of_pmi_core_sel(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(W_BOX, 0, 0);
    for (unsigned core = 0; core <= 8; core++) {
        b.pmis = 0;
        set(&b, c.clear, BIT(0));
        set(&b, c.value, WRAPS - 1);
        nhmex_start(&b, &c, c.pmi, core < 8 ? CORE(core) : 0);
        nhmex_raise(&b, &c, 1, 40);
        assert_int_equal(b.pmis, core < 8); /* no core is selected, so no interrupt is sent */
        if (core < 8)
            assert_int_equal(b.pmi[0].cpu, core);
    }
}

static void test_the_second_package_asks_its_own_cores(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(C_BOX, 7, 0);
    c.event.package = 1;
    set_on(&b, 15, c.value, WRAPS - 1);
    set_on(&b, 15, c.control, c.select | c.on | c.pmi);
    set_on(&b, 15, c.enable, 1);
    set_on(&b, 15, U_CTL, EN_ALL | FRZ_ALL | CORE(2));
    set(&b, U_CTL, EN_ALL | FRZ_ALL | CORE(2));
    nhmex_raise(&b, &c, 1, 100);
    assert_int_equal(b.pmis, 1);
    assert_int_equal(b.pmi[0].cpu, 8 + 2);
    assert_int_equal(get(&b, U_CTL) & EN_ALL, EN_ALL);
    assert_int_equal(get_on(&b, 8, U_CTL) & EN_ALL, 0);
    assert_int_equal(get(&b, U_STATUS), 0);
}

/* A counter far from its end is not watched, but its overflow is exact nevertheless. */
static void test_an_overflow_that_is_far_away(void **state)
{
    (void)state;
    struct nhmex_counter c = nhmex_counter_of(C_BOX, 0, 0);
    set(&b, c.value, WRAPS - (UINT64_C(5) << 40));
    nhmex_start(&b, &c, c.pmi, CORE(0));
    for (unsigned i = 0; i < 1279; i++)
        nhmex_raise(&b, &c, UINT32_C(1) << 31, 2);
    assert_int_equal(get(&b, c.status), 0);
    nhmex_raise(&b, &c, UINT32_C(1) << 31, 1);
    assert_int_equal(get(&b, c.status), 0);
    nhmex_raise(&b, &c, UINT32_C(1) << 31, 1);
    assert_int_equal(get(&b, c.status), 1);
    assert_int_equal(get(&b, c.value), 0);
}

/* ---- reset ---- */

static void is_reset(const struct nhmex_counter *c)
{
    uint64_t en = c->box == U_BOX ? U_EN : 0;
    nhmex_start(&b, c, 0, 0);
    nhmex_raise(&b, c, 1, 7);
    set_on(&b, 8, c->value, 5);
    uint64_t control = get(&b, c->control);
    set(&b, U_CTL, RST_ALL | en);
    assert_int_equal(get(&b, c->value), 0);
    assert_int_equal(get(&b, U_CTL), RST_ALL | en);
    assert_int_equal(get(&b, c->control), control);
    assert_int_equal(get_on(&b, 8, c->value), 5);
    set(&b, c->value, 100); /* values written while it is 1 stay: preloads are then written (p15) */
    assert_int_equal(get(&b, c->value), 100);
    set(&b, U_CTL, EN_ALL | en);
    nhmex_raise(&b, c, 1, 7);
    assert_int_equal(get(&b, c->value), 107);
    set(&b, U_CTL, EN_ALL | RST_ALL | en);
    assert_int_equal(get(&b, c->value), 0);
}

static void test_reset_of_the_package(void **state)
{
    (void)state;
    each(is_reset);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_levels_of_enable),
        cmocka_unit_test(test_status_and_summaries),
        TEST(test_summaries_are_not_written),
        TEST(test_a_summary_of_two),
        cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_a_delay_of_the_machine_string),
        TEST(test_one_request_until_the_bit_is_cleared),
        cmocka_unit_test(test_a_request_on_its_way),
        TEST(test_requests_that_do_not_freeze),
        TEST(test_each_core_of_pmi_core_sel),
        TEST(test_the_second_package_asks_its_own_cores),
        TEST(test_an_overflow_that_is_far_away),
        cmocka_unit_test(test_reset_of_the_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
