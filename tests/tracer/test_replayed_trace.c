/* stat --trace: a recorded trace gives the run's counts, on every machine and every time. */
#include "../cmocked.h"

#include "cli/run.h"
#include "host/folder.h"
#include "machine/machine.h"
#include "tracefile/writer.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SETUP                                                                                      \
    "D=$(mktemp -d); trap 'rm -rf $D' EXIT; cd $D; PROGRAMS=$BUILD_ROOT/tests/tracer/traced_\n"    \
    "machines='virtual:skl,part=plain virtual:ivbep,part=plain virtual:nhmex,part=plain "          \
    "virtual:p6,part=plain'\n"                                                                     \
    "replay() { \"$BOXSCORE\" stat --trace t -x, \"$@\" 2>/dev/null; }\n"

/* The CPU's default events, and the exit status. */
static void one_thread_gives_the_counts_of_the_run(void **state)
{
    (void)state;
    ran r =
        run_shell(SETUP "for program in loop features; do for m in $machines; do\n"
                        "\"$BOXSCORE\" trace --machine $m -o t -- \"$PROGRAMS$program\" >out\n"
                        "status=$?; for kernel in on off; do\n"
                        "\"$BOXSCORE\" stat --machine $m --kernel-accesses $kernel -x, -o live -- "
                        "\"$PROGRAMS$program\" >out\n"
                        "replay --machine $m --kernel-accesses $kernel >replayed\n"
                        "[ $? = $status ] && [ -s live ] && cmp live replayed && echo same\n"
                        "done; done; done");
    assert_string_equal(r.out, "same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n"
                               "same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n");
    assert_silent(&r);
}

/* Page walks, and pages of 2 MiB, follow from the trace as well. */
static void tlbs_give_the_counts_of_the_run(void **state)
{
    (void)state;
    ran r = run_shell(
        SETUP "for keys in virtual:skl,part=plain,tlb=on virtual:ivbep,part=plain,tlb=on,pages=2M "
              "virtual:nhmex,part=plain,tlb=on; do\n"
              "\"$BOXSCORE\" trace --machine $keys -o t -- \"${PROGRAMS}loop\" >out\n"
              "\"$BOXSCORE\" stat --machine $keys -x, -o live -- \"${PROGRAMS}loop\" "
              ">out\n"
              "replay --machine $keys >replayed\n"
              "replay --machine ${keys%%,*} >plain\n"
              "[ -s live ] && cmp live replayed && ! cmp -s live plain && echo same\n"
              "done");
    assert_string_equal(r.out, "same\nsame\nsame\n");
    assert_silent(&r);
}

static void options_of_a_run_are_those_of_a_replay(void **state)
{
    (void)state;
    ran r = run_shell(
        SETUP "\"$BOXSCORE\" trace -o t -- \"${PROGRAMS}loop\"\n"
              "E='-e UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK --machine virtual:skl,part=plain'\n"
              "for o in '-r 2' '--passes repeat' '--passes rotate' '--per-unit' "
              "'--threads 2' '-I 1us' '--until UNC_CLOCK=2000' '--sample UNC_CLOCK=2000'; do\n"
              "\"$BOXSCORE\" stat $E $o -x, -o live -- \"${PROGRAMS}loop\"\n"
              "replay $E $o >replayed; cmp live replayed && echo same; done");
    assert_string_equal(r.out, "same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n");
    assert_silent(&r);
}

/* A trace keeps the order in which simultaneous threads and processes ran. */
static void each_replay_counts_the_same(const char *machines, const char *program,
                                        const char *processes)
{
    char script[1024];
    int n =
        snprintf(script, sizeof script,
                 SETUP "\"$BOXSCORE\" trace -o t -- %s >out\n"
                       "\"$BOXSCORE\" trace info t | grep '^processes'\n"
                       "for m in %s; do replay --machine $m >first; replay --machine $m >second\n"
                       "  [ $(wc -c <first) -gt 100 ] && cmp first second || echo $m; done",
                 program, machines);
    assert_true(n > 0 && (size_t)n < sizeof script);
    ran r = run_shell(script);
    assert_has(r.out, processes);
    assert_string_equal(strchr(r.out, '\n'), "\n");
    assert_silent(&r);
}

#define ALL_MACHINES "$machines virtual:nhmex,part=plain,tlb=on,pages=2M"

static void threads_are_replayed_in_one_order(void **state)
{
    (void)state;
    each_replay_counts_the_same(ALL_MACHINES, "\"${PROGRAMS}handover\" beside 01000 000",
                                "processes      1\n");
    each_replay_counts_the_same(ALL_MACHINES, "\"${PROGRAMS}handover\" spin-lock 00300 000",
                                "processes      1\n");
}

static void processes_are_replayed_in_one_order(void **state)
{
    (void)state;
    /* Its order is that of the pipes, whatever the machine. */
    each_replay_counts_the_same(getenv("BX_LONG") ? ALL_MACHINES : "virtual:nhmex,part=plain",
                                "sh -c 'ls -l / | sort | wc; exit 0'", "processes      ");
    each_replay_counts_the_same(
        ALL_MACHINES,
        "sh -c 'i=0; (while [ $i -lt 60 ]; do i=$((i + 1)); echo $i; done) | "
        "while read x; do y=$x; done; :'",
        "processes      3\n");
}

