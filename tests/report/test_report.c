/* Readings made by hand, and the exact text, CSV and JSON that they must give. */
#include "report/toy.h"

#include "machine/program/process/attached.h"
#include "report/label.h"
#include "report/metrics.h"

#include <string.h>

enum { EVENTS = 4, READINGS = 7, SECOND = 1000000000 /* the toy's time units */ };

typedef struct fixture {
    struct bx_catalog *catalog;
    bx_evsel events[EVENTS];
    bx_reading readings[READINGS];
    bx_measured of;
    bx_report report;
    bx_view view;
    bx_buf text;
} fixture;

static const bx_fact environment[] = {{"machine", "virtual:toy"}};

static bx_reading counted(unsigned event, unsigned package, unsigned unit, uint64_t count)
{
    return (bx_reading){.event = (uint16_t)event,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .state = BX_COUNTED,
                        .count = count,
                        .enabled = SECOND,
                        .running = SECOND};
}

/* Two units of the cache see 1,000,000 misses of 4,000,000 lookups; memory and queue beside them.
 */
static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    bx_error e = {0};
    size_t n;
    f->catalog = toy_catalog();
    assert_int_equal(bx_events_parse(f->catalog, 0, "LOOKUPS:MISS,LOOKUPS:ALL,READS,QUEUE:BUSY",
                                     f->events, EVENTS, &n, &e),
                     BX_OK);
    const bx_reading readings[READINGS] = {
        counted(0, 0, 0, 400000),  counted(0, 0, 1, 600000), counted(1, 0, 0, 1000000),
        counted(1, 0, 1, 3000000), counted(2, 0, 0, 500000), counted(3, 0, 0, 7),
        counted(3, 0, 1, 0),
    };
    memcpy(f->readings, readings, sizeof readings);
    f->of = (bx_measured){.catalog = f->catalog,
                          .cpu = 0,
                          .hz = SECOND,
                          .events = f->events,
                          .events_n = EVENTS,
                          .clock = "uncore cycles",
                          .subject = "'gzip x'",
                          .machine = "virtual:toy",
                          .environment = environment,
                          .environment_n = 1};
    f->view = (bx_view){.separator = ","};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    bx_report_close(&f->report);
    bx_buf_free(&f->text);
    free(f->catalog);
    free(f);
    return 0;
}

static void open(fixture *f)
{
    bx_error e = {0};
    assert_int_equal(bx_report_open(&f->report, &f->of, f->readings, READINGS, &e), BX_OK);
}

static void open_with_one_run(fixture *f)
{
    open(f);
    bx_report_add(&f->report, f->readings, SECOND);
}

/* All of a format, or its lines alone. */
static void whole(fixture *f, bx_format format, const char *expected)
{
    f->view.format = format;
    bx_report_begin(&f->report, &f->view, &f->text);
    bx_report_lines(&f->report, &f->view, &f->text);
    bx_report_end(&f->report, &f->view, &f->text);
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p, expected);
}

static void lines(fixture *f, bx_format format, const char *expected)
{
    f->view.format = format;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p, expected);
}

/* ---- text ---- */

static void text_of_sums(void **state)
{
    fixture *f = *state;
    open_with_one_run(f);
    whole(f, BX_FORMAT_TEXT,
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

/* A metric's operand is the selection, not its spelling: by number, another case, presets written
 * out. One of a single unit, or with a threshold, is another one. */
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
    fixture *f = *state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        bx_error e = {0};
        const char *text = spellings[i].misses;
        if (bx_event_parse(f->catalog, 0, text, strlen(text), &f->events[0], &e))
            fail_msg("%s: %s", text, e.message);
        bx_report_close(&f->report);
        open_with_one_run(f);
        const char *name = f->report.records[0].figure.name;
        if (spellings[i].has_metric)
            assert_string_equal(name, "miss_ratio");
        else
            assert_null(name);
    }
}

