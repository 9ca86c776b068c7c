/* Signals that end a measurement, on served device files: registers are put back first, and no file
 * remains. After a crash the journal remains. */
#include "../cmocked.h"

#include "stage/play.h"

#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shell functions: `on MACHINE EVENT MSRS` serves a machine at $D, and `off` ends it. `begin`
 * starts a measurement $p and waits until registers are about to be written. Every name in $F is a
 * file of the measurement: its report, its journal, and their temporary files. */
static const char prologue[] =
    "F=$D.files; mkdir $F; cd $F; stages=; set -m\n"
    "trap 'kill $stages; wait; cd /; rm -rf $F $D.out; at_end' EXIT 2>/dev/null\n"
    "on() { R=$3; $B stage --at $D --pace 1000000 --machine $1 >/dev/null 2>&1 & stages=$!\n"
    "  await '[ -e $D/dev/mem ]'; M=$1\n"
    "  C=\"$B stat --machine host --root $D --helper= --journal $F/j -e $2\"\n"
    "  registers 0 \"$R\" >$D.out; }\n"
    "off() { kill $stages; wait $stages; }\n"
    "begin() { $C -o $F/report -- sleep 9 2>$D.err & p=$!\n"
    "  await '[ -e j ]'; }\n"
    "same() { registers 0 \"$R\" | diff $D.out - >&2 || echo \"$M, $1: other registers\"; }\n"
    "ended() { wait $p; r=$?; [ $r = $2 ] || echo \"$M, $1: status $r\"; same $1\n"
    "  ls -A | grep -v '^report$' && echo \"$M, $1: left\"; rm -rf $F/* $D.err; }\n";

/* The machines, an event of each, and the registers that counting it writes. */
static const char *const machines[] = {
    "virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I '0x700 0x706 0x710 0x716 0x720 0x730 0xe01'",
    ("virtual:ivbep,part=plain ivbep_unc_cbo::UNC_C_LLC_LOOKUP:ANY '0xd04 0xd10 0xd14 0xd16 0xd30 "
     "0xc00'"),
    "virtual:p6,part=plain p6::CPU_CLK_UNHALTED '0x186 0x187 0xc1 0xc2'",
    "virtual:nhmex,part=plain nhmex_unc_sbox::TO_R_PROG_EV '0xc00 0xc40 0xc41 0xc42 0xc50 0xc51'",
};

enum { MACHINES = sizeof machines / sizeof *machines };

static void expect_signals(const char *script, const char *out)
{
    char text[6144];
    need_fuse();
    snprintf(text, sizeof text, "%sexec 2>/dev/null\n%s", prologue, script);
    ran r = play(text);
    if (strcmp(r.out, out) != 0 || r.status)
        fail_msg("%s\n--- printed (%d)\n%s", script, r.status, r.out);
    ran_free(&r);
}

/* signal(7): all signals that end the process by default, without SIGKILL, SIGPIPE, which a
 * measurement ignores, and those of a crash. The first machine gets all of them, each of the others
 * a third. */
static void every_signal(void **state)
{
    (void)state;
    char script[2048];
    for (unsigned i = 0; i < MACHINES; i++) {
        unsigned step = i == 0 || getenv("BX_LONG") ? 1 : MACHINES - 1;
        snprintf(script, sizeof script,
                 "on %s; set -- 1 2 3 10 12 14 15 16 24 25 26 27 29 30 31 $(seq 34 64)\n"
                 "shift %u; n=0; while [ $# -gt 0 ]; do\n"
                 "  begin; kill -$1 $p; ended $1 $((128 + $1)); n=$((n + 1)); shift %u || break\n"
                 "done; [ $n -ge 15 ] || echo only $n; off",
                 machines[i], step > 1 ? i - 1 : 0, step);
        expect_signals(script, "");
    }
}

/* At any moment, also before the first register is written and while the program starts. Before
 * boxscore is executed, its process is still the shell's child, which may lose the signal. */
static void at_any_time(void **state)
{
    (void)state;
    char script[2048];
    unsigned times = getenv("BX_LONG") ? 300 : 20;
    snprintf(script, sizeof script,
             "on %s; set -- 1 2 15 24 25 26 27 29 30 31 34 50 64\n"
             "for i in $(seq %u); do\n"
             "  $C -o $F/report -- sleep 9 & p=$!\n"
             "  until read -r c </proc/$p/comm && [ $c = boxscore ]; do :; done\n"
             "  sleep 0.0$((RANDOM %% 10)); kill -$1 $p; ended $1 $((128 + $1))\n"
             "  set -- \"$@\" $1; shift\n"
             "done; off",
             machines[0], times);
    expect_signals(script, "");
    print_message("%u signals\n", times);
}

