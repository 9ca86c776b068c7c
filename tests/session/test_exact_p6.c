/* The whole path on a P6 from event string to count: named events have the counts that the model
 * has for their codes. Names and codes: document 002, table 6-2. */
#include "../cmocked.h"

#include "trial.h"

#include <stdio.h>
#include <string.h>

static const struct row {
    char name[32];
    uint8_t code, umask, levels; /* levels: 0: all */
} rows[] = {
    {"DATA_MEM_REFS", 0x43, 0, 0},
    {"DATA_MEM_REFS:u", 0x43, 0, BX_LEVEL_USER},
    {"L2_ADS:k", 0x21, 0, BX_LEVEL_OS},
    {"BUS_DRDY_CLOCKS:ANY:k", 0x62, 0x20, BX_LEVEL_OS},
    {"DCU_LINES_IN", 0x45, 0, 0},
    {"DCU_M_LINES_IN", 0x46, 0, 0},
    {"DCU_M_LINES_OUT", 0x47, 0, 0},
    {"DCU_MISS_OUTSTANDING", 0x48, 0, 0},
    {"L2_LD:MESI", 0x29, 0x0f, 0},
    {"L2_LD:I", 0x29, 0x01, 0},
    {"L2_ST:M", 0x2a, 0x08, 0},
    {"L2_ST:S:E", 0x2a, 0x06, 0},
    {"L2_LINES_IN", 0x24, 0, 0},
    {"L2_LINES_OUT", 0x26, 0, 0},
    {"L2_M_LINES_INM", 0x25, 0, 0},
    {"L2_M_LINES_OUTM", 0x27, 0, 0},
    {"L2_RQSTS:MESI", 0x2e, 0x0f, 0},
    {"L2_RQSTS:M:I", 0x2e, 0x09, 0},
    {"L2_ADS", 0x21, 0, 0},
    {"L2_DBUS_BUSY", 0x22, 0, 0},
    {"L2_DBUS_BUSY_RD", 0x23, 0, 0},
    {"BUS_DRDY_CLOCKS:SELF", 0x62, 0, 0},
    {"BUS_DRDY_CLOCKS:ANY", 0x62, 0x20, 0},
    {"BUS_TRAN_RFO:SELF", 0x66, 0, 0},
    {"BUS_TRAN_INVAL:SELF", 0x69, 0, 0},
    {"BUS_TRAN_PWR:ANY", 0x6a, 0x20, 0},
    {"BUS_TRAN_DEF:SELF", 0x6d, 0, 0},
    {"BUS_TRAN_BURST:SELF", 0x6e, 0, 0},
    {"BUS_TRAN_MEM:ANY", 0x6f, 0x20, 0},
    {"BUS_TRAN_MEM:ANY:k", 0x6f, 0x20, BX_LEVEL_OS},
    {"BUS_TRAN_ANY:SELF", 0x70, 0, 0},
    {"BUS_HIT_DRV", 0x7a, 0, 0},
    {"BUS_SNOOP_STALL", 0x7e, 0, 0},
    {"LD_BLOCKS", 0x03, 0, 0},
    {"SB_DRAINS", 0x04, 0, 0},
    {"INST_RETIRED", 0xc0, 0, 0},
    {"UOPS_RETIRED", 0xc2, 0, 0},
    {"INST_DECODER", 0xd0, 0, 0},
    {"RESOURCE_STALLS", 0xa2, 0, 0},
    {"CPU_CLK_UNHALTED", 0x79, 0, 0},
    {"CPU_CLK_UNHALTED:u", 0x79, 0, BX_LEVEL_USER},
    /* A clock's level is 1: its cycles with at least one are its count. */
    {"CPU_CLK_UNHALTED:c=1", 0x79, 0, 0},
    {"INST_RETIRED:c=1", 0xc0, 0, 0},
    {"BUS_DRDY_CLOCKS:ANY:c=1", 0x62, 0x20, 0},
};

enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t counted_by_code(const bx_machine *m, const struct row *row)
{
    const bx_selection sel = {
        .code = row->code,
        .umask = row->umask,
        .levels = row->levels ? row->levels : BX_LEVELS,
    };
    bx_signals *signals = bx_model_signals(bx_machine_model(m));
    uint64_t sum = 0;
    assert_true(signals->tally(signals, &sel, &sum));
    return sum;
}

static void each_event_is_exact(const char *workload)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_catalog const *c = bx_catalog_builtin();
    bx_machine *m = trial_machine("virtual:p6,part=plain");
    struct trial_result r;
    bool done;

    for (size_t i = 0; i < ROWS; i++) {
        bx_error e = {0};
        size_t n;
        if (bx_events_parse(c, bx_machine_cpu(m), rows[i].name, &events[i], 1, &n, &e) != BX_OK)
            fail_msg("%s: %s", rows[i].name, e.message);
    }
    trial_repeat("virtual:p6,part=plain", workload, events, ROWS, &r);
    trial_at_once("virtual:p6,part=plain", workload, events, ROWS, &r);
    assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    assert_int_equal(r.n, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const bx_reading *is = &r.readings[i];
        uint64_t should = counted_by_code(m, &rows[is->event]);
        assert_int_equal(is->state, BX_COUNTED);
        if (is->count != should)
            fail_msg("%s: %s is %llu, not %llu", workload, rows[is->event].name,
                     (unsigned long long)is->count, (unsigned long long)should);
    }
    bx_machine_close(m);
}

static void alone(void **state)
{
    (void)state;
    each_event_is_exact("random,size=1M,iterations=20000,write=40");
    each_event_is_exact("stream,size=64K,passes=2");
}

static void with_a_device(void **state)
{
    (void)state;
    each_event_is_exact("random,size=1M,iterations=20000,write=40+dma,size=64K,step=16,iterations="
                        "5000");
    each_event_is_exact("chase,size=64K+dma,size=64K,iterations=3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone), cmocka_unit_test(with_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
