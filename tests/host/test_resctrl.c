/* Events of resctrl's files: which files they mean, and what is counted in them. The tree is that
 * of Linux, Documentation/filesystems/resctrl.rst, "mon_data". */
#include "../cmocked.h"

#include "host/fake_kernel.h"
#include "host/folder.h"
#include "host/perf/perf_counters.h"
#include "host/perf/resctrl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TOP BX_RESCTRL_FOLDER

typedef struct rig {
    folder f;
    bx_arena arena;
    bx_perf perf;
    fake_kernel kernel;
    bx_perf_calls calls;
} rig;

/* Two caches, of the CPUs 0 and 2; a group that is monitored, and one of control without it. */
static int set_up(void **state)
{
    static rig r;
    r = (rig){.f = folder_new()};
    for (int cpu = 0; cpu < 3; cpu++) {
        char file[80];
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%d/cache/index3/id", cpu);
        folder_text(&r.f, file, cpu == 2 ? "8\n" : "0\n");
    }
    folder_text(&r.f, TOP "/mon_data/mon_L3_00/mbm_total_bytes", "1000\n");
    folder_text(&r.f, TOP "/mon_data/mon_L3_00/llc_occupancy", "64\n");
    folder_text(&r.f, TOP "/mon_data/mon_L3_08/mbm_total_bytes", "70000\n");
    folder_text(&r.f, TOP "/mon_data/mon_L3_08/llc_occupancy", "128\n");
    folder_text(&r.f, TOP "/mon_groups/web/mon_data/mon_L3_08/mbm_total_bytes", "5\n");
    folder_text(&r.f, TOP "/till/mon_data/mon_L3_00/mbm_total_bytes", "6\n");
    assert_true(bx_perf_find_pmus(r.f.root, &r.arena, &r.perf));
    fake_kernel_calls(&r.kernel, &r.calls);
    *state = &r;
    return 0;
}

static int tear_down(void **state)
{
    rig *r = *state;
    bx_arena_free(&r->arena);
    folder_end(&r->f);
    return 0;
}

static bx_perf_event parsed(rig *r, const char *text)
{
    bx_perf_event event = {0};
    bx_error e = {0};
    bool known;
    if (bx_perf_parse(&r->perf, bx_str_of(text), &event, &known, &e) != BX_OK)
        fail_msg("%s: %s", text, e.message);
    assert_true(known);
    return event;
}

static void is_file(const rig *r, const bx_perf_source *source, const char *file, unsigned cpu)
{
    char whole[160];
    snprintf(whole, sizeof whole, "%s" TOP "%s", r->f.root, file);
    assert_string_equal(source->config.file, whole);
    assert_int_equal(source->pmu->cpus_n, 1);
    assert_int_equal(source->pmu->cpus[0], cpu);
}

static void files_of_events(void **state)
{
    rig *r = *state;
    bx_perf_event event = parsed(r, "resctrl/mbm_total_bytes/");
    assert_int_equal(event.n, 2);
    assert_string_equal(event.count, "bytes");
    is_file(r, &event.sources[0], "/mon_data/mon_L3_00/mbm_total_bytes", 0);
    is_file(r, &event.sources[1], "/mon_data/mon_L3_08/mbm_total_bytes", 2);
    assert_false(event.sources[0].config.level);
    event = parsed(r, "resctrl/llc_occupancy/");
    assert_true(event.sources[1].config.level);
    event = parsed(r, "resctrl/mbm_total_bytes,group=web/");
    assert_int_equal(event.n, 1);
    is_file(r, &event.sources[0], "/mon_groups/web/mon_data/mon_L3_08/mbm_total_bytes", 2);
    event = parsed(r, "resctrl/mbm_total_bytes,group=till/");
    is_file(r, &event.sources[0], "/till/mon_data/mon_L3_00/mbm_total_bytes", 0);
    size_t n;
    const char *const *names = bx_resctrl_events(&r->perf, &n);
    assert_int_equal(n, 2);
    assert_string_equal(names[0], "llc_occupancy");
    assert_string_equal(names[1], "mbm_total_bytes");
}

