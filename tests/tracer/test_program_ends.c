/* Input, signals and limits of a counted program, and its end, are as without boxscore. If any
 * process is killed, no process remains. With BX_LONG in the environment there are more kinds of
 * ends. */
#include "../cmocked.h"

#include "host/folder.h"
#include "tracer/counted.h"
#include "tracer/traced.h"

#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes of a script have MARK in their environment, and make their files in ./tmp and ./run.
 * `begin` starts a program whose output is in ./out, and waits for its first output. `twice` sends
 * SIGTERM, and again when boxscore has taken the first. `left` prints remaining processes and
 * files. */
static const char functions[] =
    "export MARK=$PWD/$$ TMPDIR=$PWD/tmp XDG_RUNTIME_DIR=$PWD/run\n"
    "export P=$BUILD_ROOT/tests/tracer/traced_\n"
    "rm -rf tmp run; mkdir -p tmp; mkdir -m 700 run\n"
    "count() { exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , -o counts "
    "--kernel-accesses off -e " READS " \"$@\"; }\n"
    "begin() { rm -f counts out; (count -- \"$@\" >out 2>err) & p=$!\n"
    "  for i in $(seq 2000); do [ -s out ] && break; sleep 0.01; done; }\n"
    "twice() { kill -TERM $p; until grep -q 'ShdPnd:.0*$' /proc/$p/status; do sleep 0.01; done\n"
    "  kill -TERM $p; }\n"
    "tree() { echo $1; for c in $(cat /proc/$1/task/*/children 2>/dev/null); do tree $c; done; }\n"
    "marked() { for e in $(grep -lz \"^MARK=$MARK$\" /proc/[0-9]*/environ 2>/dev/null); do\n"
    "    n=${e%/environ}; n=${n#/proc/}; [ $n = $$ ] || [ $n = $BASHPID ] || echo $n; done; }\n"
    "left() { for i in $(seq 1000); do m=$(running); [ -z \"$m\" ] && break; sleep 0.01; done\n"
    "  for n in $m; do tr '\\0' ' ' </proc/$n/cmdline; done; ls -A tmp run | grep -v ':$\\|^$'; }\n"
    /* not the processes of $(…) itself */
    "running() { for n in $(marked); do\n"
    "    s=$(cat /proc/$n/comm 2>/dev/null); case $s in bash|'') ;; *) echo $n;; esac; done; }\n";

static void expect(const char *script, const char *out)
{
    char all[8192];
    int n = snprintf(all, sizeof all, "%s%s", functions, script);
    assert_true(n > 0 && (size_t)n < sizeof all);
    ran r = run_shell(all);
    if (strcmp(r.out, out) != 0)
        fail_msg("it printed\n%s%s--- by\n%s", r.out, r.err, script);
    ran_free(&r);
}

/* ---- input and output ---- */

static void input_is_read_once(void **state)
{
    (void)state;
    expect("printf 'a\\nb\\nc\\n' | { (count -- sh -c 'read x; echo $x'); read y; echo $y; }\n"
           "seq 30000 | (count -- sh -c 'cat | wc -c')\n"
           "(count -- cat) </dev/null; (count -- sh -c 'cat; exit 3') <&-; echo $?\n",
           "a\nb\n168894\n3\n");
}

static void output_that_has_no_room(void **state)
{
    (void)state;
    expect("sh -c 'echo x >/dev/full' 2>/dev/null; s=$?\n"
           "(count -- sh -c 'echo x >/dev/full' 2>/dev/null); [ $? = $s ] && echo same\n"
           "(count -o /dev/full -- sh -c 'echo ran' 2>&1) | grep -v hint; echo ${PIPESTATUS[0]}\n"
           "(count -- seq 100000 2>/dev/null) | head -n 1; echo ${PIPESTATUS[0]}\n",
           "same\nran\nboxscore: cannot write '/dev/full': No space left on device\n1\n"
           "1\n141\n");
}

/* ---- how it ends ---- */

static void expect_death(const char *how, const char *message)
{
    char script[512];
    snprintf(
        script, sizeof script,
        "ulimit -c 0; bash -c \"exec ${P}signals %s\" 2>/dev/null; echo $?\n"
        "(count -- ${P}signals %s 2>&1) | sed 's/.* was killed/killed/'; echo ${PIPESTATUS[0]}\n"
        "(count -- sh -c \"${P}signals %s; exit \\$?\" 2>/dev/null); echo $?; wc -l <counts\n",
        how, how, how);
    expect(script, message);
}

