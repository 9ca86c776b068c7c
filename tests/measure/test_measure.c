/* Measuring in one call: what users of the library find in the result. */
#include "../cmocked.h"

#include "event/hint.h"

#include <boxscore/measure.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bx_machine *machine(const char *name)
{
    const bx_machine_options o = {.size = sizeof o, .no_kernel_accesses = 1};
    bx_machine *m = NULL;
    bx_error e = {0};
    if (bx_machine_open_with(bx_catalog_builtin(), name, &o, &m, &e) != BX_OK)
        fail_msg("%s: %s", name, e.message);
    return m;
}

/* Measures on a new machine, and closes the machine before anybody reads the result. */
static bx_result *measured(const char *name, const char *events, const char *metrics,
                           const char *workload)
{
    bx_machine *m = machine(name);
    bx_result *r = NULL;
    bx_error e = {0};
    if (bx_measure_workload(m, events, metrics, workload, &r, &e) != BX_OK)
        fail_msg("%s: %s", workload, e.message);
    bx_machine_close(m);
    return r;
}

/* The metric over all units. */
static double metric(const bx_result *r, const char *name, const char *unit)
{
    double value = -1;
    for (size_t i = 0; i < bx_result_metrics(r); i++) {
        if (strcmp(bx_result_metric(r, i), name) != 0 || *bx_result_metric_where(r, i))
            continue;
        assert_true(bx_result_metric_value(r, i, &value));
        assert_string_equal(bx_result_metric_unit(r, i), unit);
        assert_string_equal(bx_result_metric_state(r, i), "");
        assert_true(bx_result_metric_error(r, i) == 0);
        assert_int_equal(bx_result_metric_package(r, i), BX_ANY);
        return value;
    }
    fail_msg("there is no metric %s", name);
    return value;
}

/* ---- values ---- */

/* A triad accesses three arrays of 1 MiB in lines of 64 bytes; one array is read to own its
 * lines. */
enum { LINES = 3 * (1 << 20) / 64, SLICES = 4 };

static void values_by_unit(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:skl,part=plain", "UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS",
                            NULL, "stream,size=1M");
    uint64_t sum = 0;
    assert_int_equal(bx_result_values(r), 1 + SLICES + 1 + 1);
    for (size_t i = 0; i < 1 + SLICES; i++) {
        char where[16];
        snprintf(where, sizeof where, "C-Box %zu", i - 1);
        assert_string_equal(bx_result_event(r, i), "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
        assert_string_equal(bx_result_where(r, i), i ? where : "");
        assert_int_equal(bx_result_is_sum(r, i), i == 0);
        assert_int_equal(bx_result_unit(r, i), i ? (int)i - 1 : BX_ANY);
        assert_int_equal(bx_result_package(r, i), i ? 0 : BX_ANY);
        assert_int_equal(bx_result_thread(r, i), 0);
        assert_int_equal(bx_result_cpu(r, i), BX_ANY);
        assert_int_equal(bx_result_state(r, i), BX_COUNTED);
        assert_string_equal(bx_result_state_text(r, i), "counted");
        assert_string_equal(bx_result_counts(r, i), "lookups");
        assert_true(bx_result_share(r, i) == 1 && bx_result_error(r, i) == 0);
        sum += i ? bx_result_value(r, i) : 0;
    }
    assert_int_equal(bx_result_sum(r, 0), 0);
    assert_int_equal(bx_result_value(r, 0), LINES);
    assert_int_equal(sum, LINES);
    size_t reads = bx_result_sum(r, 1);
    assert_int_equal(reads, 1 + SLICES);
    assert_string_equal(bx_result_event(r, reads), "skl_unc_imc::DRAM_DATA_READS");
    assert_int_equal(bx_result_value(r, reads), LINES);
    assert_string_equal(bx_result_machine(r), "virtual:skl,part=plain");
    assert_true(bx_result_seconds(r) > 0);
    assert_null(bx_result_remark(r, 0));
    assert_null(bx_result_region(r, 0));
    size_t beyond = bx_result_values(r);
    assert_int_equal(bx_result_sum(r, 2), beyond);
    assert_false(bx_result_is_sum(r, beyond));
    assert_int_equal(bx_result_state(r, beyond), BX_NOT_MEASURED);
    assert_true(bx_result_error(r, beyond) < 0);
    bx_result_free(r);
}

