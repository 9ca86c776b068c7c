/* `boxscore stat` from the event string to the printed number, on the virtual machine. */
#include "../cmocked.h"

#include "cli/run.h"

#include "base/str.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT   "stat", "--machine", "virtual:skl,part=plain"
#define LOOKUP "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP"
#define RANDOM "random,size=1M,iterations=20000"

/* The integer value of an event in JSON lines; n chooses among several lines of the event. */
static uint64_t value_at(const char *json, const char *event, unsigned n)
{
    char name[128];
    snprintf(name, sizeof name, "\"event\" : \"%s\"", event);
    const char *at = strstr(json, name);
    while (n-- > 0 && at)
        at = strstr(at + 1, name);
    if (!at)
        fail_msg("no %s in:\n%s", event, json);
    const char *line = at;
    while (line > json && line[-1] != '\n')
        line--;
    const char key[] = "\"counter-value\" : \"";
    const char *value = strstr(line, key);
    assert_true(value && value < at);
    char *end;
    uint64_t number = strtoull(value + strlen(key), &end, 10);
    assert_int_equal(*end, '"');
    return number;
}

static uint64_t value_of(const char *json, const char *event)
{
    return value_at(json, event, 0);
}

static unsigned lines_of(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static ran succeeded(ran r)
{
    if (r.status)
        fail_msg("exit status %d:\n%s", r.status, r.err);
    return r;
}

/* ---- counts ---- */

/* docs/explanation/model-workloads.md: three arrays of 64 KiB, not cached: each line is read once.
 */
static void text(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-w", "stream,size=64K", "-e",
                          "UNC_CBO_CACHE_LOOKUP:READ_I,DRAM_DATA_READS,DRAM_GT_REQUESTS"));
    assert_string_equal(r.err, "");
    assert_has(r.out, " for workload 'stream,size=64K' on virtual:skl,part=plain:\n\n");
    assert_has(r.out, "\n             3,072 lookups        " LOOKUP ":READ_I\n");
    assert_has(r.out, "\n             3,072 64 B transfers skl_unc_imc::DRAM_DATA_READS ");
    assert_has(r.out, " #    0.1966 MB dram_bytes_read\n"); /* 3,072 x 64 */
    assert_has(r.out, "\n                 0 requests       skl_unc_imc::DRAM_GT_REQUESTS\n");
    assert_has(r.out, " (virtual time: ");
    ran_free(&r);
}

static void runs_are_equal(void **unused)
{
    (void)unused;
    ran a = succeeded(RUN(STAT, "-w", RANDOM));
    ran b = succeeded(RUN(STAT, "-w", RANDOM));
    assert_string_equal(a.out, b.out);
    ran_free(&a);
    ran_free(&b);
}

/* Without -e, all parts of the uncore are counted; --all shows them. Without --machine and without
 * a usable host (an empty folder), the first line names the virtual machine. */
static void defaults(void **unused)
{
    (void)unused;
    char host[] = "/tmp/boxscore-stat-XXXXXX";
    assert_non_null(mkdtemp(host));
    ran r = succeeded(RUN("stat", "--root", host, "--all", "-w", RANDOM));
    const char note[] = "# counted on a virtual machine, virtual:skl,part=i7-6700k: ";
    assert_memory_equal(r.out, note, strlen(note));
    assert_has(r.out, LOOKUP ":ANY_I ");
    assert_has(r.out, "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL ");
    assert_has(r.out, "skl_unc_imc::DRAM_DATA_WRITES ");
    assert_has(r.out, "skl_unc_clock::UNC_CLOCK:SOCKET\n");
    assert_has(r.out, "% llc_miss_ratio");
    ran_free(&r);
    /* JSON output has no additional line of text. */
    r = succeeded(RUN("stat", "--root", host, "-j", "-w", RANDOM));
    assert_int_equal(r.out[0], '{');
    assert_has(r.err, "counted on a virtual machine, virtual:skl,part=i7-6700k: ");
    ran_free(&r);
    rmdir(host);
}

