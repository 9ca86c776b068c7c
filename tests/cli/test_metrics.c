/* The metrics of the catalogue: how they are looked up, and that none of them prints a part that is
 * more than its whole. */
#include "../cmocked.h"

#include "cli/parsed.h"
#include "cli/run.h"

#include "base/buf.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>

/* ---- looking up ---- */

static void page(void **unused)
{
    (void)unused;
    ran r = RUN("info", "imt_latency");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "metric        imt_latency\n"
                      "              how long an entry stays in the in-flight memory table\n");
    assert_has(r.out, "formula       {IMT_VALID_OCCUPANCY} / {IMT_INSERTS_ALL}\n");
    assert_has(r.out, "more than 5 %"); /* 323535-001 p50 */
    ran_free(&r);
}

/* Each event names the metrics that it is an operand of. */
static void of_event(void **unused)
{
    (void)unused;
    ran r = RUN("info", "TF_ALL");
    assert_has(r.out, "metrics\n  tracker_occupancy ");
    assert_has(r.out, "\n  tracker_latency ");
    assert_has_not(r.out, "imt_latency");
    ran_free(&r);
    r = RUN("info", "REFRESH");
    assert_has_not(r.out, "metrics");
    ran_free(&r);
}

/* ---- units and peak ---- */

/* Eight lines of one page, an even number apart: all are in one of two slices. */
static void hot_spot(void **unused)
{
    (void)unused;
    ran r = RUN("stat", "--machine", "virtual:nhmex,packages=1,cores=2", "-w",
                "chase,size=4K,stride=512,passes=1", "-e", "LLC_MISSES:ALL");
    assert_string_equal(r.err, "");
    assert_has(r.out, " 8 lookups ");
    assert_has(r.out, " 4.00 lookups    llc_misses_per_cbox\n");
    assert_has(r.out, " 2.00 x the mean llc_misses_hot_spot\n");
    ran_free(&r);
}

/* ---- parts and wholes ---- */

static bool is_percent(const bx_catalog *c, const bx_cat_metric *metric)
{
    return strcmp(bx_cat_z(c, metric->unit), "%") == 0;
}

/* The event strings of a formula, each once in the list. */
static void add_events(bx_buf *list, const char *formula)
{
    const char *at = formula, *end;

    for (; (at = strchr(at, '{')); at = end) {
        char event[80];
        end = strchr(at, '}');
        snprintf(event, sizeof event, "%.*s,", (int)(end - at - 1), at + 1);
        if (!list->n || !strstr(list->p, event))
            bx_buf_z(list, event);
    }
}

static bx_buf events_of(const bx_catalog *c, const bx_cat_cpu *cpu)
{
    bx_buf list = {0};

    for (unsigned i = 0; i < cpu->metrics.n; i++) {
        const bx_cat_metric *metric = &bx_cat_metrics(c)[cpu->metrics.first + i];
        if (is_percent(c, metric))
            add_events(&list, bx_cat_z(c, metric->formula));
    }
    list.p[list.n - 1] = '\0'; /* the comma */
    return list;
}

/* "% name" with a value between 0 and 100. Returns whether it is that metric. */
static bool check_figure(json_object *o, const char *name)
{
    json_object *unit;
    if (!json_object_object_get_ex(o, "metric-unit", &unit) ||
        strncmp(json_object_get_string(unit), "% ", 2) != 0)
        return false;
    double value = json_object_get_double(member(o, "metric-value"));
    if (value < 0 || value > 100)
        fail_msg("%s: %f", json_object_get_string(unit), value);
    return strcmp(json_object_get_string(unit) + 2, name) == 0;
}

/* Whether a report in JSON has the metric; checks all that it has. */
static bool has_figure(const char *lines, const char *name)
{
    bool has = false;

    while (*lines) {
        size_t n = strcspn(lines, "\n");
        char *line = strndup(lines, n);
        json_object *o = parse(line), *more;
        has |= check_figure(o, name);
        if (json_object_object_get_ex(o, "more-metrics", &more))
            for (size_t i = 0; i < json_object_array_length(more); i++)
                has |= check_figure(json_object_array_get_idx(more, i), name);
        json_object_put(o);
        free(line);
        lines += n + (lines[n] == '\n');
    }
    return has;
}

static const struct {
    const char *cpu, *work, *keys; /* keys: of the machine string, with a comma before them */
} measured[] = {
    {"skl", "random,size=2M,cores=4,iterations=4000,write=30"},
    {"skl", "chase,size=64K+dma,size=64K,iterations=500"},
    {"ivbep", "random,size=2M,cores=20,iterations=2000,write=30", ",dram_rate=1600"},
    {"ivbep", "stream,size=256K,cores=2+dma,size=64K,iterations=500"},
    {"nhmex", "random,size=2M,cores=16,iterations=2000,write=30"},
    {"nhmex", "stream,size=256K,cores=2+dma,size=64K,iterations=500"},
    {"p6", "random,size=1M,iterations=4000,write=30"},
    {"p6", "stream,size=64K+dma,size=64K,iterations=2000"},
    {"ppro", "random,size=1M,iterations=3000"},
};

/* No model has branches, no built-in workload fetches. */
static const char *const not_printed[] = {"branch_miss_ratio", "tor_crd_miss_ratio"};

static bool is_printed(const char *name)
{
    for (size_t i = 0; i < sizeof not_printed / sizeof *not_printed; i++)
        if (strcmp(not_printed[i], name) == 0)
            return false;
    return true;
}

/* Measures once; marks the metrics that were printed. */
static void measure(const bx_catalog *c, const bx_cat_cpu *cpu, const char *keys, const char *work,
                    bool printed[])
{
    bx_buf events = events_of(c, cpu);
    char machine[32];
    snprintf(machine, sizeof machine, "virtual:%s%s", bx_cat_z(c, cpu->name), keys ? keys : "");
    ran r = RUN("stat", "--json", "--passes", "repeat", "--machine", machine, "-w", work, "-e",
                events.p);
    assert_string_equal(r.err, "");
    for (unsigned i = 0; i < cpu->metrics.n; i++) {
        unsigned metric = cpu->metrics.first + i;
        printed[metric] |= has_figure(r.out, bx_cat_z(c, bx_cat_metrics(c)[metric].name));
    }
    bx_buf_free(&events);
    ran_free(&r);
}

static void shares_are_at_most_100(void **unused)
{
    (void)unused;
    enum { METRICS = 256 };
    bool printed[METRICS] = {false};
    const bx_catalog *c = bx_catalog_builtin();

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const bx_cat_cpu *cpu = bx_cat_cpus(c);
        while (strcmp(bx_cat_z(c, cpu->name), measured[i].cpu) != 0)
            cpu++;
        assert_true(cpu->metrics.first + cpu->metrics.n <= METRICS);
        measure(c, cpu, measured[i].keys, measured[i].work, printed);
        bool last = i + 1 == sizeof measured / sizeof *measured ||
                    strcmp(measured[i + 1].cpu, measured[i].cpu) != 0;
        for (unsigned m = 0; last && m < cpu->metrics.n; m++) {
            const bx_cat_metric *metric = &bx_cat_metrics(c)[cpu->metrics.first + m];
            const char *name = bx_cat_z(c, metric->name);
            if (is_percent(c, metric) && printed[cpu->metrics.first + m] != is_printed(name))
                fail_msg("%s of %s", name, measured[i].cpu);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page),
        cmocka_unit_test(of_event),
        cmocka_unit_test(hot_spot),
        cmocka_unit_test(shares_are_at_most_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
