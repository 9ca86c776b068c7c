/* `boxscore stat` on this machine through its kernel: events that every Linux machine has, compared
 * with perf, and messages for events that cannot be counted. */
#include "../cmocked.h"

#include "host/perf/perf_calls.h"
#include "host/pmus.h"
#include "cli/run.h"

#include "base/nearest.h"

#include "event/hint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST "stat", "--machine", "host"

/* The test is skipped if a container forbids the call. */
static void need_perf_event(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr};
    int fd = bx_perf_calls_real.open(NULL, &attr, 0, -1, -1);
    if (fd < 0) {
        print_message("perf_event_open: %s\n", strerror(-fd));
        skip();
    }
    bx_perf_calls_real.close(NULL, fd);
}

/* Runs a shell script and returns the number that it prints. */
static double number(const char *script)
{
    ran r = run_shell(script);
    char *end;
    double value = strtod(r.out, &end);
    if (end == r.out)
        fail_msg("%s: '%s'", script, r.out);
    ran_free(&r);
    return value;
}

#define OURS(event, program)                                                                       \
    "$BOXSCORE stat --machine host -x, -e " event " -o /dev/stdout -- " program                    \
    " | grep perf_event | cut -d, -f1"

#define PERFS(event, program)                                                                      \
    "perf stat -x, -e " event " -o /dev/stdout -- " program " | grep , | cut -d, -f1"

#define TOUCH "dd if=/dev/zero of=/dev/null bs=8M count=1 status=none"
#define SPIN  "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'"

static bool has_perf(void)
{
    return number("command -v perf >/dev/null && perf stat true 2>/dev/null && echo 1 || echo 0") >
           0;
}

static void near(double a, double b, double share)
{
    double most = a > b ? a : b, least = a > b ? b : a;
    if (most - least > most * share)
        fail_msg("%f is not %f", a, b);
}

/* Touches a buffer of 8 MiB: one page fault for each page, except a few pages that were there
 * before. */
static void page_faults(void **state)
{
    (void)state;
    need_perf_event();
    double one = number(OURS("page-faults", TOUCH));
    near(one, number(OURS("page-faults", TOUCH)), 0.05);
    near(one, number(OURS("minor-faults", TOUCH)), 0.05);
    if (has_perf())
        near(one, number(PERFS("page-faults", TOUCH)), 0.05);
    /* page faults of children count, too; ":" prevents that the shell replaces itself by the last
     * command */
    double four = number(OURS("page-faults", "sh -c '" TOUCH ";" TOUCH ";" TOUCH ";" TOUCH "; :'"));
    assert_true(four > 3 * one);
}

/* On a virtual machine they are the model's. dd's buffer has 1,024 more pages, and each is a first
 * touch; a shell on one core gives way to each of its children, and goes on after it. */
static void of_a_model(void **state)
{
    (void)state;
#define MODELS(event, program)                                                                     \
    "$BOXSCORE stat --machine virtual:skl,part=plain --threads 0 -x, -e " event                    \
    " -o /dev/stdout -- " program " | cut -d, -f1"
    double less =
        number(MODELS("page-faults", "dd if=/dev/zero of=/dev/null bs=4M count=1 status=none"));
    double more = number(MODELS("faults", TOUCH));
    assert_true(less > 1024 && more - less == 1024);
    assert_true(number(MODELS("cs", "sh -c '/bin/true; /bin/true; :'")) == 4);
    ran r =
        run_shell("$BOXSCORE stat --machine virtual:skl,part=plain -x, -w stream,size=1M "
                  "-e task-clock,cpu-clock,duration_time,page-faults,page-faults:u,major-faults,"
                  "stalled-cycles-backend,cycles,LLC-loads,r412e,cpu/r3c,name=mine/");
    assert_string_equal(r.err, "");
    /* one core works all the time: its time is the machine's */
    char *cpu, *time;
    double task = strtod(r.out, NULL);
    assert_non_null(cpu = strstr(r.out, "task-clock"));
    assert_non_null(time = strstr(r.out, "cpu-clock"));
    assert_true(task > 0 && strtod(strchr(cpu, '\n'), NULL) == task &&
                strtod(strchr(time, '\n'), NULL) == task);
    assert_has(r.out, ",ns,cpu-clock,");
    assert_has(r.out, ",ns,duration_time,");
    assert_has(r.out, "<not modelled>,faults,page-faults,");
    assert_has(r.out, "<not modelled>,faults,page-faults:u,");
    assert_has(r.out, "<not modelled>,faults,major-faults,");
    assert_has(r.out, "<not supported>,cycles,stalled-cycles-backend,");
    assert_has(r.out, ",cycles,cycles,");
    assert_has(r.out, "<not modelled>,requests,LLC-loads,");
    assert_has(r.out, "\n49152,requests,r412e,");
    assert_has(r.out, ",cycles,mine,");
    ran_free(&r);
#undef MODELS
}

