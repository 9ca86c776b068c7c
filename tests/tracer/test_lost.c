/* What is lost of a program's trace is noticed: there is a message, or all of it was counted. */
#include "../cmocked.h"

#include "tracer/counted.h"
#include "tracer/trace_format.h"
#include "tracer/traced.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define INSTRUCTIONS "INSTR_RETIRED_ANY"

/* ---- a program that writes its own trace ---- */

enum { LOOP = 5000000 }; /* hides.c: at least five instructions in each of 1,000,000 rounds */

static ran hide_at(const char *place, const char *value)
{
    char script[512];
    snprintf(script, sizeof script,
             "exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/stdout "
             "-e " INSTRUCTIONS " -- \"$BUILD_ROOT\"/tests/tracer/traced_hides %s %s",
             place, value);
    return run_shell(script);
}

static ran hide(size_t offset, const char *value)
{
    char place[32];
    snprintf(place, sizeof place, "%zu", offset);
    return hide_at(place, value);
}

static uint64_t counted_by(const ran *r)
{
    const char *line = strstr(r->out, "done\n");
    assert_non_null(line);
    return strtoull(line + 5, NULL, 10);
}

/* The reader knows these from the beginning, or the tracer writes them again. */
static void what_it_writes_has_no_effect(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        const char *value;
    } writes[] = {{offsetof(bx_trace_ring, magic), "0"},
                  {offsetof(bx_trace_ring, ring_bytes), "4096"},
                  {offsetof(bx_trace_ring, cursor), "0"},
                  {offsetof(bx_trace_ring, tracer_sleeps), "0x100000001"}};
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        ran r = hide(writes[i].offset, writes[i].value);
        if (r.status != 0 || counted_by(&r) < LOOP)
            fail_msg("offset %zu: status %d\n%s%s", writes[i].offset, r.status, r.out, r.err);
        assert_string_equal(r.err, "");
        ran_free(&r);
    }
}

static void boxscores_page_cannot_be_written(void **state)
{
    (void)state;
    static const size_t offsets[] = {offsetof(bx_trace_ring_reader, consumed),
                                     offsetof(bx_trace_ring_reader, unread)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        ran r = hide(BX_TRACE_READER + offsets[i], "1");
        assert_int_equal(r.status, 128 + SIGSEGV);
        assert_has(r.err, "was killed by signal 11 (SIGSEGV)");
        ran_free(&r);
    }
}

static void the_socket_is_not_the_programs(void **state)
{
    (void)state;
    ran r = hide_at("socket", "hello");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "\n0 calls\n");
    assert_true(counted_by(&r) >= LOOP);
    assert_string_equal(r.err, "");
    ran_free(&r);
}

static void a_changed_position_is_an_error(void **state)
{
    (void)state;
    static const char *const values[] = {"0", "8", "80000", "0xffffffffffffffff"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ran r = hide(offsetof(bx_trace_ring, published), values[i]);
        assert_int_equal(r.status, 1);
        assert_string_equal(r.err,
                            "boxscore: unintelligible trace: a program has changed its own trace\n"
                            "  hint: does it write to memory that is not its own?\n");
        assert_has_not(r.out, INSTRUCTIONS);
        ran_free(&r);
    }
}

/* ---- processes that say the same number ---- */

/* By hand: 1,000,000 rounds of two instructions more, in each of two processes 1. Without
 * namespaces, there is no work. */
static void namespaces_side_by_side_are_counted(void **state)
{
    (void)state;
    enum { MORE = 2 * 2 * 1000000, SLACK = 1000 };
    counted few = count_events(INSTRUCTIONS, "", "${P}namespaces 1"),
            many = count_events(INSTRUCTIONS, "", "${P}namespaces 1000001");
    int64_t more = (int64_t)(many.n[0] - few.n[0]);
    bool none = strstr(many.by.out, "no namespaces");
    assert_string_equal(many.by.out,
                        none ? "no namespaces\nno namespaces\n" : "process 1\nprocess 1\n");
    if (more < (none ? 0 : MORE) - SLACK || more > (none ? 0 : MORE) + SLACK)
        fail_msg("%ld instructions more", (long)more);
    assert_silent(&few.by);
    assert_silent(&many.by);
}

/* ---- processes that a signal stops ---- */

/* Without a trace of the stopped process, the model goes on with others, among them the shell that
 * will let it go on. */
static void a_stopped_process_holds_nobody_up(void **state)
{
    (void)state;
    ran r = run_shell(
        "exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/null "
        "-e " INSTRUCTIONS " -- bash -c 'while :; do :; done & p=$!; sleep 0.3; kill -STOP $p\n"
        "for ((i = 0; i < 1500; i++)); do :; done; kill -CONT $p; kill $p; wait $p; echo $?'");
    assert_string_equal(r.out, "143\n");
    assert_silent(&r);
}

/* ---- processes that are lost ---- */

