/* `boxscore stat`: running processes, chosen CPUs and chosen times (-p -t -a -C -A, --delay,
 * --timeout, --interval-count, --control, --append, --repeat-until), and the views of the
 * output. */
#include "../cmocked.h"

#include "host/perf/perf_calls.h"
#include "cli/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VIRTUAL "stat", "--machine", "virtual:skl,part=plain"
#define STREAM  "-w", "stream,size=1M"

/* The test is skipped if a container forbids the call. */
static void need_perf_event(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr};
    int fd = bx_perf_calls_real.open(NULL, &attr, 0, -1, -1);
    if (fd < 0)
        skip();
    bx_perf_calls_real.close(NULL, fd);
}

static void shell(const char *script, int status, const char *out, const char *err)
{
    ran r = run_shell(script);
    if (r.status != status)
        fail_msg("%s: status %d, '%s', '%s'", script, r.status, r.out, r.err);
    assert_has(r.out, out);
    assert_has(r.err, err);
    ran_free(&r);
}

/* ---- virtual machines ---- */

/* The clock counts each cycle: 50 us at 4 GHz are 200,000. */
static void time_on_a_virtual_machine(void **state)
{
    (void)state;
    ran r = RUN(VIRTUAL, STREAM, "-x,", "-e", "UNC_CLOCK:SOCKET", "--timeout", "50us");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "200000,cycles,skl_unc_clock::UNC_CLOCK:SOCKET,");
    ran_free(&r);
    r = RUN(VIRTUAL, STREAM, "-x,", "-e", "UNC_CLOCK:SOCKET", "--timeout", "50us", "--delay",
            "20us");
    assert_has(r.out, "120000,cycles,skl_unc_clock::UNC_CLOCK:SOCKET,");
    ran_free(&r);
    /* The counts before and after the delay add up to the whole. */
    r = RUN(VIRTUAL, STREAM, "-x,", "-e", "DRAM_DATA_READS", "--timeout", "50us");
    long before = strtol(r.out, NULL, 10);
    ran_free(&r);
    r = RUN(VIRTUAL, STREAM, "-x,", "-e", "DRAM_DATA_READS", "-D", "50us");
    long after = strtol(r.out, NULL, 10);
    ran_free(&r);
    assert_int_equal(before + after, 3 * 1024 * 1024 / 64);
    /* Rows begin after the delay, and are for one interval each. */
    r = RUN(VIRTUAL, STREAM, "-x,", "-e", "UNC_CLOCK:SOCKET", "-D", "20us", "-I", "30us",
            "--interval-count", "2");
    assert_has(r.out, "0.000050000,120000,cycles,");
    assert_has(r.out, "0.000080000,120000,cycles,");
    const char *second = strstr(strstr(r.out, ",cycles,") + 1, ",cycles,");
    assert_null(strstr(second + 1, ",cycles,"));
    ran_free(&r);
    r = RUN(VIRTUAL, STREAM, "-e", "UNC_CLOCK:SOCKET", "-D", "1s");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "    <not measured> cycles ");
    assert_has(r.out, "counting never began: ");
    ran_free(&r);
}

/* After its intervals a program continues uncounted. With --timeout it is ended, as requested. */
static void a_traced_program(void **state)
{
    (void)state;
    shell("$BOXSCORE stat --machine virtual:skl,part=plain -e UNC_CLOCK:SOCKET -x, -I 1us "
          "--interval-count 1 "
          "-o /dev/stdout -- true | grep -c ,cycles,",
          0, "1\n", "");
    shell("$BOXSCORE stat --machine virtual:skl,part=plain -e UNC_CLOCK:SOCKET -x, -I 1us "
          "--interval-count 1 -- "
          "sh -c 'echo all; exit 5'",
          5, "all\n", ",cycles,");
}

