/* Regions that programs mark, counted on virtual machines. */
#include "../cmocked.h"

#include <boxscore/boxscore.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REGIONS = 256 };

/* A region and the value of the one event. */
typedef struct counted {
    bx_region region;
    char name[32];
    uint64_t count;
} counted;

typedef struct result {
    counted list[REGIONS];
    size_t n;
    uint64_t whole, inside;
    int status;
} result;

static char *built(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/tracer/traced_%s", getenv("BUILD_ROOT"), name);
    return path;
}

static uint64_t sum(const bx_session *s, const bx_reading *readings)
{
    size_t n;
    uint64_t total = 0;
    bx_session_readings(s, &n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(readings[i].state, BX_COUNTED);
        total += readings[i].count;
    }
    return total;
}

static void keep(const bx_session *s, result *r)
{
    size_t n;
    const bx_region *list = bx_session_regions(s, &r->n);
    assert_true(r->n <= REGIONS);
    for (size_t i = 0; i < r->n; i++) {
        r->list[i] = (counted){.region = list[i], .count = sum(s, list[i].readings)};
        snprintf(r->list[i].name, sizeof r->list[i].name, "%s", list[i].name);
    }
    r->whole = sum(s, bx_session_readings(s, &n));
    r->inside = bx_session_inside(s);
}

/* One event, without the kernel's accesses. inside: the regions in which alone it is counted; n 0:
 * everywhere. */
static result run_inside(const char *machine, const char *event, const char *const *inside,
                         size_t inside_n, const char *program, const char *which)
{
    const bx_machine_options mo = {.size = sizeof mo, .no_kernel_accesses = 1};
    const bx_session_options so = {
        .size = sizeof so, .regions = true, .inside = inside, .inside_n = inside_n};
    char *argv[] = {built(program), (char *)(uintptr_t)which, NULL};
    result r = {.n = 0};
    bx_error e = {0};
    bx_machine *m;
    bx_session *s;
    bx_evsel events[1];
    size_t n;
    bool done = false;
    assert_int_equal(bx_machine_open_with(bx_catalog_builtin(), machine, &mo, &m, &e), BX_OK);
    assert_int_equal(bx_machine_events_parse(m, event, events, 1, &n, &e), BX_OK);
    assert_int_equal(bx_session_open(m, events, n, &so, &s, &e), BX_OK);
    assert_int_equal(bx_machine_load_program(m, argv, &e), BX_OK);
    assert_int_equal(bx_session_start(s, &e), BX_OK);
    while (!done)
        assert_int_equal(bx_session_run(s, bx_machine_now(m) + 1000003, &done, &e), BX_OK);
    assert_int_equal(bx_session_stop(s, &e), BX_OK);
    keep(s, &r);
    r.status = bx_machine_exit_status(m);
    bx_session_close(s);
    bx_machine_close(m);
    return r;
}

static result run(const char *machine, const char *event, const char *inside, const char *program,
                  const char *which)
{
    return run_inside(machine, event, &inside, inside != NULL, program, which);
}

/* thread 0: all. */
static const counted *find(const result *r, const char *name, unsigned thread)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->list[i].name, name) && r->list[i].region.thread == thread)
            return &r->list[i];
    fail_msg("there is no region '%s' of thread %u", name, thread);
    return NULL;
}

/* ---- exactness ---- */

static void instructions_are_exact(void **state)
{
    (void)state;
    result r = run("virtual:p6,part=plain", "INST_RETIRED", NULL, "regions", "exact");
    assert_int_equal(find(&r, "long", 0)->count - find(&r, "short", 0)->count, 2 * 2000);
    assert_true(find(&r, "short", 0)->count > 2000);
    assert_true(find(&r, "short", 0)->count < 2000 + 100);
}

static void memory_reads_are_exact(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "DRAM_DATA_READS", NULL, "regions", "exact");
    assert_int_equal(find(&r, "short", 0)->count, 1);
    assert_int_equal(find(&r, "long", 0)->count, 1);
    assert_int_equal(find(&r, "few", 0)->count, 100);
    assert_int_equal(find(&r, "many", 0)->count, 300);
}

static void cycles_are_the_time_inside(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", "exact");
    for (size_t i = 0; i < r.n; i++) {
        assert_int_equal(r.list[i].count, r.list[i].region.time);
        assert_true(r.list[i].count > 0);
    }
    uint64_t longer = find(&r, "long", 0)->count, shorter = find(&r, "short", 0)->count;
    assert_int_equal(longer - shorter, 2 * 2000);
}