static void refused(void **state)
{
    rig *r = *state;
    static const struct {
        const char *text;
        size_t at, len;
        const char *message, *hint;
    } of[] = {
        {"resctrl/mbm_local_bytes/", 8, 15, "resctrl has no event 'mbm_local_bytes'", ""},
        {"resctrl//", 8, 0, "resctrl has no event ''", "it has: llc_occupancy, mbm_total_bytes"},
        {"resctrl/../", 8, 2, "resctrl has no event '..'", ""},
        {"resctrl/mbm_total_bytes,group=wob/", 30, 3, "resctrl has no group 'wob'", "'web'"},
        {"resctrl/mbm_total_bytes,group=../", 30, 2, "resctrl has no group '..'", ""},
        {"resctrl/mbm_total_bytes,x=1/", 24, 3, "one term, group=NAME", ""},
        {"resctrl/mbm_total_bytes,group=/", 24, 6, "one term, group=NAME", ""},
        {"resctrl/mbm_total_bytes", 7, 1, "this '/' is not closed", "resctrl/EVENT/"},
        {"resctrl/mbm_total_bytes/u", 24, 1, "all privilege levels", ""},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_perf_event event;
        bx_error e = {0};
        bool known;
        int code = bx_perf_parse(&r->perf, bx_str_of(of[i].text), &event, &known, &e);
        if (!code || e.at != of[i].at || e.len != of[i].len || !strstr(e.message, of[i].message) ||
            !strstr(e.hint, of[i].hint))
            fail_msg("%s: %zu+%zu %s (%s)", of[i].text, e.at, e.len, e.message, e.hint);
    }
    bx_error e = {0};
    bx_perf_event event;
    bool known;
    bx_perf bare;
    folder empty = folder_new();
    assert_true(bx_perf_find_pmus(empty.root, &r->arena, &bare));
    assert_int_equal(bx_perf_parse(&bare, BX_STR("resctrl/llc_occupancy/"), &event, &known, &e),
                     BX_NO_ACCESS);
    assert_non_null(strstr(e.message, "it is not mounted"));
    folder_end(&empty);
}

/* The file of all tasks has this now. */
static void now_has(const rig *r, const char *file, const char *text)
{
    char whole[160];
    snprintf(whole, sizeof whole, "%s" TOP "/mon_data/mon_L3_00/%s", r->f.root, file);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Three counters: traffic, bytes in a cache, and an event of perf_event among them. */
static void counting(void **state)
{
    rig *r = *state;
    bx_perf_event traffic = parsed(r, "resctrl/mbm_total_bytes/");
    bx_perf_event occupancy = parsed(r, "resctrl/llc_occupancy/");
    const bx_perf_counter_spec specs[] = {
        {.config = traffic.sources[0].config, .group = 1, .joins = true},
        {.config = {.type = 20}, .group = 1, .joins = true},
        {.config = occupancy.sources[0].config, .group = 1, .joins = true},
    };
    int err[3];
    bx_perf_value v[3];
    bx_perf_counters *c = bx_perf_counters_open(&r->calls, specs, 3, (bx_perf_task){0}, err);
    assert_int_equal(err[0] + err[1] + err[2], 0);
    assert_int_equal(r->kernel.n, 1); /* the kernel has opened its own alone */
    bx_perf_counters_start(c);
    now_has(r, "mbm_total_bytes", "1100\n");
    now_has(r, "llc_occupancy", "32\n");
    bx_perf_counters_read(c, v);
    assert_int_equal(v[0].count, 100);
    assert_int_equal(v[2].count, 32);
    bx_perf_counters_stop(c);
    now_has(r, "mbm_total_bytes", "4000\n");
    bx_perf_counters_read(c, v);
    assert_int_equal(v[0].count, 100);
    bx_perf_counters_start(c);
    now_has(r, "mbm_total_bytes", "4007\n");
    bx_perf_counters_read(c, v);
    assert_int_equal(v[0].count, 107);
    assert_int_equal(v[0].enabled, v[0].running);
    assert_int_equal(v[0].err, 0);
    bx_perf_counters_close(c);
    assert_int_equal(fake_kernel_open_now(&r->kernel), 0);
}

/* No number, another group's count, no file: never a count. */
static void no_value(void **state)
{
    rig *r = *state;
    static const struct {
        const char *file;
        int err;
    } of[] = {{"Unavailable\n", ENODATA}, {"Error\n", EIO}, {"", EIO}, {"999\n", ERANGE}};
    bx_perf_event traffic = parsed(r, "resctrl/mbm_total_bytes/");
    const bx_perf_counter_spec spec = {.config = traffic.sources[0].config};
    int err;
    bx_perf_value v;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        now_has(r, "mbm_total_bytes", "1000\n");
        bx_perf_counters *c = bx_perf_counters_open(&r->calls, &spec, 1, (bx_perf_task){0}, &err);
        bx_perf_counters_start(c);
        now_has(r, "mbm_total_bytes", of[i].file);
        bx_perf_counters_read(c, &v);
        assert_int_equal(v.err, of[i].err);
        bx_perf_counters_close(c);
    }
    now_has(r, "mbm_total_bytes", "Unavailable\n");
    bx_perf_counters *c = bx_perf_counters_open(&r->calls, &spec, 1, (bx_perf_task){0}, &err);
    bx_perf_counters_start(c);
    now_has(r, "mbm_total_bytes", "1000\n");
    bx_perf_counters_read(c, &v);
    assert_int_equal(v.err, ENODATA); /* nobody knows from where it has counted */
    bx_perf_counters_close(c);
    const bx_perf_counter_spec gone = {.config = {.file = "/nonexistent"}};
    c = bx_perf_counters_open(&r->calls, &gone, 1, (bx_perf_task){0}, &err);
    assert_int_equal(err, ENOENT);
    bx_perf_counters_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_value, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