/* An error keeps the first failure until it is cleared. */
static void errors_by_functions(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    bx_encoding *encoding = NULL;
    bx_error *e = bx_error_new();
    assert_non_null(e);
    assert_int_equal(bx_encode(c, "skl", "NOSUCH", &encoding, e), BX_NOT_FOUND);
    assert_int_equal(bx_error_code(e), BX_NOT_FOUND);
    assert_int_equal(bx_error_at(e), 0);
    assert_int_equal(bx_error_length(e), strlen("NOSUCH"));
    assert_int_equal(bx_encode(c, "skl", "", &encoding, e), BX_BAD_INPUT);
    assert_non_null(strstr(bx_error_message(e), "NOSUCH"));
    bx_error_clear(e);
    assert_int_equal(bx_error_code(e), BX_OK);
    assert_string_equal(bx_error_message(e), "");
    assert_int_equal(bx_encode(c, "skl", "", &encoding, e), BX_BAD_INPUT);
    assert_null(strstr(bx_error_message(e), "NOSUCH"));
    bx_error_free(e);
}

static void metrics_of_counted_events(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:skl,part=plain", "DRAM_DATA_READS", NULL, "stream,size=1M");
    double bytes = metric(r, "dram_bytes_read", "MB");
    assert_true(bytes > LINES * 64 / 1e6 - 1e-9 && bytes < LINES * 64 / 1e6 + 1e-9);
    double rate = metric(r, "dram_read_bandwidth", "MB/s") * bx_result_seconds(r);
    assert_true(rate > bytes * 0.999999 && rate < bytes * 1.000001);
    bx_result_free(r);
}

/* The metric's events are counted, and no other metric is shown. */
static void metrics_by_name(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:skl,part=plain", NULL, "llc_miss_ratio", "stream,size=1M");
    assert_int_equal(bx_result_values(r), 2 * (1 + SLICES));
    double miss = metric(r, "llc_miss_ratio", "%");
    double part = (double)bx_result_value(r, bx_result_sum(r, 0));
    double whole = (double)bx_result_value(r, bx_result_sum(r, 1));
    if (whole < part) {
        double less = whole;
        whole = part;
        part = less;
    }
    assert_true(whole > 0 && miss > 100 * part / whole - 1e-9 && miss < 100 * part / whole + 1e-9);
    for (size_t i = 0; i < bx_result_metrics(r); i++)
        assert_string_equal(bx_result_metric(r, i), "llc_miss_ratio");
    bx_result_free(r);
}

static void the_default_events(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:ivbep,part=plain", NULL, NULL, "stream,size=64K");
    assert_true(bx_result_values(r) > 4 && bx_result_metrics(r) > 0);
    for (size_t i = 0; i < bx_result_values(r); i++)
        assert_int_equal(bx_result_state(r, i), BX_COUNTED);
    bx_result_free(r);
}

/* docs/reference/not-modelled.md */
static void what_is_no_count(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:skl,part=plain", "UNC_ARB_COH_TRK_OCCUPANCY:ALL,UNC_CLOCK",
                            NULL, "stream,size=4K");
    assert_int_equal(bx_result_state(r, 0), BX_NOT_MODELLED);
    assert_string_equal(bx_result_state_text(r, 0), "not modelled");
    assert_int_equal(bx_result_value(r, 0), 0);
    assert_int_equal(bx_result_state(r, bx_result_sum(r, 1)), BX_COUNTED);
    assert_true(bx_result_value(r, bx_result_sum(r, 1)) > 0);
    bx_result_free(r);
}

