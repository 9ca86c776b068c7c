/* The values that the screen of boxscore-top shows, in each of its scales. */
#include "../cmocked.h"

#include "top/view.h"

/* Two intervals of half a second: a count, and a level of the same values. */
static void rates_and_levels(void **state)
{
    (void)state;
    bx_series s = {.most = 10, .keeps = 2};
    bx_series_value v[] = {
        {.event = "resctrl/mbm_total_bytes/", .counts = "bytes", .share = 1},
        {.event = "resctrl/llc_occupancy/", .counts = "bytes", .level = true, .share = 1},
    };
    for (uint64_t i = 0; i < 2; i++) {
        assert_true(bx_series_begin(&s, 0.5));
        for (size_t k = 0; k < 2; k++) {
            v[k].value = 100 + i;
            assert_true(bx_series_add(&s, &v[k]));
        }
    }
    static const double expected[2][BX_SCALES] = {{202, 101, 201}, {101, 101, 101}};
    for (size_t k = 0; k < 2; k++)
        for (unsigned scale = 0; scale < BX_SCALES; scale++) {
            bx_top_view view = {.s = &s, .at = BX_TOP_LAST, .scale = scale};
            const bx_series_family *f = &s.family[k];
            double value;
            assert_true(bx_top_value(&view, f, NULL, &value));
            assert_true(value == expected[k][scale]);
            assert_true(bx_top_value(&view, f, &f->series[0], &value));
            assert_true(value == expected[k][scale]);
            assert_int_equal(bx_top_scale(f, scale), k == 1 ? BX_SCALE_INTERVAL : scale);
        }
    bx_series_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
