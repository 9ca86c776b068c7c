/* Metrics of invented readings: their values, units and bounds, and metrics without a value. */
#include "report/toy_report.h"

#include "report/metrics.h"

#include <string.h>

/* A metric's operand is a selection, not a spelling: a number, another case, or explicit defaults
 * mean the same. An event of a single unit, or with a threshold, is another selection. */
static void metrics_of_any_spelling(void **state)
{
    static const struct {
        const char *misses;
        bool has_metric;
    } spellings[] = {
        {"toy_cache::lookups:miss", true},
        {"LOOKUPS:umask=1", true},
        {"LOOKUPS:MISS:t=0:e=0", true},
        {"LOOKUPS:MISS:counter=1", true},
        {"toy_cache::RAW:code=0x34:umask=0x1", true},
        {"toy_cache1::LOOKUPS:MISS", false},
        {"LOOKUPS:MISS:t=2", false},
        {"LOOKUPS:HIT", false},
    };
    toy_fixture *f = *state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        bx_error e = {0};
        const char *text = spellings[i].misses;
        if (bx_event_parse(f->catalog, 0, text, strlen(text), &f->events[0], &e))
            fail_msg("%s: %s", text, e.message);
        bx_report_close(&f->report);
        toy_open_with_one_run(f);
        const char *name = f->report.records[0].figure.name;
        if (spellings[i].has_metric)
            assert_string_equal(name, "miss_ratio");
        else
            assert_null(name);
    }
}

/* miss_ratio divides the event of readings 0 and 1 by that of 2 and 3, misses_per_read by that of
 * 4. */
static void ratio_of_different_times(void **state)
{
    static const struct {
        uint8_t state[2], times[2]; /* of the first event, of the second */
        uint64_t running;           /* of the second */
        bool mixed;
    } of[] = {
        {{BX_COUNTED, BX_COUNTED}, {0, 0}, TOY_SECOND, false},
        {{BX_SCALED, BX_SCALED}, {2, 2}, TOY_SECOND / 2, false},
        {{BX_SCALED, BX_SCALED}, {1, 2}, TOY_SECOND / 2, true},
        {{BX_SCALED, BX_COUNTED}, {1, 0}, TOY_SECOND, true},
        {{BX_SCALED, BX_SCALED}, {0, 0}, TOY_SECOND / 2, false}, /* a group counted by the kernel */
        {{BX_SCALED, BX_SCALED}, {0, 0}, TOY_SECOND / 4, true},
    };
    toy_fixture *f = *state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        for (unsigned k = 0; k < 5; k++) {
            unsigned event = k == 2 || k == 3;
            f->readings[k].state = of[i].state[event];
            f->readings[k].times = of[i].times[event];
            f->readings[k].enabled = TOY_SECOND;
            f->readings[k].running = event                          ? of[i].running
                                     : of[i].state[0] == BX_COUNTED ? TOY_SECOND
                                                                    : TOY_SECOND / 2;
        }
        toy_open_with_one_run(f);
        const bx_figure *figure = &f->report.records[0].figure;
        assert_int_equal(figure->mixed, of[i].mixed);
        assert_string_equal(figure->label, "% miss_ratio");
        assert_string_equal(figure->shown,
                            of[i].mixed
                                ? "% miss_ratio (of different times, no error: no whole turn)"
                                : "% miss_ratio");
        f->view.format = BX_FORMAT_JSON;
        f->text.n = 0;
        bx_report_lines(&f->report, &f->view, &f->text);
        assert_int_equal(!!strstr(f->text.p, "\"metric-times\" : \"different\""), of[i].mixed);
        bx_report_close(&f->report);
    }
    toy_open(f);
}

/* 1,000,000 +- 100,000 of 4,000,000 +- 400,000. The part's error moves 25 % by 2.5; the whole's
 * error moves it by 2.78, to 1 of 3.6. The bound is the sum of both. If the part may be 0, there is
 * no bound. */
static void bound_of_different_times(void **state)
{
    toy_fixture *f = *state;
    for (unsigned k = 0; k < 4; k++) {
        f->readings[k].state = BX_SCALED;
        f->readings[k].times = k < 2 ? 1 : 2;
        f->readings[k].count /= 2;
        f->readings[k].running = TOY_SECOND / 2;
    }
    toy_open_with_one_run(f);
    bx_record *misses = &f->report.records[f->report.sum_of[0]];
    bx_record *all = &f->report.records[f->report.sum_of[1]];
    misses->no_error = all->no_error = NULL;
    misses->error = 100000;
    all->error = 400000;
    bx_figures_update(&f->report);
    assert_string_equal(misses->figure.shown, "% miss_ratio (of different times, +- 5.28)");
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p,
                           "\"name\" : \"miss_ratio\", \"value\" : 25, \"unit\" : \"%\", "
                           "\"times\" : \"different\", \"error\" : 5.2777"));
    all->error = 4000000;
    bx_figures_update(&f->report);
    assert_string_equal(misses->figure.shown,
                        "% miss_ratio (of different times, no error: a part may be 0)");
    bx_report_add(&f->report, f->readings, TOY_SECOND); /* with two runs, -r shows the deviation */
    assert_string_equal(misses->figure.shown, "% miss_ratio (of different times)");
}