static void beyond_the_last(void **state)
{
    (void)state;
    bx_result *r = measured("virtual:skl,part=plain", "DRAM_DATA_READS", NULL, "stream,size=4K");
    double value = 7;
    size_t n = bx_result_values(r), metrics = bx_result_metrics(r);
    assert_string_equal(bx_result_event(r, n), "");
    assert_string_equal(bx_result_where(r, SIZE_MAX), "");
    assert_string_equal(bx_result_counts(r, n), "");
    assert_int_equal(bx_result_value(r, n), 0);
    assert_int_equal(bx_result_state(r, n), BX_NOT_MEASURED);
    assert_int_equal(bx_result_sum(r, 1), n);
    assert_string_equal(bx_result_metric(r, metrics), "");
    assert_false(bx_result_metric_value(r, metrics, &value));
    assert_true(value == 7);
    bx_result_free(r);
    bx_result_free(NULL);
}

/* ---- regions ---- */

/* tests/tracer/regions.c reads 100 lines in `few` and 300 in `many`. */
static void regions_of_a_program(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/tracer/traced_regions", getenv("BUILD_ROOT"));
    char *argv[] = {path, (char *)(uintptr_t) "exact", NULL};
    bx_machine *m = machine("virtual:skl,part=plain");
    bx_result *r = NULL;
    bx_error e = {0};
    if (bx_measure_program(m, "DRAM_DATA_READS", NULL, argv, &r, &e) != BX_OK)
        fail_msg("%s", e.message);
    bx_machine_close(m);
    uint64_t few = 0, many = 0;
    for (size_t i = 0; bx_result_region(r, i); i++) {
        const bx_result *region = bx_result_region(r, i);
        uint64_t count = bx_result_value(region, bx_result_sum(region, 0));
        if (bx_result_region_thread(region))
            continue;
        if (strcmp(bx_result_region_name(region), "few") == 0)
            few = count;
        if (strcmp(bx_result_region_name(region), "many") == 0)
            many = count;
        assert_true(bx_result_region_entered(region) > 0);
        assert_true(bx_result_seconds(region) > 0 &&
                    bx_result_seconds(region) < bx_result_seconds(r));
    }
    assert_int_equal(few, 100);
    assert_int_equal(many, 300);
    assert_true(bx_result_value(r, 0) > few + many);
    assert_string_equal(bx_result_region_name(r), "");
    assert_int_equal(bx_result_exit_status(r), 0);
    bx_result_free(r);
}

/* ---- with options ---- */

typedef struct seen {
    unsigned intervals, calls;
    uint64_t sum;
    double ended;
    int fail;          /* code that the callback returns */
    unsigned patience; /* calls of progress() until it ends the measurement; 0: never */
} seen;

static int add_interval(void *context, const bx_result *r, bx_error *e)
{
    seen *s = context;
    assert_true(bx_result_ended(r) > s->ended);
    assert_int_equal(bx_result_runs(r), 1);
    s->ended = bx_result_ended(r);
    s->sum += bx_result_value(r, 0);
    s->intervals++;
    if (s->fail)
        snprintf(e->message, sizeof e->message, "enough");
    e->code = s->fail;
    return s->fail;
}

static bool go_on(void *context, uint64_t accesses)
{
    seen *s = context;
    assert_true(accesses > 0);
    return ++s->calls != s->patience;
}

static bx_result *measured_with(const bx_measure_options *o)
{
    bx_result *r = NULL;
    bx_error e = {0};
    if (bx_measure(bx_catalog_builtin(), "virtual:skl,part=plain", NULL, o, &r, &e) != BX_OK)
        fail_msg("%s", e.message);
    return r;
}

