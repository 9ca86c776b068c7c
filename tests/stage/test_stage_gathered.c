/* A gathered machine on stage: perf, unmodified, counts on PMUs that nothing models. Signals of the
 * dialogue drive the counts, so each expected value is a product that is worked out by hand. The
 * machines are two_packages.machine (CPUs 0 and 1, 2 and 3) and that of a hybrid CPU. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <string.h>

#define SPR    "tests/stage/two_packages.machine"
#define HYBRID "tests/perfmon/adl.machine"

/* Columns of perf stat's lines, while lines are written to the dialogue. */
static void columns_on(const char *machine, const char *arguments, const char *lines,
                       const char *columns, const char *out)
{
    need_mount_namespace();
    need_program("perf");
    char script[2048];
    snprintf(script, sizeof script,
             "cd $SOURCE_ROOT && timeout 100 $B stage --root %s --pace 0 -- \\\n"
             "  perf stat -x, %s sh -c 'printf \"%s\" >/dev/boxscore/dialogue' 2>&1 |\n"
             "  grep -v '^boxscore: ' | cut -d, -f%s",
             machine, arguments, lines, columns);
    ran r = play(script);
    if (strcmp(r.out, out) != 0)
        fail_msg("%s\n%s\nperf\n%sexpected\n%s%s", arguments, lines, r.out, out, r.err);
    ran_free(&r);
}

/* The counts of its events, one a line. */
static void counts_on(const char *machine, const char *arguments, const char *lines,
                      const char *out)
{
    columns_on(machine, arguments, lines, "1", out);
}

static void levels_add_up(void **state)
{
    (void)state;
    const char *one = "-a -e uncore_cha_0/event=0x35,umask=0x1/,uncore_cha_1/event=0x35,umask=0x1/";
    counts_on(SPR, one, "signal uncore_cha_0/event=0x35,umask=0x1/ 3 100\\n", "600\n0\n");
    /* of each package */
    counts_on(SPR, one, "signal uncore_cha/event=0x35,umask=0x1/ 3 100 package=1\\n", "300\n300\n");
    columns_on(SPR, "-a --per-socket -e uncore_cha_0/event=0x35,umask=0x1/",
               "signal uncore_cha_0/event=0x35,umask=0x1/ 3 100 package=1\\n"
               "signal uncore_cha_0/event=0x35,umask=0x1/ 1 7\\n",
               "1,3", "S0,7\nS1,307\n");
    /* another unit mask, also one of the bits above 31, is another event */
    counts_on(SPR, one,
              "signal uncore_cha_0/event=0x35,umask=0x2/ 3 100\\n"
              "signal uncore_cha_0/event=0x35,umask=0x10001/ 5 100\\n",
              "0\n0\n");
    counts_on(SPR, "-a -e uncore_cha_0/event=0x35,umask=0x78CC6FFE01/",
              "signal uncore_cha_0/event=0x35,umask=0x78CC6FFE01/ 2 21\\n", "84\n");
}

static void filters_must_match(void **state)
{
    (void)state;
    counts_on(SPR, "-a -e uncore_cha_0/event=0x35,umask=1,tid_en=1,filter_tid=5/",
              "signal uncore_cha_0/event=0x35,umask=1/ 1 10\\n"
              "signal uncore_cha_0/event=0x35,umask=1,tid_en=1,filter_tid=4/ 1 100\\n"
              "signal uncore_cha_0/event=0x35,umask=1,tid_en=1,filter_tid=5/ 1 1000\\n",
              "2000\n");
}

/* Values of the manual's rules: cycles at a threshold, below it, and rises to it. */
static void thresholds_count_cycles(void **state)
{
    (void)state;
    const char *lines = "signal uncore_cha_0/event=0x35,umask=1/ 2 10\\n"
                        "signal uncore_cha_0/event=0x35,umask=1/ 3 100\\n"
                        "signal uncore_cha_0/event=0x35,umask=1/ 4 100\\n"
                        "cycles 1000\\n"
                        "signal uncore_cha_0/event=0x35,umask=1/ 9 1\\n";
    counts_on(SPR, "-a -C 0 -e uncore_cha_0/event=0x35,umask=1,thresh=3/", lines, "201\n");
    counts_on(SPR, "-a -C 0 -e uncore_cha_0/event=0x35,umask=1,thresh=3,inv=1/", lines, "1010\n");
    counts_on(SPR, "-a -C 0 -e uncore_cha_0/event=0x35,umask=1,thresh=3,edge=1/", lines, "2\n");
    counts_on(SPR, "-a -C 0 -e uncore_cha_0/event=0x35,umask=1,edge=1/", lines, "2\n");
}

