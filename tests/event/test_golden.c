/* Every row of the manual's event tables, with register and value on every counter of every unit.
 * 334060-001: addresses table 2-1, bits tables 2-4 and 2-7, events tables 3-1 to 3-3. */
#include "event_case.h"
#include "event/event.h"

typedef struct row {
    const char *manual, *canonical; /* canonical: after "pmu::" */
    uint64_t control;               /* EN (bit 22), UMASK (15:8), EVT_SEL (7:0), THR (28:24) */
    unsigned counters;              /* mask */
} row;

/* Table 3-1. */
static const row cbo[] = {
    {"UNC_CBO_XSNP_RESPONSE.MISS_XCORE", "UNC_CBO_XSNP_RESPONSE:MISS_XCORE", 0x404122, 3},
    {"UNC_CBO_XSNP_RESPONSE.MISS_EVICTION", "UNC_CBO_XSNP_RESPONSE:MISS_EVICTION", 0x408122, 3},
    {"UNC_CBO_XSNP_RESPONSE.HIT_XCORE", "UNC_CBO_XSNP_RESPONSE:HIT_XCORE", 0x404422, 3},
    {"UNC_CBO_XSNP_RESPONSE.HITM_XCORE", "UNC_CBO_XSNP_RESPONSE:HITM_XCORE", 0x404822, 3},
    {"UNC_CBO_CACHE_LOOKUP.WRITE_M", "UNC_CBO_CACHE_LOOKUP:WRITE_M", 0x402134, 3},
    {"UNC_CBO_CACHE_LOOKUP.ANY_M", "UNC_CBO_CACHE_LOOKUP:ANY_M", 0x408134, 3},
    {"UNC_CBO_CACHE_LOOKUP.READ_I", "UNC_CBO_CACHE_LOOKUP:READ_I", 0x401834, 3},
    {"UNC_CBO_CACHE_LOOKUP.ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I", 0x408834, 3},
    {"UNC_CBO_CACHE_LOOKUP.READ_MESI", "UNC_CBO_CACHE_LOOKUP:READ_MESI", 0x401f34, 3},
    {"UNC_CBO_CACHE_LOOKUP.WRITE_MESI", "UNC_CBO_CACHE_LOOKUP:WRITE_MESI", 0x402f34, 3},
    {"UNC_CBO_CACHE_LOOKUP.ANY_MESI", "UNC_CBO_CACHE_LOOKUP:ANY_MESI", 0x408f34, 3},
    {"UNC_CBO_CACHE_LOOKUP.ANY_ES", "UNC_CBO_CACHE_LOOKUP:ANY_ES", 0x408634, 3},
    {"UNC_CBO_CACHE_LOOKUP.READ_ES", "UNC_CBO_CACHE_LOOKUP:READ_ES", 0x401634, 3},
    {"UNC_CBO_CACHE_LOOKUP.WRITE_ES", "UNC_CBO_CACHE_LOOKUP:WRITE_ES", 0x402634, 3},
};

/* Table 3-2; the threshold of the last row is from intel/perfmon SKL/events/skylake_uncore.json. */
static const row arb[] = {
    {"UNC_ARB_TRK_OCCUPANCY.ALL", "UNC_ARB_TRK_OCCUPANCY:ALL", 0x400180, 1},
    {"UNC_ARB_TRK_REQUESTS.ALL", "UNC_ARB_TRK_REQUESTS:ALL", 0x400181, 3},
    {"UNC_ARB_TRK_REQUESTS.WRITES", "UNC_ARB_TRK_REQUESTS:WRITES", 0x402081, 3},
    {"UNC_ARB_COH_TRK_REQUESTS.ALL", "UNC_ARB_COH_TRK_REQUESTS:ALL", 0x400184, 3},
    {"UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST",
     "UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST", 0x1400180, 1},
};

/* Control registers: by unit and counter. */
static const uint32_t cbo_control[4][2] = {
    {0x700, 0x701}, {0x710, 0x711}, {0x720, 0x721}, {0x730, 0x731}};
static const uint32_t arb_control[2] = {0x3b2, 0x3b3};

