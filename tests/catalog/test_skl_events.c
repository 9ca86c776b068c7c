/* The events, counters and package facts of catalog/skl against facts typed from 334060-001 and,
 * where the manual has nothing, from perfmon, libpfm4, LIKWID and Linux. */
#include "../cmocked.h"

#include "facts.h"

#include <string.h>

static const struct bx_catalog *c;

static const bx_cat_pmu *pmu_of(const char *name)
{
    return &bx_cat_pmus(c)[facts_pmu(c, name)];
}

static const bx_cat_event *event_of(const char *pmu, const char *name)
{
    return facts_event(c, facts_pmu(c, pmu), name);
}

static const bx_cat_field *field_named(uint16_t reg, const char *name)
{
    return facts_field(&bx_cat_regs(c)[reg], name);
}

struct row {
    const char *event, *umask;
    uint16_t code, value;
    uint32_t counters;
};

static void assert_rows(const char *pmu, const struct row *rows, size_t n, unsigned rank)
{
    for (size_t i = 0; i < n; i++) {
        const struct event_row row = {
            rows[i].event, rows[i].umask, rows[i].code, rows[i].value, .counters = rows[i].counters,
            .rank = rank};
        facts_check_row(pmu, CODE | VALUE | COUNTERS | RANK | SOURCE, &row);
    }
}

#define ASSERT_ROWS(pmu, rows, rank) assert_rows(pmu, rows, sizeof(rows) / sizeof *(rows), rank)
#define LOOKUP                       "UNC_CBO_CACHE_LOOKUP"
#define XSNP                         "UNC_CBO_XSNP_RESPONSE"

/* All 14 rows of table 3-1. */
static void table_3_1(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {XSNP, "MISS_XCORE", 0x22, 0x41, 3},  {XSNP, "MISS_EVICTION", 0x22, 0x81, 3},
        {XSNP, "HIT_XCORE", 0x22, 0x44, 3},   {XSNP, "HITM_XCORE", 0x22, 0x48, 3},
        {LOOKUP, "WRITE_M", 0x34, 0x21, 3},   {LOOKUP, "ANY_M", 0x34, 0x81, 3},
        {LOOKUP, "READ_I", 0x34, 0x18, 3},    {LOOKUP, "ANY_I", 0x34, 0x88, 3},
        {LOOKUP, "READ_MESI", 0x34, 0x1f, 3}, {LOOKUP, "WRITE_MESI", 0x34, 0x2f, 3},
        {LOOKUP, "ANY_MESI", 0x34, 0x8f, 3},  {LOOKUP, "ANY_ES", 0x34, 0x86, 3},
        {LOOKUP, "READ_ES", 0x34, 0x16, 3},   {LOOKUP, "WRITE_ES", 0x34, 0x26, 3},
    };
    assert_int_equal(sizeof rows / sizeof *rows, 14);
    ASSERT_ROWS("skl_unc_cbo", rows, 0);
}

/* The five ARB rows of table 3-2. */
static void table_3_2(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"UNC_ARB_TRK_OCCUPANCY", "ALL", 0x80, 0x01, 1},
        {"UNC_ARB_TRK_OCCUPANCY", "CYCLES_WITH_ANY_REQUEST", 0x80, 0x01, 1},
        {"UNC_ARB_TRK_REQUESTS", "ALL", 0x81, 0x01, 3},
        {"UNC_ARB_TRK_REQUESTS", "WRITES", 0x81, 0x20, 3},
        {"UNC_ARB_COH_TRK_REQUESTS", "ALL", 0x84, 0x01, 3},
    };
    ASSERT_ROWS("skl_unc_arb", rows, 0);
}