/* A process that has lost its parent is killed from outside: nobody who is traced knows that. */
#define KILL_ORPHAN                                                                                \
    " -- sh -c '(sleep 1000 & echo $! >$0/a; mv $0/a $0/b); until [ -e $0/c ]; do :; done' $T &\n" \
    "until [ -e $T/b ]; do :; done; kill -9 $(cat $T/b); : >$T/c; wait $!; echo $? $(cat $T/b)\n"

/* Linux 6.15 tells how a process has ended for which somebody else has waited. */
static bool ends_are_known(void)
{
    struct utsname about;
    int major = 0, minor = 0;
    uname(&about);
    sscanf(about.release, "%d.%d", &major, &minor);
    return major > 6 || (major == 6 && minor >= 15);
}

static const char *what_became_of_it(void)
{
    return ends_are_known() ? "killed by SIGKILL, not by a traced process: it is counted until then"
                            : "killed or lost: it is counted until its trace ended, which has no";
}

static void whoever_is_killed_from_outside_is_named(void **state)
{
    (void)state;
    char text[256];
    int status, process;
    ran r =
        run_shell("T=$(mktemp -d); trap 'rm -r $T' EXIT\n"
                  "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -j -o $T/j -e " INSTRUCTIONS
                      KILL_ORPHAN "cat $T/j");
    assert_int_equal(sscanf(r.out, "%d %d", &status, &process), 2);
    assert_int_equal(status, ends_are_known() ? 0 : 1);
    snprintf(text, sizeof text, "process %d, 'sleep' was %s", process, what_became_of_it());
    assert_has(r.out, text);
    assert_has(r.out, "\"incomplete\" : [\"process ");
    assert_has(r.out, "\"state\" : \"counted\"");
    ran_free(&r);
}

static void a_trace_file_keeps_it(void **state)
{
    (void)state;
    char text[256];
    int status, process, known = ends_are_known();
    ran r = run_shell(
        "T=$(mktemp -d); trap 'rm -r $T' EXIT\n"
        "\"$BOXSCORE\" trace -o $T/t" KILL_ORPHAN
        "\"$BOXSCORE\" trace info $T/t | grep -A9 untraced\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/stdout -e " INSTRUCTIONS
        " --trace $T/t");
    assert_int_equal(sscanf(r.out, "%d %d", &status, &process), 2);
    assert_int_equal(status, 0);
    snprintf(text, sizeof text, "untraced       0\ncut short      %d\nleft running   0\n", !known);
    assert_has(r.out, text);
    snprintf(text, sizeof text, "\n process %d, 'sleep' was %s", process, what_became_of_it());
    assert_has(r.out, text);
    snprintf(text, sizeof text, "# incomplete: process %d, 'sleep' was %s", process,
             what_became_of_it());
    assert_has(r.out, text);
    assert_int_equal(r.status, !known); /* as that of the run */
    ran_free(&r);
}

/* A traced process that kills its own group says so before that. */
static void a_group_that_kills_itself_is_not_lost(void **state)
{
    (void)state;
    static const char *const ways[] = {"kill -9 0", "kill -9 -- -$BASHPID", "kill -9 -- -$g"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/stdout "
                 "-e " INSTRUCTIONS " -- bash -c 'set -m\n"
                 "(set +m; trap \"\" TERM; sleep 1000 & sleep 1000 & %s; sleep 1000) & g=$!\n"
                 "%s; wait $g; echo $?' 2>&1",
                 i == 2 ? ":" : ways[i], i == 2 ? ways[i] : ":");
        ran r = run_shell(script);
        assert_has(r.out, "137\n");
        if (strstr(r.out, "incomplete") || strstr(r.out, "process ") || r.status)
            fail_msg("%s: status %d\n%s", ways[i], r.status, r.out);
        ran_free(&r);
    }
}

/* ---- processes that still run when the program ends ---- */

/* Its own shell is the one that outlives the program; it ends when it no longer sees that. */
#define LEAVE " -- sh -c 'while kill -0 $$; do :; done >/dev/null 2>&1 & echo $!'\n"
#define COUNT                                                                                      \
    "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -o /dev/stdout -e " INSTRUCTIONS " "

static void expect_left(const char *options, const char *before, const char *behind)
{
    char script[512], text[256];
    int process;
    snprintf(script, sizeof script, COUNT "%s" LEAVE, options);
    ran r = run_shell(script);
    assert_int_equal(r.status, 0);
    assert_int_equal(sscanf(r.out, "%d", &process), 1);
    snprintf(text, sizeof text, "%ssh (process %d)%s", before, process, behind);
    assert_has(r.out, text);
    assert_has_not(r.out, "incomplete: ");
    ran_free(&r);
}

static void who_is_left_running_is_named(void **state)
{
    (void)state;
    expect_left("", "\n left running when the program ended, and counted until then: ", "\n");
    expect_left("-x ,", "\n# left running: ", "\n");
    expect_left("-j", "\"left-running\" : \"", "\"");
}

