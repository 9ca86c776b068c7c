/* Measurements replayed from their register logs give exactly the same readings, on virtual
 * machines and on a host. Register logs that are cut off give a message. */
#include "../cmocked.h"

#include "host/folder.h"
#include "base/buf.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct work {
    const char *machine, *workload;
    const char *events; /* NULL: the CPU's recommended events, in passes */
    uint64_t rotate, sample_every;
} work;

static const work works[] = {
    {"virtual:skl,part=plain,cores=2", "stream,size=256K",
     "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI", 0, 0},
    {"virtual:skl,part=plain,cores=4", "random,size=1M,iterations=20000", NULL, 0, 0},
    {"virtual:skl,part=plain", "random,size=1M,iterations=20000", NULL, 1500, 7777},
    {"virtual:skl,part=plain", "stream,size=64K", "DRAM_DATA_READS,UNC_CLOCK", 0, 1000},
    {"virtual:ivbep,part=plain,packages=1,cores=2", "stream,size=64K", NULL, 0, 0},
    {"virtual:nhmex,part=plain,packages=1,cores=2", "stream,size=64K", NULL, 0, 0},
    {"virtual:p6,part=plain", "stream,size=64K", NULL, 0, 5000},
};
enum { WORKS = sizeof works / sizeof *works };

static size_t parse(const bx_machine *m, const char *list, bx_evsel *events)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_span picks = bx_cat_cpus(c)[bx_machine_cpu(m)].defaults;
    bx_buf text = {0};
    bx_error e = {0};
    size_t n = 0;
    bx_buf_z(&text, list ? list : "");
    for (unsigned i = 0; !list && i < picks.n; i++)
        bx_buf_f(&text, "%s%s", i ? "," : "", bx_cat_z(c, bx_cat_picks(c)[picks.first + i].event));
    if (bx_events_parse(c, bx_machine_cpu(m), text.p, events, TRIAL_EVENTS, &n, &e))
        fail_msg("%s", e.message);
    bx_buf_free(&text);
    return n;
}

static bx_machine *opened(const char *spec, const bx_machine_options *o)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    if (bx_machine_open_with(bx_catalog_builtin(), spec, o, &m, &e))
        fail_msg("%s", e.message);
    return m;
}

/* Runs to the end of the work. Returns false if it could not; *e has the reason. */
static bool run(bx_machine *m, const work *w, const char *list, struct trial_result *r, bx_error *e)
{
    bx_evsel events[TRIAL_EVENTS];
    size_t n = parse(m, list, events);
    const bx_session_options o = {.size = sizeof o, .rotate = w->rotate};
    bx_session *s = NULL;
    bool done = false;
    *r = (struct trial_result){.start = bx_machine_time(m)};
    int rc = bx_session_open(m, events, n, &o, &s, e);
    rc = rc ? rc : bx_session_start(s, e);
    while (!rc && !done) {
        uint64_t until = w->sample_every ? bx_machine_time(m) + w->sample_every : UINT64_MAX;
        rc = bx_session_run(s, until, &done, e);
        rc = rc ? rc : bx_session_sample(s, e);
    }
    if (s) {
        int stopped = bx_session_stop(s, rc ? NULL : e);
        const bx_reading *readings = bx_session_readings(s, &r->n);
        rc = rc ? rc : stopped;
        assert_true(r->n <= TRIAL_READINGS);
        memcpy(r->readings, readings, r->n * sizeof *readings);
    }
    r->end = bx_machine_time(m);
    bx_session_close(s);
    bx_error own = {0};
    if (bx_machine_finish(m, rc == BX_OK, &own)) {
        *e = own;
        rc = own.code;
    }
    return rc == BX_OK;
}

static void record(const char *path, const work *w, struct trial_result *r)
{
    bx_error e = {0};
    bx_machine *m = opened(w->machine, &(bx_machine_options){.size = sizeof(bx_machine_options),
                                                             .log_registers = path});
    assert_int_equal(bx_machine_load_workload(m, w->workload, &e), BX_OK);
    if (!run(m, w, w->events, r, &e))
        fail_msg("%s", e.message);
    assert_true(r->end > r->start);
    bx_machine_close(m);
}

static bool replay(const char *path, const work *w, const char *list, struct trial_result *r,
                   bx_error *e)
{
    bx_machine *m = NULL;
    const bx_machine_options o = {.size = sizeof o, .replay = path};
    if (bx_machine_open_with(bx_catalog_builtin(), NULL, &o, &m, e))
        return false;
    assert_true(bx_machine_can(m)->is_recorded);
    bool well = run(m, w, list, r, e);
    bx_machine_close(m);
    return well;
}

static void assert_same(const struct trial_result *a, const struct trial_result *b)
{
    assert_int_equal(a->n, b->n);
    assert_true(a->n > 0);
    assert_int_equal(a->end - a->start, b->end - b->start);
    for (size_t i = 0; i < a->n; i++)
        assert_memory_equal(&a->readings[i], &b->readings[i], sizeof a->readings[i]);
}

