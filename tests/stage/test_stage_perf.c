/* perf on stage: Debian's perf, unmodified, and perf_event_open() by perf_event_open(2). With
 * --pace 0 counts equal those of the same registers in a register dialogue. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK "echo run stream,size=1M >/dev/boxscore/dialogue"

/* The values that a dialogue reads, in decimal, one a line. */
static ran truth(const char *machine, const char *dialogue)
{
    char script[2048];
    snprintf(
        script, sizeof script,
        "printf '%s' >$D.d; for n in $($B vpmu --machine %s $D.d); do printf '%%d\\n' $n; done; "
        "rm -f $D.d",
        dialogue, machine);
    ran r = play(script);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.err, "");
    return r;
}

/* Asserts that perf stat's counts of the work equal those of the dialogue, in their order. */
static void counts_are(const char *machine, const char *arguments, const char *dialogue)
{
    need_mount_namespace();
    need_program("perf");
    char script[2048];
    snprintf(script, sizeof script,
             "timeout 100 $B stage --machine %s --pace 0 -- \\\n"
             "  perf stat -x, -a %s sh -c '" WORK "' 2>&1 | cut -d, -f1",
             machine, arguments);
    ran is = truth(machine, dialogue);
    ran r = play(script);
    if (strcmp(r.out, is.out) != 0)
        fail_msg("%s\nperf\n%sthe registers\n%s", arguments, r.out, is.out);
    assert_non_null(strpbrk(is.out, "123456789"));
    ran_free(&is);
    ran_free(&r);
}

/* ---- counts ---- */

static void on_a_client(void **state)
{
    (void)state;
    counts_are("virtual:skl,part=plain",
               "-e uncore_cbox_0/event=0x34,umask=0x8f/,uncore_cbox_3/event=0x34,umask=0x88/",
               "wrmsr 0 0x700 0x408f34\\nwrmsr 0 0x730 0x408834\\nwrmsr 0 0xe01 0x20000000\\n"
               "run stream,size=1M\\nrdmsr 0 0x706\\nrdmsr 0 0x736\\n");
    counts_are("virtual:skl,part=plain",
               "-e uncore_arb/event=0x81,umask=0x1/ -e uncore_cbox_0/clockticks/",
               "wrmsr 0 0x3b2 0x400181\\nwrmsr 0 0x394 0x400000\\nwrmsr 0 0xe01 0x20000000\\n"
               "run stream,size=1M\\nrdmsr 0 0x3b0\\nrdmsr 0 0x395\\n");
    /* opened after events of PMUs that need no enable of the package */
    counts_are("virtual:skl,part=plain",
               "-C 0 -e uncore_imc/event=1/ -e cpu/event=0x60,umask=0x1/ "
               "-e uncore_cbox_0/clockticks/ -e uncore_arb/event=0x81,umask=0x1/",
               "wrmsr 0 0x3b2 0x400181\\nwrmsr 0 0x394 0x400000\\nwrmsr 0 0xe01 0x20000000\\n"
               "wrmsr 0 0x186 0x430160\\nwrmsr 0 0x38f 1\\n"
               "run stream,size=1M\\nrdmem 0xfed15050 4\\nrdmsr 0 0xc1\\nrdmsr 0 0x395\\n"
               "rdmsr 0 0x3b0\\n");
    /* core events: with the threshold of their definition, and without one */
    counts_are("virtual:skl,part=plain,window=60",
               "-C 0 -e cpu/event=0xa3,umask=0x5,cmask=5/,cpu/event=0x60,umask=0x1/",
               "wrmsr 0 0x186 0x54305a3\\nwrmsr 0 0x187 0x430160\\nwrmsr 0 0x38f 3\\n"
               "run stream,size=1M\\nrdmsr 0 0xc1\\nrdmsr 0 0xc2\\n");
    /* threshold, inversion */
    counts_are("virtual:skl,part=plain",
               "-e uncore_arb/event=0x80,umask=0x1,cmask=2,inv=1/,uncore_arb/event=0x84,umask=0x1/",
               "wrmsr 0 0x3b2 0x2c00180\\nwrmsr 0 0x3b3 0x400184\\nwrmsr 0 0xe01 0x20000000\\n"
               "run stream,size=1M\\nrdmsr 0 0x3b0\\nrdmsr 0 0x3b1\\n");
}

/* The events that perf counts by default: on each machine with core counters, the counts are those
 * of stat. */
