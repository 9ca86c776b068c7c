/* The first screen and its advice, on counts of an invented run of a 6th generation Core. */
#include "../cmocked.h"

#include "catalog/builtin.h"
#include "report/advice.h"
#include "report/format/format.h"
#include "report/format/spark.h"
#include "report/screen.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16, SECOND = 1000000000 };

/* The events, the names of their rows (NULL: none), and a value each. */
typedef struct row {
    const char *event, *name;
    uint64_t value;
} row;

static const row plain[] = {
    {"cycles", "cycles", 4000000000},
    {"instructions", "instructions", 2000000000},
    {"cache-misses", "cache-misses", 8000000},
    {"INSTR_RETIRED_ANY", NULL, 2000000000},
    {"DRAM_DATA_READS", NULL, 20000000},
    {"DRAM_DATA_WRITES", NULL, 0},
    {"MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", NULL, 1000000},
    {"CPU_CLK_UNHALTED_CORE", NULL, 4000000000},
    {"CYCLE_ACTIVITY:STALLS_L2_MISS", NULL, 1000000000},
    {"CYCLE_ACTIVITY:STALLS_L3_MISS", NULL, 1000000000},
};
enum { ROWS = sizeof plain / sizeof *plain };

static const char *const screen[] = {"task-clock",
                                     "cycles",
                                     "instructions",
                                     "cache-misses",
                                     "dram_bytes_read",
                                     "dram_bytes_written",
                                     "a-word-it-does-not-have",
                                     "hitm"};

typedef struct fixture {
    bx_evsel events[MOST];
    const char *names[MOST];
    bx_reading readings[MOST];
    bx_measured of;
    bx_report report;
    bx_view view;
    bx_buf text;
} fixture;

static int tear_down(void **state)
{
    fixture *f = *state;
    bx_report_close(&f->report);
    bx_buf_free(&f->text);
    free(f);
    return 0;
}

static int set_up(void **state)
{
    static const bx_report_event kernel = {
        .name = "task-clock", .count = "ns", .unit = "", .scale = 1};
    const bx_catalog *c = bx_catalog_builtin();
    fixture *f = calloc(1, sizeof *f);
    int skl = bx_cat_find_cpu(c, BX_STR("skl"));
    *state = f;
    for (unsigned i = 0; i < ROWS; i++) {
        if (bx_event_parse(c, skl, plain[i].event, strlen(plain[i].event), &f->events[i], NULL))
            fail_msg("%s", plain[i].event);
        f->names[i] = plain[i].name;
        f->readings[i] = (bx_reading){.event = (uint16_t)i,
                                      .state = BX_COUNTED,
                                      .count = plain[i].value,
                                      .enabled = SECOND,
                                      .running = SECOND};
    }
    f->events[ROWS] = (bx_evsel){.pmu = BX_KERNEL};
    f->readings[ROWS] = f->readings[0];
    f->readings[ROWS].event = ROWS;
    f->readings[ROWS].unit = BX_PROGRAM;
    f->readings[ROWS].count = 1200000000;
    f->of = (bx_measured){.catalog = c,
                          .cpu = skl,
                          .hz = SECOND,
                          .events = f->events,
                          .events_n = ROWS + 1,
                          .names = f->names,
                          .kernel = &kernel,
                          .screen = screen,
                          .screen_n = sizeof screen / sizeof *screen,
                          .clock = "uncore cycles",
                          .subject = "'./a.out'",
                          .machine = "virtual:skl,part=i7-6700k"};
    f->view = (bx_view){.screen = true};
    return 0;
}

static void count(fixture *f)
{
    bx_error e = {0};
    bx_report_close(&f->report);
    assert_int_equal(bx_report_open(&f->report, &f->of, f->readings, f->of.events_n, &e), BX_OK);
    bx_report_add(&f->report, f->readings, SECOND);
}

static const char *printed(fixture *f)
{
    f->text.n = 0;
    bx_report_begin(&f->report, &f->view, &f->text);
    bx_report_lines(&f->report, &f->view, &f->text);
    bx_report_end(&f->report, &f->view, &f->text);
    return f->text.p;
}

/* Computed by hand: 1.2 s of 1 s; 4e9 / 1.2e9; 2/4; 8e6 of 2e6 thousands; 20e6 lines of 64 bytes in
 * a second; 1e6 of 2e6 thousands. */