/* One of two cores executes half of the work. */
static void cores_of_a_virtual_machine(void **state)
{
    (void)state;
    ran r = RUN(VIRTUAL, "-w", "stream,size=1M,cores=4", "-x,", "-e",
                "INSTR_RETIRED_ANY,UNC_CLOCK:SOCKET", "-C", "1,3", "--per-core");
    assert_has(r.out, "S0,core 1,");
    assert_has(r.out, "S0,core 3,");
    assert_has_not(r.out, "core 0");
    assert_has(r.out, "\n,,"); /* the clock belongs to no core */
    ran_free(&r);
    ran all = RUN(VIRTUAL, "-w", "stream,size=1M,cores=4", "-x,", "-e", "INSTR_RETIRED_ANY", "-a");
    r = RUN(VIRTUAL, "-w", "stream,size=1M,cores=4", "-x,", "-e", "INSTR_RETIRED_ANY", "-C", "0-1");
    assert_int_equal(2 * strtol(r.out, NULL, 10), strtol(all.out, NULL, 10));
    ran_free(&r);
    ran_free(&all);
    r = RUN(VIRTUAL, STREAM, "-C", "4");
    assert_failed(&r, 1, "boxscore: virtual:skl,part=plain has no core 4\n  hint: it has 0 to 3\n");
    r = RUN(VIRTUAL, "-p", "1", "-e", "DRAM_DATA_READS");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "on a virtual machine nothing runs that was not started for it\n");
    ran_free(&r);
    r = RUN(VIRTUAL, STREAM, "--control", "fd:0");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "regions that the program marks are exact");
    ran_free(&r);
}

/* The lines of two packages add up to the whole. */
static void packages(void **state)
{
    (void)state;
    ran r = RUN("stat", "--machine", "virtual:ivbep,part=plain,packages=2", STREAM, "-x,",
                "--per-package", "-e", "ivbep_unc_cbo::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF");
    long first = strtol(strstr(r.out, "S0,,") + 4, NULL, 10);
    long second = strtol(strstr(r.out, "S1,,") + 4, NULL, 10);
    ran_free(&r);
    r = RUN("stat", "--machine", "virtual:ivbep,part=plain,packages=2", STREAM, "-x,", "-e",
            "ivbep_unc_cbo::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF");
    assert_int_equal(first + second, strtol(r.out, NULL, 10));
    ran_free(&r);
}

/* Equal runs stop at the lowest number that gives an interval. Others continue to the allowed
 * number, and a line says so. */
static void repeat_until(void **state)
{
    (void)state;
    ran r = RUN(VIRTUAL, "-w", "random,size=1M,iterations=2000,seed=3", "--repeat-until", "1%",
                "-e", "DRAM_DATA_READS");
    assert_int_equal(r.status, 0);
    assert_has(r.out, " (5 runs):\n");
    assert_has(r.out, "( +-  0.00% )");
    ran_free(&r);
    r = RUN(VIRTUAL, "-w", "random,size=1M,iterations=2000", "--repeat-until", "0.0001", "-r", "7",
            "-e", "DRAM_DATA_READS");
    assert_has(r.out, " (7 runs):\n");
    assert_has(r.out, "\n after 7 runs the interval of skl_unc_imc::DRAM_DATA_READS is still +- ");
    ran_free(&r);
}

/* ---- this machine ---- */

/* A shell counts itself while it works, as a process and by its first thread. */
static void a_process(void **state)
{
    (void)state;
    need_perf_event();
    static const char *const options[] = {"-p", "-t"};
    for (size_t i = 0; i < 2; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' & p=$!\n"
                 "$BOXSCORE stat %s $p -x, -e task-clock -o /dev/stdout | cut -d, -f1\n"
                 "kill -0 $p 2>/dev/null && echo alive",
                 options[i]);
        ran r = run_shell(script);
        assert_true(strtol(r.out, NULL, 10) > 10000000); /* ns: some 100 ms */
        assert_has_not(r.out, "alive");
        ran_free(&r);
    }
    /* A program determines how long to count; the process continues. */
    shell("sleep 60 & p=$!; $BOXSCORE stat -p $p --per-thread -e task-clock -- sh -c 'exit 3'\n"
          "echo $?; kill $p && echo alive",
          0, "3\nalive\n", "sleep-");
    shell("$BOXSCORE stat -p 999999999 -e task-clock", 1, "",
          "boxscore: there is no process 999999999\n");
    shell("$BOXSCORE stat -p 1x -e task-clock", 1, "",
          "boxscore: '1x' is no number of a process\n");
}

