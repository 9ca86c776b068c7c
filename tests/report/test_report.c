/* Reports of invented readings, compared with the exact text. */
#include "report/toy_report.h"

#include "report/label.h"

#include <string.h>

static void text_of_sums(void **state)
{
    toy_fixture *f = *state;
    toy_open_with_one_run(f);
    toy_whole(
        f, BX_FORMAT_TEXT,
        "\n"
        " Performance counter stats for 'gzip x' on virtual:toy:\n"
        "\n"
        "         1,000,000 lookups        toy_cache::LOOKUPS:MISS  #     25.00 % miss_ratio\n"
        "         4,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "           500,000 64 B transfers toy_memory::READS        #    0.0005 lines "
        "reads_per_cycle\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY\n"
        "              2.00 lookups        misses_per_read\n"
        "             32.00 MB/s           read_rate\n"
        "\n"
        "       1.000000000 seconds time elapsed (virtual time: 1,000,000,000 uncore cycles)\n"
        "\n");
}

static void text_of_units(void **state)
{
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->readings[6].package = 1;
    toy_open_with_one_run(f);
    f->view.format = BX_FORMAT_TEXT;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_string_equal(
        f->text.p,
        "S0 Cache 0            400,000 lookups        toy_cache::LOOKUPS:MISS  #     40.00 % "
        "miss_ratio\n"
        "S0 Cache 1            600,000 lookups        toy_cache::LOOKUPS:MISS  #     20.00 % "
        "miss_ratio\n"
        "S0 Cache 0          1,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "S0 Cache 1          3,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "S0 Memory             500,000 64 B transfers toy_memory::READS        #    0.0005 lines "
        "reads_per_cycle\n"
        "S0 Cache 0                  7 cycles         toy_cache::QUEUE:BUSY\n"
        "S1 Cache 1                  0 cycles         toy_cache::QUEUE:BUSY\n"
        "                         2.00 lookups        misses_per_read\n"
        "                        32.00 MB/s           read_rate\n");
}

/* A missing value shows its reason, and no metric is computed from it. */
static void text_of_states(void **state)
{
    toy_fixture *f = *state;
    f->readings[0].state = f->readings[1].state = BX_NOT_MODELLED;
    f->readings[2].state = BX_BLOCKED;
    f->readings[4].state = BX_NOT_MEASURED;
    f->readings[5] = f->readings[6] = toy_counted(3, 0, 0, 0);
    f->readings[5].state = f->readings[6].state = BX_SCALED;
    f->readings[5].running = f->readings[6].running = 0;
    toy_open_with_one_run(f);
    toy_lines(f, BX_FORMAT_TEXT,
              "    <not modelled> lookups        toy_cache::LOOKUPS:MISS\n"
              "         <blocked> lookups        toy_cache::LOOKUPS:ALL   (in 1 of 2 units)\n"
              "    <not measured> 64 B transfers toy_memory::READS\n"
              "     <not counted> cycles         toy_cache::QUEUE:BUSY\n");
}

/* Counted for a sixth of the time: the count is multiplied by six, and the share is shown. 6 x
 * 1,234,568 of 4,000,000 would be 185.19 %. Parts counted at different times can exceed their
 * whole; then 100 % is shown. */
static void text_of_shares(void **state)
{
    toy_fixture *f = *state;
    for (unsigned i = 0; i < 2; i++) {
        f->readings[i].state = BX_SCALED;
        f->readings[i].enabled = 600;
        f->readings[i].running = 100;
    }
    f->readings[0].count = 1234567;
    f->readings[1].count = 1;
    toy_open_with_one_run(f);
    /* 6 x 1,234,567 + 6 x 1 */
    toy_lines(
        f, BX_FORMAT_TEXT,
        "         7,407,408 lookups        toy_cache::LOOKUPS:MISS                                "
        "        #    100.00 % miss_ratio (of different times, no error: no whole turn)  (16.67%, "
        "no error: no whole turn)\n"
        "         4,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "           500,000 64 B transfers toy_memory::READS                                      "
        "        #    0.0005 lines reads_per_cycle\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY\n"
        "             14.81 lookups        misses_per_read (of different times, no error: no whole "
        "turn)\n"
        "             32.00 MB/s           read_rate\n");
}