/* Exact parts that exceed their whole contradict each other. An excess below 1 % comes from reading
 * them while they changed. */
static void part_of_a_whole(void **state)
{
    static const struct {
        uint64_t misses;
        const char *shown;
    } of[] = {
        {4000000, "#    100.00 % miss_ratio\n"}, /* of 4,000,000 lookups */
        {4030000, "#    100.00 % miss_ratio\n"},
        {4050000, "# <implausible> % miss_ratio\n"},
        {8000000, "# <implausible> % miss_ratio\n"},
    };
    toy_fixture *f = *state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        f->readings[0].count = of[i].misses;
        f->readings[1].count = 0;
        toy_open_with_one_run(f);
        f->text.n = 0;
        bx_report_lines(&f->report, &f->view, &f->text);
        if (!strstr(f->text.p, of[i].shown))
            fail_msg("%s is not in\n%s", of[i].shown, f->text.p);
        bx_report_close(&f->report);
    }
    toy_open(f);
}

/* Requested metrics are always shown, and no others. */
static void asked_for(void **state)
{
    static const bool asked[] = {true, false, false, false, true}; /* miss_ratio, queue_mean */
    toy_fixture *f = *state;
    f->of.metrics = asked;
    f->readings[2].state = BX_BLOCKED;
    toy_open_with_one_run(f);
    toy_lines(
        f, BX_FORMAT_TEXT,
        "         1,000,000 lookups        toy_cache::LOOKUPS:MISS  # <blocked> % miss_ratio\n"
        "         <blocked> lookups        toy_cache::LOOKUPS:ALL                           "
        "  (in 1 of 2 units)\n"
        "           500,000 64 B transfers toy_memory::READS\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY\n"
        "    <not measured> entries        queue_mean\n");
    toy_lines(f, BX_FORMAT_CSV,
              "1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,<blocked>,% miss_ratio\n"
              "<blocked>,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
              "500000,64 B transfers,toy_memory::READS,1000000000,100.00,,\n"
              "7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
              ",,,,,<not measured>,entries queue_mean\n");
}

/* An event is measured twice: a metric uses the one in the group with its other events. */
static void event_of_two_groups(void **state)
{
    toy_fixture *f = *state;
    bx_error e = {0};
    size_t n;
    bx_report_close(&f->report);
    assert_int_equal(bx_events_parse(f->catalog, 0, "LOOKUPS:MISS,{LOOKUPS:MISS,LOOKUPS:ALL}",
                                     f->events, TOY_EVENTS, &n, &e),
                     BX_OK);
    f->of.events_n = n;
    bx_reading readings[3] = {toy_counted(0, 0, 0, 900), toy_counted(1, 0, 0, 100),
                              toy_counted(2, 0, 0, 400)};
    for (unsigned i = 0; i < 3; i++) {
        readings[i].state = BX_SCALED;
        readings[i].running = TOY_SECOND / 2;
        readings[i].times = i ? 1 : 2;
    }
    assert_int_equal(bx_report_open(&f->report, &f->of, readings, 3, &e), BX_OK);
    bx_report_add(&f->report, readings, TOY_SECOND);
    toy_lines(
        f, BX_FORMAT_TEXT, /* 100 of 400 */
        "             1,800 lookups toy_cache::LOOKUPS:MISS                            (50.00%, "
        "no error: no whole turn)\n"
        "               200 lookups toy_cache::LOOKUPS:MISS  #     25.00 % miss_ratio  (50.00%, "
        "no error: no whole turn)\n"
        "               800 lookups toy_cache::LOOKUPS:ALL                             "
        "(50.00%, no error: no whole turn)\n");
}

/* Divided by 0: "–". */
static void undefined_figures(void **state)
{
    toy_fixture *f = *state;
    for (unsigned i = 0; i < 5; i++)
        f->readings[i].count = 0;
    toy_open_with_one_run(f);
    toy_lines(
        f, BX_FORMAT_TEXT,
        "                 0 lookups        toy_cache::LOOKUPS:MISS  #         – % miss_ratio\n"
        "                 0 lookups        toy_cache::LOOKUPS:ALL\n"
        "                 0 64 B transfers toy_memory::READS        #      0.00 lines "
        "reads_per_cycle\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY\n"
        "                 – lookups        misses_per_read\n"
        "              0.00 MB/s           read_rate\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_null(strstr(f->text.p, "\"metric-value\" : null"));
    assert_non_null(strstr(f->text.p, "{\"name\" : \"miss_ratio\", \"value\" : null, \"state\" : "
                                      "\"divided by 0\", \"unit\" : \"%\"}"));
    assert_non_null(strstr(f->text.p, "{\"name\" : \"misses_per_read\", \"value\" : null, "));
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ",100.00,–,% miss_ratio\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(metrics_of_any_spelling, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(ratio_of_different_times, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(bound_of_different_times, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(part_of_a_whole, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(asked_for, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(event_of_two_groups, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(undefined_figures, toy_set_up, toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