/* On each machine with core counters: two instructions a round, and five instructions and a load
 * for each line. */
static void instructions_inside(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl,part=plain", "virtual:ivbep,part=plain",
                                           "virtual:nhmex,part=plain"};
    static const char *const loads[] = {"MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS",
                                        "MEM_INST_RETIRED:LOADS"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        result r = run(machines[i], "INSTR_RETIRED_ANY", NULL, "regions", "exact");
        assert_int_equal(find(&r, "long", 0)->count - find(&r, "short", 0)->count, 2 * 2000);
        r = run(machines[i], loads[i], NULL, "regions", "exact");
        assert_int_equal(find(&r, "many", 0)->count - find(&r, "few", 0)->count, 200);
        assert_int_equal(find(&r, "long", 0)->count, find(&r, "short", 0)->count);
    }
}

static void all_runs_are_equal(void **state)
{
    (void)state;
    result a = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", "exact");
    result b = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", "exact");
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++)
        assert_int_equal(a.list[i].count, b.list[i].count);
}

/* ---- rules ---- */

static void nested_and_recursive(void **state)
{
    (void)state;
    result r = run("virtual:p6,part=plain", "INST_RETIRED", NULL, "regions", "rules");
    const counted *outer = find(&r, "outer", 0), *inner = find(&r, "inner", 0);
    assert_int_equal(outer->region.entered, 1);
    assert_int_equal(inner->region.entered, 2);
    assert_int_equal(inner->region.threads, 1);
    assert_true(inner->count > 2 * 1000 && inner->count < 2 * 1000 + 200);
    assert_true(outer->count > inner->count + 2 * 1000);
}

static void begun_anew(void **state)
{
    (void)state;
    result r = run("virtual:p6,part=plain", "INST_RETIRED", NULL, "regions", "rules");
    const counted *reset = find(&r, "reset", 0);
    assert_int_equal(reset->region.entered, 0);
    assert_true(reset->count > 2 * 100 && reset->count < 2 * 100 + 100);
}

static void marks_without_their_twin(void **state)
{
    (void)state;
    result r = run("virtual:p6,part=plain", "INST_RETIRED", NULL, "regions", "rules");
    const counted *stray = find(&r, "not begun", 0), *handed = find(&r, "handed over", 0);
    assert_int_equal(stray->region.unbegun, 1);
    assert_int_equal(stray->region.entered, 0);
    assert_int_equal(stray->count, 0);
    assert_int_equal(handed->region.unbegun, 1);
    assert_int_equal(handed->region.unended, 1);
    assert_int_equal(find(&r, "handed over", 1)->region.unended, 1);
    assert_int_equal(find(&r, "handed over", 2)->region.unbegun, 1);
    assert_int_equal(find(&r, "handed over", 2)->count, 0);
    const counted *open = find(&r, "left open", 0);
    assert_int_equal(open->region.unended, 1);
    assert_true(open->count > 2 * 1000);
    assert_true(open->count < handed->count);
}

static void threads_have_rows_and_are_not_added(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", "threads");
    const counted *all = find(&r, "work", 0);
    uint64_t most = 0, total = 0;
    assert_int_equal(all->region.threads, 3);
    assert_int_equal(all->region.entered, 30);
    for (unsigned thread = 2; thread <= 4; thread++) {
        const counted *one = find(&r, "work", thread);
        assert_int_equal(one->region.entered, 10);
        assert_in_range(one->region.core, 0, 3);
        assert_true(one->count > 10 * 20000);
        most = one->count > most ? one->count : most;
        total += one->count;
    }
    assert_true(all->count >= most && all->count <= total);
}

/* In the order of their first marks, each with its thread below. */
static void many_names(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", "names");
    assert_int_equal(r.n, 200);
    for (unsigned i = 0; i < r.n; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%02u", i / 2);
        assert_string_equal(r.list[i].name, name);
        assert_int_equal(r.list[i].region.thread, i % 2);
        assert_int_equal(r.list[i].region.entered, 3);
    }
}

static void only_inside(void **state)
{
    (void)state;
    result all = run("virtual:skl,part=plain", "DRAM_DATA_READS", NULL, "regions", "exact");
    result few = run("virtual:skl,part=plain", "DRAM_DATA_READS", "few", "regions", "exact");
    assert_true(all.whole > 400);
    assert_int_equal(few.whole, 100);
    assert_int_equal(few.inside, find(&few, "few", 0)->region.time);
    assert_int_equal(find(&few, "many", 0)->count, 300);
}