static void the_whole_machine(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN("stat", "-a", "-x,", "-e", "context-switches", "--timeout", "50");
    assert_int_equal(r.status, 0);
    if (strstr(r.out, "<blocked>")) /* for privileged users */
        skip();
    assert_has(r.out, ",switches,context-switches,");
    ran_free(&r);
    r = RUN("stat", "-C", "0", "-A", "-x,", "-e", "cpu-clock", "--", "sleep", "0.05");
    assert_int_equal(r.status, 0);
    assert_has(r.err, "S0,CPU 0,");
    assert_has_not(r.err, "CPU 1");
    ran_free(&r);
    r = RUN("stat", "-C", "0", "--per-core", "-x,", "-e", "cpu-clock", "--", "true");
    assert_has(r.err, "S0,core 0,");
    ran_free(&r);
    r = RUN("stat", "-C", "65000", "-e", "cpu-clock", "--", "true");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: CPU 65000 is not online\n");
    ran_free(&r);
    /* a signal ends it, and the counts so far are shown */
    shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/c $d/a; exec 3<>$d/c 4<>$d/a\n"
          "$BOXSCORE stat -a --control fd:3,4 -e cpu-clock & p=$!; echo ping >&3\n"
          "read -r began <&4; kill -TERM $p; wait $p; echo $?",
          0, "143\n", "");
}

/* On stage a sanitizer is not the first library of the command. */
#define ON_STAGE                                                                                   \
    "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0; "                                \
    "$BOXSCORE stage --machine virtual:skl,part=plain --workload stream,size=1M,cores=4 -- "

/* Registers of a stage: -C chooses among the cores, and units outside the cores are counted in
 * full. */
static void cores_by_registers(void **state)
{
    (void)state;
    if (access("/dev/fuse", R_OK | W_OK) != 0 || geteuid() != 0)
        skip();
    ran staged = run_shell(ON_STAGE "true");
    bool in_chroot = strstr(staged.err, "/ is no mount point");
    ran_free(&staged);
    if (in_chroot)
        skip();
    shell(ON_STAGE "$BOXSCORE stat --machine host --driver registers -C 1,3 --per-core -x, -e "
                   "INSTR_RETIRED_ANY,UNC_CLOCK:SOCKET -- sleep 0.1 2>&1 | cut -d, -f1-2",
          0, "S0,core 1\nS0,core 3\n,\n", "");
    shell(ON_STAGE "sh -c '$BOXSCORE stat --machine host --driver registers -p $$ -e "
                   "INSTR_RETIRED_ANY,UNC_CLOCK:SOCKET -- sleep 0.1'",
          0, "",
          "\n counts outside the cores are for the whole machine, not for the program alone\n"
          " counts of cores are of all that ran there: registers follow no process\n");
}

/* A program that is ended with SIGTERM, and handles it, has its own exit status. It is ended once
 * it says that it does: --control ends it as --timeout does. */
static void its_own_end(void **state)
{
    (void)state;
    need_perf_event();
    shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/c $d/ready; exec 3<>$d/c\n"
          "$BOXSCORE stat --control fd:3 -e task-clock -- "
          "sh -c \"trap 'exit 9' TERM; echo >$d/ready; while :; do sleep 0.05; done\" & p=$!\n"
          "read -r ready <$d/ready; echo stop >&3; wait $p",
          9, "", " task-clock");
}

static void until_a_time(void **state)
{
    (void)state;
    need_perf_event();
    shell("$BOXSCORE stat --timeout 100 -e task-clock -- sleep 60", 0, "", " task-clock");
    shell("$BOXSCORE stat -D 60s -e task-clock -- true", 0, "", "<not measured> ns task-clock");
}

/* Another program controls when to count: 200 ms of a second. */
static void control(void **state)
{
    (void)state;
    need_perf_event();
    shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/c $d/a; exec 3<>$d/c 4<>$d/a\n"
          "$BOXSCORE stat -D -1 --control fd:3,4 -e cpu-clock -x, -o $d/out -- sleep 60 & p=$!\n"
          "echo ping >&3; read -r a <&4; echo enable >&3; read -r b <&4; sleep 0.2\n"
          "echo disable >&3; read -r c <&4; echo nonsense >&3; echo stop >&3; read -r d2 <&4\n"
          "wait $p; echo $a $b $c $d2; cut -d, -f3 $d/out",
          0, "ack ack ack ack\ncpu-clock\n", "control does not know 'nonsense'");
    /* a writer without an end */
    shell("$BOXSCORE stat --control fd:3 -e cpu-clock -x, -- echo ran 3</dev/zero", 0, "ran\n",
          "cpu-clock");
    shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/c; exec 3<>$d/c; echo stop >&3\n"
          "$BOXSCORE stat --control fifo:$d/c -e cpu-clock -- sleep 60",
          0, "", " cpu-clock");
    static const struct {
        const char *control, *says;
    } bad[] = {
        {"fd:99", "control: '99' is no descriptor that is open for this"},
        {"fd:x", "control: 'x' is no descriptor"},
        {"fifo:/etc/passwd", "control: '/etc/passwd' cannot be opened: it is not a FIFO"},
        {"fifo:/tmp", "control: '/tmp' cannot be opened: it is not a FIFO"},
        {"fifo:/dev/null", "control: '/dev/null' cannot be opened: it is not a FIFO"},
        {"fifo:/no/such", "control: '/no/such' cannot be opened: No such file"},
        {"tty", "control cannot be 'tty'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ran r = RUN("stat", "--control", bad[i].control, "-e", "cpu-clock", "--", "true");
        assert_int_equal(r.status, 1);
        assert_has(r.err, bad[i].says);
        ran_free(&r);
    }
}

