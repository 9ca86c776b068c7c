/* Readings made by hand, and the exact text, CSV and JSON that they must give. */
#include "report/toy.h"

#include "report/label.h"

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
                          .machine = "virtual:toy"};
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
                            of[i].mixed ? "% miss_ratio (of different times)" : "% miss_ratio");
        f->view.format = BX_FORMAT_JSON;
        f->text.n = 0;
        bx_report_lines(&f->report, &f->view, &f->text);
        assert_int_equal(!!strstr(f->text.p, "\"metric-times\" : \"different\""), of[i].mixed);
        bx_report_close(&f->report);
    }
    open(f);
}

/* Counted a sixth of the time: the count is scaled by six, and the share follows. */
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
        "         7,407,408 lookups        toy_cache::LOOKUPS:MISS               #    185.19 % "
        "miss_ratio (of different times)  (16.67%)\n"
        "         4,000,000 lookups        toy_cache::LOOKUPS:ALL\n"
        "           500,000 64 B transfers toy_memory::READS                     #    0.0005 lines "
        "reads_per_cycle\n"
        "                 7 cycles         toy_cache::QUEUE:BUSY\n"
        "             14.81 lookups        misses_per_read (of different times)\n"
        "             32.00 MB/s           read_rate\n");
}

/* 400,000 + 600,000, then 200,000 more: mean 1,100,000; the deviation of the mean of two values
 * that are 200,000 apart is 100,000. */
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
          "\n"
          "         1,100,000 lookups        toy_cache::LOOKUPS:MISS  #     27.50 % miss_ratio     "
          "      ( +-  9.09% )\n"
          "         4,000,000 lookups        toy_cache::LOOKUPS:ALL                                "
          "      ( +-  0.00% )\n"
          "           500,000 64 B transfers toy_memory::READS        #    0.0005 lines "
          "reads_per_cycle  ( +-  0.00% )\n"
          "                 7 cycles         toy_cache::QUEUE:BUSY                                 "
          "      ( +-  0.00% )\n"
          "              2.20 lookups        misses_per_read\n"
          "             32.00 MB/s           read_rate\n"
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

static void csv_of_everything(void **state)
{
    fixture *f = *state;
    f->view.per_unit = f->view.interval = f->view.repeated = true;
    f->view.at = 0.25;
    f->view.separator = ": ";
    f->readings[4].state = BX_NOT_MODELLED;
    open_with_one_run(f);
    /* ':' begins the separator: what contains one is quoted. */
    lines(f, BX_FORMAT_CSV,
          "0.250000000: S0: Cache 0: 400000: lookups: \"toy_cache::LOOKUPS:MISS\": 0.00%: "
          "1000000000: 100.00: 40.000000: % miss_ratio\n"
          "0.250000000: S0: Cache 1: 600000: lookups: \"toy_cache::LOOKUPS:MISS\": 0.00%: "
          "1000000000: 100.00: 20.000000: % miss_ratio\n"
          "0.250000000: S0: Cache 0: 1000000: lookups: \"toy_cache::LOOKUPS:ALL\": 0.00%: "
          "1000000000: 100.00: : \n"
          "0.250000000: S0: Cache 1: 3000000: lookups: \"toy_cache::LOOKUPS:ALL\": 0.00%: "
          "1000000000: 100.00: : \n"
          "0.250000000: S0: Memory: <not modelled>: 64 B transfers: \"toy_memory::READS\": 0.00%: "
          "1000000000: 100.00: : \n"
          "0.250000000: S0: Cache 0: 7: cycles: \"toy_cache::QUEUE:BUSY\": 0.00%: 1000000000: "
          "100.00: : \n"
          "0.250000000: S0: Cache 1: 0: cycles: \"toy_cache::QUEUE:BUSY\": 0.00%: 1000000000: "
          "100.00: : \n");
}

static void json(void **state)
{
    fixture *f = *state;
    f->readings[6].state = BX_BLOCKED;
    open_with_one_run(f);
    whole(f, BX_FORMAT_JSON,
          "{\"counter-value\" : \"1000000\", \"unit\" : \"lookups\", \"event\" : "
          "\"toy_cache::LOOKUPS:MISS\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
          "\"metric-value\" : 25.000000, \"metric-unit\" : \"% miss_ratio\", \"more-metrics\" : "
          "[{\"metric-value\" : 2.000000, \"metric-unit\" : \"lookups misses_per_read\"}]}\n"
          "{\"counter-value\" : \"4000000\", \"unit\" : \"lookups\", \"event\" : "
          "\"toy_cache::LOOKUPS:ALL\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00}\n"
          "{\"counter-value\" : \"500000\", \"unit\" : \"64 B transfers\", \"event\" : "
          "\"toy_memory::READS\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
          "\"metric-value\" : 0.000500, \"metric-unit\" : \"lines reads_per_cycle\", "
          "\"more-metrics\" : [{\"metric-value\" : 32.000000, \"metric-unit\" : "
          "\"MB/s read_rate\"}]}\n"
          "{\"counter-value\" : \"<blocked>\", \"unit\" : \"cycles\", \"event\" : "
          "\"toy_cache::QUEUE:BUSY\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
          "\"units\" : 2, \"units-without-value\" : 1}\n");
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
        "\"event\" : \"toy_cache::LOOKUPS:MISS\", \"variance\" : 0.00, "
        "\"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, "
        "\"metric-value\" : 40.000067, \"metric-unit\" : \"% miss_ratio\"}\n";
    assert_memory_equal(f->text.p, expected, strlen(expected));
}

/* Divided by 0: no metric in text and JSON, an empty field in CSV. */
static void undefined_figures(void **state)
{
    fixture *f = *state;
    for (unsigned i = 0; i < 5; i++)
        f->readings[i].count = 0;
    open_with_one_run(f);
    lines(f, BX_FORMAT_TEXT,
          "                 0 lookups        toy_cache::LOOKUPS:MISS\n"
          "                 0 lookups        toy_cache::LOOKUPS:ALL\n"
          "                 0 64 B transfers toy_memory::READS        #      0.00 lines "
          "reads_per_cycle\n"
          "                 7 cycles         toy_cache::QUEUE:BUSY\n"
          "              0.00 MB/s           read_rate\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_null(strstr(f->text.p, "null"));
    assert_null(strstr(f->text.p, "miss_ratio"));
    assert_null(strstr(f->text.p, "misses_per_read"));
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ",100.00,,% miss_ratio\n"));
}

/* ---- numbers ---- */

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
        cmocka_unit_test_setup_teardown(text_of_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_of_intervals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(note_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_of_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_of_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(undefined_figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ratio_of_different_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_counts_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clearing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(event_without_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_by_modifier, set_up, tear_down),
        cmocka_unit_test(port_lines),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(figures_of_all_sizes),
        cmocka_unit_test(running_stats),
        cmocka_unit_test(growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
