/* Register values to events. Addresses and bits: 334060-001 tables 2-1, 2-4 and 2-7. */
#include "event_case.h"
#include "register/register.h"
#include "event/decode/decode.h"

typedef struct row {
    uint32_t address;
    uint64_t value;
    const char *event; /* NULL: selects nothing */
    int counter;
} row;

static const row rows[] = {
    {0x700, 0x408834, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", 0},
    {0x701, 0x408834, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", 1},
    {0x731, 0x401f34, "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:READ_MESI", 1},
    {0x720, 0x3c41f34, "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1:i=1:t=3", 0},
    /* A control that is not enabled, and one with overflow reporting: the same event. */
    {0x710, 0x008834, "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I", 0},
    {0x710, 0x508834, "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I", 0},
    /* Bits that the register reserves do not hide the event. */
    {0x710, 0x8000000000608834, "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I", 0},
    {0x700, 0x400199, "skl_unc_cbo0::RAW:code=0x99:umask=0x1", 0},
    {0x700, 0x400000, "skl_unc_cbo0::RAW:code=0x0:umask=0x0", 0},
    {0x700, 0x400034, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:umask=0x0", 0},
    {0x3b2, 0x400180, "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL", 0},
    {0x3b2, 0x1400180, "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST", 0},
    {0x3b3, 0x402081, "skl_unc_arb::UNC_ARB_TRK_REQUESTS:WRITES", 1},
    /* This counter cannot count the event, but the register selects it. */
    {0x3b3, 0x400180, "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL", 1},
    {0x394, 0x400000, "skl_unc_clock::UNC_CLOCK:SOCKET", 0},
    {0x394, 0x100000, "skl_unc_clock::UNC_CLOCK:SOCKET", 0},
    /* Nothing selected; counts; global registers. */
    {0x700, 0, NULL, 0},
    {0x394, 0, NULL, 0},
    {0x706, 0x408834, NULL, 0},
    {0x395, 0x400000, NULL, 0},
    {0xe01, 0x2000000f, NULL, 0},
    {0xe02, 8, NULL, 0},
    {0x396, 5, NULL, 0},
};

static void each_register(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_raw raw = {BX_SPACE_MSR, rows[i].address, rows[i].value};
        bx_decoded to[2];
        bx_error e = {0};
        size_t n = 99;
        char is[TEXT];
        assert_int_equal(bx_decode(built_in(), skl(), &raw, 1, to, 2, &n, &e), BX_OK);
        if (n != (rows[i].event != NULL))
            fail_msg("0x%x=0x%llx: %zu events", rows[i].address, (unsigned long long)rows[i].value,
                     n);
        if (!n)
            continue;
        assert_string_equal(canonical(&to[0].event, is), rows[i].event);
        assert_int_equal(to[0].event.counter, rows[i].counter);
        assert_int_equal(to[0].event.package, BX_ANY);
        assert_true(to[0].value == rows[i].value);
        assert_int_equal(address(to[0].reg, (unsigned)to[0].event.unit), rows[i].address);
    }
}

/* All registers of a machine: events are in order, without registers that select nothing. */
static void whole_reading(void **state)
{
    (void)state;
    static const bx_raw raw[] = {
        {BX_SPACE_MSR, 0xe01, 0x2000000f}, {BX_SPACE_MSR, 0x700, 0x408834},
        {BX_SPACE_MSR, 0x706, 12345},      {BX_SPACE_MSR, 0x701, 0x408f34},
        {BX_SPACE_MMIO, 0x5050, 777},      {BX_SPACE_PCI, 0x48, 0xfed10001},
        {BX_SPACE_MSR, 0x394, 0x400000},
    };
    bx_decoded to[3];
    bx_error e = {0};
    size_t n = 0;
    char is[TEXT];
    assert_int_equal(bx_decode(built_in(), skl(), raw, 7, to, 3, &n, &e), BX_OK);
    assert_int_equal(n, 3);
    assert_string_equal(canonical(&to[0].event, is), "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_string_equal(canonical(&to[1].event, is), "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI");
    assert_string_equal(canonical(&to[2].event, is), "skl_unc_clock::UNC_CLOCK:SOCKET");
    n = 99;
    assert_int_equal(bx_decode(built_in(), skl(), raw, 7, to, 2, &n, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "more than 2 events");
    assert_int_equal(n, 99);
}

/* Only those bits of a filter register (C0_MSR_PMON_BOX_FILTER, 0xd14) are decoded that the event
 * uses or the control register enables. The rest belongs to other counters. Fields: Intel
 * 329468-002. */
static void filter_register(void **state)
{
    (void)state;
    static const struct {
        uint64_t control, filter;
        const char *event;
    } reads[] = {
        {0x400237, 0x00001f, "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_E"}, /* TID_EN is 0 */
        {0x480237, 0x00001f, "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_E:cf=7:tf=1:other=0x1"},
        {0x480237, 0x7e0000, "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_E:cf=0"},
        {0x401134, 0x7e0000, "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF"},
        {0x401134, 0x00001f, "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:state=0x0"},
    };
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("ivbep"));
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        const bx_raw raw[] = {{BX_SPACE_MSR, 0xd10, reads[i].control},
                              {BX_SPACE_MSR, 0xd14, reads[i].filter}};
        bx_decoded to[2];
        size_t n;
        char is[TEXT];
        assert_int_equal(bx_decode(built_in(), cpu, raw, 2, to, 2, &n, NULL), BX_OK);
        assert_int_equal(n, 1);
        assert_string_equal(canonical(&to[0].event, is), reads[i].event);
    }
}

/* PerfEvtSel1 (0x187) of the P6 family has no enable of its own in bit 22; that of PerfEvtSel0
 * (0x186) is for both counters (SDM volume 3, performance monitoring of the P6 family). Bits 19
 * and 20 are for a pin and an interrupt. An event without a privilege level counts nothing. */
static void a_bit_of_no_event_selects_nothing(void **state)
{
    (void)state;
    static const struct {
        uint64_t second;
        size_t events;
    } reads[] = {{0x400000, 0}, {0x180000, 0}, {0x800000, 1}, {0x100c0, 1}};
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("p6"));
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        const bx_raw raw[] = {{BX_SPACE_MSR, 0x186, 0x400000},
                              {BX_SPACE_MSR, 0x187, reads[i].second}};
        bx_decoded to[2];
        size_t n;
        assert_int_equal(bx_decode(built_in(), cpu, raw, 2, to, 2, &n, NULL), BX_OK);
        assert_int_equal(n, reads[i].events);
    }
}