static void what_was_not_traced_is_said(void **state)
{
    (void)state;
    ran r = run_shell(
        SETUP "cp /bin/true x; chmod u+s x; \"$BOXSCORE\" trace -o t -- sh -c './x; :'\n"
              "\"$BOXSCORE\" stat --machine virtual:skl,part=plain --trace t -e UNC_CLOCK -o out\n"
              "grep -o 'not counted, as they cannot be traced: .*x (process' out");
    assert_has(r.out, "not counted, as they cannot be traced: ");
    assert_silent(&r);
}

static void the_report_names_the_trace(void **state)
{
    (void)state;
    ran r = run_shell(SETUP
                      "\"$BOXSCORE\" trace -o t -- \"${PROGRAMS}loop\" a\n"
                      "\"$BOXSCORE\" stat --machine virtual:skl,part=plain --trace t -e UNC_CLOCK\n"
                      "cksum t | { read sum size name; echo \"size $size sum $sum.\"; }");
    unsigned long size, sum;
    const char *said = strstr(r.out, " trace 't': "), *counted = strstr(r.out, "size ");
    char expected[128];
    assert_has(r.out, " for trace 't' of '");
    assert_has(r.out, "traced_loop a' on virtual:skl,part=plain");
    assert_non_null(said);
    assert_int_equal(sscanf(counted, "size %lu sum %lu.", &size, &sum), 2);
    snprintf(expected, sizeof expected,
             " trace 't': %lu bytes, cksum %lu; its program ended with 7\n", size, sum);
    assert_has(r.out, expected);
    ran_free(&r);
}

static void a_program_that_a_signal_killed_is_told(void **state)
{
    (void)state;
    ran r = run_shell(
        SETUP "\"$BOXSCORE\" trace -o t -- sh -c 'kill -SEGV $$'\n"
              "\"$BOXSCORE\" stat --machine virtual:skl,part=plain --trace t -o out; echo $?");
    assert_string_equal(r.out, "139\n");
    assert_has(r.err, "the traced program was killed by signal 11 (SIGSEGV)");
    ran_free(&r);
}

/* ---- files that are not traces, or are damaged ---- */