static void text_of_units(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->readings[6].package = 1;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
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
    fixture *f = *state;
    f->readings[0].state = f->readings[1].state = BX_NOT_MODELLED;
    f->readings[2].state = BX_BLOCKED;
    f->readings[4].state = BX_NOT_MEASURED;
    f->readings[5] = f->readings[6] = counted(3, 0, 0, 0);
    f->readings[5].state = f->readings[6].state = BX_SCALED;
    f->readings[5].running = f->readings[6].running = 0;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
          "    <not modelled> lookups        toy_cache::LOOKUPS:MISS\n"
          "         <blocked> lookups        toy_cache::LOOKUPS:ALL   (in 1 of 2 units)\n"
          "    <not measured> 64 B transfers toy_memory::READS\n"
          "     <not counted> cycles         toy_cache::QUEUE:BUSY\n");
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
        {{BX_COUNTED, BX_COUNTED}, {0, 0}, SECOND, false},
        {{BX_SCALED, BX_SCALED}, {2, 2}, SECOND / 2, false},
        {{BX_SCALED, BX_SCALED}, {1, 2}, SECOND / 2, true},
        {{BX_SCALED, BX_COUNTED}, {1, 0}, SECOND, true},
        {{BX_SCALED, BX_SCALED}, {0, 0}, SECOND / 2, false}, /* a group of the kernel */
        {{BX_SCALED, BX_SCALED}, {0, 0}, SECOND / 4, true},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        for (unsigned k = 0; k < 5; k++) {
            unsigned event = k == 2 || k == 3;
            f->readings[k].state = of[i].state[event];
            f->readings[k].times = of[i].times[event];
            f->readings[k].enabled = SECOND;
            f->readings[k].running = event                          ? of[i].running
                                     : of[i].state[0] == BX_COUNTED ? SECOND
                                                                    : SECOND / 2;
        }
        open_with_one_run(f);
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
    open(f);
}

/* 1,000,000 +- 100,000 of 4,000,000 +- 400,000: the part moves 25 % by 2.5; the whole, as
 * 3,600,000, by 2.78. Both together are the most that they can do. A part that may be 0 bounds
 * nothing. */
static void bound_of_different_times(void **state)
{
    fixture *f = *state;
    for (unsigned k = 0; k < 4; k++) {
        f->readings[k].state = BX_SCALED;
        f->readings[k].times = k < 2 ? 1 : 2;
        f->readings[k].count /= 2;
        f->readings[k].running = SECOND / 2;
    }
    open_with_one_run(f);
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
    bx_report_add(&f->report, f->readings, SECOND); /* of two runs -r has the deviation */
    assert_string_equal(misses->figure.shown, "% miss_ratio (of different times)");
}

/* Exact parts that are more than their whole contradict each other; by less than 1 % they were read
 * while they changed. */
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
    fixture *f = *state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        f->readings[0].count = of[i].misses;
        f->readings[1].count = 0;
        open_with_one_run(f);
        f->text.n = 0;
        bx_report_lines(&f->report, &f->view, &f->text);
        if (!strstr(f->text.p, of[i].shown))
            fail_msg("%s is not in\n%s", of[i].shown, f->text.p);
        bx_report_close(&f->report);
    }
    open(f);
}

/* Metrics that were asked for are shown in any case, and no others. */
static void asked_for(void **state)
{
    static const bool asked[] = {true, false, false, false, true}; /* miss_ratio, queue_mean */
    fixture *f = *state;
    f->of.metrics = asked;
    f->readings[2].state = BX_BLOCKED;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
          "         1,000,000 lookups        toy_cache::LOOKUPS:MISS  # <blocked> % miss_ratio\n"
          "         <blocked> lookups        toy_cache::LOOKUPS:ALL                           "
          "  (in 1 of 2 units)\n"
          "           500,000 64 B transfers toy_memory::READS\n"
          "                 7 cycles         toy_cache::QUEUE:BUSY\n"
          "    <not measured> entries        queue_mean\n");
    lines(f, BX_FORMAT_CSV,
          "1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,<blocked>,% miss_ratio\n"
          "<blocked>,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
          "500000,64 B transfers,toy_memory::READS,1000000000,100.00,,\n"
          "7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
          ",,,,,<not measured>,entries queue_mean\n");
}

/* An event that is measured twice: a metric takes the one of the group that has its other events.
 */
