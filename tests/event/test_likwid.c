/* LIKWID's spelling. Names and codes: LIKWID src/includes/perfmon_skylake_events.txt; counters:
 * perfmon_skylake_counters.h. */
#include "event_case.h"

typedef struct row {
    const char *text;
    uint32_t address;
    uint64_t control;
} row;

static const row rows[] = {
    /* Names that only LIKWID has. */
    {"CACHE_LOOKUP_READ_M:CBOX0C0", 0x700, 0x401134},
    {"CACHE_LOOKUP_EXTSNP_M:CBOX0C0", 0x700, 0x404134},
    {"CACHE_LOOKUP_READ_E:CBOX0C0", 0x700, 0x401234},
    {"CACHE_LOOKUP_WRITE_E:CBOX0C0", 0x700, 0x402234},
    {"CACHE_LOOKUP_EXTSNP_E:CBOX0C0", 0x700, 0x404234},
    {"CACHE_LOOKUP_ANY_E:CBOX0C0", 0x700, 0x408234},
    {"CACHE_LOOKUP_READ_S:CBOX0C0", 0x700, 0x401434},
    {"CACHE_LOOKUP_WRITE_S:CBOX0C0", 0x700, 0x402434},
    {"CACHE_LOOKUP_EXTSNP_S:CBOX0C0", 0x700, 0x404434},
    {"CACHE_LOOKUP_ANY_S:CBOX0C0", 0x700, 0x408434},
    {"CACHE_LOOKUP_EXTSNP_ES:CBOX0C0", 0x700, 0x404634},
    {"CACHE_LOOKUP_WRITE_I:CBOX0C0", 0x700, 0x402834},
    {"CACHE_LOOKUP_EXTSNP_I:CBOX0C0", 0x700, 0x404834},
    {"CACHE_LOOKUP_EXTSNP_MESI:CBOX0C0", 0x700, 0x404f34},
    {"XSNP_RESPONSE_MISS_EXTERNAL:CBOX0C0", 0x700, 0x402122},
    {"XSNP_RESPONSE_HIT_EXTERNAL:CBOX0C0", 0x700, 0x402422},
    {"XSNP_RESPONSE_HIT_EVICTION:CBOX0C0", 0x700, 0x408422},
    {"XSNP_RESPONSE_HITM_EXTERNAL:CBOX0C0", 0x700, 0x402822},
    {"XSNP_RESPONSE_HITM_EVICTION:CBOX0C0", 0x700, 0x408822},
    {"COH_TRK_OCCUPANCY:UBOX0", 0x3b2, 0x400183},
    /* Names that the manual has too. */
    {"XSNP_RESPONSE_MISS_XCORE:CBOX0C0", 0x700, 0x404122},
    {"XSNP_RESPONSE_MISS_EVICTION:CBOX0C0", 0x700, 0x408122},
    {"XSNP_RESPONSE_HIT_XCORE:CBOX0C0", 0x700, 0x404422},
    {"XSNP_RESPONSE_HITM_XCORE:CBOX0C0", 0x700, 0x404822},
    {"CACHE_LOOKUP_WRITE_M:CBOX0C1", 0x701, 0x402134},
    {"CACHE_LOOKUP_ANY_M:CBOX0C1", 0x701, 0x408134},
    {"CACHE_LOOKUP_READ_I:CBOX0C1", 0x701, 0x401834},
    {"CACHE_LOOKUP_ANY_I:CBOX0C1", 0x701, 0x408834},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1", 0x701, 0x401f34},
    {"CACHE_LOOKUP_WRITE_MESI:CBOX0C1", 0x701, 0x402f34},
    {"CACHE_LOOKUP_ANY_MESI:CBOX0C1", 0x701, 0x408f34},
    {"CACHE_LOOKUP_ANY_ES:CBOX0C1", 0x701, 0x408634},
    {"CACHE_LOOKUP_READ_ES:CBOX0C1", 0x701, 0x401634},
    {"CACHE_LOOKUP_WRITE_ES:CBOX0C1", 0x701, 0x402634},
    {"TRK_OCCUPANCY_ALL:UBOX0", 0x3b2, 0x400180},
    {"TRK_REQUESTS_ALL:UBOX1", 0x3b3, 0x400181},
    {"TRK_REQUESTS_WRITES:UBOX1", 0x3b3, 0x402081},
    {"COH_TRK_REQUESTS_ALL:UBOX1", 0x3b3, 0x400184},
    {"UNCORE_CLOCK:UBOXFIX", 0x394, 0x400000},
    /* Options; their numbers are hexadecimal. */
    /* EDGEDETECT also sets bit 0 of the threshold: parseOptions() of LIKWID's perfmon.c. */
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:EDGEDETECT", 0x701, 0x1441f34},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:EDGEDETECT:THRESHOLD=0x4", 0x701, 0x5441f34},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:INVERT", 0x701, 0xc01f34},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:THRESHOLD=0x10", 0x701, 0x10401f34},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:THRESHOLD=10", 0x701, 0x10401f34},
    {"CACHE_LOOKUP_READ_MESI:CBOX0C1:THRESHOLD=1f:INVERT:EDGEDETECT=1", 0x701, 0x1fc41f34},
    {"cache_lookup_read_mesi:cbox0c1:threshold=0X2", 0x701, 0x2401f34},
    /* The event's full name is accepted, too. */
    {"UNC_CBO_CACHE_LOOKUP_ANY_I:CBOX2C1", 0x721, 0x408834},
};

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_evsel event = parsed(rows[i].text);
        assert_int_not_equal(event.counter, BX_ANY);
        bx_regvalue to = control(&event, (unsigned)event.counter);
        uint32_t at = address(to.reg, event.unit == BX_ANY ? 0 : (unsigned)event.unit);
        if (to.value != rows[i].control || event.control != rows[i].control ||
            at != rows[i].address)
            fail_msg("'%s': 0x%x = 0x%llx", rows[i].text, at, (unsigned long long)to.value);
    }
}