static void whole(void **state)
{
    fixture *f = *state;
    count(f);
    assert_string_equal(
        printed(f), "\n"
                    " Performance counter stats for './a.out' on a Core i7-6700K (virtual:skl):\n"
                    "\n"
                    "             1,200 msec task-clock         #    1.20 CPUs utilized\n"
                    "     4,000,000,000      cycles             #    3.33 GHz\n"
                    "     2,000,000,000      instructions       #    0.50 insn per cycle\n"
                    "         8,000,000      cache-misses       #    4.00 llc_mpki\n"
                    "             1,280 MB   dram_bytes_read    #    1.28 GB/s\n"
                    "              0.00 MB   dram_bytes_written #    0.00 MB/s\n"
                    "         1,000,000      hitm               #    0.50 per 1,000 instructions\n"
                    "\n"
                    "     More: -M GROUP (boxscore list --metrics), --all\n"
                    "\n"
                    "       1.000000000 seconds time elapsed (virtual time)\n"
                    "\n");
}

/* What no documented part has is below the title; it is no machine that anybody can measure. */
static void what_no_part_has(void **state)
{
    fixture *f = *state;
    f->of.machine = "virtual:skl,part=i7-6700k,llc=10M,llc_ways=20";
    f->of.undocumented = "no documented part has an LLC of 10M in 4 slices of 20 ways";
    count(f);
    assert_non_null(
        strstr(printed(f), ":\n no documented part has an LLC of 10M in 4 slices of 20 ways\n\n"));
    f->view.screen = false;
    assert_non_null(
        strstr(printed(f), ":\n no documented part has an LLC of 10M in 4 slices of 20 ways\n\n"));
    f->view.interval = true;
    assert_non_null(
        strstr(printed(f), "# no documented part has an LLC of 10M in 4 slices of 20 ways\n"));
}

/* Values that do not exist have their word, and nothing is computed from them. */
static void without_values(void **state)
{
    fixture *f = *state;
    f->readings[0].state = BX_NOT_MODELLED;
    f->readings[6].state = BX_NOT_SUPPORTED;
    count(f);
    const char *text = printed(f);
    assert_non_null(strstr(text, "\n    <not modelled>      cycles\n"));
    assert_non_null(strstr(text, " instructions\n"));
    assert_null(strstr(text, "insn per cycle"));
    assert_null(strstr(text, " hitm ")); /* the metric is not computed at all */
}

/* Estimates of counters in turns are named below the lines: no line looks exact that is not. */
static void scaled_lines(void **state)
{
    fixture *f = *state;
    count(f);
    assert_null(strstr(printed(f), "scaled"));
    f->readings[2].state = f->readings[6].state = BX_SCALED;
    f->readings[2].running = f->readings[6].running = SECOND / 2;
    count(f);
    assert_non_null(strstr(printed(f), "\n        16,000,000      cache-misses "));
    assert_non_null(strstr(f->text.p, "\n     Counted in parts of the time, and scaled: "
                                      "cache-misses, hitm. Their errors:\n     --all\n"));
}

/* No line is longer than 80 columns, whatever the subject is, and with several runs. */
static void widths(void **state)
{
    fixture *f = *state;
    f->of.subject =
        "'./a/program with \xc3\xa4 very long name --and-many --options=of,it --and arguments'";
    f->of.note =
        "# a note of many words that goes on and on and on and on and on and on and on and "
        "on and on and on, and then ends";
    f->view.repeated = true;
    count(f);
    bx_report_add(&f->report, f->readings, SECOND);
    size_t longest = 0;
    for (const char *line = printed(f), *end; *line; line = end + 1) {
        size_t n = 0;
        end = strchr(line, '\n');
        for (const char *p = line; p < end; p++)
            n += (*p & 0xc0) != 0x80;
        longest = n > longest ? n : longest;
    }
    assert_in_range(longest, 70, 80);
    assert_non_null(strstr(f->text.p, "for './a/"));
    assert_non_null(strstr(f->text.p, "..."));
    assert_non_null(strstr(f->text.p, "ments' on a Core i7-6700K (virtual:skl):\n"));
    assert_non_null(strstr(f->text.p, "\n# "));
    assert_non_null(strstr(f->text.p, "1.20 CPUs utilized"));
    assert_non_null(strstr(f->text.p, "+- 0.00%\n"));
}

/* Each rule at its threshold and below it; the first one that holds is said. */
static void advice(void **state)
{
    fixture *f = *state;
    static const struct {
        uint64_t instructions, hitm, l2, memory; /* in thousands */
        const char *says;                        /* NULL: nothing */
    } cases[] = {
        {2000000, 0, 0, 0, NULL},
        {2000000, 10000, 0, 0, "Cores write to lines"},
        {2000000, 9999, 0, 0, NULL},
        {2000000, 0, 4000000, 2000000, "Most cycles wait for memory."},
        {2000000, 0, 1999999, 1999999, NULL},
        {2000000, 0, 2000000, 0, "Most cycles wait for lines that L2"},
        {2000000, 10000, 4000000, 4000000, "Cores write to lines"},
        {99, 99, 4000000, 4000000, NULL}, /* little work */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f->readings[1].count = cases[i].instructions * 1000;
        f->readings[6].count = cases[i].hitm * 1000;
        f->readings[8].count = cases[i].l2 * 1000;
        f->readings[9].count = cases[i].memory * 1000;
        count(f);
        bx_buf said = {0};
        bool holds = bx_advice(&f->report, &said);
        if (holds != (cases[i].says != NULL) ||
            (holds && strncmp(said.p, cases[i].says, strlen(cases[i].says)) != 0) || said.n > 75)
            fail_msg("case %zu: %s", i, bx_buf_text(&said));
        bx_buf_free(&said);
    }
}