static void clocks(void **state)
{
    (void)state;
    need_perf_event();
    double little = number(OURS("cpu-clock", "true")), much = number(OURS("cpu-clock", SPIN));
    assert_true(much > 5 * little);
    near(much, number(OURS("task-clock", SPIN)), 0.7);
    if (has_perf()) /* perf prints ms */
        near(much, 1e6 * number(PERFS("cpu-clock", SPIN)), 0.7);
    if (access("/sys/bus/event_source/devices/msr/events/tsc", R_OK) == 0) {
        double ticks = number(OURS("msr/tsc/", SPIN)) / much;
        assert_true(ticks > 0.3 && ticks < 10); /* per ns */
    }
}

enum { FAULTS, MINOR, MAJOR, SWITCHES, CPU, TASK, COUNTS };

/* perf and boxscore count the same run: perf starts boxscore, which starts the program. */
static void same_run(const char *program, double *ours, double *perfs)
{
    char script[1024];
    snprintf(
        script, sizeof script,
        "F=$(mktemp); E=page-faults,minor-faults,major-faults,context-switches,cpu-clock,"
        "task-clock\n"
        "perf stat -x, -e $E -o $F.perf -- $BOXSCORE stat --machine host --driver perf -x, \\\n"
        "  -e '{page-faults,minor-faults,major-faults,context-switches},{cpu-clock,task-clock}' "
        "\\\n"
        "  -o $F -- %s\n"
        "cat $F $F.perf | grep -v '^#' | grep , | cut -d, -f1; rm -f $F $F.perf",
        program);
    ran r = run_shell(script);
    char *at = r.out;
    for (unsigned i = 0; i < 2 * COUNTS; i++) {
        char *end;
        (i < COUNTS ? ours : perfs)[i % COUNTS] = strtod(at, &end);
        if (end == at)
            fail_msg("%s: '%s', %s", script, r.out, r.err);
        at = end;
    }
    perfs[CPU] *= 1e6; /* perf prints ms */
    perfs[TASK] *= 1e6;
    ran_free(&r);
}

/* perf also counts boxscore itself, which adds the same to every program, except for a few pages in
 * the page cache. */
static void beside_perf(void **state)
{
    (void)state;
    need_perf_event();
    if (!has_perf()) {
        print_message("perf is not there, or cannot count\n");
        skip();
    }
    enum { PAGES = (32 << 20) / 4096, FEW = 32 };
    double little[COUNTS], much[COUNTS], perf_little[COUNTS], perf_much[COUNTS];
    same_run("dd if=/dev/zero of=/dev/null bs=8M count=1 status=none", little, perf_little);
    same_run("dd if=/dev/zero of=/dev/null bs=40M count=1 status=none", much, perf_much);
    double own = perf_little[FAULTS] - little[FAULTS];
    if (own <= 0 || abs((int)(perf_much[FAULTS] - much[FAULTS] - own)) > FEW)
        fail_msg("page-faults %.0f and %.0f, perf %.0f and %.0f", little[FAULTS], much[FAULTS],
                 perf_little[FAULTS], perf_much[FAULTS]);
    assert_true(abs((int)(much[FAULTS] - little[FAULTS]) - PAGES) <= FEW);
    for (unsigned i = 0; i < 2; i++) {
        const double *ours = i ? much : little;
        assert_true(ours[FAULTS] ==
                    ours[MINOR] + ours[MAJOR]); /* all are read at once, so the sum is exact */
    }
    same_run("sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.002; done'", little, perf_little);
    assert_true(little[SWITCHES] >= 10 && little[SWITCHES] <= perf_little[SWITCHES]);
    same_run(SPIN, much, perf_much);
    assert_true(much[CPU] > 5e7 && much[CPU] <= perf_much[CPU] && much[TASK] <= perf_much[TASK]);
    near(much[TASK], perf_much[TASK] - (perf_little[TASK] - little[TASK]), 0.3);
}

static void the_program_s_status(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-e", "cpu-clock", "--", "sh", "-c", "exit 7");
    assert_int_equal(r.status, 7);
    assert_has(r.err, " for 'sh -c exit 7' on host:\n");
    assert_has(r.err, ":\n through perf_event\n\n");
    ran_free(&r);
}

