/* Calls every public function that allocates (boxscore.h) with each of its allocations failing. It
 * returns BX_NO_MEMORY with a message, or its usual result. Its arguments can still be used, and
 * closed. */
#include "../cmocked.h"

#include "host/folder.h"
#include "memory/failing.h"
#include "event/decode/decode.h"
#include "event/event.h"

#include <boxscore/boxscore.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_EVENTS = 16, ROOM = 512 };

/* ---- one call ---- */

/* The tested call: which of its allocations fails, and how many there were. */
static struct {
    unsigned long nth, done;
    bool later, called;
} now;

static void begin(void)
{
    assert_false(now.called); /* one call a scenario */
    failing_begin(now.nth, now.later);
}

static int end(int rc, const bx_error *e)
{
    now.done = failing_end();
    now.called = true;
    if (rc == BX_OK)
        return rc;
    if (rc != BX_NO_MEMORY || e->code != rc || !strstr(e->message, "memory"))
        fail_msg("allocation %lu%s: %d, '%s'", now.nth, now.later ? " and later ones" : "", rc,
                 e->message);
    assert_true(now.nth > 0 && now.done >= now.nth);
    return rc;
}

/* Calls a function whose last argument is &e, with an allocation failing. */
#define FAILING(call) (begin(), end(call, &e))

static void fine(int rc, const bx_error *e)
{
    if (rc != BX_OK)
        fail_msg("allocation %lu%s, later: %d, '%s'", now.nth, now.later ? " and later ones" : "",
                 rc, e->message);
}

/* Calls it with an allocation failing, and if it failed, again with memory. */
#define FAILING_AND_AGAIN(call)                                                                    \
    do {                                                                                           \
        if (FAILING(call) != BX_OK) {                                                              \
            e = (bx_error){0};                                                                     \
            fine(call, &e);                                                                        \
        }                                                                                          \
    } while (0)

typedef void scenario(const char *a, const char *b);

typedef struct tried {
    scenario *run;
    const char *a, *b;
} tried;

static unsigned long try_one(void *context, unsigned long nth, bool later)
{
    const tried *t = context;
    now.nth = nth;
    now.later = later;
    now.called = false;
    t->run(t->a, t->b);
    assert_true(now.called);
    return now.done;
}

/* a, b: objects that the scenario makes. */
static void each(scenario *run, const char *a, const char *b)
{
    tried t = {run, a, b};
    try_one(&t, 0, false); /* checks that it works, and lets libraries allocate what they keep */
    unsigned long n = failing_each(try_one, &t);
    print_message("%6lu  %s  %s\n", n, a, b ? b : "");
}

/* ---- events ---- */

static const bx_catalog *built_in(void)
{
    return bx_catalog_builtin();
}

static void parse_event(const char *text, const char *unused)
{
    bx_evsel event, usual;
    bx_error e = {0};
    (void)unused;
    fine(bx_event_parse(built_in(), -1, text, strlen(text), &usual, &e), &e);
    FAILING_AND_AGAIN(bx_event_parse(built_in(), -1, text, strlen(text), &event, &e));
    assert_memory_equal(&event, &usual, sizeof event);
}

static void parse_events(const char *text, const char *unused)
{
    bx_evsel events[MOST_EVENTS];
    size_t n = 0;
    bx_error e = {0};
    (void)unused;
    FAILING_AND_AGAIN(bx_events_parse(built_in(), -1, text, events, MOST_EVENTS, &n, &e));
    assert_true(n > 1);
}

/* These functions return no error, so they must not need memory. */
static void no_memory_needed(const char *text, const char *unused)
{
    bx_evsel event;
    bx_error e = {0};
    bx_regvalue registers[1 + BX_EXTRAS];
    char to[ROOM];
    (void)unused;
    fine(bx_event_parse(built_in(), -1, text, strlen(text), &event, &e), &e);
    begin();
    bx_event_format(built_in(), &event, to, sizeof to);
    bx_event_format_perf(built_in(), &event, to, sizeof to);
    bx_event_registers(built_in(), &event, BX_LOWEST, registers);
    bx_event_lowest_counter(built_in(), &event);
    end(BX_OK, &e);
    assert_int_equal(now.done, 0);
}

