/* Implements toy_report.h: an invented processor and its report. */
#include "report/toy_report.h"

#include "base/error.h"
#include "compile/compile.h"

#include <stdlib.h>
#include <string.h>

/* ---- the processor ---- */

static const char toy_cpu[] =
    "cpu toy \"processor of the tests\"\n"
    "  source the tests\n"
    "  id     15/0x7f\n"
    "  model  none\n"
    "  boxes  toy_package toy_cache toy_memory\n"
    "shape packages  preset 1           range 1..2           \"processor packages\"\n"
    "shape cores     preset 2           range 1..2           \"cores per package\"\n"
    "shape hz        preset 1000000000  range 1..1000000000  \"cycles per second\"\n";

static const char toy_package[] = "pmu toy_package \"what all share\"\n"
                                  "  source the tests\n"
                                  "  scope  package\n"
                                  "  label  \"package\"\n"
                                  "reg GLOBAL_CTRL  msr 0xe01  \"enables all counters\"\n"
                                  "  source the tests\n"
                                  "  field EN  29  rw  \"1: counters count\"\n";

static const char toy_cache[] =
    "pmu toy_cache \"cache\"\n"
    "  source the tests\n"
    "  scope  package\n"
    "  units  0..1\n"
    "  label  \"Cache {unit}\"\n"
    "  select EVT UMASK\n"
    "reg CACHE_{unit}_CTL{0..1}  msr 0x700 0x701  stride 0x10  \"selects\"\n"
    "  source the tests\n"
    "  field EVT    7:0  rw  \"event code\"\n"
    "  field UMASK 15:8  rw  \"unit mask\"\n"
    "  field E       18  rw  \"count rises\"\n"
    "  field EN      22  rw  \"count\"\n"
    "  field THR  28:24  rw  \"threshold\"\n"
    "reg CACHE_{unit}_CTR{0..1}  msr 0x706 0x707  stride 0x10  \"the count\"\n"
    "  source the tests\n"
    "  field CTR_VAL  43:0  rw  \"the count\"\n"
    "counters 0..1  width 44\n"
    "  control   CACHE_{unit}_CTL{n}\n"
    "  value     CACHE_{unit}_CTR{n}.CTR_VAL\n"
    "  when      EN=1 GLOBAL_CTRL.EN=1\n"
    "  edge      E\n"
    "  threshold THR\n"
    "modifier e  flag         field E    \"count rises\"\n"
    "modifier t  range 0..31  field THR  \"threshold\"\n"
    "event LOOKUPS  code 0x34  \"lookups\"\n"
    "  source the tests\n"
    "  counts \"lookups\"\n"
    "  umask MISS  0x01  \"that missed\"\n"
    "  umask HIT   0x02  \"that hit\"\n"
    "  umask ALL   0x03  \"all\"\n"
    "event QUEUE  code 0x80  \"entries in the queue, summed over cycles\"\n"
    "  source the tests\n"
    "  counts \"entry cycles\"\n"
    "  umask LEVEL 0x01  \"the sum\"\n"
    "  umask BUSY  0x01  sets t=1  counts \"cycles\"  \"cycles with an entry\"\n";

static const char toy_memory[] =
    "pmu toy_memory \"memory\"\n"
    "  source the tests\n"
    "  scope  package\n"
    "  label  \"Memory\"\n"
    "reg READS  msr 0x5040  \"reads\"\n"
    "  source the tests\n"
    "  field CTR_VAL  31:0  ro  \"the count\"\n"
    "counters 0  width 32  fixed  value READS.CTR_VAL\n"
    "event READS  code 0x5040  counters 0  counts \"64 B transfers\"  \"lines read\"\n"
    "  source the tests\n";

static const char toy_metric[] =
    "metric miss_ratio  unit \"%\"  beside LOOKUPS:MISS  \"lookups that missed\"\n"
    "  formula 100 * {LOOKUPS:MISS} / {LOOKUPS:ALL}\n"
    "metric misses_per_read  unit \"lookups\"  beside LOOKUPS:MISS  \"place taken: a line of its "
    "own\"\n"
    "  formula {LOOKUPS:MISS} / {READS}\n"
    "metric read_rate  unit \"MB/s\"  \"bytes read per second\"\n"
    "  formula {READS} * 64 / 1000000 / seconds\n"
    "metric reads_per_cycle  unit \"lines\"  beside READS  \"reads in the mean cycle\"\n"
    "  formula {READS} / cycles\n"
    "metric queue_mean  unit \"entries\"  \"entries in the mean cycle\"\n"
    "  formula {QUEUE:LEVEL} / {QUEUE:BUSY}\n";