/* Ten turns of 100 cycles in 2,000. tests/session/test_multiplexing.c works out that differences of
 * 400 give an error of 2.4469 x the root of 4,000 = 154.76. The sum has differences 4 times as
 * large: 309.5. The value is 2 x (5,000 + 5,000) = 20,000. */
static void make_scaled(toy_fixture *f)
{
    const bx_spread spread = {.turns = 10,
                              .counted = 10,
                              .near_squares = 9 * 400,
                              .near_lengths = 9 * 100,
                              .far_squares = 8 * 400,
                              .far_lengths = 8 * 100};
    for (unsigned i = 0; i < 2; i++) {
        bx_reading *r = &f->readings[i];
        r->state = BX_SCALED;
        r->in_turns = true;
        r->enabled = 2000;
        r->running = 1000;
        r->count = 5000;
        r->times = 1;
        r->spread = spread;
    }
    f->readings[0].together = spread;
    f->readings[0].together.near_squares *= 4;
    f->readings[0].together.far_squares *= 4;
}

static void errors(void **state)
{
    toy_fixture *f = *state;
    make_scaled(f);
    toy_open_with_one_run(f);
    f->view.format = BX_FORMAT_TEXT;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "            20,000 lookups "));
    assert_non_null(strstr(f->text.p, "  ( +-  1.55% )  (50.00%)\n"));
    f->view.format = BX_FORMAT_JSON;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "\"pcnt-running\" : 50.00, \"error\" : 309.51"));
    assert_non_null(strstr(f->text.p, ", \"error-percent\" : 1.55, "));
    assert_null(strstr(strchr(f->text.p, '\n'), "error")); /* other events are exact */
    f->view.format = BX_FORMAT_CSV;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ",1.55%\n4000000,lookups,toy_cache::LOOKUPS:ALL,"));
    f->view.per_unit = true; /* 154.76 of 10,000 */
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "Cache 0,10000,lookups,"));
    assert_non_null(strstr(f->text.p, ",1.55%\nS0,Cache 1,10000,lookups,"));
}

/* The reason why there is no error. A sum has none if one of its units has too few turns. */
static void no_errors(void **state)
{
    toy_fixture *f = *state;
    make_scaled(f);
    f->readings[0].together.counted = f->readings[0].spread.counted = 4;
    toy_open_with_one_run(f);
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "\"no-error\" : \"counted in fewer than 5 turns\""));
    assert_null(strstr(f->text.p, "\"error\""));
    f->readings[1].spread.turns = 4;
    bx_report_clear(&f->report);
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    f->view.format = BX_FORMAT_TEXT;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "  (50.00%, no error: fewer than 5 turns)\n"));
    f->readings[1].driver = BX_DRIVER_PERF;
    bx_report_clear(&f->report);
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    f->view.format = BX_FORMAT_CSV;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ",multiplexed by the kernel\n"));
}

/* The turns between two readings of a counter are those that ended in between. */
static void turns_between(void **state)
{
    toy_fixture *f = *state;
    make_scaled(f);
    bx_reading now = f->readings[0], none = {.state = BX_SCALED};
    bx_reading grown = bx_reading_since(&now, &none);
    assert_memory_equal(&grown.spread, &now.spread, sizeof grown.spread);
    assert_memory_equal(&grown.together, &now.together, sizeof grown.together);
    none = now;
    none.spread.turns = 7;
    none.spread.counted = 6;
    none.spread.near_squares = 2400;
    none.spread.near_lengths = 600;
    none.spread.far_squares = 2000;
    none.spread.far_lengths = 500;
    grown = bx_reading_since(&now, &none);
    assert_int_equal(grown.spread.turns, 3);
    assert_int_equal(grown.spread.counted, 4);
    assert_true(grown.spread.near_squares == 1200 && grown.spread.near_lengths == 300);
    assert_true(grown.spread.far_squares == 1200 && grown.spread.far_lengths == 300);
    assert_int_equal(grown.together.turns, 0);
}