/* perfmon SKL/events/skylake_uncore.json has a threshold of 1 that the manual leaves out. */
static void cycles_with_any_request_needs_a_threshold(void **state)
{
    (void)state;
    const bx_cat_event *event = event_of("skl_unc_arb", "UNC_ARB_TRK_OCCUPANCY");
    const bx_cat_umask *cycles = facts_umask(c, event, "CYCLES_WITH_ANY_REQUEST");
    assert_int_equal(cycles->sets.n, 1);
    const bx_cat_set *set = &bx_cat_sets(c)[cycles->sets.first];
    assert_int_equal(set->modifier, bx_cat_find_modifier(c, event->pmu, BX_STR("t")));
    assert_int_equal(set->value, 1);
    assert_true(cycles->note);
    assert_string_equal(bx_cat_z(c, cycles->unit), "cycles");
    assert_int_equal(facts_umask(c, event, "ALL")->sets.n, 0);
}

/* perfmon's three rows that the manual does not have. DATA_READ is printed; DRD_DIRECT is
 * accepted. */
static void arb_events_of_perfmon(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"UNC_ARB_TRK_OCCUPANCY", "DATA_READ", 0x80, 0x02, 1},
        {"UNC_ARB_TRK_REQUESTS", "DATA_READ", 0x81, 0x02, 3},
        {"UNC_ARB_TRK_REQUESTS", "DRD_DIRECT", 0x81, 0x02, 3},
    };
    ASSERT_ROWS("skl_unc_arb", rows, 1);
    const bx_cat_event *event = event_of("skl_unc_arb", "UNC_ARB_TRK_REQUESTS");
    assert_int_equal(facts_umask(c, event, "DRD_DIRECT")->flags, BX_UMASK_ALIAS);
    assert_int_equal(facts_umask(c, event, "DATA_READ")->flags, 0);
}

/* LIKWID has COH_TRK_OCCUPANCY; Linux restricts 83H to counter 0. */
static void coherence_occupancy(void **state)
{
    (void)state;
    const bx_cat_event *event = event_of("skl_unc_arb", "COH_TRK_OCCUPANCY");
    assert_string_equal(bx_cat_z(c, event->name), "UNC_ARB_COH_TRK_OCCUPANCY");
    assert_int_equal(event->code, 0x83);
    assert_int_equal(event->counters, 1);
    assert_int_equal(event->confidence, BX_LIKELY);
    assert_int_equal(bx_cat_umasks(c)[event->umask_default].value, 1);
}

/* Single bits: libpfm4 intel_snb_unc_events.h, LIKWID perfmon_skylake_events.txt. */
static void unit_mask_bits(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {LOOKUP, "STATE_M", 0x34, 0x01, 3},
        {LOOKUP, "STATE_E", 0x34, 0x02, 3},
        {LOOKUP, "STATE_S", 0x34, 0x04, 3},
        {LOOKUP, "STATE_I", 0x34, 0x08, 3},
        {LOOKUP, "READ_FILTER", 0x34, 0x10, 3},
        {LOOKUP, "WRITE_FILTER", 0x34, 0x20, 3},
        {LOOKUP, "EXTSNP_FILTER", 0x34, 0x40, 3},
        {LOOKUP, "ANY_FILTER", 0x34, 0x80, 3},
        {XSNP, "MISS", 0x22, 0x01, 3},
        {XSNP, "INVAL", 0x22, 0x02, 3},
        {XSNP, "HIT", 0x22, 0x04, 3},
        {XSNP, "HITM", 0x22, 0x08, 3},
        {XSNP, "INVAL_M", 0x22, 0x10, 3},
        {XSNP, "EXTERNAL_FILTER", 0x22, 0x20, 3},
        {XSNP, "XCORE_FILTER", 0x22, 0x40, 3},
        {XSNP, "EVICTION_FILTER", 0x22, 0x80, 3},
    };
    ASSERT_ROWS("skl_unc_cbo", rows, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bx_cat_umask *bit =
            facts_umask(c, event_of("skl_unc_cbo", rows[i].event), rows[i].umask);
        bool weak = strncmp(rows[i].umask, "INVAL", 5) == 0;
        assert_int_equal(bit->flags, BX_UMASK_BIT);
        assert_int_equal(bit->confidence, weak ? BX_WEAK : BX_SURE);
    }
}