static void intervals_of_a_workload(void **state)
{
    (void)state;
    seen s = {0};
    bx_measure_options o = {.size = sizeof o,
                            .events = "DRAM_DATA_READS",
                            .workload = "stream,size=1M",
                            .interval = 50000,
                            .at_interval = add_interval,
                            .progress = go_on,
                            .context = &s};
    bx_result *r = measured_with(&o);
    assert_int_equal(bx_result_value(r, 0), LINES);
    assert_int_equal(s.sum, LINES);
    assert_true(s.intervals > 2 && s.calls > 0);
    assert_true(bx_result_seconds(r) == s.ended && s.ended > (s.intervals - 1) * 50e-6 - 1e-12 &&
                s.ended <= s.intervals * 50e-6);
    bx_result_free(r);
    bx_error e = {0};
    s = (seen){.fail = BX_SYSTEM};
    assert_int_equal(bx_measure(bx_catalog_builtin(), "virtual:skl,part=plain", NULL, &o, &r, &e),
                     BX_SYSTEM);
    assert_string_equal(e.message, "enough");
    assert_int_equal(s.intervals, 1);
    s = (seen){0};
    o.interval_count = 2;
    r = measured_with(&o);
    assert_int_equal(s.intervals, 2);
    assert_true(bx_result_seconds(r) == 100e-6 && bx_result_value(r, 0) == s.sum);
    bx_result_free(r);
}

/* The counts before and after the delay add up to the whole. */
static void chosen_times(void **state)
{
    (void)state;
    bx_measure_options o = {.size = sizeof o,
                            .events = "DRAM_DATA_READS",
                            .workload = "stream,size=1M",
                            .timeout = 70000};
    bx_result *first = measured_with(&o);
    o.timeout = 0;
    o.delay = "70us";
    bx_result *rest = measured_with(&o);
    assert_true(bx_result_seconds(first) == 70e-6);
    assert_true(bx_result_value(first, 0) > 0 && bx_result_value(rest, 0) > 0);
    assert_int_equal(bx_result_value(first, 0) + bx_result_value(rest, 0), LINES);
    bx_result_free(first);
    bx_result_free(rest);
    seen s = {.patience = 1};
    o = (bx_measure_options){
        .size = sizeof o, .workload = "stream,size=4M", .progress = go_on, .context = &s};
    first = measured_with(&o);
    assert_int_equal(s.calls, 1);
    bx_result_free(first);
}

/* `random` has another seed in each run. */
static void runs_and_passes(void **state)
{
    (void)state;
    bx_measure_options o = {.size = sizeof o,
                            .events = "DRAM_DATA_READS,UNC_CLOCK",
                            .workload = "stream,size=64K",
                            .runs = 3};
    bx_result *r = measured_with(&o);
    assert_int_equal(bx_result_runs(r), 3);
    assert_true(bx_result_mean(r, 0) == LINES / 16 && bx_result_confidence(r, 0) == 0);
    bx_result_free(r);
    o.workload = "random,size=1M";
    r = measured_with(&o);
    size_t clock = bx_result_sum(r, 1);
    assert_true(bx_result_confidence(r, clock) > 0);
    assert_true(bx_result_mean(r, clock) > 0);
    bx_result_free(r);
    o = (bx_measure_options){.size = sizeof o,
                             .metrics = "llc_miss_ratio,dram_bytes",
                             .workload = "stream,size=64K",
                             .passes = BX_PASSES_REPEAT};
    r = measured_with(&o);
    for (size_t i = 0; i < bx_result_values(r); i++)
        assert_int_equal(bx_result_state(r, i), BX_COUNTED);
    bx_result_free(r);
}

static void an_overflow_ends_it(void **state)
{
    (void)state;
    bx_measure_options o = {.size = sizeof o,
                            .events = "DRAM_DATA_READS",
                            .workload = "stream,size=1M",
                            .until = "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I=1000"};
    bx_result *r = measured_with(&o);
    assert_int_equal(bx_result_value(r, bx_result_sum(r, 1)), 1000);
    assert_true(bx_result_value(r, 0) < LINES);
    assert_null(bx_result_remark(r, 0));
    bx_result_free(r);
    o.until = "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I=1000000";
    r = measured_with(&o);
    assert_non_null(strstr(bx_result_remark(r, 0), "was not reached"));
    bx_result_free(r);
}