static void cores_and_generic_events(void **state)
{
    (void)state;
    columns_on(SPR, "-a -A -e cycles",
               "signal cpu/cpu-cycles/ 1 500 cpu=2\\nsignal cpu/event=0x3c/ 1 7 cpu=3\\n", "1,2",
               "CPU0,0\nCPU1,0\nCPU2,500\nCPU3,7\n");
    counts_on(SPR, "-a -e instructions,cpu/event=0xc0/u,cpu/event=0xc0/k",
              "signal cpu/event=0xc0/ 2 100 cpu=0\\nsignal cpu/event=0xc0/u 1 9 cpu=1\\n",
              "209\n209\n200\n");
    counts_on(SPR, "-C 2 -e cycles", "signal cpu/cpu-cycles/ 1 500 cpu=2\\n", "500\n");
}

/* The kernel's named event, with its scale: 16384 lines of 64 bytes are one MiB. */
static void scaled(void **state)
{
    (void)state;
    counts_on(SPR, "-a -e uncore_imc_0/cas_count_read/",
              "signal uncore_imc_0/cas_count_read/ 1 32768 package=0\\n", "2.00\n");
}

static void core_types_of_a_hybrid(void **state)
{
    (void)state;
    counts_on(HYBRID, "-C 0 -e cpu_core/event=0x3c/", "signal cpu_core/event=0x3c/ 4 25\\n",
              "100\n");
    counts_on(HYBRID, "-C 16 -e cpu_atom/event=0x3c/",
              "signal cpu_core/event=0x3c/ 4 25\\nsignal cpu_atom/event=0x3c/ 1 8\\n", "8\n");
}

/* An event of Intel's files, by its name: on all units of both packages. */
static void imported_names(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r = play("cd $SOURCE_ROOT; export XDG_DATA_HOME=$D/data\n"
                 "$B import perfmon tests/perfmon/copy --cpu spr >/dev/null\n"
                 "timeout 100 $B stage --root " SPR " --pace 0 -- perf stat -x, -a \\\n"
                 "  -e uncore_cha/event=0x35,umask=0xC816FE00/ --no-merge sh -c 'echo signal \\\n"
                 "  UNC_CHA_TOR_INSERTS.ONLY_EXT 2 50 >/dev/boxscore/dialogue' 2>&1 | cut -d, -f1\n"
                 "rm -r $D/data");
    assert_string_equal(r.out, "200\n200\n");
    ran_free(&r);
}

/* As Linux refuses them: a group over PMUs. The work of a task on stage is not the machine's. */
static void refusals(void **state)
{
    (void)state;
    counts_on(SPR, "-e cpu/event=0xc0/", "cycles 1\\n", "<not supported>\n");
    counts_on(SPR, "-a -e '{uncore_cha_0/event=0x35/,uncore_cha_1/event=0x35/}'",
              "signal uncore_cha_0/event=0x35/ 1 10\\n", "<not counted>\n<not supported>\n");
}

static void bad_lines(void **state)
{
    (void)state;
    need_mount_namespace();
    static const char *const lines[][2] = {
        {"signal uncore_cha_9/event=1/ 1 1", "no PMU"},
        {"signal uncore_cha_0/colour=1/ 1 1", "colour"},
        {"signal uncore_cha_0/event=1/ 1", "'signal' takes other words"},
        {"signal uncore_cha_0/event=1/ x 1", "'x'"},
        {"signal uncore_cha_0/event=1/ 1 1 package=2", "2"},
        {"signal uncore_cha_0/event=1/ 1 1 socket=1", "a signal has no 'socket=1'"},
        {"signal page-faults 1 1", "the host's kernel does"},
        {"rdmsr 0 0x38f", "no registers and no model: no 'rdmsr'"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "cd $SOURCE_ROOT && timeout 100 $B stage --root " SPR " --pace 0 -- sh -c '\n"
                 "  echo \"%s\" >/dev/boxscore/dialogue; cat /dev/boxscore/dialogue'",
                 lines[i][0]);
        ran r = play(script);
        assert_has(r.out, lines[i][1]);
        ran_free(&r);
    }
}