#define TOY_FILE(name, text)                                                                       \
    {                                                                                              \
        BX_STR(name),                                                                              \
        {                                                                                          \
            (text), sizeof(text) - 1                                                               \
        }                                                                                          \
    }

static struct bx_catalog *toy_catalog(void)
{
    const bx_cat_file files[] = {
        TOY_FILE("toy/toy.cpu", toy_cpu),       TOY_FILE("toy/package.pmu", toy_package),
        TOY_FILE("toy/cache.pmu", toy_cache),   TOY_FILE("toy/memory.pmu", toy_memory),
        TOY_FILE("toy/toy.metric", toy_metric),
    };
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, sizeof files / sizeof *files, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

/* ---- what was measured ---- */

static const bx_fact environment[] = {{"machine", "virtual:toy"}};

bx_reading toy_counted(unsigned event, unsigned package, unsigned unit, uint64_t count)
{
    return (bx_reading){.event = (uint16_t)event,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .state = BX_COUNTED,
                        .count = count,
                        .enabled = TOY_SECOND,
                        .running = TOY_SECOND};
}

int toy_set_up(void **state)
{
    toy_fixture *f = calloc(1, sizeof *f);
    bx_error e = {0};
    size_t n;
    f->catalog = toy_catalog();
    assert_int_equal(bx_events_parse(f->catalog, 0, "LOOKUPS:MISS,LOOKUPS:ALL,READS,QUEUE:BUSY",
                                     f->events, TOY_EVENTS, &n, &e),
                     BX_OK);
    const bx_reading readings[TOY_READINGS] = {
        toy_counted(0, 0, 0, 400000),  toy_counted(0, 0, 1, 600000), toy_counted(1, 0, 0, 1000000),
        toy_counted(1, 0, 1, 3000000), toy_counted(2, 0, 0, 500000), toy_counted(3, 0, 0, 7),
        toy_counted(3, 0, 1, 0),
    };
    memcpy(f->readings, readings, sizeof readings);
    f->of = (bx_measured){.catalog = f->catalog,
                          .cpu = 0,
                          .hz = TOY_SECOND,
                          .events = f->events,
                          .events_n = TOY_EVENTS,
                          .clock = "uncore cycles",
                          .subject = "'gzip x'",
                          .machine = "virtual:toy",
                          .environment = environment,
                          .environment_n = 1};
    f->view = (bx_view){.separator = ","};
    *state = f;
    return 0;
}

int toy_tear_down(void **state)
{
    toy_fixture *f = *state;
    bx_report_close(&f->report);
    bx_buf_free(&f->text);
    free(f->catalog);
    free(f);
    return 0;
}

void toy_open(toy_fixture *f)
{
    bx_error e = {0};
    assert_int_equal(bx_report_open(&f->report, &f->of, f->readings, TOY_READINGS, &e), BX_OK);
}

void toy_open_with_one_run(toy_fixture *f)
{
    toy_open(f);
    bx_report_add(&f->report, f->readings, TOY_SECOND);
}

static void print_whole(toy_fixture *f, bx_format format)
{
    f->view.format = format;
    bx_report_begin(&f->report, &f->view, &f->text);
    bx_report_lines(&f->report, &f->view, &f->text);
    bx_report_end(&f->report, &f->view, &f->text);
    bx_report_finish(&f->report, &f->view, &f->text);
}

void toy_whole(toy_fixture *f, bx_format format, const char *expected)
{
    print_whole(f, format);
    assert_string_equal(f->text.p, expected);
}

void toy_spaced(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (from[1] != ' ' && from[1] != '\n' && to != text && to[-1] != '\n'))
            *to++ = *from;
    *to = '\0';
}

static void expect_words(const char *got, const char *expected)
{
    char *a = strdup(got), *b = strdup(expected);
    assert_true(a && b);
    toy_spaced(a);
    toy_spaced(b);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

void toy_words(toy_fixture *f, bx_format format, const char *expected)
{
    print_whole(f, format);
    expect_words(f->text.p, expected);
}

void toy_below(toy_fixture *f, const char *end_of_heading, const char *expected)
{
    print_whole(f, BX_FORMAT_TEXT);
    const char *found = strstr(f->text.p, end_of_heading);
    assert_non_null(found);
    expect_words(found + strlen(end_of_heading), expected);
}

void toy_lines(toy_fixture *f, bx_format format, const char *expected)
{
    f->view.format = format;
    f->text.n = 0;
    bx_report_lines(&f->report, &f->view, &f->text);
    expect_words(f->text.p, expected);
}