/* Combinations that only LIKWID has names for. */
static void unit_masks_of_likwid(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"CACHE_LOOKUP", "READ_M", 0x34, 0x11, 3},
        {"CACHE_LOOKUP", "EXTSNP_M", 0x34, 0x41, 3},
        {"CACHE_LOOKUP", "READ_E", 0x34, 0x12, 3},
        {"CACHE_LOOKUP", "WRITE_E", 0x34, 0x22, 3},
        {"CACHE_LOOKUP", "EXTSNP_E", 0x34, 0x42, 3},
        {"CACHE_LOOKUP", "ANY_E", 0x34, 0x82, 3},
        {"CACHE_LOOKUP", "READ_S", 0x34, 0x14, 3},
        {"CACHE_LOOKUP", "WRITE_S", 0x34, 0x24, 3},
        {"CACHE_LOOKUP", "EXTSNP_S", 0x34, 0x44, 3},
        {"CACHE_LOOKUP", "ANY_S", 0x34, 0x84, 3},
        {"CACHE_LOOKUP", "EXTSNP_ES", 0x34, 0x46, 3},
        {"CACHE_LOOKUP", "WRITE_I", 0x34, 0x28, 3},
        {"CACHE_LOOKUP", "EXTSNP_I", 0x34, 0x48, 3},
        {"CACHE_LOOKUP", "EXTSNP_MESI", 0x34, 0x4f, 3},
        {"XSNP_RESPONSE", "MISS_EXTERNAL", 0x22, 0x21, 3},
        {"XSNP_RESPONSE", "HIT_EXTERNAL", 0x22, 0x24, 3},
        {"XSNP_RESPONSE", "HIT_EVICTION", 0x22, 0x84, 3},
        {"XSNP_RESPONSE", "HITM_EXTERNAL", 0x22, 0x28, 3},
        {"XSNP_RESPONSE", "HITM_EVICTION", 0x22, 0x88, 3},
    };
    ASSERT_ROWS("skl_unc_cbo", rows, 2);
}

/* CACHE_LOOKUP_M … of LIKWID: short names that must not hide the modifier e. */
static void likwid_names_of_bits(void **state)
{
    (void)state;
    static const struct {
        const char *likwid;
        uint16_t value;
    } rows[] = {{"M", 0x01},
                {"E", 0x02},
                {"S", 0x04},
                {"I", 0x08},
                {"READ_FILTER", 0x10},
                {"WRITE_FILTER", 0x20},
                {"EXTSNP_FILTER", 0x40},
                {"ANY_REQUEST_FILTER", 0x80}};
    uint16_t event = (uint16_t)(event_of("skl_unc_cbo", LOOKUP) - bx_cat_events(c));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint16_t u = bx_cat_find_likwid_umask(c, event, bx_str_of(rows[i].likwid));
        assert_int_not_equal(u, BX_NONE);
        assert_int_equal(bx_cat_umasks(c)[u].value, rows[i].value);
    }
    assert_int_equal(bx_cat_find_umask(c, event, BX_STR("E")), BX_NONE);
    assert_int_equal(bx_cat_find_umask(c, event, BX_STR("I")), BX_NONE);
}

/* Table 3-2's last row; event=0xff: Linux uncore_snb.c. */
static void clock_event(void **state)
{
    (void)state;
    const bx_cat_event *event = event_of("skl_unc_clock", "UNC_CLOCK");
    assert_int_equal(event->code, 0);
    assert_int_equal(event->modifiers, 0);
    assert_int_equal(facts_umask(c, event, "SOCKET")->value, 1);
    assert_ptr_equal(&bx_cat_umasks(c)[event->umask_default], facts_umask(c, event, "SOCKET"));
    assert_memory_equal(bx_cat_z(c, event->kernel), "event=0xff", 10);
    assert_ptr_equal(event, event_of("skl_unc_clock", "UNCORE_CLOCK"));
    assert_int_equal(pmu_of("skl_unc_clock")->select_event, BX_NONE);
    assert_int_equal(pmu_of("skl_unc_clock")->select_umask, BX_NONE);
}