static void assert_row(const row *r, const char *pmu, unsigned unit, unsigned units)
{
    char text[TEXT], is[TEXT], should[TEXT];
    snprintf(text, sizeof text, "%s%u::%s", pmu, unit, r->manual);
    bx_evsel event = parsed(text);
    assert_int_equal(event.unit, unit);
    if (units == 1)
        snprintf(should, sizeof should, "%s::%s", pmu, r->canonical);
    else
        snprintf(should, sizeof should, "%s%u::%s", pmu, unit, r->canonical);
    assert_string_equal(canonical(&event, is), should);
    assert_int_equal(bx_event_counters(built_in(), &event), r->counters);
    assert_int_equal(bx_event_lowest_counter(built_in(), &event), 0);
    assert_int_equal(event.control, r->control);
    for (unsigned counter = 0; counter < 2; counter++) {
        if (!(r->counters >> counter & 1))
            continue;
        bx_regvalue to = control(&event, counter);
        assert_int_equal(to.value, r->control);
        assert_true(to.mask == UINT64_MAX);
        assert_int_equal(address(to.reg, unit),
                         units == 1 ? arb_control[counter] : cbo_control[unit][counter]);
    }
}

static void cbo_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cbo / sizeof *cbo; i++)
        for (unsigned unit = 0; unit < 4; unit++)
            assert_row(&cbo[i], "skl_unc_cbo", unit, 4);
}

static void arb_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arb / sizeof *arb; i++)
        assert_row(&arb[i], "skl_unc_arb", 0, 1);
}

static void without_pmu(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cbo / sizeof *cbo; i++)
        assert_control(cbo[i].manual, cbo[i].control);
    for (size_t i = 0; i < sizeof arb / sizeof *arb; i++)
        assert_control(arb[i].manual, arb[i].control);
}

/* Names of the registers, as table 2-1 prints them. */
static void register_names(void **state)
{
    (void)state;
    char name[TEXT];
    bx_evsel event = parsed("skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP.ANY_I");
    const bx_cat_reg *reg = &bx_cat_regs(built_in())[control(&event, 1).reg];
    bx_cat_expand(name, sizeof name, bx_cat_z(built_in(), reg->name), 3, 0);
    assert_string_equal(name, "MSR_UNC_CBO_3_PERFEVTSEL1");
}

/* UNC_CLOCK.SOCKET, table 3-2: "Fixed"; CNT_EN is bit 22 of 394H (table 2-4). */
static void clock_row(void **state)
{
    (void)state;
    char is[TEXT];
    bx_evsel event = parsed("UNC_CLOCK.SOCKET");
    assert_string_equal(canonical(&event, is), "skl_unc_clock::UNC_CLOCK:SOCKET");
    assert_int_equal(bx_event_lowest_counter(built_in(), &event), -1);
    bx_regvalue to = control(&event, 0);
    assert_int_equal(to.value, 0x400000);
    assert_int_equal(address(to.reg, 0), 0x394);
    assert_canonical("UNC_CLOCK", "skl_unc_clock::UNC_CLOCK:SOCKET");
}

/* Table 3-3: free-running counters, nothing is programmed. */
static void imc_rows(void **state)
{
    (void)state;
    static const char *const names[] = {"DRAM_GT_REQUESTS", "DRAM_IA_REQUESTS", "DRAM_IO_REQUESTS",
                                        "DRAM_DATA_READS", "DRAM_DATA_WRITES"};
    static const uint32_t offsets[] = {0x5040, 0x5044, 0x5048, 0x5050, 0x5054};
    for (unsigned i = 0; i < 5; i++) {
        char is[TEXT], should[TEXT];
        bx_regvalue to[1 + BX_EXTRAS];
        bx_evsel event = parsed(names[i]);
        snprintf(should, sizeof should, "skl_unc_imc::%s", names[i]);
        assert_string_equal(canonical(&event, is), should);
        assert_int_equal(bx_event_lowest_counter(built_in(), &event), -1);
        assert_int_equal(bx_event_registers(built_in(), &event, 0, to), 0);
        uint32_t can = bx_event_counters(built_in(), &event);
        assert_int_equal(can, 1u << i);
        const bx_cat_counter *counter = bx_pmu_counter(built_in(), event.pmu, i);
        assert_int_equal(address(counter->value, 0), offsets[i]);
    }
}

/* Bits of the modifiers, table 2-7: E 18, INV 23, THR 28:24. */
static void modifier_bits(void **state)
{
    (void)state;
    assert_control("UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1", 0x441f34);
    assert_control("UNC_CBO_CACHE_LOOKUP:READ_MESI:i=1", 0xc01f34);
    assert_control("UNC_CBO_CACHE_LOOKUP:READ_MESI:t=31", 0x1f401f34);
    assert_control("skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_MESI:t=3:e=1", 0x3441f34);
    assert_control("UNC_ARB_TRK_OCCUPANCY.ALL:t=0x10:i:e", 0x10c40180);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cbo_rows),      cmocka_unit_test(arb_rows),
        cmocka_unit_test(without_pmu),   cmocka_unit_test(register_names),
        cmocka_unit_test(clock_row),     cmocka_unit_test(imc_rows),
        cmocka_unit_test(modifier_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
