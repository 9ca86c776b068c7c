/* Mispredicted branches of programs, and their time: tests/tracer/predicted.c. */
#include "../cmocked.h"

#include "cli/run.h"
#include "tracer/counted.h"

#include <stdio.h>

enum { RANDOM = 100000, CHAIN = 7, MOST = 1000 }; /* MOST: cycles outside the rounds */

/* The counts of the program with so many arguments, including argv[0], less those without. */
static void counted_by(const char *events, const char *machine, unsigned arguments, int64_t *to,
                       unsigned n)
{
    uint64_t with[COUNTED_MOST], without[COUNTED_MOST];
    char program[64], options[120];

    snprintf(program, sizeof program, "${P}predicted%.*s", 2 * (int)(arguments - 1),
             " x x x x x x x");
    snprintf(options, sizeof options, "--machine virtual:%s", machine);
    count_them(events, options, program, with);
    count_them(events, options, "${P}predicted", without);
    for (unsigned i = 0; i < n; i++)
        to[i] = (int64_t)(with[i] - without[i]);
}

/* docs/explanation/model-branches.md, "By hand". The branches of _start and at the end come with
 * some of their own, once. */
static void of_the_p6_family(void **state)
{
    (void)state;
    const char *events = "BR_MISS_PRED_RETIRED,BR_MISS_PRED_TAKEN_RET,BTB_MISSES,BACLEARS,BR_BOGUS";
    int64_t n[5];

    counted_by(events, "p6,part=plain", 2, n, 5);
    assert_in_range(n[0], 3, 8);
    counted_by(events, "p6,part=plain", 3, n, 5);
    assert_in_range(n[0], 3, 30);
    counted_by(events, "p6,part=plain", 4, n, 5);
    assert_in_range(n[0], RANDOM * 45 / 100, RANDOM * 55 / 100);
    assert_in_range(n[1], n[0] / 4, n[0] * 3 / 4);
    counted_by(events, "p6,part=plain", 5, n, 5); /* each call goes elsewhere than the one before */
    assert_in_range(n[0], 1000, 1010);
    counted_by(events, "p6,part=plain", 6, n, 5); /* four of 20 returns */
    assert_in_range(n[0], 4 * 1000, 4 * 1000 + 1020);
    assert_int_equal(n[4], 0);
    counted_by(events, "p6,part=plain", 7, n, 5);
    assert_int_equal(n[4], 1);
}

/* They know alternating branches and targets. */
static void of_later_cores(void **state)
{
    (void)state;
    static const char *const machines[] = {"skl,part=plain", "ivbep,part=plain",
                                           "nhmex,part=plain"};
    static const char *const events[] = {"BR_MISP_RETIRED:ALL_BRANCHES,BR_MISP_RETIRED:CONDITIONAL",
                                         "BR_MISP_EXEC:ALL_BRANCHES,BR_MISP_EXEC:ALL_CONDITIONAL",
                                         "BR_MISP_EXEC:ANY,BR_MISP_EXEC:COND"};
    for (unsigned i = 0; i < 3; i++) {
        int64_t n[2];
        for (unsigned arguments = 2; arguments <= 5; arguments++) {
            counted_by(events[i], machines[i], arguments, n, 2);
            if (arguments == 4)
                assert_in_range(n[1], RANDOM * 45 / 100, RANDOM * 55 / 100);
            else
                assert_in_range(n[0], 0, 60);
        }
        counted_by(events[i], machines[i], 6, n, 2);
        assert_in_range(n[0] - n[1], 4 * 1000, 4 * 1000 + 10);
    }
}

/* A round takes its chain, and what a misprediction costs: 17 cycles with one in two rounds of 20.
 * The rest of a round, `dec` and `jnz`, is a block of its own, and takes one more. */
static void they_take_time(void **state)
{
    (void)state;
    const char *events = "CPU_CLK_UNHALTED:THREAD_P,BR_MISP_RETIRED:ALL_BRANCHES";
    int64_t with[2], without[2];

    counted_by(events, "skl,part=plain,width=4,mispredict=20", 4, with, 2);
    counted_by(events, "skl,part=plain,width=4", 4, without, 2);
    assert_int_equal(with[1], without[1]);
    assert_int_equal(with[0] - without[0], 20 * with[1]);
    assert_in_range(without[0], CHAIN * RANDOM, (CHAIN + 1) * RANDOM + MOST);
    counted_by("CPU_CLK_UNHALTED,BR_MISS_PRED_RETIRED", "p6,part=plain", 4, with, 2);
    counted_by("CPU_CLK_UNHALTED,BR_MISS_PRED_RETIRED", "p6,part=plain,mispredict=0", 4, without,
               2);
    assert_int_equal(with[1], without[1]);
    /* Its bus has a clock of its own, and decoders also wait for branches. */
    assert_in_range(with[0] - without[0], 12 * with[1] - MOST, 12 * with[1] + MOST);
}

/* What nobody predicts is not predicted wrongly: no count, whatever the machine. */
static void nobody_predicts(void **state)
{
    (void)state;
    static const char *const events[][2] = {
        {"virtual:skl,part=plain,predictor=none", "BR_MISP_RETIRED:ALL_BRANCHES"},
        {"virtual:ivbep,part=plain,predictor=none", "BR_MISP_EXEC:ALL_CONDITIONAL"},
        {"virtual:nhmex,part=plain,predictor=none", "BR_MISP_EXEC:ANY"},
        {"virtual:p6,part=plain,predictor=none", "BR_MISS_PRED_RETIRED"},
        {"virtual:p6,part=plain,predictor=none", "BTB_MISSES"},
        {"virtual:skl,part=plain,predictor=none,mispredict=20", "CYCLES_BRANCH"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        ran r = RUN("stat", "-x", ",", "--machine", events[i][0], "-e", events[i][1], "--workload",
                    "stream,size=4K");
        assert_has_state(r.out, "", BX_NOT_MODELLED, ",");
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_p6_family),
        cmocka_unit_test(of_later_cores),
        cmocka_unit_test(they_take_time),
        cmocka_unit_test(nobody_predicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