/* A signal that was ignored when the process began does not end it. */
static void ignored_ones_stay_so(void **state)
{
    (void)state;
    char script[2048];
    snprintf(script, sizeof script,
             "on %s; trap '' XFSZ PROF 40\n"
             "for s in 25 27 40; do $C -o $F/report -- sleep 0.4 & p=$!\n"
             "  await '[ -e j ] || ! kill -0 $p'\n"
             "  kill -$s $p; ended $s 0; done; off",
             machines[0]);
    expect_signals(script, "");
}

/* A report that reaches the limit of file sizes. */
static void a_limit_of_size(void **state)
{
    (void)state;
    char script[2048];
    snprintf(script, sizeof script,
             "on %s; (ulimit -f 8; exec $C -I 1 -o $F/report -- sleep 9) 2>$D.err & p=$!\n"
             "wait $p; sed \"s|.*cannot|cannot|; s|$F|F|\" $D.err; ended size 1; off",
             machines[0]);
    expect_signals(script, "cannot write 'F/report': File too large\n");
}

/* After a crash and a kill -9 the journal remains, and `restore` works. */
static void after_a_crash(void **state)
{
    (void)state;
    char script[2048];
    for (unsigned i = 0; i < MACHINES; i++) {
        snprintf(script, sizeof script,
                 "on %s; ulimit -c 0; for s in 4 5 6 7 8 9 11; do\n"
                 "  begin; sleep 0.1; kill -$s $p; wait $p; ls j\n"
                 "  $B restore --root $D j >/dev/null || echo $s not restored\n"
                 "  same $s; rm -f report*; ls -A\n"
                 "done; off",
                 machines[i]);
        expect_signals(script, "j\nj\nj\nj\nj\nj\nj\n");
    }
}

/* Other commands that write files. */
static void other_commands(void **state)
{
    (void)state;
    need_mount_namespace();
    expect_signals(
        "mkdir tmp; export TMPDIR=$F/tmp; $B machine gather -o g\n"
        /* many files, because the archive is unpacked only for a moment; a shell sees it that
         * starts no program to look for it */
        "for i in $(seq 300); do printf '> /sys/devices/system/cpu/%d\\n|0\\n' $i; done >>g\n"
        "unpacked() { set -- tmp/*; [ -e $1 ]; }\n"
        "stopped() { for i in $(seq 50); do (exec \"$@\" >/dev/null) & p=$!\n"
        "  while kill -0 $p && ! unpacked; do :; done\n"
        "  kill -STOP $p && unpacked && return; kill -CONT $p; wait -f $p; done\n"
        "  echo $*: never seen; }\n"
        "for s in 1 2 3 10 14 15 24 27 31 34 64; do for c in \"list --root\" \"machine show\"; do\n"
        "  stopped $B $c g; kill -$s $p; kill -CONT $p; wait -f $p\n"
        "  [ $? = $((128 + s)) ] || echo $c, $s; ls tmp\n"
        "done; done\n"
        "for s in 1 2 15 27 34; do\n"
        "  (exec $B stat --root g --machine host -e cpu-clock -o report -- sleep 9) & p=$!\n"
        "  for i in $(seq 300); do unpacked && break; sleep 0.01; done\n"
        "  kill -$s $p; wait $p; [ $? = $((128 + s)) ] || echo stat, $s; ls tmp\n"
        "done; ls | grep 'report\\.'; rm -f report\n"
        "for s in 3 10 12 14 25 27 31 34 64; do\n"
        "  (exec $B explain -o $F/report --log log -- sleep 9) & p=$!\n"
        "  await 'ls | grep -q log[.]'\n"
        "  kill -$s $p; wait $p; ls | grep 'report\\|log'\n"
        "done\n"
        /* none of its processes waits for files that are not served any more */
        "left() { for c in /proc/[0-9]*/cmdline; do case \"$(tr '\\0' ' ' <$c)\" in\n"
        "  *explain\\ -o\\ $F/report*) return 0;; esac; done; return 1; }\n"
        "await '! left'; left && echo processes; exit 0",
        "");
}

/* The stage leads the terminal's session, as with `ssh -t`. */
static void a_closed_terminal(void **state)
{
    (void)state;
    int terminal, status;
    char text[64] = "";
    need_mount_namespace();
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0) {
        execl(getenv("BOXSCORE"), "boxscore", "stage", "--pace", "0", "--", "sh", "-c",
              "echo ready; sleep 1000; exit 3", (char *)NULL);
        _exit(126);
    }
    assert_true(read(terminal, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "ready"));
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) ? WEXITSTATUS(status) == 128 + SIGHUP
                                  : WTERMSIG(status) == SIGHUP);
}

int main(void)
{
    signal(SIGHUP,
           SIG_DFL); /* under nohup the signal is ignored, and nobody would notice it here */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signal),         cmocka_unit_test(at_any_time),
        cmocka_unit_test(ignored_ones_stay_so), cmocka_unit_test(a_limit_of_size),
        cmocka_unit_test(after_a_crash),        cmocka_unit_test(other_commands),
        cmocka_unit_test(a_closed_terminal),
    };
    /* A launcher in the background leaves both signals ignored, which no shell below it can
     * undo. */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