static void as_a_shell_sees_it(void **state)
{
    (void)state;
    expect_death("fault", "139\nkilled by signal 11 (SIGSEGV)\n139\n139\n1\n");
    expect_death("kill", "137\nkilled by signal 9 (SIGKILL)\n137\n137\n1\n");
    expect_death("no-such-word", "127\n127\n127\n1\n");
    if (!getenv("BX_LONG"))
        return;
    expect_death("fault-in-thread", "139\nkilled by signal 11 (SIGSEGV)\n139\n139\n1\n");
    expect_death("abort", "134\nkilled by signal 6 (SIGABRT)\n134\n134\n1\n");
    expect_death("illegal", "132\nkilled by signal 4 (SIGILL)\n132\n132\n1\n");
}

static void handlers_return_behind_a_fault(void **state)
{
    (void)state;
    expect("(count -- ${P}signals pass); echo $?; wc -l <counts\n", "0\n1\n");
}

/* The program's limit also applies to the tracer. */
static void without_memory(void **state)
{
    (void)state;
    expect("(count -- sh -c 'ulimit -v 400000; exec ${P}signals memory'); echo $?; wc -l <counts\n",
           "42\n1\n");
}

/* Its work before the end is counted: stores to 1,000 lines. */
static void counts_of_the_killed(void **state)
{
    (void)state;
    static const char *const programs[] = {"%ssignals %s %s", "sh -c '%ssignals %s %s; exit 4'"};
    for (size_t i = 0; i < 4; i++) {
        char script[2048], command[256];
        snprintf(command, sizeof command, programs[i / 2], "${P}", i % 2 ? "spin" : "sleep", "$n");
        snprintf(script, sizeof script,
                 "for n in 0001 1001; do\n"
                 "  eval \"begin %s\"; kill -9 $(tree $p | tail -n 1)\n"
                 "  wait $p; status=$?; set -- $(cut -d, -f1 counts) $1\n"
                 "done; echo $status; n=$(($1 - $2))\n"
                 "[ $n -ge 900 ] && [ $n -le 1300 ] && echo counted || echo $n; left\n",
                 command);
        expect(script, i / 2 ? "4\ncounted\n" : "137\ncounted\n");
    }
}

/* ---- signals ---- */

static void to_the_program(void **state)
{
    (void)state;
    expect("begin ${P}signals take; c=$(tree $p | tail -n 1)\n"
           "for s in INT TERM USR1; do kill -$s $c; until grep -q $s out; do :; done; done\n"
           "wait $p; echo $?; cat out err; left\n",
           "5\nready\nINT\nTERM\nUSR1\n");
}

#define INTERRUPTED(signal)                                                                        \
    "boxscore: interrupted by SIG" signal ": these are the counts until the program ended\n"

static void to_boxscore(void **state)
{
    (void)state;
    expect("begin ${P}signals take; kill -TERM $p; until grep -q TERM out; do :; done\n"
           "c=$(tree $p | tail -n 1); kill -USR1 $c; until grep -q USR1 out; do :; done\n"
           "kill -INT $c; wait $p; echo $?; cat out err; left\n",
           "5\nready\nTERM\nUSR1\nINT\n" INTERRUPTED("TERM"));
    expect("begin ${P}signals sleep; kill -TERM $p; wait $p; echo $?; cat err; left\n",
           "143\n" INTERRUPTED("TERM"));
    expect("begin ${P}signals sleep; kill -HUP $p; wait $p; echo $?; cat err; left\n",
           "129\n" INTERRUPTED("HUP"));
    /* The second signal kills it, and all that it has started: in another session, or stopped. */
    expect("begin sh -c \"trap '' TERM; ${P}signals sleep\"; twice; wait $p; echo $?; wc -l "
           "<counts; left\n"
           "begin sh -c \"trap '' TERM; (while :; do :; done) & kill -STOP \\$!\n"
           "    setsid sleep 1000 & ${P}signals sleep\"; twice; wait $p; echo $?; wc -l <counts; "
           "left\n",
           "137\n2\n137\n2\n");
}

/* Also those that stop before they have said hello, and those that a program without a trace has
 * left behind. */