static void a_program_that_is_killed(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-r", "2", "-e", "page-faults", "--", "sh", "-c", "kill -SEGV $$");
    assert_int_equal(r.status, 128 + 11);
    assert_has(r.err, "boxscore: 'sh' was killed by signal 11 (SIGSEGV)\n\n");
    assert_has(r.err, " page-faults");
    ran_free(&r);
    /* a signal that boxscore got, too, is not reported */
    r = run_shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/began\n"
                  "$BOXSCORE stat --machine host -e cpu-clock -- "
                  "sh -c \"echo >$d/began; exec sleep 60\" & p=$!\n"
                  "read -r began <$d/began; kill $p; wait $p; echo $?");
    assert_string_equal(r.out, "143\n");
    assert_has(r.err, " cpu-clock");
    assert_has_not(r.err, "killed");
    ran_free(&r);
}

/* The interpreter of a script, and that of a program. */
static void no_interpreter(void **state)
{
    (void)state;
    need_perf_event();
    ran r =
        run_shell("d=$(mktemp -d); cd $d; printf '#! /no/such/shell -e\\n' >script\n"
                  "LC_ALL=C sed 's#/ld-#/no-#' /bin/true >program\n"
                  "chmod +x script program; for p in script program; do\n"
                  "$BOXSCORE stat --machine host -e cpu-clock -- ./$p; echo $?; done; rm -r $d");
    assert_string_equal(r.out, "1\n1\n");
    assert_has(r.err, "boxscore: './script' cannot be executed: its interpreter '/no/such/shell': "
                      "No such file or directory\n");
    assert_has(r.err, "boxscore: './program' cannot be executed: its interpreter '/lib");
    ran_free(&r);
}

/* Core counters if the CPU has them, else the reason with its span, but never a 0. */
static void hardware(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-x,", "-e", "cpu-clock:u,cycles:u", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, ",cpu-clock:u,");
    if (strstr(r.err, "<not supported>,cycles,cycles:u"))
        assert_has(r.err, "boxscore: not supported: this machine cannot count 'cycles:u'; the CPU "
                          "lacks it, or is a virtual machine's without counters\n");
    else
        assert_has_not(r.err, "\n0,cycles,cycles:u");
    ran_free(&r);
}

static void formats(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-x,", "--per-unit", "-e", "page-faults,context-switches", "--", "true");
    assert_has(r.err, "S0,program,");
    assert_has(r.err, ",faults,page-faults,");
    assert_has(r.err, ",100.00,,,perf_event\n");
    ran_free(&r);
    r = RUN(HOST, "-j", "-e", "page-faults:u", "--", "true");
    assert_has(r.err, "\"unit\" : \"faults\", \"event\" : \"page-faults:u\", ");
    assert_has(r.err, "\"pcnt-running\" : 100.00, \"driver\" : \"perf_event\", \"value\" : ");
    ran_free(&r);
    /* Its reader ends it after two rows. A third is of the time until then: without rows during the
     * run there is one, at the end. */
    r = run_shell("d=$(mktemp -d); trap 'rm -r $d' EXIT; mkfifo $d/c $d/err; exec 3<>$d/c\n"
                  "$BOXSCORE stat --machine host -I 50 --control fd:3 -e task-clock -- "
                  "sleep 60 2>$d/err & p=$!\n"
                  "exec 4<$d/err; n=0\n"
                  "while [ $n -lt 2 ] && IFS= read -r line <&4; do echo \"$line\"\n"
                  "case $line in *' ns task-clock') n=$((n+1)); esac; done\n"
                  "echo stop >&3; cat <&4; wait $p");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "# through perf_event\n#           time ");
    unsigned lines = 0;
    for (const char *at = r.out; (at = strstr(at, " ns task-clock\n")); at++)
        lines++;
    assert_true(lines >= 3);
    ran_free(&r);
    /* printing takes longer than an interval, but the program runs nevertheless */
    r = RUN(HOST, "-I", "1us", "-e", "task-clock", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, " ns task-clock\n");
    assert_has_not(r.err, "<not measured>");
    ran_free(&r);
    r = RUN(HOST, "-r", "3", "-e", "page-faults", "--", "true");
    assert_has(r.err, " on host (3 runs):\n");
    assert_has(r.err, "page-faults  ( +-");
    ran_free(&r);
}

/* The kernel takes the counters from a program that gets other privileges at its execve(), so the
 * value is not its count. */
