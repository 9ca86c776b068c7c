/* Metrics of an imported CPU on a machine of it: what the kernel counts for them, in which groups,
 * and their values. The machine is a folder, the kernel a fake. All expected values are worked out
 * by hand from the counts that the fake kernel has. */
#include "../cmocked.h"

#include "host/fake_kernel.h"
#include "host/pmus.h"
#include "machine/kernel_events.h"
#include "machine/machine.h"
#include "perfmon/import_files.h"

#include <boxscore/measure.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT(name, code, umask, counter)                                                          \
    "{\"EventName\":\"" name "\",\"EventCode\":\"" code "\",\"UMask\":\"" umask                    \
    "\",\"Counter\":\"" counter "\"}"
#define UNIT(name, code, umask, unit)                                                              \
    "{\"EventName\":\"" name "\",\"EventCode\":\"" code "\",\"UMask\":\"" umask                    \
    "\",\"Counter\":\"0,1,2,3\",\"Unit\":\"" unit "\"}"

/* clang-format off */
static const char events[] = "["
    EVENT("INST_RETIRED.ANY", "0x00", "0x01", "Fixed counter 0") ","
    EVENT("CPU_CLK_UNHALTED.THREAD", "0x00", "0x02", "Fixed counter 1") ","
    EVENT("TOPDOWN.SLOTS", "0x00", "0x04", "Fixed counter 3") ","
    EVENT("UOPS.ANY", "0xc2", "0x01", "0,1,2,3") ","
    EVENT("UOPS.MS", "0xc2", "0x04", "0,1,2,3") ","
    EVENT("LOADS", "0xd0", "0x81", "0,1,2,3") ","
    EVENT("STORES", "0xd0", "0x82", "0,1,2,3") ","
    EVENT("BRANCHES", "0xc4", "0x00", "0,1,2,3") ","
    UNIT("UNC_CHA_CLOCKTICKS", "0x01", "0x00", "CHA") ","
    UNIT("UNC_M_CAS_COUNT.RD", "0x04", "0x03", "iMC")
    "]";
/* clang-format on */

#define METRIC(name, formula, list, constants)                                                     \
    "{\"MetricName\":\"" name "\",\"Formula\":\"" formula "\",\"Events\":[" list                   \
    "],\"Constants\":[" constants "]}"
#define NAMED(name, alias) "{\"Name\":\"" name "\",\"Alias\":\"" alias "\"}"
#define INST               NAMED("INST_RETIRED.ANY", "i")
#define LEVEL_1                                                                                    \
    NAMED("PERF_METRICS.FRONTEND_BOUND", "f")                                                      \
    "," NAMED("PERF_METRICS.BAD_SPECULATION", "b") "," NAMED(                                      \
        "PERF_METRICS.RETIRING", "r") "," NAMED("PERF_METRICS.BACKEND_BOUND", "x")
#define CLK NAMED("CPU_CLK_UNHALTED.THREAD", "c")