static void without_events(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    static const char *const machines[] = {"skl,part=plain", "ivbep,part=plain", "nhmex,part=plain",
                                           "skl,part=i7-6700k,memory=ddr4-2133"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char script[2048];
        snprintf(
            script, sizeof script,
            "m='--machine virtual:%s'\n"
            "timeout 100 $B stage $m --pace 0 -- perf stat -x, -a sh -c '" WORK "' 2>&1 |\n"
            "  grep -E ',(cycles|instructions|branches|branch-misses),' | cut -d, -f1\n"
            "$B stat $m --workload stream,size=1M -x, -e CPU_CLK_UNHALTED:THREAD_P,INST_RETIRED:"
            "ANY_P,BR_INST_RETIRED:ALL_BRANCHES,branch-misses 2>&1 | cut -d, -f1",
            machines[i]);
        ran r = play(script);
        size_t half = strlen(r.out) / 2;
        assert_memory_equal(r.out, r.out + half, half);
        /* three times a load of every 8 bytes; no branch */
        assert_has(r.out + half, "393216\n0\n0\n");
        ran_free(&r);
    }
}

/* perf's own event names for this CPU model sum up all C-Boxes. */
static void by_perf_s_own_names(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r = play(
        "timeout 100 $B stage --pace 0 -- perf stat -x, -a -e unc_cbo_cache_lookup.any_mesi sh -c "
        "'" WORK "' 2>&1 | cut -d, -f1,3\n"
        "for i in 0 1 2 3; do echo wrmsr 0 0x7${i}0 0x408f34; done >$D.d\n"
        "printf 'wrmsr 0 0xe01 0x20000000\\nrun stream,size=1M\\n' >>$D.d\n"
        "for i in 0 1 2 3; do echo rdmsr 0 0x7${i}6; done >>$D.d\n"
        "n=0; for i in $($B vpmu $D.d); do n=$((n + i)); done; echo "
        "$n,unc_cbo_cache_lookup.any_mesi\n"
        "rm -f $D.d");
    char *end = strchr(r.out, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_true(atol(r.out) > 1000);
    if (strncmp(end + 1, r.out, strlen(r.out)) != 0)
        fail_msg("perf: %s\nregisters: %s", r.out, end + 1);
    ran_free(&r);
}

/* Free-running counters. perf converts lines to MiB. */
static void free_running(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    expect(
        "m='--machine virtual:skl,part=plain'\n"
        "timeout 100 $B stage $m --pace 0 -- perf stat -x, -a -e "
        "uncore_imc/data_reads/,uncore_imc/data_writes/ "
        "sh -c 'echo run stream,size=1M >/dev/boxscore/dialogue' 2>&1 | cut -d, -f1-3\n"
        "timeout 100 $B stage $m --pace 0 -- perf stat -x, -a -e uncore_imc/event=1/ sh -c '" WORK
        "' 2>&1 | "
        "cut -d, -f1\n"
        "printf 'run stream,size=1M\\nrdmem 0xfed15050 4\\n' >$D.d; printf '%d\\n' $($B vpmu "
        "$m $D.d); rm $D.d",
        "3.00,MiB,uncore_imc/data_reads/\n0.00,MiB,uncore_imc/data_writes/\n49152\n49152\n");
}

static void on_servers(void **state)
{
    (void)state;
    counts_are(
        "virtual:ivbep,part=plain,packages=1,cores=3",
        "-e "
        "uncore_cbox_1/event=0x34,umask=0x11,filter_state=0x3f/,uncore_cbox_2/event=0x35,umask=0x1,"
        "filter_opc=0x182/,uncore_cbox_0/event=0x0/",
        "wrmsr 0 0xd34 0x7e0000\\nwrmsr 0 0xd30 0x401134\\nwrmsr 0 0xd5a 0x18200000\\n"
        "wrmsr 0 0xd50 0x400135\\nwrmsr 0 0xd10 0x400000\\nrun stream,size=1M\\n"
        "rdmsr 0 0xd36\\nrdmsr 0 0xd56\\nrdmsr 0 0xd16\\n");
    counts_are(
        "virtual:nhmex,part=plain,packages=1,cores=2",
        "-e "
        "uncore_cbox_0/event=0x14,umask=0x7/,uncore_mbox_0/bbox_cmds_read/,uncore_wbox/clockticks/,"
        "uncore_bbox_0/event=0x2,counter=1/",
        "wrmsr 0 0xd00 0x1\\nwrmsr 0 0xd10 0x400714\\nwrmsr 0 0xca0 1\\nwrmsr 0 0xcab 0x2800\\n"
        "wrmsr 0 0xcb0 0x1a01\\nwrmsr 0 0xc80 0x80000000\\nwrmsr 0 0x395 1\\nwrmsr 0 0xc20 2\\n"
        "wrmsr 0 0xc32 0x5\\nwrmsr 0 0xc00 0x10000000\\nrun stream,size=1M\\n"
        "rdmsr 0 0xd11\\nrdmsr 0 0xcb1\\nrdmsr 0 0x394\\nrdmsr 0 0xc33\\n");
    counts_are(
        "virtual:nhmex,part=plain,packages=1,cores=2",
        "-C 0 -e uncore_wbox/clockticks/,cpu/event=0x3c/,uncore_cbox_0/event=0x14,umask=0x7/",
        "wrmsr 0 0xd00 0x1\\nwrmsr 0 0xd10 0x400714\\nwrmsr 0 0xc80 0x80000000\\n"
        "wrmsr 0 0x395 1\\nwrmsr 0 0xc00 0x10000000\\nwrmsr 0 0x186 0x43003c\\n"
        "wrmsr 0 0x38f 1\\nrun stream,size=1M\\n"
        "rdmsr 0 0x394\\nrdmsr 0 0xc1\\nrdmsr 0 0xd11\\n");
    counts_are("virtual:nhmex,part=plain,packages=2,cores=2",
               "-C 0 -e uncore_sbox_0/event=0x6,umask=0x1/",
               "wrmsr 0 0xc40 1\\nwrmsr 0 0xc50 0x400106\\nwrmsr 0 0xc00 0x10000000\\n"
               "run stream,size=1M\\nrdmsr 0 0xc51\\n");
    counts_are("virtual:p6,part=plain", "-e cpu/event=0x2e,umask=0x0f/,cycles",
               "wrmsr 0 0x187 0x30079\\nwrmsr 0 0x186 0x430f2e\\nrun stream,size=1M\\n"
               "rdmsr 0 0xc1\\nrdmsr 0 0xc2\\n");
}

/* boxscore's own way to perf, whose events come in the same order. */
static void by_stat(void **state)
{
    (void)state;
    need_mount_namespace();
    expect(
        "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"
        "for m in skl,cores=2/skl_unc_imc::DRAM_DATA_READS,skl_unc_clock::UNC_CLOCK:SOCKET \\\n"
        "  nhmex,packages=1,cores=2/nhmex_unc_wbox::FIXED_UNCORE_CLOCK,"
        "nhmex_unc_cbox0::SINKS_P2C:AD; do\n"
        "  timeout 100 $B stage --machine virtual:${m%%/*} -w stream -- $B stat --machine host \\\n"
        "    --driver perf -x, -e ${m#*/} sleep 0.3 2>&1 | grep -c '^[1-9]'\n"
        "done",
        "2\n2\n");
}

/* Counts for each package. CPUs that the host does not have can be named, also for events of the
 * host. */
static void per_package_and_cpu(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    expect(
        "m='virtual:ivbep,part=plain,packages=2,cores=3'\n"
        "timeout 100 $B stage --machine $m --pace 0 -- \\\n"
        "  perf stat -x, --per-socket -a -e uncore_cbox_0/event=0x0/,cpu-clock true 2>&1 | cut -d, "
        "-f1,2,5\n"
        "timeout 100 $B stage --machine $m --pace 0 -- \\\n"
        "  perf stat -x, -A -a -e uncore_cbox_1/event=0x0/,page-faults true 2>&1 | cut -d, -f1,4\n"
        "timeout 100 $B stage --machine $m --pace 0 -- \\\n"
        "  perf stat -x, -C 4 -e uncore_cbox_1/event=0x0/ true 2>&1 | cut -d, -f1,3",
        "S0,1,uncore_cbox_0/event=0x0/\nS0,3,cpu-clock\nS1,1,uncore_cbox_0/event=0x0/\n"
        "S1,3,cpu-clock\n"
        "CPU0,uncore_cbox_1/event=0x0/\nCPU3,uncore_cbox_1/event=0x0/\n"
        "CPU0,page-faults\nCPU1,page-faults\nCPU2,page-faults\nCPU3,page-faults\nCPU4,page-faults\n"
        "CPU5,page-faults\n"
        "0,uncore_cbox_1/event=0x0/\n");
}

/* ---- the machine's time ---- */

static void intervals(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r =
        play("timeout 100 $B stage -w stream -- \\\n"
             "  perf stat -x, -I 100 -a -e uncore_cbox_0/event=0x34,umask=0x88/,cpu-clock sleep "
             "1.5 2>&1 |\n"
             "awk -F, '$2 > 100 { n[$4]++ } END { for (e in n) if (n[e] > 1) print \"some\" }'");
    assert_string_equal(r.out, "some\nsome\n");
    ran_free(&r);
    r = play("timeout 100 $B stage -w stream -- perf stat -j -a -e "
             "uncore_cbox_0/event=0x34,umask=0x88/ sleep 0.3");
    assert_has(r.err, "\"event\" : \"uncore_cbox_0/event=0x34,umask=0x88/\"");
    assert_has(r.err, "\"pcnt-running\" : 100.00");
    ran_free(&r);
}

/* The share of lookups that miss is the same with and without a pace. */
static void shares_are_the_work_s(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    unsigned long all, some, whole, part;
    ran is =
        truth("virtual:skl,part=plain", "wrmsr 0 0x700 0x408f34\\nwrmsr 0 0x701 0x408834\\n"
                                        "wrmsr 0 0xe01 0x20000000\\nrun stream\\nrdmsr 0 0x706\\n"
                                        "rdmsr 0 0x707\\n");
    assert_int_equal(sscanf(is.out, "%lu\n%lu", &whole, &part), 2);
    ran r = play("c=uncore_cbox_0/event=0x34,umask=0x8\n"
                 "timeout 100 $B stage --machine virtual:skl,part=plain -w stream -- \\\n"
                 "  perf stat -x, -a -e \"{${c}f/,${c}8/}\" sleep 1 2>&1 | cut -d, -f1");
    assert_int_equal(sscanf(r.out, "%lu\n%lu", &all, &some), 2);
    double expected = (double)part / (double)whole, got = (double)some / (double)all;
    assert_true(all > 1000 && got > 0.9 * expected && got < 1.1 * expected);
    ran_free(&is);
    ran_free(&r);
}

/* Twice as many events as counters are multiplexed, and the scaled counts are close. The events of
 * a group are counted at the same times, including those of the host. */
static void multiplexed(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r =
        play("e=uncore_cbox_0/event=0x34,umask=0x88/; g=\"{$e,$e}\"\n"
             "timeout 100 $B stage -w stream -- perf stat -x, -a -e $e,$e,$e,$e sleep 1.5 2>&1\n"
             "timeout 100 $B stage -w stream -- perf stat -x, -C 0 -e $g,$g,\"{cpu-clock,$e}\" "
             "sleep 1 2>&1");
    double counts[9] = {0}, share[9] = {0};
    char *line = r.out;
    for (size_t i = 0; i < 9; i++) {
        /* value, unit, event with its commas, time, share */
        assert_int_equal(sscanf(line, "%lf", &counts[i]), 1);
        const char *rest = i == 7 ? strstr(line, "cpu-clock,") + strlen("cpu-clock,")
                                  : strstr(line, "x88/,") + strlen("x88/,");
        assert_int_equal(sscanf(rest, "%*u,%lf", &share[i]), 1);
        line = strchr(line, '\n') + 1;
    }
    for (size_t i = 0; i < 4; i++) {
        assert_true(share[i] > 20 && share[i] < 80);
        assert_true(counts[i] > counts[0] / 2 && counts[i] < counts[0] * 2);
    }
    for (size_t i = 4; i < 9; i++)
        assert_true(share[i] > 10 && share[i] < 60);
    assert_true(share[4] == share[5] && counts[4] == counts[5]);
    assert_true(share[6] == share[7] || share[7] == share[8]);
    ran_free(&r);
}

/* ---- several perfs at once, and killed ones ---- */

static void several(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    ran r = play("e=uncore_cbox_0/event=0x34,umask=0x88/\n"
                 "timeout 100 $B stage -w stream -- sh -c \"perf stat -x, -a -e $e sleep 0.6 & \n"
                 "perf stat -x, -a -e uncore_cbox_0/event=0x34,umask=0x8f/ sleep 0.6; wait\" 2>&1 "
                 "| sort -t, -k3");
    unsigned long some, all;
    if (sscanf(r.out, "%lu,,%*[^\n]\n%lu,,", &some, &all) != 2)
        fail_msg("%s%s", r.out, r.err);
    assert_true(some > 1000 && all > some / 2);
    ran_free(&r);
}

/* When its owner has ended, a counter is free and its control is cleared. */
static void killed(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    need_program("rdmsr");
    expect("e=uncore_cbox_0/event=0x34,umask=0x88/\n"
           "timeout 100 $B stage --pace 0 -- sh -c \"perf stat -a -e $e,$e sleep 60 & p=\\$!\n"
           "  while [ \\$(rdmsr 0x701) = 0 ]; do sleep 0.05; done; rdmsr 0x700; kill -9 \\$p; wait "
           "2>/dev/null\n"
           "  while [ \\$(rdmsr 0x700) != 0 ]; do sleep 0.05; done; rdmsr 0x701; rdmsr 0xe01\n"
           "  perf stat -x, -a -e $e sh -c '" WORK "' 2>&1 | cut -d, -f1 | grep -c '^[1-9]'\"",
           "408834\n0\n0\n1\n");
}

/* ---- what perf finds ---- */

static void what_is_shown(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("timeout 100 $B stage --machine virtual:ivbep,part=plain,cores=2 --pace 0 -- sh -c '\n"
           "  cd /sys/bus/event_source/devices; ls | grep uncore; cat uncore_cbox_1/cpumask; echo "
           "$PERF_CPUID\n"
           "  cat uncore_imc_3/events/cas_count_write*; cat uncore_imc_2/events/clockticks\n"
           "  cat uncore_cbox_1/format/filter_opc; cat "
           "/sys/devices/uncore_cbox_1/perf_event_mux_interval_ms\n"
           "  cat software/type; ls /sys/devices/system/cpu | grep -c cpu[0-9]'\n"
           "$B stage --pace 0 -- sh -c '\n"
           "  cat /sys/devices/uncore_imc/events/data_reads.unit; ls /sys/devices/cpu/events'",
           "uncore_cbox_0\nuncore_cbox_1\nuncore_imc_0\nuncore_imc_1\nuncore_imc_2\nuncore_imc_"
           "3\n0,2\nGenuineIntel-6-3E-3\nevent=0x04,umask=0x0c\n6.103515625e-5\nMiB\nevent="
           "0xff\nconfig1:52-60\n4\n1\n4\nMiB\nbranch-instructions\nbranch-misses\nbus-"
           "cycles\ncache-misses\ncache-references\ncpu-cycles\ninstructions\nref-cycles\n");
    need_program("perf");
    ran r = play("timeout 100 $B stage --pace 0 -- perf list 2>&1");
    assert_has(r.out, "uncore_imc/data_reads/");
    assert_has(r.out, "uncore_cbox_0/clockticks/");
    assert_has(r.out, "unc_cbo_cache_lookup.any_es");
    ran_free(&r);
}

static void refusals(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    expect(
        "s() { timeout 100 $B stage --pace 0 -- perf stat -x, \"$@\" true 2>&1 | cut -d, -f1,3; }\n"
        "s -a -e uncore_cbox_0/event=0x34/u\n"        /* the uncore has no privilege levels */
        "s -a -e uncore_cbox_0/event=0xee,umask=1/\n" /* not modelled: there is never a silent 0 */
        "s -a -e uncore_cbox_1/event=0xff/\n"         /* only the first one has the clock */
        "s -e context-switches:u\n"                   /* an event of the host */
        "timeout 100 $B stage --pace 0 -- perf record -o $D.p -a -e uncore_cbox_0/event=0x34/ true "
        "2>&1 |"
        " grep -o 'returned with 22'",
        "<not supported>,uncore_cbox_0/event=0x34/u\n"
        "<not supported>,uncore_cbox_0/event=0xee\n"
        "<not supported>,uncore_cbox_1/event=0xff/\n"
        "0,context-switches:u\nreturned with 22\n");
}

/* explain confirms what was programmed. */
static void explained(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("perf");
    expect(
        "for m in skl/uncore_cbox_0/event=0x34,umask=0x88/ \\\n"
        "  ivbep,packages=1/uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x182/ \\\n"
        "  nhmex,packages=1/uncore_sbox_0/event=0x0,match=0x400000000000/ \\\n"
        "  nhmex,packages=1/uncore_mbox_0/bbox_cmds_read/ \\\n"
        "  nhmex,packages=1/uncore_rbox_1/event=0x0,iperf_cfg=0x84/ p6/cpu/event=0x79/; do\n"
        "  timeout 100 $B explain --machine virtual:${m%%/*} --pace 0 -o $D.t -- \\\n"
        "    perf stat -x, -a -e ${m#*/} true 2>/dev/null\n"
        "  sed -n 's/.*accesses,.*; //p; / counts /p; /warning:/p; /fault/p' $D.t; rm -f $D.t\n"
        "done",
        "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n0 warnings\n"
        "  C-Box 0 counter 0 counts ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_DRD\n0 warnings\n"
        "  S-Box 0 counter 0 counts nhmex_unc_sbox0::TO_R_PROG_EV:mc=NCS:addr=0x0:hnid=0\n0 "
        "warnings\n"
        "  M-Box 0 counter 0 counts nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.READS:wrap=0\n0 warnings\n"
        "  R-Box half 1 counter 0 counts nhmex_unc_rbox::NEW_PACKETS_RECV:VNA_DRS:port=4\n"
        "0 warnings\n"
        "  CPU of CPU 0 counter 0 counts p6::CPU_CLK_UNHALTED\n0 warnings\n");
}

/* ---- the system call ---- */

static void client(const char *scenario, const char *prints)
{
    char script[256];
    need_mount_namespace();
    snprintf(script, sizeof script,
             "timeout 100 $B stage --machine virtual:skl,part=plain --pace 0 -- "
             "$BUILD_ROOT/tests/stage/perf_client %s",
             scenario);
    expect(script, prints);
}

static void groups_are_read(void **state)
{
    (void)state;
    client("read", "all combinations\n");
}

static void errors_are_linux_s(void **state)
{
    (void)state;
    client("errors", "");
}

static void switching(void **state)
{
    (void)state;
    client("switch", "");
}

static void sharing(void **state)
{
    (void)state;
    client("share", "");
}

static void commands_of_others(void **state)
{
    (void)state;
    client("crowd", "");
}

static void from_an_unread_page(void **state)
{
    (void)state;
    client("unread", "");
}

/* Events of the host are opened with the caller's rights, also on CPUs that the host does not have:
 * each ends as on the host. Callers: the user; without capabilities; another user; another user
 * with only CAP_PERFMON; root of a user namespace below. */
static void with_the_caller_s_rights(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("setpriv");
    expect("cp $BUILD_ROOT/tests/stage/perf_client $D.client; chmod 755 $D.client\n"
           "as() { \"$@\" true 2>/dev/null || return; export AS=\"$*\"\n"
           "  \"$@\" $D.client rights 0 >$D.host\n"
           "  timeout 100 $B stage --machine virtual:ivbep,part=plain,packages=2,cores=10 --pace 0 "
           "-- \\\n"
           "    sh -c 'for cpu in 0 19; do $AS '$D'.client rights $cpu >'$D'.$cpu; done'\n"
           "  for cpu in 0 19; do diff $D.host $D.$cpu || echo \"CPU $cpu: $*\"; done\n"
           "  [ $(wc -l <$D.host) = 9 ] || echo not all; }\n"
           "as env; as unshare -U -r; as setpriv --bounding-set=-all --inh-caps=-all\n"
           "n=\"setpriv --reuid 65534 --regid 65534 --clear-groups\"\n"
           "as $n; as $n --inh-caps=+perfmon --ambient-caps=+perfmon; rm -f $D.?*",
           "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_client),
        cmocka_unit_test(without_events),
        cmocka_unit_test(by_perf_s_own_names),
        cmocka_unit_test(free_running),
        cmocka_unit_test(on_servers),
        cmocka_unit_test(by_stat),
        cmocka_unit_test(per_package_and_cpu),
        cmocka_unit_test(intervals),
        cmocka_unit_test(shares_are_the_work_s),
        cmocka_unit_test(multiplexed),
        cmocka_unit_test(several),
        cmocka_unit_test(killed),
        cmocka_unit_test(what_is_shown),
        cmocka_unit_test(refusals),
        cmocka_unit_test(explained),
        cmocka_unit_test(groups_are_read),
        cmocka_unit_test(errors_are_linux_s),
        cmocka_unit_test(switching),
        cmocka_unit_test(commands_of_others),
        cmocka_unit_test(sharing),
        cmocka_unit_test(from_an_unread_page),
        cmocka_unit_test(with_the_caller_s_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
