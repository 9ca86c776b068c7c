/* Reports of invented readings, compared with the exact CSV and JSON. */
#include "report/toy_report.h"

#include <stdlib.h>
#include <string.h>

static void csv(void **state)
{
    toy_fixture *f = *state;
    toy_open_with_one_run(f);
    toy_whole(
        f, BX_FORMAT_CSV,
        "1000000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,25.000000,% miss_ratio\n"
        "4000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
        "500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,lines reads_per_cycle\n"
        "7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
        ",,,,,2.000000,lookups misses_per_read\n"
        ",,,,,32.000000,MB/s read_rate\n");
}

/* A name for each column; a metric's name and its unit have two more columns. */
static void csv_with_header(void **state)
{
    toy_fixture *f = *state;
    f->view.header = true;
    toy_open_with_one_run(f);
    toy_whole(f, BX_FORMAT_CSV,
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
    toy_fixture *f = *state;
    f->view.per_unit = f->view.interval = f->view.repeated = true;
    f->view.at = 0.25;
    f->view.separator = ": ";
    f->readings[4].state = BX_NOT_MODELLED;
    toy_open_with_one_run(f);
    /* ':' is the first character of the separator, so values with ':' are quoted. */
    toy_lines(
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
    toy_fixture *f = *state;
    f->readings[6].state = BX_BLOCKED;
    toy_open_with_one_run(f);
    toy_whole(
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

/* 4 waits of 100 ns in all, of 10 µs that threads worked or waited. */
static void waits_in_order(void **state)
{
    toy_fixture *f = *state;
    f->of.waits = (bx_order_waits){.n = 4, .sum = 100, .longest = 70, .time = 10000};
    toy_open_with_one_run(f);
    f->view.format = BX_FORMAT_CSV;
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p,
                        "# order waits: 4, mean 25.0 ns, longest 70 ns, 1.00% of the time\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_non_null(strstr(f->text.p, ", \"order-waits\" : {\"waits\" : 4, \"mean-ns\" : 25, "
                                      "\"longest-ns\" : 70, \"percent\" : 1}, "));
}

/* The last line of each format says that a run was cut short. */
static void interrupted(void **state)
{
    toy_fixture *f = *state;
    f->of.interrupted = "SIGINT";
    f->of.remark = "interrupted by SIGINT: these are the counts so far";
    toy_open_with_one_run(f);
    bx_report_finish(&f->report, &f->view, &f->text); /* text has it in a remark */
    assert_int_equal(f->text.n, 0);
    f->view.interval = true;
    toy_whole(f, BX_FORMAT_CSV,
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
    toy_fixture *f = *state;
    f->view.per_unit = f->view.interval = f->view.repeated = true;
    f->view.at = 0.25;
    toy_open_with_one_run(f);
    f->readings[0].count++;
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    /* The mean of 400000, 400001 and 400001 is 400000.666667. */
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
    /* As a percentage of 1,000,000. */
    assert_float_equal(strtod(after + strlen(metric), NULL), 0.000057735027, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(csv, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(csv_with_header, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(csv_of_everything, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(json, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(waits_in_order, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(interrupted, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(json_of_everything, toy_set_up, toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
