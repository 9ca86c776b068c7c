/* Events of core PMUs, and the notation that only they need. Values are typed from intel/perfmon's
 * lists of core events and Linux's arch/x86/events/intel/core.c. */
#include "event_case.h"
#include "event/event.h"

static bx_evsel of_cpu(const char *cpu, const char *text)
{
    bx_evsel event;
    bx_error e = {0};
    int known = bx_cat_find_cpu(built_in(), bx_str_of(cpu));
    if (bx_event_parse(built_in(), known, text, strlen(text), &event, &e))
        fail_msg("'%s': %s (%s)", text, e.message, e.hint);
    return event;
}

/* Unit masks of one event have different counters. If two names fit, the one that sets more is
 * printed. */
static void counters_of_unit_masks(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text;
        uint32_t counters;
    } rows[] = {
        {"skl", "INST_RETIRED.ANY_P", 0xff},
        {"skl", "INST_RETIRED.PREC_DIST", 0x2},
        {"skl", "INST_RETIRED.TOTAL_CYCLES_PS", 0xd},
        {"skl", "CYCLE_ACTIVITY.STALLS_MEM_ANY", 0xf},
        {"skl", "CYCLE_ACTIVITY.STALLS_TOTAL", 0xff},
        {"ivbep", "L1D_PEND_MISS.PENDING", 0x4},
        {"ivbep", "L1D_PEND_MISS.FB_FULL", 0xff},
        {"ivbep", "CYCLE_ACTIVITY.CYCLES_L1D_PENDING", 0x4},
        {"ivbep", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_64", 0x8},
        {"nhmex", "MEM_INST_RETIRED.LOADS", 0xf},
        {"nhmex", "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_64", 0x8},
        {"nhmex", "OFFCORE_RESPONSE_0.ANY_DATA.LOCAL_DRAM", 0x4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_evsel event = of_cpu(rows[i].cpu, rows[i].text);
        if (bx_event_counters(built_in(), &event) != rows[i].counters)
            fail_msg("%s: 0x%x", rows[i].text, bx_event_counters(built_in(), &event));
    }
}

static void another_counter_is_refused(void **state)
{
    (void)state;
    static const char text[] = "INST_RETIRED.PREC_DIST:counter=0";
    bx_evsel event;
    assert_int_not_equal(bx_event_parse(built_in(), skl(), text, strlen(text), &event, NULL),
                         BX_OK);
}

/* perfmon's "EVENT.UMASK" of one event may have different codes, or be on a fixed counter. */
static void unit_masks_that_are_events(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text, *is;
    } rows[] = {
        {"skl", "INST_RETIRED.ANY", "skl_core::INSTR_RETIRED_ANY"},
        {"skl", "CPU_CLK_UNHALTED:REF_TSC", "skl_core::CPU_CLK_UNHALTED_REF"},
        {"ivbep", "DTLB_LOAD_MISSES.STLB_HIT", "ivbep_core::DTLB_LOAD_MISSES_STLB_HIT:STLB_HIT"},
        {"nhmex", "MACRO_INSTS.FUSIONS_DECODED",
         "nhmex_core::MACRO_INSTS_FUSIONS_DECODED:FUSIONS_DECODED"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char is[TEXT];
        bx_evsel event = of_cpu(rows[i].cpu, rows[i].text);
        assert_string_equal(canonical(&event, is), rows[i].is);
    }
}

/* Off-core response: two codes, each with a register of its own, and Linux's term for it. */
static void off_core_response(void **state)
{
    (void)state;
    static const struct {
        const char *text, *perf;
        uint64_t control, filter;
        uint32_t address;
    } rows[] = {
        {"OFFCORE_RESPONSE:DEMAND_RFO:L3_HIT.SNOOP_HITM",
         "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10001c0002/", 0x4301b7, 0x10001c0002, 0x1a6},
        {"OFFCORE_RESPONSE:DEMAND_RFO:L3_HIT.SNOOP_HITM:place=1",
         "cpu/event=0xbb,umask=0x1,offcore_rsp=0x10001c0002/", 0x4301bb, 0x10001c0002, 0x1a7},
        {"OFFCORE_RESPONSE:DEMAND_DATA_RD:OTHER", "cpu/event=0xb7,umask=0x1,offcore_rsp=0x18001/",
         0x4301b7, 0x18001, 0x1a6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_regvalue to[1 + BX_EXTRAS];
        char perf[TEXT], is[TEXT], again[TEXT];
        bx_evsel event = parsed(rows[i].text);
        assert_int_equal(bx_event_registers(built_in(), &event, BX_LOWEST, to), 2);
        assert_int_equal(to[0].value, rows[i].control);
        assert_int_equal(to[1].value, rows[i].filter);
        assert_int_equal(address(to[1].reg, 0), rows[i].address);
        assert_true(bx_event_format_perf(built_in(), &event, perf, sizeof perf) < sizeof perf);
        assert_string_equal(perf, rows[i].perf);
        bx_evsel back = parsed(perf);
        assert_string_equal(canonical(&back, again), canonical(&event, is));
    }
}

/* Linux gets the register as one number, so its bits replace the defaults: without bit 16 nothing
 * is counted. */
static void no_answer_is_no_default(void **state)
{
    (void)state;
    char is[TEXT];
    bx_evsel event = parsed("cpu/event=0xb7,umask=0x1,offcore_rsp=0x1/");
    assert_string_equal(canonical(&event, is),
                        "skl_core::OFFCORE_RESPONSE:DEMAND_DATA_RD:response=0x0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_unit_masks),     cmocka_unit_test(another_counter_is_refused),
        cmocka_unit_test(unit_masks_that_are_events), cmocka_unit_test(off_core_response),
        cmocka_unit_test(no_answer_is_no_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