static void a_program_with_other_rights(void **state)
{
    (void)state;
    need_perf_event();
    if (geteuid() != 0)
        skip(); /* only root can make such a program */
    ran r = run_shell("set -e; D=$(mktemp -d); trap 'rm -rf $D' EXIT; cp $(type -P true) $D/other\n"
                      "\"$BOXSCORE\" stat --machine host -e page-faults -- $D/other\n"
                      "chown 65534 $D/other; chmod u+s $D/other\n"
                      "! \"$BOXSCORE\" stat --machine host -e page-faults -- $D/other");
    assert_int_equal(r.status, 0);
    assert_has(r.err, " faults page-faults\n");
    assert_has(r.err, "boxscore: 'page-faults' cannot be counted: the kernel stops counting a "
                      "program that gets other rights\n");
    ran_free(&r);
}

/* Events that only a kernel has are counted on the host without --machine. Other events and
 * workloads use a virtual machine. */
static void without_a_machine(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN("stat", "-e", "page-faults", "-e", "cpu-clock", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, "'true' on host:\n");
    ran_free(&r);
    r = RUN("stat", "-e", "page-faults", "-w", "stream,size=64K");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "<not modelled> faults page-faults\n");
    ran_free(&r);
}

/* Only the kernel can count on this host. A misspelt event gets the kernel's message, not the
 * virtual machine's. */
static void whose_mistake_it_is(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    pmus_put(&f, "msr", "type", "9");
    pmus_put(&f, "msr", "format/event", "config:0-63");
    pmus_put(&f, "msr", "events/tsc", "event=0");
    static const struct {
        const char *events, *says;
    } cases[] = {
        {"msr/aperf/", "msr has no term or event 'aperf'\n  msr/aperf/\n      ^^^^^\n"},
        {"page-faults:x", "'x' is not a privilege level\n"},
        {"page-fault", "the kernel has no event 'page-fault'\n"},
        {"page-faults,foo", BX_UNKNOWN_EVENT("foo") "\n"},
        {"sched:sched_switch", "the kernel has no event 'sched'\n"},
        {"power/energy-pkg/", "the kernel of this machine has no PMU 'power'\n"},
        {"cstate_core/event=0x3c/", "the kernel of this machine has no PMU 'cstate_core'\n"},
        {"{page-faults,cpu-clock}:X", "these letters after a group are not known\n"},
        {"UNC_CLOCK,msr/tsc/",
         "this machine's kernel counts 'msr/tsc/', but not all of the others\n"
         "  UNC_CLOCK,msr/tsc/\n"
         "            ^^^^^^^^\n"
         "  hint: two measurements: on the machine 'host', and on virtual:skl,part=i7-6700k for "
         "the "
         "others\n"},
        /* the catalogue's message is used for its own names */
        {"UNC_CLOK", BX_UNKNOWN_EVENT("UNC_CLOK") "\n"},
        {"uncore_cbx_0/event=1/", "Linux has no PMU 'uncore_cbx_0'\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = RUN("stat", "--root", f.root, "-e", cases[i].events, "--", "true");
        assert_int_equal(r.status, 1);
        assert_has(r.err, cases[i].says);
        ran_free(&r);
    }
    folder_end(&f);
}

/* A PMU with one unit for each core of a large machine: unit names are determined once. */
static void many_cores(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-511\n");
    pmus_put(&f, "cstate_core", "type", "12");
    pmus_put(&f, "cstate_core", "cpumask", "0-511");
    pmus_put(&f, "cstate_core", "format/event", "config:0-63");
    ran r = RUN(HOST, "--root", f.root, "-e", "cstate_core/event=2/", "--", "true");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "'cstate_core/event=2/' is counted by the kernel of another machine");
    ran_free(&r);
    folder_end(&f);
}