static void event_of_two_groups(void **state)
{
    fixture *f = *state;
    bx_error e = {0};
    size_t n;
    bx_report_close(&f->report);
    assert_int_equal(bx_events_parse(f->catalog, 0, "LOOKUPS:MISS,{LOOKUPS:MISS,LOOKUPS:ALL}",
                                     f->events, EVENTS, &n, &e),
                     BX_OK);
    f->of.events_n = n;
    bx_reading readings[3] = {counted(0, 0, 0, 900), counted(1, 0, 0, 100), counted(2, 0, 0, 400)};
    for (unsigned i = 0; i < 3; i++) {
        readings[i].state = BX_SCALED;
        readings[i].running = SECOND / 2;
        readings[i].times = i ? 1 : 2;
    }
    assert_int_equal(bx_report_open(&f->report, &f->of, readings, 3, &e), BX_OK);
    bx_report_add(&f->report, readings, SECOND);
    lines(f, BX_FORMAT_TEXT, /* 100 of 400 */
          "             1,800 lookups toy_cache::LOOKUPS:MISS                            (50.00%, "
          "no error: no whole turn)\n"
          "               200 lookups toy_cache::LOOKUPS:MISS  #     25.00 % miss_ratio  (50.00%, "
          "no error: no whole turn)\n"
          "               800 lookups toy_cache::LOOKUPS:ALL                             "
          "(50.00%, no error: no whole turn)\n");
}

/* Counted a sixth of the time: the count is scaled by six, and the share follows. 6 x 1,234,568 of
 * 4,000,000 would be 185.19 %: parts of different times can seem more than their whole, and it is
 * then all of it. */
static void text_of_shares(void **state)
{
    fixture *f = *state;
    for (unsigned i = 0; i < 2; i++) {
        f->readings[i].state = BX_SCALED;
        f->readings[i].enabled = 600;
        f->readings[i].running = 100;
    }
    f->readings[0].count = 1234567;
    f->readings[1].count = 1;
    open_with_one_run(f);
    /* 6 x 1,234,567 + 6 x 1 */
    lines(
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

/* Ten turns of 100 cycles in 2,000; tests/session/test_multiplexing.c works out that the error is
 * 2.4469 x the root of 4,000 = 154.76 for differences of 400. Those of the sum are 4 times as much:
 * 309.5. The value is 2 x (5,000 + 5,000) = 20,000. */
static void make_scaled(fixture *f)
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
    fixture *f = *state;
    make_scaled(f);
    open_with_one_run(f);
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

/* Why there is none: of a sum, if one of its units has none for want of turns. */
static void no_errors(void **state)
{
    fixture *f = *state;
    make_scaled(f);
    f->readings[0].together.counted = f->readings[0].spread.counted = 4;
    open_with_one_run(f);
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "\"no-error\" : \"counted in fewer than 5 turns\""));
    assert_null(strstr(f->text.p, "\"error\""));
    f->readings[1].spread.turns = 4;
    bx_report_clear(&f->report);
    bx_report_add(&f->report, f->readings, SECOND);
    f->view.format = BX_FORMAT_TEXT;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, "  (50.00%, no error: fewer than 5 turns)\n"));
    f->readings[1].driver = BX_DRIVER_PERF;
    bx_report_clear(&f->report);
    bx_report_add(&f->report, f->readings, SECOND);
    f->view.format = BX_FORMAT_CSV;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ",multiplexed by the kernel\n"));
}