/* clang-format off */
static const char intel[] = "{\"Metrics\":["
    METRIC("ipc", "i / c", INST "," CLK, "") ","
    METRIC("bandwidth", "( a * 64 / 1000000 ) / DURATIONTIMEINSECONDS",
           NAMED("UNC_M_CAS_COUNT.RD", "a"), "") ","
    METRIC("seconds_of", "i / DURATIONTIMEINSECONDS / ( i / ( d / 1000 ) )",
           INST, NAMED("DURATIONTIMEINMILLISECONDS", "d")) ","
    METRIC("uncore_ghz", "a / ( n * s )",
           NAMED("UNC_CHA_CLOCKTICKS", "a"), NAMED("CHAS_PER_SOCKET", "n")
           "," NAMED("SOCKET_COUNT", "s")) ","
    METRIC("one", "a", NAMED("UNC_CHA_CLOCKTICKS:one_unit", "a"), "") ","
    METRIC("threads", "( c / 2 ) if smt else ( c * t )",
           CLK, NAMED("HYPERTHREADING_ON", "smt") "," NAMED("THREADS_PER_CORE", "t")) ","
    METRIC("stalls", "a / c", NAMED("UOPS.ANY:c1:i1", "a") "," CLK, "") ","
    METRIC("kernel", "a / b", NAMED("UOPS.ANY:SUP", "a") "," NAMED("UOPS.ANY", "b"), "") ","
    METRIC("frontend", "f / ( f + b + r + x ) - s / s",
           NAMED("PERF_METRICS.FRONTEND_BOUND", "f") "," NAMED("PERF_METRICS.BAD_SPECULATION", "b")
           "," NAMED("PERF_METRICS.RETIRING", "r") "," NAMED("PERF_METRICS.BACKEND_BOUND", "x")
           "," NAMED("TOPDOWN.SLOTS:perf_metrics", "s"), "") ","
    METRIC("many", "( a + b + d + e + f ) / c + t / s",
           NAMED("UOPS.ANY", "a") "," NAMED("UOPS.MS", "b") "," NAMED("LOADS", "d")
           "," NAMED("STORES", "e") "," NAMED("BRANCHES", "f") "," CLK
           "," NAMED("PERF_METRICS.RETIRING", "t") "," NAMED("TOPDOWN.SLOTS", "s"), "") ","
    METRIC("nothing", "i / ( c - c )", INST "," CLK, "") ","
    METRIC("both", "r / s + i / c",
           INST "," CLK "," NAMED("PERF_METRICS.RETIRING", "r") "," NAMED("TOPDOWN.SLOTS", "s"),
           "") ","
    METRIC("memory_bandwidth_read", "a * 64", NAMED("UNC_M_CAS_COUNT.RD", "a"), "") ","
    METRIC("Info_Thread_IPC", "i / c", INST "," CLK, "") ","
    METRIC("Retiring", "100 * r / ( f + b + r + x )", LEVEL_1, "") ","
    METRIC("Backend_Bound", "100 * x / ( f + b + r + x )", LEVEL_1, "") ","
    METRIC("time", "d", "", NAMED("DURATIONTIMEINMILLISECONDS", "d")) ","
    METRIC("late", "a", NAMED("UOPS.ANY:retire_latency", "a"), "") ","
    METRIC("joules", "a", NAMED("FREERUN_PKG_ENERGY_STATUS:one_unit", "a"), "") ","
    METRIC("frequency", "i / f", INST, NAMED("SYSTEM_TSC_FREQ", "f"))
    "]}";
/* clang-format on */

static const char perf[] =
    "[{\"MetricName\":\"ipc\",\"MetricExpr\":\"INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD\"},"
    "{\"MetricName\":\"uncore_ghz\",\"MetricExpr\":\"UNC_CHA_CLOCKTICKS / "
    "(source_count(UNC_CHA_CLOCKTICKS) * #num_packages)\"},"
    "{\"MetricName\":\"stalls\",\"MetricExpr\":\"cpu@UOPS.ANY\\\\,cmask\\\\=1\\\\,inv\\\\=1@ / "
    "CPU_CLK_UNHALTED.THREAD\"},"
    "{\"MetricName\":\"frontend\",\"MetricExpr\":\"topdown\\\\-fe\\\\-bound / "
    "(topdown\\\\-fe\\\\-bound + topdown\\\\-bad\\\\-spec + topdown\\\\-retiring + "
    "topdown\\\\-be\\\\-bound) - slots / slots\"},"
    "{\"MetricName\":\"has\",\"MetricExpr\":\"(has_event(UOPS.ANY) + 10 * has_event(UOPS.NONE)) * "
    "INST_RETIRED.ANY / INST_RETIRED.ANY\"}]";

static struct bx_catalog *imported(void)
{
    static const bx_perfmon_file files[] = {
        {.name = {"events", 6}, .text = {events, sizeof events - 1}},
        {.name = {"intel", 5}, .text = {intel, sizeof intel - 1}, .metrics = true},
        {.name = {"perf", 4}, .text = {perf, sizeof perf - 1}, .metrics = true}};
    bx_perfmon_counts counts;
    bx_buf refusals = {0};
    struct bx_catalog *c = import_files(files, 3, &counts, &refusals);
    if (refusals.n)
        fail_msg("%s", bx_buf_text(&refusals));
    bx_buf_free(&refusals);
    assert_int_equal(counts.events, 10); /* topdown's metrics are not Intel's events */
    return c;
}

