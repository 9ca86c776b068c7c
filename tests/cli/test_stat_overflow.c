/* The options --until and --sample of stat and plan: messages and rows. tests/session checks the
 * counts themselves. */
#include "../cmocked.h"

#include "cli/run.h"
#include "stage/play.h"

#include "base/nearest.h"

#include "event/hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT    "stat", "--machine", "virtual:skl,part=plain", "-w", "stream,size=64K"
#define LOOKUPS "UNC_CBO_CACHE_LOOKUP:ANY_I"
#define SLICE0  "skl_unc_cbo0::" LOOKUPS

/* ---- until ---- */

/* A clock counts its own cycles. tests/session checks what the slices count until then. */
static void until(void **state)
{
    (void)state;
    ran r = RUN(STAT, "-e", LOOKUPS ",UNC_CLOCK", "--until", "UNC_CLOCK=1000");
    assert_has(r.out, " for workload 'stream,size=64K' on virtual:skl,part=plain, "
                      "until skl_unc_clock::UNC_CLOCK:SOCKET=1000:\n\n"
                      "                66 lookups skl_unc_cbo::" LOOKUPS "\n"
                      "             1,000 cycles  skl_unc_clock::UNC_CLOCK:SOCKET\n"
                      "             4,000 MHz     uncore_clock\n\n"
                      "       0.000000250 seconds ");
    assert_has(r.out, " (virtual time: 1,000 uncore cycles)\n\n");
    assert_silent(&r);
}

/* Without -e the event is counted alone. If -e names it, too, it has one line. */
static void its_own_line(void **state)
{
    (void)state;
    ran alone = RUN(STAT, "--until", "uncore_cbox_0/event=0x34,umask=0x88/=100", "-x,");
    assert_has(alone.out, "100,lookups," SLICE0 ",");
    assert_null(strchr(strchr(alone.out, '\n') + 1, '\n'));
    assert_silent(&alone);
    ran twice = RUN(STAT, "-x,", "-e", SLICE0, "--until", "skl_unc_cbo0@0::" LOOKUPS "=100");
    assert_has(twice.out, "100,lookups," SLICE0 ",");
    assert_silent(&twice);
    ran same = RUN(STAT, "-x,", "-e", SLICE0 ",UNC_CLOCK", "--until", SLICE0 "=100");
    assert_memory_equal(same.out, "100,lookups," SLICE0 ",", strlen("100,lookups," SLICE0 ","));
    assert_null(strstr(strstr(same.out, SLICE0) + 1, SLICE0));
    assert_silent(&same);
}

static void not_reached(void **state)
{
    static const char says[] = "skl_unc_cbo0::" LOOKUPS
                               "=769 was not reached: the counts are those at the end of the work";
    (void)state;
    ran r = RUN(STAT, "-e", "DRAM_DATA_READS", "--until", SLICE0 "=769");
    assert_has(r.out, "             3,072 64 B transfers skl_unc_imc::DRAM_DATA_READS ");
    assert_has(r.out, "               768 lookups        " SLICE0 "\n");
    assert_has(r.out, "\n skl_unc_cbo0::" LOOKUPS "=769 was not reached: the counts are ");
    assert_silent(&r);
    r = RUN(STAT, "-j", "-e", "DRAM_DATA_READS", "--until", SLICE0 "=769");
    assert_int_equal(r.status, 0);
    assert_int_equal(r.out[0], '{');
    assert_has(r.err, says);
    ran_free(&r);
}