/* ---- functions ---- */

static const char *const functions[] = {
    "func:exact",         "func:tail",          "func:deep",        "func:changed",
    "func:n::twice",      "func:jumps_out",     "func:interrupted", "func:handle",
    "func:parent_of_one", "func:never_returns", "func:threads_work"};

/* One run that counts all of them. */
static const result *of_functions(void)
{
    static result all;
    if (!all.n)
        all = run_inside("virtual:skl,part=plain", "INSTR_RETIRED_ANY", functions,
                         sizeof functions / sizeof *functions, "functions", NULL);
    assert_int_equal(all.status, 0);
    return &all;
}

/* Instructions of main's thread in the function, and how often it was entered. */
static void check_function(const char *region, uint64_t entered, uint64_t least, uint64_t most)
{
    const counted *main_thread = find(of_functions(), region, 1);
    assert_int_equal(main_thread->region.entered, entered);
    assert_in_range(main_thread->count, least, most);
    assert_int_equal(main_thread->region.unbegun, 0);
}

/* functions.c says how many instructions each function has. */
static void functions_are_exact(void **state)
{
    (void)state;
    enum { CALLS = 9, LOOPS = 1000 + 2000 + 500 + 10 + 1 + 100000 + 10 + 1000 + 100 };
    check_function("func:exact", CALLS, 2 * LOOPS + CALLS, 2 * LOOPS + CALLS);
    check_function("func:tail", 1, 2 + 2 * 500 + 1, 2 + 2 * 500 + 1);
    check_function("func:deep", 1, 50 * 5 + 3, 50 * 5 + 3);
    check_function("func:changed", 1, 1, 1);
    check_function("func:n::twice", 1, 1, 1);
}

/* Of several functions, those inside each other count once. */
static void only_inside_a_function(void **state)
{
    (void)state;
    static const char *const inside[] = {"func:changed.constprop.0", "func:tail", "func:exact",
                                         "func:long n::twice<long>(long)"};
    result few =
        run_inside("virtual:skl,part=plain", "INSTR_RETIRED_ANY", inside, 4, "functions", NULL);
    assert_int_equal(few.whole, find(&few, "func:exact", 0)->count + 2 + 1 + 1);
}

/* A call that longjmp() leaves ends at the next return. A signal handler on a stack above the
 * program's ends nothing. What does not return counts to the end. */
static void ends_of_functions(void **state)
{
    (void)state;
    check_function("func:jumps_out", 1, 2 * 10 + 1, 2 * 10 + 1 + 200);
    check_function("func:interrupted", 1, 2 * 10 + 1 + 2 * 1000 + 1, 2 * 10 + 2 * 1000 + 500);
    check_function("func:handle", 1, 2 * 10 + 1, 2 * 10 + 50);
    check_function("func:never_returns", 1, 201, 300);
    assert_int_equal(find(of_functions(), "func:never_returns", 1)->region.unended, 1);
}

/* A child of fork() is in none, and its own calls are its own. */
static void functions_of_children_and_threads(void **state)
{
    (void)state;
    const result *r = of_functions();
    assert_int_equal(find(r, "func:exact", 0)->region.threads, 4);
    assert_int_equal(find(r, "func:exact", 2)->region.entered, 1);
    assert_int_equal(find(r, "func:exact", 2)->count, 2 * 5000 + 1);
    for (unsigned thread = 3; thread <= 4; thread++) {
        assert_int_equal(find(r, "func:exact", thread)->region.entered, 2);
        assert_int_equal(find(r, "func:threads_work", thread)->region.entered, 1);
        assert_int_equal(find(r, "func:threads_work", thread)->region.unended, 0);
    }
    assert_int_equal(find(r, "func:parent_of_one", 0)->region.threads, 1);
    assert_int_equal(find(r, "func:parent_of_one", 1)->region.unbegun, 0);
}

/* ---- where regions are counted ---- */