static void files(void **state)
{
    (void)state;
    need_mount_namespace();
    expect(
        "cd $SOURCE_ROOT && timeout 100 $B stage --root " SPR " -- sh -c '\n"
        "  grep -c ^processor /proc/cpuinfo; grep \"physical id\" /proc/cpuinfo | tail -1\n"
        "  ls -x /sys/bus/event_source/devices; cat /sys/devices/system/cpu/online\n"
        "  cat /sys/bus/event_source/devices/uncore_cha_0/format/umask\n"
        "  echo $PERF_CPUID; ls /dev/cpu /sys/bus/pci/devices; test -e /dev/mem || echo none'",
        "4\nphysical id\t: 1\n"
        "breakpoint  cpu  software  tracepoint  uncore_cha_0  uncore_cha_1  uncore_imc_0\n"
        "0-3\nconfig:8-15,32-63\nGenuineIntel-6-8F-8\n/dev/cpu:\n\n/sys/bus/pci/devices:\nnone\n");
}

/* boxscore itself on these PMUs: sums of a die and of a node. Two dies, 0 and 1, in each package,
 * with a CPU each; a node per package. */
static void dies_and_nodes(void **state)
{
    (void)state;
    need_mount_namespace();
    ran r = play(
        "cd $SOURCE_ROOT\n"
        "{ cat " SPR "; for c in 0 1 2 3; do\n"
        "  printf \"> /sys/devices/system/cpu/cpu$c/topology/die_id\\n|$((c % 2))\\n\"; done\n"
        "} >$D.machine\n"
        "for by in die node; do\n"
        "  timeout 100 $B stage --root $D.machine --pace 0 -- $B stat -a -x, --per-$by \\\n"
        "    -e cpu/event=0x3c/,uncore_cha_0/event=1/ -- sh -c '{\n"
        "      echo signal cpu/event=0x3c/ 1 500 cpu=1; echo signal cpu/event=0x3c/ 1 7 cpu=3\n"
        "      echo signal uncore_cha_0/event=1/ 2 50 package=1; } >/dev/boxscore/dialogue' 2>&1 "
        "|\n"
        "    cut -d, -f1-3,5\n"
        "done; rm $D.machine");
    assert_string_equal(r.out, "S0,die 0,0,cpu/event=0x3c/\nS0,die 1,500,cpu/event=0x3c/\n"
                               "S1,die 0,0,cpu/event=0x3c/\nS1,die 1,7,cpu/event=0x3c/\n"
                               "S0,die 0,0,uncore_cha_0/event=1/\n"
                               "S1,die 0,100,uncore_cha_0/event=1/\n"
                               "S0,node 0,500,cpu/event=0x3c/\nS1,node 1,7,cpu/event=0x3c/\n"
                               "S0,node 0,0,uncore_cha_0/event=1/\n"
                               "S1,node 1,100,uncore_cha_0/event=1/\n");
    ran_free(&r);
}

/* The PMUs of this machine itself, whose files the stage's own cover. */
static void this_machine(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r = play("test -e /sys/bus/event_source/devices/msr/events/tsc || exit 77\n"
                 "n=$(grep -c ^processor /proc/cpuinfo)\n"
                 "timeout 100 $B stage --root / --pace 0 -- perf stat -x, -a -e msr/tsc/ sh -c \\\n"
                 "  'echo signal msr/tsc/ 3 100 >/dev/boxscore/dialogue' 2>&1 | cut -d, -f1 |\n"
                 "  sed s/^$((n * 300))$/all/");
    if (r.status != 77)
        assert_string_equal(r.out, "all\n");
    ran_free(&r);
}

/* A 0 that nobody drove is named. */
static void tells_what_no_signal_reached(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r = play("cd $SOURCE_ROOT && timeout 100 $B stage --root " SPR " --pace 0 -- \\\n"
                 "  perf stat -x, -a -e uncore_imc_0/event=7/ true 2>&1");
    assert_has(r.out, "no signal has reached uncore_imc_0/config=0x7/");
    ran_free(&r);
}

static void options(void **state)
{
    (void)state;
    ran r = play("cd $SOURCE_ROOT && $B stage --root " SPR " --workload stream -- true");
    assert_int_equal(r.status, 2);
    assert_has(r.err, "a gathered machine is for perf alone");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_add_up),
        cmocka_unit_test(filters_must_match),
        cmocka_unit_test(thresholds_count_cycles),
        cmocka_unit_test(cores_and_generic_events),
        cmocka_unit_test(scaled),
        cmocka_unit_test(core_types_of_a_hybrid),
        cmocka_unit_test(imported_names),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bad_lines),
        cmocka_unit_test(files),
        cmocka_unit_test(dies_and_nodes),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(tells_what_no_signal_reached),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