/* Intervals: a row for each, whose columns are the lines. What has no value has its word. */
static void columns(void **state)
{
    fixture *f = *state;
    f->view = (bx_view){.screen = true, .interval = true, .columns = true, .at = 1};
    f->readings[0].state = BX_NOT_MODELLED;
    f->readings[2].state = BX_SCALED;
    f->readings[2].running = SECOND / 2;
    f->of.screen_n = 4;
    f->of.remark = "a remark";
    count(f);
    printed(f);
    bx_report_finish(&f->report, &f->view, &f->text);
    assert_string_equal(f->text.p,
                        "#           time    task-clock        cycles  instructions  cache-misses\n"
                        "#                         msec\n"
                        "     1.000000000         1,200 <not modelled> 2,000,000,000    16,000,000"
                        "  (scaled)\n"
                        "# a remark\n");
    f->view.metric_only = true;
    printed(f);
    assert_non_null(strstr(f->text.p, " dram_bytes_read"));
    assert_null(strstr(f->text.p, "task-clock"));
}

/* The same over time: a mark for each row from 0 to the largest one, an empty one without a value;
 * marks of a narrow terminal stand for several rows. */
static void sparks(void **state)
{
    fixture *f = *state;
    bx_spark s = {0};
    static const uint64_t cycles[] = {0,   100, 800, 400, 0,   800, 790, 100,
                                      100, 100, 100, 100, 100, 100, 100, 100};
    f->view = (bx_view){.screen = true, .interval = true, .columns = true};
    f->of.screen_n = 4;
    for (size_t i = 0; i < 16; i++) {
        f->readings[0].count = cycles[i];
        f->readings[1].state = i == 1 ? BX_NOT_MEASURED : BX_COUNTED;
        count(f);
        bx_spark_add(&s, &f->report, &f->view);
        f->text.n = 0;
        if (i == 0)
            bx_spark_write(&s, 80, true, &f->text);
        assert_int_equal(f->text.n, 0); /* one row is no table */
    }
    bx_spark_write(&s, 80, false, &f->text);
    assert_non_null(strstr(f->text.p, "#       cycles  _.@+_@@.........  0 to 800\n"));
    assert_non_null(strstr(f->text.p, "# instructions  @ @@@@@@@@@@@@@@  2,000,000,000 to 2,"));
    assert_non_null(strstr(f->text.p, "#   task-clock  @@@@@@@@@@@@@@@@  1,200 to 1,200\n"));
    f->text.n = 0;
    bx_spark_write(&s, 20, true, &f->text);
    assert_non_null(strstr(f->text.p,
                           "#       cycles  \u2581\u2587\u2585\u2585\u2582\u2582\u2582\u2582"
                           "  0 to 800\n"));
    bx_spark_free(&s);
}

/* Replaces the events by those of another CPU. */
static void use_events(fixture *f, const char *cpu, const row *rows, unsigned n)
{
    f->of.cpu = bx_cat_find_cpu(f->of.catalog, bx_str_of(cpu));
    f->of.events_n = n;
    for (unsigned i = 0; i < n; i++) {
        if (bx_event_parse(f->of.catalog, f->of.cpu, rows[i].event, strlen(rows[i].event),
                           &f->events[i], NULL))
            fail_msg("%s", rows[i].event);
        f->names[i] = rows[i].name;
        f->readings[i].state = BX_COUNTED;
        f->readings[i].unit = 0;
        f->readings[i].count = rows[i].value;
    }
    count(f);
}

static void assert_advice(const fixture *f, const char *says)
{
    bx_buf said = {0};
    bool holds = bx_advice(&f->report, &said);
    if (holds != (says != NULL) || (says && strcmp(bx_buf_text(&said), says) != 0))
        fail_msg("%s, not %s", bx_buf_text(&said), says ? says : "nothing");
    bx_buf_free(&said);
}

/* Requests of two packages: 30 % are remote, and half of the cycles wait; then one count less of
 * each. */