/* Between two readings of a counter are the turns that have ended meanwhile. */
static void turns_between(void **state)
{
    fixture *f = *state;
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
/* Of 1,000,000 and 1,200,000 the mean's standard deviation is 100,000: 9.0909 % of it,
 * times 12.706, the quantile of Student's t with one degree of freedom. */
static void text_of_runs(void **state)
{
    fixture *f = *state;
    f->view.repeated = true;
    open_with_one_run(f);
    f->readings[0].count += 200000;
    bx_report_add(&f->report, f->readings, SECOND);
    whole(f, BX_FORMAT_TEXT,
          "\n"
          " Performance counter stats for 'gzip x' on virtual:toy (2 runs):\n"
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
    fixture *f = *state;
    f->view.interval = true;
    f->view.at = 1.5;
    open_with_one_run(f);
    whole(f, BX_FORMAT_TEXT,
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

static void text_of_intervals_of_units(void **state)
{
    fixture *f = *state;
    f->view.interval = f->view.per_unit = true;
    f->view.at = 0.00002;
    open_with_one_run(f);
    whole(
        f, BX_FORMAT_TEXT,
        "#           time where                  counts unit events\n"
        "     0.000020000 S0 Cache 0            400,000 lookups        toy_cache::LOOKUPS:MISS  # "
        "    40.00 % miss_ratio\n"
        "     0.000020000 S0 Cache 1            600,000 lookups        toy_cache::LOOKUPS:MISS  # "
        "    20.00 % miss_ratio\n"
        "     0.000020000 S0 Cache 0          1,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "     0.000020000 S0 Cache 1          3,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "     0.000020000 S0 Memory             500,000 64 B transfers toy_memory::READS        # "
        "   0.0005 lines reads_per_cycle\n"
        "     0.000020000 S0 Cache 0                  7 cycles         toy_cache::QUEUE:BUSY\n"
        "     0.000020000 S0 Cache 1                  0 cycles         toy_cache::QUEUE:BUSY\n"
        "     0.000020000                          2.00 lookups        misses_per_read\n"
        "     0.000020000                         32.00 MB/s           read_rate\n");
}

static void note_comes_first(void **state)
{
    fixture *f = *state;
    f->of.note = "# counted on a virtual machine";
    open_with_one_run(f);
    f->view.format = BX_FORMAT_TEXT;
    bx_report_begin(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p, "# counted on a virtual machine\n"
                                   "\n"
                                   " Performance counter stats for 'gzip x' on virtual:toy:\n"
                                   "\n");
}

/* ---- CSV and JSON ---- */

static void csv(void **state)
{
    fixture *f = *state;
    open_with_one_run(f);
    whole(
        f, BX_FORMAT_CSV,
        "1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,25.000000,% miss_ratio\n"
        "4000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
        "500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,lines reads_per_cycle\n"
        "7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
        ",,,,,2.000000,lookups misses_per_read\n"
        ",,,,,32.000000,MB/s read_rate\n");
}

/* A name for each column; two more have a metric's name and its unit apart. */
static void csv_with_header(void **state)
{
    fixture *f = *state;
    f->view.header = true;
    open_with_one_run(f);
    whole(f, BX_FORMAT_CSV,
          "counter-value,unit,event,event-runtime,pcnt-running,metric-value,metric-unit,metric,"
          "unit-of-metric\n"
          "1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,25.000000,% miss_ratio,"
          "miss_ratio,%\n"
          "4000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,,,\n"
          "500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,"
          "lines reads_per_cycle,reads_per_cycle,lines\n"
          "7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,,,\n"
          ",,,,,2.000000,lookups misses_per_read,misses_per_read,lookups\n"
          ",,,,,32.000000,MB/s read_rate,read_rate,MB/s\n");
    f->text.n = 0;
    f->view.per_unit = f->view.interval = f->view.repeated = f->view.regions = true;
    bx_report_begin(&f->report, &f->view, &f->text);
    assert_string_equal(
        f->text.p,
        "interval,region,threads,thread,core,entered,not-ended,not-begun,package,pmu-unit,"
        "counter-value,unit,event,variance,confidence,event-runtime,pcnt-running,metric-value,"
        "metric-unit,"
        "metric,unit-of-metric\n");
}

static void csv_of_everything(void **state)
{
    fixture *f = *state;
    f->view.per_unit = f->view.interval = f->view.repeated = true;
    f->view.at = 0.25;
    f->view.separator = ": ";
    f->readings[4].state = BX_NOT_MODELLED;
    open_with_one_run(f);
    /* ':' begins the separator: what contains one is quoted. */
    lines(
        f, BX_FORMAT_CSV,
        "0.250000000: S0: Cache 0: 400000: lookups: \"toy_cache::LOOKUPS:MISS\": 0.00%: 0.00%: "
        "1000000000: 100.00: 40.000000: % miss_ratio\n"
        "0.250000000: S0: Cache 1: 600000: lookups: \"toy_cache::LOOKUPS:MISS\": 0.00%: 0.00%: "
        "1000000000: 100.00: 20.000000: % miss_ratio\n"
        "0.250000000: S0: Cache 0: 1000000: lookups: \"toy_cache::LOOKUPS:ALL\": 0.00%: 0.00%: "
        "1000000000: 100.00: : \n"
        "0.250000000: S0: Cache 1: 3000000: lookups: \"toy_cache::LOOKUPS:ALL\": 0.00%: 0.00%: "
        "1000000000: 100.00: : \n"
        "0.250000000: S0: Memory: <not modelled>: 64 B transfers: \"toy_memory::READS\": 0.00%: "
        "0.00%: "
        "1000000000: 100.00: : \n"
        "0.250000000: S0: Cache 0: 7: cycles: \"toy_cache::QUEUE:BUSY\": 0.00%: 0.00%: 1000000000: "
        "100.00: : \n"
        "0.250000000: S0: Cache 1: 0: cycles: \"toy_cache::QUEUE:BUSY\": 0.00%: 0.00%: 1000000000: "
        "100.00: : \n");
}

static void json(void **state)
{
    fixture *f = *state;
    f->readings[6].state = BX_BLOCKED;
    open_with_one_run(f);
    whole(
        f, BX_FORMAT_JSON,
        "{\"counter-value\" : \"1000000\", \"unit\" : \"lookups\", \"event\" : "
        "\"toy_cache::LOOKUPS:MISS\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"metric-value\" : 25.000000, \"metric-unit\" : \"% miss_ratio\", "
        "\"value\" : 1000000, \"state\" : \"counted\", \"metrics\" : "
        "[{\"name\" : \"miss_ratio\", \"value\" : 25, \"unit\" : \"%\"}, "
        "{\"name\" : \"misses_per_read\", \"value\" : 2, \"unit\" : \"lookups\"}]}\n"
        "{\"counter-value\" : \"4000000\", \"unit\" : \"lookups\", \"event\" : "
        "\"toy_cache::LOOKUPS:ALL\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"value\" : 4000000, \"state\" : \"counted\", \"metrics\" : []}\n"
        "{\"counter-value\" : \"500000\", \"unit\" : \"64 B transfers\", \"event\" : "
        "\"toy_memory::READS\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"metric-value\" : 0.000500, \"metric-unit\" : \"lines reads_per_cycle\", "
        "\"value\" : 500000, \"state\" : \"counted\", \"metrics\" : "
        "[{\"name\" : \"reads_per_cycle\", \"value\" : 0.0005, \"unit\" : \"lines\"}, "
        "{\"name\" : \"read_rate\", \"value\" : 32, \"unit\" : \"MB/s\"}]}\n"
        "{\"counter-value\" : \"<blocked>\", \"unit\" : \"cycles\", \"event\" : "
        "\"toy_cache::QUEUE:BUSY\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"units\" : 2, \"units-without-value\" : 1, \"value\" : null, \"state\" : \"blocked\", "
        "\"metrics\" : []}\n"
        "{\"run\" : {\"work\" : \"'gzip x'\", \"runs\" : 1, \"seconds\" : 1, \"exit-status\" : 0, "
        "\"environment\" : {\"machine\" : \"virtual:toy\"}}}\n");
}

/* The last line of each format tells that a run was cut short. */
static void interrupted(void **state)
{
    fixture *f = *state;
    f->of.interrupted = "SIGINT";
    f->of.remark = "interrupted by SIGINT: these are the counts so far";
    open_with_one_run(f);
    bx_report_finish(&f->report, &f->view, &f->text); /* text has said it with its remark */
    assert_int_equal(f->text.n, 0);
    f->view.interval = true;
    whole(f, BX_FORMAT_CSV,
          ""
          "0.000000000,1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,25.000000,"
          "% miss_ratio\n"
          "0.000000000,4000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
          "0.000000000,500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,"
          "lines reads_per_cycle\n"
          "0.000000000,7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
          "0.000000000,,,,,,2.000000,lookups misses_per_read\n"
          "0.000000000,,,,,,32.000000,MB/s read_rate\n"
          "# interrupted by SIGINT\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_TEXT;
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p, "# interrupted by SIGINT: these are the counts so far\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ", \"exit-status\" : 0, \"interrupted\" : \"SIGINT\", "));
}

static void json_of_everything(void **state)
{
    fixture *f = *state;
    f->view.per_unit = f->view.interval = f->view.repeated = true;
    f->view.at = 0.25;
    open_with_one_run(f);
    f->readings[0].count++;
    bx_report_add(&f->report, f->readings, SECOND);
    bx_report_add(&f->report, f->readings, SECOND);
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    /* Of 400000, 400001 and 400001 the mean is 400000.666667. */
    const char *expected =
        "{\"interval\" : 0.250000000, \"package\" : 0, \"pmu-unit\" : \"Cache 0\", "
        "\"counter-value\" : \"400000.666667\", \"unit\" : \"lookups\", "
        "\"event\" : \"toy_cache::LOOKUPS:MISS\", \"variance\" : 0.00, \"confidence\" : 0.00, "
        "\"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"metric-value\" : 40.000067, \"metric-unit\" : \"% miss_ratio\", "
        "\"value\" : 400000.6666666667, \"state\" : \"counted\", "
        "\"standard-deviation\" : ";
    assert_memory_equal(f->text.p, expected, strlen(expected));
    /* The root of (0.667^2 + 2 x 0.333^2) / 2. */
    char *after;
    assert_float_equal(strtod(f->text.p + strlen(expected), &after), 0.57735027, 1e-7);
    static const char metric[] = ", \"metrics\" : [{\"name\" : \"miss_ratio\", "
                                 "\"value\" : 40.00006666666667, \"unit\" : \"%\", "
                                 "\"standard-deviation\" : ";
    assert_memory_equal(after, metric, strlen(metric));
    /* In percent of 1,000,000. */
    assert_float_equal(strtod(after + strlen(metric), NULL), 0.000057735027, 1e-10);
}

/* Divided by 0: "–". */
static void undefined_figures(void **state)
{
    fixture *f = *state;
    for (unsigned i = 0; i < 5; i++)
        f->readings[i].count = 0;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
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

/* ---- numbers ---- */

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

/* Nothing above 2^53 is rounded on its way, nor a sum of such. */
static void large_counts_are_exact(void **state)
{
    fixture *f = *state;
    f->readings[0].count = UINT64_C(9007199254740993);
    f->readings[1].count = UINT64_C(9007199254740993);
    open_with_one_run(f);
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
    /* Standard deviation 10, of the mean 10 / sqrt(3), over 20. */
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

/* ---- parts of the units, the largest, metrics alone ---- */

/* Reading 3, the second unit of the cache, is now of another package. */
static void text_of_packages(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_PACKAGE;
    f->readings[1].package = f->readings[3].package = f->readings[6].package = 1;
    f->readings[6].state = BX_BLOCKED;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
          "S0            400,000 lookups        toy_cache::LOOKUPS:MISS  #     40.00 % miss_ratio\n"
          "S1            600,000 lookups        toy_cache::LOOKUPS:MISS  #     20.00 % miss_ratio\n"
          "S0          1,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
          "S1          3,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
          "S0            500,000 64 B transfers toy_memory::READS        #    0.0005 lines "
          "reads_per_cycle\n"
          "S0                  7 cycles         toy_cache::QUEUE:BUSY\n"
          "S1          <blocked> cycles         toy_cache::QUEUE:BUSY\n"
          "                 2.00 lookups        misses_per_read\n"
          "                32.00 MB/s           read_rate\n");
}

/* Both units of a package together: 1,000,000 of 4,000,000. */
static void one_package(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_PACKAGE;
    f->readings[2].state = BX_BLOCKED;
    open_with_one_run(f);
    bx_report_clear(&f->report);
    f->readings[2].state = BX_COUNTED;
    bx_report_add(&f->report, f->readings, SECOND);
    f->text.n = 0;
    f->view.format = BX_FORMAT_TEXT;
    bx_report_lines(&f->report, &f->view, &f->text);
    static const char first[] =
        "S0          1,000,000 lookups        toy_cache::LOOKUPS:MISS  #     "
        "25.00 % miss_ratio\n"
        "S0          4,000,000 lookups        toy_cache::LOOKUPS:ALL\n";
    assert_memory_equal(f->text.p, first, strlen(first));
}

/* What is of no such kind has one line in all. */
static void no_such_part(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_CORE;
    open_with_one_run(f);
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    static const char first[] = ",,1000000,lookups,toy_cache::LOOKUPS:MISS,";
    assert_memory_equal(f->text.p, first, strlen(first));
}

static void the_largest(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->of.top = 1;
    open_with_one_run(f);
    static const char *const expected[] = {
        "S0,Cache 1,600000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,20.000000,% "
        "miss_ratio\n"
        "S0,Cache 1,3000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
        "S0,Memory,500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,lines "
        "reads_per_cycle\n"
        "S0,Cache 0,7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
        ",,,,,,,2.000000,lookups misses_per_read\n"
        ",,,,,,,32.000000,MB/s read_rate\n",
        /* in the next interval it is another one; a unit without a value comes last */
        "S0,Cache 0,400000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,40.000000,% "
        "miss_ratio\n"
        "S0,Cache 0,1000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"};
    lines(f, BX_FORMAT_CSV, expected[0]);
    bx_report_clear(&f->report);
    f->readings[1].state = BX_BLOCKED;
    f->readings[3].count = 999999;
    bx_report_add(&f->report, f->readings, SECOND);
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_memory_equal(f->text.p, expected[1], strlen(expected[1]));
}

static void metrics_alone(void **state)
{
    fixture *f = *state;
    f->view.metric_only = true;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
          "             25.00 %       miss_ratio\n"
          "            0.0005 lines   reads_per_cycle\n"
          "              2.00 lookups misses_per_read\n"
          "             32.00 MB/s    read_rate\n");
    lines(f, BX_FORMAT_CSV,
          "toy_cache::LOOKUPS:MISS,25.000000,% miss_ratio\n"
          "toy_memory::READS,0.000500,lines reads_per_cycle\n"
          ",2.000000,lookups misses_per_read\n"
          ",32.000000,MB/s read_rate\n");
    /* JSON has metrics apart in any case, and leaves nothing out. */
    bx_buf whole_json = {0};
    f->view.metric_only = false;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &whole_json);
    f->view.metric_only = true;
    lines(f, BX_FORMAT_JSON, whole_json.p);
    bx_buf_free(&whole_json);
}

/* Threads and CPUs have lines of their own; an event that the machine lacks has one, and no unit.
 */
static void threads_and_cpus(void **state)
{
    fixture *f = *state;
    const bx_attached_thread threads[] = {{.id = 7, .name = "worker"}};
    f->of.threads = threads;
    f->of.threads_n = 1;
    f->view.per_unit = true;
    f->readings[0].thread = 7;
    f->readings[1].thread = 8;
    f->readings[2].on_cpu = 1 + 12;
    f->readings[3].state = f->readings[4].state = BX_NOT_SUPPORTED;
    f->readings[4].unit = BX_PROGRAM;
    open_with_one_run(f);
    lines(f, BX_FORMAT_CSV,
          ",worker-7,400000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,,\n"
          ",thread-8,600000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,,\n"
          "S0,CPU 12,1000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
          "S0,Cache 1,<not supported>,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
          ",,<not supported>,64 B transfers,toy_memory::READS,1000000000,100.00,,\n"
          "S0,Cache 0,7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
          "S0,Cache 1,0,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n");
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

static void clearing(void **state)
{
    fixture *f = *state;
    f->readings[0].state = BX_BLOCKED;
    open_with_one_run(f);
    bx_report_clear(&f->report);
    f->readings[0].state = BX_COUNTED;
    bx_report_add(&f->report, f->readings, SECOND / 2);
    char text[BX_NUMBER];
    assert_string_equal(bx_record_text(&f->report.records[0], text), "1000000");
    assert_int_equal(f->report.elapsed.n, 1);
    assert_true(f->report.elapsed.mean == SECOND / 2);
}

/* An event of which the machine has no unit: one line, and no 0. */
static void event_without_units(void **state)
{
    fixture *f = *state;
    f->view.per_unit = true;
    f->readings[4] = counted(3, 1, 0, 5);
    open_with_one_run(f);
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(
        strstr(f->text.p, "\n,,<not measured>,64 B transfers,toy_memory::READS,0,0.00,,\n"));
}

/* ---- what one count is ---- */

static void counts_by_modifier(void **state)
{
    fixture *f = *state;
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

/* ---- ports, and counts that stand for more than one ---- */

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
        cmocka_unit_test_setup_teardown(text_of_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metrics_of_any_spelling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_shares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(turns_between, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals_of_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(note_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_of_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_with_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interrupted, set_up, tear_down),
        cmocka_unit_test(exact_numbers),
        cmocka_unit_test_setup_teardown(json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_of_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(undefined_figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ratio_of_different_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bound_of_different_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(part_of_a_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(event_of_two_groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_counts_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clearing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(event_without_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_by_modifier, set_up, tear_down),
        cmocka_unit_test(port_lines),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(figures_of_all_sizes),
        cmocka_unit_test(running_stats),
        cmocka_unit_test(quantiles),
        cmocka_unit_test_setup_teardown(text_of_packages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_package, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_such_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_largest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metrics_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_and_cpus, set_up, tear_down),
        cmocka_unit_test(growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
