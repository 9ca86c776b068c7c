/* Chains of pointers wait for each load, whatever is between the load and the next one: pointers.c.
 * docs/explanation/model-programs.md, "Dependent loads". */
#include "../cmocked.h"

#include "tracer/counted.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 20000,
    MOST = 1000,      /* cycles outside the rounds */
    L2 = 1024,        /* nodes of a line each: they fit in L2, not in L1D; */
    LLC = 16384,      /* in the LLC, not in L2; */
    MEMORY = 1 << 18, /* not in skl's LLC */
};

typedef struct machine {
    const char *options, *event;
    int extra; /* half cycles of two more instructions and a branch, at most */
} machine;

#define KEYS "part=plain,width=4,l1=4"

static const machine skl = {"--machine virtual:skl," KEYS, "UNC_CLOCK", 1};
static const machine ivbep = {"--machine virtual:ivbep,packages=1," KEYS,
                              "ivbep_unc_cbo0::UNC_C_CLOCKTICKS", 1};
static const machine nhmex = {"--machine virtual:nhmex,packages=1," KEYS, "FIXED_UNCORE_CLOCK", 1};
static const machine p6 = {"--machine virtual:p6,part=plain", "CPU_CLK_UNHALTED", 6};

static int64_t cycles(const machine *m, unsigned nodes, const char *loop)
{
    char more[64], than[64];
    snprintf(more, sizeof more, "${P}pointers %u %s", nodes, loop);
    snprintf(than, sizeof than, "${P}pointers %u none", nodes);
    return count_more(m->event, m->options, more, than);
}

/* A step takes at least `latency` cycles. Another block between the loads adds its instructions
 * only. It takes as long if the line of the next node is on its way, as its value is read before
 * the pointer. Nodes that an array points to take less than half: their loads overlap. */
static void takes(const machine *m, unsigned nodes, int64_t latency)
{
    int64_t next = cycles(m, nodes, "next"), between = cycles(m, nodes, "between");
    if (next < latency * ROUNDS)
        fail_msg("%s: %lld cycles", m->options, (long long)next);
    if (between < next - MOST || between > next + m->extra * ROUNDS / 2 + MOST)
        fail_msg("%s: %lld cycles with a block between, %lld without", m->options,
                 (long long)between, (long long)next);
    if (nodes == L2)
        return;
    assert_in_range(cycles(m, nodes, "value"), next * 9 / 10, next * 11 / 10);
    assert_in_range(cycles(m, nodes, "array"), 0, next / 2);
}

/* l1 and l2_wait; l1 and llc_hit without a hop. */
static void on_the_client(void **state)
{
    (void)state;
    takes(&skl, L2, 4 + 8);
    takes(&skl, LLC, 4 + 34);
    takes(&skl, MEMORY, 2 * (4 + 34));
}

static void on_the_servers(void **state)
{
    (void)state;
    takes(&ivbep, L2, 4 + 8);
    takes(&ivbep, LLC, 4 + 34);
    takes(&nhmex, L2, 4 + 8);
    takes(&nhmex, LLC, 4 + 34);
}

/* A round has three instructions; its L2 has a quarter or half of a MiB. */
static void on_the_p6(void **state)
{
    (void)state;
    takes(&p6, L2, 3);
    takes(&p6, LLC, 2 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_client),
        cmocka_unit_test(on_the_servers),
        cmocka_unit_test(on_the_p6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
