/* `boxscore stat` on the machine at hand, by its kernel: what any Linux machine counts, beside what
 * perf says of the same, and what is said where something cannot be counted. */
#include "cmocked.h"

#include "access/perf_calls.h"
#include "access/pmus.h"
#include "cli/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST "stat", "--machine", "host"

/* A container may forbid the call: there is nothing to be tested then. */
static void need_perf_event(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr};
    bx_perf_calls calls;
    bx_perf_calls_real(&calls);
    int fd = calls.open(NULL, &attr, 0, -1, -1);
    if (fd < 0) {
        print_message("perf_event_open: %s\n", strerror(-fd));
        skip();
    }
    calls.close(NULL, fd);
}

/* What a shell script prints, as a number. */
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

/* A buffer of 8 MiB is touched: the same faults, but for a few of what was there before. */
static void page_faults(void **state)
{
    (void)state;
    need_perf_event();
    double one = number(OURS("page-faults", TOUCH));
    near(one, number(OURS("page-faults", TOUCH)), 0.05);
    near(one, number(OURS("minor-faults", TOUCH)), 0.05);
    if (has_perf())
        near(one, number(PERFS("page-faults", TOUCH)), 0.05);
    /* those of children too, also where the program does not wait with an exec of its own */
    double four = number(OURS("page-faults", "sh -c '" TOUCH ";" TOUCH ";" TOUCH ";" TOUCH "; :'"));
    assert_true(four > 3 * one);
}

static void clocks(void **state)
{
    (void)state;
    need_perf_event();
    double little = number(OURS("cpu-clock", "true")), much = number(OURS("cpu-clock", SPIN));
    assert_true(much > 5 * little);
    near(much, number(OURS("task-clock", SPIN)), 0.7);
    if (has_perf()) /* in ms, by its own account */
        near(much, 1e6 * number(PERFS("cpu-clock", SPIN)), 0.7);
    if (access("/sys/bus/event_source/devices/msr/events/tsc", R_OK) == 0) {
        double ticks = number(OURS("msr/tsc/", SPIN)) / much;
        assert_true(ticks > 0.3 && ticks < 10); /* a ns */
    }
}

static void the_program_s_status(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-e", "cpu-clock", "--", "sh", "-c", "exit 7");
    assert_int_equal(r.status, 7);
    assert_has(r.err, "\n Performance counter stats for 'sh -c exit 7' on host:\n");
    assert_has(r.err, ":\n through perf_event\n\n");
    ran_free(&r);
}

/* Core counters where the CPU has them, else the reason with its place; never a 0. */
static void hardware(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-x,", "-e", "cpu-clock:u,cycles:u", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, ",cpu-clock:u,");
    if (strstr(r.err, "<blocked>,cycles,cycles:u"))
        assert_has(r.err, "boxscore: this machine cannot count 'cycles:u'\n");
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
    assert_has(r.err, "\"pcnt-running\" : 100.00, \"driver\" : \"perf_event\"}\n");
    ran_free(&r);
    r = RUN(HOST, "-I", "50", "-e", "task-clock", "--", "sleep", "0.12");
    assert_has(r.err, "# through perf_event\n#           time ");
    unsigned lines = 0;
    for (const char *at = r.err; (at = strstr(at, " ns task-clock\n")); at++)
        lines++;
    assert_true(lines >= 2); /* of 0.12 s: a busy machine may be late */
    ran_free(&r);
    r = RUN(HOST, "-r", "3", "-e", "page-faults", "--", "true");
    assert_has(r.err, " on host (3 runs):\n");
    assert_has(r.err, "page-faults  ( +-");
    ran_free(&r);
}

/* Events that only a kernel has are counted there, though no machine was named; others, and
 * workloads, are a virtual machine's as ever. */
static void without_a_machine(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN("stat", "-e", "page-faults", "-e", "cpu-clock", "--", "true");
    assert_int_equal(r.status, 0);
    assert_has(r.err, "'true' on host:\n");
    ran_free(&r);
    r = RUN("stat", "-e", "page-faults", "-w", "stream,size=64K");
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

/* A machine that nobody has described, in a folder: its software events are this kernel's. */
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
    ran r = RUN(HOST, "--root", f.root, "--", "true");
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
    assert_failed(&r, 1,
                  "boxscore: 'uncore_imc_0/reads/' is counted by the kernel of another machine "
                  "than this one\n"
                  "  cpu-clock,uncore_imc_0/reads/\n"
                  "            ^^^^^^^^^^^^^^^^^^^\n"
                  "  hint: leave out --root\n");
    r = RUN("list", "--machine", "host", "--root", f.root);
    assert_int_equal(r.status, 0);
    assert_has(r.out, "# this machine's uncore is not in the catalogue; the kernel offers ");
    assert_has(r.out, "    page-faults ");
    assert_has(r.out, "PMU uncore_imc (perf_event, 2 of them; terms event; freerunning 1)\n");
    assert_has(r.out, "    uncore_imc/reads/ ");
    assert_has(r.out, " event=4, in MiB\n");
    assert_has_not(r.out, "    cycles "); /* it has no PMU of the cores */
    ran_free(&r);
    r = RUN("list", "--machine", "host", "--root", f.root, "-j", "reads");
    assert_has(r.out, "[{\"event\":\"uncore_imc/reads/\",\"pmu\":\"uncore_imc_0\",\"cpu\":null,");
    ran_free(&r);
    folder_end(&f);
}

static void mistakes(void **state)
{
    (void)state;
    need_perf_event();
    ran r = RUN(HOST, "-e", "cpu-clock,page-fault", "--", "true");
    assert_has(r.err, "  cpu-clock,page-fault\n            ^^^^^^^^^^\n"
                      "  hint: did you mean 'page-faults'?\n");
    assert_int_equal(r.status, 1);
    ran_free(&r);
    r = RUN("stat", "--driver", "perf", "--machine", "virtual:skl", "-e", "cpu-clock", "--",
            "true");
    assert_failed(&r, 2,
                  "boxscore: --driver is the way to a host's counters\n"
                  "  hint: --machine host\n");
    r = RUN(HOST, "--driver", "perf", "--record", "/tmp/never-made", "-e", "cpu-clock", "--",
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
        cmocka_unit_test(page_faults),       cmocka_unit_test(clocks),
        cmocka_unit_test(hardware),          cmocka_unit_test(the_program_s_status),
        cmocka_unit_test(formats),           cmocka_unit_test(without_a_machine),
        cmocka_unit_test(an_unknown_uncore), cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