typedef struct rig {
    struct bx_catalog *c;
    folder f;
    fake_kernel kernel;
    bx_perf_calls calls;
    bx_machine *m;
} rig;

enum { CPU = 4, CHA = 30, IMC = 40 };

static void put_pmu(const folder *f, const char *pmu, unsigned type, const char *cpus)
{
    char number[16];
    snprintf(number, sizeof number, "%u", type);
    pmus_put(f, pmu, "type", number);
    pmus_put(f, pmu, "format/event", "config:0-7");
    pmus_put(f, pmu, "format/umask", "config:8-15");
    pmus_put(f, pmu, "format/edge", "config:18");
    pmus_put(f, pmu, "format/inv", "config:23");
    pmus_put(f, pmu, cpus ? "format/thresh" : "format/cmask", "config:24-31");
    if (cpus)
        pmus_put(f, pmu, "cpumask", cpus);
}

/* Two packages of two cores with two threads each, of two C-Boxes and one memory channel. */
static folder machine_of(const char *name)
{
    char text[160], path[96];
    folder f = folder_new();
    snprintf(text, sizeof text,
             "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: 143\nmodel name\t: %s\n", name);
    folder_text(&f, "/proc/cpuinfo", text);
    folder_text(&f, "/sys/devices/system/cpu/online", "0-7\n");
    for (int cpu = 0; cpu < 8; cpu++) {
        static const char *const numbers[] = {"0\n", "1\n"};
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu);
        folder_text(&f, path, numbers[cpu >> 1 & 1]);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
        folder_text(&f, path, numbers[cpu & 1]);
    }
    put_pmu(&f, "cpu", CPU, NULL);
    put_pmu(&f, "uncore_cha_0", CHA, "0,2");
    put_pmu(&f, "uncore_cha_1", CHA + 1, "0,2");
    put_pmu(&f, "uncore_imc_0", IMC, "0,2");
    return f;
}

static void open_rig(rig *r, const char *name)
{
    bx_error e = {0};
    memset(r, 0, sizeof *r);
    r->c = imported();
    r->f = machine_of(name);
    const bx_machine_options o = {.size = sizeof o, .root = r->f.root};
    if (bx_machine_open_with(r->c, "host", &o, &r->m, &e) != BX_OK)
        fail_msg("%s", e.message);
    fake_kernel_calls(&r->kernel, &r->calls);
    bx_machine_perf(r->m)->calls = &r->calls;
    bx_machine_perf(r->m)->foreign = false;
}

static void close_rig(rig *r)
{
    assert_int_equal(fake_kernel_open_now(&r->kernel), 0);
    bx_machine_close(r->m);
    folder_end(&r->f);
    free(r->c);
}

/* What the fake kernel has counted by the end. */
static uint64_t count_of(const fake_counter *c)
{
    static const struct {
        unsigned type;
        uint64_t config, count;
    } counts[] = {
        {CPU, 0xc0, 3000},     {CPU, 0x3c, 2000},   {CPU, 0x400, 12000}, {CPU, 0x8000, 6000},
        {CPU, 0x8100, 1000},   {CPU, 0x8200, 3000}, {CPU, 0x8300, 2000}, {CPU, 0x1c2, 4000},
        {CPU, 0x18001c2, 500}, {CPU, 0x4c2, 100},   {CPU, 0x81d0, 200},  {CPU, 0x82d0, 300},
        {CPU, 0xc4, 400},      {CHA, 1, 1000},      {CHA + 1, 1, 1000},  {IMC, 0x304, 500000},
    };
    if (c->attr.exclude_user || c->attr.type == PERF_TYPE_SOFTWARE ||
        c->attr.type == PERF_TYPE_HARDWARE)
        return 1000;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].type == c->attr.type && counts[i].config == c->attr.config)
            return counts[i].count;
    fail_msg("type %u, config 0x%llx", c->attr.type, (unsigned long long)c->attr.config);
    return 0;
}