/* Table 3-3; Linux numbers the events 1 reads, 2 writes, 3 GT, 4 IA, 5 IO; LIKWID has three. */
static void imc_events(void **state)
{
    (void)state;
    static const struct {
        const char *name, *kernel, *alias, *likwid;
        uint16_t code;
    } rows[] = {
        {"DRAM_GT_REQUESTS", "event=0x3", "", "", 0x5040},
        {"DRAM_IA_REQUESTS", "event=0x4", "", "", 0x5044},
        {"DRAM_IO_REQUESTS", "event=0x5", "IO_REQUESTS", "MBOX0C0", 0x5048},
        {"DRAM_DATA_READS", "event=0x1", "DRAM_READS", "MBOX0C1", 0x5050},
        {"DRAM_DATA_WRITES", "event=0x2", "DRAM_WRITES", "MBOX0C2", 0x5054},
    };
    const bx_cat_pmu *pmu = pmu_of("skl_unc_imc");
    assert_int_equal(pmu->events.n, 5);
    assert_int_equal(pmu->counters.n, 5);
    for (unsigned i = 0; i < 5; i++) {
        const bx_cat_event *event = event_of("skl_unc_imc", rows[i].name);
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + i];
        assert_int_equal(event->code, rows[i].code);
        assert_int_equal(event->counters, 1u << i);
        assert_int_equal(event->umasks.n, 0);
        assert_memory_equal(bx_cat_z(c, event->kernel), rows[i].kernel, strlen(rows[i].kernel));
        assert_string_equal(bx_cat_z(c, event->alias), rows[i].alias);
        assert_string_equal(bx_cat_z(c, counter->likwid), rows[i].likwid);
        assert_int_equal(counter->width, 32);
        assert_int_equal(counter->flags, BX_COUNTER_FREE | BX_COUNTER_FIXED);
        assert_int_equal(counter->control, BX_NONE);
        assert_int_equal(counter->overflow, BX_NONE);
        assert_int_equal(counter->counts.n, 0);
        assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[counter->value].name), rows[i].name);
    }
}

static void assert_condition(const bx_cat_cond *cond, const char *reg, const char *field)
{
    assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[cond->reg].name), reg);
    assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[cond->field].name), field);
    assert_int_equal(cond->value, 1);
}

/* Table 1-2 and tables 2-2, 2-3, 2-7: two counters of 44 bits that count while both enables are
 * set. */
static void programmable_counters(void **state)
{
    (void)state;
    static const struct {
        const char *pmu, *control, *value, *overflow;
    } rows[] = {{"skl_unc_cbo", "MSR_UNC_CBO_{unit}_PERFEVTSEL", "MSR_UNC_CBO_{unit}_PERFCTR",
                 "CBO_CTR_OVF"},
                {"skl_unc_arb", "MSR_UNC_ARB_PERFEVTSEL", "MSR_UNC_ARB_PERFCTR", "ARB_CTR_OVF"}};
    for (size_t i = 0; i < 2; i++) {
        const bx_cat_pmu *pmu = pmu_of(rows[i].pmu);
        assert_int_equal(pmu->counters.n, 2);
        for (uint16_t n = 0; n < 2; n++) {
            const bx_cat_counter *k = &bx_cat_counters(c)[pmu->counters.first + n];
            char control[64] = {0}, value[64] = {0};
            strcat(strcpy(control, rows[i].control), n ? "1" : "0");
            strcat(strcpy(value, rows[i].value), n ? "1" : "0");
            assert_int_equal(k->index, n);
            assert_int_equal(k->width, 44);
            assert_int_equal(k->flags, 0);
            assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[k->control].name), control);
            assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[k->value].name), value);
            assert_int_equal(k->counts.n, 2);
            assert_condition(&bx_cat_conds(c)[k->counts.first], control, "EN");
            assert_condition(&bx_cat_conds(c)[k->counts.first + 1], "MSR_UNC_PERF_GLOBAL_CTRL",
                             "EN");
            assert_ptr_equal(&bx_cat_fields(c)[k->edge], field_named(k->control, "E"));
            assert_ptr_equal(&bx_cat_fields(c)[k->invert], field_named(k->control, "INV"));
            assert_ptr_equal(&bx_cat_fields(c)[k->threshold], field_named(k->control, "THR"));
            assert_ptr_equal(&bx_cat_fields(c)[k->overflow_en], field_named(k->control, "OVF_EN"));
            assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[k->overflow].name), rows[i].overflow);
            assert_ptr_equal(&bx_cat_fields(c)[pmu->select_event],
                             field_named(k->control, "EVT_SEL"));
            assert_ptr_equal(&bx_cat_fields(c)[pmu->select_umask],
                             field_named(k->control, "UMASK"));
        }
    }
}

