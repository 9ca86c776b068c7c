/* A link between packages by hand: docs/explanation/model-dram.md, "Links". */
#include "../cmocked.h"

#include "model/part/link.h"

static struct bx_link link_of(bx_model_times times, uint64_t hz)
{
    static struct bx_link l;

    l = (struct bx_link){0};
    bx_link_power_on(&l, &times, 64, hz);
    return l;
}

/* A line takes 10 of the cycles of 1 GHz. */
static void lines_follow_each_other(void **state)
{
    (void)state;
    struct bx_link l = link_of((bx_model_times){.link = 40, .link_rate = 6400}, 1000000000);

    assert_int_equal(bx_link_send(&l, 0, false, 100), 140);
    assert_int_equal(bx_link_send(&l, 0, false, 100), 150);
    assert_int_equal(bx_link_send(&l, 1, false, 100), 140); /* the other direction is free */
    assert_int_equal(bx_link_send(&l, 0, false, 140), 180);
    assert_int_equal(bx_link_send(&l, 0, false, 115), 160); /* from 120, before the one of 140 */
    assert_int_equal(bx_link_send(&l, 0, false, 125), 170); /* the gap from 130 just has room */
    assert_int_equal(bx_link_send(&l, 0, false, 115), 190); /* none before 150 */
}

/* 64 bytes at 25.5 GB/s are 7.03 cycles of 2.8 GHz: 1,000 lines are not 7,000 cycles. */
static void rates_are_exact(void **state)
{
    (void)state;
    struct bx_link l = link_of((bx_model_times){.link = 1, .link_rate = 25500}, 2800000000);
    uint64_t last = 0;

    for (unsigned i = 0; i <= 1000; i++)
        last = bx_link_send(&l, 0, false, 0);
    assert_in_range(last, 7028, 7034);
}

static void modified_lines_have_their_own_latency(void **state)
{
    (void)state;
    struct bx_link l = link_of((bx_model_times){.link = 40, .link_modified = 60}, 0);

    assert_int_equal(bx_link_send(&l, 0, false, 100), 140);
    assert_int_equal(bx_link_send(&l, 0, true, 100), 160);
    l = link_of((bx_model_times){.link = 40}, 0);
    assert_int_equal(bx_link_send(&l, 0, true, 100), 140);
    assert_int_equal(bx_link_send(&l, 0, true, 100), 140); /* no rate: room for all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_follow_each_other),
        cmocka_unit_test(rates_are_exact),
        cmocka_unit_test(modified_lines_have_their_own_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
