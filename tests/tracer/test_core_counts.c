/* Counts of core events of programs whose instructions are counted by hand, and by cachegrind. */
#include "../cmocked.h"

#include "tracer/counted.h"
#include "tracer/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct expected {
    const char *event;
    uint64_t count;
};

/* Counts the program's own accesses only, on this kind of machine. */
static void counts(const char *machine, const char *program, const struct expected *e, size_t n)
{
    char events[1024] = "", options[80];
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(events + at, sizeof events - at, "%s%s", i ? "," : "", e[i].event);
    snprintf(options, sizeof options, "--machine virtual:%s --kernel-accesses off", machine);
    counted is = count_events(events, options, program);
    assert_string_equal(is.by.err, "");
    for (size_t i = 0; i < n; i++)
        if (is.n[i] != e[i].count)
            fail_msg("%s: %" PRIu64 ", not %" PRIu64, e[i].event, is.n[i], e[i].count);
    ran_free(&is.by);
}

#define COUNTS(machine, program, ...)                                                              \
    do {                                                                                           \
        const struct expected these[] = {__VA_ARGS__};                                             \
        counts(machine, program, these, sizeof these / sizeof *these);                             \
    } while (0)

/* branches.c. Of each round: 4 instructions and a nop in three of four; 9; 17, of which 5 are the
 * four rounds of REP MOVSB and its end. Loads: 6 and 4, and the returns; stores: 1 and 4, and the
 * calls. */
enum {
    INSTRUCTIONS = 1 + 1000 * 4 + 750 + 1 + 100 * 9 + 3 + 50 * 17 + 3,
    CONDITIONAL = 2 * 1000 + 3 * 100 + 50,
    CONDITIONAL_TAKEN = 250 + 999 + 100 + 99 + 49,
    LOADS = 50 * 10 + 100,
    STORES = 50 * 5 + 100,
    SPLIT = 50,
};

#define BRANCHES "${P}branches"

static void branches_by_hand(void **state)
{
    (void)state;
    COUNTS("skl,part=plain", BRANCHES, {"INSTR_RETIRED_ANY", INSTRUCTIONS},
           {"INST_RETIRED:ANY_P", INSTRUCTIONS},
           {"BR_INST_RETIRED:ALL_BRANCHES", CONDITIONAL + 300},
           {"BR_INST_RETIRED:CONDITIONAL", CONDITIONAL},
           {"BR_INST_RETIRED:NOT_TAKEN", CONDITIONAL - CONDITIONAL_TAKEN},
           {"BR_INST_RETIRED:NEAR_TAKEN", CONDITIONAL_TAKEN + 300},
           {"BR_INST_RETIRED:NEAR_CALL", 100}, {"BR_INST_RETIRED:NEAR_RETURN", 100},
           {"MEM_INST_RETIRED:ALL_LOADS", LOADS}, {"MEM_INST_RETIRED:ALL_STORES", STORES},
           {"MEM_INST_RETIRED:SPLIT_LOADS", SPLIT}, {"MEM_INST_RETIRED:SPLIT_STORES", 0});
    COUNTS("ivbep,part=plain", BRANCHES, {"INSTR_RETIRED_ANY", INSTRUCTIONS},
           {"BR_INST_EXEC:TAKEN_CONDITIONAL", CONDITIONAL_TAKEN},
           {"BR_INST_EXEC:TAKEN_DIRECT_JUMP", 100}, {"BR_INST_EXEC:TAKEN_DIRECT_NEAR_CALL", 100},
           {"BR_INST_EXEC:TAKEN_INDIRECT_NEAR_RETURN", 100},
           {"BR_INST_EXEC:ALL_BRANCHES", CONDITIONAL + 300}, {"MEM_UOPS_RETIRED:ALL_LOADS", LOADS},
           {"MISALIGN_MEM_REF:LOADS", SPLIT});
    COUNTS("nhmex,part=plain", BRANCHES, {"INSTR_RETIRED_ANY", INSTRUCTIONS},
           {"BR_INST_EXEC:COND", CONDITIONAL}, {"BR_INST_EXEC:DIRECT", 100},
           {"BR_INST_EXEC:NEAR_CALLS", 100}, {"BR_INST_EXEC:RETURN_NEAR", 100},
           {"BR_INST_EXEC:TAKEN", CONDITIONAL_TAKEN + 300}, {"BR_INST_EXEC:ANY", CONDITIONAL + 300},
           {"MEM_INST_RETIRED:LOADS", LOADS}, {"MEM_INST_RETIRED:STORES", STORES});
}

