/* The catalogue of Ivy Bridge-EP's memory channels against facts typed from Linux
 * (arch/x86/events/intel/uncore_snbep.c), LIKWID (src/includes/registers.h,
 * perfmon_ivybridgeEP_counters.h), PCM (src/types.h) and libpfm4's table. All encodings are
 * compared with libpfm4 itself in tests/pfm/same.sh, and with Intel's list in
 * tests/event/test_perfmon.c. */
#include "../cmocked.h"

#include "facts.h"

#include "register/register.h"

#include <string.h>

static const struct bx_catalog *c;
static uint16_t imc;

/* PCI devices of the channels: Linux and LIKWID agree on their order. */
static const struct {
    unsigned device, function;
} channels[] = {{16, 4}, {16, 5}, {16, 0}, {16, 1}, {30, 4}, {30, 5}, {30, 0}, {30, 1}};

static const struct {
    const char *name;
    unsigned offset, width;
    uint64_t bits; /* the implemented ones */
} registers[] = {
    {"BOX_CTL", 0xf4, 32, 0x30103},
    {"BOX_STATUS", 0xf8, 32, 0x1f},
    /* code, unit mask, reset 17, edge 18, 20, enable 22, threshold; no invert 23 */
    {"CTL0", 0xd8, 32, 0xff56ffff},
    {"CTL1", 0xdc, 32, 0xff56ffff},
    {"CTL2", 0xe0, 32, 0xff56ffff},
    {"CTL3", 0xe4, 32, 0xff56ffff},
    {"FIXED_CTL", 0xf0, 32, 1 << 22 | 1 << 19},
    {"CTR0", 0xa0, 64, 0xffffffffffff},
    {"CTR1", 0xa8, 64, 0xffffffffffff},
    {"CTR2", 0xb0, 64, 0xffffffffffff},
    {"CTR3", 0xb8, 64, 0xffffffffffff},
    {"FIXED_CTR", 0xd0, 64, 0xffffffffffff},
};
enum { REGISTERS = sizeof registers / sizeof *registers };

/* Bus 3FH in package 0 and 40H more for each further package: the default of LIKWID
 * src/access_x86_pci.c. */
static uint64_t expected_address(unsigned package, unsigned unit, unsigned offset)
{
    return (uint64_t)(0x3f + 0x40 * package) << 20 | channels[unit].device << 15 |
           channels[unit].function << 12 | offset;
}

static void addresses(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[imc];
    assert_int_equal(pmu->unit_max, 8);
    assert_int_equal(pmu->regs.n, REGISTERS);
    for (size_t i = 0; i < REGISTERS; i++) {
        char name[48] = "MC_CH{unit}_PCI_PMON_";
        strcat(name, registers[i].name);
        const bx_cat_reg *reg = facts_reg("ivbep", name, NULL);
        unsigned index = (unsigned)(reg - bx_cat_regs(c));
        FACTS_SAME(name, "", {"space", reg->space, BX_SPACE_PCI},
                   {"width", reg->width, registers[i].width},
                   {"bits", facts_bits(reg, ~0u), registers[i].bits});
        for (unsigned n = 0; n < 16; n++) {
            uint64_t at = expected_address(n % 2, n / 2, registers[i].offset);
            bx_unit_register found = bx_register_at(c, pmu->cpu, BX_SPACE_PCI, at);
            FACTS_SAME(name, "", {"address", bx_register_offset_in(c, n % 2, index, n / 2), at},
                       {"register there", found.reg, index}, {"its unit", found.unit, n / 2},
                       {"its package", found.package, n % 2});
        }
    }
}

static void no_register_between(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[imc];
    static const uint32_t buses[] = {0, 0x3e, 0x40, 0x5f, 0x80};
    for (size_t i = 0; i < sizeof buses / sizeof *buses; i++) {
        uint64_t at = (uint64_t)buses[i] << 20 | 16 << 15 | 4 << 12 | 0xf4;
        assert_int_equal(bx_register_at(c, pmu->cpu, BX_SPACE_PCI, at).reg, BX_NONE);
    }
}