/* The first screen of each machine: short lines, and each word is one that the other commands know.
 */
static void first_screen(void **unused)
{
    (void)unused;
    static const char *const cpus[] = {"skl", "ivbep", "nhmex", "p6"};
    static const char *const lines[] = {
        "task-clock cycles instructions branches cache-misses dram_bytes_read dram_bytes_written "
        "hitm ",
        "task-clock cycles instructions branches cache-misses dram_bytes_read dram_bytes_written "
        "remote_share hitm ",
        "task-clock cycles instructions branches cache-misses dram_bytes_read dram_bytes_written "
        "remote_share ",
        "task-clock cycles instructions branches cache-misses bus_bytes bus_utilization "};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        char script[1024];
        snprintf(
            script, sizeof script,
            "m=virtual:%s; $BOXSCORE stat --machine $m -w stream,size=64K >$$.out || exit 9\n"
            "[ $(awk 'length > 80' $$.out | wc -l) = 0 ] || exit 8\n"
            "tail -2 $$.out | grep -q '^ *[0-9.]* seconds time elapsed' || exit 7\n"
            "for w in $(sed -n '4,/^$/p' $$.out | sed -E 's/^ *[^ ]+ +(msec|MB|%%)? *([^ ]+).*/"
            "\\2/'); do printf '%%s ' $w\n"
            "  $BOXSCORE list --cpu %s $w | grep -qw -- $w || echo NOT LISTED\n"
            "  $BOXSCORE info --cpu %s $w >$$.info || echo NOT EXPLAINED\n"
            "  $BOXSCORE stat --machine $m -w stream,size=4K -e $w >$$.info 2>&1 ||\n"
            "  $BOXSCORE stat --machine $m -w stream,size=4K -M $w >$$.info || echo NOT COUNTED\n"
            "done; rm -f $$.out $$.info\n",
            cpus[i], cpus[i], cpus[i]);
        ran r = run_shell(script);
        assert_int_equal(r.status, 0);
        assert_string_equal(r.out, lines[i]);
        ran_free(&r);
    }
}

/* One run per pass, without sampling: sums are exact. */
/* perf's options choose groups: each CPU's, and more with each letter. -v shows on standard error
 * what `plan` says, and changes nothing else. */
