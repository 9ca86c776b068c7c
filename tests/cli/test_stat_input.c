/* Input that `boxscore stat` refuses: a message with cause and remedy, an exit status, and no
 * partial output. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT     "stat", "--machine", "virtual:skl,part=plain"
#define WORKLOAD "--workload", "stream,size=256K"

/* Message, line and carets; a hint is compared if the case has one. */
static void refused(ran r, int status, const char *beginning)
{
    assert_string_equal(r.out, "");
    assert_int_equal(r.status, status);
    if (strncmp(r.err, beginning, strlen(beginning)))
        fail_msg("'%s' does not begin:\n%s", beginning, r.err);
    ran_free(&r);
}

static void misspelt_event(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, WORKLOAD, "-e", "DRAM_DATA_READS,UNC_CBO_CACHE_LOKUP:ANY_I");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "  DRAM_DATA_READS,UNC_CBO_CACHE_LOKUP:ANY_I\n"
                      "                  ^^^^^^^^^^^^^^^^^^^\n");
    assert_has(r.err, "UNC_CBO_CACHE_LOOKUP");
    ran_free(&r);
}

/* Several -e are one list, with the caret below the wrong part. */
static void misspelt_event_of_a_later_option(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, WORKLOAD, "-e", "DRAM_DATA_READS", "-e", "DRAM_DATA_WRITS");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "  DRAM_DATA_READS,DRAM_DATA_WRITS\n"
                      "                  ^^^^^^^^^^^^^^^\n");
    assert_has(r.err, "DRAM_DATA_WRITES");
    ran_free(&r);
}

static void unknown_unit_mask(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, WORKLOAD, "-e", "UNC_CBO_CACHE_LOOKUP:ANY_J");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "  UNC_CBO_CACHE_LOOKUP:ANY_J\n"
                      "                       ^^^^^\n");
    ran_free(&r);
}

/* The threshold is five bits wide: table 2-7, bits 28:24. */
static void modifier_out_of_range(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, WORKLOAD, "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I:t=32");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "32");
    assert_has(r.err, "31");
    assert_has(r.err, "^^");
    ran_free(&r);
}

/* Occupancy is counted on counter 0 only: table 3-2. */
static void event_of_another_counter(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, WORKLOAD, "-e", "UNC_ARB_TRK_OCCUPANCY_ALL:UBOX1");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "UBOX1");
    ran_free(&r);
}

static void impossible_machine(void **unused)
{
    (void)unused;
    ran r = RUN("stat", "--machine", "virtual:skl,part=plain,cores=5", WORKLOAD);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "  virtual:skl,part=plain,cores=5\n");
    assert_has(r.err, "^");
    ran_free(&r);
    r = RUN("stat", "--machine", "virtual:skz", WORKLOAD);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "skl");
    ran_free(&r);
}

static void unknown_workload(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, "--workload", "streem,size=1M");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "  streem,size=1M\n"
                      "  ^^^^^^");
    assert_has(r.err, "stream");
    ran_free(&r);
}

static void usage(void **unused)
{
    (void)unused;
    refused(RUN(STAT), 2, "boxscore: there is nothing to run\n");
    refused(RUN(STAT, "-e", "DRAM_DATA_READS"), 2, "boxscore: there is nothing to run\n");
    refused(RUN(STAT, WORKLOAD, "--", "true"), 2,
            "boxscore: a workload and a program were given\n");
    refused(RUN(STAT, WORKLOAD, "-w", "chase"), 2, "boxscore: more than one workload was given\n");
    refused(RUN(STAT, WORKLOAD, "-j", "-x,"), 2, "boxscore: -j and -x ask for two formats\n");
    refused(RUN(STAT, WORKLOAD, "-j", "--header"), 2,
            "boxscore: --header is the first row of CSV\n");
    refused(RUN(STAT, WORKLOAD, "-x", ""), 2, "boxscore: the separator of -x is empty\n");
    refused(RUN(STAT, WORKLOAD, "-I", "1", "-r", "2"), 2,
            "boxscore: -I shows one run, -r the mean of several\n");
    refused(RUN(STAT, WORKLOAD, "-I", "1", "--passes", "repeat"), 2,
            "boxscore: -I shows one run, --passes repeat needs several\n");
    refused(RUN(STAT, "--region", "", "--", "true"), 2,
            "boxscore: the name of --region is empty\n");
    refused(RUN(STAT, WORKLOAD, "-I", "1ns"), 2,
            "boxscore: option '--interval-print' cannot be '1ns'\n  hint: 1000 ns or more\n");
    refused(RUN(STAT, WORKLOAD, "-I", "100000s"), 2,
            "boxscore: option '--interval-print' cannot be '100000s'\n  hint: 86400 s or less\n");
    refused(RUN(STAT, WORKLOAD, "-r", "0"), 2, "boxscore: ");
    refused(RUN(STAT, WORKLOAD, "-I", "soon"), 2, "boxscore: ");
    refused(RUN(STAT, WORKLOAD, "--passes", "some"), 2, "boxscore: ");
    refused(RUN(STAT, WORKLOAD, "--itervals"), 2, "boxscore: ");
}