/* 400,000 + 600,000, then 200,000 more: mean 1,100,000; the deviation of the mean of two values
 * that are 200,000 apart is 100,000. */
/* The mean of 1,000,000 and 1,200,000 has a standard deviation of 100,000, or 9.0909 %. It is
 * multiplied by 12.706, the quantile of Student's t with one degree of freedom. */
static void text_of_runs(void **state)
{
    toy_fixture *f = *state;
    f->view.repeated = true;
    toy_open_with_one_run(f);
    f->readings[0].count += 200000;
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    toy_below(
        f, " for 'gzip x' on virtual:toy (2 runs):\n",
        " +- is the 95 % confidence interval of the mean\n"
        "\n"
        "         1,100,000 lookups        toy_cache::LOOKUPS:MISS  #     27.50 % miss_ratio     "
        "      ( +-115.51% )\n"
        "         4,000,000 lookups        toy_cache::LOOKUPS:ALL                                "
        "      ( +-  0.00% )\n"
        "           500,000 64 B transfers toy_memory::READS        #    0.0005 lines "
        "reads_per_cycle  ( +-  0.00% )\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY                                 "
        "      ( +-  0.00% )\n"
        "              2.20 lookups        misses_per_read                                      "
        "       ( +-115.51% )\n"
        "             32.00 MB/s           read_rate                                            "
        "       ( +-  0.00% )\n"
        "\n"
        "       1.000000000 seconds time elapsed (virtual time: 1,000,000,000 uncore cycles)  ( "
        "+-  0.00% )\n"
        "\n");
}

static void text_of_intervals(void **state)
{
    toy_fixture *f = *state;
    f->view.interval = true;
    f->view.at = 1.5;
    toy_open_with_one_run(f);
    toy_whole(
        f, BX_FORMAT_TEXT,
        "#           time             counts unit events\n"
        "     1.500000000          1,000,000 lookups        toy_cache::LOOKUPS:MISS  #     25.00 "
        "% miss_ratio\n"
        "     1.500000000          4,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "     1.500000000            500,000 64 B transfers toy_memory::READS        #    0.0005 "
        "lines reads_per_cycle\n"
        "     1.500000000                  7 cycles         toy_cache::QUEUE:BUSY\n"
        "     1.500000000               2.00 lookups        misses_per_read\n"
        "     1.500000000              32.00 MB/s           read_rate\n");
}

static void text_of_intervals_of_metrics(void **state)
{
    toy_fixture *f = *state;
    f->view.interval = f->view.metric_only = true;
    f->view.at = 1.5;
    toy_open_with_one_run(f);
    toy_words(f, BX_FORMAT_TEXT,
              "# time value unit metrics\n"
              "1.500000000 25.00 % miss_ratio\n"
              "1.500000000 0.0005 lines reads_per_cycle\n"
              "1.500000000 2.00 lookups misses_per_read\n"
              "1.500000000 32.00 MB/s read_rate\n");
}

static void text_of_intervals_of_units(void **state)
{
    toy_fixture *f = *state;
    f->view.interval = f->view.per_unit = true;
    f->view.at = 0.00002;
    toy_open_with_one_run(f);
    toy_words(
        f, BX_FORMAT_TEXT,
        "# time where counts unit events\n"
        "0.000020000 S0 Cache 0 400,000 lookups toy_cache::LOOKUPS:MISS # 40.00 % miss_ratio\n"
        "0.000020000 S0 Cache 1 600,000 lookups toy_cache::LOOKUPS:MISS # 20.00 % miss_ratio\n"
        "0.000020000 S0 Cache 0 1,000,000 lookups toy_cache::LOOKUPS:ALL\n"
        "0.000020000 S0 Cache 1 3,000,000 lookups toy_cache::LOOKUPS:ALL\n"
        "0.000020000 S0 Memory 500,000 64 B transfers toy_memory::READS # 0.0005 lines "
        "reads_per_cycle\n"
        "0.000020000 S0 Cache 0 7 cycles toy_cache::QUEUE:BUSY\n"
        "0.000020000 S0 Cache 1 0 cycles toy_cache::QUEUE:BUSY\n"
        "0.000020000 2.00 lookups misses_per_read\n"
        "0.000020000 32.00 MB/s read_rate\n");
}

