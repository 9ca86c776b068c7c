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

/* Names that no event of the catalogue writes, with their terms: likwid-perfctr -e, and the
 * registers that LIKWID 5.2.2 writes on stage (OFFCORE_RESPONSE, EDGEDETECT). */
static void names_with_terms(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text;
        uint64_t control, extra;
    } names[] = {
        {"skl", "L1D_M_EVICT:PMC1", 0x410451, 0},
        {"skl", "UOPS_ISSUED_USED_CYCLES:PMC0", 0x141010e, 0},
        {"skl", "INT_MISC_RECOVERY_COUNT:PMC0", 0x145010d, 0},
        {"skl", "CPU_CLOCK_UNHALTED_TOTAL_CYCLES:PMC2", 0x2c1003c, 0},
        {"ivbep", "MEM_UOPS_RETIRED_LOADS:PMC0:KERNEL", 0x4381d0, 0},
        {"ivbep", "OFFCORE_RESPONSE_0_LOCAL_DRAM:PMC0", 0x4101b7, 0x780408fff},
        {"ivbep", "OFFCORE_RESPONSE_1_REMOTE_DRAM:PMC1", 0x4101bb, 0x7ff808fff},
        {"nhmex", "BR_MISP_RETIRED_ALL_BRANCHES:PMC1", 0x4100c5, 0},
        {"pm", "L2_LINES_IN_ALL_EXCLUDE_PRE:PMC0", 0x410f24, 0},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bx_evsel event;
        bx_error e = {0};
        bx_regvalue to[1 + BX_EXTRAS];
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(names[i].cpu));
        if (bx_event_parse(built_in(), cpu, names[i].text, strlen(names[i].text), &event, &e))
            fail_msg("'%s': %s (%s)", names[i].text, e.message, e.hint);
        int n = bx_event_registers(built_in(), &event, (unsigned)event.counter, to);
        assert_int_equal(n, names[i].extra ? 2 : 1);
        assert_int_equal(to[0].value & 0xffbfffff, names[i].control & 0xffbfffff);
        if (names[i].extra)
            assert_int_equal(to[1].value, names[i].extra);
    }
    static const char alone[] = "L1D_M_EVICT";
    bx_evsel event;
    bx_error e = {0};
    assert_int_equal(bx_event_parse(built_in(), skl(), alone, strlen(alone), &event, &e),
                     BX_NOT_FOUND);
    assert_string_equal(e.message, "unknown event 'L1D_M_EVICT'");
    assert_string_equal(e.hint, "LIKWID's name of cpu/event=0x51,umask=0x04/; it is read with one "
                                "of its counters, as in L1D_M_EVICT:PMC0");
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

/* By these names LIKWID selects something else than the documents' event:
 * perfmon_skylake_events.txt, perfmon_ivybridgeEP_events.txt, perfmon_nehalemEX_events.txt and
 * perfmon_pm_events.txt, and the functions nex_*_setup() of perfmon_nehalemEX.h. They are refused,
 * and the message says what LIKWID has. */