static void path_in(const folder *f, const char *name, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", f->root, name);
}

static void the_same_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKS; i++) {
        char path[96];
        struct trial_result first, again;
        bx_error e = {0};
        folder f = folder_new();
        path_in(&f, "r", path, sizeof path);
        record(path, &works[i], &first);
        if (!replay(path, &works[i], works[i].events, &again, &e))
            fail_msg("%s: %s", works[i].machine, e.message);
        assert_same(&first, &again);
        folder_end(&f);
    }
}

/* A host whose memory cannot be accessed: blocked readings are blocked again. The program does not
 * run again, but its time and exit status are shown. */
static void a_host_with_faults(void **state)
{
    (void)state;
    static const work w = {.events = "UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS"};
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"sleep 0.02; exit 3"}, NULL};
    char path[96], journal[96];
    struct trial_result first, again;
    bx_error e = {0}, none = {0};
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    folder_msr(&f, 0, 0x396, 3);
    folder_msr(&f, 0, 0xe02, 0);
    path_in(&f, "r", path, sizeof path);
    path_in(&f, "journal", journal, sizeof journal);
    bx_machine *m = opened("host", &(bx_machine_options){.size = sizeof(bx_machine_options),
                                                         .root = f.root,
                                                         .log_registers = path,
                                                         .journal = journal});
    assert_int_equal(bx_machine_load_program(m, argv, &e), BX_OK);
    if (!run(m, &w, w.events, &first, &e))
        fail_msg("%s", e.message);
    bx_machine_close(m);
    assert_int_equal(first.n, 3); /* two C-Boxes, one memory controller */
    assert_int_equal(first.readings[0].state, BX_COUNTED);
    assert_int_equal(first.readings[2].state, BX_BLOCKED);
    assert_true(first.end - first.start >= 20000000);
    m = opened(NULL, &(bx_machine_options){.size = sizeof(bx_machine_options), .replay = path});
    assert_false(bx_machine_is_virtual(m));
    assert_string_equal(bx_machine_name(m), "host");
    if (!run(m, &w, w.events, &again, &none))
        fail_msg("%s", none.message);
    assert_int_equal(bx_machine_exit_status(m), 3);
    bx_machine_close(m);
    assert_same(&first, &again);
    folder_end(&f);
}

/* Recording does not change the counts, because it takes no virtual time. */
static void recording_changes_nothing(void **state)
{
    (void)state;
    char path[96];
    struct trial_result with, without;
    bx_error e = {0};
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    record(path, &works[2], &with);
    bx_machine *m = trial_machine(works[2].machine);
    assert_int_equal(bx_machine_load_workload(m, works[2].workload, NULL), BX_OK);
    assert_true(run(m, &works[2], works[2].events, &without, &e));
    assert_same(&with, &without);
    bx_machine_close(m);
    folder_end(&f);
}

static char *read_whole(const char *path, size_t *n)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *n = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *n, file), *n);
    text[*n] = '\0';
    fclose(file);
    return text;
}

static void write_whole(const char *path, const char *text, size_t n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    fclose(file);
}

static void other_events(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "UNC_CBO_CACHE_LOOKUP:ANY_I",
        "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CBO_CACHE_LOOKUP:ANY_I",
        "UNC_CLOCK",
        "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:READ_I",
        "DRAM_DATA_READS",
        "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK",
    };
    char path[96];
    struct trial_result first, again;
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    record(path, &works[0], &first);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        bx_error e = {0};
        assert_false(replay(path, &works[0], lists[i], &again, &e));
        if (!strstr(e.message, path) || !strstr(e.message, ", line ") ||
            !strstr(e.message, "asked for '") || !*e.hint)
            fail_msg("%s: %s", lists[i], e.message);
    }
    folder_end(&f);
}

/* A register log that was cut off says so, and where: a prefix is never taken for a whole
 * measurement. */
static void cut_off(void **state)
{
    (void)state;
    char path[96], cut[96];
    struct trial_result first, again;
    size_t n;
    folder f = folder_new();
    path_in(&f, "r", path, sizeof path);
    path_in(&f, "cut", cut, sizeof cut);
    record(path, &works[0], &first);
    char *text = read_whole(path, &n);
    for (size_t i = 0; i < n; i++) {
        bx_error e = {0};
        write_whole(cut, text, i);
        bool well = replay(cut, &works[0], works[0].events, &again, &e);
        assert_false(well);
        if (i > 40 && !strstr(e.message, "line ") && !strstr(e.message, "which CPU model"))
            fail_msg("%zu: %s", i, e.message);
    }
    free(text);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_again),
        cmocka_unit_test(a_host_with_faults),
        cmocka_unit_test(recording_changes_nothing),
        cmocka_unit_test(other_events),
        cmocka_unit_test(cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