static void note_comes_first(void **state)
{
    toy_fixture *f = *state;
    f->of.note = "# counted on a virtual machine";
    toy_open_with_one_run(f);
    f->view.format = BX_FORMAT_TEXT;
    bx_report_begin(&f->report, &f->view, &f->text);
    static const char note[] = "# counted on a virtual machine\n\n";
    assert_memory_equal(f->text.p, note, sizeof note - 1);
    assert_non_null(strstr(f->text.p, " for 'gzip x' on virtual:toy:\n\n"));
}

static void counts_by_modifier(void **state)
{
    toy_fixture *f = *state;
    static const struct {
        const char *event, *count;
    } cases[] = {
        {"LOOKUPS:MISS", "lookups"},   {"LOOKUPS:MISS:t=2", "cycles"},
        {"LOOKUPS:MISS:e=1", "rises"}, {"QUEUE:LEVEL", "entry cycles"},
        {"QUEUE:BUSY", "cycles"},      {"QUEUE:BUSY:e=1", "rises"},
        {"READS", "64 B transfers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_evsel event;
        bx_error e = {0};
        assert_int_equal(
            bx_event_parse(f->catalog, 0, cases[i].event, strlen(cases[i].event), &event, &e),
            BX_OK);
        assert_string_equal(bx_label_count(f->catalog, &event), cases[i].count);
    }
}

static void port_lines(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    bx_evsel events[2];
    size_t n;
    assert_int_equal(bx_events_parse(c, -1, "nhmex_unc_rbox::FLITS_SENT,nhmex_unc_bbox::TF_ALL",
                                     events, 2, &n, NULL),
                     BX_OK);
    const bx_reading readings[] = {
        {.event = 0, .unit = 0, .port = 3, .count = 10, .scale = 1, .enabled = 9, .running = 9},
        {.event = 0, .unit = 1, .port = 5, .count = 20, .scale = 1, .enabled = 9, .running = 9},
        {.event = 1,
         .unit = 1,
         .port = BX_ANY,
         .count = 3,
         .scale = 256,
         .enabled = 9,
         .running = 9},
    };
    const bx_measured of = {.catalog = c, .cpu = -1, .hz = 1e9, .events = events, .events_n = 2};
    bx_report report;
    bx_buf text = {0};
    bx_view view = {.format = BX_FORMAT_TEXT, .per_unit = true, .separator = ","};
    assert_int_equal(bx_report_open(&report, &of, readings, 3, NULL), BX_OK);
    bx_report_add(&report, readings, 9);
    bx_report_lines(&report, &view, &text);
    assert_non_null(strstr(text.p, "S0 R-Box port 3 "));
    assert_non_null(strstr(text.p, "S0 R-Box port 5 "));
    assert_non_null(strstr(text.p, "S0 B-Box 1 "));
    assert_non_null(strstr(text.p, " 768 "));
    assert_non_null(strstr(text.p, "  (counts x 256)\n"));
    view.format = BX_FORMAT_CSV;
    bx_report_lines(&report, &view, &text);
    assert_non_null(strstr(text.p, "\nS0,R-Box port 5,20,flits,nhmex_unc_rbox::FLITS_SENT,"));
    assert_non_null(strstr(text.p, "\nS0,B-Box 1,768,entries (x256),nhmex_unc_bbox::TF_ALL,"));
    view.format = BX_FORMAT_JSON;
    bx_report_lines(&report, &view, &text);
    assert_non_null(strstr(text.p, "\"pmu-unit\" : \"R-Box port 5\""));
    assert_non_null(strstr(text.p, "\"event\" : \"nhmex_unc_bbox::TF_ALL\", \"scale\" : 256"));
    bx_buf_free(&text);
    bx_report_close(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_of_sums, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_units, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_states, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_shares, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(errors, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(no_errors, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(turns_between, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_runs, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals_of_metrics, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals_of_units, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(note_comes_first, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(counts_by_modifier, toy_set_up, toy_tear_down),
        cmocka_unit_test(port_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
