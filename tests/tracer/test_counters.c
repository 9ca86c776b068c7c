/* RDPMC of traced programs (tests/tracer/counters.c) on all machines, with counts known by hand. */
#include "../cmocked.h"

#include "tracer/counted.h"
#include "tracer/traced.h"

#include <stdio.h>
#include <string.h>

#define LOADS "1000\n" /* a load in each round of the loop */
#define INSTRUCTIONS                                                                               \
    "3004\n" /* 3 in each round, 3 moves before it, and the first RDPMC, but not the second */

#define SETUP                                                                                      \
    "D=$(mktemp -d); trap 'rm -rf $D' EXIT; cd $D; P=$BUILD_ROOT/tests/tracer/traced_counters\n"   \
    "count() { timeout -s KILL 100 \"$BOXSCORE\" stat -x, -o counts --machine \"virtual:$1\" -e "  \
    "\"$2\" "                                                                                      \
    "-- $P "                                                                                       \
    "$3; }\n"

static void prints(const char *script, const char *out)
{
    char text[2048];
    snprintf(text, sizeof text, SETUP "%s", script);
    ran r = run_shell(text);
    if (strcmp(r.out, out) != 0 || *r.err)
        fail_msg("%s\n--- printed\n%s--- said\n%s", script, r.out, r.err);
    ran_free(&r);
}

/* General counters from 0 on, fixed ones with bit 30, and numbers that no counter has: as document
 * 002, 6.3.1 says. On the P6 family there are two counters and no fixed ones. */
static void counters_by_hand(void **state)
{
    (void)state;
    prints("count skl MEM_INST_RETIRED:ALL_LOADS,INSTR_RETIRED_ANY "
           "'loop 0 0x40000000 8 0x40000003 0x80000000 0xffffffff'",
           LOADS INSTRUCTIONS "fault\nfault\nfault\nfault\n");
    prints("count ivbep MEM_UOPS_RETIRED:ALL_LOADS,INSTR_RETIRED_ANY "
           "'loop 0 0x40000000 8 0x40000003 0x80000000'",
           LOADS INSTRUCTIONS "fault\nfault\nfault\n");
    prints("count nhmex MEM_INST_RETIRED:LOADS,INSTR_RETIRED_ANY "
           "'loop 0 0x40000000 4 0x40000003 0x80000000'",
           LOADS INSTRUCTIONS "fault\nfault\nfault\n");
    prints("count p6 INST_RETIRED,DATA_MEM_REFS 'loop 0 1 2 0x40000000'",
           INSTRUCTIONS LOADS "fault\nfault\n");
}

/* The high half of RCX makes no difference: RDPMC takes ECX. */
static void only_ecx_counts(void **state)
{
    (void)state;
    prints("count skl MEM_INST_RETIRED:ALL_LOADS:counter=3 'loop 0xffffffff00000003 0x3'",
           LOADS LOADS);
}

/* CR4.PCE is off: each RDPMC faults. A counter that does not count keeps its value. */
static void the_other_states(void **state)
{
    (void)state;
    prints("count skl,pce=off INSTR_RETIRED_ANY 'loop 0 0x40000000 8'", "fault\nfault\nfault\n");
    prints("count p6,pce=off INST_RETIRED 'loop 0 2'", "fault\nfault\n");
    prints("count skl INSTR_RETIRED_ANY 'loop 0 0x40000001'", "0\n0\n");
}

/* A fault is the SIGSEGV of Linux. No report calls the instruction unknown. */
static void a_fault_without_a_handler(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "count skl INSTR_RETIRED_ANY 'unhandled 99'; echo $?");
    assert_string_equal(r.out, "139\n");
    assert_has(r.err, "was killed by signal 11 (SIGSEGV)\n");
    assert_has_not(r.err, "RDPMC");
    ran_free(&r);
    prints("count skl INSTR_RETIRED_ANY 'keep_out 99'", "signal 11\nsignal 11\n");
}

/* Threads that ask at once, a child, and the program that it executes. */
static void threads_and_processes(void **state)
{
    (void)state;
    prints("count skl INSTR_RETIRED_ANY 'threads 0x40000000'", "0000 wrong\n");
    prints("count p6 INST_RETIRED 'threads 0'", "0000 wrong\n");
    prints("count skl INSTR_RETIRED_ANY 'children 0x40000000'", INSTRUCTIONS INSTRUCTIONS);
}

/* Nothing hangs if the process ends, or is killed, while a thread waits for an answer. */
static void an_end_meanwhile(void **state)
{
    (void)state;
    prints("count skl INSTR_RETIRED_ANY 'exit 0x40000000'; echo $?", "7\n");
    prints("count skl INSTR_RETIRED_ANY 'kill 0x40000000' 2>/dev/null; echo $?", "137\n");
    prints("count skl INSTR_RETIRED_ANY 'fault_in_threads 99' 2>/dev/null; echo $?", "139\n");
}

/* Who outlives the program is let go, and has no machine any more: it does not hang. */
static void who_is_let_go(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "count skl INSTR_RETIRED_ANY 'outlive 0x40000000' >said; echo $?\n"
                            "for i in $(seq 100); do [ -s said ] && break; sleep 0.1; done\n"
                            "cat said");
    assert_string_equal(r.out, "3\nfault\n");
    assert_has(r.err, "left running when the program ended");
    ran_free(&r);
}

static void one_thread_is_the_same_each_time(void **state)
{
    (void)state;
    prints("E=INSTR_RETIRED_ANY,MEM_INST_RETIRED:ALL_LOADS,UNC_CBO_CACHE_LOOKUP:ANY_MESI\n"
           "for i in 1 2 3; do\n"
           "  count skl $E 'value 0 0x40000000 0x40000001' >said; cat said counts | cksum\n"
           "done | uniq | wc -l",
           "1\n");
}

/* Without a machine, each RDPMC faults: the trace says so, and so does what counts it. */
static void a_trace_is_recorded(void **state)
{
    (void)state;
    ran r =
        run_shell(SETUP "timeout -s KILL 100 \"$BOXSCORE\" trace -o t -- $P loop 0 0\n"
                        "\"$BOXSCORE\" trace info t >said 2>&1; grep -c RDPMC said\n"
                        "\"$BOXSCORE\" stat --machine virtual:skl,part=plain -e INSTR_RETIRED_ANY "
                        "--trace t 2>&1 | grep -c 'got SIGSEGV: it executes RDPMC at 0x.* no "
                        "machine counts while a trace is recorded; try: '");
    assert_string_equal(r.out, "fault\nfault\n1\n1\n");
    ran_free(&r);
}

static int setup(void **state)
{
    (void)state;
    traced_setup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_by_hand),      cmocka_unit_test(only_ecx_counts),
        cmocka_unit_test(the_other_states),      cmocka_unit_test(a_fault_without_a_handler),
        cmocka_unit_test(threads_and_processes), cmocka_unit_test(an_end_meanwhile),
        cmocka_unit_test(who_is_let_go),         cmocka_unit_test(one_thread_is_the_same_each_time),
        cmocka_unit_test(a_trace_is_recorded),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
