/* The counters of an Ivy Bridge-EP C-Box share two filter registers. Events that require different
 * contents are multiplexed; each has the same count as alone. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT "stat", "--machine", "virtual:ivbep,part=plain", "-w", "stream,size=256K", "-x,"

/* The count at the beginning of line `n` of a CSV report. */
static unsigned long long count(const char *csv, size_t n)
{
    for (; n; n--) {
        csv = strchr(csv, '\n');
        assert_non_null(csv++);
    }
    char *end;
    unsigned long long value = strtoull(csv, &end, 10);
    if (*end != ',')
        fail_msg("no count: '%.60s'", csv);
    return value;
}

static unsigned long long alone(const char *event)
{
    ran r = RUN(STAT, "-e", event);
    unsigned long long value = count(r.out, 0);
    assert_silent(&r);
    return value;
}

static void is_multiplexed(const char *const *events, size_t n)
{
    char list[1024] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? "," : "", events[i]);
    ran r = RUN(STAT, "--passes", "repeat", "-e", list);
    unsigned long long before = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned long long value = count(r.out, i);
        if (value != alone(events[i]))
            fail_msg("%s: %llu, alone %llu", events[i], value, alone(events[i]));
        assert_true(value > 0 &&
                    value != before); /* all different, so that exchanged counts would be found */
        before = value;
    }
    assert_silent(&r);
}

static void opcodes(void **state)
{
    (void)state;
    static const char *const events[] = {
        "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO", "UNC_C_TOR_INSERTS:OPCODE:OPC_DRD",
        "UNC_C_TOR_INSERTS:OPCODE:OPC_PF_RFO", "UNC_C_TOR_INSERTS:OPCODE:OPC_WBMTOI"};
    is_multiplexed(events, sizeof events / sizeof *events);
}

static void nodes(void **state)
{
    (void)state;
    static const char *const events[] = {"UNC_C_TOR_INSERTS:NID_ALL:nf=1",
                                         "UNC_C_TOR_INSERTS:NID_ALL:nf=3"};
    is_multiplexed(events, sizeof events / sizeof *events);
}

static void states(void **state)
{
    (void)state;
    static const char *const events[] = {"UNC_C_LLC_LOOKUP:ANY:STATE_I",
                                         "UNC_C_LLC_LOOKUP:ANY:STATE_E",
                                         "UNC_C_LLC_LOOKUP:ANY:STATE_MESIF"};
    is_multiplexed(events, sizeof events / sizeof *events);
}

/* Nodes are packages: two here. */
static void nodes_that_do_not_exist(void **state)
{
    (void)state;
    static const char said[] = "nf=0x6 names nodes that this machine does not have: nothing is "
                               "counted of 0x4, it has 0 to 1";
    ran r = RUN("stat", "--machine", "virtual:ivbep,part=plain,cores=2", "-e",
                "UNC_C_TOR_INSERTS:NID_ALL:nf=6", "--workload", "stream,size=64K");
    assert_has(r.err, said);
    ran_free(&r);
    r = RUN("plan", "--machine", "virtual:ivbep,part=plain,cores=2", "-e",
            "UNC_C_TOR_INSERTS:NID_ALL:nf=6");
    assert_has(r.err, said);
    ran_free(&r);
    r = RUN("plan", "--machine", "virtual:ivbep,part=plain,cores=2", "-e",
            "UNC_C_TOR_INSERTS:NID_ALL:nf=3");
    assert_string_equal(r.err, "");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes),
        cmocka_unit_test(nodes),
        cmocka_unit_test(states),
        cmocka_unit_test(nodes_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