/* Events that this machine cannot count are reported, the others are counted, and the exit status
 * is the program's. */
static void not_supported(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN("stat", "--machine", "host", "-x,", "-e", "page-faults,cycles,r1a8", "--", "sh",
                "-c", "exit 7");
    assert_int_equal(r.status, 7);
    assert_has(r.err, ",faults,page-faults,");
    if (strstr(r.err, "<not supported>,cycles,cycles"))
        assert_has(r.err, "not supported: this machine cannot count 'cycles'");
    ran_free(&r);
}

static void append(void **state)
{
    (void)state;
    /* Standard output is a file that was removed: no new file is created in the folder. */
    shell(
        "d=$(mktemp -d); trap 'rm -rf $d' EXIT; exec 7>$d/f; rm $d/f; ln -s /proc/self/fd/7 $d/l\n"
        "$BOXSCORE stat --machine virtual:skl,part=plain -x, -w chase,size=64K -e UNC_CLOCK:SOCKET "
        "-o $d/l\n"
        "test -L $d/l && grep -c cycles /proc/self/fd/7",
        0, "1\n", "");
    shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; export S='stat --machine virtual:skl,part=plain "
          "-x, -w "
          "chase,size=64K -e UNC_CLOCK:SOCKET --append -o'\n"
          "$BOXSCORE $S $d/f; $BOXSCORE $S $d/f; grep -c cycles $d/f\n"
          "$BOXSCORE stat --machine virtual:skl,part=plain -w nonsense --append -o $d/g; ls $d",
          0, "2\nf\n", "");
    ran r = RUN(VIRTUAL, STREAM, "--append");
    assert_failed(&r, 2, "boxscore: --append adds to a file\n  hint: -o FILE\n");
}

static void mistakes(void **state)
{
    (void)state;
    static const char *const cases[][6] = {
        {"--interval-count", "2"},
        {"--delay", "-1"},
        {"-p", "1", "-t", "1"},
        {"-p", "1", "-a"},
        {"-a", "-C", "0"},
        {"--per-unit", "--per-package"},
        {"--per-thread"},
        {"-G", "a", "--for-each-cgroup", "b"},
        {"--for-each-cgroup", "a,b", "--per-core"},
        {"--for-each-cgroup", "a,b", "-p", "1"},
        {"--repeat-until", "0"},
        {"--repeat-until", "200%"},
        {"--repeat-until", "few"},
        {"--repeat-until", "1%", "-I", "10us"},
        {"--delay", "1", "--regions"},
        {"--timeout", "1", "--log-registers", "/tmp/never-made"},
        {"-p", "1", "-w", "stream"},
        {"--top", "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arguments[12] = {"stat"};
        size_t n = 1;
        for (size_t k = 0; k < 6 && cases[i][k]; k++)
            arguments[n++] = cases[i][k];
        arguments[n++] = "--";
        arguments[n] = "true";
        ran r = run(NULL, arguments);
        if (r.status != 2 || r.out[0] || !strstr(r.err, "  hint: "))
            fail_msg("%s %s: %d '%s'", cases[i][0], cases[i][1], r.status, r.err);
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_on_a_virtual_machine),
        cmocka_unit_test(a_traced_program),
        cmocka_unit_test(cores_of_a_virtual_machine),
        cmocka_unit_test(packages),
        cmocka_unit_test(repeat_until),
        cmocka_unit_test(a_process),
        cmocka_unit_test(the_whole_machine),
        cmocka_unit_test(cores_by_registers),
        cmocka_unit_test(its_own_end),
        cmocka_unit_test(until_a_time),
        cmocka_unit_test(control),
        cmocka_unit_test(not_supported),
        cmocka_unit_test(append),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