static void decode(const char *unused, const char *unused_too)
{
    static const bx_raw raw[] = {{0, 0x700, 0x408834}, {0, 0xe01, 0x20000000}};
    bx_decoded to[MOST_EVENTS];
    size_t n = 0;
    bx_error e = {0};
    int cpu = 0;
    (void)unused;
    (void)unused_too;
    while (strcmp(bx_catalog_cpu_name(built_in(), (size_t)cpu), "skl") != 0)
        cpu++;
    FAILING_AND_AGAIN(bx_decode(built_in(), cpu, raw, 2, to, MOST_EVENTS, &n, &e));
    assert_int_equal(n, 1);
}

static void test_events(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "UNC_CBO_CACHE_LOOKUP:ANY_I:t=3",
        "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I",
        "uncore_cbox_0/event=0x34,umask=0x88/",
        "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:ALL",
        "UNC_C_TOR_INSERTS:ALL",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        each(parse_event, texts[i], NULL);
        each(no_memory_needed, texts[i], NULL);
    }
    each(parse_events, "{UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_M},UNC_CLOCK", NULL);
    each(decode, "0x700", NULL);
}

/* ---- machines ---- */

static folder work;
static char root[96], log_file[96], record[96], journal[96], left[96];

static bx_machine *machine(const char *spec, const bx_machine_options *o)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    fine(bx_machine_open_with(built_in(), spec, o, &m, &e), &e);
    return m;
}

#define RECORDED "virtual:skl,part=plain,cores=2"

static const bx_machine_options *options_of(const char *spec)
{
    static bx_machine_options host, replayed, recorded;
    host = (bx_machine_options){.size = sizeof host,
                                .root = root,
                                .driver = BX_DRIVER_REGISTERS,
                                .helper = "",
                                .journal = journal};
    replayed = (bx_machine_options){.size = sizeof replayed, .replay = log_file};
    recorded = (bx_machine_options){.size = sizeof recorded, .log_registers = record};
    return strcmp(spec, "host") == 0                        ? &host
           : strcmp(spec, "replayed") == 0                  ? &replayed
           : strncmp(spec, RECORDED, strlen(RECORDED)) == 0 ? &recorded
                                                            : NULL;
}

static const char *name_of(const char *spec)
{
    return strcmp(spec, "replayed") == 0 ? NULL : spec;
}

static bx_machine *machine_of(const char *spec)
{
    return machine(name_of(spec), options_of(spec));
}

static void open_machine(const char *spec, const char *unused)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    (void)unused;
    FAILING_AND_AGAIN(bx_machine_open_with(built_in(), name_of(spec), options_of(spec), &m, &e));
    assert_non_null(m);
    bx_machine_close(m);
}

static void parse_events_of_machine(const char *spec, const char *text)
{
    bx_machine *m = machine_of(spec);
    bx_evsel events[MOST_EVENTS];
    size_t n = 0;
    bx_error e = {0};
    FAILING_AND_AGAIN(bx_machine_events_parse(m, text, events, MOST_EVENTS, &n, &e));
    assert_true(n > 0);
    bx_machine_close(m);
}

static void ask_machine(const char *spec, const char *text)
{
    bx_machine *m = machine_of(spec);
    bx_evsel events[MOST_EVENTS];
    size_t n = 0;
    char to[ROOM];
    bx_error e = {0};
    fine(bx_machine_events_parse(m, text, events, MOST_EVENTS, &n, &e), &e);
    begin();
    bx_machine_produces(m, events);
    bx_machine_event_format(m, events, to, sizeof to);
    bx_machine_name(m);
    bx_machine_units(m, events->pmu);
    bx_machine_now(m);
    end(BX_OK, &e);
    assert_int_equal(now.done, 0);
    bx_machine_close(m);
}

static void load_workload(const char *spec, const char *workload)
{
    bx_machine *m = machine_of(spec);
    bool done = false;
    bx_error e = {0};
    FAILING_AND_AGAIN(bx_machine_load_workload(m, workload, &e));
    fine(bx_machine_run(m, UINT64_MAX, &done, &e), &e);
    assert_true(done && bx_machine_accesses(m) > 0);
    bx_machine_close(m);
}