/* Enable bit 22, the box's freeze bit 8, and the freeze of the U-Box. */
static void counters(void **state)
{
    (void)state;
    bx_span span = bx_cat_pmus(c)[imc].counters;
    assert_int_equal(span.n, 5);
    for (uint16_t i = 0; i < 5; i++) {
        const bx_cat_counter *k = &bx_cat_counters(c)[span.first + i];
        static const uint8_t bit[] = {22, 8, 31};
        uint64_t control = i < 4 ? 0xd8 + 4 * i : 0xf0;
        const uint64_t at[] = {expected_address(0, 0, (unsigned)control),
                               expected_address(0, 0, 0xf4), 0xc00};
        assert_int_equal(k->width, 48);
        assert_int_equal(k->counts.n, 3);
        for (uint16_t n = 0; n < 3; n++) {
            const bx_cat_cond *cond = &bx_cat_conds(c)[k->counts.first + n];
            assert_int_equal(bx_cat_fields(c)[cond->field].lo, bit[n]);
            assert_int_equal(cond->value, n == 0);
            assert_int_equal(facts_address(&bx_cat_regs(c)[cond->reg], 0), at[n]);
        }
        assert_int_equal(k->invert, BX_NONE);
        assert_int_equal(k->overflow_en, BX_NONE);
        assert_int_equal(k->edge == BX_NONE, i == 4);
        assert_int_equal(k->threshold == BX_NONE, i == 4);
    }
}

static const struct {
    const char *event, *umask;
    unsigned code, value;
} events[] = {
    {"UNC_M_CLOCKTICKS", "", 0xff, 0},           {"UNC_M_DCLOCKTICKS", "", 0x00, 0},
    {"UNC_M_ACT_COUNT", "RD", 0x01, 1},          {"UNC_M_ACT_COUNT", "WR", 0x01, 2},
    {"UNC_M_ACT_COUNT", "BYP", 0x01, 8},         {"UNC_M_PRE_COUNT", "PAGE_MISS", 0x02, 1},
    {"UNC_M_PRE_COUNT", "RD", 0x02, 4},          {"UNC_M_PRE_COUNT", "WR", 0x02, 8},
    {"UNC_M_CAS_COUNT", "ALL", 0x04, 0xf},       {"UNC_M_CAS_COUNT", "RD", 0x04, 3},
    {"UNC_M_CAS_COUNT", "WR", 0x04, 0xc},        {"UNC_M_DRAM_REFRESH", "PANIC", 0x05, 2},
    {"UNC_M_DRAM_REFRESH", "HIGH", 0x05, 4},     {"UNC_M_RPQ_INSERTS", "", 0x10, 0},
    {"UNC_M_RPQ_CYCLES_NE", "", 0x11, 0},        {"UNC_M_WPQ_INSERTS", "", 0x20, 0},
    {"UNC_M_WPQ_CYCLES_NE", "", 0x21, 0},        {"UNC_M_WPQ_CYCLES_FULL", "", 0x22, 0},
    {"UNC_M_RD_CAS_RANK0", "BANK0", 0xb0, 1},    {"UNC_M_RD_CAS_RANK7", "BANK7", 0xb7, 0x80},
    {"UNC_M_WR_CAS_RANK0", "BANK7", 0xb8, 0x80}, {"UNC_M_WR_CAS_RANK7", "BANK0", 0xbf, 1},
    {"UNC_M_WMM_TO_RMM", "LOW_THRESH", 0xc0, 1}, {"UNC_M_POWER_PCU_THROTTLING", "", 0x42, 0},
};

static void some_events(void **state)
{
    (void)state;
    assert_int_equal(bx_cat_pmus(c)[imc].events.n, 46);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const bx_cat_event *event = facts_event(c, imc, events[i].event);
        const bx_cat_umask *umask = facts_umask(c, event, events[i].umask);
        FACTS_SAME(events[i].event, events[i].umask, {"code", event->code, events[i].code},
                   {"value", umask ? umask->value : 0, events[i].value},
                   {"counters", event->counters, i ? 0xf : 0x10});
    }
}

static void other_names(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[imc];
    assert_string_equal(bx_cat_z(c, pmu->kernel), "uncore_imc_{unit}");
    assert_string_equal(bx_cat_z(c, pmu->likwid), "MBOX{unit}C{n}");
    assert_string_equal(bx_cat_z(c, bx_cat_counters(c)[pmu->counters.first + 4].likwid),
                        "MBOX{unit}FIX");
}

int main(void)
{
    c = bx_catalog_builtin();
    imc = facts_pmu(c, "ivbep_unc_imc");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),   cmocka_unit_test(no_register_between),
        cmocka_unit_test(counters),    cmocka_unit_test(some_events),
        cmocka_unit_test(other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