/* A register log is replayed without the work; a saved run is what `boxscore diff` reads. */
static void kept_runs(void **state)
{
    (void)state;
    char text[1 << 14] = "", name[] = "/tmp/boxscore-measure-XXXXXX", file[sizeof name + 8];
    assert_non_null(mkdtemp(name));
    snprintf(file, sizeof file, "%s/run", name);
    bx_machine_options how = {.size = sizeof how, .log_registers = file};
    bx_measure_options o = {
        .size = sizeof o, .events = "DRAM_DATA_READS", .workload = "stream,size=64K"};
    const bx_measure_options nothing = {.size = sizeof nothing};
    bx_result *r = NULL;
    bx_error e = {0};
    const bx_catalog *c = bx_catalog_builtin();
    assert_int_equal(bx_measure(c, "virtual:skl,part=plain", &how, &o, &r, &e), BX_OK);
    assert_int_equal(bx_result_value(r, 0), LINES / 16);
    bx_result_free(r);
    how = (bx_machine_options){.size = sizeof how, .replay = file};
    assert_int_equal(bx_measure(c, NULL, &how, &nothing, &r, &e), BX_OK);
    assert_int_equal(bx_result_value(r, 0), LINES / 16);
    assert_int_equal(bx_result_save(r, file, &e), BX_OK);
    bx_result_free(r);
    FILE *saved = fopen(file, "r");
    assert_non_null(saved);
    assert_true(fread(text, 1, sizeof text - 1, saved) > 0);
    fclose(saved);
    assert_non_null(strstr(text, "\"value\" : 3072,"));
    assert_non_null(strstr(text, "{\"run\" : {\"work\" : \"workload 'stream,size=64K'\""));
    assert_non_null(strstr(text, "\"environment\""));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(name), 0);
    r = measured("virtual:skl,part=plain", "UNC_CLOCK", NULL, "stream,size=4K");
    assert_int_equal(bx_result_save(r, "/nonexistent/run", &e), BX_BAD_INPUT);
    bx_result_free(r);
}