static void let_count(rig *r)
{
    for (int i = 0; i < r->kernel.n; i++) {
        if (!r->kernel.all[i].open)
            continue;
        r->kernel.all[i].count = count_of(&r->kernel.all[i]);
        r->kernel.all[i].enabled = r->kernel.all[i].running = 5000;
    }
}

static bx_result *counted(rig *r, const char *metrics)
{
    bx_result *result = NULL;
    bx_error e = {0};
    memset(&r->kernel.all, 0, sizeof r->kernel.all);
    r->kernel.n = 0;
    if (bx_measure_begin(r->m, NULL, metrics, &result, &e) != BX_OK)
        fail_msg("%s: %s", metrics, e.message);
    let_count(r);
    if (bx_measure_end(result, &e) != BX_OK)
        fail_msg("%s: %s", metrics, e.message);
    return result;
}

/* The value of the only metric that was asked for. false: it has none. */
static bool value_of(rig *r, const char *metric, double *value)
{
    bx_result *result = counted(r, metric);
    assert_int_equal(bx_result_metrics(result), 1);
    assert_string_equal(bx_result_metric(result, 0), metric);
    bool any = bx_result_metric_value(result, 0, value);
    bx_result_free(result);
    return any;
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        double value;
    } of[] = {
        {"ipc", 1.5},
        {"perf:ipc", 1.5},
        {"uncore_ghz", 1000}, /* 4 counts of 1000; two C-Boxes in each of two packages */
        {"perf:uncore_ghz", 1000},
        {"one", 1000},
        {"threads", 1000}, /* each core has two */
        {"stalls", 0.25},
        {"perf:stalls", 0.25},
        {"kernel", 0.25},
        {"frontend", 0.25 - 1},
        {"perf:frontend", 0.25 - 1},
        {"many", 5000 / 2000. + 6000 / 12000.},
        {"seconds_of", 1},
        {"has", 1},
        {"frequency", 3000 / 2.5e9},
    };
    rig r;
    open_rig(&r, "A CPU @ 2.50GHz");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double value = 0;
        if (!value_of(&r, of[i].metric, &value))
            fail_msg("%s has no value", of[i].metric);
        if (value < of[i].value - 1e-9 || value > of[i].value + 1e-9)
            fail_msg("%s is %.12g", of[i].metric, value);
    }
    double bandwidth = 0, none;
    assert_true(value_of(&r, "bandwidth", &bandwidth));
    assert_true(bandwidth > 0); /* 64 MB within the time of the test */
    assert_false(value_of(&r, "nothing", &none));
    close_rig(&r);
    open_rig(&r, "A CPU"); /* whose frequency nobody knows */
    assert_false(value_of(&r, "frequency", &none));
    close_rig(&r);
}

static void refused(void **state)
{
    (void)state;
    rig r;
    bx_result *result = NULL;
    bx_error e = {0};
    open_rig(&r, "A CPU");
    assert_int_equal(bx_measure_begin(r.m, NULL, "late", &result, &e), BX_NO_FIT);
    assert_non_null(strstr(e.message, "no event or number 'UOPS.ANY:retire_latency'"));
    e = (bx_error){0};
    assert_int_equal(bx_measure_begin(r.m, NULL, "joules", &result, &e), BX_NO_FIT);
    assert_non_null(strstr(e.message, "no event or number 'FREERUN_PKG_ENERGY_STATUS:one_unit'"));
    close_rig(&r);
}

/* ---- groups ---- */

static bool is_topdown(const struct perf_event_attr *attr)
{
    return attr->type == CPU && (attr->config & 0x80ff) == 0x8000;
}

/* Linux counts topdown's metrics in a group after `slots` alone (core.c, is_metric_event()). */
static int as_linux(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
                    int group)
{
    (void)pid;
    (void)cpu;
    bool behind_slots = group >= FAKE_FD && k->all[group - FAKE_FD].attr.config == 0x400;
    return is_topdown(attr) && !behind_slots ? EINVAL : 0;
}

/* As on a CPU whose watchdog has the counter: instructions do not fit into a group. */
static int with_watchdog(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid,
                         int cpu, int group)
{
    bool instructions = attr->type == CPU && attr->config == 0xc0;
    return instructions && group >= 0 ? EINVAL : as_linux(k, attr, pid, cpu, group);
}