/* ---- programs and files ---- */

static void missing_program(void **unused)
{
    (void)unused;
    refused(RUN(STAT, "-e", "DRAM_DATA_READS", "--", "no-such-program-anywhere"), 1,
            "boxscore: no such program: 'no-such-program-anywhere'\n");
    refused(RUN(STAT, "-e", "DRAM_DATA_READS", "pingpong"), 1,
            "boxscore: no such program: 'pingpong'\n"
            "  hint: a workload has that name: boxscore stat --workload pingpong\n");
}

/* A script in a new folder, which must contain only these files afterwards. */
static ran in_folder(const char *script, const char *left)
{
    char all[2048];
    snprintf(all, sizeof all,
             "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
             "trap 'rm -rf \"$dir\"' EXIT\n"
             "stat() { \"$BOXSCORE\" stat --machine virtual:skl,part=plain -e DRAM_DATA_READS "
             "\"$@\"; }\n"
             "%s\n"
             "status=$?\n"
             "[ \"$(ls -A | tr '\\n' ' ')\" = \"%s\" ] || { ls -A; exit 98; }\n"
             "exit $status\n",
             script, left);
    return run_shell(all);
}

static void nothing_is_left_of_a_failure(void **unused)
{
    (void)unused;
    refused(in_folder("stat -o report -- no-such-program-anywhere", ""), 1,
            "boxscore: no such program");
    refused(in_folder("stat -o report --workload streem", ""), 1, "boxscore: ");
    refused(in_folder("stat -o report -w stream -e NO_SUCH_EVENT", ""), 1, "boxscore: ");
}

static void an_old_report_survives_a_failure(void **unused)
{
    (void)unused;
    ran r =
        in_folder("echo old >report; stat -o report -- no-such-program-anywhere; cat report; ls -A",
                  "report ");
    assert_string_equal(r.out, "old\nreport\n");
    ran_free(&r);
}

/* The file is checked before the program runs. */
static void unwritable_file(void **unused)
{
    (void)unused;
    ran r = in_folder("stat -o nowhere/report -- sh -c 'echo ran'", "");
    assert_string_equal(r.out, "");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: cannot write 'nowhere/report': No such file or directory\n");
    ran_free(&r);
    r = in_folder("stat -o . -- sh -c 'echo ran'", "");
    assert_string_equal(r.out, "");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: cannot write '.': Is a directory\n");
    ran_free(&r);
}

static void full_disk(void **unused)
{
    (void)unused;
    refused(RUN(STAT, WORKLOAD, "-o", "/dev/full"), 1,
            "boxscore: cannot write '/dev/full': No space left on device\n");
    refused(RUN(STAT, WORKLOAD, "-j", "-I", "1us", "-o", "/dev/full"), 1,
            "boxscore: cannot write '/dev/full': No space left on device\n");
    ran r = run_into("/dev/full", (const char *const[]){STAT, WORKLOAD, NULL});
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: cannot write to standard output: No space left on device\n");
    ran_free(&r);
}

/* The file cannot grow: a limit of the file size takes the place of a full disk. */
static void full_disk_under_a_file(void **unused)
{
    (void)unused;
    ran r = in_folder("set -o pipefail\n"
                      "(trap '' XFSZ; ulimit -f 0; stat -w stream,size=256K -o report 2>&1) | cat",
                      "");
    assert_has(r.out, "boxscore: cannot write 'report': File too large\n");
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misspelt_event),
        cmocka_unit_test(misspelt_event_of_a_later_option),
        cmocka_unit_test(unknown_unit_mask),
        cmocka_unit_test(modifier_out_of_range),
        cmocka_unit_test(event_of_another_counter),
        cmocka_unit_test(impossible_machine),
        cmocka_unit_test(unknown_workload),
        cmocka_unit_test(usage),
        cmocka_unit_test(missing_program),
        cmocka_unit_test(nothing_is_left_of_a_failure),
        cmocka_unit_test(an_old_report_survives_a_failure),
        cmocka_unit_test(unwritable_file),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(full_disk_under_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