static void options_of_perf(void **unused)
{
    (void)unused;
    static const struct {
        const char *machine, *option, *has, *lacks;
    } cases[] = {
        {"virtual:skl,part=plain", "-d", "llc_miss_ratio", "dtlb_walk_mpki"},
        {"virtual:skl,part=plain", "-dd", "dtlb_walk_mpki", "l2_load_bytes"},
        {"virtual:nhmex,part=plain", "-ddd", "dtlb_walk_mpki", "cycles_base"},
        {"virtual:p6,part=plain", "-d", "l2_miss_ratio", "cycles_base"},
        {"virtual:p6,part=plain", "--topdown", "cycles_base", "l2_miss_ratio"},
        {"virtual:ivbep,part=plain", "--topdown", "branch_mispredict_ratio", "llc_miss_ratio"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = succeeded(RUN("stat", "--machine", cases[i].machine, "-w", "stream,size=64K",
                              "--metric-only", cases[i].option));
        if (!strstr(r.out, cases[i].has) || strstr(r.out, cases[i].lacks))
            fail_msg("%s %s:\n%s", cases[i].machine, cases[i].option, r.out);
        ran_free(&r);
    }
    ran plain = succeeded(RUN(STAT, "-w", "stream,size=64K", "-e", "UNC_CLOCK,cycles")),
        told = succeeded(RUN(STAT, "-w", "stream,size=64K", "-e", "UNC_CLOCK,cycles", "-v")),
        plan = succeeded(RUN("plan", "--machine", "virtual:skl,part=plain", "UNC_CLOCK,cycles"));
    assert_string_equal(plain.out, told.out);
    assert_string_equal(plain.err, "");
    assert_string_equal(told.err, plan.out);
    ran_free(&plain);
    ran_free(&told);
    ran_free(&plan);
}

static void repeated_passes_are_exact(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-j", "-w", RANDOM, "--passes", "repeat"));
    assert_has_not(r.out, "<not");
    for (const char *p = r.out; (p = strstr(p, "\"pcnt-running\" : ")); p++)
        assert_memory_equal(p, "\"pcnt-running\" : 100.00", 23);
    uint64_t all = value_of(r.out, LOOKUP ":ANY_MESI");
    uint64_t missed = value_of(r.out, LOOKUP ":ANY_I");
    assert_true(missed > 0);
    assert_int_equal(all,
                     value_of(r.out, LOOKUP ":ANY_M") + value_of(r.out, LOOKUP ":ANY_ES") + missed);
    /* Without devices, every lookup is a core's read or write-back. */
    assert_int_equal(all,
                     value_of(r.out, LOOKUP ":READ_MESI") + value_of(r.out, LOOKUP ":WRITE_MESI"));
    /* If a core's read misses, one line is read from memory, and one entry is added to the ARB. */
    assert_int_equal(value_of(r.out, LOOKUP ":READ_I"),
                     value_of(r.out, "skl_unc_imc::DRAM_DATA_READS"));
    assert_int_equal(value_of(r.out, "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL"),
                     value_of(r.out, "skl_unc_imc::DRAM_IA_REQUESTS"));
    ran_free(&r);
}

/* Counted one by one, in one pass each, the events have the same counts. */
static void repeated_passes_equal_single_events(void **unused)
{
    (void)unused;
    static const char *const events[] = {"ANY_M", "ANY_ES", "ANY_I", "ANY_MESI"};
    ran all = succeeded(RUN(STAT, "-j", "-w", RANDOM, "--passes", "repeat", "-e",
                            "UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_CBO_CACHE_LOOKUP:ANY_ES", "-e",
                            "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI"));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char name[64];
        snprintf(name, sizeof name, LOOKUP ":%s", events[i]);
        ran one = succeeded(RUN(STAT, "-j", "-w", RANDOM, "-e", name));
        assert_int_equal(value_of(one.out, name), value_of(all.out, name));
        ran_free(&one);
    }
    ran_free(&all);
}

/* One run, with a bank of registers for each pass, gives the same counts as one run per pass. */
static void all_at_once_is_exact(void **unused)
{
    (void)unused;
    ran repeated = succeeded(RUN(STAT, "-j", "-w", RANDOM, "--passes", "repeat"));
    ran once = succeeded(RUN(STAT, "-j", "-w", RANDOM));
    ran named = succeeded(RUN(STAT, "-j", "-w", RANDOM, "--passes=auto"));
    assert_string_equal(once.out, repeated.out);
    assert_string_equal(named.out, repeated.out);
    ran_free(&repeated);
    ran_free(&once);
    ran_free(&named);
}

/* Events that do not fit are multiplexed as on hardware: shares below 100 %, and no count is 0. */
static void rotated_passes_are_scaled(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-w", "random,size=1M,iterations=200000", "--passes=rotate", "-e",
                          "UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_CBO_CACHE_LOOKUP:ANY_ES,"
                          "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI"));
    assert_has(r.out, "%)\n");
    assert_has_not(r.out, "(0.00%)");
    assert_has_not(r.out, "<not");
    ran_free(&r);
}

