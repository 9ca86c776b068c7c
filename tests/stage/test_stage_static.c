/* Static programs on stage: results of CPUID and of calls about affinity in them, in their threads
 * and in their children. They are compared with dynamic programs, which preload a library. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Runs a script on stage. $S and $L are processor.c as a static and a dynamic program. */
static ran on_stage(const char *options, const char *script)
{
    char text[4096];
    need_mount_namespace();
    need_program("cc");
    snprintf(text, sizeof text,
             "export S=$D.static L=$D.loaded\n"
             "cc -O1 -D_GNU_SOURCE -pthread -static -o $S $SOURCE_ROOT/tests/stage/processor.c &&\n"
             "cc -O1 -D_GNU_SOURCE -pthread -o $L $SOURCE_ROOT/tests/stage/processor.c || exit 1\n"
             "timeout 100 $B stage --pace 0 %s -- sh -c '%s'; status=$?\n"
             "rm -f $S $L; exit $status",
             options, script);
    return play(text);
}

static void says(const char *options, const char *script, const char *out)
{
    ran r = on_stage(options, script);
    if (strcmp(r.out, out) != 0 || r.err[0] || r.status)
        fail_msg("%s\n--- printed\n%s--- said (%d)\n%s", script, r.out, r.status, r.err);
    ran_free(&r);
}

/* SDM volume 2, CPUID: a Skylake client of stepping 3 is 506E3H; level type 2 is a core. */
#define SKYLAKE                                                                                    \
    "b GenuineIntel\n506e3\n8388608 bytes\n4 of kind 2\n"                                          \
    "Intel(R) 6th generation Core, client (Skylake)\n"

static void leaves(void **state)
{
    (void)state;
    says("", "$S leaves", SKYLAKE);
    says("", "$L leaves", SKYLAKE);
    says("--machine virtual:ivbep,part=plain,packages=2,cores=10",
         "$S leaves | sed -n 2p; $S bind 13 where",
         "306e3\n0\n8 bytes, mask 2000, id 19\n"); /* package 1 above four bits, core 3 */
}

/* RDPMC by the table of document 002, 6.3.1, with CR4.PCE, and the fixed counters by bit 30: of a
 * general counter, the first fixed one, and two numbers that there are not. */
static void rdpmc(void **state)
{
    static const char each[] = "for p in $S $L; do $p bind 0 counters 2>&1 | grep -v MSRs; done";
#define TWICE(text) text text
    (void)state;
    says("--machine virtual:skl,part=plain", each, TWICE("0\n12345\n30064771073\nfault\nfault\n"));
    says("--machine virtual:ivbep,part=plain", each,
         TWICE("0\n12345\n30064771073\nfault\nfault\n"));
    says("--machine virtual:nhmex,part=plain", each,
         TWICE("0\n12345\n30064771073\nfault\nfault\n"));
    says("--machine virtual:skl,part=plain,pce=off", each,
         TWICE("0\nfault\nfault\nfault\nfault\n"));
    says("--machine virtual:p6,part=plain", each, TWICE("0\n12345\nfault\nfault\nfault\n"));
}

/* #GP ends a program without a handler, and one that blocks or ignores SIGSEGV. */
static void rdpmc_ends_a_program(void **state)
{
    (void)state;
    static const char each[] = "0\nended by signal 11\n";
    char all[8 * sizeof each] = "";
    for (int i = 0; i < 8; i++)
        strcat(all, each);
    says("", "for p in $S $L; do $p ended; done", all);
}

/* Threads, processes, and all ways to execute a program; exit statuses are passed on. */
static void whoever_asks(void **state)
{
    (void)state;
    says("", "for p in $S $L; do $p threads; $p fork leaves | sed -n 2p; done",
         "0 0 0 0 wrong\n506e3\n0 0 0 0 wrong\n506e3\n");
    says(
        "",
        "$S vfork $L leaves | sed -n 2p; $S vfork $S leaves | sed -n 2p; $S vfork false || echo $?",
        "506e3\n506e3\n1\n");
    says("",
         "for way in exec vfork thread; do for p in $S $L; do for q in $S $L; do\n"
         "  $p $way $q leaves fork $way $p leaves | grep -c ^506e3\n"
         "done; done; done | uniq -c | tr -s \" \"",
         " 12 2\n");
}

static void the_signal(void **state)
{
    (void)state;
    says("", "for p in $S $L; do $p handler trap blocked leaves | sed -n \"1,3p;5p\"; done",
         "signal 4, then 506e3\nended by signal 4\nblocked, 506e3\n506e3\n"
         "signal 4, then 506e3\nended by signal 4\nblocked, 506e3\n506e3\n");
}

