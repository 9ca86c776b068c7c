/* The registers of catalog/skl against 334060-001: every address of table 2-1 and every field of
 * tables 2-2 to 2-8, typed from the document. */
#include "../cmocked.h"

#include "facts.h"
#include "register/register.h"

#include <string.h>

static const struct bx_catalog *c;

static const bx_cat_reg *find(const char *name)
{
    return facts_reg("skl", name, NULL);
}

/* Table 2-1, all 25 rows. CB0 in the last two is a misprint of CBO. */
static const struct {
    const char *name;
    uint32_t address;
} msrs[] = {
    {"MSR_UNC_PERF_GLOBAL_CTRL", 0xe01},  {"MSR_UNC_PERF_GLOBAL_STATUS", 0xe02},
    {"MSR_UNC_PERF_FIXED_CTRL", 0x394},   {"MSR_UNC_PERF_FIXED_CTR", 0x395},
    {"MSR_UNC_CBO_CONFIG", 0x396},        {"MSR_UNC_ARB_PERFCTR0", 0x3b0},
    {"MSR_UNC_ARB_PERFCTR1", 0x3b1},      {"MSR_UNC_ARB_PERFEVTSEL0", 0x3b2},
    {"MSR_UNC_ARB_PERFEVTSEL1", 0x3b3},   {"MSR_UNC_CBO_0_PERFEVTSEL0", 0x700},
    {"MSR_UNC_CBO_0_PERFEVTSEL1", 0x701}, {"MSR_UNC_CBO_0_PERFCTR0", 0x706},
    {"MSR_UNC_CBO_0_PERFCTR1", 0x707},    {"MSR_UNC_CBO_1_PERFEVTSEL0", 0x710},
    {"MSR_UNC_CBO_1_PERFEVTSEL1", 0x711}, {"MSR_UNC_CBO_1_PERFCTR0", 0x716},
    {"MSR_UNC_CBO_1_PERFCTR1", 0x717},    {"MSR_UNC_CBO_2_PERFEVTSEL0", 0x720},
    {"MSR_UNC_CBO_2_PERFEVTSEL1", 0x721}, {"MSR_UNC_CBO_2_PERFCTR0", 0x726},
    {"MSR_UNC_CBO_2_PERFCTR1", 0x727},    {"MSR_UNC_CBO_3_PERFEVTSEL0", 0x730},
    {"MSR_UNC_CBO_3_PERFEVTSEL1", 0x731}, {"MSR_UNC_CBO_3_PERFCTR0", 0x736},
    {"MSR_UNC_CBO_3_PERFCTR1", 0x737},
};

static void addresses_of_table_2_1(void **state)
{
    (void)state;
    assert_int_equal(sizeof msrs / sizeof *msrs, 25);
    for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++) {
        unsigned unit;
        const bx_cat_reg *reg = facts_reg("skl", msrs[i].name, &unit);
        FACTS_SAME(msrs[i].name, "", {"space", reg->space, BX_SPACE_MSR}, {"width", reg->width, 64},
                   {"address", facts_address(reg, unit), msrs[i].address});
    }
}

static void no_other_msr(void **state)
{
    (void)state;
    enum {
        OF_CORES =
            8 + 16 + 3 + 4 + 4, /* controls, counters, fixed ones, shared registers, filters */
        CAUSES = 15             /* of cycles, on virtual machines */
    };
    assert_int_equal(facts_msrs("skl"), 25 + OF_CORES + CAUSES);
}

#define ASSERT_FIELDS(reg, rows) facts_check_fields(find(reg), rows, sizeof(rows) / sizeof *(rows))

/* Table 2-2, and bit 4 that Linux uncore_snb.c writes (SKL_UNC_GLOBAL_CTL_CORE_ALL is 1FH). */
static void table_2_2(void **state)
{
    (void)state;
    static const struct field_row rows[] = {
        {"FRZ_ON_PMI", 31, 31, BX_FIELD_RW},  {"WAKE_ON_PMI", 30, 30, BX_FIELD_RW},
        {"EN", 29, 29, BX_FIELD_RW},          {"PMI_SEL_CORE4", 4, 4, BX_FIELD_RW},
        {"PMI_SEL_CORE3", 3, 3, BX_FIELD_RW}, {"PMI_SEL_CORE2", 2, 2, BX_FIELD_RW},
        {"PMI_SEL_CORE1", 1, 1, BX_FIELD_RW}, {"PMI_SEL_CORE0", 0, 0, BX_FIELD_RW},
    };
    ASSERT_FIELDS("MSR_UNC_PERF_GLOBAL_CTRL", rows);
}

/* Table 2-3. CBO_CTR_OVF is printed at bit 31, which is inside the table's own reserved 63:4; only
 * bit 3 is free for it. */