static void units_add_up(void **unused)
{
    (void)unused;
    ran sums = succeeded(RUN(STAT, "-j", "-w", RANDOM, "-e", "UNC_CBO_CACHE_LOOKUP:READ_I"));
    ran units =
        succeeded(RUN(STAT, "-j", "--per-unit", "-w", RANDOM, "-e", "UNC_CBO_CACHE_LOOKUP:READ_I"));
    uint64_t total = 0;
    for (unsigned i = 0; i < 4; i++) { /* the slices of virtual:skl,part=plain */
        char unit[64];
        snprintf(unit, sizeof unit, "{\"package\" : 0, \"pmu-unit\" : \"C-Box %u\", ", i);
        assert_has(units.out, unit);
        total += value_at(units.out, LOOKUP ":READ_I", i);
    }
    assert_int_equal(lines_of(units.out), 4 + 1); /* plus the line of the run */
    assert_int_equal(total, value_of(sums.out, LOOKUP ":READ_I"));
    ran_free(&sums);
    ran_free(&units);
    ran text =
        succeeded(RUN(STAT, "--per-unit", "-w", RANDOM, "-e", "UNC_CBO_CACHE_LOOKUP:READ_I"));
    assert_has(text.out, "\nS0 C-Box 3 ");
    ran_free(&text);
}

static void intervals_add_up(void **unused)
{
    (void)unused;
    static const char *const events[] = {LOOKUP ":READ_I", "skl_unc_clock::UNC_CLOCK:SOCKET"};
    ran all = succeeded(
        RUN(STAT, "-j", "-w", RANDOM, "-e", "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CLOCK:SOCKET"));
    ran parts = succeeded(RUN(STAT, "-j", "-I", "10us", "-w", RANDOM, "-e",
                              "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CLOCK:SOCKET"));
    unsigned n = lines_of(parts.out) / 2;
    assert_true(n >= 3);
    for (size_t i = 0; i < 2; i++) {
        uint64_t sum = 0;
        for (unsigned k = 0; k < n; k++)
            sum += value_at(parts.out, events[i], k);
        assert_int_equal(sum, value_of(all.out, events[i]));
    }
    /* 10 us at 4 GHz; the line begins with the time. */
    assert_int_equal(value_of(parts.out, events[1]), 40000);
    assert_has(parts.out, "{\"interval\" : 0.000010000, ");
    assert_has(parts.out, "{\"interval\" : 0.000020000, ");
    ran_free(&all);
    ran_free(&parts);
}

static void intervals_as_text(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-I", "10us", "-w", RANDOM, "-e", "UNC_CLOCK:SOCKET"));
    assert_int_equal(r.out[0], '#');
    assert_has(r.out, "\n     0.000010000 ");
    assert_has(r.out, " 40,000 cycles skl_unc_clock::UNC_CLOCK:SOCKET\n");
    ran_free(&r);
}

/* The first screen has one row an interval, metrics too; the long form has a line for each value.
 */
static void intervals_in_rows(void **unused)
{
    (void)unused;
    static const char head[] = "#           time    task-clock        cycles  instructions ";
    ran r = succeeded(RUN(STAT, "-I", "10us", "-w", RANDOM));
    assert_int_equal(strncmp(r.out, head, sizeof head - 1), 0);
    assert_has(r.out, "\n     0.000010000 ");
    assert_has_not(r.out, "\n     0.000010000 0.01 msec");
    assert_ptr_equal(strstr(strstr(r.out, " 0.000010000 ") + 1, " 0.000010000 "), NULL);
    ran_free(&r);
    r = succeeded(RUN(STAT, "-I", "10us", "-w", RANDOM, "--long"));
    assert_has(strstr(strstr(r.out, " 0.000010000 ") + 1, " 0.000010000 "), " cycles");
    ran_free(&r);
    r = succeeded(RUN(STAT, "-I", "10us", "-w", RANDOM, "-M", "ipc,cpi", "--metric-only"));
    assert_has(r.out, "#           time                    ipc");
    assert_has(r.out, "\n     0.000010000 ");
    ran_free(&r);
}

