/* `boxscore diff` from files to exit status. */
#include "cli/parsed.h"
#include "cli/run.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE(event, value, metrics)                                                                \
    "{\"unit\" : \"lines\", \"event\" : \"" event "\", \"value\" : " value                         \
    ", \"state\" : \"counted\", \"metrics\" : [" metrics "]}\n"
#define BYTES(value) "{\"name\" : \"bytes\", \"value\" : " value ", \"unit\" : \"MB\"}"
#define LAST(machine)                                                                              \
    "{\"run\" : {\"work\" : \"'x | y'\", \"runs\" : 1, \"seconds\" : 0.5, \"exit-status\" : 0, "   \
    "\"environment\" : {\"machine\" : \"" machine "\"}}}\n"

typedef struct files {
    char folder[32], old[48], new[48], other[48];
} files;

static void put(char *path, size_t room, const char *folder, const char *name, const char *text)
{
    snprintf(path, room, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Reads grow by 3 %, writes stay. */
static int set_up(void **state)
{
    static files f = {.folder = "/tmp/boxscore-diff-XXXXXX"};
    memcpy(f.folder, "/tmp/boxscore-diff-XXXXXX", sizeof "/tmp/boxscore-diff-XXXXXX");
    assert_non_null(mkdtemp(f.folder));
    put(f.old, sizeof f.old, f.folder, "old",
        LINE("a::READS", "1000", BYTES("0.064")) LINE("a::WRITES", "5", "") LAST("m"));
    put(f.new, sizeof f.new, f.folder, "new",
        LINE("a::READS", "1030", BYTES("0.06592")) LINE("a::WRITES", "5", "") LAST("m"));
    put(f.other, sizeof f.other, f.folder, "other", LINE("a::READS", "1000", "") LAST("n"));
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    files *f = *state;
    char path[64];
    static const char *const names[] = {"old", "new", "other", "md", "xml", "out"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
        unlink(path);
    }
    return rmdir(f->folder);
}

static void as_text(void **state)
{
    const files *f = *state;
    char expected[1024];
    ran r = RUN("diff", "--all", f->old, f->new);
    snprintf(expected, sizeof expected,
             "\n Comparison of two runs:\n   old  %s: 'x | y'\n   new  %s: 'x | y'\n\n"
             "               old                new   change\n"
             "             1,000              1,030  +3.00 %%  lines   a::READS\n"
             "            0.0640             0.0659  +3.00 %%  MB      bytes\n"
             "                 5                  5    equal  lines   a::WRITES\n"
             "            0.5000             0.5000    equal  seconds time_elapsed\n\n",
             f->old, f->new);
    assert_string_equal(r.out, expected);
    assert_silent(&r);
    r = RUN("diff", f->old, f->new);
    assert_has(r.out,
               "new  change\n"
               "             1,000              1,030  +3.00 %  lines a::READS\n"
               "            0.0640             0.0659  +3.00 %  MB    bytes\n\n 2 equal\n\n");
    assert_silent(&r);
    r = RUN("diff", f->old, f->old);
    assert_has(r.out, "'x | y'\n\n 4 equal\n\n");
    assert_silent(&r);
}

/* Figures of four digits would be the same. */
static void close_figures(void **state)
{
    const files *f = *state;
    char script[256];
    snprintf(script, sizeof script,
             "cd %s && sed 's/0[.]064/0.064001/' old >out && \"$BOXSCORE\" diff old out && rm out",
             f->folder);
    ran r = run_shell(script);
    assert_has(r.out, "             0.064           0.064001  +0.0016 %  MB  bytes\n");
    assert_silent(&r);
}

/* Reads grow, are again as before, grow; only the second file has FLUSHES; FAULTS are always 0. */
static ran trend(const files *f, const char *options)
{
    char script[2048];
    snprintf(script, sizeof script,
             "cd %s || exit 9; zero='{\"unit\" : \"lines\", \"event\" : \"a::FAULTS\", "
             "\"value\" : 0, \"state\" : \"counted\", \"metrics\" : []}'\n"
             "for n in 1 2 3; do (echo \"$zero\"; cat $([ $n = 2 ] && echo new || echo old)) >$n; "
             "done\n"
             "sed -i 's/a::WRITES/a::FLUSHES/' 2; sed -i 's/1000/2000/' 3\n"
             "\"$BOXSCORE\" diff 1 2 3 %s; s=$?; rm 1 2 3; exit $s",
             f->folder, options);
    return run_shell(script);
}

static void trends(void **state)
{
    const files *f = *state;
    ran r = trend(f, "");
    assert_string_equal(r.out,
                        "\n Comparison of 3 runs; the change is that from the first to the last:\n"
                        "     1  1: 'x | y'\n     2  2: 'x | y'\n     3  3: 'x | y'\n\n"
                        "       1       2       3  change\n"
                        "       -       5       -             lines a::FLUSHES\n"
                        "   1,000   1,030   2,000  +100.00 %  lines a::READS\n"
                        "  0.0640  0.0659  0.0640      equal  MB    bytes\n"
                        "       5       -       5      equal  lines a::WRITES\n\n"
                        " 1 equal, or without a value, in all runs\n 1 always 0\n\n");
    assert_silent(&r);
    r = trend(f, "-x , --fail-if 'READS > +50%'");
    assert_string_equal(r.out, "where,what,unit,1,2,3,percent\n,a::FLUSHES,lines,,5,,\n"
                               ",a::READS,lines,1000,1030,2000,100\n"
                               ",bytes,MB,0.064,0.06592,0.064,0\n,a::WRITES,lines,5,,5,0\n"
                               "# READS > +50%: fails: 1,000 -> 2,000 lines (+100.00 %)\n");
    assert_int_equal(r.status, 3);
    ran_free(&r);
    r = trend(f, "-j");
    assert_string_equal(r.out,
                        "{\"runs\":[\"1\",\"2\",\"3\"]}\n"
                        "{\"event\":\"a::READS\",\"unit\":\"lines\",\"values\":[1000,1030,2000],"
                        "\"difference\":1000,\"percent\":100,\"changed\":true}\n"
                        "{\"metric\":\"bytes\",\"unit\":\"MB\",\"values\":[0.064,0.06592,0.064],"
                        "\"difference\":0,\"percent\":0,\"changed\":true}\n"
                        "{\"event\":\"a::WRITES\",\"unit\":\"lines\",\"values\":[5,null,5],"
                        "\"difference\":0,\"percent\":0,\"changed\":true}\n"
                        "{\"event\":\"a::FLUSHES\",\"unit\":\"lines\",\"values\":[null,5,null],"
                        "\"changed\":true}\n");
    assert_silent(&r);
    r = trend(f, "--markdown - -o /dev/null");
    assert_has(r.out, "### boxscore: 4 of 6 values changed\n\n"
                      "| where | what | 1 | 2 | 3 | unit | change |\n"
                      "| --- | --- | ---: | ---: | ---: | --- | ---: |\n"
                      "|  | a::FLUSHES | - | 5 | - | lines |  |\n"
                      "|  | a::READS | 1,000 | 1,030 | 2,000 | lines | +100.00 % |\n");
    assert_silent(&r);
    r = trend(f, "--all");
    assert_has(r.out, "equal  lines   a::FAULTS\n");
    assert_silent(&r);
    r = trend(f, "other"); /* of another machine */
    assert_has(r.err, "not compared: 'machine' is 'm' in 1 and 'n' in other");
    assert_int_equal(r.status, 1);
    ran_free(&r);
    r = trend(f, "-j -x ,");
    assert_has(r.err, "-j and -x ask for two formats");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

/* The exit status is 3 if any condition is true; all conditions are shown. */
static void conditions(void **state)
{
    const files *f = *state;
    ran r = RUN("diff", f->old, f->new, "--fail-if", "bytes > +2%", "--fail-if", "WRITES > 5");
    assert_int_equal(r.status, 3);
    assert_string_equal(r.err, "");
    assert_has(r.out, "\n bytes > +2%: fails: 0.0640 -> 0.0659 MB (+3.00 %)\n"
                      " WRITES > 5: passes: 5 -> 5 lines (equal)\n\n");
    ran_free(&r);
    r = RUN("diff", f->old, f->new, "--fail-if", "bytes > +3%", "--fail-if", "READS < -1%");
    assert_silent(&r);
    r = RUN("diff", f->new, f->old, "--fail-if", "bytes > +2%", "--fail-if", "READS < -1%");
    assert_int_equal(r.status, 3);
    ran_free(&r);
}

static void for_ci(void **state)
{
    const files *f = *state;
    char script[512];
    snprintf(script, sizeof script,
             "cd %s && \"$BOXSCORE\" diff old new --fail-if 'bytes > +2%%' --fail-if 'WRITES<6' "
             "--fail-if 'READS > 2000' --markdown md --junit xml -o out; echo $? && cat md xml",
             f->folder);
    ran r = run_shell(script);
    assert_string_equal(
        r.out,
        "3\n"
        "### boxscore: 2 of 4 values changed, 2 of 3 conditions fail\n\n"
        "- **fails**: `bytes > +2%`: 0.0640 → 0.0659 MB (+3.00 %)\n"
        "- **fails**: `WRITES<6`: 5 → 5 lines (equal)\n"
        "- passes: `READS > 2000`: 1,000 → 1,030 lines (+3.00 %)\n\n"
        "| where | what | old | new | unit | change | |\n"
        "| --- | --- | ---: | ---: | --- | ---: | --- |\n"
        "|  | a::READS | 1,000 | 1,030 | lines | +3.00 % |  |\n"
        "|  | bytes | 0.0640 | 0.0659 | MB | +3.00 % |  |\n\n"
        "<details><summary>2 equal values</summary>\n\n"
        "| where | what | old | new | unit | change | |\n"
        "| --- | --- | ---: | ---: | --- | ---: | --- |\n"
        "|  | a::WRITES | 5 | 5 | lines | equal |  |\n"
        "|  | time\\_elapsed | 0.5000 | 0.5000 | seconds | equal |  |\n\n"
        "</details>\n"
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"boxscore diff\" tests=\"3\" failures=\"2\" errors=\"0\">\n"
        "  <testcase classname=\"boxscore.diff\" name=\"bytes &gt; +2%\">\n"
        "    <failure message=\"bytes &gt; +2%: fails: 0.0640 -&gt; 0.0659 MB (+3.00 %)\"/>\n"
        "  </testcase>\n"
        "  <testcase classname=\"boxscore.diff\" name=\"WRITES&lt;6\">\n"
        "    <failure message=\"WRITES&lt;6: fails: 5 -&gt; 5 lines (equal)\"/>\n"
        "  </testcase>\n"
        "  <testcase classname=\"boxscore.diff\" name=\"READS &gt; 2000\">\n"
        "    <system-out>READS &gt; 2000: passes: 1,000 -&gt; 1,030 lines (+3.00 %)</system-out>\n"
        "  </testcase>\n"
        "</testsuite>\n");
    ran_free(&r);
}

static void as_json(void **state)
{
    const files *f = *state;
    ran r = RUN("diff", "-j", f->old, f->new, "--fail-if", "READS > +2%");
    assert_int_equal(r.status, 3);
    char *line = strtok(r.out, "\n");
    json_object *o = parse(line);
    assert_member(o, "event", "a::READS");
    assert_member(o, "old", "1000");
    assert_member(o, "new", "1030");
    assert_member(o, "difference", "30");
    assert_member(o, "percent", "3");
    json_object_put(o);
    for (char *next; (next = strtok(NULL, "\n"));)
        line = next;
    o = parse(line);
    assert_member(o, "condition", "READS > +2%");
    assert_member(o, "limit", "1020");
    assert_member(o, "fails", "true");
    json_object_put(o);
    ran_free(&r);
}

/* A run that lost a process is compared, and passes no condition: each format says why. */
static void incomplete_runs(void **state)
{
    const files *f = *state;
    char script[1200];
    snprintf(
        script, sizeof script,
        "cd %s && sed -i 's/\"exit-status\" : 0/&, \"remark\" : \"not counted: sh | "
        "(process 9)\"/' old\n\"$BOXSCORE\" diff old new --fail-if 'WRITES > 5' --markdown md "
        "--junit xml 2>&1; echo $?; head -4 md; cat xml\n\"$BOXSCORE\" diff -j old new "
        "--fail-if 'WRITES > 5' 2>/dev/null | grep -e incomplete -e judged\n"
        "sed 's/process 9/process 8/' old >new; \"$BOXSCORE\" diff old new --fail-if 'WRITES > "
        "5' 2>&1 >out | tail -1; \"$BOXSCORE\" diff old new --fail-if 'WRITES > 5' "
        "--accept-incomplete --junit xml | tail -2; \"$BOXSCORE\" diff old new | grep -c "
        "incomplete; grep -c -e '<properties>' -e '<property ' xml",
        f->folder);
    ran r = run_shell(script);
    assert_string_equal(
        r.out,
        "\n Comparison of two runs:\n   old  old: 'x | y'\n"
        "        incomplete: not counted: sh | (process 9)\n   new  new: 'x | y'\n\n"
        "               old                new   change\n"
        "             1,000              1,030  +3.00 %  lines a::READS\n"
        "            0.0640             0.0659  +3.00 %  MB    bytes\n\n"
        " 2 equal\n\n"
        " WRITES > 5: not judged: 5 -> 5 lines (equal); old is incomplete: not counted: sh | "
        "(process 9)\n\n"
        "boxscore: 1 of 1 conditions are not judged: old is incomplete: not counted: sh | "
        "(process 9)\n  hint: measure again so that the run sees everything, or both runs lack the "
        "same\n1\n"
        "### boxscore: 2 of 4 values changed, 0 of 1 conditions fail, 1 not judged\n\n"
        "- **incomplete**: the old run: not counted: sh \\| (process 9)\n"
        "- **not judged**: `WRITES > 5`: 5 → 5 lines (equal); old is incomplete: not counted: sh "
        "\\| (process 9)\n"
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"boxscore diff\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
        "  <properties>\n"
        "    <property name=\"incomplete-old\" value=\"not counted: sh | (process 9)\"/>\n"
        "  </properties>\n"
        "  <testcase classname=\"boxscore.diff\" name=\"WRITES &gt; 5\">\n"
        "    <error message=\"WRITES &gt; 5: not judged: 5 -&gt; 5 lines (equal); old is "
        "incomplete: "
        "not counted: sh | (process 9)\"/>\n  </testcase>\n</testsuite>\n"
        "{\"run\":\"old\",\"incomplete\":[\"not counted: sh | (process 9)\"]}\n"
        "{\"condition\":\"WRITES > 5\",\"limit\":5,\"old\":5,\"new\":5,\"beyond\":false,"
        "\"significant\":false,\"fails\":true,\"judged\":false}\n"
        "  hint: both runs lack the same: --accept-incomplete compares what they have\n"
        " WRITES > 5: passes: 5 -> 5 lines (equal)\n\n2\n3\n");
    ran_free(&r);
}

/* Lines that stat wrote when these metrics had other names, and a unit no comma. */
static const char of_before[] =
    "{\"counter-value\" : \"4800\", \"unit\" : \"lines\", \"event\" : \"p6::DCU_LINES_IN\", "
    "\"event-runtime\" : 276061, \"pcnt-running\" : 100.00, \"metric-value\" : 187.500000, "
    "\"metric-unit\" : \"per 1000 instructions dcu_mpki\", \"value\" : 4800, \"state\" : "
    "\"counted\", \"metrics\" : [{\"name\" : \"dcu_mpki\", \"value\" : 187.5, \"unit\" : \"per "
    "1000 "
    "instructions\"}]}\n"
    "{\"counter-value\" : \"275968\", \"unit\" : \"cycles\", \"event\" : "
    "\"p6::BUS_DRDY_CLOCKS:ANY\", \"event-runtime\" : 276061, \"pcnt-running\" : 100.00, "
    "\"metric-value\" : 99.966312, \"metric-unit\" : \"% bus_utilisation\", \"value\" : 275968, "
    "\"state\" : \"counted\", \"metrics\" : [{\"name\" : \"bus_utilisation\", \"value\" : "
    "99.96631179340798, \"unit\" : \"%\"}]}\n"
    "{\"counter-value\" : \"<not modelled>\", \"unit\" : \"branches\", \"event\" : "
    "\"p6::BR_MISS_PRED_RETIRED\", \"event-runtime\" : 0, \"pcnt-running\" : 0.00, \"value\" : "
    "null, \"state\" : \"not modelled\", \"metrics\" : [{\"name\" : \"branch_miss_ratio\", "
    "\"value\" : null, \"state\" : \"not modelled\", \"unit\" : \"%\"}]}\n"
    "{\"run\" : {\"work\" : \"workload 'stream,size=100K'\", \"runs\" : 1, \"seconds\" : "
    "0.000276061, \"exit-status\" : 0, \"environment\" : {\"boxscore\" : \"0.1.0\", \"machine\" : "
    "\"virtual:p6,part=plain\"}}}\n";

/* Metrics have one row, whatever they were called when the runs were saved, and conditions take
 * both names, also of two old runs and of two new ones. On another CPU the name is another's. */
static void former_names(void **state)
{
    const files *f = *state;
    char script[1600], old[48];
    put(old, sizeof old, f->folder, "old", of_before);
    snprintf(script, sizeof script,
             "cd %s && stat() { \"$BOXSCORE\" stat -w stream,size=100K -j -o new \"$@\"; }\n"
             "judge() { \"$BOXSCORE\" diff \"$1\" \"$2\" --fail-if 'bus_utilisation < 1 %%' "
             "--fail-if 'bus_utilization > 1 %%' --fail-if 'dcu_mpki < 1 per 1000 instructions' "
             ">out; echo $?; grep -c -e fails: -e passes: out; }\n"
             "stat --machine virtual:p6,part=plain -M bus_utilization,branch_miss_ratio,dcu_mpki\n"
             "judge old new; judge old old; judge new new; \"$BOXSCORE\" diff --all old new | "
             "awk '/_ratio|_util|mpki/ {print $NF}' | sort\n"
             "stat --machine virtual:nhmex,part=plain -M snoop_hitm_ratio; grep -o "
             "socket_snoop_hitm_ratio.*:"
             " new | cut -d'\"' -f1\n"
             "stat --machine virtual:skl,part=plain -M snoop_hitm_ratio; \"$BOXSCORE\" diff --all "
             "new new "
             "| grep -o '[a-z]*_*snoop_hitm_ratio'\n"
             "\"$BOXSCORE\" info bus_utilisation | head -1 | grep -o 'bus_utili.ation'\n",
             f->folder);
    ran r = run_shell(script);
    assert_string_equal(r.out, "3\n3\n3\n3\n3\n3\nbranch_mispredict_ratio\nbus_utilization\n"
                               "dcu_mpki\nsocket_snoop_hitm_ratio\nsnoop_hitm_ratio\n"
                               "bus_utilization\n");
    ran_free(&r);
}

static void what_is_refused(void **state)
{
    const files *f = *state;
    char expected[512];
    ran r = RUN("diff", f->old, f->other);
    snprintf(
        expected, sizeof expected,
        "boxscore: not compared: 'machine' is 'm' in %s and 'n' in %s\n  hint: measure both on "
        "the same machine, in the same environment, with the same options\n",
        f->old, f->other);
    assert_failed(&r, 1, expected);
    r = RUN("diff", f->old, f->new, "--fail-if", "byte > +2%");
    assert_failed(&r, 1,
                  "boxscore: neither run has this event or metric\n  byte > +2%\n  ^^^^\n"
                  "  hint: " BX_DID_YOU_MEAN_NAME("bytes") "\n");
    r = RUN("diff", f->old, "/nowhere");
    assert_failed(&r, 1, "boxscore: cannot read '/nowhere': No such file or directory\n");
    r = run("{\"event\" : \"x\", }\n", (const char *const[]){"diff", "-", f->new, NULL});
    assert_failed(&r, 1,
                  "boxscore: -: this is not a member's name in quotes\n  {\"event\" : \"x\", }\n"
                  "                  ^\n  hint: save runs with 'boxscore stat -j -o FILE'\n");
    r = RUN("diff", f->old, f->new, "--junit", "/nowhere/x");
    assert_failed(&r, 2,
                  "boxscore: --junit has a test case for each --fail-if, and there is none\n");
    r = RUN("diff", f->old, f->new, "--markdown", "/nowhere/x");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    ran_free(&r);
    r = RUN("diff", f->old);
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

/* Files saved by stat: two runs of the same workload are equal in everything, and a larger workload
 * is not. */
static void runs_of_stat(void **state)
{
    const files *f = *state;
    char script[1200];
    snprintf(
        script, sizeof script,
        "cd %s && stat() { \"$BOXSCORE\" stat --machine virtual:skl,part=plain -e DRAM_DATA_READS "
        "-j "
        "-o \"$@\"; } && diff() { \"$BOXSCORE\" diff --fail-if 'dram_bytes_read > +0%%' "
        "old \"$@\" >out; echo $?; }\n"
        "stat old -w stream,size=64K; stat new -w stream,size=64K; diff new\n"
        "grep -c equal out\n"
        "stat new -w stream,size=65K; diff new\n"
        "stat new -I 1us -w stream,size=64K; diff new 2>&1 | grep -o 'has intervals'\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain,cores=2 -e DRAM_DATA_READS -j -o new "
        "-w stream,size=64K; diff new 2>&1 | grep -o \"'machine' is.* in old\"\n",
        f->folder);
    ran r = run_shell(script);
    assert_string_equal(r.out,
                        "0\n2\n3\nhas intervals\n'machine' is 'virtual:skl,part=plain' in old\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(conditions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(for_ci, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(close_figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(incomplete_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(former_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_of_stat, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