/* A thread keeps its affinity through exec, and children inherit it. CPUs that the machine does not
 * have are refused. */
static void affinity(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char script[512];
        const char *p = i ? "$S" : "$L";
        snprintf(
            script, sizeof script,
            "%s where bind 3 where bind 4; %s bind 2 exec $S where exec $L where\n"
            "%s bind 1 fork where vfork $S where; taskset -c 1,3 %s where; taskset -c 0-2 nproc",
            p, p, p, p);
        says("", script,
             "8 bytes, mask f, id 0\n0\n8 bytes, mask 8, id 3\n-1\n"
             "0\n8 bytes, mask 4, id 2\n8 bytes, mask 4, id 2\n"
             "0\n8 bytes, mask 2, id 1\n8 bytes, mask 2, id 1\n"
             "8 bytes, mask a, id 1\n3\n");
    }
}

/* For a process outside the stage, the host's kernel answers. */
static void the_host_s_affinity(void **state)
{
    (void)state;
    need_mount_namespace();
    ran host = play("taskset -p $$ | sed 's/.*: //'");
    ran stage = play("export P=$$; $B stage --pace 0 -- sh -c 'taskset -p $P | sed \"s/.*: //\"'");
    assert_string_equal(stage.out, host.out);
    ran_free(&host);
    ran_free(&stage);
}

/* After a failed execve() the process is not traced, so that debuggers can attach. */
static void failed(void **state)
{
    (void)state;
    says("", "$S fail leaves | sed -n 1,3p", "-1\nb GenuineIntel\n506e3\n");
    need_program("bash");
    says("",
         "bash -c \"shopt -s execfail; exec /nonexistent 2>/dev/null;"
         " until grep -x TracerPid:.0 /proc/\\$\\$/status; do sleep 0.05; done\"",
         "TracerPid:\t0\n");
}

/* Set-user-ID programs and other users: CPUID is emulated for them as well. */
static void set_user_id(void **state)
{
    (void)state;
    need_program("setpriv");
    if (getuid() != 0)
        skip();
    says("",
         "chown 1234 $S $L; chmod 4755 $S $L\n"
         "for p in $S $L; do $p leaves | sed -n 2p;"
         " setpriv --reuid=4321 --clear-groups $p leaves | sed -n 2p; done",
         "506e3\n506e3\n506e3\n506e3\n");
}

/* A stopped program, as by a terminal, stays stopped until SIGCONT. */
static void stopped(void **state)
{
    (void)state;
    says(
        "",
        "letter() { cut -d\" \" -f3 /proc/$p/stat | tr t T; }\n"
        "is() { until [ $(letter) = $1 ]; do sleep 0.05; done; sleep 0.2; letter; }\n"
        "for q in $S $L; do\n"
        "  $q pause & p=$!; until grep -q ^34 /proc/$p/syscall; do sleep 0.05; done\n" /* pause() */
        "  kill -STOP $p; is T; kill -CONT $p; is S; kill $p\n"
        "done",
        "T\nS\nT\nS\n");
}

static void under_strace(void **state)
{
    (void)state;
    need_program("strace");
    says("", "strace -f -o /dev/null $L fork leaves | sed -n 2p", "506e3\n");
    says("", "strace -f -o /dev/null sh -c \"$L leaves fork exec true\" | sed -n 2p", "506e3\n");
    says("", "strace -o $S.text $S leaves >/dev/null; tail -n 1 $S.text; rm $S.text",
         "+++ exited with 0 +++\n");
}

static void under_gdb(void **state)
{
    (void)state;
    need_program("gdb");
    ran r =
        on_stage("", "gdb -q -batch -ex \"handle SIGILL nostop noprint pass\" -ex run --args $L "
                     "leaves 2>&1 | grep -a 506e3; sleep 1000 & p=$!\n"
                     "until grep -q ^sleep /proc/$p/comm && grep -q TracerPid:.0 /proc/$p/status; "
                     "do sleep 0.05; done\n"
                     "gdb -q -batch -p $p 2>&1 | grep -c detached; kill $p");
    assert_string_equal(r.out, "506e3\n1\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves),
        cmocka_unit_test(rdpmc),
        cmocka_unit_test(rdpmc_ends_a_program),
        cmocka_unit_test(whoever_asks),
        cmocka_unit_test(the_signal),
        cmocka_unit_test(affinity),
        cmocka_unit_test(the_host_s_affinity),
        cmocka_unit_test(failed),
        cmocka_unit_test(set_user_id),
        cmocka_unit_test(stopped),
        cmocka_unit_test(under_strace),
        cmocka_unit_test(under_gdb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
