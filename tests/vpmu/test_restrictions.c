/* If the documents have a code for some counters of a box only, it counts nothing on the others. A
 * code that they do not have counts on all. 001 table 3-2; 002 tables 6-1 and A-1; libpfm4
 * lib/events/intel_ivbep_unc_cbo_events.h; 323535-001 p45 to p55. */
#include "../cmocked.h"

#include "bits.h"
#include "nhmex_boxes.h"

struct row {
    unsigned code, umask, on; /* mask of counters */
};

static struct bench b;

/* Raises the event on each of `n` counters, at `control` and `value`, with these steps. */
struct place {
    unsigned box, counters, control, value, step, shift;
    uint64_t on; /* bits of the control */
};

static void check(const struct place *p, const struct row *row)
{
    for (unsigned i = 0; i < p->counters; i++) {
        const bx_selection what = {.box = (uint16_t)p->box,
                                   .code = (uint16_t)row->code,
                                   .umask = row->umask,
                                   .counter = (uint16_t)i};
        uint64_t select = row->code | row->umask << 8;
        set(&b, p->control + i * p->step, select << p->shift | p->on);
        raise_what(&b, &what, 64, 4);
        assert_int_equal(get(&b, p->value + i * p->step) != 0, row->on >> i & 1);
        set(&b, p->control + i * p->step, 0);
        set(&b, p->value + i * p->step, 0);
    }
}

static void test_client(void **state)
{
    static const struct row rows[] = {{0x80, 1, 1}, {0x80, 2, 1}, {0x81, 1, 3}, {0x99, 0, 3}};
    const struct place arb = {2, 2, 0x3b2, 0x3b0, 1, 0, BIT(22)};
    *state = &b;
    bench_open_silent(&b, "virtual:skl,part=plain");
    set(&b, 0xe01, BIT(29));
    for (size_t i = 0; i < ARRAY(rows); i++)
        check(&arb, &rows[i]);
}

static void test_p6(void **state)
{
    static const struct row rows[] = {
        {0xc1, 0, 1}, {0x10, 0, 1}, {0x14, 0, 1}, {0x11, 0, 2},
        {0x12, 0, 2}, {0x13, 0, 2}, {0x79, 0, 3}, {0x01, 0, 3},
    };
    const struct place core = {0, 2, 0x186, 0xc1, 1, 0, BIT(22) | BIT(16) | BIT(17)};
    *state = &b;
    bench_open_silent(&b, "virtual:p6,part=plain");
    for (size_t i = 0; i < ARRAY(rows); i++) {
        struct place second = core;
        check(&(struct place){core.box, 1, core.control, core.value, 1, 0, core.on}, &rows[i]);
        second.control++;
        set(&b, core.control, BIT(22)); /* it enables both */
        second.value++;
        second.counters = 1;
        const bx_selection what = {
            .code = (uint16_t)rows[i].code, .umask = rows[i].umask, .counter = 1};
        set(&b, second.control, rows[i].code | second.on);
        raise_what(&b, &what, 64, 4);
        assert_int_equal(get(&b, second.value) != 0, rows[i].on >> 1);
        set(&b, second.value, 0);
    }
}

static void test_ivy_bridge(void **state)
{
    static const struct row rows[] = {
        {0x00, 0, 15}, {0x11, 1, 1}, {0x1f, 0, 14}, {0x34, 0x11, 3}, {0x35, 8, 3}, {0x36, 8, 1},
        {0x37, 1, 3},  {0x05, 2, 3}, {0x1b, 1, 12}, {0x1e, 15, 12},  {0x39, 1, 3}, {0x98, 8, 15},
    };
    const struct place cbox = {1, 4, 0xd10, 0xd16, 1, 0, BIT(22)};
    *state = &b;
    bench_open_silent(&b, "virtual:ivbep,part=plain");
    set(&b, 0xd14, 0x3f << 17);
    for (size_t i = 0; i < ARRAY(rows); i++)
        check(&cbox, &rows[i]);
}

static void test_b_box(void **state)
{
    static const struct row rows[] = {
        {0x01, 0, 7},  {0x02, 0, 15}, {0x03, 0, 7},  {0x04, 0, 7}, {0x05, 0, 3},  {0x06, 0, 11},
        {0x07, 0, 7},  {0x09, 0, 3},  {0x0a, 0, 2},  {0x0b, 0, 3}, {0x0c, 0, 2},  {0x0f, 0, 11},
        {0x12, 0, 11}, {0x16, 0, 8},  {0x17, 0, 11}, {0x1d, 0, 2}, {0x1e, 0, 15},
    };
    const struct nhmex_counter first = nhmex_counter_of(B_BOX, 0, 0);
    const struct place bbox = {B_BOX, 4, first.control, first.value, 2, 1, first.on};
    *state = &b;
    bench_open_silent(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL);
    set(&b, first.enable, 15);
    for (size_t i = 0; i < ARRAY(rows); i++)
        check(&bbox, &rows[i]);
}

/* No counter selects a code that its control cannot hold. */
static void test_code_of_nothing(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:skl,part=plain");
    set(&b, 0xe01, BIT(29));
    set(&b, 0x3b3, 0x400180);
    raise_signal(&b, 2, 0, 0xffff, 0, 1, 10);
    assert_int_equal(get(&b, 0x3b1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_client, bench_tear_down),
        cmocka_unit_test_teardown(test_p6, bench_tear_down),
        cmocka_unit_test_teardown(test_ivy_bridge, bench_tear_down),
        cmocka_unit_test_teardown(test_b_box, bench_tear_down),
        cmocka_unit_test_teardown(test_code_of_nothing, bench_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