static void options_that_do_not_go_together(void **state)
{
    (void)state;
    static const char *const argv[] = {"true", NULL};
    char *const *program = (char *const *)(uintptr_t)argv;
    const struct {
        bx_measure_options o;
        const char *message;
    } cases[] = {
        {{.runs = 2}, "there is nothing to run"},
        {{.workload = "stream", .program = program},
         "workload, program and trace are one work each: give one of them"},
        {{.workload = "stream", .regions = true},
         "regions are of one run of a program, without intervals"},
        {{.workload = "stream", .interval = 1, .runs = 2}, "intervals are of one run"},
        {{.workload = "stream", .passes = 3}, "passes are none of enum bx_passes"},
        {{.workload = "stream", .precision = -1}, "precision is not in percent"},
        {{.workload = "stream", .until = "UNC_CLOCK=1", .sample = "UNC_CLOCK=1"},
         "until and sample were given: give one of them"},
        {{.workload = "stream", .delay = "1 week"}, "delay cannot be '1 week'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_measure_options o = cases[i].o;
        bx_result *r = NULL;
        bx_error e = {0};
        o.size = sizeof o;
        assert_int_equal(
            bx_measure(bx_catalog_builtin(), "virtual:skl,part=plain", NULL, &o, &r, &e),
            BX_BAD_INPUT);
        assert_string_equal(e.message, cases[i].message);
        assert_null(r);
    }
    bx_error e = {0};
    bx_result *r = NULL;
    bx_measure_options o = {.size = sizeof o, .workload = "stream", .until = "UNC_CLOKC=1"};
    assert_int_equal(bx_measure(bx_catalog_builtin(), "virtual:skl,part=plain", NULL, &o, &r, &e),
                     BX_NOT_FOUND);
    assert_string_equal(bx_error_in(&e), "until");
}

/* ---- a part of this program ---- */

/* The address sanitizer reads one byte of its own for eight of the program's. */
#ifdef __SANITIZE_ADDRESS__
enum { PAGES = 1000, OTHERS = 20 + PAGES / 8 };
#else
enum { PAGES = 1000, OTHERS = 20 };
#endif

static void a_part_of_this_program(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bx_machine *m = machine("host");
    bx_result *r = NULL;
    bx_error e = {0};
    assert_true(memory != MAP_FAILED);
    madvise((void *)(uintptr_t)memory, PAGES * page, MADV_NOHUGEPAGE);
    if (bx_measure_begin(m, "page-faults", NULL, &r, &e) != BX_OK)
        fail_msg("%s", e.message);
    assert_int_equal(bx_result_values(r), 0); /* it is still counting */
    for (size_t i = 0; i < PAGES; i++)
        memory[i * page] = 1;
    assert_int_equal(bx_measure_end(r, &e), BX_OK);
    assert_in_range(bx_result_value(r, bx_result_sum(r, 0)), PAGES, PAGES + OTHERS);
    assert_string_equal(bx_result_event(r, 0), "page-faults");
    assert_true(bx_result_seconds(r) > 0);
    assert_int_equal(bx_measure_end(r, &e), BX_BAD_INPUT); /* it has already ended */
    bx_result_free(r);
    bx_machine_close(m);
    munmap((void *)(uintptr_t)memory, PAGES * page);
}

static void no_time_has_passed(void **state)
{
    (void)state;
    bx_machine *m = machine("virtual:skl,part=plain");
    bx_result *r = NULL;
    bx_error e = {0};
    assert_int_equal(bx_measure_begin(m, "UNC_CLOCK", NULL, &r, &e), BX_OK);
    assert_int_equal(bx_measure_end(r, &e), BX_BAD_INPUT);
    assert_string_equal(e.message,
                        "nothing has run on virtual:skl,part=plain: no time has passed there");
    assert_int_equal(bx_result_values(r), 0);
    bx_result_free(r);
    e = (bx_error){0};
    assert_int_equal(bx_measure_begin(m, "UNC_CLOCK", NULL, &r, &e), BX_OK);
    bx_result_free(r); /* frees a measurement that has not ended */
    bx_machine_close(m);
}

/* ---- errors ---- */

static void refused(const char *events, const char *metrics, const char *workload, int code,
                    const char *in, size_t at, const char *message)
{
    bx_machine *m = machine("virtual:skl,part=plain");
    bx_result *r = NULL;
    bx_error e = {0};
    assert_int_equal(bx_measure_workload(m, events, metrics, workload, &r, &e), code);
    assert_string_equal(e.message, message);
    assert_int_equal(e.at, at);
    assert_string_equal(bx_error_in(&e), in);
    assert_int_equal(e.len > 0, *in != '\0');
    assert_null(r);
    bx_machine_close(m);
}

static void errors(void **state)
{
    (void)state;
    refused("UNC_CLOCK,UNC_CLOKC", NULL, "stream", BX_NOT_FOUND, "events", 10,
            BX_UNKNOWN_EVENT("UNC_CLOKC"));
    refused("", NULL, "stream", BX_BAD_INPUT, "", 0, "no event given");
    refused(NULL, "llc_miss_ratio,lc_miss", "stream", BX_NOT_FOUND, "metrics", 15,
            "skl has no metric and no group of metrics 'lc_miss'");
    refused("UNC_CLOCK", NULL, "steam", BX_NOT_FOUND, "workload", 0,
            "there is no workload 'steam'");
}

/* A later failure changes nothing in an error that holds one. Names that resemble nothing get the
 * names that there are. */
static void the_first_failure(void **state)
{
    (void)state;
    bx_machine *m = machine("virtual:skl,part=plain");
    bx_result *r = NULL;
    bx_error e = {0}, first;
    assert_int_equal(bx_measure_workload(m, NULL, "qqqqqqqq", "stream", &r, &e), BX_NOT_FOUND);
    assert_non_null(strstr(e.hint, "its groups are "));
    assert_non_null(strstr(e.hint, " MEM"));
    assert_int_equal(bx_measure_workload(m, "UNC_CLOCK", NULL, "qqqqqqqq", &r, &e), BX_NOT_FOUND);
    first = e;
    assert_int_equal(bx_measure_begin(m, "UNC_CLOKC", NULL, &r, &e), BX_NOT_FOUND);
    assert_string_equal(e.message, first.message);
    assert_string_equal(e.hint, first.hint);
    assert_string_equal(bx_error_in(&e), "metrics");
    bx_machine_close(m);
}

/* ---- machines ---- */

static void machines_that_there_are(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    char name[64];
    size_t n = 0, length;
    while ((length = bx_machine_string(c, n, name, sizeof name)) > 0) {
        assert_int_equal(length, strlen(name));
        n++;
        if (strcmp(name, "host") == 0)
            break;
        bx_machine *m = machine(name);
        bx_entry cpu = bx_machine_cpu_model(m);
        assert_string_equal(name + strlen("virtual:"), bx_entry_text(c, cpu, BX_TEXT_NAME));
        bx_machine_close(m);
    }
    assert_string_equal(name, "host");
    assert_true(n > 1);
    assert_int_equal(bx_machine_string(c, n, name, sizeof name), 0);
}

static void units_of_a_machine(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    bx_machine *m = machine("virtual:skl,part=plain,cores=2,slices=2");
    bx_entry cbo = bx_entry_find(c, bx_machine_cpu_model(m), BX_ENTRY_PMU, "skl_unc_cbo");
    bx_entry other =
        bx_entry_find(c, bx_entry_find(c, 0, BX_ENTRY_CPU, "ivbep"), BX_ENTRY_PMU, "ivbep_unc_cbo");
    char name[8];
    assert_true(cbo && other);
    assert_int_equal(bx_machine_units_of(m, cbo), 2);
    assert_int_equal(bx_machine_units_of(m, other), 0);
    assert_int_equal(bx_machine_units_of(m, bx_machine_cpu_model(m)), 0);
    assert_int_equal(bx_machine_unit_name(m, cbo, 1, name, sizeof name), strlen("C-Box 1"));
    assert_string_equal(name, "C-Box 1");
    assert_int_equal(bx_machine_unit_name(m, cbo, 2, name, sizeof name), 0);
    bx_machine_close(m);
}

/* ---- @socket ---- */

static void socket_is(const char *threads, const char *event, int package)
{
    const bx_machine_options o = {.size = sizeof o, .threads = threads};
    bx_machine *m = NULL;
    bx_evsel events[2];
    size_t n = 0;
    bx_error e = {0};
    if (bx_machine_open_with(bx_catalog_builtin(), "virtual:ivbep,part=plain,packages=2,cores=2",
                             &o, &m, &e) != BX_OK ||
        bx_machine_events_parse(m, event, events, 2, &n, &e) != BX_OK)
        fail_msg("%s: %s", event, e.message);
    assert_int_equal(n, 1);
    assert_int_equal(events[0].package, package);
    bx_machine_close(m);
}

/* The socket of the first thread's core, of which the machine has two each. */
static void the_socket_of_the_program(void **state)
{
    (void)state;
    const char event[] = "ivbep_unc_cbo1@socket::UNC_C_CLOCKTICKS";
    bx_evsel parsed;
    char text[80];
    socket_is(NULL, event, 0);
    socket_is("spread", event, 0);
    socket_is("2-3", event, 1);
    socket_is("3,0", event, 1);
    socket_is("2-3", "ivbep_unc_cbo1@0::UNC_C_CLOCKTICKS", 0);
    socket_is("2-3", "ivbep_unc_cbo1::UNC_C_CLOCKTICKS", BX_ANY);
    assert_int_equal(bx_event_parse(bx_catalog_builtin(), -1, event, strlen(event), &parsed, NULL),
                     BX_OK);
    assert_int_equal(parsed.package, BX_SOCKET);
    bx_event_format(bx_catalog_builtin(), &parsed, text, sizeof text);
    assert_string_equal(text, event);

    bx_result *r = measured("virtual:ivbep,part=plain,packages=2,cores=2",
                            "ivbep_unc_cbo1@socket::UNC_C_CLOCKTICKS,ivbep_unc_cbo1@0::UNC_C_"
                            "CLOCKTICKS,ivbep_unc_cbo1::UNC_C_CLOCKTICKS",
                            NULL, "stream,size=64K");
    uint64_t here = bx_result_value(r, bx_result_sum(r, 0));
    assert_true(here > 0);
    assert_string_equal(bx_result_event(r, bx_result_sum(r, 0)),
                        "ivbep_unc_cbo1@0::UNC_C_CLOCKTICKS");
    assert_int_equal(bx_result_value(r, bx_result_sum(r, 1)), here);
    assert_int_equal(bx_result_value(r, bx_result_sum(r, 2)), 2 * here);
    bx_result_free(r);
}

/* ---- a sink is 32 bytes: 323535-001 p37 ---- */

/* A chase reads each of 1,024 lines once. Only write-backs are in IRQ without an entry of MAF; each
 * carries a line. */
static void bytes_of_the_ring(void **state)
{
    (void)state;
    const char machine[] = "virtual:nhmex,part=plain,packages=1,cores=2";
    bx_result *r = measured(machine, NULL, "ring_bytes_to_cores,ring_bytes_from_cores",
                            "chase,size=64K,passes=1");
    assert_true(metric(r, "ring_bytes_to_cores", "B") == 1024 * 64);
    assert_true(metric(r, "ring_bytes_from_cores", "B") == 0);
    bx_result_free(r);
    r = measured(machine, "nhmex_unc_cbox::TRANS_IRQ,nhmex_unc_cbox::TRANS_MAF",
                 "ring_bytes_from_cores", "random,size=1M,write=100,iterations=20000");
    uint64_t written =
        bx_result_value(r, bx_result_sum(r, 0)) - bx_result_value(r, bx_result_sum(r, 1));
    assert_true(written > 0);
    assert_true(metric(r, "ring_bytes_from_cores", "B") == (double)written * 64);
    bx_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_unit),
        cmocka_unit_test(errors_by_functions),
        cmocka_unit_test(metrics_of_counted_events),
        cmocka_unit_test(metrics_by_name),
        cmocka_unit_test(the_default_events),
        cmocka_unit_test(what_is_no_count),
        cmocka_unit_test(beyond_the_last),
        cmocka_unit_test(regions_of_a_program),
        cmocka_unit_test(intervals_of_a_workload),
        cmocka_unit_test(chosen_times),
        cmocka_unit_test(runs_and_passes),
        cmocka_unit_test(an_overflow_ends_it),
        cmocka_unit_test(kept_runs),
        cmocka_unit_test(options_that_do_not_go_together),
        cmocka_unit_test(a_part_of_this_program),
        cmocka_unit_test(no_time_has_passed),
        cmocka_unit_test(errors),
        cmocka_unit_test(the_first_failure),
        cmocka_unit_test(machines_that_there_are),
        cmocka_unit_test(units_of_a_machine),
        cmocka_unit_test(the_socket_of_the_program),
        cmocka_unit_test(bytes_of_the_ring),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