static void something_else(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text, *what;
    } others[] = {
        {"skl", "L2_RQSTS_DEMAND_DATA_RD_HIT:PMC0", "the unit mask 0x41, not 0xc1"},
        {"skl", "L2_RQSTS_RFO_HIT:PMC1", "the unit mask 0x42, not 0xc2"},
        {"skl", "L2_RQSTS_CODE_RD_HIT:PMC0", "the unit mask 0x44, not 0xc4"},
        {"skl", "L2_LINES_IN_ALL:PMC0", "the unit mask 0x7, not 0x1f"},
        {"skl", "UOPS_RETIRED_STALL_CYCLES:PMC0", "the unit mask 0x1, not 0x2"},
        {"skl", "UOPS_RETIRED_TOTAL_CYCLES:PMC0",
         "the unit mask 0x1 and the threshold 10, not 0x2 and 16"},
        {"skl", "ARITH_DIVIDER_ACTIVE:PMC0",
         "no threshold, so what each cycle adds and not the cycles"},
        {"ivbep", "INT_MISC_RECOVERY_CYCLES_ANY:PMC0", "no threshold"},
        {"ivbep", "IDQ_MITE_ALL_UOPS:PMC0", "the unit mask 0x24, not 0x3c"},
        {"ivbep", "FP_ASSIST_ANY:PMC0", "no threshold, so assists and not cycles"},
        {"ivbep", "MEM_LOAD_UOPS_LLC_MISS_RETIRED_LOCAL_DRAM:PMC0", "the unit mask 0x1, not 0x3"},
        {"ivbep", "RING_IV_USED_ANY:CBOX0C2", "the unit mask 0xff, not 0xf"},
        {"ivbep", "CAS_COUNT_RD_WMM:MBOX0C0", "the unit mask 0x1, a part of RD, not 0x20"},
        {"ivbep", "CAS_COUNT_RD_RMM:MBOX3C1", "the unit mask 0x2, a part of RD, not 0x10"},
        {"nhmex", "UOPS_EXECUTED_PORT2_CORE:PMC0", "one thread, not all of the core"},
        {"nhmex", "UOPS_EXECUTED_PORT3_CORE:PMC0", "one thread, not all of the core"},
        {"nhmex", "UOPS_EXECUTED_PORT4_CORE:PMC0", "one thread, not all of the core"},
        {"nhmex", "BR_INST_RETIRED_ALL_BRANCHES:PMC0", "the unit mask 0x0, not 0x4"},
        {"nhmex", "ARB_WINS_AD_SB:CBOX0C0", "the code 0x0a, that of ARB_LOSSES"},
        {"nhmex", "ARB_WINS_ALL:CBOX7C5", "the code 0x0a, that of ARB_LOSSES"},
        {"nhmex", "QUE_ARB_BID_PORT1_QLX0_DRS:RBOX0C0", "at nearly all ports the code of NDR"},
        {"nhmex", "QUE_ARB_BID_FAIL_PORT7_QLX1_DRS:RBOX1C0", "at nearly all ports the code of NDR"},
        {"nhmex", "BCMD_SCHEDQ_OCCUPANCY_WRITES:MBOX0C0",
         "the subcontrol of Westmere-EX, whose fields are one bit higher"},
        {"nhmex", "FVC_EV0_BBOX_CMDS_READS:MBOX1C2",
         "the subcontrol of Westmere-EX, whose fields are one bit higher"},
        {"nhmex", "FVC_EV3_SMI_NB_TRIG:MBOX0C5",
         "the subcontrol of Westmere-EX, whose fields are one bit higher"},
        {"nhmex", "THERM_TRP_DN_DIMM0_GT_LO:MBOX0C0", "module n + 1 in place of module n"},
        {"nhmex", "THERM_TRP_UP_ALL_GT_LO:MBOX0C0",
         "another choice: LIKWID writes neither the trip point nor the number of the module"},
        {"nhmex", "CORRECTED_ERR:UBOX0",
         "the code 1E4H, of nine bits where the register has eight"},
        {"nhmex", "FATAL_ERR:UBOX0", "the code 1E6H, of nine bits where the register has eight"},
        {"nhmex", "RECOV:UBOX0", "the code 1DFH, of nine bits where the register has eight"},
        {"nhmex", "TO_R_PROG_EV:SBOX0C0",
         "no pattern: it leaves the registers of the pattern as they were"},
        {"pm", "SEG_RENAME_STALLS_GS:PMC0", "the unit mask 0x4, that of FS, not 0x8"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *text = others[i].text;
        size_t name = strcspn(text, ":");
        char message[256];
        bx_evsel event;
        bx_error e = {0};
        snprintf(message, sizeof message, "LIKWID selects something else by '%.*s': %s", (int)name,
                 text, others[i].what);
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(others[i].cpu));
        assert_int_equal(bx_event_parse(built_in(), cpu, text, strlen(text), &event, &e),
                         BX_BAD_INPUT);
        assert_string_equal(e.message, message);
        assert_int_equal(e.at, 0);
        assert_int_equal(e.len, name);
    }
}