/* LIKWID counts privilege levels 1 to 3, and level 0 only with KERNEL: skl_pmc_setup(),
 * ivb_pmc_setup(), nex_pmc_setup() and pm_pmc_setup() of its perfmon_*.h. Options of a unit mask:
 * DEFAULT_OPTIONS in perfmon_*_events.txt. */
static void levels_of_cores(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text;
        uint64_t control;
    } of_cores[] = {
        {"skl", "L2_RQSTS_MISS:PMC0", 0x413f24},
        {"skl", "L2_RQSTS_MISS:PMC0:KERNEL", 0x433f24},
        {"skl", "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE:PMC1:KERNEL", 0x4310c7},
        {"skl", "BR_INST_RETIRED_ALL_BRANCHES:PMC3:EDGEDETECT", 0x14500c4},
        {"skl", "BR_INST_RETIRED_ALL_BRANCHES:PMC3:EDGEDETECT:THRESHOLD=6:KERNEL", 0x74700c4},
        {"skl", "BR_INST_RETIRED_ALL_BRANCHES:PMC3:INVERT:THRESHOLD=0x2", 0x2c100c4},
        {"skl", "BR_INST_RETIRED_ALL_BRANCHES:PMC3:ANYTHREAD", 0x6100c4},
        {"skl", "BR_INST_RETIRED_ALL_BRANCHES:PMC3:IN_TRANS", 0x1004100c4},
        {"skl", "UOPS_ISSUED_STALL_CYCLES:PMC2", 0x1c1010e},
        {"ivbep", "L2_RQSTS_ALL_DEMAND_DATA_RD:PMC0", 0x410324},
        {"ivbep", "L2_RQSTS_ALL_DEMAND_DATA_RD:PMC0:KERNEL", 0x430324},
        {"nhmex", "MEM_INST_RETIRED_LOADS:PMC0", 0x41010b},
        {"nhmex", "MEM_INST_RETIRED_LOADS:PMC0:KERNEL:EDGEDETECT", 0x147010b},
        {"p6", "DATA_MEM_REFS:PMC0", 0x410043},
        {"p6", "DATA_MEM_REFS:PMC0:KERNEL", 0x430043},
    };
    for (size_t i = 0; i < sizeof of_cores / sizeof *of_cores; i++) {
        const char *text = of_cores[i].text;
        bx_evsel event;
        bx_error e = {0};
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(of_cores[i].cpu));
        if (bx_event_parse(built_in(), cpu, text, strlen(text), &event, &e))
            fail_msg("%s: %s", text, e.message);
        if (event.control != of_cores[i].control)
            fail_msg("%s: 0x%llx", text, (unsigned long long)event.control);
    }
}

/* The fixed counters' levels are in IA32_FIXED_CTR_CTRL: skl_fixed_setup(). */
static void levels_of_fixed_counters(void **state)
{
    (void)state;
    assert_canonical("INSTR_RETIRED_ANY:FIXC0", "skl_core::INSTR_RETIRED_ANY:u=1");
    assert_canonical("INSTR_RETIRED_ANY:FIXC0:KERNEL", "skl_core::INSTR_RETIRED_ANY");
    assert_canonical("CPU_CLK_UNHALTED_REF:FIXC2", "skl_core::CPU_CLK_UNHALTED_REF:u=1");
}

/* LIKWID also has names for a state without a request, and for a request without a state. They
 * count nothing, so they are refused: 334060-001 table 3-1 has both in every unit mask. */