static void fixed_counter(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = pmu_of("skl_unc_clock");
    assert_int_equal(pmu->counters.n, 1);
    const bx_cat_counter *k = &bx_cat_counters(c)[pmu->counters.first];
    assert_int_equal(k->width, 48);
    assert_int_equal(k->flags, BX_COUNTER_FIXED);
    assert_condition(&bx_cat_conds(c)[k->counts.first], "MSR_UNC_PERF_FIXED_CTRL", "CNT_EN");
    assert_condition(&bx_cat_conds(c)[k->counts.first + 1], "MSR_UNC_PERF_GLOBAL_CTRL", "EN");
    assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[k->overflow].name), "FIXED_CTR_OVF");
}

/* Table 2-7; the kernel's format attributes and LIKWID's options. */
static void modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *field, *kernel, *likwid;
        bool flag;
        uint64_t hi;
    } rows[] = {{"e", "E", "edge", "EDGEDETECT", true, 1},
                {"i", "INV", "inv", "INVERT", true, 1},
                {"t", "THR", "cmask", "THRESHOLD", false, 31}};
    static const char *const pmus[] = {"skl_unc_cbo", "skl_unc_arb"};
    for (size_t p = 0; p < 2; p++) {
        assert_int_equal(pmu_of(pmus[p])->modifiers.n, 3);
        for (size_t i = 0; i < 3; i++) {
            uint16_t n = bx_cat_find_modifier(c, bx_cat_find_pmu(c, bx_str_of(pmus[p])),
                                              bx_str_of(rows[i].name));
            assert_int_equal(n, pmu_of(pmus[p])->modifiers.first + i);
            const bx_cat_modifier *m = &bx_cat_modifiers(c)[n];
            assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[m->field].name), rows[i].field);
            assert_string_equal(bx_cat_z(c, m->kernel), rows[i].kernel);
            assert_string_equal(bx_cat_z(c, m->likwid), rows[i].likwid);
            assert_int_equal(m->flag, rows[i].flag);
            assert_int_equal(m->lo, 0);
            assert_int_equal(m->hi, rows[i].hi);
        }
        for (uint16_t e = pmu_of(pmus[p])->events.first;
             e < pmu_of(pmus[p])->events.first + pmu_of(pmus[p])->events.n; e++)
            assert_int_equal(bx_cat_events(c)[e].modifiers, 7);
    }
}

/* Names of the same units, counters and fields in Linux and LIKWID. */
static void names_of_other_tools(void **state)
{
    (void)state;
    static const struct {
        const char *pmu, *kernel, *likwid;
    } rows[] = {{"skl_unc_package", "", ""},
                {"skl_unc_cbo", "uncore_cbox_{unit}", "CBOX{unit}C{n}"},
                {"skl_unc_arb", "uncore_arb", "UBOX{n}"},
                {"skl_unc_clock", "uncore_cbox_0", "UBOXFIX"},
                {"skl_unc_imc", "uncore_imc", ""},
                {"skl_core", "cpu", "PMC{n}"},
                {"skl_stalls", "", ""}};
    bx_span pmus = bx_cat_cpus(c)[bx_cat_find_cpu(c, BX_STR("skl"))].pmus;
    assert_int_equal(pmus.n, sizeof rows / sizeof *rows);
    for (uint16_t i = 0; i < pmus.n;
         i++) { /* the order too, because the index is the model's box number */
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[pmus.first + i];
        assert_string_equal(bx_cat_z(c, pmu->name), rows[i].pmu);
        assert_string_equal(bx_cat_z(c, pmu->kernel), rows[i].kernel);
        assert_string_equal(bx_cat_z(c, pmu->likwid), rows[i].likwid);
        bool of_core = i >= 5;
        assert_int_equal(pmu->scope, of_core ? BX_SCOPE_CORE : BX_SCOPE_PACKAGE);
    }
}

