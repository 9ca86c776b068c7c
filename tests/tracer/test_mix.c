/* The instruction mix of a program whose instructions are counted by hand, on the machines of the
 * P6 family: docs/explanation/model-p6.md, "The instruction mix". */
#include "../cmocked.h"

#include "tracer/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* traced_mix: mix.c has the instructions in this order, in 100 rounds. */
enum {
    TURNS = 100,
    MULTIPLY = 5,
    DIVIDE = 3,
    X87_COMPUTE = 6,
    X87_MULTIPLY = 2,
    X87_DIVIDE = 1,
    MMX_OTHER = 3,
    MMX_STORE = 1,
    MMX_MULTIPLY = 2,
    MMX_SHIFT = 3,
    MMX_PACK = 2,
    MMX_UNPACK = 1,
    MMX_LOGICAL = 4,
    MMX_PLAIN = 2,
    MMX_SATURATING = 3,
    MMX_WEAK = 1,
    EMMS = 1,
    WEAK_STORES = 5,
    PREFETCHES = 7, /* of all kinds */
    CALLS = 3,
    INDIRECT_CALLS = 2,
    INDIRECT_JUMPS = 1,
    JUMPS = 1,
    CONDITIONAL = 1,

    X87 = X87_COMPUTE + X87_MULTIPLY + X87_DIVIDE,
    MMX = MMX_OTHER + MMX_MULTIPLY + MMX_SHIFT + MMX_PACK + MMX_UNPACK + MMX_LOGICAL + MMX_PLAIN +
          MMX_SATURATING + EMMS,
    BRANCHES = 2 * CALLS + INDIRECT_JUMPS + JUMPS + CONDITIONAL,
};

typedef struct expected {
    const char *event;
    uint64_t n;
} expected;

static const expected of_all[] = {
    {"FLOPS", X87 *TURNS},
    {"FP_COMP_OPS_EXE", (X87 + MULTIPLY + DIVIDE) * TURNS},
    {"MUL", (MULTIPLY + X87_MULTIPLY) * TURNS},
    {"DIV", (DIVIDE + X87_DIVIDE) * TURNS},
    {"SEGMENT_REG_LOADS", 0}, /* Valgrind does not know them */
    {"BR_INST_RETIRED", BRANCHES *TURNS},
    {"BR_TAKEN_RETIRED", BRANCHES *TURNS - 1},
};

static const expected of_mmx[] = {
    {"MMX_SAT_INSTR_EXEC", (MMX_SATURATING + MMX_PACK) * TURNS},
    {"MMX_UOPS_EXEC", MMX *TURNS},
    {"MMX_INSTR_TYPE_EXEC:MUL", MMX_MULTIPLY *TURNS},
    {"MMX_INSTR_TYPE_EXEC:SHIFT", MMX_SHIFT *TURNS},
    {"MMX_INSTR_TYPE_EXEC:PACK", MMX_PACK *TURNS},
    {"MMX_INSTR_TYPE_EXEC:UNPACK", MMX_UNPACK *TURNS},
    {"MMX_INSTR_TYPE_EXEC:LOGICAL", MMX_LOGICAL *TURNS},
    {"MMX_INSTR_TYPE_EXEC:ARITH", (MMX_PLAIN + MMX_SATURATING) * TURNS},
    {"MMX_INSTR_TYPE_EXEC:MUL:SHIFT", (MMX_MULTIPLY + MMX_SHIFT) * TURNS},
    {"FP_MMX_TRANS:TO_FP", TURNS - 1},
    {"FP_MMX_TRANS:TO_MMX", TURNS},
    {"MMX_ASSIST", EMMS *TURNS},
};

static const expected of_pii[] = {
    {"MMX_INSTR_EXEC", MMX *TURNS},
    {"MMX_INSTR_RET", (MMX + MMX_STORE + MMX_WEAK) * TURNS},
};

static const expected of_prefetches[] = {
    {"EMON_KNI_PREF_DISPATCHED:NTA", 1 * TURNS},
    {"EMON_KNI_PREF_DISPATCHED:T1", 2 * TURNS},
    {"EMON_KNI_PREF_DISPATCHED:T2", 3 * TURNS},
    {"EMON_KNI_PREF_DISPATCHED:WEAK", WEAK_STORES *TURNS},
};

static const expected of_p6[] = {
    {"EMON_KNI_INST_RETIRED:PACKED_SCALAR", 8 * TURNS},
    {"EMON_KNI_INST_RETIRED:SCALAR", 4 * TURNS},
    {"EMON_KNI_COMP_INST_RET:PACKED_SCALAR", 4 * TURNS},
    {"EMON_KNI_COMP_INST_RET:SCALAR", 3 * TURNS},
};

static const expected of_pm[] = {
    {"EMON_SIMD_INSTR_RETIRED", (MMX + MMX_STORE + MMX_WEAK) * TURNS},
    {"EMON_SSE_SSE2_INST_RETIRED:SSE_PACKED_SCALAR_SINGLE", 8 * TURNS},
    {"EMON_SSE_SSE2_INST_RETIRED:SSE_SCALAR_SINGLE", 4 * TURNS},
    {"EMON_SSE_SSE2_INST_RETIRED:SSE2_PACKED_DOUBLE", 3 * TURNS},
    {"EMON_SSE_SSE2_INST_RETIRED:SSE2_SCALAR_DOUBLE", 3 * TURNS},
    {"EMON_SSE_SSE2_COMP_INST_RETIRED:SSE_PACKED_SCALAR_SINGLE", 4 * TURNS},
    {"EMON_SSE_SSE2_COMP_INST_RETIRED:SSE_SCALAR_SINGLE", 3 * TURNS},
    {"EMON_SSE_SSE2_COMP_INST_RETIRED:SSE2_PACKED_DOUBLE", 1 * TURNS},
    {"EMON_SSE_SSE2_COMP_INST_RETIRED:SSE2_SCALAR_DOUBLE", 2 * TURNS},
    {"BR_INST_EXEC", BRANCHES *TURNS},
    {"BR_CND_EXEC", CONDITIONAL *TURNS},
    {"BR_IND_EXEC", (INDIRECT_JUMPS + INDIRECT_CALLS) * TURNS},
    {"BR_RET_EXEC", CALLS *TURNS},
    {"BR_CALL_EXEC", CALLS *TURNS},
    {"BR_IND_CALL_EXEC", INDIRECT_CALLS *TURNS},
};