static void a_second_signal_reaches_all(void **state)
{
    (void)state;
    expect(
        "begin sh -c \"trap '' TERM; ${P}signals stop-children\"\n"
        "twice; wait $p; echo $?; wc -l <counts; left\n"
        "cp /bin/sh tmp/other; chmod 4711 tmp/other\n"
        "begin sh -c \"trap '' TERM; tmp/other -c 'sleep 1000 &'; tmp/other -c 'sleep 1000; :' &\n"
        "    ${P}signals sleep\"; twice; wait $p; echo $?; rm tmp/other; left\n",
        "137\n2\n137\n");
}

/* All processes of a group get the signal, including boxscore. */
static void to_the_group(void **state)
{
    (void)state;
    expect("set -m; for s in TERM INT HUP; do\n"
           "  begin sh -c 'sleep 1000 | ${P}signals sleep | cat; exit 3'\n"
           "  kill -$s -$p; wait $p; echo $? $(wc -l <counts) $(tail -n1 counts); left\n"
           "done 2>/dev/null\n",
           "143 2 # interrupted by SIGTERM\n130 2 # interrupted by SIGINT\n"
           "129 2 # interrupted by SIGHUP\n");
}

static void expect_nothing_left(void)
{
    expect("left\n", "");
}

/* The terminal is closed: all processes on it get SIGHUP. */
static void closed_terminal(void **state)
{
    (void)state;
    int terminal, status;
    char mark[128], text[64];
    snprintf(mark, sizeof mark, "%s/terminal", working.root);
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("MARK", mark, 1);
        execl(getenv("BOXSCORE"), "boxscore", "stat", "--machine", "virtual:skl,part=plain", "-o",
              "counts", "--", "sh", "-c", "echo ready; sleep 1000 | sleep 1000; exit 3",
              (char *)NULL);
        _exit(126);
    }
    assert_true(read(terminal, text, sizeof text) > 0);
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) ? WEXITSTATUS(status) == 128 + SIGHUP
                                  : WTERMSIG(status) == SIGHUP);
    expect("MARK=${MARK%/*}/terminal; left\n", "");
}

/* ---- kill -9 ---- */

/* A pipeline with a process that sleeps and one that computes: each process is killed in turn. The
 * rest ends when its input ends, or at once if boxscore is killed. It may still run when the first
 * process has been killed, and is named then. */
static void each_of_a_pipeline_is_killed(void **state)
{
    (void)state;
    expect(
        "mkfifo hold; k=0; while :; do\n"
        "  rm -f stop; exec 7<>hold; k=$((k + 1))\n"
        "  begin sh -c 'cat <hold | (sh -c \"echo; while [ ! -e stop ]; do :; done\"; cat) | cat\n"
        "    exit 5' 7<&-\n"
        "  until set -- $(tree $p) && [ $# -ge 6 ]; do :; done\n"
        "  last=$#; shift $((k - 1)) || break; [ $1 ] || break; kill -9 $1\n"
        "  [ $k = 1 ] && { wait $p; echo $? $(ls counts 2>&1 | wc -l) $(left); }\n"
        "  exec 7<&-; : >stop; [ $k = 1 ] && continue; wait $p\n"
        "  echo $? $(grep -vc 'left running' counts) $(sed -n \"/was k/s/'.*'/it/p\" err) $(left)\n"
        "done 2>/dev/null; exec 7<&-; : >stop; wait $p; echo $? $last\n"
        "cut -d' ' -f4- /proc/sysvipc/shm | grep -w $p\n",
        "137 1\n137 1 boxscore: it was killed by signal 9 (SIGKILL)\n5 1\n5 1\n5 1\n5 1\n"
        "5 6\n");
}

static int setup(void **state)
{
    traced_setup();
    return folder_enter(state);
}

static int teardown(void **state)
{
    expect_nothing_left();
    return folder_leave(state);
}

int main(void)
{
    signal(SIGHUP,
           SIG_DFL); /* under nohup the signal is ignored, and nobody would notice it here */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_is_read_once),
        cmocka_unit_test(output_that_has_no_room),
        cmocka_unit_test(as_a_shell_sees_it),
        cmocka_unit_test(handlers_return_behind_a_fault),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(counts_of_the_killed),
        cmocka_unit_test(to_the_program),
        cmocka_unit_test(to_boxscore),
        cmocka_unit_test(a_second_signal_reaches_all),
        cmocka_unit_test(to_the_group),
        cmocka_unit_test(closed_terminal),
        cmocka_unit_test(each_of_a_pipeline_is_killed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