/* Section 2.4.1 and table 1-2: 1 to 4 C-Boxes, one less than 396H says. */
static void number_of_c_boxes(void **state)
{
    (void)state;
    const bx_cat_pmu *cbo = pmu_of("skl_unc_cbo");
    assert_int_equal(cbo->unit_max, 4);
    assert_int_equal(cbo->unit_bias, -1);
    assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[cbo->unit_field].name), "NO_CBO_BANKS");
    assert_string_equal(bx_cat_z(c, cbo->unit_key), "slices");
    assert_int_equal(pmu_of("skl_unc_arb")->unit_max, 1);
}

static void package_facts(void **state)
{
    (void)state;
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[bx_cat_find_cpu(c, BX_STR("skl"))];
    const bx_cat_field *fields = bx_cat_fields(c);
    assert_string_equal(bx_cat_z(c, cpu->model), "client");
    assert_string_equal(bx_cat_z(c, fields[cpu->freeze].name), "FRZ_ON_PMI");
    assert_string_equal(bx_cat_z(c, fields[cpu->freezes].name), "EN");
    assert_int_equal(fields[cpu->freezes].lo, 29);
    assert_string_equal(bx_cat_z(c, fields[cpu->wake].name), "WAKE_ON_PMI");
    assert_int_equal(cpu->pmi.n, 5);
    for (uint16_t i = 0; i < 5; i++)
        assert_int_equal(fields[cpu->pmi.first + i].lo, i);
    assert_ptr_equal(&bx_cat_cpus(c)[bx_cat_find_cpu_by_id(c, 6, 0x4e)], cpu);
    assert_ptr_equal(&bx_cat_cpus(c)[bx_cat_find_cpu_by_id(c, 6, 0x5e)], cpu);
    assert_int_equal(bx_cat_find_cpu_by_id(c, 6, 0x5f), BX_NONE);
    assert_int_equal(bx_cat_find_cpu_by_id(c, 5, 0x5e), BX_NONE);
}