/* Each run uses a new machine. The first count is reached in all runs, the second in none. */
static void repeated(void **state)
{
    (void)state;
    ran r = RUN("stat", "--machine", "virtual:skl,part=plain", "-w",
                "random,size=1M,iterations=2000", "-r", "3", "--until", "UNC_CLOCK=5000");
    assert_has(r.out, ", until skl_unc_clock::UNC_CLOCK:SOCKET=5000 (3 runs):\n");
    assert_has(r.out, "             5,000 cycles skl_unc_clock::UNC_CLOCK:SOCKET  ( +-  0.00% )\n");
    assert_has(r.out, "(virtual time: 5,000 uncore cycles)");
    assert_silent(&r);
    r = RUN("stat", "--machine", "virtual:skl,part=plain", "-w", "random,size=1M,iterations=2000",
            "-r", "3", "--until", "UNC_CLOCK=500000");
    assert_has(r.out, "=500000 was not reached in 3 of 3 runs: ");
    assert_silent(&r);
}

/* A program continues to its end, uncounted. */
static void a_program_goes_on(void **state)
{
    (void)state;
    ran r = RUN("stat", "--machine", "virtual:skl,part=plain", "--until", "UNC_CLOCK=100", "--",
                "sh", "-c", "echo to the end; exit 7");
    assert_int_equal(r.status, 7);
    assert_string_equal(r.out, "to the end\n");
    assert_has(r.err, "               100 cycles skl_unc_clock::UNC_CLOCK:SOCKET\n");
    assert_has(r.err, "(virtual time: 100 uncore cycles)");
    ran_free(&r);
}

/* ---- sample ---- */

static void rows(void **state)
{
    (void)state;
    ran r = RUN(STAT, "-e", LOOKUPS, "--sample", "UNC_CLOCK=20000");
    assert_has(r.out, "# at each overflow, skl_unc_clock::UNC_CLOCK:SOCKET=20000\n"
                      "#           time             counts unit events\n"
                      "     0.000005000 ");
    assert_has(r.out, "     0.000010000 ");
    assert_has(r.out, " lookups skl_unc_cbo::" LOOKUPS "  (incomplete)\n");
    assert_has_not(r.out, "     0.000015000 ");
    assert_has_not(r.out, "UNC_CLOCK:SOCKET\n");
    assert_silent(&r);
}

/* The sum of a column. */
static uint64_t sum(const char *csv, unsigned column, const char *separator, unsigned *lines)
{
    uint64_t total = 0;
    for (*lines = 0; *csv; csv = strchr(csv, '\n') + 1, ++*lines) {
        const char *at = csv;
        for (unsigned i = 0; i < column; i++)
            at = strstr(at, separator) + strlen(separator);
        total += strtoull(at, NULL, 10);
    }
    return total;
}

static void as_csv(void **state)
{
    unsigned lines;
    (void)state;
    ran r = RUN(STAT, "-x;", "-e", LOOKUPS, "--sample", SLICE0 "=300");
    assert_has(r.out, ";complete;");
    const char *last = strstr(r.out, ";incomplete;");
    assert_non_null(last);
    assert_null(strstr(last, ";complete;"));
    assert_int_equal(sum(r.out, 2, ";", &lines), 3072); /* the samples add up to the whole */
    assert_int_equal(lines, 3);                         /* 768 lookups: 300, 300 and 168 */
    assert_silent(&r);
    r = RUN(STAT, "-x,", "--per-unit", "-e", "DRAM_DATA_READS", "--sample", SLICE0 "=300");
    assert_has(r.out, ",complete,S0,memory controller,");
    assert_has(r.out, ",incomplete,,,,,,,"); /* a metric alone */
    assert_silent(&r);
}

static void as_json(void **state)
{
    (void)state;
    ran r = RUN(STAT, "-j", "-e", "UNC_CLOCK," SLICE0, "--sample", SLICE0 "=700");
    const char *second = strchr(r.out, '\n'); /* the event itself, which -e also names */
    assert_has(r.out, "\"complete\" : true, \"counter-value\" : ");
    assert_has(second, "\"complete\" : true, \"counter-value\" : \"700\"");
    assert_has(second, "\"complete\" : false, \"counter-value\" : \"68\"");
    assert_silent(&r);
}

/* ---- what is refused ---- */

static void refused(int status, ran r, const char *err)
{
    assert_failed(&r, status, err);
}