static void load_program(const char *spec, const char *program)
{
    char name[32];
    char *argv[] = {name, NULL};
    bx_machine *m = machine_of(spec);
    bx_error e = {0};
    snprintf(name, sizeof name, "%s", program);
    FAILING_AND_AGAIN(bx_machine_load_program(m, argv, &e));
    bx_machine_close(m);
}

/* A machine model that has lost an entry of a queue remains wrong. */
static void run(const char *spec, const char *workload)
{
    bx_machine *m = machine_of(spec), *other = machine_of(spec);
    bool done = false, others = false;
    bx_error e = {0};
    fine(bx_machine_load_workload(m, workload, &e), &e);
    fine(bx_machine_load_workload(other, workload, &e), &e);
    fine(bx_machine_run(other, UINT64_MAX, &others, &e), &e);
    if (FAILING(bx_machine_run(m, UINT64_MAX, &done, &e)) == BX_OK) {
        assert_true(done);
        assert_int_equal(bx_machine_now(m), bx_machine_now(other));
    } else {
        e = (bx_error){0};
        assert_false(done);
        assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, &e), BX_NO_MEMORY);
    }
    bx_machine_close(m);
    bx_machine_close(other);
}

#define SKL    "virtual:skl,part=plain,cores=1,llc=512K"
#define IVBEP  "virtual:ivbep,part=plain,packages=1,cores=1"
#define NHMEX  "virtual:nhmex,part=plain,packages=1,cores=1"
#define P6     "virtual:p6,part=plain"
#define WRITES "random,size=1M,write=100,iterations=3000"