/* How many counters of cores are in the group that `config` leads. The kernel gave it up: 0. */
static unsigned led_by(const rig *r, uint64_t config)
{
    unsigned n = 0;
    for (int i = 0; i < r->kernel.n; i++) {
        const fake_counter *c = &r->kernel.all[i];
        bool own = c->group < 0 && c->attr.config == config;
        bool behind = c->group >= 0 && r->kernel.all[c->group - FAKE_FD].attr.config == config;
        n += c->attr.type == CPU && c->enabled && (own || behind);
    }
    return n;
}

static void groups(void **state)
{
    (void)state;
    rig r;
    double value;
    open_rig(&r, "A CPU");
    r.kernel.refuse = as_linux;
    assert_true(value_of(&r, "frontend", &value)); /* slots are first, wherever they stand */
    assert_int_equal(led_by(&r, 0x400), 5);
    assert_true(value_of(&r, "ipc", &value));
    assert_int_equal(led_by(&r, 0xc0) + led_by(&r, 0x3c), 2);
    assert_true(value_of(&r, "many", &value)); /* five of four counters: those alone that must be */
    assert_int_equal(led_by(&r, 0x400), 2);
    assert_int_equal(led_by(&r, 0x1c2), 1);
    assert_true(value_of(&r, "both", &value));
    assert_int_equal(led_by(&r, 0x400), 4);
    r.kernel.refuse = with_watchdog;
    assert_true(value_of(&r, "both", &value));
    assert_true(value == 6000 / 12000. + 3000 / 2000.);
    assert_int_equal(led_by(&r, 0x400), 2); /* the kernel refuses them elsewhere */
    assert_int_equal(led_by(&r, 0xc0), 1);
    assert_int_equal(led_by(&r, 0x3c), 1);
    close_rig(&r);
}

/* ---- what is shown ---- */

/* Beside events that were asked for: metrics of these alone, each once. */
static void beside_events(void **state)
{
    (void)state;
    rig r;
    bx_result *result = NULL;
    bx_error e = {0};
    open_rig(&r, "A CPU");
    if (bx_measure_begin(r.m, "INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD", NULL, &result, &e) !=
        BX_OK)
        fail_msg("%s", e.message);
    let_count(&r);
    assert_int_equal(bx_measure_end(result, &e), BX_OK);
    static const char *const expected[] = {"ipc",     "seconds_of",      "threads",
                                           "nothing", "Info_Thread_IPC", "has"};
    enum { EXPECTED = sizeof expected / sizeof *expected };
    assert_int_equal(bx_result_metrics(result), EXPECTED);
    for (size_t i = 0; i < EXPECTED; i++)
        assert_string_equal(bx_result_metric(result, i), expected[i]);
    bx_result_free(result);
    close_rig(&r);
}

/* Without events and metrics. */
static void by_default(void **state)
{
    (void)state;
    rig r;
    bx_result *result = NULL;
    bx_error e = {0};
    double value;
    open_rig(&r, "A CPU");
    r.kernel.refuse = as_linux;
    if (bx_measure_begin(r.m, NULL, NULL, &result, &e) != BX_OK)
        fail_msg("%s", e.message);
    let_count(&r);
    assert_int_equal(bx_measure_end(result, &e), BX_OK);
    static const char *const expected[] = {"memory_bandwidth_read", "Info_Thread_IPC", "Retiring",
                                           "Backend_Bound"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t at = 0;
        while (at < bx_result_metrics(result) &&
               strcmp(bx_result_metric(result, at), expected[i]) != 0)
            at++;
        if (at == bx_result_metrics(result) || !bx_result_metric_value(result, at, &value))
            fail_msg("no %s", expected[i]);
    }
    assert_true(value > 100 * 2000. / 12000 - 1e-9 && value < 100 * 2000. / 12000 + 1e-9);
    assert_int_equal(led_by(&r, 0x400), 5);
    bx_result_free(result);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),        cmocka_unit_test(refused),    cmocka_unit_test(groups),
        cmocka_unit_test(beside_events), cmocka_unit_test(by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