/* Options: LIKWID cuts numbers (*_setup()), and leaves out those that a counter's row in
 * perfmon_*_counters.h lacks. What it would not write is refused. */
static void options_that_likwid_changes(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text, *message, *hint;
    } refused[] = {
        {"ivbep", "LLC_LOOKUP_ANY:CBOX0C0:THRESHOLD=20", "LIKWID cuts THRESHOLD=20 to 0x0",
         "0x0 to 0x1f; the modifier 't' takes more"},
        {"ivbep", "CAS_COUNT_RD:MBOX0C0:THRESHOLD=0x21", "LIKWID cuts THRESHOLD=0x21 to 0x1",
         "0x0 to 0x1f; the modifier 't' takes more"},
        {"nhmex", "LLC_HITS_ALL:CBOX0C0:THRESHOLD=ff", "LIKWID cuts THRESHOLD=ff to 0x1f",
         "0x0 to 0x1f; the modifier 't' takes more"},
        {"skl", "L2_RQSTS_MISS:PMC0:IN_TRANS_ABORTED",
         "LIKWID leaves 'IN_TRANS_ABORTED' out on this counter", "counters that can: PMC2, PMC6"},
        {"nhmex", "MSG_ADDR_IN_MATCH:BBOX0C0:MATCH0=40",
         "MATCH0 without MASK0: LIKWID leaves its mask as it was",
         "add MASK0=…; a bit of 1 is compared"},
        {"nhmex", "MEM_INST_RETIRED_LOADS:PMC0:ANYTHREAD",
         "nhmex_core has no LIKWID option 'ANYTHREAD'",
         "options: KERNEL, EDGEDETECT, INVERT, THRESHOLD"},
        {"nhmex", "DRAM_CMD_ALL:MBOX0C0:MATCH0=400000",
         "nhmex_unc_mbox has no LIKWID option 'MATCH0'", ""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *text = refused[i].text;
        bx_evsel event;
        bx_error e = {0};
        int cpu = bx_cat_find_cpu(built_in(), bx_str_of(refused[i].cpu));
        assert_int_not_equal(bx_event_parse(built_in(), cpu, text, strlen(text), &event, &e),
                             BX_OK);
        assert_string_equal(e.message, refused[i].message);
        assert_string_equal(e.hint, refused[i].hint);
    }
}

/* A lookup without the option STATE is one in five of the six states: DEFAULT_OPTIONS_LLC_LOOKUP in
 * perfmon_ivybridgeEP_events.txt; ivbep_cbox_setup(). */
static void states_of_lookups(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t filter;
    } lookups[] = {
        {"LLC_LOOKUP_DATA_READ:CBOX0C0", 0x3e0000},
        {"LLC_LOOKUP_ANY:CBOX0C1", 0x3e0000},
        {"LLC_LOOKUP_ANY:CBOX0C0:STATE=3f", 0x7e0000},
        {"LLC_LOOKUP_ANY:CBOX0C0:STATE=1", 0x20000},
        {"LLC_LOOKUP_WRITE:CBOX0C0:TID=1f", 0x3e001f},
        {"UNC_C_LLC_LOOKUP:ANY", 0x7e0000}, /* not LIKWID's */
    };
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("ivbep"));
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        bx_evsel event;
        const char *text = lookups[i].text;
        assert_int_equal(bx_event_parse(built_in(), cpu, text, strlen(text), &event, NULL), BX_OK);
        assert_int_equal(event.extras, 1);
        assert_int_equal(event.extra[0].value, lookups[i].filter);
    }
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
        cmocka_unit_test(every_row),         cmocka_unit_test(names_with_terms),
        cmocka_unit_test(levels_of_cores),   cmocka_unit_test(levels_of_fixed_counters),
        cmocka_unit_test(something_else),    cmocka_unit_test(options_that_likwid_changes),
        cmocka_unit_test(states_of_lookups), cmocka_unit_test(options_in_hints),
        cmocka_unit_test(half_a_unit_mask),  cmocka_unit_test(memory_counters),
        cmocka_unit_test(canonical_names),   cmocka_unit_test(any_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