static void machine_shape(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t preset, lo, hi;
    } rows[] = {{"packages", 1, 1, 1},
                {"cores", 4, 1, 4},
                {"slices", 0, 0, 4},
                {"llc", 0, 0, 64 << 20},
                {"llc_ways", 16, 4, 24},
                {"llc_policy", 0, 0, 99},
                {"bar", 0xfed10000, 0x8000, UINT64_C(0x7fffff8000)},
                {"hz", UINT64_C(4000000000), 1, UINT64_C(100000000000)},
                {"pce", 1, 0, 1},
                {"timer", 2000, 0, 100000},
                {"replacement", 0, 0, 1},
                {"prefetch", 0, 0, 1},
                {"super_queue", 16, 1, 32},
                {"super_queue_busy", 12, 1, 32},
                {"l1d_size", 32 << 10, 4 << 10, 1 << 20},
                {"l1d_ways", 8, 1, 16},
                {"l1d_policy", 0, 0, 99},
                {"l1i_size", 32 << 10, 4 << 10, 1 << 20},
                {"l1i_ways", 8, 1, 16},
                {"l1i_policy", 0, 0, 99},
                {"l2_size", 256 << 10, 4 << 10, 16 << 20},
                {"l2_ways", 4, 1, 16},
                {"l2_inclusion", 0, 0, 99},
                {"l2_policy", 0, 0, 99},
                {"l3_size", 0, 0, 16 << 20},
                {"l3_ways", 8, 1, 16},
                {"l3_inclusion", 0, 0, 99},
                {"l3_policy", 0, 0, 99},
                {"l2_hit", 0, 0, 255},
                {"l2_wait", 0, 0, 255},
                {"l3_hit", 10, 1, 255},
                {"l3_wait", 20, 1, 255},
                {"l2_line", 0, 0, 255},
                {"llc_hit", 0, 0, 1000},
                {"llc_line", 0, 0, 255},
                {"ring_hop", 0, 0, 100},
                {"snoop_clean", 0, 0, 1000},
                {"snoop_dirty", 0, 0, 1000},
                {"fill_buffers", 0, 0, 32},
                {"window", 0, 0, 1000},
                {"store_buffer", 0, 0, 127},
                {"wc_buffers", 0, 0, 32},
                {"locked", 0, 0, 100},
                {"memory_transit", 20, 1, 1000},
                {"memory_transfer", 12, 1, 1000},
                {"memory_read", 130, 1, 10000},
                {"dram_rate", 0, 0, 6400},
                {"dram_cl", 15, 1, 100}, /* DDR4-2133P: JESD79-4 */
                {"dram_rcd", 15, 1, 100},
                {"dram_rp", 15, 1, 100},
                {"dram_ras", 35, 1, 200},
                {"dram_rtp", 8, 0, 100},
                {"dram_wr", 16, 0, 100},
                {"dram_wtr", 8, 0, 100},
                {"dram_faw", 23, 0, 200},
                {"dram_rfc", 350, 0, 10000},
                {"dram_refi", 7800, 0, 100000},
                {"dram_transit", 0, 0, 1000},
                {"dram_channels", 2, 1, 2},
                {"dram_ranks", 1, 1, 4},
                {"dram_banks", 16, 1, 16},
                {"dram_row", 8192, 1024, 65536},
                {"dram_hash", 0, 0, 1},
                {"dram_groups", 0, 0, 4},
                {"dram_ccd_l", 6, 4, 100}, /* DDR4-2133: JESD79-4 */
                {"dram_rrd_s", 4, 0, 100},
                {"dram_rrd_l", 6, 0, 100},
                {"tlb", 0, 0, 1},
                {"dtlb", 64, 1, 1024}, /* 248966, "TLB parameters of Skylake Client" */
                {"dtlb_ways", 4, 1, 32},
                {"dtlb_2m", 32, 1, 1024},
                {"dtlb_2m_ways", 4, 1, 32},
                {"itlb", 128, 1, 1024},
                {"itlb_ways", 8, 1, 32},
                {"itlb_2m", 8, 1, 1024},
                {"itlb_2m_ways", 8, 1, 32},
                {"stlb", 1536, 1, 16384},
                {"stlb_ways", 12, 1, 32},
                {"stlb_2m", 1, 0, 1},
                {"stlb_hash", 7, 0, 16},
                {"stlb_hit", 9, 0, 255},
                {"stlb_fetch", 9, 0, 255},
                {"walk_pdes", 32, 1, 32},
                {"walk_pdptes", 4, 1, 32},
                {"walk_pml4es", 2, 1, 32},
                {"walk_load", 4, 0, 255},
                {"dtlb_policy", 0, 0, 99},
                {"itlb_policy", 0, 0, 99},
                {"stlb_policy", 0, 0, 99},
                {"pages", 4096, 4096, 2 << 20},
                {"thp", 0, 0, 3},
                {"width", 0, 0, 8},
                {"l1", 0, 0, 15},
                {"fp_add", 4, 1, 15},
                {"fp_multiply", 4, 1, 15},
                {"load_ports", 0, 0, 8},
                {"load_bytes", 0, 0, 64},
                {"store_ports", 0, 0, 8},
                {"store_bytes", 0, 0, 64},
                {"alu_ports", 0, 0, 8},
                {"fp_ports", 0, 0, 8},
                {"fp_add_ports", 0, 0, 8},
                {"fp_multiply_ports", 0, 0, 8},
                {"divide_32", 0, 0, 127},
                {"divide_64", 0, 0, 127},
                {"divide_signed", 0, 0, 127},
                {"divide_128", 0, 0, 127},
                {"divide_single", 0, 0, 127},
                {"divide_double", 0, 0, 127},
                {"root_single", 0, 0, 127},
                {"root_double", 0, 0, 127},
                {"divide_32_wait", 26, 1, 127},
                {"divide_64_wait", 38, 1, 127},
                {"divide_signed_wait", 44, 1, 127},
                {"divide_128_wait", 91, 1, 127},
                {"divide_single_wait", 11, 1, 127},
                {"divide_double_wait", 14, 1, 127},
                {"root_single_wait", 12, 1, 127},
                {"root_double_wait", 18, 1, 127},
                {"core_hz", 0, 0, UINT64_C(100000000000)},
                {"predictor", 2, 0, 2},
                {"branch_base", 8192, 16, 65536},
                {"branch_table", 2048, 16, 65536},
                {"branch_history", 93, 1, 255},
                {"branch_targets", 512, 16, 65536},
                {"return_stack", 16, 1, 64},
                {"mispredict", 0, 0, 255}};
    enum { ROWS = sizeof rows / sizeof *rows };
    bx_span shapes = bx_cat_cpus(c)[bx_cat_find_cpu(c, BX_STR("skl"))].shapes;
    assert_int_equal(shapes.n, ROWS);
    for (uint16_t i = 0; i < ROWS; i++) {
        const bx_cat_shape *s = &bx_cat_shapes(c)[shapes.first + i];
        assert_string_equal(bx_cat_z(c, s->name), rows[i].name);
        assert_int_equal(s->preset, rows[i].preset);
        assert_int_equal(s->lo, rows[i].lo);
        assert_int_equal(s->hi, rows[i].hi);
        assert_true(s->title);
    }
}

