/* Programs that choose CPUs and memory nodes: what they are told, where they run, and what the
 * machine counts. docs/explanation/model-programs.md and model-memory.md. */
#include "../cmocked.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER = 4096 };

#define PLACED "traced_placed "

/* The first lines that `boxscore stat` with these options writes, or its program. before: words in
 * front; program: its name and arguments. */
static const char *run(const char *before, const char *options, const char *program, bool counts)
{
    static char answer[ANSWER];
    char command[4096];
    snprintf(command, sizeof command, "%s %s stat %s %s -- %s%s%s", before, getenv("BOXSCORE"),
             options, counts ? "-x , -o /dev/stdout" : "-e INSTR_RETIRED_ANY -o /dev/null",
             *program == '/' ? "" : getenv("BUILD_ROOT"), *program == '/' ? "" : "/tests/tracer/",
             program);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    answer[fread(answer, 1, sizeof answer - 1, f)] = '\0';
    assert_int_equal(pclose(f), 0);
    return answer;
}

/* The first number of line n, after "S0,core 3," if it has that. */
static uint64_t value(const char *lines, unsigned n)
{
    while (n-- && (lines = strchr(lines, '\n')))
        lines++;
    assert_non_null(lines);
    if (*lines == 'S')
        for (int comma = 0; comma < 2; comma++)
            lines = strchr(lines, ',') + 1;
    return strtoull(lines, NULL, 10);
}

/* ---- memory ---- */

/* Nodes of a page bound to node 1, of a written one, of one that was never touched; of one that is
 * not mapped; the policies of two; then all pages, before and after they move: -2 is ENOENT, -14
 * EFAULT, for the page of zeros. As move_pages(2) and get_mempolicy(2) have them. */
static void programs_are_told_where_pages_are(void **state)
{
    (void)state;
    assert_string_equal(
        run("", "--machine virtual:ivbep,part=plain,packages=2", PLACED "pages", false),
        "1 0 0 -14 2:2 0:0 | 1 1 -2 -2 -2 0 -2 -2 -14 -2 -2 -2 -2 -2 -2 -2 "
        "| 1 0 -2 -2 -2 1 -2 -2 -14 -2 -2 -2 -2 -2 -2 -2 \n");
}

/* By hand, as do_migrate_pages() of Linux: each node of the first mask goes to the one at the same
 * position of the second one. The last ones go first, so no page moves twice. If the masks have
 * different numbers of nodes, those in both keep their pages. Nodes that there are not: EPERM;
 * none: EINVAL. */
static void pages_of_nodes_move(void **state)
{
    (void)state;
    static const struct {
        const char *masks, *nodes;
    } of[] = {{"1 8", "0: 3 1 2 3 | \n"},
              {"3 c", "0: 2 3 2 3 | \n"},
              {"7 e", "0: 1 2 3 3 | \n"},
              {"3 3", "0: 0 1 2 3 | \n"},
              {"6 4 f 1", "0: 0 2 2 3 | 0: 0 0 0 0 | \n"},
              {"7 3", "0: 0 1 0 3 | \n"},
              {"0 2 1 10 1 0", "0: 0 1 2 3 | -1: 0 1 2 3 | -22: 0 1 2 3 | \n"}};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        char program[128];
        snprintf(program, sizeof program, PLACED "migrate %s", of[i].masks);
        assert_string_equal(
            run("", "--machine virtual:nhmex,part=plain,packages=4", program, false), of[i].nodes);
    }
}

static void maps_have_pages_and_policies(void **state)
{
    (void)state;
    assert_string_equal(run("", "--machine virtual:ivbep,packages=2", PLACED "maps", false),
                        "0 bind:1 anon=2 dirty=2 N1=2 kernelpagesize_kB=4\n"
                        "4000 default anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n1\n");
}

static void files_have_the_nodes_of_the_machine(void **state)
{
    (void)state;
    assert_string_equal(
        run("", "--machine virtual:ivbep,part=plain,packages=2", PLACED "topology", false),
        "2|12|1|10-19|000ffc00|-1-1\n");
    assert_string_equal(
        run("", "--machine virtual:ivbep,part=plain,packages=2", PLACED "folder", false),
        ". .. has_cpu has_memory has_normal_memory node0 node1 online possible "
        ". .. cpulist cpumap distance meminfo "
        "0-1|10-19|000ffc00|20 10|0-1-1 Cpus_allowed:\t000fffff|"
        "Cpus_allowed_list:\t0-19|Mems_allowed:\t00000003|"
        "Mems_allowed_list:\t0-1|\n");
    assert_non_null(
        strstr(run("", "--machine virtual:nhmex,part=plain,packages=2,cores=2 --threads 1-3",
                   PLACED "folder", false),
               "0-1|1-2|00000006|20 10|"));
}

/* Two areas of 2 MiB are written; the second one is not to be huge: 1,024 pages, or 513. */
static void huge_pages_are_where_the_key_and_advice_say(void **state)
{
    (void)state;
    static const struct {
        const char *thp, *advice;
        bool huge;
    } cases[] = {{"never", "madvise", false},
                 {"madvise", "madvise", true},
                 {"madvise", "none", false},
                 {"always", "none", true}};
    uint64_t faults[4], walks[4];
    for (unsigned i = 0; i < 4; i++) {
        char options[256], program[64];
        snprintf(options, sizeof options,
                 "--machine virtual:skl,part=plain,tlb=on,thp=%s -e "
                 "page-faults,DTLB_STORE_MISSES:MISS_CAUSES_A_WALK",
                 cases[i].thp);
        snprintf(program, sizeof program, PLACED "huge %s", cases[i].advice);
        const char *lines = run("", options, program, true);
        faults[i] = value(lines, 0);
        walks[i] = value(lines, 1);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(faults[0] - faults[i], cases[i].huge ? 511 : 0);
        assert_in_range(walks[0] - walks[i], cases[i].huge ? 509 : 0, cases[i].huge ? 512 : 0);
    }
}