/* With a given seed there is no deviation. Otherwise each run has another seed. */
static void repetitions(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-r", "3", "-w", RANDOM ",seed=7", "-e", "DRAM_DATA_READS"));
    assert_has(r.out, " (3 runs):\n");
    assert_has(r.out, "  ( +-  0.00% )\n");
    ran one = succeeded(RUN(STAT, "-j", "-w", RANDOM ",seed=7", "-e", "DRAM_DATA_READS"));
    ran three =
        succeeded(RUN(STAT, "-j", "-r", "3", "-w", RANDOM ",seed=7", "-e", "DRAM_DATA_READS"));
    assert_int_equal(value_of(one.out, "skl_unc_imc::DRAM_DATA_READS"),
                     value_of(three.out, "skl_unc_imc::DRAM_DATA_READS"));
    ran_free(&r);
    ran_free(&one);
    ran_free(&three);
    r = succeeded(RUN(STAT, "-r", "2", "-w", RANDOM, "-e", "DRAM_DATA_READS"));
    assert_has_not(r.out, "DRAM_DATA_READS  ( +-  0.00% )");
    ran_free(&r);
}

static void not_modelled(void **unused)
{
    (void)unused;
    ran r = succeeded(RUN(STAT, "-w", RANDOM, "-e", "UNC_ARB_COH_TRK_OCCUPANCY"));
    assert_has_state(r.out, "\n    ", BX_NOT_MODELLED,
                     " entry cycles skl_unc_arb::UNC_ARB_COH_TRK_OCCUPANCY:ALL\n");
    ran_free(&r);
    r = succeeded(RUN(STAT, "-j", "-w", RANDOM, "-e", "UNC_ARB_COH_TRK_OCCUPANCY"));
    assert_has_state(r.out, "{\"counter-value\" : \"", BX_NOT_MODELLED, "\", ");
    ran_free(&r);
}

static void assert_json_line(json_object *o)
{
    static const struct {
        const char *key;
        json_type type;
    } keys[] = {{"counter-value", json_type_string}, {"unit", json_type_string},
                {"event", json_type_string},         {"event-runtime", json_type_int},
                {"pcnt-running", json_type_double},  {"state", json_type_string},
                {"metrics", json_type_array}};
    json_object *value, *unit;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_true(json_object_object_get_ex(o, keys[i].key, &value));
        assert_int_equal(json_object_get_type(value), keys[i].type);
    }
    bool figure = json_object_object_get_ex(o, "metric-value", &value);
    assert_int_equal(json_object_object_get_ex(o, "metric-unit", &unit), figure);
    if (figure)
        assert_int_equal(json_object_get_type(value), json_type_double);
}

/* Every line is a JSON object with the keys that scripts depend on (docs/reference/stat-output.md),
 * with any options. */
static void json_is_json(void **unused)
{
    (void)unused;
    static const char *const options[] = {"--per-unit", "-I10us", "-r2", "--passes=repeat"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ran r = succeeded(RUN(STAT, "-j", options[i], "-w", RANDOM));
        bx_str rest = bx_str_of(r.out);
        while (rest.n) {
            bx_str line = bx_str_cut(&rest, '\n');
            enum json_tokener_error wrong;
            char *copy = strndup(line.p, line.n);
            json_object *o = json_tokener_parse_verbose(copy, &wrong);
            if (!o)
                fail_msg("%s: %s", json_tokener_error_desc(wrong), copy);
            assert_int_equal(json_object_object_get_ex(o, "run", NULL), rest.n == 0);
            if (rest.n)
                assert_json_line(o);
            json_object_put(o);
            free(copy);
        }
        ran_free(&r);
    }
}

static void csv(void **unused)
{
    (void)unused;
    ran r =
        succeeded(RUN(STAT, "-x,", "-w", "stream,size=64K", "-e", "UNC_CBO_CACHE_LOOKUP:READ_I"));
    const char begin[] = "3072,lookups," LOOKUP ":READ_I,";
    assert_memory_equal(r.out, begin, strlen(begin));
    assert_has(r.out, ",100.00,,\n");
    ran_free(&r);
    r = succeeded(RUN(STAT, "-x", "\\t", "-w", "stream,size=64K", "-e", "DRAM_DATA_READS"));
    assert_memory_equal(r.out, "3072\t64 B transfers\t", 20);
    ran_free(&r);
}

/* ---- programs ---- */