static void half_a_unit_mask(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message, *hint;
    } halves[] = {
        {"CACHE_LOOKUP_I:CBOX1C1",
         "UNC_CBO_CACHE_LOOKUP needs a request, too: so it counts nothing",
         "add one of READ_FILTER, WRITE_FILTER, EXTSNP_FILTER, ANY_FILTER"},
        {"CACHE_LOOKUP_READ_FILTER:CBOX2C0",
         "UNC_CBO_CACHE_LOOKUP needs a state, too: so it counts nothing",
         "add one of STATE_M, STATE_E, STATE_S, STATE_I"},
        {"UNC_CBO_CACHE_LOOKUP:STATE_M:STATE_E",
         "UNC_CBO_CACHE_LOOKUP needs a request, too: so it counts nothing",
         "add one of READ_FILTER, WRITE_FILTER, EXTSNP_FILTER, ANY_FILTER"},
        {"UNC_CBO_XSNP_RESPONSE:MISS",
         "UNC_CBO_XSNP_RESPONSE needs a cause, too: so it counts nothing",
         "add one of EXTERNAL_FILTER, XCORE_FILTER, EVICTION_FILTER"},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const char *text = halves[i].text;
        bx_evsel event;
        bx_error e = {0};
        assert_int_equal(bx_event_parse(built_in(), skl(), text, strlen(text), &event, &e),
                         BX_BAD_INPUT);
        assert_string_equal(e.message, halves[i].message);
        assert_string_equal(e.hint, halves[i].hint);
    }
    /* A number is taken as it is. */
    assert_canonical("UNC_CBO_CACHE_LOOKUP:umask=0x8",
                     "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:umask=0x8");
}

/* An unknown option's hint lists names only, each once. */
static void options_in_hints(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text, *hint;
    } rows_of_hints[] = {
        {"skl", "L2_RQSTS_MISS:PMC0:XYZ",
         "options: KERNEL, EDGEDETECT, INVERT, THRESHOLD, ANYTHREAD, IN_TRANS, IN_TRANS_ABORTED"},
        {"skl", "CACHE_LOOKUP_READ_MESI:CBOX0C1:KERNEL", "options: EDGEDETECT, INVERT, THRESHOLD"},
        {"ivbep", "LLC_LOOKUP_ANY:CBOX0C0:XYZ",
         "options: EDGEDETECT, THRESHOLD, NID, TID, MATCH0, STATE, OPCODE"},
        {"p6", "DATA_MEM_REFS:PMC0:XYZ", "options: KERNEL, EDGEDETECT, INVERT, THRESHOLD"},
    };
    for (size_t i = 0; i < sizeof rows_of_hints / sizeof *rows_of_hints; i++) {
        const char *text = rows_of_hints[i].text;
        bx_evsel event;
        bx_error e = {0};
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(rows_of_hints[i].cpu));
        assert_int_equal(bx_event_parse(built_in(), cpu, text, strlen(text), &event, &e),
                         BX_NOT_FOUND);
        assert_string_equal(e.hint, rows_of_hints[i].hint);
    }
}

/* LIKWID does not have the counters of graphics and the cores: perfmon_skylake_counters.h. */
static void memory_counters(void **state)
{
    (void)state;
    assert_canonical("DRAM_READS:MBOX0C1", "skl_unc_imc::DRAM_DATA_READS");
    assert_canonical("DRAM_WRITES:MBOX0C2", "skl_unc_imc::DRAM_DATA_WRITES");
    assert_canonical("IO_REQUESTS:MBOX0C0", "skl_unc_imc::DRAM_IO_REQUESTS");
}

static void canonical_names(void **state)
{
    (void)state;
    assert_canonical("CACHE_LOOKUP_READ_MESI:CBOX0C1",
                     "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_MESI");
    assert_canonical("CACHE_LOOKUP_ANY_E:CBOX3C0:THRESHOLD=11",
                     "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_E:t=17");
    assert_canonical("TRK_OCCUPANCY_ALL:UBOX0:THRESHOLD=1",
                     "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST");
    assert_canonical("UNCORE_CLOCK:UBOXFIX", "skl_unc_clock::UNC_CLOCK:SOCKET");
    /* Short names without a counter, if they are event names. */
    assert_canonical("CACHE_LOOKUP.ANY_I", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
}

/* Without a CPU model the counter determines the PMU. */
static void any_cpu(void **state)
{
    (void)state;
    bx_evsel event;
    char is[TEXT];
    static const char text[] = "CACHE_LOOKUP_ANY_I:CBOX1C1";
    assert_int_equal(bx_event_parse(built_in(), -1, text, strlen(text), &event, NULL), BX_OK);
    assert_string_equal(canonical(&event, is), "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(levels_of_cores),
        cmocka_unit_test(levels_of_fixed_counters),
        cmocka_unit_test(options_in_hints),
        cmocka_unit_test(half_a_unit_mask),
        cmocka_unit_test(memory_counters),
        cmocka_unit_test(canonical_names),
        cmocka_unit_test(any_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