/* On the host itself: a page fault for each page. */
static void on_the_host(void **state)
{
    (void)state;
    result r = run("host", "page-faults", NULL, "regions_host", NULL);
    const counted *faults = find(&r, "faults", 0), *threads = find(&r, "threads", 0);
    assert_in_range(faults->count, 1000, 1020);
    assert_in_range(find(&r, "warm", 0)->count, 0, 10);
    assert_int_equal(find(&r, "not begun", 0)->region.unbegun, 1);
    assert_int_equal(threads->region.entered, 15);
    assert_int_equal(threads->region.threads, 3);
    assert_in_range(threads->count, 3 * 5 * 100, 3 * 5 * 100 + 100);
    assert_true(r.whole > faults->count + threads->count);
    const counted *child = find(&r, "child", 0);
    assert_int_equal(child->region.entered, 1);
    assert_int_equal(child->region.unended, 1);
    assert_true(child->count >= 300);
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(r.list[i].region.thread, 0);
}

/* Processes that changed their user: a child, and one that has lost its parent. */
static void marks_of_other_users_are_counted_or_told(void **state)
{
    (void)state;
    static const char refused[] = "2 marks of regions refused: another user's process sent them";
    char command[1024], text[4096];
    if (geteuid() != 0)
        skip(); /* cannot change its user */
    for (unsigned far = 0; far < 2; far++) {
        snprintf(command, sizeof command,
                 "\"$BOXSCORE\" stat --machine host -e page-faults --regions -- %s %s 2>&1",
                 built("regions_host"), far ? "far" : "near");
        FILE *out = popen(command, "r");
        assert_non_null(out);
        text[fread(text, 1, sizeof text - 1, out)] = '\0';
        assert_int_equal(pclose(out), 0);
        assert_int_equal(strstr(text, refused) != NULL, far);
        assert_int_equal(strstr(text, "Region 'other user': entered 1 time") != NULL, !far);
    }
}

static void only_inside_on_the_host(void **state)
{
    (void)state;
    result r = run("host", "page-faults", "faults", "regions_host", NULL);
    assert_in_range(r.whole, 1000, 1020);
    assert_true(r.inside > 0 && r.inside == find(&r, "faults", 0)->region.time);
}

static void the_program_can_tell(void **state)
{
    (void)state;
    assert_int_not_equal(system(built("regions")), 0);
    assert_int_equal(run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "regions", NULL).status, 0);
}

static void programs_instrumented_for_likwid(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "likwid_marks", NULL);
    assert_int_equal(r.status, 0);
    assert_int_equal(find(&r, "solve", 0)->region.entered, 7);
    assert_int_equal(find(&r, "again", 0)->region.entered, 0);
    r = run("virtual:skl,part=plain", "UNC_CLOCK", NULL, "likwid_marks_off", NULL);
    assert_int_equal(r.status, 3 + 5 + 4);
    assert_int_equal(r.n, 0);
}

/* The output in docs/how-to/measure-a-region.md, except for numbers that depend on the compiler. */
static void the_example_of_the_page(void **state)
{
    (void)state;
    result r = run("virtual:skl,part=plain", "DRAM_DATA_READS", NULL, "regions_example", NULL);
    assert_int_equal(r.status, 0);
    assert_int_equal(find(&r, "fill", 0)->region.entered, 1);
    assert_int_equal(find(&r, "dot product", 0)->region.entered, 3);
    assert_true(find(&r, "fill", 0)->count >= 2 * 65536 * 8 / 64);
    assert_true(find(&r, "dot product", 0)->count < 100);
}

static void answers(const char *options, const char *const *lines)
{
    char command[1024], line[512];
    snprintf(command, sizeof command,
             "%s stat --machine virtual:skl,part=plain --kernel-accesses off -e DRAM_DATA_READS %s "
             "-- %s "
             "exact 2>&1",
             getenv("BOXSCORE"), options, built("regions"));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (*lines && strstr(line, *lines))
            lines++;
    assert_int_equal(pclose(f), 0);
    if (*lines)
        fail_msg("%s: no line has '%s'", options, *lines);
}

static void the_command_shows_them(void **state)
{
    (void)state;
    answers("--regions",
            (const char *const[]){" seconds ", "Region 'few': entered 1 time, ",
                                  " 100 64 B transfers", "Region 'many'", " 300 64 B", NULL});
    answers("--regions -x ,", (const char *const[]){",,,,,,,", "few,1,,,1,0,0,100,64 B transfers,",
                                                    "many,1,,,1,0,0,300,64 B transfers,", NULL});
    answers("--regions -j",
            (const char *const[]){"{\"counter-value\"",
                                  "{\"region\" : \"few\", \"threads\" : 1, \"entered\" : 1, ",
                                  "\"counter-value\" : \"300\"", NULL});
    answers("--region few --region many",
            (const char *const[]){"inside region 'few' or 'many' on", " 400 64 B transfers", NULL});
    answers("--region nowhere",
            (const char *const[]){" 0 64 B transfers", "region 'nowhere' was never entered", NULL});
    answers("--region func:touch",
            (const char *const[]){"inside region 'func:touch' on", " 64 B transfers", NULL});
    answers("--region func:nowhere",
            (const char *const[]){"region 'func:nowhere' was never entered: the program's symbols",
                                  NULL});
}