static void test_machines(void **state)
{
    (void)state;
    static const char *const specs[] = {SKL, IVBEP, NHMEX, P6, RECORDED, "host", "replayed"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        each(open_machine, specs[i], NULL);
    each(parse_events_of_machine, SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK");
    each(parse_events_of_machine, "host", "UNC_CBO_CACHE_LOOKUP:ANY_I,page-faults");
    each(ask_machine, SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I");
    each(ask_machine, "host", "page-faults");
    each(load_workload, SKL, "stream,size=64K");
    each(load_program, "host", "true");
}

static void test_runs(void **state)
{
    (void)state;
    each(run, SKL, WRITES);
    each(run, IVBEP, WRITES);
    each(run, NHMEX, WRITES);
    each(run, P6, WRITES);
}

/* ---- sessions ---- */

static const bx_session_options rotating = {.size = sizeof rotating, .rotate = 5000};

/* A machine with work, and a session on it. */
typedef struct measured {
    bx_machine *m;
    bx_session *s;
    bx_evsel events[MOST_EVENTS];
    size_t n;
} measured;

static char *program[] = {(char[]){"true"}, NULL};

static measured prepare(const char *spec, const char *events)
{
    measured t = {.m = machine_of(spec)};
    bx_error e = {0};
    fine(bx_machine_events_parse(t.m, events, t.events, MOST_EVENTS, &t.n, &e), &e);
    fine(bx_machine_is_virtual(t.m)      ? bx_machine_load_workload(t.m, "stream,size=64K", &e)
         : strcmp(spec, "replayed") == 0 ? BX_OK
                                         : bx_machine_load_program(t.m, program, &e),
         &e);
    return t;
}

static measured opened(const char *spec, const char *events)
{
    measured t = prepare(spec, events);
    bx_error e = {0};
    fine(bx_session_open(t.m, t.events, t.n, &rotating, &t.s, &e), &e);
    return t;
}

static measured started(const char *spec, const char *events)
{
    measured t = opened(spec, events);
    bx_error e = {0};
    fine(bx_session_start(t.s, &e), &e);
    return t;
}

static uint64_t until(const measured *t)
{
    return bx_machine_now(t->m) + (bx_machine_is_virtual(t->m) ? 20000 : 100000);
}

/* The rest of the measurement works, and all registers are as before. */
static void finish(measured *t, bool start)
{
    bool done;
    bx_error e = {0};
    size_t n;
    if (start)
        fine(bx_session_start(t->s, &e), &e);
    fine(bx_session_run(t->s, until(t), &done, &e), &e);
    fine(bx_session_sample(t->s, &e), &e);
    fine(bx_session_stop(t->s, &e), &e);
    const bx_reading *readings = bx_session_readings(t->s, &n);
    for (size_t i = 0; i < n; i++)
        assert_true(readings[i].state <= BX_NOT_MEASURED);
    assert_null(bx_session_left(t->s, 0));
    assert_null(bx_session_journal(t->s));
    bx_session_close(t->s);
    bx_machine_close(t->m);
    assert_int_not_equal(access(journal, F_OK), 0);
}

static void open_session(const char *spec, const char *events)
{
    measured t = prepare(spec, events);
    bx_error e = {0};
    FAILING_AND_AGAIN(bx_session_open(t.m, t.events, t.n, &rotating, &t.s, &e));
    finish(&t, true);
}

static void start_session(const char *spec, const char *events)
{
    measured t = opened(spec, events);
    bx_error e = {0};
    FAILING_AND_AGAIN(bx_session_start(t.s, &e));
    finish(&t, false);
}

/* The journal of a killed measurement prevents other measurements from starting, even with little
 * memory. */
static void start_beside_journal(const char *path, const char *unused)
{
    bx_machine_options o = *options_of("host");
    measured t = {0};
    bx_error e = {0};
    (void)unused;
    o.journal = path;
    t.m = machine("host", &o);
    fine(
        bx_machine_events_parse(t.m, "UNC_CBO_CACHE_LOOKUP:ANY_I", t.events, MOST_EVENTS, &t.n, &e),
        &e);
    fine(bx_session_open(t.m, t.events, t.n, NULL, &t.s, &e), &e);
    begin();
    int rc = bx_session_start(t.s, &e);
    end(rc == BX_NO_ACCESS ? BX_OK : rc, &e);
    assert_int_not_equal(rc, BX_OK);
    bx_session_close(t.s);
    bx_machine_close(t.m);
}

/* If the machine model ran out of memory, the next run fails, too. */
static void run_session(const char *spec, const char *events)
{
    measured t = started(spec, events);
    bool done = false;
    bx_error e = {0};
    if (FAILING(bx_session_run(t.s, until(&t), &done, &e)) == BX_OK) {
        finish(&t, false);
        return;
    }
    assert_false(done);
    e = (bx_error){0};
    fine(bx_session_stop(t.s, &e), &e);
    assert_null(bx_session_left(t.s, 0));
    bx_session_close(t.s);
    bx_machine_close(t.m);
}

static void sample_session(const char *spec, const char *events)
{
    measured t = started(spec, events);
    bool done;
    bx_error e = {0};
    fine(bx_session_run(t.s, until(&t), &done, &e), &e);
    FAILING_AND_AGAIN(bx_session_sample(t.s, &e));
    finish(&t, false);
}

static void stop_session(const char *spec, const char *events)
{
    measured t = started(spec, events);
    bx_error e = {0};
    FAILING_AND_AGAIN(bx_session_stop(t.s, &e));
    assert_null(bx_session_left(t.s, 0));
    assert_null(bx_session_journal(t.s));
    bx_session_close(t.s);
    bx_machine_close(t.m);
}

/* Closing a running session puts everything back, also without memory. */
static void close_session(const char *spec, const char *events)
{
    measured t = started(spec, events);
    bx_error e = {0};
    begin();
    bx_session_close(t.s);
    bx_machine_close(t.m);
    end(BX_OK, &e);
    assert_int_not_equal(access(journal, F_OK), 0);
}

/* ---- in one call ---- */

static void measure_workload(const char *events, const char *metrics)
{
    bx_machine *m = machine(SKL, NULL);
    bx_result *r = NULL;
    bx_error e = {0};
    if (FAILING(bx_measure_workload(m, events, metrics, "stream,size=4K", &r, &e)) == BX_OK)
        assert_true(bx_result_values(r) > 0);
    else
        assert_null(r);
    bx_result_free(r);
    bx_machine_close(m);
}

static void measure_end(const char *spec, const char *events)
{
    bx_machine *m = machine(spec, NULL);
    bx_result *r = NULL;
    bx_error e = {0};
    bool done;
    fine(bx_measure_begin(m, events, NULL, &r, &e), &e);
    fine(bx_machine_load_workload(m, "stream,size=4K", &e), &e);
    fine(bx_machine_run(m, UINT64_MAX, &done, &e), &e);
    bool ended = FAILING(bx_measure_end(r, &e)) == BX_OK;
    assert_int_equal(bx_result_values(r) > 0, ended);
    bx_result_free(r);
    bx_machine_close(m);
}

static void test_measuring(void **state)
{
    (void)state;
    each(measure_workload, "UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS", NULL);
    each(measure_workload, "UNC_CLOCK", "llc_miss_ratio");
    each(measure_end, SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I");
}

static void test_sessions(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *events;
    } of[] = {
        {SKL, "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_CBO_CACHE_LOOKUP:ANY_E"},
        {IVBEP, "UNC_C_CLOCKTICKS,UNC_C_TOR_INSERTS:ALL"},
        {NHMEX, "nhmex_unc_sbox::EGRESS_BYPASS:AD_CW,nhmex_unc_sbox::EGRESS_ARB_WINS:BL_CW"},
        {RECORDED ",llc=512K", "UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"host", "UNC_CBO_CACHE_LOOKUP:ANY_I"},
    };
    scenario *const calls[] = {open_session,   start_session, run_session,
                               sample_session, stop_session,  close_session};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            each(calls[c], of[i].spec, of[i].events);
    each(start_beside_journal, left, NULL);
}

/* ---- the host, and a register log ---- */

static void make_host(void)
{
    folder at = {""};
    snprintf(root, sizeof root, "%s/root", work.root);
    snprintf(at.root, sizeof at.root, "%.50s/root", work.root);
    mkdir(root, 0755);
    folder_text(&at, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                "stepping\t: 3\n");
    folder_text(&at, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
    folder_text(&at, "/proc/modules", "msr 20480 0 - Live 0x0\n");
    folder_text(&at, "/sys/devices/system/cpu/online", "0\n");
    folder_msr(&at, 0, 0xe02, 0);
    folder_msr(&at, 0, 0x396, 5);
    folder_msr(&at, 0, 0x700, 0x408834);
}

static void make_recording(void)
{
    const bx_machine_options o = {.size = sizeof o, .log_registers = log_file};
    measured t = {.m = machine(SKL, &o)};
    bool done;
    bx_error e = {0};
    fine(bx_machine_events_parse(t.m, "UNC_CLOCK", t.events, MOST_EVENTS, &t.n, &e), &e);
    fine(bx_machine_load_workload(t.m, "stream,size=4K", &e), &e);
    fine(bx_session_open(t.m, t.events, t.n, NULL, &t.s, &e), &e);
    fine(bx_session_start(t.s, &e), &e);
    fine(bx_session_run(t.s, UINT64_MAX, &done, &e), &e);
    fine(bx_session_stop(t.s, &e), &e);
    bx_session_close(t.s);
    bx_machine_close(t.m);
}

/* The journal of a process that has ended. */
static void make_left_journal(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        measured t = started("host", "UNC_CBO_CACHE_LOOKUP:ANY_I");
        (void)t;
        raise(SIGKILL);
    }
    waitpid(pid, NULL, 0);
    assert_int_equal(rename(journal, left), 0);
    folder at = {""};
    snprintf(at.root, sizeof at.root, "%.50s/root", work.root);
    folder_msr(&at, 0, 0x700, 0x408834);
    folder_msr(&at, 0, 0xe01, 0);
}

static int set_up(void **state)
{
    (void)state;
    work = folder_new();
    snprintf(log_file, sizeof log_file, "%s/register-log", work.root);
    snprintf(record, sizeof record, "%s/record", work.root);
    snprintf(journal, sizeof journal, "%s/journal", work.root);
    make_host();
    snprintf(left, sizeof left, "%s/left", work.root);
    make_recording();
    make_left_journal();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_end(&work);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),    cmocka_unit_test(test_machines),
        cmocka_unit_test(test_runs),      cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_measuring),
    };
    failing_load();
    return cmocka_run_group_tests_name("library_memory", tests, set_up, tear_down);
}