static void advice_remote(void **state)
{
    enum { STALLS = 1, REMOTE = 3, ROWS_OF_TWO = 5 };
    row rows[ROWS_OF_TWO] = {{"INSTR_RETIRED_ANY", "instructions", 1000000},
                             {"CYCLE_ACTIVITY:STALLS_L2_MISS", NULL, 2000000},
                             {"CPU_CLK_UNHALTED_CORE", NULL, 4000000},
                             {"UNC_C_TOR_INSERTS:MISS_REMOTE", NULL, 3000},
                             {"UNC_C_TOR_INSERTS:MISS_LOCAL", NULL, 7000}};
    fixture *f = *state;
    static const char said[] =
        "Most cycles wait, and 30 % of the requests are remote.  More: -M NUMA";
    use_events(f, "ivbep", rows, ROWS_OF_TWO);
    assert_advice(f, said);
    rows[REMOTE].value--;
    use_events(f, "ivbep", rows, ROWS_OF_TWO);
    assert_advice(f, "Most cycles wait for lines that L2 does not have.  Where from: -M L3CACHE");
    rows[REMOTE].value++;
    rows[STALLS].value--;
    use_events(f, "ivbep", rows, ROWS_OF_TWO);
    assert_advice(f, NULL);
}

/* Parts of the cycles: whole percent, 100 together, without parts of 0 %. Memory is that of all
 * packages. */
static void stack(void **state)
{
    row rows[] = {{"INSTR_RETIRED_ANY", "instructions", 1000000},
                  {"CYCLES_ALL", NULL, 1000},
                  {"CYCLES_BASE", NULL, 206},
                  {"CYCLES_MEMORY", NULL, 300},
                  {"CYCLES_REMOTE_MEMORY", NULL, 199},
                  {"CYCLES_L2", NULL, 292},
                  {"CYCLES_TLB", NULL, 3}};
    enum { ALL = 1, BASE, MEMORY, REMOTE, L2, OF_TLB, N };
    fixture *f = *state;
    use_events(f, "ivbep", rows, N);
    assert_non_null(strstr(printed(f), "     cycles: 50 % memory, 29 % caches, 21 % base\n"));
    assert_advice(f, "Most cycles wait for memory.  Which lines: boxscore record -- PROGRAM");
    rows[BASE].value -= 5;
    rows[OF_TLB].value += 5;
    use_events(f, "ivbep", rows, N);
    assert_non_null(
        strstr(printed(f), "     cycles: 50 % memory, 1 % TLB, 29 % caches, 20 % base\n"));
    rows[MEMORY].value -= 10;
    rows[L2].value += 10;
    use_events(f, "ivbep", rows, N);
    assert_advice(f, NULL);
    rows[MEMORY].value = rows[REMOTE].value = 0;
    rows[OF_TLB].value = 490;
    rows[L2].value = 309;
    use_events(f, "ivbep", rows, N);
    assert_advice(f, NULL);
    rows[OF_TLB].value += 10;
    rows[L2].value -= 10;
    use_events(f, "ivbep", rows, N);
    assert_advice(f, "Most cycles wait for translations of addresses.  More: -M TLB_DATA");
    rows[ALL].value = 0;
    use_events(f, "ivbep", rows, N);
    assert_null(strstr(printed(f), "cycles:"));
}

/* Half of the cycles wait for other cores: snoops and turns together. */
static void advice_cores(void **state)
{
    row rows[] = {{"INSTR_RETIRED_ANY", "instructions", 1000000},
                  {"CYCLES_ALL", NULL, 100},
                  {"CYCLES_BASE", NULL, 50},
                  {"CYCLES_CORE", NULL, 20},
                  {"CYCLES_TURN", NULL, 30}};
    fixture *f = *state;
    use_events(f, "skl", rows, 5);
    assert_non_null(strstr(printed(f), "     cycles: 50 % other cores, 50 % base\n"));
    assert_advice(f, "Most cycles wait for other cores.  Which lines: boxscore record -- PROGRAM");
    rows[4].value--;
    rows[2].value++;
    use_events(f, "skl", rows, 5);
    assert_advice(f, NULL);
}

/* Data is on the bus in half of a second's cycles; then in one cycle less. */
static void advice_bus(void **state)
{
    row rows[] = {{"INST_RETIRED", "instructions", 1000000},
                  {"BUS_DRDY_CLOCKS:ANY", NULL, SECOND / 2}};
    fixture *f = *state;
    use_events(f, "p6", rows, 2);
    assert_advice(f, "The bus is busy most of the time.  With what: -M BUS,MEM");
    rows[1].value--;
    use_events(f, "p6", rows, 2);
    assert_advice(f, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_no_part_has, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scaled_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(widths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sparks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(advice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(advice_remote, set_up, tear_down),
        cmocka_unit_test_setup_teardown(advice_bus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stack, set_up, tear_down),
        cmocka_unit_test_setup_teardown(advice_cores, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
