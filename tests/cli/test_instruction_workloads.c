/* The workloads `instructions` and `branches`: what they make events count, by hand, from
 * docs/explanation/model-workloads.md and model-branches.md. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 12 };

/* The counts of events, joined by commas, in their order. Returns how many there are. */
static size_t count(const char *machine, const char *workload, const char *events,
                    uint64_t to[EVENTS])
{
    ran r = RUN("stat", "-x", ",", "--machine", machine, "-w", workload, "-e", events);
    size_t n = 0;

    assert_int_equal(r.status, 0);
    for (char *line = strtok(r.out, "\n"); line && n < EVENTS; line = strtok(NULL, "\n"))
        if (strstr(line, "::"))
            to[n++] = strtoull(line, NULL, 10);
    ran_free(&r);
    return n;
}

/* ---- each class ---- */

#define ROUNDS "100"

/* Per 100 rounds. Between the two divisions of a round are others, so both have the divider, for 37
 * cycles each. The first x87 instruction is not one after an MMX instruction. */
static void classes_of_the_p6(void **state)
{
    static const struct {
        const char *events;
        uint64_t counts[EVENTS];
    } row[] = {
        {"p6::INST_RETIRED,p6::MUL,p6::DIV,p6::CYCLES_DIV_BUSY,p6::FLOPS,p6::FP_COMP_OPS_EXE",
         {5300, 200, 200, 7400, 300, 500}},
        {"p6::SEGMENT_REG_LOADS,p6::MISALIGN_MEM_REF,p6::MMX_ASSIST,p6::FP_MMX_TRANS:TO_MMX,"
         "p6::FP_MMX_TRANS:TO_FP",
         {100, 200, 100, 100, 99}},
        {"p6::EMON_KNI_PREF_DISPATCHED:NTA,p6::EMON_KNI_PREF_DISPATCHED:WEAK,"
         "p6::EMON_KNI_INST_RETIRED:SCALAR,p6::EMON_KNI_COMP_INST_RET:SCALAR",
         {100, 400, 300, 200}},
        {"p6::BR_INST_RETIRED,p6::BTB_MISSES", {0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t found[EVENTS] = {0};
        count("virtual:p6,part=plain", "instructions,iterations=" ROUNDS, row[i].events, found);
        assert_memory_equal(found, row[i].counts, sizeof found);
    }
}

/* Operations of SSE and AVX count once, fused ones twice; conversions do not. A split access is one
 * instruction; the locked operation loads and stores. The string instruction asks for 32 lines in
 * turn, each once. */
static void on_later_cores(void **state)
{
    uint64_t found[EVENTS] = {0};
    const uint64_t skl[EVENTS] = {5300, 300, 800, 100, 100, 100, 400, 400, 300},
                   ivbep[EVENTS] = {300, 400, 300, 100, 32};
    (void)state;
    count("virtual:skl,part=plain", "instructions,iterations=" ROUNDS,
          "skl_core::INST_RETIRED:ANY_P,skl_core::MEM_INST_RETIRED:ALL_LOADS,"
          "skl_core::MEM_INST_RETIRED:ALL_STORES,skl_core::MEM_INST_RETIRED:LOCK_LOADS,"
          "skl_core::MEM_INST_RETIRED:SPLIT_LOADS,skl_core::MEM_INST_RETIRED:SPLIT_STORES,"
          "skl_core::FP_ARITH_INST_RETIRED:SCALAR_DOUBLE,"
          "skl_core::FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE,"
          "skl_core::FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE",
          found);
    assert_memory_equal(found, skl, sizeof found);
    memset(found, 0, sizeof found);
    count("virtual:ivbep,part=plain", "instructions,iterations=" ROUNDS,
          "ivbep_core::FP_COMP_OPS_EXE:X87,ivbep_core::FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE,"
          "ivbep_core::SIMD_FP_256:PACKED_SINGLE,"
          "ivbep_core::MEM_UOPS_RETIRED:SPLIT_LOADS,"
          "ivbep_unc_cbo::UNC_C_TOR_INSERTS:OPCODE:OPC_ITOM",
          found);
    assert_memory_equal(found, ivbep, sizeof found);
}

/* ---- branches ---- */

/* 7,000 iterations: branches, of these mispredicted, taken; misses of the buffer, of these found by
 * the decoder; bogus ones. The loop's branch is found by the decoder once, as it leads back. */
static void predictions_of_the_p6(void **state)
{
    static const struct {
        const char *pattern;
        uint64_t counts[EVENTS];
    } row[] = {
        /* 12 and 5 cycles: model-branches.md, "By hand" */
        {"alternating", {14000, 3, 3500 + 7000, 2, 1, 0, 3 * 12 + 5}},
        /* the first has no entry; after 0011, 1101, 1010 and 0100 comes 0, which each has to learn
         */
        {"seven", {14000, 5, 3000 + 7000, 2, 1, 0, 5 * 12 + 5}},
        {"loop", {8000, 1000, 6000 + 1000, 2, 2, 0, 1000 * 12 + 2 * 5}},
        /* the buffer has the last target: another one each time */
        {"jumps", {14000, 7000, 14000, 2, 1, 0, 7000 * 12 + 5}},
        {"calls", {10500, 3500, 10500, 5, 4, 0, 3500 * 12 + 4 * 5}},
        /* of 20 addresses the stack has 16; 170 rounds of 41, and 20 calls and 10 returns */
        {"recursion", {7170, 680, 7170, 4, 4, 0, 680 * 12 + 4 * 5}},
        {"changed", {10500, 0, 10500, 3501, 3501, 3500, 7001 * 5}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char workload[64];
        uint64_t found[EVENTS] = {0};
        snprintf(workload, sizeof workload, "branches,iterations=7000,pattern=%s", row[i].pattern);
        count("virtual:p6,part=plain", workload,
              "p6::BR_INST_RETIRED,p6::BR_MISS_PRED_RETIRED,p6::BR_TAKEN_RETIRED,p6::BTB_MISSES,"
              "p6::BACLEARS,p6::BR_BOGUS,p6_stalls::CYCLES_BRANCH",
              found);
        assert_memory_equal(found, row[i].counts, sizeof found);
    }
}

/* Later cores know all patterns but the coin, once learnt; and their return stack, too, has 16
 * addresses. BR_MISP_RETIRED of the client; BR_MISP_EXEC of the servers. */
static void predictions_of_later_cores(void **state)
{
    static const struct {
        const char *pattern;
        uint64_t least, most;
    } row[] = {
        {"alternating", 1, 70}, {"seven", 1, 70}, {"loop", 1, 70},         {"random", 3300, 3700},
        {"jumps", 1, 70},       {"calls", 1, 70}, {"recursion", 680, 720},
    };
    static const char *const cores[][2] = {
        {"virtual:skl,part=plain",
         "skl_core::BR_MISP_RETIRED:ALL_BRANCHES,skl_core::INST_RETIRED:ANY_P"},
        {"virtual:ivbep,part=plain",
         "ivbep_core::BR_MISP_EXEC:ALL_BRANCHES,ivbep_core::INST_RETIRED:ANY_P"},
        {"virtual:nhmex,part=plain", "nhmex_core::BR_MISP_EXEC:ANY,nhmex_core::INST_RETIRED:ANY_P"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (size_t k = 0; k < sizeof cores / sizeof *cores; k++) {
            char workload[64];
            uint64_t found[EVENTS] = {0};
            snprintf(workload, sizeof workload, "branches,iterations=7000,pattern=%s",
                     row[i].pattern);
            assert_int_equal(count(cores[k][0], workload, cores[k][1], found), 2);
            assert_in_range(found[0], row[i].least, row[i].most);
            assert_in_range(found[1], 63000, 70000); /* nine, or ten with the loop's branch */
        }
}

/* A misprediction costs an i7-6700K 20 cycles. */
static void they_take_time(void **state)
{
    uint64_t found[EVENTS] = {0};
    (void)state;
    count("virtual:skl", "branches,iterations=7000",
          "skl_core::BR_MISP_RETIRED:ALL_BRANCHES,skl_stalls::CYCLES_BRANCH", found);
    assert_int_equal(found[1], 20 * found[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_the_p6),     cmocka_unit_test(on_later_cores),
        cmocka_unit_test(predictions_of_the_p6), cmocka_unit_test(predictions_of_later_cores),
        cmocka_unit_test(they_take_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
