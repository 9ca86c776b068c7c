/* The views of a report: parts of the units, the largest units, metrics alone, threads. Also
 * reports that are cleared. */
#include "report/toy_report.h"

#include "machine/program/process/attached.h"

#include <string.h>

/* Reading 3, the second unit of the cache, is now in another package. */
static void text_of_packages(void **state)
{
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_PACKAGE;
    f->readings[1].package = f->readings[3].package = f->readings[6].package = 1;
    f->readings[6].state = BX_BLOCKED;
    toy_open_with_one_run(f);
    toy_lines(
        f, BX_FORMAT_TEXT,
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
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_PACKAGE;
    f->readings[2].state = BX_BLOCKED;
    toy_open_with_one_run(f);
    bx_report_clear(&f->report);
    f->readings[2].state = BX_COUNTED;
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    f->text.n = 0;
    f->view.format = BX_FORMAT_TEXT;
    bx_report_lines(&f->report, &f->view, &f->text);
    static const char first[] =
        "S0 1,000,000 lookups toy_cache::LOOKUPS:MISS # 25.00 % miss_ratio\n"
        "S0 4,000,000 lookups toy_cache::LOOKUPS:ALL\n";
    toy_spaced(f->text.p);
    assert_memory_equal(f->text.p, first, strlen(first));
}

/* An event without such a part has one line for all. */
static void no_such_part(void **state)
{
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->of.per = BX_PER_CORE;
    toy_open_with_one_run(f);
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    static const char first[] = ",,1000000,lookups,toy_cache::LOOKUPS:MISS,";
    assert_memory_equal(f->text.p, first, strlen(first));
}

static void the_largest(void **state)
{
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->of.top = 1;
    toy_open_with_one_run(f);
    static const char *const expected[] = {
        "S0,Cache 1,600000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,20.000000,% "
        "miss_ratio\n"
        "S0,Cache 1,3000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
        "S0,Memory,500000,64 B transfers,toy_memory::READS,1000000000,100.00,0.000500,lines "
        "reads_per_cycle\n"
        "S0,Cache 0,7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
        ",,,,,,,2.000000,lookups misses_per_read\n"
        ",,,,,,,32.000000,MB/s read_rate\n",
        /* in the next interval another unit is the largest; a unit without a value comes last */
        "S0,Cache 0,400000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,40.000000,% "
        "miss_ratio\n"
        "S0,Cache 0,1000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"};
    toy_lines(f, BX_FORMAT_CSV, expected[0]);
    bx_report_clear(&f->report);
    f->readings[1].state = BX_BLOCKED;
    f->readings[3].count = 999999;
    bx_report_add(&f->report, f->readings, TOY_SECOND);
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_memory_equal(f->text.p, expected[1], strlen(expected[1]));
}

static void metrics_alone(void **state)
{
    toy_fixture *f = *state;
    f->view.metric_only = true;
    toy_open_with_one_run(f);
    toy_lines(f, BX_FORMAT_TEXT,
              "             25.00 %       miss_ratio\n"
              "            0.0005 lines   reads_per_cycle\n"
              "              2.00 lookups misses_per_read\n"
              "             32.00 MB/s    read_rate\n");
    toy_lines(f, BX_FORMAT_CSV,
              "toy_cache::LOOKUPS:MISS,25.000000,% miss_ratio\n"
              "toy_memory::READS,0.000500,lines reads_per_cycle\n"
              ",2.000000,lookups misses_per_read\n"
              ",32.000000,MB/s read_rate\n");
    /* JSON always separates metrics, and leaves nothing out. */
    bx_buf whole_json = {0};
    f->view.metric_only = false;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &whole_json);
    f->view.metric_only = true;
    toy_lines(f, BX_FORMAT_JSON, whole_json.p);
    bx_buf_free(&whole_json);
}

/* Each thread and each CPU has a line. An event that the machine does not have has one line,
 * without a unit. */
static void threads_and_cpus(void **state)
{
    toy_fixture *f = *state;
    const bx_attached_thread threads[] = {{.id = 7, .name = "worker"}};
    f->of.threads = threads;
    f->of.threads_n = 1;
    f->view.per_unit = true;
    f->readings[0].thread = 7;
    f->readings[1].thread = 8;
    f->readings[2].on_cpu = 1 + 12;
    f->readings[3].state = f->readings[4].state = BX_NOT_SUPPORTED;
    f->readings[4].unit = BX_PROGRAM;
    toy_open_with_one_run(f);
    toy_lines(f, BX_FORMAT_CSV,
              ",worker-7,400000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,,\n"
              ",thread-8,600000,lookups,toy_cache::LOOKUPS:MISS,1000000000,100.00,,\n"
              "S0,CPU 12,1000000,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
              "S0,Cache 1,<not supported>,lookups,toy_cache::LOOKUPS:ALL,1000000000,100.00,,\n"
              ",,<not supported>,64 B transfers,toy_memory::READS,1000000000,100.00,,\n"
              "S0,Cache 0,7,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n"
              "S0,Cache 1,0,cycles,toy_cache::QUEUE:BUSY,1000000000,100.00,,\n");
}