static void table_2_3(void **state)
{
    (void)state;
    static const struct field_row rows[] = {
        {"CBO_CTR_OVF", 3, 3, BX_FIELD_W1C},
        {"ARB_CTR_OVF", 1, 1, BX_FIELD_W1C},
        {"FIXED_CTR_OVF", 0, 0, BX_FIELD_W1C},
    };
    ASSERT_FIELDS("MSR_UNC_PERF_GLOBAL_STATUS", rows);
}

static void tables_2_4_to_2_6(void **state)
{
    (void)state;
    static const struct field_row control[] = {
        {"CNT_EN", 22, 22, BX_FIELD_RW},
        {"OVF_EN", 20, 20, BX_FIELD_RW},
    };
    static const struct field_row count[] = {{"CTR_VAL", 47, 0, BX_FIELD_RW}};
    static const struct field_row config[] = {{"NO_CBO_BANKS", 3, 0, BX_FIELD_RO}};
    ASSERT_FIELDS("MSR_UNC_PERF_FIXED_CTRL", control);
    ASSERT_FIELDS("MSR_UNC_PERF_FIXED_CTR", count);
    ASSERT_FIELDS("MSR_UNC_CBO_CONFIG", config);
}

/* Tables 2-7 and 2-8: all ten select registers and all ten counters share them. */
static void tables_2_7_and_2_8(void **state)
{
    (void)state;
    static const struct field_row select[] = {
        {"THR", 28, 24, BX_FIELD_RW},   {"INV", 23, 23, BX_FIELD_RW},
        {"EN", 22, 22, BX_FIELD_RW},    {"OVF_EN", 20, 20, BX_FIELD_RW},
        {"E", 18, 18, BX_FIELD_RW},     {"UMASK", 15, 8, BX_FIELD_RW},
        {"EVT_SEL", 7, 0, BX_FIELD_RW},
    };
    static const struct field_row count[] = {{"CTR_VAL", 43, 0, BX_FIELD_RW}};
    unsigned selects = 0, counts = 0;
    for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++) {
        if (strstr(msrs[i].name, "_PERFEVTSEL")) {
            ASSERT_FIELDS(msrs[i].name, select);
            selects++;
        } else if (strstr(msrs[i].name, "_PERFCTR")) {
            ASSERT_FIELDS(msrs[i].name, count);
            counts++;
        }
    }
    assert_int_equal(selects, 10);
    assert_int_equal(counts, 10);
}

/* Bits without a field fault. They are the reserved rows of the tables. */
static void implemented_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t bits;
    } rows[] = {
        {"MSR_UNC_PERF_GLOBAL_CTRL", 0xe000001f},
        {"MSR_UNC_PERF_GLOBAL_STATUS", 0xb},
        {"MSR_UNC_PERF_FIXED_CTRL", 0x500000},
        {"MSR_UNC_PERF_FIXED_CTR", 0xffffffffffff},
        {"MSR_UNC_CBO_CONFIG", 0xf},
        {"MSR_UNC_ARB_PERFEVTSEL1", 0x1fd4ffff},
        {"MSR_UNC_CBO_3_PERFCTR1", 0xfffffffffff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        FACTS_SAME(rows[i].name, "",
                   {"implemented", facts_bits(find(rows[i].name), ALL_KINDS), rows[i].bits});
}

/* Section 3.3: bus 0, device 0, function 0, offset 48H, mask 7FFFFF8000H. */
static void base_address_register(void **state)
{
    (void)state;
    const bx_cat_reg *bar = find("MCHBAR");
    assert_int_equal(bar->space, BX_SPACE_PCI);
    assert_int_equal(facts_address(bar, 0), 0x48);
    assert_int_equal(bar->width, 64);
    assert_int_equal(bar->reset, 0xfed10001);
    assert_int_equal(bx_cat_field_mask(facts_field(bar, "BASE")), UINT64_C(0x7fffff8000));
    assert_int_equal(bx_cat_field_mask(facts_field(bar, "EN")), 1);

    const bx_cat_reg *id = find("HOST_BRIDGE_ID");
    assert_int_equal(id->space, BX_SPACE_PCI);
    assert_int_equal(facts_address(id, 0), 0);
    assert_int_equal(id->width, 32);
    assert_int_equal(id->reset,
                     0x191f8086); /* Linux uncore_snb.c: PCI_DEVICE_ID_INTEL_SKL_SD_IMC */
    assert_int_equal(facts_bits(id, ALL_KINDS), facts_bits(id, 1U << BX_FIELD_RO));
}

/* Table 3-3: offsets from the base; 32 bits each, read only. */
static void table_3_3(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t offset;
    } rows[] = {
        {"DRAM_GT_REQUESTS", 0x5040}, {"DRAM_IA_REQUESTS", 0x5044}, {"DRAM_IO_REQUESTS", 0x5048},
        {"DRAM_DATA_READS", 0x5050},  {"DRAM_DATA_WRITES", 0x5054},
    };
    const bx_cat_field *base = facts_field(find("MCHBAR"), "BASE");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bx_cat_reg *reg = find(rows[i].name);
        assert_int_equal(reg->space, BX_SPACE_MMIO);
        assert_int_equal(reg->width, 32);
        assert_int_equal(facts_address(reg, 0), rows[i].offset);
        assert_ptr_equal(&bx_cat_fields(c)[reg->base], base);
        facts_check_fields(reg, &(struct field_row){"CTR_VAL", 31, 0, BX_FIELD_RO}, 1);
    }
}

