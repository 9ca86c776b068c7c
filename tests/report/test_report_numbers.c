/* The format of numbers of any size, and the statistics of runs. */
#include "report/toy_report.h"

#include <math.h>
#include <string.h>

static void exact_numbers(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        const char *text;
    } of[] = {{0, "0"},
              {1, "1"},
              {-2.5, "-2.5"},
              {0.1, "0.1"},
              {0.1 + 0.2, "0.30000000000000004"},
              {1.0 / 3, "0.3333333333333333"},
              {1e300, "1e+300"},
              {1e-9, "1e-09"},
              {0x1p64, "1.8446744073709552e+19"},
              {1 / 0.0, "null"}};
    char to[BX_NUMBER];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_string_equal(bx_number_exact(of[i].value, to), of[i].text);
}

/* Numbers above 2^53, and sums of them, are not rounded. */
static void large_counts_are_exact(void **state)
{
    toy_fixture *f = *state;
    f->readings[0].count = UINT64_C(9007199254740993);
    f->readings[1].count = UINT64_C(9007199254740993);
    toy_open_with_one_run(f);
    char text[BX_NUMBER];
    assert_string_equal(bx_record_text(&f->report.records[0], text), "18014398509481986");
    f->text.n = 0;
    f->view.format = BX_FORMAT_TEXT;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "18,014,398,509,481,986 lookups"));
}

static void whole_numbers(void **unused)
{
    (void)unused;
    char text[BX_NUMBER];
    assert_string_equal(bx_number_whole(0, text), "0");
    assert_string_equal(bx_number_whole(999, text), "999");
    assert_string_equal(bx_number_whole(1000, text), "1,000");
    assert_string_equal(bx_number_whole(1234567, text), "1,234,567");
    assert_string_equal(bx_number_whole(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void figures_of_all_sizes(void **unused)
{
    (void)unused;
    char text[BX_NUMBER];
    assert_string_equal(bx_number_figure(0, text), "0.00");
    assert_string_equal(bx_number_figure(1e308, text), "1.00e+308");
    assert_string_equal(bx_number_figure(-1 / 0.0, text), "-inf");
    assert_string_equal(bx_number_plain(1 / 0.0, 2, text), "inf");
    assert_string_equal(bx_number_figure((double)NAN, text), "nan");
    assert_string_equal(bx_number_figure(23.308, text), "23.31");
    assert_string_equal(bx_number_figure(999.999, text), "1,000.00");
    assert_string_equal(bx_number_figure(1234567.6, text), "1,234,568");
    assert_string_equal(bx_number_figure(0.0042, text), "0.0042");
    assert_string_equal(bx_number_figure(0.0000123, text), "1.23e-05");
    assert_string_equal(bx_number_figure(-3.25, text), "-3.25");
    assert_string_equal(bx_number_figure(2.5e20, text), "2.50e+20");
    assert_string_equal(bx_number_plain(12.5, 6, text), "12.500000");
    assert_string_equal(bx_number_plain(0.9999999, 6, text), "1.000000");
    assert_string_equal(bx_number_plain(-1, 0, text), "-1");
}

static void running_stats(void **unused)
{
    (void)unused;
    bx_running_stats s = {0};
    assert_true(bx_running_stats_percent(&s) == 0);
    bx_running_stats_add(&s, 10);
    assert_true(bx_running_stats_percent(&s) == 0);
    bx_running_stats_add(&s, 20);
    bx_running_stats_add(&s, 30);
    /* The standard deviation is 10, that of the mean 10 / sqrt(3), and the mean 20. */
    assert_true(s.mean == 20);
    double percent = bx_running_stats_percent(&s);
    assert_true(percent > 28.86751 && percent < 28.86752);
    /* Times 4.30265 (two degrees of freedom): 124.207. */
    percent = bx_running_stats_confidence(&s);
    assert_true(percent > 124.206 && percent < 124.208);
}

/* The 97.5 % quantiles of Student's t as tables print them (NIST/SEMATECH, e-Handbook of
 * Statistical Methods, 1.3.6.7.2), to three decimals; the last is the normal distribution's. */
static void quantiles(void **unused)
{
    (void)unused;
    static const struct {
        unsigned freedom;
        double t;
    } cases[] = {{1, 12.706}, {2, 4.303},  {4, 2.776},  {9, 2.262},   {30, 2.042},
                 {31, 2.040}, {40, 2.021}, {60, 2.000}, {100, 1.984}, {999999, 1.960}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_running_stats s = {.n = cases[i].freedom + 1, .mean = 100};
        s.squares = (double)s.n * cases[i].freedom; /* so that the mean's deviation is 1 */
        double t = bx_running_stats_confidence(&s);
        if (t < cases[i].t - 0.0006 || t > cases[i].t + 0.0006)
            fail_msg("%u: %f", cases[i].freedom, t);
    }
}

static void growth(void **unused)
{
    (void)unused;
    bx_reading before = {.state = BX_SCALED, .count = 100, .enabled = 1000, .running = 500};
    bx_reading now = {.state = BX_SCALED, .count = 150, .enabled = 1600, .running = 800};
    bx_reading grown = bx_reading_since(&now, &before);
    assert_int_equal(grown.count, 50);
    assert_int_equal(grown.enabled, 600);
    assert_int_equal(grown.running, 300);
    assert_int_equal(grown.state, BX_SCALED);
    now.running = 500;
    assert_int_equal(bx_reading_since(&now, &before).state, BX_NOT_COUNTED);
    now.running = 1100;
    assert_int_equal(bx_reading_since(&now, &before).state, BX_COUNTED);
    now.state = BX_NOT_MODELLED;
    assert_int_equal(bx_reading_since(&now, &before).state, BX_NOT_MODELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_numbers),
        cmocka_unit_test_setup_teardown(large_counts_are_exact, toy_set_up, toy_tear_down),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(figures_of_all_sizes),
        cmocka_unit_test(running_stats),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