/* Each cgroup has its counts, and its metrics: beside a count and on lines of their own. What was
 * counted of one alone gives no metric of the other. */
static void cgroups(void **state)
{
    toy_fixture *f = *state;
    static const char *const names[] = {"shop/web", "/till"};
    f->of.cgroups = names;
    f->of.cgroups_n = 2;
    f->of.per = BX_PER_CGROUP;
    f->view.per_unit = true;
    for (int i = 0; i < TOY_READINGS; i++)
        f->readings[i].cgroup = (uint16_t)(1 + (f->readings[i].unit == 1));
    toy_open_with_one_run(f);
    toy_lines(f, BX_FORMAT_TEXT,
              "shop/web 400,000 lookups toy_cache::LOOKUPS:MISS # 40.00 % miss_ratio\n"
              "/till 600,000 lookups toy_cache::LOOKUPS:MISS # 20.00 % miss_ratio\n"
              "shop/web 1,000,000 lookups toy_cache::LOOKUPS:ALL\n"
              "/till 3,000,000 lookups toy_cache::LOOKUPS:ALL\n"
              "shop/web 500,000 64 B transfers toy_memory::READS # 0.0005 lines reads_per_cycle\n"
              "shop/web 7 cycles toy_cache::QUEUE:BUSY\n"
              "/till 0 cycles toy_cache::QUEUE:BUSY\n"
              "shop/web 0.8000 lookups misses_per_read\n"
              "shop/web 32.00 MB/s read_rate\n");
    f->text.n = 0;
    f->view.format = BX_FORMAT_JSON;
    bx_report_lines(&f->report, &f->view, &f->text);
    char *second = strchr(f->text.p, '\n') + 1;
    *strchr(second, '\n') = '\0';
    assert_non_null(
        strstr(f->text.p, "{\"cgroup\" : \"shop/web\", \"counter-value\" : \"400000\""));
    assert_non_null(strstr(f->text.p, "{\"name\" : \"misses_per_read\", \"value\" : 0.8,"));
    assert_non_null(strstr(second, "{\"cgroup\" : \"/till\", \"counter-value\" : \"600000\""));
    assert_null(strstr(second, "misses_per_read"));
}

static void clearing(void **state)
{
    toy_fixture *f = *state;
    f->readings[0].state = BX_BLOCKED;
    toy_open_with_one_run(f);
    bx_report_clear(&f->report);
    f->readings[0].state = BX_COUNTED;
    bx_report_add(&f->report, f->readings, TOY_SECOND / 2);
    char text[BX_NUMBER];
    assert_string_equal(bx_record_text(&f->report.records[0], text), "1000000");
    assert_int_equal(f->report.elapsed.n, 1);
    assert_true(f->report.elapsed.mean == TOY_SECOND / 2);
}

/* Of what is no count, an interval shows what there was at its end. */
static void levels_in_intervals(void **state)
{
    (void)state;
    bx_reading before = toy_counted(0, 0, 0, 500), now = toy_counted(0, 0, 0, 300);
    now.enabled = now.running = 2 * TOY_SECOND;
    before.level = now.level = true;
    bx_reading grown = bx_reading_since(&now, &before);
    assert_int_equal(grown.count, 300);
    assert_int_equal(grown.running, TOY_SECOND);
    assert_int_equal(grown.state, BX_COUNTED);
}

/* An event without a unit on this machine: one line, and no 0. */
static void event_without_units(void **state)
{
    toy_fixture *f = *state;
    f->view.per_unit = true;
    f->readings[4] = toy_counted(3, 1, 0, 5);
    toy_open_with_one_run(f);
    f->text.n = 0;
    f->view.format = BX_FORMAT_CSV;
    bx_report_lines(&f->report, &f->view, &f->text);
    assert_non_null(
        strstr(f->text.p, "\n,,<not measured>,64 B transfers,toy_memory::READS,0,0.00,,\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_of_packages, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(one_package, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(no_such_part, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(the_largest, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(metrics_alone, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(threads_and_cpus, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(cgroups, toy_set_up, toy_tear_down),
        cmocka_unit_test_setup_teardown(clearing, toy_set_up, toy_tear_down),
        cmocka_unit_test(levels_in_intervals),
        cmocka_unit_test_setup_teardown(event_without_units, toy_set_up, toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