static void a_trace_file_keeps_who_is_left(void **state)
{
    (void)state;
    char text[256];
    int process;
    ran r = run_shell("T=$(mktemp -d); trap 'rm -r $T' EXIT\n"
                      "\"$BOXSCORE\" trace -o $T/t" LEAVE "\"$BOXSCORE\" trace info $T/t\n" COUNT
                      "-x , --trace $T/t");
    assert_int_equal(r.status, 0);
    assert_int_equal(sscanf(r.out, "%d", &process), 1);
    assert_has(r.out, "untraced       0\ncut short      0\nleft running   1\n");
    snprintf(text, sizeof text, "\n# left running: sh (process %d)\n", process);
    assert_has(r.out, text);
    ran_free(&r);
}

/* ---- lackey ---- */

/* It sees the first program alone, to its end. */
static void a_trace_of_lackey_without_an_end_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        int status;
        bool whole;
    } of[] = {{"sh -c 'exit 3'", 3, true},
              {"sh -c 'kill -SEGV $$'", 128 + SIGSEGV, true},
              {"sh -c 'exec true'", 1, false},
              {"sh -c 'exec sh -c \"exit 3\"'", 3, false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char script[512];
        snprintf(
            script, sizeof script,
            "BOXSCORE_TRACER=lackey \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o "
            "/dev/stdout -e " INSTRUCTIONS " -- %s",
            of[i].program);
        ran r = run_shell(script);
        assert_int_equal(r.status, of[i].status);
        assert_true(strtoull(r.out, NULL, 10) > 1000);
        if (!strstr(r.out, "\n# incomplete: the program is not counted to its end: ") !=
            of[i].whole)
            fail_msg("%s\n%s", of[i].program, r.out);
        ran_free(&r);
    }
}

/* A program that is killed from outside, and children, which lackey does not trace. */
static void what_lackey_does_not_see_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *program, *behind, *says;
        int status;
    } of[] = {
        {"sh -c 'echo $$ >$T/p; while :; do :; done' & until [ -s $T/p ]; do :; done",
         "kill -9 $(cat $T/p); wait $!",
         "incomplete: the program is not counted to its end: ", 137},
        {"sh -c 'sleep 1; :'", ":", "not counted, as they cannot be traced: s", 0},
        {"sh -c '(:); (:)'", ":", "not counted, as they cannot be traced: ", 0},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char script[1024];
        snprintf(
            script, sizeof script,
            "export BOXSCORE_TRACER=lackey T=$(mktemp -d); trap 'rm -r $T' EXIT\n"
            "(\"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o $T/o -e " INSTRUCTIONS
            " -- %s\n%s); s=$?; cat $T/o; exit $s",
            of[i].program, of[i].behind);
        ran r = run_shell(script);
        if (!strstr(r.out, of[i].says) || r.status != of[i].status)
            fail_msg("%s: %d\n%s%s", of[i].program, r.status, r.out, r.err);
        ran_free(&r);
    }
}

/* ---- descriptors ---- */

/* Eight processes at once; boxscore's limit allows few of them. The program keeps its limit. */
static void a_process_without_descriptors_is_named(void **state)
{
    (void)state;
#define EIGHT                                                                                      \
    "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/stdout -e " INSTRUCTIONS     \
    " -- sh -c 'ulimit -Sn; for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait'"
    ran few = run_shell("ulimit -n 204; " EIGHT);
    assert_int_equal(few.status, 1);
    assert_has(few.out, "# incomplete: process ");
    assert_has(few.out, ", was ended and not counted: boxscore had no descriptor left");
    ran_free(&few);
    ran many = run_shell("ulimit -Sn 204; " EIGHT);
    assert_int_equal(many.status, 0);
    assert_has(many.out, "204\n");
    assert_has_not(many.out, "incomplete");
    ran_free(&many);
}

/* A traced process that kills another one, or waits for it, knows that. */
static void whoever_is_killed_by_a_traced_process_is_not_lost(void **state)
{
    (void)state;
    ran r =
        run_shell("exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o /dev/stdout "
                  "-e " INSTRUCTIONS " -- bash -c 'sleep 1000 & kill -9 $!; wait $!; echo $?\n"
                  "kill -9 $(sleep 1000 >/dev/null & echo $!)'");
    assert_has(r.out, "137\n");
    assert_has_not(r.out, "incomplete");
    ran_free(&r);
}

int main(void)
{
    traced_setup();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_writes_has_no_effect),
        cmocka_unit_test(boxscores_page_cannot_be_written),
        cmocka_unit_test(the_socket_is_not_the_programs),
        cmocka_unit_test(a_changed_position_is_an_error),
        cmocka_unit_test(whoever_is_killed_from_outside_is_named),
        cmocka_unit_test(a_trace_file_keeps_it),
        cmocka_unit_test(a_trace_of_lackey_without_an_end_is_named),
        cmocka_unit_test(what_lackey_does_not_see_is_named),
        cmocka_unit_test(a_process_without_descriptors_is_named),
        cmocka_unit_test(who_is_left_running_is_named),
        cmocka_unit_test(a_trace_file_keeps_who_is_left),
        cmocka_unit_test(whoever_is_killed_by_a_traced_process_is_not_lost),
        cmocka_unit_test(a_group_that_kills_itself_is_not_lost),
        cmocka_unit_test(namespaces_side_by_side_are_counted),
        cmocka_unit_test(a_stopped_process_holds_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
