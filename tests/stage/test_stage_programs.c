/* boxscore stage --follow -- perf stat PROGRAM: a program that perf starts is counted as by
 * `boxscore stat`. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void need_all(void)
{
    need_mount_namespace();
    need_program("perf");
    need_program("valgrind");
}

#define MACHINE "--machine virtual:skl,part=plain "
#define STAGE   "timeout 100 $B stage " MACHINE "--follow -- "

/* Counts depend on the environment, so both get a small one. */
#define SMALL   "env -i PATH=\"$PATH\" "

#define FEW     "page-faults,instructions,branches"
/* Cycles of several processes depend on when the host runs them. Instructions do not, if a program
 * does the same on every host: `sort` asks how much memory is free unless -S says how much to take,
 * and a shell's handler of SIGCHLD runs before or within its wait. `xargs` has none. */
static const struct {
    const char *program, *events;
} programs[] = {
    {"$P", FEW ",cycles,context-switches,cpu-migrations,branch-misses,cycles:u"}, /* static */
    {"sort -S 1M $P", FEW ",cycles,context-switches,cpu-migrations,branch-misses,cycles:u"},
    {"xargs -a list -n 1 sort -S 1M", FEW}, /* three processes */
};

/* Events of perf stat without -e, and one of a level. */
static void counts_are_those_of_stat(void **state)
{
    (void)state;
    need_all();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char script[2048];
        snprintf(script, sizeof script,
                 "P=$BUILD_ROOT/tests/tracer/traced_loop; cd $D; e=%s; echo $P $P >list\n"
                 "run() { eval \"$1\" >/dev/null 2>&1; grep '^[0-9]' o | cut -d, -f1; rm o; }\n"
                 "run 'timeout 100 " SMALL "$B stat " MACHINE "-x, -o o -e $e -- %s' >a\n"
                 "run '" SMALL STAGE "perf stat -x, -o o -e $e -- %s' >b\n"
                 "[ $(wc -l <a) -ge 3 ] && diff a b && echo equal; rm a b list",
                 programs[i].events, programs[i].program, programs[i].program);
        ran r = play(script);
        assert_string_equal(r.out, "equal\n");
        ran_free(&r);
    }
}

/* Groups, runs that are repeated, and two perf at once. */
static void each_program_has_a_new_machine(void **state)
{
    (void)state;
    need_all();
    expect("P=$BUILD_ROOT/tests/tracer/traced_loop; cd $D\n" STAGE "sh -c '\n"
           "  for i in 1 2; do\n"
           "    perf stat -x, -o o$i -e \"{cycles,instructions}\" -- '$P' >/dev/null 2>&1 &\n"
           "  done; wait\n"
           "  perf stat -r 2 -x, -o o3 -e cycles,instructions -- '$P' >/dev/null 2>&1'\n"
           "for i in 1 2 3; do grep '^[0-9]' o$i | cut -d, -f1 >c$i; done\n"
           "[ $(wc -l <c1) = 2 ] && cmp c1 c2 && cmp c1 c3 && echo equal; rm o? c?",
           "equal\n");
}

/* What the program is given, and how it ends. */
static void it_is_the_program(void **state)
{
    (void)state;
    need_all();
    expect("mkdir $D/f; cd $D/f\n"
           "p() { " STAGE "perf stat -x, -o ../o -e cycles -- \"$@\"; }\n"
           "echo in | p cat; p sh -c 'pwd; echo \"$0\" \"$X\" $BOXSCORE_STAGE$PREFIX; exit 3' "
           "'a  b' | sed 's,.*/,,'\n"
           "X=y p sh -c 'echo $X; exit 3'; echo $?\n"
           "case $(X=y; export X PATH; p env | grep ^PATH=) in PATH=$PATH) echo same;; esac\n"
           "cd ..; rm -r f o",
           "in\nf\na  b \ny\n3\nsame\n");
    /* It is ended when it sleeps: nanosleep() is call 35, clock_nanosleep() 230. */
    ran r = play("cd $D; " STAGE "sh -c 'perf stat -x, -o o -e cycles -- sleep 60 &\n"
                 "  for i in $(seq 300); do [ -e s ] && break; sleep 0.1\n"
                 "    for t in $(pgrep -f \"[t]racer.* -- sleep 60\"); do\n"
                 "      grep -qE \"^(35|230) \" /proc/$t/syscall && : >s; done; done\n"
                 "  kill $(pgrep -P $! -x perf || pgrep -P $!); wait'; grep -c '^[1-9].*cycles' o\n"
                 "rm -f o s; pgrep -f '[t]racer.* -- sleep 60'");
    assert_string_equal(r.out, "1\n");
    assert_has(r.err, "sleep: Terminated\n");
    ran_free(&r);
}

/* perf says why, and nothing is counted. */
static void it_cannot_be_executed(void **state)
{
    (void)state;
    need_all();
    ran r = play("cd $D; " STAGE "perf stat -x, -o o -e cycles -- ./nonesuch; echo $?; rm -f o");
    assert_string_equal(r.out, "255\n");
    assert_has(r.err, "boxscore: no such program: './nonesuch'\n");
    assert_has(r.err, "Workload failed: No such file or directory\n");
    ran_free(&r);
}

/* An event that no model counts has no count, and an event of the host counts no program: it would
 * count the process that waits for it. Neither does a unit outside the cores, as under Linux. */
static void what_is_not_counted(void **state)
{
    (void)state;
    need_all();
    expect(
        "cd $D; " STAGE "perf stat -x, -o o -e major-faults,uncore_imc/data_reads/,dummy,"
        "cpu/event=0xee/ -- true 2>/dev/null; grep '^<' o | cut -d, -f1\n" STAGE
        "perf stat -x, -D 10 -o o -e cycles -- sleep 0.1 2>/dev/null; grep '^<' o | cut -d, -f1; "
        "rm o",
        "<not counted>\n<not supported>\n<not supported>\n<not supported>\n"
        "<not supported>\n");
}

/* Another user's program would run with the stage's rights outside of it. */
static void programs_of_others(void **state)
{
    (void)state;
    need_all();
    need_program("setpriv");
    if (geteuid() != 0)
        skip();
    expect("chmod 755 $D; " STAGE "sh -c 'setpriv --reuid 65534 --clear-groups \\\n"
           "  perf stat -x, -e cycles -- id -u 2>&1 | cut -d, -f1'",
           "65534\n<not counted>\n");
}

static void what_is_said(void **state)
{
    (void)state;
    need_all();
    ran r = play("cd $D; " STAGE "perf stat -a -x, -o o -e cycles -- true; rm o");
    assert_has(r.err, "events of CPUs ('perf stat -a') count the machine on stage");
    ran_free(&r);
    r = play(STAGE "perf stat -x, -e cycles -- true 2>/dev/null");
    assert_string_equal(r.err, "");
    ran_free(&r);
    r = play("$B stage --at $D --follow -- true; exit $?");
    assert_has(r.err, "with --at there is no perf");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_stat),
        cmocka_unit_test(each_program_has_a_new_machine),
        cmocka_unit_test(it_is_the_program),
        cmocka_unit_test(it_cannot_be_executed),
        cmocka_unit_test(what_is_not_counted),
        cmocka_unit_test(programs_of_others),
        cmocka_unit_test(what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