/* 1 MiB is written ten times and given back. MADV_DONTNEED: 256 page faults each time.
 * MADV_FREE: the pages stay. */
static void memory_that_is_given_back(void **state)
{
    (void)state;
    const char *options = "--machine virtual:skl,part=plain -e page-faults";
    uint64_t dropped = value(run("", options, PLACED "dontneed", true), 0);
    uint64_t kept = value(run("", options, PLACED "free", true), 0);
    assert_int_equal(dropped - kept, 9 * 256);
}

/* 5,000 prefetches of a page that is in memory and of 78 that are not: no page fault more than
 * for one page that is written. A machine without prefetches says how many it left out. */
static void prefetches_raise_no_page_fault(void **state)
{
    (void)state;
    const char *faults = "--machine virtual:skl,part=plain -e page-faults";
    uint64_t prefetched = value(run("", faults, PLACED "prefetch", true), 0);
    uint64_t least = value(run("", faults, PLACED "huge never", true), 0) - 1024;
    assert_int_equal(prefetched, least + 1);
    assert_non_null(
        strstr(run("", "--machine virtual:p6,part=plain -e INST_RETIRED", PLACED "prefetch", true),
               "5000 instructions that prefetch or flush lines moved none"));
}

/* ---- cores ---- */

/* The program's cores are those that did much: bit i for core i. */
static uint64_t busy(const char *before, const char *options, const char *program)
{
    char all[256];
    uint64_t mask = 0;
    snprintf(all, sizeof all, "%s --per-core -e INSTR_RETIRED_ANY", options);
    const char *lines = run(before, all, program, true);
    for (unsigned i = 0; *lines == 'S'; i++) {
        mask |= value(lines, 0) > 1000000 ? UINT64_C(1) << i : 0;
        lines = strchr(lines, '\n') + 1;
    }
    return mask;
}

static void threads_run_where_they_choose(void **state)
{
    (void)state;
    assert_int_equal(busy("", "--machine virtual:skl,part=plain", PLACED "pin 1 3"),
                     1 << 1 | 1 << 3);
    assert_int_equal(busy("", "--machine virtual:skl,part=plain", PLACED "pin 2 2"), 1 << 2);
    assert_int_equal(busy("", "--machine virtual:ivbep,part=plain,packages=2", PLACED "pin 9 19"),
                     1 << 9 | 1 << 19);
    assert_int_equal(busy("", "--machine virtual:skl,part=plain",
                          PLACED "limit 3 $BUILD_ROOT/tests/tracer/traced_placed write"),
                     1 << 3);
    assert_int_equal(busy("", "--machine virtual:skl,part=plain",
                          "/usr/bin/taskset -c 2 $BUILD_ROOT/tests/tracer/traced_placed write"),
                     1 << 2);
}

/* --threads names the cores, and the report says that the program's choice is not followed. */
static void the_option_overrides_them(void **state)
{
    (void)state;
    const char *options = "--machine virtual:skl,part=plain --threads 0,1";
    assert_int_equal(
        busy("", options, PLACED "limit 1 $BUILD_ROOT/tests/tracer/traced_placed write"), 1);
    const char *told =
        strstr(run("", "--machine virtual:skl,part=plain --threads 0,1 -e INSTR_RETIRED_ANY",
                   PLACED "limit 1 /bin/true 2>&1", true),
               "process ");
    assert_non_null(told);
    told += strlen("process ");
    told += strspn(told, "0123456789");
    static const char fact[] = " chooses its CPUs, but --threads says where its threads run";
    assert_memory_equal(told, fact, sizeof fact - 1);
}

static void a_team_runs_in_its_places(void **state)
{
    (void)state;
    char program[512];
    snprintf(program, sizeof program, "%s/tests/tracer/traced_team", getenv("BUILD_ROOT"));
    if (access(program, X_OK) != 0) {
        skip();
        return;
    }
    assert_int_equal(busy("OMP_NUM_THREADS=2 OMP_PLACES='{1},{3}' OMP_PROC_BIND=close",
                          "--machine virtual:skl,part=plain", "traced_team"),
                     1 << 1 | 1 << 3);
    /* Its first thread places the others before they run. */
    assert_int_equal(busy("OMP_NUM_THREADS=4 OMP_PLACES='{3},{1},{0},{2}' OMP_PROC_BIND=close",
                          "--machine virtual:skl,part=plain", "traced_team"),
                     1 << 0 | 1 << 1 | 1 << 2 | 1 << 3);
}

/* Threads that store to one line: a core that both run on has it; two cores take it over. */
static void only_different_cores_take_lines_over(void **state)
{
    (void)state;
    const char *options =
        "--machine virtual:skl,part=plain -e skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:HITM_XCORE";
    assert_in_range(value(run("", options, PLACED "pin 1 1", true), 0), 0, 100); /* of the start */
    assert_in_range(value(run("", options, PLACED "pin 1 2", true), 0), 1000, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_told_where_pages_are),
        cmocka_unit_test(pages_of_nodes_move),
        cmocka_unit_test(maps_have_pages_and_policies),
        cmocka_unit_test(files_have_the_nodes_of_the_machine),
        cmocka_unit_test(huge_pages_are_where_the_key_and_advice_say),
        cmocka_unit_test(memory_that_is_given_back),
        cmocka_unit_test(prefetches_raise_no_page_fault),
        cmocka_unit_test(threads_run_where_they_choose),
        cmocka_unit_test(the_option_overrides_them),
        cmocka_unit_test(a_team_runs_in_its_places),
        cmocka_unit_test(only_different_cores_take_lines_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