/* A program's output and exit status are passed on; the counts go to standard error. */
static void program(void **unused)
{
    (void)unused;
    ran r = RUN(STAT, "-e", "DRAM_DATA_READS", "--", "sh", "-c", "echo hello; exit 7");
    assert_int_equal(r.status, 7);
    assert_string_equal(r.out, "hello\n");
    assert_has(r.err, " for 'sh -c echo hello; exit 7' on virtual:skl,part=plain:\n");
    assert_has(r.err, " 64 B transfers skl_unc_imc::DRAM_DATA_READS ");
    ran_free(&r);
    r = RUN(STAT, "-e", "DRAM_DATA_READS", "sh", "-c", "kill -9 $$");
    assert_int_equal(r.status, 128 + 9);
    ran_free(&r);
}

static void program_with_standard_input(void **unused)
{
    (void)unused;
    ran r =
        run("to be counted\n", (const char *const[]){STAT, "-e", "DRAM_DATA_READS", "cat", NULL});
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "to be counted\n");
    ran_free(&r);
}

/* In seven passes the program runs once: it reads its input once, and writes its file once. */
static void program_runs_once(void **unused)
{
    (void)unused;
    ran r = run_shell("dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
                      "trap 'rm -rf \"$dir\"' EXIT\n"
                      "echo input >in && echo before >file\n"
                      "\"$BOXSCORE\" stat --machine virtual:skl,part=plain --all -o report -- tee "
                      "-a file <in >out ||"
                      " exit 1\n"
                      "cmp in out && [ \"$(cat file)\" = 'before\ninput' ] || exit 2\n"
                      "grep -q WRITE_ES report && ! grep '%)' report\n");
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

/* ---- files and signals ---- */

static void file(void **unused)
{
    (void)unused;
    ran r = run_shell("dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
                      "trap 'rm -rf \"$dir\"' EXIT\n"
                      "stat() { \"$BOXSCORE\" stat --machine virtual:skl,part=plain -w "
                      "stream,size=64K \"$@\"; }\n"
                      "umask 027\n"
                      "stat -o report -j && stat -j >direct && cmp report direct || exit 1\n"
                      "[ \"$(ls -A | tr '\\n' ' ')\" = 'direct report ' ] || exit 2\n"
                      "[ \"$(ls -l report | cut -c1-10)\" = "
                      "-rw-r----- ] || exit 3\n"
                      "ln -s report link && echo old >report && stat -o link -x, || exit 4\n"
                      "[ -h link ] && grep -q lookups report || exit 5\n"
                      "stat -o /dev/stdout -x, | cmp - report || exit 6\n"
                      "{ echo first; stat -o /dev/stdout -x,; } >both\n"
                      "{ echo first; cat report; } | cmp - both || exit 7\n"
                      "exec 3>gone && rm gone && stat -o /dev/fd/3 -x, && cmp /dev/fd/3 report && "
                      "[ -h /dev/stdout ] || exit 8\n");
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

/* The program's own output is not in the file. */
static void file_and_program(void **unused)
{
    (void)unused;
    ran r = run_shell(
        "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
        "trap 'rm -rf \"$dir\"' EXIT\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -e DRAM_DATA_READS -o report "
        "-- sh -c 'echo out; echo err >&2'\n"
        "grep -q DRAM_DATA_READS report\n");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "out\n");
    assert_string_equal(r.err, "err\n");
    ran_free(&r);
}

/* If a signal stops stat, the counts so far are shown, and the exit status has the signal. */
static void signal_ends_a_workload(void **unused)
{
    (void)unused;
    ran r = run_shell(
        "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
        "trap 'rm -rf \"$dir\"' EXIT\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -I 1 -x, -e UNC_CLOCK:SOCKET "
        "-w random,iterations=1000000000 >report & pid=$!\n"
        "while ! [ -s report ]; do sleep 0.02; done\n"
        "kill -TERM $pid; wait $pid; echo $?\n"
        "sed 's/^[^,]*,//; 1q' report\n");
    assert_string_equal(r.out,
                        "143\n4000000,cycles,skl_unc_clock::UNC_CLOCK:SOCKET,1000000,100.00,,\n");
    ran_free(&r);
}

/* Each interval is added to the file. An older file stays until the first interval, and if there is
 * none. */
static void file_of_intervals_grows(void **unused)
{
    (void)unused;
    ran r = run_shell(
        "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
        "trap 'rm -rf \"$dir\"' EXIT\n"
        "what='stat --machine virtual:skl,part=plain -e UNC_CLOCK:SOCKET -o report -I 1 -j'\n"
        "echo old >report\n"
        "\"$BOXSCORE\" $what -w stream,size=1X 2>/dev/null && exit 1\n"
        "[ \"$(cat report)\" = old ] && [ \"$(ls -A)\" = report ] || exit 2\n"
        "\"$BOXSCORE\" $what -w random,iterations=1000000000 & pid=$!\n"
        "while ! grep -q '\"interval\" : 0.002' report; do sleep 0.02; done\n"
        "grep -q '\"run\"' report && exit 3\n"
        "kill -TERM $pid; wait $pid; echo $?\n"
        "[ \"$(ls -A)\" = report ] || exit 4\n"
        "tail -n1 report | grep -o '\"interrupted.*so far\"'\n");
    assert_string_equal(r.out, "143\n\"interrupted\" : \"SIGTERM\", \"remark\" : "
                               "\"interrupted by SIGTERM: these are the counts so far\"\n");
    assert_string_equal(r.err, "boxscore: interrupted by SIGTERM: these are the counts so far\n");
    ran_free(&r);
}

/* A run that a signal cut short is not part of the mean. */
static void signal_ends_repetitions(void **unused)
{
    (void)unused;
    ran r = run_shell(
        "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
        "trap 'rm -rf \"$dir\"' EXIT\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -r 5 -e UNC_CLOCK -o report -- sh -c "
        "'[ -e first ] && { kill -INT $PPID; while :; do :; done; }; >first; exit 0'\n"
        "grep interrupted report\n");
    assert_has(r.out, "interrupted by SIGINT: 1 of 5 runs were counted\n");
    ran_free(&r);
}

/* The program gets the signal and ends itself, and its counts are shown. */
static void signal_is_passed_on_to_a_program(void **unused)
{
    (void)unused;
    ran r = run_shell(
        "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
        "trap 'rm -rf \"$dir\"' EXIT\n"
        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -o report -e DRAM_DATA_READS -- sh -c "
        "'trap \"echo bye; exit 5\" TERM; : >ready; while :; do :; done' & pid=$!\n"
        "while ! [ -e ready ]; do sleep 0.02; done\n"
        "kill -TERM $pid; wait $pid; echo $?\n"
        "grep -c DRAM_DATA_READS report\n");
    assert_string_equal(r.out, "bye\n5\n1\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(defaults),
        cmocka_unit_test(first_screen),
        cmocka_unit_test(options_of_perf),
        cmocka_unit_test(repeated_passes_are_exact),
        cmocka_unit_test(repeated_passes_equal_single_events),
        cmocka_unit_test(all_at_once_is_exact),
        cmocka_unit_test(rotated_passes_are_scaled),
        cmocka_unit_test(units_add_up),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(intervals_as_text),
        cmocka_unit_test(intervals_in_rows),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(not_modelled),
        cmocka_unit_test(json_is_json),
        cmocka_unit_test(csv),
        cmocka_unit_test(program),
        cmocka_unit_test(program_with_standard_input),
        cmocka_unit_test(program_runs_once),
        cmocka_unit_test(file),
        cmocka_unit_test(file_and_program),
        cmocka_unit_test(signal_ends_a_workload),
        cmocka_unit_test(signal_is_passed_on_to_a_program),
        cmocka_unit_test(file_of_intervals_grows),
        cmocka_unit_test(signal_ends_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