/* A replay, whose accesses are passed in other pieces, with all mechanisms of a part. */
static void whatever_the_machine_does(void **state)
{
    (void)state;
    COUNTS("skl,part=i7-6700k,memory=ddr4-2133", BRANCHES, {"INSTR_RETIRED_ANY", INSTRUCTIONS},
           {"BR_INST_RETIRED:CONDITIONAL", CONDITIONAL}, {"MEM_INST_RETIRED:ALL_LOADS", LOADS},
           {"MEM_INST_RETIRED:SPLIT_LOADS", SPLIT});
}

/* A program without a library: its environment makes no difference. */
static void as_cachegrind(void **state)
{
    (void)state;
    char path[4096], **environment = environ;
    snprintf(path, sizeof path, "%s/tests/tracer/traced_branches", getenv("BUILD_ROOT"));
    traced_setup();
    references its = cachegrind_references((char *[]){path, NULL});
    environ = environment;
    COUNTS("skl,part=plain", BRANCHES, {"INSTR_RETIRED_ANY", its.instructions},
           {"MEM_INST_RETIRED:ALL_LOADS", its.reads});
}

/* Each load hits L1D or comes from one other source, and so does each half of a split load. With
 * `locked`, loads of locked operations ask for ownership: such loads are stores to the caches. */
static void loads_have_sources(void **state)
{
    (void)state;
    const char *events = "MEM_INST_RETIRED:ALL_LOADS,MEM_INST_RETIRED:SPLIT_LOADS,"
                         "MEM_LOAD_RETIRED:L1_HIT,MEM_LOAD_RETIRED:FB_HIT,MEM_LOAD_RETIRED:L2_HIT,"
                         "MEM_LOAD_RETIRED:L3_HIT,MEM_LOAD_RETIRED:L3_MISS,LONGEST_LAT_CACHE:MISS,"
                         "UNC_CBO_CACHE_LOOKUP:READ_I,LONGEST_LAT_CACHE:REFERENCE,"
                         "UNC_CBO_CACHE_LOOKUP:READ_MESI,MEM_INST_RETIRED:LOCK_LOADS";
    static const char *const machines[] = {"skl,part=plain", "skl,part=i7-6700k,memory=ddr4-2133"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char options[80];
        uint64_t n[COUNTED_MOST];
        snprintf(options, sizeof options, "--machine virtual:%s", machines[i]);
        count_them(events, options, "sort -o /dev/null $SOURCE_ROOT/NEWS $SOURCE_ROOT/LICENSE", n);
        assert_true(n[0] > 100000);
        uint64_t stores = i ? n[11] : 0;
        assert_int_equal(n[0] + n[1] - stores, n[2] + n[3] + n[4] + n[5] + n[6]);
        assert_in_range(n[2], n[0] / 2, n[0] + n[1]);
        assert_in_range(n[6], 100, n[7]);
        assert_int_equal(n[7], n[8]);
        assert_int_equal(n[9], n[10]);
    }
}

/* lackey's text has no branches: the counts are unknown, not 0. */
static void by_lackey(void **state)
{
    (void)state;
    ran r =
        run_shell("BOXSCORE_TRACER=lackey \"$BOXSCORE\" stat --machine virtual:skl,part=plain -x , "
                  "-e INSTR_RETIRED_ANY,BR_INST_RETIRED:CONDITIONAL,MEM_INST_RETIRED:ALL_LOADS,"
                  "MEM_INST_RETIRED:LOCK_LOADS,MEM_INST_RETIRED:SPLIT_LOADS "
                  "-- $BUILD_ROOT/tests/tracer/traced_branches 2>&1");
    assert_has(r.out, "6508,instructions,skl_core::INSTR_RETIRED_ANY,");
    assert_has_state(r.out, "", BX_NOT_MODELLED,
                     ",branches,skl_core::BR_INST_RETIRED:CONDITIONAL,");
    assert_has(r.out, "600,instructions,skl_core::MEM_INST_RETIRED:ALL_LOADS,");
    assert_has_state(r.out, "", BX_NOT_MODELLED,
                     ",instructions,skl_core::MEM_INST_RETIRED:LOCK_LOADS,");
    assert_has(r.out, "50,instructions,skl_core::MEM_INST_RETIRED:SPLIT_LOADS,");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_by_hand), cmocka_unit_test(whatever_the_machine_does),
        cmocka_unit_test(as_cachegrind),    cmocka_unit_test(loads_have_sources),
        cmocka_unit_test(by_lackey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