static void unknown_addresses(void **state)
{
    (void)state;
    static const struct {
        bx_raw raw;
        const char *message;
    } bad[] = {
        {{BX_SPACE_MSR, 0x702, 1}, "skl has no register at msr:0x702"},
        {{BX_SPACE_MSR, 0x391, 0}, "skl has no register at msr:0x391"},
        {{BX_SPACE_MSR, 0x5050, 0}, "skl has no register at msr:0x5050"},
        {{BX_SPACE_MMIO, 0x700, 1}, "skl has no register at mmio:0x700"},
        {{BX_SPACE_MSR, 0x1000000000700, 1}, "skl has no register at msr:0x1000000000700"},
        {{3, 0x700, 1}, "skl has no register at ?:0x700"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bx_decoded to[1];
        bx_error e = {0};
        size_t n = 99;
        assert_int_equal(bx_decode(built_in(), skl(), &bad[i].raw, 1, to, 1, &n, &e), BX_NOT_FOUND);
        assert_string_equal(e.message, bad[i].message);
        assert_int_equal(e.len, 0);
        assert_int_equal(n, 99);
    }
    bx_error e = {0};
    size_t n;
    assert_int_equal(bx_decode(built_in(), -1, &bad[0].raw, 1, NULL, 0, &n, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "no CPU model to decode registers of");
}

/* Table 2-7 reserves 63:29, 21, 19 and 17:16; table 2-4 all but 22 and 20. */
static void reserved_bits(void **state)
{
    (void)state;
    bx_unit_register select = bx_register_at(built_in(), (unsigned)skl(), BX_SPACE_MSR, 0x711);
    bx_unit_register fixed = bx_register_at(built_in(), (unsigned)skl(), BX_SPACE_MSR, 0x394);
    assert_int_equal(select.unit, 1);
    assert_true(bx_register_invalid_bits(built_in(), select.reg, 0x408834) == 0);
    assert_true(bx_register_invalid_bits(built_in(), select.reg, UINT64_MAX) == 0xffffffffe02b0000);
    assert_true(bx_register_invalid_bits(built_in(), fixed.reg, UINT64_MAX) == 0xffffffffffafffff);
}

static void fields(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t value;
    } parts[] = {{"EVT_SEL", 0x34}, {"UMASK", 0x88}, {"E", 0},   {"OVF_EN", 1},
                 {"EN", 1},         {"INV", 0},      {"THR", 17}};
    bx_unit_register at = bx_register_at(built_in(), (unsigned)skl(), BX_SPACE_MSR, 0x700);
    bx_span all = bx_cat_regs(built_in())[at.reg].fields;
    assert_int_equal(all.n, 7);
    for (unsigned i = 0; i < 7; i++) {
        uint16_t field = bx_cat_find_field(built_in(), at.reg, bx_str_of(parts[i].name));
        assert_int_not_equal(field, BX_NONE);
        assert_int_equal(bx_field_of(&bx_cat_fields(built_in())[field], 0x11508834),
                         parts[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_register),
        cmocka_unit_test(whole_reading),
        cmocka_unit_test(filter_register),
        cmocka_unit_test(unknown_addresses),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(fields),
        cmocka_unit_test(a_bit_of_no_event_selects_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
