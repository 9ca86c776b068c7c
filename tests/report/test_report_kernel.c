/* Reports of events that a host's kernel counted, in all three formats: names, units, and the
 * driver. */
#include "../cmocked.h"

#include "base/buf.h"
#include "report/format/format.h"
#include "report/toy_report.h"

#include <string.h>

enum { NS = 1000000000 };

static const char *const channels[] = {"uncore_imc_0", "uncore_imc_1"};

static const bx_report_event kernel[] = {
    {.name = "page-faults", .count = "faults", .unit = "", .scale = 1},
    {.name = "uncore_imc/reads/",
     .count = "",
     .unit = "MiB",
     .scale = 6.103515625e-5,
     .units = channels,
     .units_n = 2},
};

static bx_reading reading(unsigned event, unsigned unit, uint64_t count, uint64_t running)
{
    return (bx_reading){.event = (uint16_t)event,
                        .unit = (uint16_t)unit,
                        .port = BX_ANY,
                        .state = running < NS ? BX_SCALED : BX_COUNTED,
                        .driver = BX_DRIVER_PERF,
                        .count = count,
                        .enabled = NS,
                        .running = running};
}

static void shown(bool mixed, bx_view view, const char *expected)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    bx_evsel events[3] = {{.pmu = BX_KERNEL}, {.pmu = BX_KERNEL, .event = 1}};
    bx_error e = {0};
    static const char cycles[] = "skl_unc_clock::UNC_CLOCK:SOCKET";
    assert_int_equal(bx_event_parse(c, -1, cycles, sizeof cycles - 1, &events[2], &e), BX_OK);
    bx_reading readings[] = {reading(0, BX_PROGRAM, 47, NS), reading(1, 0, 16384, NS),
                             reading(1, 1, 16384, NS / 2), reading(2, 0, 5, NS)};
    readings[3].driver = BX_DRIVER_REGISTERS;
    const bx_measured of = {.catalog = c,
                            .cpu = -1,
                            .hz = NS,
                            .events = events,
                            .events_n = mixed ? 3 : 2,
                            .kernel = kernel,
                            .subject = "'x'",
                            .machine = "host"};
    bx_report report;
    bx_buf text = {0};
    assert_int_equal(bx_report_open(&report, &of, readings, mixed ? 4 : 3, &e), BX_OK);
    bx_report_add(&report, readings, NS);
    view.separator = ";";
    if (view.format == BX_FORMAT_TEXT)
        bx_report_begin(&report, &view, &text);
    bx_report_lines(&report, &view, &text);
    static const char heading[] = " for 'x' on host:\n";
    char *below = view.format == BX_FORMAT_TEXT ? strstr(text.p, heading) : NULL;
    assert_true(view.format != BX_FORMAT_TEXT || below);
    if (below)
        toy_spaced(below += strlen(heading));
    assert_string_equal(below ? below : text.p, expected);
    bx_buf_free(&text);
    bx_report_close(&report);
}

/* 16,384 lines of 64 bytes are 1 MiB; the second channel was counted half of the time. */
static void text(void **state)
{
    (void)state;
    shown(false, (bx_view){0},
          "through perf_event\n\n"
          "47 faults page-faults\n"
          "49,152 uncore_imc/reads/ # 3.00 MiB (75.00%, no error: multiplexed by the kernel)\n");
    shown(false, (bx_view){.per_unit = true},
          "through perf_event\n\n"
          "S0 program 47 faults page-faults\n"
          "S0 uncore_imc_0 16,384 uncore_imc/reads/ # 1.00 MiB\n"
          "S0 uncore_imc_1 32,768 uncore_imc/reads/ # 2.00 MiB (50.00%, no error: multiplexed by "
          "the kernel)\n");
}

static void both_ways(void **state)
{
    (void)state;
    shown(true, (bx_view){0},
          "through perf_event: page-faults, uncore_imc/reads/\n"
          "through registers: skl_unc_clock::UNC_CLOCK:SOCKET\n\n"
          "47 faults page-faults\n"
          "49,152 uncore_imc/reads/ # 3.00 MiB (75.00%, no error: multiplexed by the kernel)\n"
          "5 cycles skl_unc_clock::UNC_CLOCK:SOCKET\n");
}

static void for_programs(void **state)
{
    (void)state;
    shown(true, (bx_view){.format = BX_FORMAT_CSV},
          "47;faults;page-faults;1000000000;100.00;;;perf_event\n"
          "49152;;uncore_imc/reads/;750000000;75.00;3.000000;MiB;perf_event\n"
          "5;cycles;skl_unc_clock::UNC_CLOCK:SOCKET;1000000000;100.00;;;registers\n");
    shown(false, (bx_view){.format = BX_FORMAT_JSON},
          "{\"counter-value\" : \"47\", \"unit\" : \"faults\", \"event\" : \"page-faults\", "
          "\"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00, \"driver\" : \"perf_event\", "
          "\"value\" : 47, \"state\" : \"counted\", \"metrics\" : []}\n"
          "{\"counter-value\" : \"49152\", \"unit\" : \"\", \"event\" : \"uncore_imc/reads/\", "
          "\"event-runtime\" : 750000000, \"pcnt-running\" : 75.00, \"no-error\" : "
          "\"multiplexed by the kernel\", \"driver\" : \"perf_event\", "
          "\"metric-value\" : 3.000000, \"metric-unit\" : \"MiB\", "
          "\"value\" : 49152, \"state\" : \"scaled\", \"metrics\" : []}\n");
}

/* What a program must know to form no rate of it and no sum over time. */
static void a_level(void **state)
{
    (void)state;
    static const bx_report_event occupancy[] = {
        {.name = "resctrl/llc_occupancy/", .count = "bytes", .unit = "MB", .scale = 1e-6}};
    const bx_evsel event = {.pmu = BX_KERNEL};
    const bx_measured of = {.catalog = bx_catalog_builtin(),
                            .cpu = -1,
                            .hz = NS,
                            .events = &event,
                            .events_n = 1,
                            .kernel = occupancy,
                            .subject = "'x'",
                            .machine = "host"};
    bx_reading readings[] = {reading(0, 0, 100, NS), reading(0, 1, 28, NS)};
    readings[0].level = readings[1].level = true;
    bx_report report;
    bx_buf text = {0};
    bx_error e = {0};
    assert_int_equal(bx_report_open(&report, &of, readings, 2, &e), BX_OK);
    bx_report_add(&report, readings, NS);
    bx_report_lines(&report, &(bx_view){.format = BX_FORMAT_JSON}, &text);
    assert_non_null(strstr(text.p, "\"level\" : true, "));
    assert_non_null(strstr(text.p, "\"value\" : 128, "));
    assert_true(report.records[report.record_of[1]].is_level);
    bx_buf_free(&text);
    bx_report_close(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(both_ways),
        cmocka_unit_test(for_programs),
        cmocka_unit_test(a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
