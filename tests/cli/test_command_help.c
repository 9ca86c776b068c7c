/* `boxscore help` of an event, unit mask, register or metric is what `boxscore info` tells about
 * it; and the workloads that make it count, which both find by running them. */
#include "../cmocked.h"

#include "cli/run.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void as_info(void **state)
{
    static const char *const names[] = {
        "UNC_CBO_CACHE_LOOKUP",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP",
        "UNC_CBO_CACHE_LOOKUP:ANY_I", /* an event string */
        "ANY_I",                      /* a unit mask */
        "MSR_UNC_CBO_0_PERFEVTSEL0",
        "0x700",
        "llc_miss_ratio", /* of several CPUs */
        "L2_RQSTS",       /* the same event of several CPUs */
        "L3CACHE",        /* a group of metrics */
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ran help = RUN("help", names[i]), info = RUN("info", names[i]);
        assert_true(*help.out);
        assert_string_equal(help.out, info.out);
        assert_silent(&help);
        assert_silent(&info);
    }
}

/* A page of the manual comes before a name of the catalogue. */
static void pages_first(void **state)
{
    (void)state;
    ran r = RUN("help", "skl_unc_cbo");
    assert_has(r.out, "boxscore-skl-cbo(7): ");
    assert_silent(&r);
}

static void mistakes(void **state)
{
    static const struct {
        const char *words[5];
        const char *err;
    } cases[] = {
        {{"help", "UNC_CBO_CACHE_LOKUP"},
         "boxscore: there is no help topic 'UNC_CBO_CACHE_LOKUP'\n"
         "  hint: " BX_DID_YOU_MEAN_NAME("UNC_CBO_CACHE_LOOKUP") "\n"},
        {{"help", "llc_mis_ratio"},
         "boxscore: there is no help topic 'llc_mis_ratio'\n"
         "  hint: " BX_DID_YOU_MEAN_NAME("llc_miss_ratio") "\n"},
        {{"help", "skl-cb"},
         "boxscore: there is no help topic 'skl-cb'\n  hint: " BX_DID_YOU_MEAN_NAME(
             "skl-cbo") "\n"},
        {{"help", "UNC_CBO_CACHE_LOOKUP:ANY_X"},
         "boxscore: UNC_CBO_CACHE_LOOKUP has no unit mask or modifier 'ANY_X'\n"
         "  UNC_CBO_CACHE_LOOKUP:ANY_X\n"
         "                       ^^^^^\n"
         "  hint: " BX_DID_YOU_MEAN_NAME("ANY_M") "\n"},
        {{"help", "--generate", "man", "DRAM_DATA_READS"},
         "boxscore: DRAM_DATA_READS has no page of its own, it is on the page of its PMU or CPU\n"
         "  hint: boxscore help DRAM_DATA_READS\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = run(NULL, cases[i].words);
        assert_failed(&r, 2, cases[i].err);
    }
}

/* ---- workloads ---- */

/* A row of a page without its line breaks; freed by the caller. */
static char *row_of(const char *page, const char *label)
{
    char start[32], *at;
    snprintf(start, sizeof start, "\n%-14s", label);
    const char *found = strstr(page, start);
    if (!found)
        return NULL;
    char *row = strdup(found + strlen(start));
    while ((at = strstr(row, "\n              ")))
        memmove(at + 1, at + 15, strlen(at + 15) + 1), *at = ' ';
    row[strcspn(row, "\n")] = '\0';
    return row;
}

/* The command that a page shows has a count other than 0. */
static void assert_counts(const char *page)
{
    char script[512], *line = row_of(page, "see it count");
    assert_non_null(line);
    assert_int_equal(strncmp(line, "boxscore stat ", 14), 0);
    snprintf(script, sizeof script, "$BOXSCORE stat -x , -o /dev/stdout %s", line + 14);
    ran r = run_shell(script);
    assert_true(strtod(r.out, NULL) > 0 || strstr(line, " -M "));
    assert_int_equal(r.status, 0);
    /* Nothing is said but the caution of requests to memory: 334060-001 table 3-3. */
    assert_true(!*r.err || (strstr(line, "_REQUESTS") && strstr(r.err, ": requests x 64 is not ")));
    ran_free(&r);
    free(line);
}

static void workloads_of(void **state)
{
    static const struct {
        const char *name, *workloads;
    } cases[] = {
        /* all that cores do; devices and graphics leave them halted */
        {"skl_core::CPU_CLK_UNHALTED_CORE",
         "stream, copy, chase, random, pingpong, sharing, lock, "
         "producer, transfer, code, nontemporal, instructions, branches"},
        /* those in which a core asks for lines that another one has written */
        {"UNC_CBO_XSNP_RESPONSE:HITM_XCORE", "pingpong, sharing, lock, producer, transfer"},
        {"DRAM_GT_REQUESTS", "gfx"},
        {"DRAM_IO_REQUESTS", "dma"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = RUN("help", "--workloads", cases[i].name);
        char *row = row_of(r.out, "workloads");
        assert_non_null(row);
        assert_string_equal(row, cases[i].workloads);
        free(row);
        assert_counts(r.out);
        assert_silent(&r);
    }
}

static void of_each_kind(void **state)
{
    static const char *const names[] = {"UNC_CBO_CACHE_LOOKUP", "llc_miss_ratio"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ran r = RUN("info", "--workloads", "--cpu", "skl", names[i]);
        assert_counts(r.out);
        assert_silent(&r);
    }
}

/* docs/reference/not-modelled.md */
static void not_modelled(void **state)
{
    static const char row[] = "not modelled: no virtual machine counts it";
    (void)state;
    ran r = RUN("info", "--workloads", "UNC_CBO_XSNP_RESPONSE:INVAL:XCORE_FILTER");
    char *found = row_of(r.out, "workloads");
    assert_non_null(found);
    assert_string_equal(found, row);
    assert_null(row_of(r.out, "see it count"));
    free(found);
    assert_silent(&r);
}

/* Rows of instructions that are no accesses. */
static void of_instructions(void **state)
{
    static const char *const names[] = {"p6::MUL", "p6::BUS_LOCK_CLOCKS", "p6::BR_BOGUS",
                                        "skl_core::BR_MISP_RETIRED:NEAR_CALL"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ran r = RUN("help", "--workloads", names[i]);
        assert_counts(r.out);
        assert_silent(&r);
    }
}

/* No workload has a kernel. */
static void of_a_kernel(void **state)
{
    (void)state;
    ran r = RUN("help", "--workloads", "skl_stalls::CYCLES_KERNEL");
    char *row = row_of(r.out, "workloads");
    assert_non_null(row);
    assert_string_equal(row, "none: it counts in programs");
    free(row);
    assert_counts(r.out);
    assert_silent(&r);
}

/* A unit mask that needs a value of a modifier is counted with one; an event that follows counter
 * 0, beside one that is there. */
static void with_what_it_needs(void **state)
{
    (void)state;
    ran r = RUN("help", "--workloads", "UNC_C_LLC_LOOKUP");
    assert_has(r.out, "NID");
    assert_counts(r.out);
    assert_silent(&r);
    r = RUN("help", "--workloads", "ivbep_unc_cbo::UNC_C_COUNTER0_OCCUPANCY");
    assert_counts(r.out);
    assert_silent(&r);
}

static void names(void **state)
{
    static const char *const lines[] = {
        "\nstat\n",
        "\nskl-cbo\n",
        "\nDRAM_DATA_READS\n",
        "\nskl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I\n",
        "\nMSR_UNC_CBO_0_PERFEVTSEL0\n",
        "\nllc_miss_ratio\n",
        "\nL3CACHE\n",
    };
    (void)state;
    ran r = RUN("help", "names");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_has(r.out, lines[i]);
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_info),
        cmocka_unit_test(pages_first),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(workloads_of),
        cmocka_unit_test(of_each_kind),
        cmocka_unit_test(not_modelled),
        cmocka_unit_test(of_instructions),
        cmocka_unit_test(of_a_kernel),
        cmocka_unit_test(with_what_it_needs),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