/* The default events and metrics, which a new user sees first. */
static void default_picks_and_metrics(void **state)
{
    (void)state;
    static const char *const metrics[] = {"llc_miss_ratio", "dram_bytes_read", "dram_bytes_written",
                                          "arb_mean_occupancy"};
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[bx_cat_find_cpu(c, BX_STR("skl"))];
    assert_in_range(cpu->defaults.n, 20, 32);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        bool found = false;
        for (uint16_t m = cpu->metrics.first; m < cpu->metrics.first + cpu->metrics.n; m++)
            found |= strcmp(bx_cat_z(c, bx_cat_metrics(c)[m].name), metrics[i]) == 0;
        assert_true(found);
    }
}

/* Everything except the registers of the package and passive lines has a source and a title. */
static void everything_is_sourced(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < c->regs.n; i++)
        assert_true(bx_cat_regs(c)[i].source && bx_cat_regs(c)[i].title);
    for (uint16_t i = 0; i < c->events.n; i++)
        assert_true(bx_cat_events(c)[i].source && bx_cat_events(c)[i].title &&
                    bx_cat_events(c)[i].unit);
    for (uint16_t i = 0; i < c->umasks.n; i++)
        assert_true(bx_cat_umasks(c)[i].source && bx_cat_umasks(c)[i].title);
    for (uint16_t i = 0; i < c->passives.n; i++)
        assert_true(bx_cat_passives(c)[i].title);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_3_1),
        cmocka_unit_test(table_3_2),
        cmocka_unit_test(cycles_with_any_request_needs_a_threshold),
        cmocka_unit_test(arb_events_of_perfmon),
        cmocka_unit_test(coherence_occupancy),
        cmocka_unit_test(unit_mask_bits),
        cmocka_unit_test(unit_masks_of_likwid),
        cmocka_unit_test(likwid_names_of_bits),
        cmocka_unit_test(clock_event),
        cmocka_unit_test(imc_events),
        cmocka_unit_test(programmable_counters),
        cmocka_unit_test(fixed_counter),
        cmocka_unit_test(modifiers),
        cmocka_unit_test(names_of_other_tools),
        cmocka_unit_test(number_of_c_boxes),
        cmocka_unit_test(package_facts),
        cmocka_unit_test(machine_shape),
        cmocka_unit_test(default_picks_and_metrics),
        cmocka_unit_test(everything_is_sourced),
    };
    c = bx_catalog_builtin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