static void expect(const char *machine, const expected *e, size_t n)
{
    char events[2048] = "", options[64];
    char left_out[128];
    snprintf(options, sizeof options, "--machine virtual:%s", machine);
    for (size_t i = 0; i < n; i++) {
        strcat(events, i ? "," : "");
        strcat(events, e[i].event);
    }
    counted c = count_events(events, options, "${P}mix");
    for (size_t i = 0; i < n; i++)
        if (c.n[i] != e[i].n)
            fail_msg("%s of %s: %llu, not %llu", e[i].event, machine, (unsigned long long)c.n[i],
                     (unsigned long long)e[i].n);
    snprintf(left_out, sizeof left_out, "%d instructions that prefetch or flush lines moved none",
             PREFETCHES * TURNS);
    assert_has(c.by.err, left_out);
    assert_int_equal(c.by.status, 0);
    ran_free(&c.by);
}

#define EXPECT(machine, of) expect(machine, of, sizeof(of) / sizeof *(of))

static void what_all_have(void **state)
{
    (void)state;
    static const char *const machines[] = {"ppro", "pii", "p6,part=plain", "pm"};
    for (size_t i = 0; i < 4; i++)
        EXPECT(machines[i], of_all);
}

static void mmx(void **state)
{
    (void)state;
    EXPECT("pii", of_mmx);
    EXPECT("pii", of_pii);
    EXPECT("p6,part=plain", of_mmx);
    EXPECT("pm", of_mmx);
}

static void sse(void **state)
{
    (void)state;
    EXPECT("p6,part=plain", of_prefetches);
    EXPECT("p6,part=plain", of_p6);
    EXPECT("pm", of_prefetches);
}

static void of_the_pentium_m(void **state)
{
    (void)state;
    EXPECT("pm", of_pm);
}

/* The built-in workloads have none of these instructions. */
static void of_a_workload(void **state)
{
    (void)state;
    ran r = run_shell(
        "\"$BOXSCORE\" stat --machine virtual:p6,part=plain --workload stream,size=4K -x , "
        "-e MUL,BR_INST_RETIRED,MMX_ASSIST 2>&1");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "0,operations,p6::MUL,");
    assert_has(r.out, "0,branches,p6::BR_INST_RETIRED,");
    assert_has(r.out, "0,instructions,p6::MMX_ASSIST,");
    ran_free(&r);
}

/* lackey's text does not have these: the counts are unknown, not 0. */
static void by_lackey(void **state)
{
    (void)state;
    static const char *const untold[] = {
        ",operations,p6::FLOPS,",          ",branches,p6::BR_INST_RETIRED,",
        ",branches,p6::BR_TAKEN_RETIRED,", ",references,p6::MISALIGN_MEM_REF,",
        ",instructions,p6::MMX_ASSIST,",
    };
    ran r =
        run_shell("BOXSCORE_TRACER=lackey \"$BOXSCORE\" stat --machine virtual:p6,part=plain -x , "
                  "-e FLOPS,BR_INST_RETIRED,INST_RETIRED,BR_TAKEN_RETIRED,MISALIGN_MEM_REF,"
                  "MMX_ASSIST -- $BUILD_ROOT/tests/tracer/traced_mix 2>&1");
    assert_int_equal(r.status, 0);
    for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
        assert_has_state(r.out, "", BX_NOT_MODELLED, untold[i]);
    assert_has(r.out, "\n9005,instructions,p6::INST_RETIRED,");
    ran_free(&r);
    r = run_shell(
        "BOXSCORE_TRACER=lackey \"$BOXSCORE\" stat --machine virtual:p6,part=plain -x , -e FLOPS "
        "-- $BUILD_ROOT/tests/tracer/traced_mix 2>&1");
    assert_int_equal(r.status, 0);
    assert_has_state(r.out, "", BX_NOT_MODELLED, untold[0]);
    ran_free(&r);
}

/* A replay has the instruction mix, too. */
static void by_lackey_replayed(void **state)
{
    (void)state;
    ran r = run_shell(
        "F=$(mktemp) && BOXSCORE_TRACER=lackey \"$BOXSCORE\" stat --machine virtual:p6,part=plain "
        "--log-registers $F -x , -e FLOPS,INST_RETIRED -o /dev/null "
        "-- $BUILD_ROOT/tests/tracer/traced_mix 2>/dev/null "
        "&& \"$BOXSCORE\" stat --replay $F -x , 2>&1; rm $F");
    assert_int_equal(r.status, 0);
    assert_has_state(r.out, "", BX_NOT_MODELLED, ",operations,p6::FLOPS,");
    assert_has(r.out, "\n9005,instructions,p6::INST_RETIRED,");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_have),
        cmocka_unit_test(mmx),
        cmocka_unit_test(sse),
        cmocka_unit_test(of_the_pentium_m),
        cmocka_unit_test(of_a_workload),
        cmocka_unit_test(by_lackey),
        cmocka_unit_test(by_lackey_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