/* The trace has the functions that were named when it was made. */
static void functions_of_traces(void **state)
{
    (void)state;
    static const char script[] =
        "f=$(mktemp); trap 'rm $f' EXIT; S='stat --machine virtual:skl,part=plain -e "
        "INSTR_RETIRED_ANY -x ,'\n"
        "$BOXSCORE trace --region func:deep -o $f -- $PROGRAM 2>&1 &&\n"
        "test $($BOXSCORE $S --region func:deep --trace $f 2>/dev/null | cut -d, -f1 | head -n 1) "
        "= 253 "
        "&&\n"
        "$BOXSCORE $S --region func:tail --trace $f 2>&1 | "
        "grep -q \"'boxscore trace --region' named\" &&\n"
        "! $BOXSCORE trace --region deep -o $f -- $PROGRAM 2>/dev/null &&\n"
        "! $BOXSCORE stat --machine host -e page-faults --region func:exact -- $PROGRAM 2>$f &&\n"
        "grep -q 'only a virtual machine sees the calls' $f";
    setenv("PROGRAM", built("functions"), 1);
    assert_int_equal(system(script), 0);
}

static void one_session_is_told(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl,part=plain", "host"};
    for (size_t i = 0; i < 2; i++) {
        const bx_session_options so = {.size = sizeof so, .regions = true};
        bx_error e = {0};
        bx_machine *m;
        bx_session *first, *second;
        bx_evsel events[1];
        size_t n;
        const char *event = i ? "page-faults" : "UNC_CLOCK";
        assert_int_equal(bx_machine_open(bx_catalog_builtin(), machines[i], &m, &e), BX_OK);
        assert_int_equal(bx_machine_events_parse(m, event, events, 1, &n, &e), BX_OK);
        assert_int_equal(bx_session_open(m, events, n, &so, &first, &e), BX_OK);
        assert_int_equal(bx_session_open(m, events, n, &so, &second, &e), BX_NO_ACCESS);
        assert_non_null(strstr(e.message, "another session counts regions"));
        bx_session_close(first);
        assert_int_equal(bx_session_open(m, events, n, &so, &second, &e), BX_OK);
        bx_session_close(second);
        bx_machine_close(m);
    }
}

static void a_recorded_machine_has_none(void **state)
{
    (void)state;
    char command[1024];
    snprintf(command, sizeof command,
             "%s stat --machine virtual:skl,part=plain --log-registers /dev/null --regions -- true "
             "2>/dev/null",
             getenv("BOXSCORE"));
    assert_int_equal(WEXITSTATUS(system(command)), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_exact),
        cmocka_unit_test(memory_reads_are_exact),
        cmocka_unit_test(cycles_are_the_time_inside),
        cmocka_unit_test(instructions_inside),
        cmocka_unit_test(all_runs_are_equal),
        cmocka_unit_test(nested_and_recursive),
        cmocka_unit_test(begun_anew),
        cmocka_unit_test(marks_without_their_twin),
        cmocka_unit_test(threads_have_rows_and_are_not_added),
        cmocka_unit_test(many_names),
        cmocka_unit_test(only_inside),
        cmocka_unit_test(functions_are_exact),
        cmocka_unit_test(only_inside_a_function),
        cmocka_unit_test(ends_of_functions),
        cmocka_unit_test(functions_of_children_and_threads),
        cmocka_unit_test(functions_of_traces),
        cmocka_unit_test(on_the_host),
        cmocka_unit_test(marks_of_other_users_are_counted_or_told),
        cmocka_unit_test(only_inside_on_the_host),
        cmocka_unit_test(the_program_can_tell),
        cmocka_unit_test(programs_instrumented_for_likwid),
        cmocka_unit_test(the_example_of_the_page),
        cmocka_unit_test(the_command_shows_them),
        cmocka_unit_test(one_session_is_told),
        cmocka_unit_test(a_recorded_machine_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
