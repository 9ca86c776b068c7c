/* Equivalent spellings, and the canonical one that is printed. */
#include "event_case.h"
#include "event/event.h"

static void any_case(void **state)
{
    (void)state;
    static const char should[] = "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1:t=3";
    assert_canonical("skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_MESI:t=3:e=1", should);
    assert_canonical("SKL_UNC_CBO2::unc_cbo_cache_lookup:read_mesi:T=3:E=1", should);
    assert_canonical("Skl_Unc_Cbo2::Unc_Cbo_Cache_Lookup.Read_Mesi.t=0x3.e", should);
}

static void separators(void **state)
{
    (void)state;
    assert_canonical("UNC_CBO_CACHE_LOOKUP.ANY_I", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_canonical("UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_canonical("skl_unc_cbo::UNC_CBO_CACHE_LOOKUP.ANY_I:t=1",
                     "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I:t=1");
    assert_canonical("  UNC_CBO_CACHE_LOOKUP.ANY_I\t", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
}

/* Options as Intel's metric files write them after an event: a counter mask, an edge, levels. */
static void intel_s_options(void **state)
{
    (void)state;
    assert_canonical("L1D_PEND_MISS.FB_FULL:c1", "skl_core::L1D_PEND_MISS:FB_FULL:c=1");
    assert_canonical("L1D_PEND_MISS.FB_FULL:c1:e1", "skl_core::L1D_PEND_MISS:FB_FULL:e=1:c=1");
    assert_canonical("UNC_ARB_TRK_OCCUPANCY.DATA_READ:c1",
                     "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:DATA_READ:t=1");
    assert_canonical("UOPS_EXECUTED.THREAD:SUP", "skl_core::UOPS_EXECUTED:THREAD:k=1");
}

static void units_and_packages(void **state)
{
    (void)state;
    bx_evsel event = parsed("skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(event.unit, BX_ANY);
    assert_int_equal(event.package, BX_ANY);
    assert_int_equal(event.counter, BX_ANY);
    event = parsed("skl_unc_cbo3@1::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(event.unit, 3);
    assert_int_equal(event.package, 1);
    assert_canonical("skl_unc_cbo3@1::UNC_CBO_CACHE_LOOKUP:ANY_I",
                     "skl_unc_cbo3@1::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_canonical("skl_unc_cbo@0::UNC_CBO_CACHE_LOOKUP:ANY_I",
                     "skl_unc_cbo@0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_canonical("skl_unc_cbo02::UNC_CBO_CACHE_LOOKUP:ANY_I",
                     "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I");
    /* A PMU with one unit. */
    assert_canonical("skl_unc_arb0::UNC_ARB_TRK_REQUESTS:ALL",
                     "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL");
    assert_canonical("skl_unc_clock0@0::UNC_CLOCK", "skl_unc_clock@0::UNC_CLOCK:SOCKET");
}

/* Values of bits: libpfm4 and LIKWID; names of rank 0: 334060-001 table 3-1. */
static void unit_masks(void **state)
{
    (void)state;
    static const char pmu[] = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:";
    static const struct {
        const char *given, *printed;
        unsigned umask;
    } rows[] = {
        {"READ_FILTER:STATE_I", "READ_I", 0x18},
        {"STATE_I:READ_FILTER", "READ_I", 0x18},
        {"READ_I:READ_ES:STATE_M", "READ_MESI", 0x1f},
        {"ANY_I:ANY_M", "STATE_M:STATE_I:ANY_FILTER", 0x89},
        {"READ_MESI:WRITE_MESI", "STATE_M:STATE_E:STATE_S:STATE_I:READ_FILTER:WRITE_FILTER", 0x3f},
        {"umask=0x88", "ANY_I", 0x88},
        {"umask=0x88:STATE_M", "STATE_M:STATE_I:ANY_FILTER", 0x89},
        {"umask=136", "ANY_I", 0x88},
        {"umask=0", "umask=0x0", 0},
        {"umask=0x10", "umask=0x10", 0x10},      /* a request without a state counts nothing */
        {"STATE_M:READ_FILTER", "READ_M", 0x11}, /* LIKWID's, where the manual has no name */
        {"ANY_M:ANY_M", "ANY_M", 0x81},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT], should[TEXT];
        snprintf(text, sizeof text, "%s%s", pmu, rows[i].given);
        snprintf(should, sizeof should, "%s%s", pmu, rows[i].printed);
        assert_canonical(text, should);
        assert_control(text, 0x400034 | rows[i].umask << 8);
    }
    /* A bit without a name. */
    assert_canonical("UNC_ARB_TRK_REQUESTS:ALL:umask=0x40",
                     "skl_unc_arb::UNC_ARB_TRK_REQUESTS:umask=0x41");
    /* perfmon has two names for one value. */
    assert_canonical("UNC_ARB_TRK_REQUESTS.DRD_DIRECT",
                     "skl_unc_arb::UNC_ARB_TRK_REQUESTS:DATA_READ");
    assert_control("UNC_ARB_TRK_REQUESTS.DRD_DIRECT", 0x400281);
    assert_control("UNC_ARB_TRK_OCCUPANCY.DATA_READ", 0x400280);
}

/* A name that includes a threshold. */
static void names_that_set_modifiers(void **state)
{
    (void)state;
    static const char cycles[] = "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST";
    assert_canonical("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST", cycles);
    assert_canonical("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST:t=1", cycles);
    assert_canonical("UNC_ARB_TRK_OCCUPANCY:t=1:CYCLES_WITH_ANY_REQUEST", cycles);
    assert_canonical("UNC_ARB_TRK_OCCUPANCY:ALL:t=1", cycles);
    assert_canonical("UNC_ARB_TRK_OCCUPANCY:umask=1:t=1", cycles);
    assert_canonical("UNC_ARB_TRK_OCCUPANCY:ALL:t=2", "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL:t=2");
    assert_canonical("UNC_ARB_TRK_OCCUPANCY:ALL:t=1:e=1:i=1",
                     "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST:e=1:i=1");
    assert_control("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST:e", 0x1440180);
}

static void modifiers(void **state)
{
    (void)state;
    static const char plain[] = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I";
    assert_canonical("UNC_CBO_CACHE_LOOKUP.ANY_I:e=0:i=0:t=0", plain);
    assert_canonical("UNC_CBO_CACHE_LOOKUP.ANY_I:counter=1", plain);
    assert_canonical("UNC_CBO_CACHE_LOOKUP.ANY_I:t=3:t=3",
                     "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I:t=3");
    assert_canonical("UNC_CBO_CACHE_LOOKUP:e:ANY_I:t=017",
                     "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I:e=1:t=15");
    bx_evsel event = parsed("UNC_CBO_CACHE_LOOKUP.ANY_I:counter=1:t=0");
    assert_int_equal(event.counter, 1);
    assert_int_equal(bx_event_lowest_counter(built_in(), &event), 1);
    assert_int_equal(address(control(&event, 1).reg, 0), 0x701);
    assert_int_equal(event.given, 1u << 2); /* t is printed, although it is 0 */
}

static void raw_codes(void **state)
{
    (void)state;
    assert_canonical("skl_unc_cbo0::RAW:code=0x99:umask=0x1",
                     "skl_unc_cbo0::RAW:code=0x99:umask=0x1");
    assert_canonical("skl_unc_cbo::raw:umask=255:code=153:t=2:e",
                     "skl_unc_cbo::RAW:code=0x99:umask=0xff:e=1:t=2");
    assert_canonical("skl_unc_cbo::RAW:code=0x99", "skl_unc_cbo::RAW:code=0x99:umask=0x0");
    assert_control("skl_unc_cbo::RAW:code=0x99:umask=0x1", 0x400199);
    /* A raw selection with a name is printed by this name, and follows its event's rules. */
    assert_canonical("skl_unc_cbo::RAW:code=0x34:umask=0x88",
                     "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_canonical("skl_unc_arb::RAW:code=0x80:umask=1:t=1",
                     "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST");
    bx_evsel event = parsed("skl_unc_cbo::RAW:code=0x99");
    assert_int_equal(event.event, BX_RAW);
    assert_int_equal(bx_event_counters(built_in(), &event), 3);
}

/* Without a CPU model, a name must be unique among all. */
static void any_cpu(void **state)
{
    (void)state;
    bx_evsel event;
    bx_error e = {0};
    char is[TEXT];
    static const char text[] = "UNC_CBO_CACHE_LOOKUP.ANY_I";
    assert_int_equal(bx_event_parse(built_in(), -1, text, strlen(text), &event, &e), BX_OK);
    assert_string_equal(canonical(&event, is), "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I");
}

/* The P6 family's processors share one machine model and most names. Without a machine, a name
 * means `p6`, or another processor if only that has the name. */
static void siblings(void **state)
{
    (void)state;
    static const struct {
        const char *cpu, *text, *should;
    } rows[] = {
        {NULL, "BUS_TRAN_RFO", "p6::BUS_TRAN_RFO:SELF"},
        {NULL, "L2_LD.MESI:u", "p6::L2_LD:MESI:u=1"},
        {NULL, "RET_SEG_RENAMES", "p6::RET_SEG_RENAMES"},
        {NULL, "BR_CALL_EXEC", "pm::BR_CALL_EXEC"},
        {"pm", "BUS_TRAN_RFO", "pm::BUS_TRAN_RFO:SELF"},
        {"pm", "L2_M_LINES_OUTM:MESI", "pm::L2_M_LINES_OUT:MESI"},
        {"ppro", "INST_RETIRED", "ppro::INST_RETIRED"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *cpu = rows[i].cpu;
        bx_evsel event;
        bx_error e = {0};
        char is[TEXT];
        int known = cpu ? bx_cat_find_cpu(built_in(), bx_str_of(cpu)) : -1;
        if (bx_event_parse(built_in(), known, rows[i].text, strlen(rows[i].text), &event, &e))
            fail_msg("'%s': %s (%s)", rows[i].text, e.message, e.hint);
        assert_string_equal(canonical(&event, is), rows[i].should);
    }
}

static void place_in_the_text(void **state)
{
    (void)state;
    bx_evsel event = parsed("  UNC_CLOCK ");
    assert_int_equal(event.at, 2);
    assert_int_equal(event.len, 9);
}

/* The length of the whole text is returned, even if the text is cut. */
static void small_rooms(void **state)
{
    (void)state;
    static const char whole[] = "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I:e=1";
    bx_evsel event = parsed(whole);
    for (size_t room = 0; room <= sizeof whole; room++) {
        char to[sizeof whole + 1];
        memset(to, '#', sizeof to);
        assert_int_equal(bx_event_format(built_in(), &event, to, room), sizeof whole - 1);
        size_t n = room ? (room < sizeof whole ? room - 1 : sizeof whole - 1) : 0;
        assert_memory_equal(to, whole, n);
        if (room)
            assert_int_equal(to[n], '\0');
        assert_int_equal(to[room], '#');
    }
    assert_int_equal(bx_event_format(built_in(), &event, NULL, 0), sizeof whole - 1);
    assert_int_equal(bx_event_format_perf(built_in(), &event, NULL, 0),
                     strlen("uncore_cbox_1/event=0x34,umask=0x88,edge=1/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_case),          cmocka_unit_test(separators),
        cmocka_unit_test(intel_s_options),   cmocka_unit_test(units_and_packages),
        cmocka_unit_test(unit_masks),        cmocka_unit_test(names_that_set_modifiers),
        cmocka_unit_test(modifiers),         cmocka_unit_test(raw_codes),
        cmocka_unit_test(any_cpu),           cmocka_unit_test(siblings),
        cmocka_unit_test(place_in_the_text), cmocka_unit_test(small_rooms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