static void refused(const char *damage, const char *why)
{
    char script[1024] = SETUP "cp \"$LOOP_TRACE\" t\n";
    strcat(strcat(script, damage),
           "\n\"$BOXSCORE\" stat --machine virtual:skl,part=plain --trace t");
    ran r = run_shell(script);
    assert_string_equal(r.out, "");
    assert_has(r.err, why);
    assert_null(strstr(strstr(r.err, "boxscore: ") + 1, "boxscore: ")); /* one message */
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

static void a_file_of_no_use_is_refused(void **state)
{
    (void)state;
    refused("head -c -16 t >u; mv u t", "'t': the trace is cut off after ");
    refused("head -c 300 t >u; mv u t", "'t': the trace is cut off after 300 bytes");
    refused("printf x >>t", "'t': the trace is damaged before byte ");
    refused("sed -i '1s/2/3/' t", "'t': the trace is of version 3 (of the file), which is unknown");
    refused("sed -i '1s/2/1/' t",
            "'t': the trace's head is damaged: it does not have the checksum");
    refused("sed -i '3s/loop/pool/' t", "'t': the trace's head is damaged");
    refused("sed -i '2s/[0-9]/99/' t", "'t': the trace is of version 99 (of its words)");
    refused("sed -i '2s/[0-9]/99/' t", "hint: trace the program again with this boxscore");
    refused("echo text >t", "'t': this is no trace");
    refused("rm t", "'t': No such file or directory");
    refused("rm t; mkdir t", "'t' is no regular file");
}

/* Any of the last bytes, which are the end of a chunk's checksum and the end mark. */
static void a_changed_byte_is_found(void **state)
{
    (void)state;
    refused("n=$(($(wc -c <t) - 20)); printf '\\252' | dd of=t bs=1 seek=$n conv=notrunc "
            "status=none; printf '\\125' | dd of=t bs=1 seek=$((n - 9)) conv=notrunc status=none",
            "'t': the trace is damaged before byte ");
}

static void mistakes_in_the_options(void **state)
{
    (void)state;
    ran r = RUN("stat", "--trace", "t", "--", "true");
    assert_int_equal(r.status, 2);
    assert_has(r.err, "boxscore stat --trace FILE, and no program or workload");
    ran_free(&r);
    r = RUN("stat", "--trace", "t", "-w", "stream");
    assert_int_equal(r.status, 2);
    ran_free(&r);
    r = RUN("stat", "--trace", "t", "--replay", "u");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

static int write_to(void *context, const void *bytes, size_t n)
{
    const int *fd = context;
    return write(*fd, bytes, n) == (ssize_t)n ? 0 : EIO;
}

/* Writes a trace of system calls alone, without an access, so the machine has nothing to do. */
static void write_calls(int fd)
{
    enum { PARTS = 10, CALLS = 16384 };
    char *argument[] = {(char[]){"x"}};
    const bx_tracefile_head head = {argument, 1, NULL, 0, BX_TRACE_PAGE};
    bx_error e = {0};
    bx_tracefile_writer *w =
        bx_tracefile_writer_new(&head, (bx_tracefile_sink){write_to, &fd, "calls"});
    uint64_t *words = malloc(8 * CALLS * sizeof *words), time = 0;
    assert_true(w && words);
    bx_tracefile_write_hello(w, 1, 0, 0);
    for (unsigned part = 0; part < PARTS; part++) {
        for (size_t i = 0; i < CALLS; i++) {
            const uint64_t call[8] = {bx_trace_control_word(BX_TRACE_CALL, 39),   time + 1, 0, 0,
                                      bx_trace_control_word(BX_TRACE_RETURN, 39), time + 2, 0, 0};
            time += 2;
            memcpy(words + 8 * i, call, sizeof call);
        }
        bx_tracefile_write_words(w, 0, words, 8 * CALLS);
    }
    assert_int_equal(bx_tracefile_write_end(w, 0, 0, &e), BX_OK);
    bx_tracefile_writer_free(w);
    free(words);
}

/* The second process says that it was forked, but no other one says so. */
static void a_process_whose_fork_nobody_recorded_is_refused(void **state)
{
    (void)state;
    enum { PARENT = 1, CHILD = 2 };
    char path[32];
    char *argument[] = {(char[]){"x"}};
    const bx_tracefile_head head = {argument, 1, NULL, 0, BX_TRACE_PAGE};
    const uint64_t end[] = {bx_trace_control_word(BX_TRACE_END, BX_TRACE_END_EXIT), 9};
    bx_error e = {0};
    int fd = memfd_create("orphan", MFD_CLOEXEC);
    bx_tracefile_writer *w =
        bx_tracefile_writer_new(&head, (bx_tracefile_sink){write_to, &fd, "orphan"});
    assert_true(fd >= 0 && w);
    bx_tracefile_write_hello(w, PARENT, 0, 0);
    bx_tracefile_write_hello(w, CHILD, PARENT, 5);
    bx_tracefile_write_words(w, 1, end, 2);
    bx_tracefile_write_words(w, 0, end, 2);
    assert_int_equal(bx_tracefile_write_end(w, 0, 0, &e), BX_OK);
    bx_tracefile_writer_free(w);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    ran r = RUN("stat", "--machine", "virtual:skl,part=plain", "--trace", path);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.err, "boxscore: unintelligible trace: a process whose fork nobody has "
                               "recorded\n  hint: check it with 'boxscore trace info', or trace "
                               "the program again\n");
    assert_string_equal(r.out, "");
    ran_free(&r);
    close(fd);
}

static bool at_once(void)
{
    return true;
}

static void an_interruption_ends_a_stretch_without_accesses(void **state)
{
    (void)state;
    char path[32];
    bx_error e = {0};
    bx_machine *m;
    bool done = false;
    int fd = memfd_create("calls", MFD_CLOEXEC);
    assert_true(fd >= 0);
    write_calls(fd);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), "virtual:skl,part=plain", &m, &e),
                     BX_OK);
    bx_machine_end_replay_if(m, at_once);
    assert_int_equal(bx_machine_load_trace(m, path, &e), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, &e), BX_OK);
    assert_true(done);
    assert_true((off_t)bx_tracefile_bytes(bx_machine_trace(m)) < lseek(fd, 0, SEEK_END));
    bx_machine_close(m);
    close(fd);
}

/* The trace that is damaged: $LOOP_TRACE. */
static int record(void **state)
{
    char path[256];
    if (folder_enter(state))
        return -1;
    ran r = run_shell("\"$BOXSCORE\" trace -o loop -- \"$BUILD_ROOT/tests/tracer/traced_loop\"");
    ran_free(&r); /* the program's status is not 0 */
    snprintf(path, sizeof path, "%s/loop", working.root);
    return setenv("LOOP_TRACE", path, 1) || access(path, R_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_gives_the_counts_of_the_run),
        cmocka_unit_test(tlbs_give_the_counts_of_the_run),
        cmocka_unit_test(options_of_a_run_are_those_of_a_replay),
        cmocka_unit_test(threads_are_replayed_in_one_order),
        cmocka_unit_test(processes_are_replayed_in_one_order),
        cmocka_unit_test(what_was_not_traced_is_said),
        cmocka_unit_test(the_report_names_the_trace),
        cmocka_unit_test(a_program_that_a_signal_killed_is_told),
        cmocka_unit_test(a_file_of_no_use_is_refused),
        cmocka_unit_test(a_changed_byte_is_found),
        cmocka_unit_test(mistakes_in_the_options),
        cmocka_unit_test(a_process_whose_fork_nobody_recorded_is_refused),
        cmocka_unit_test(an_interruption_ends_a_stretch_without_accesses),
    };
    return cmocka_run_group_tests(tests, record, folder_leave);
}