/* Notes say where the catalogue's reading differs from the manual's text. */
static void contradictions_have_notes(void **state)
{
    (void)state;
    const bx_cat_reg *control = find("MSR_UNC_PERF_GLOBAL_CTRL");
    const bx_cat_reg *status = find("MSR_UNC_PERF_GLOBAL_STATUS");
    assert_true(facts_field(control, "EN")->note);
    assert_true(facts_field(control, "PMI_SEL_CORE4")->note);
    assert_true(facts_field(status, "CBO_CTR_OVF")->note);
    assert_true(facts_field(find("MSR_UNC_PERF_FIXED_CTR"), "CTR_VAL")->note);
    assert_true(find("MSR_UNC_CBO_CONFIG")->note);
    assert_true(find("MCHBAR")->note);
    assert_true(bx_cat_pmus(c)[bx_cat_find_pmu(c, BX_STR("skl_unc_cbo"))].note);
}

/* MSRs that tools access are described or passive: those of a real LIKWID run on this CPU
 * (likwid-perfctr 5.2.2, one C-Box event), of the core PMU, last branches and processor trace,
 * which perf programs, and of turbostat. */
static void msrs_of_real_tools(void **state)
{
    (void)state;
    static const uint32_t touched[] = {
        0x0ce, 0x1ad, 0x606, 0x611, 0x610, 0x614, 0x613, 0x639, 0x638, 0x63a, 0x63b, 0x641, 0x640,
        0x642, 0x619, 0x618, 0x61c, 0x61b, 0x64d, 0x65c, 0x620, 0x1b0, 0x1a0, 0x38d, 0x38f, 0x390,
        0x3f1, 0x309, 0x30a, 0x30b, 0x186, 0x18d, 0x0c1, 0x0c8, 0x38e, 0x010, 0x198, 0x199, 0x19c,
        0x1a2, 0x1b1, 0x1a6, 0x1a7, 0x4c1, 0x4c8, 0x3f6, 0x3f7, 0x0e7, 0x0e8, 0x1d9, 0x017, 0x034,
        0x03a, 0x1fc, 0x3f8, 0x3fc, 0x601, 0x60a, 0x60c, 0x60d, 0x630, 0x633, 0x635, 0x648, 0x64c,
        0x64f, 0x658, 0x659, 0x65a, 0x65b, 0x6b0, 0x6b1, 0x770, 0x774, 0x777, 0x1c8, 0x1c9, 0x570,
        0x583, 0x680, 0x69f, 0x6c0, 0x6df, 0xdc0, 0xddf};
    uint16_t cpu = bx_cat_find_cpu(c, BX_STR("skl"));
    bx_span passives = bx_cat_cpus(c)[cpu].passives;
    for (size_t i = 0; i < sizeof touched / sizeof *touched; i++) {
        const bx_cat_passive *found = NULL;
        if (bx_register_at(c, cpu, BX_SPACE_MSR, touched[i]).reg != BX_NONE)
            continue;
        for (uint16_t p = passives.first; p < passives.first + passives.n; p++)
            if (bx_cat_passives(c)[p].first <= touched[i] &&
                touched[i] <= bx_cat_passives(c)[p].last)
                found = &bx_cat_passives(c)[p];
        if (!found)
            fail_msg("MSR %xH would fault", touched[i]);
        assert_true(found->scope == BX_SCOPE_PACKAGE || found->scope == BX_SCOPE_CORE);
        if (touched[i] == 0xce)
            assert_int_equal(found->preset, UINT64_C(0x4043df1012800));
        else if (touched[i] == 0x606)
            assert_int_equal(found->preset, 0xa0e03);
        else
            assert_int_equal(found->preset, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_table_2_1),
        cmocka_unit_test(no_other_msr),
        cmocka_unit_test(table_2_2),
        cmocka_unit_test(table_2_3),
        cmocka_unit_test(tables_2_4_to_2_6),
        cmocka_unit_test(tables_2_7_and_2_8),
        cmocka_unit_test(implemented_bits),
        cmocka_unit_test(base_address_register),
        cmocka_unit_test(table_3_3),
        cmocka_unit_test(contradictions_have_notes),
        cmocka_unit_test(msrs_of_real_tools),
    };
    c = bx_catalog_builtin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