/* A machine that is not in the catalogue, in a folder: its software events are this kernel's. */
static void an_unknown_uncore(void **state)
{
    (void)state;
    need_perf_event();
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    pmus_put(&f, "uncore_imc_0", "type", "20");
    pmus_put(&f, "uncore_imc_0", "cpumask", "0");
    pmus_put(&f, "uncore_imc_0", "format/event", "config:0-7");
    pmus_put(&f, "uncore_imc_0", "events/reads", "event=4");
    pmus_put(&f, "uncore_imc_0", "events/reads.unit", "MiB");
    pmus_put(&f, "uncore_imc_0", "caps/freerunning", "1");
    pmus_put(&f, "uncore_imc_1", "type", "21");
    ran r = RUN(HOST, "--root", f.root, "--all", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, "# this machine's uncore is not in the catalogue; the kernel offers "
                      "uncore_imc_0, uncore_imc_1\n");
    assert_has(r.err, " task-clock");
    assert_has(r.err, " page-faults");
    ran_free(&r);
    r = RUN(HOST, "--root", f.root, "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I", "--", "true");
    assert_failed(&r, 1,
                  "boxscore: this is an event of skl_unc_cbo, and this machine's uncore is not in "
                  "the catalogue\n"
                  "  UNC_CBO_CACHE_LOOKUP:ANY_I\n"
                  "  ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                  "  hint: the kernel offers uncore_imc_0, uncore_imc_1\n");
    r = RUN(HOST, "--root", f.root, "-e", "cpu-clock,uncore_imc_0/reads/", "--", "true");
    assert_int_equal(r.status, 0); /* the others are counted */
    assert_has(r.err, "   <not supported>    uncore_imc_0/reads/\n");
    assert_has(r.err, "\n not supported: 'uncore_imc_0/reads/' is counted by the kernel of another "
                      "machine, not of this one; open the machine without a root folder\n");
    ran_free(&r);
    r = RUN("stat", "--root", f.root, "--helper", "s", "-e", "cpu-clock", "--", "true");
    assert_failed(
        &r, 1,
        "boxscore: the CPU of this machine (AuthenticAMD, family 25, model 0x1) is not in "
        "the catalogue\n"
        "  hint: without the helper, the PMUs that its kernel drives can be counted\n");
    r = RUN("list", "--machine", "host", "--root", f.root);
    assert_int_equal(r.status, 0);
    assert_has(r.out, "# this machine's uncore is not in the catalogue; the kernel offers ");
    assert_has(r.out, "    page-faults ");
    assert_has(r.out, "PMU uncore_imc (perf_event, 2 of them; terms event; freerunning 1)\n");
    assert_has(r.out, "    uncore_imc/reads/ ");
    assert_has(r.out, " event=4, in MiB\n");
    assert_has_not(r.out, "    cycles "); /* it has no core PMU */
    ran_free(&r);
    r = RUN("list", "--machine", "host", "--root", f.root, "-j", "reads");
    assert_has(r.out, "{\"event\":\"uncore_imc/reads/\",\"pmu\":\"uncore_imc_0\",\"cpu\":null,");
    ran_free(&r);
    static const char *const names[] = {"uncore_imc_1", "uncore_imc_?", "uncore_imc_1/reads/",
                                        "*_1/r*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        r = RUN("list", "--machine", "host", "--root", f.root, names[i]);
        assert_int_equal(r.status, 0);
        assert_has(r.out, "    uncore_imc/reads/ ");
        assert_has_not(r.out, "page-faults");
        ran_free(&r);
    }
    r = RUN("list", "--machine", "host", "--root", f.root, "uncore_imc_2");
    assert_int_equal(r.status, 1);
    ran_free(&r);
    folder_end(&f);
}

static void mistakes(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-e", "cpu-clock,page-fault", "--", "true");
    assert_has(r.err, "  cpu-clock,page-fault\n            ^^^^^^^^^^\n"
                      "  hint: " BX_DID_YOU_MEAN_NAME("page-faults") "\n");
    assert_int_equal(r.status, 1);
    ran_free(&r);
    r = RUN("stat", "--driver", "perf", "--machine", "virtual:skl,part=plain", "-e", "cpu-clock",
            "--", "true");
    assert_failed(&r, 2,
                  "boxscore: --driver is the way to a host's counters\n"
                  "  hint: --machine host\n");
    r = RUN("stat", "--helper", "s", "--machine", "virtual:skl,part=plain", "-e", "cpu-clock", "--",
            "true");
    assert_failed(&r, 2,
                  "boxscore: --helper is the way to a host's registers\n"
                  "  hint: --machine host\n");
    r = RUN(HOST, "--helper", "s", "--driver", "perf", "-e", "cpu-clock", "--", "true");
    assert_failed(&r, 2,
                  "boxscore: --helper reaches registers, --driver perf leaves them alone\n"
                  "  hint: give one of them\n");
    r = RUN(HOST, "--driver", "perf", "--log-registers", "/tmp/never-made", "-e", "cpu-clock", "--",
            "true");
    assert_int_equal(r.status, 2);
    ran_free(&r);
    r = RUN(HOST, "--driver", "registers", "-e", "cpu-clock", "--", "true");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_faults),
        cmocka_unit_test(of_a_model),
        cmocka_unit_test(clocks),
        cmocka_unit_test(beside_perf),
        cmocka_unit_test(hardware),
        cmocka_unit_test(the_program_s_status),
        cmocka_unit_test(formats),
        cmocka_unit_test(without_a_machine),
        cmocka_unit_test(whose_mistake_it_is),
        cmocka_unit_test(many_cores),
        cmocka_unit_test(a_program_with_other_rights),
        cmocka_unit_test(an_unknown_uncore),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_interpreter),
        cmocka_unit_test(a_program_that_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