static void numbers(void **state)
{
    static const struct {
        const char *option, *err;
    } of[] = {
        {SLICE0 "=0", "boxscore: its counter can overflow after 1 to 17592186044415 "
                      "counts\n  " SLICE0 "=0\n                                           ^\n"},
        {SLICE0 "=17592186044416",
         "boxscore: its counter can overflow after 1 to 17592186044415 counts\n"
         "  " SLICE0 "=17592186044416\n"
         "                                           ^^^^^^^^^^^^^^\n"},
        {SLICE0 "=99999999999999999999",
         "boxscore: its counter can overflow after 1 to 17592186044415 counts\n"
         "  " SLICE0 "=99999999999999999999\n"
         "                                           ^^^^^^^^^^^^^^^^^^^^\n"},
        {"UNC_CLOCK=-1", "boxscore: '-1' is no number of counts\n  UNC_CLOCK=-1\n"
                         "            ^^\n  hint: EVENT=N, such as UNC_CLOCK=1000\n"},
        {"UNC_CLOCK=many", "boxscore: 'many' is no number of counts\n  UNC_CLOCK=many\n"
                           "            ^^^^\n  hint: EVENT=N, such as UNC_CLOCK=1000\n"},
        {"UNC_CLOCK", "boxscore: 'UNC_CLOCK' is not EVENT=N\n  UNC_CLOCK\n  ^^^^^^^^^\n"
                      "  hint: N is the number of counts after which EVENT stops the counters\n"},
        {"UNC_CLOCK=", "boxscore: 'UNC_CLOCK=' is not EVENT=N\n  UNC_CLOCK=\n  ^^^^^^^^^^\n"
                       "  hint: N is the number of counts after which EVENT stops the counters\n"},
        {"=5", "boxscore: '=5' is not EVENT=N\n  =5\n  ^^\n"
               "  hint: N is the number of counts after which EVENT stops the counters\n"},
        {"", "boxscore: '' is not EVENT=N\n"
             "  hint: N is the number of counts after which EVENT stops the counters\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        refused(1, RUN(STAT, "--until", of[i].option), of[i].err);
        refused(1, RUN(STAT, "-e", "UNC_CLOCK", "--sample", of[i].option), of[i].err);
        refused(1, RUN("plan", "--machine=virtual:skl,part=plain", "--until", of[i].option),
                of[i].err);
    }
}

static void events(void **state)
{
    (void)state;
    refused(1, RUN(STAT, "--until", "UNC_CLOK=5"),
            "boxscore: " BX_UNKNOWN_EVENT("UNC_CLOK") "\n  UNC_CLOK=5\n  ^^^^^^^^\n"
                                                      "  hint: " BX_DID_YOU_MEAN_NAME(
                                                          "UNC_CLOCK") "\n");
    refused(1, RUN(STAT, "--until", LOOKUPS "=5", "-e", "UNC_CLOCK"),
            "boxscore: 4 counters count this at once: name the one that shall overflow\n"
            "  UNC_CLOCK," LOOKUPS "\n            ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  hint: name one of them: " SLICE0 "\n");
    refused(1, RUN(STAT, "--until", "DRAM_DATA_READS=5"),
            "boxscore: its counter is free-running: no start can be written\n"
            "  DRAM_DATA_READS=5\n  ^^^^^^^^^^^^^^^\n");
    refused(1, RUN(STAT, "--until", "UNC_ARB_COH_TRK_OCCUPANCY=5"),
            "boxscore: the machine does not produce this event: its counter never overflows\n"
            "  UNC_ARB_COH_TRK_OCCUPANCY\n  ^^^^^^^^^^^^^^^^^^^^^^^^^\n");
    refused(1,
            RUN(STAT, "--passes=rotate", "-e",
                "UNC_ARB_TRK_REQUESTS:ALL,UNC_ARB_TRK_REQUESTS:WRITES", "--until",
                "UNC_ARB_COH_TRK_REQUESTS:ALL=5"),
            "boxscore: no counter of ARB is left for UNC_ARB_COH_TRK_REQUESTS:ALL\n"
            "  UNC_ARB_TRK_REQUESTS:ALL,UNC_ARB_TRK_REQUESTS:WRITES,UNC_ARB_COH_TRK_REQUESTS:ALL\n"
            "                                                       "
            "^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  hint: all counters are read at one moment: leave out what does not fit at once\n");
    refused(1,
            RUN("stat", "--machine=virtual:ivbep,part=plain", "-w", "stream", "--until",
                "ivbep_unc_cbo0@0::UNC_C_CLOCKTICKS=5"),
            "boxscore: no document at hand describes what its counters do at an overflow\n"
            "  ivbep_unc_cbo0@0::UNC_C_CLOCKTICKS=5\n"
            "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n");
    refused(
        1,
        RUN("stat", "--machine=virtual:nhmex,part=plain", "-w", "stream", "--until",
            "nhmex_unc_cbox0@0::LLC_HITS:ALL=2"),
        "boxscore: the counter would start at 0xfffffffffffe, which the manual's errata forbid\n"
        "  nhmex_unc_cbox0@0::LLC_HITS:ALL=2\n"
        "                                  ^\n"
        "  hint: no count starts where its lowest 24 bits are all ones, or one less\n");
    refused(1,
            RUN("stat", "--machine=virtual:p6,part=plain", "-w", "stream", "--until",
                "INST_RETIRED=2147483649"),
            "boxscore: its counter can overflow after 1 to 2147483648 counts\n"
            "  INST_RETIRED=2147483649\n               ^^^^^^^^^^\n");
}

#define HOST_ERROR                                                                                 \
    "boxscore: on a host no counter is made to overflow: its interrupt (PMI) would come to the "   \
    "kernel, which does not expect it\n"                                                           \
    "  hint: a virtual machine has the same counters, as virtual:skl\n"

/* A sanitizer is not the first library of a program on stage. */
#define ON_STAGE "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"

/* The host that the test runs on. */
static void hosts(void **state)
{
    (void)state;
    refused(1, RUN("stat", "--machine=host", "--until", "UNC_CLOCK=5", "--", "true"), HOST_ERROR);
    refused(
        1,
        RUN("stat", "--machine=host", "-e", "page-faults", "--sample", "UNC_CLOCK=5", "--", "true"),
        HOST_ERROR);
    refused(1, RUN("stat", "--machine=host", "--root", "/", "--until", "UNC_CLOCK=5", "--", "true"),
            HOST_ERROR);
}

/* A machine on stage, whose CPU is known, and a machine that was gathered there. */
static void hosts_on_stage(void **state)
{
    (void)state;
    need_mount_namespace();
    ran r = run_shell(ON_STAGE "\"$BOXSCORE\" stage --machine virtual:skl,part=plain -- sh -c '\n"
                               "\"$BOXSCORE\" stat --until UNC_CLOCK=5 -- true\n"
                               "\"$BOXSCORE\" stat --driver=registers --until UNC_CLOCK=5 -- true\n"
                               "\"$BOXSCORE\" plan --machine host --until UNC_CLOCK=5' 2>&1");
    assert_string_equal(r.out, HOST_ERROR HOST_ERROR HOST_ERROR);
    ran_free(&r);
    r = run_shell(ON_STAGE "F=$(mktemp)\n"
                           "\"$BOXSCORE\" stage --machine virtual:skl,part=plain -- \"$BOXSCORE\" "
                           "machine gather -o $F\n"
                           "\"$BOXSCORE\" stat --root $F --until UNC_CLOCK=5 -- true 2>&1\n"
                           "rm -f $F");
    assert_string_equal(r.out, HOST_ERROR);
    ran_free(&r);
}

static void usage(void **state)
{
    static const struct {
        const char *option, *value, *err;
    } of[] = {
        {"--sample", "UNC_CLOCK=5", "boxscore: --until and --sample were given\n"},
        {"--log-registers", "/dev/null",
         "boxscore: a register log has accesses to registers, and no "},
        {"--passes", "repeat", "boxscore: --passes repeat counts events in several runs, "},
        {"-I", "1", "boxscore: -I shows rows by time, --until and --sample count to an overflow"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ran r = RUN(STAT, "--until", "UNC_CLOCK=5", of[i].option, of[i].value);
        assert_int_equal(r.status, 2);
        assert_has(r.err, of[i].err);
        assert_has(r.err, "\n  hint: ");
        ran_free(&r);
    }
    refused(2, RUN("stat", "--replay", "/dev/null", "--until", "UNC_CLOCK=5"),
            "boxscore: a register log has accesses to registers, and no overflows\n"
            "  hint: leave --log-registers and --replay out, or --until and --sample\n");
    refused(2, RUN(STAT, "-e", LOOKUPS, "-r", "2", "--sample", "UNC_CLOCK=5"),
            "boxscore: --sample shows one run, -r the mean of several\n  hint: give one of them\n");
    refused(2, RUN(STAT, "--sample", "UNC_CLOCK=5"),
            "boxscore: --sample shows the counts of other events, but no other event is given\n  "
            "hint: -e EVENTS\n");
    refused(2, RUN("plan", "--until", "UNC_CLOCK=5", "--sample", "UNC_CLOCK=5"),
            "boxscore: --until and --sample were given: give one of them\n");
}

/* ---- plan ---- */

static void plan(void **state)
{
    (void)state;
    ran r = RUN("plan", "--machine=virtual:skl,part=plain", "--sample", SLICE0 "=1000");
    assert_has(r.out,
               "   0  setup    write        0  msr    0x706         0xffffffffc18       "
               "MSR_UNC_CBO_0_PERFCTR0  # preload: 334060-001 tables 2-1 and 2-8\n"
               "   0  setup    write        0  msr    0x700         0x508834            "
               "MSR_UNC_CBO_0_PERFEVTSEL0  # OVF_EN: 334060-001 tables 2-1 and 2-7\n"
               "   0  start    write        0  msr    0xe01         0xa0000001          "
               "MSR_UNC_PERF_GLOBAL_CTRL  # PMI_SEL_CORE0 FRZ_ON_PMI: 334060-001 tables 2-1 and "
               "2-2\n"
               "   0  start    read         0  msr    0x706                             "
               "MSR_UNC_CBO_0_PERFCTR0  # 334060-001 tables 2-1 and 2-8\n"
               "   0  rearm    write        0  msr    0xe02         0xb                 "
               "MSR_UNC_PERF_GLOBAL_STATUS  # 334060-001 tables 2-1 and 2-3\n"
               "   0  rearm    write        0  msr    0x706         0xffffffffc18       "
               "MSR_UNC_CBO_0_PERFCTR0  # preload: 334060-001 tables 2-1 and 2-8\n"
               "   0  rearm    write        0  msr    0xe01         0xa0000001          ");
    assert_silent(&r);
    r = RUN("plan", "--machine=virtual:skl,part=plain", "--until", SLICE0 "=1000", "--json");
    assert_has(r.out, "\"overflow\":\"PMI_SEL_CORE0 FRZ_ON_PMI\"");
    assert_has(r.out, "\"overflow\":\"preload\"");
    assert_has(r.out, "\"source\":\"334060-001 tables 2-1 and 2-7\"");
    assert_has_not(r.out, "rearm");
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(until),
        cmocka_unit_test(its_own_line),
        cmocka_unit_test(not_reached),
        cmocka_unit_test(repeated),
        cmocka_unit_test(a_program_goes_on),
        cmocka_unit_test(rows),
        cmocka_unit_test(as_csv),
        cmocka_unit_test(as_json),
        cmocka_unit_test(numbers),
        cmocka_unit_test(events),
        cmocka_unit_test(hosts),
        cmocka_unit_test(hosts_on_stage),
        cmocka_unit_test(usage),
        cmocka_unit_test(plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
