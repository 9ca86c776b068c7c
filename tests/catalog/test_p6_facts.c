/* The P6 family's catalogue against facts typed from document 002 (table 6-2 and section 6.3.1),
 * the SDM and libpfm4. */
#include "../cmocked.h"

#include "facts.h"

#include <string.h>

static const struct bx_catalog *c;

static const bx_cat_event *find_event(const char *pmu, const char *name)
{
    uint16_t i = bx_cat_find_event(c, facts_pmu(c, pmu), bx_str_of(name));
    return i == BX_NONE ? NULL : &bx_cat_events(c)[i];
}

static const bx_cat_umask *find_umask(const bx_cat_event *event, const char *name)
{
    uint16_t i = bx_cat_find_umask(c, (uint16_t)(event - bx_cat_events(c)), bx_str_of(name));
    return i == BX_NONE ? NULL : &bx_cat_umasks(c)[i];
}

static const char *const pmus[] = {"ppro", "pii", "p6", "pm"};
enum { PMUS = sizeof pmus / sizeof *pmus };

/* The column of unit masks in table 6-2. MESI: 0FH; SELF_ANY: 00H self, 20H any. */
enum masks { NONE, MESI, SELF_ANY };

/* Table 6-2: name, event number, unit masks, counters; and libpfm4's name. */
static const struct row {
    const char *name;
    uint16_t code;
    enum masks masks;
    uint32_t counters;
    const char *libpfm;
} rows[] = {
    {"DATA_MEM_REFS", 0x43, NONE, 3, "DATA_MEM_REFS"},
    {"DCU_LINES_IN", 0x45, NONE, 3, "DCU_LINES_IN"},
    {"DCU_M_LINES_IN", 0x46, NONE, 3, "DCU_M_LINES_IN"},
    {"DCU_M_LINES_OUT", 0x47, NONE, 3, "DCU_M_LINES_OUT"},
    {"DCU_MISS_OUTSTANDING", 0x48, NONE, 3, "DCU_MISS_OUTSTANDING"},
    {"IFU_IFETCH", 0x80, NONE, 3, "IFU_IFETCH"},
    {"IFU_IFETCH_MISS", 0x81, NONE, 3, "IFU_IFETCH_MISS"},
    {"ITLB_MISS", 0x85, NONE, 3, "ITLB_MISS"},
    {"IFU_MEM_STALL", 0x86, NONE, 3, "IFU_MEM_STALL"},
    {"ILD_STALL", 0x87, NONE, 3, "ILD_STALL"},
    {"L2_LD", 0x29, MESI, 3, "L2_LD"},
    {"L2_ST", 0x2a, MESI, 3, "L2_ST"},
    {"L2_LINES_IN", 0x24, NONE, 3, "L2_LINES_IN"},
    {"L2_LINES_OUT", 0x26, NONE, 3, "L2_LINES_OUT"},
    {"L2_M_LINES_INM", 0x25, NONE, 3, "L2_M_LINES_INM"},
    {"L2_M_LINES_OUTM", 0x27, NONE, 3, "L2_M_LINES_OUTM"},
    {"L2_RQSTS", 0x2e, MESI, 3, "L2_RQSTS"},
    {"L2_ADS", 0x21, NONE, 3, "L2_ADS"},
    {"L2_DBUS_BUSY", 0x22, NONE, 3, "L2_DBUS_BUSY"},
    {"L2_DBUS_BUSY_RD", 0x23, NONE, 3, "L2_DBUS_BUSY_RD"},
    {"BUS_BNR_DRV", 0x61, NONE, 3, "BUS_BNR_DRV"},
    {"BUS_DRDY_CLOCKS", 0x62, SELF_ANY, 3, "BUS_DRDY_CLOCKS"},
    {"BUS_LOCK_CLOCKS", 0x63, SELF_ANY, 3, "BUS_LOCK_CLOCKS"},
    {"BUS_TRAN_RFO", 0x66, SELF_ANY, 3, "BUS_TRANS_RFO"},
    {"BUS_TRAN_IFETCH", 0x68, SELF_ANY, 3, "BUS_TRAN_IFETCH"},
    {"BUS_TRAN_INVAL", 0x69, SELF_ANY, 3, "BUS_TRAN_INVAL"},
    {"BUS_TRAN_PWR", 0x6a, SELF_ANY, 3, "BUS_TRAN_PWR"},
    {"BUS_TRAN_P", 0x6b, SELF_ANY, 3, "BUS_TRANS_P"},
    {"BUS_TRAN_IO", 0x6c, SELF_ANY, 3, "BUS_TRANS_IO"},
    {"BUS_TRAN_DEF", 0x6d, SELF_ANY, 3, "BUS_TRAN_DEF"},
    {"BUS_TRAN_BURST", 0x6e, SELF_ANY, 3, "BUS_TRAN_BURST"},
    {"BUS_TRAN_MEM", 0x6f, SELF_ANY, 3, "BUS_TRAN_MEM"},
    {"BUS_TRAN_ANY", 0x70, SELF_ANY, 3, "BUS_TRAN_ANY"},
    {"BUS_HIT_DRV", 0x7a, NONE, 3, "BUS_HIT_DRV"},
    {"BUS_SNOOP_STALL", 0x7e, NONE, 3, "BUS_SNOOP_STALL"},
    {"FLOPS", 0xc1, NONE, 1, "FLOPS"},
    {"FP_COMP_OPS_EXE", 0x10, NONE, 1, "FP_COMP_OPS_EXE"},
    {"FP_ASSIST", 0x11, NONE, 2, "FP_ASSIST"},
    {"MUL", 0x12, NONE, 2, "MUL"},
    {"DIV", 0x13, NONE, 2, "DIV"},
    {"CYCLES_DIV_BUSY", 0x14, NONE, 1, "CYCLES_DIV_BUSY"},
    {"LD_BLOCKS", 0x03, NONE, 3, "LD_BLOCKS"},
    {"SB_DRAINS", 0x04, NONE, 3, "SB_DRAINS"},
    {"MISALIGN_MEM_REF", 0x05, NONE, 3, "MISALIGN_MEM_REF"},
    {"INST_RETIRED", 0xc0, NONE, 3, "INST_RETIRED"},
    {"UOPS_RETIRED", 0xc2, NONE, 3, "UOPS_RETIRED"},
    {"INST_DECODER", 0xd0, NONE, 3, "INST_DECODED"},
    {"HW_INT_RX", 0xc8, NONE, 3, "HW_INT_RX"},
    {"CYCLES_INT_MASKED", 0xc6, NONE, 3, "CYCLES_INT_MASKED"},
    {"BR_INST_RETIRED", 0xc4, NONE, 3, "BR_INST_RETIRED"},
    {"BR_MISS_PRED_RETIRED", 0xc5, NONE, 3, "BR_MISS_PRED_RETIRED"},
    {"BR_TAKEN_RETIRED", 0xc9, NONE, 3, "BR_TAKEN_RETIRED"},
    {"BR_MISS_PRED_TAKEN_RET", 0xca, NONE, 3, "BR_MISS_PRED_TAKEN_RET"},
    {"BR_INST_DECODED", 0xe0, NONE, 3, "BR_INST_DECODED"},
    {"BR_BOGUS", 0xe4, NONE, 3, "BR_BOGUS"},
    {"BACLEARS", 0xe6, NONE, 3, "BACLEARS"},
    {"RESOURCE_STALLS", 0xa2, NONE, 3, "RESOURCE_STALLS"},
    {"PARTIAL_STALLS", 0xd2, NONE, 3, "PARTIAL_RAT_STALLS"},
    {"SEGMENT_REG_LOADS", 0x06, NONE, 3, "SEGMENT_REG_LOADS"},
    {"CPU_CLK_UNHALTED", 0x79, NONE, 3, "CPU_CLK_UNHALTED"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void assert_masks(const bx_cat_event *event, enum masks masks)
{
    static const struct {
        const char *name;
        uint16_t value;
    } mesi[] = {{"M", 8}, {"E", 4}, {"S", 2}, {"I", 1}, {"MESI", 0x0f}};
    if (masks == NONE) {
        assert_int_equal(event->umasks.n, 0);
    } else if (masks == SELF_ANY) {
        const bx_cat_umask *self = find_umask(event, "SELF"), *any = find_umask(event, "ANY");
        assert_int_equal(event->umasks.n, 2);
        assert_int_equal(self->value, 0);
        assert_int_equal(any->value, 0x20);
        assert_true(self->flags & any->flags & BX_UMASK_ALONE);
        assert_int_equal(event->groups.n, 1);
        const bx_cat_group *group = &bx_cat_groups(c)[event->groups.first];
        assert_int_equal(group->preset, self - bx_cat_umasks(c));
        assert_int_equal(group->flags, BX_GROUP_ONE);
    } else {
        assert_int_equal(event->umasks.n, 5);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(find_umask(event, mesi[i].name)->value, mesi[i].value);
        assert_int_equal(event->umask_default, BX_NONE); /* 00H counts nothing: note 1 */
        assert_int_equal(event->groups.n, 0);
    }
}

static void table_6_2(void **state)
{
    (void)state;
    assert_int_equal(ROWS, 60);
    for (size_t p = 0; p < PMUS; p++)
        for (size_t i = 0; i < ROWS; i++) {
            const bx_cat_event *event = find_event(pmus[p], rows[i].name);
            /* On the Pentium M these have unit masks for states, and it has L2_M_LINES_OUT
             * instead. */
            bool other =
                strcmp(pmus[p], "pm") == 0 && (rows[i].code == 0x24 || rows[i].code == 0x26 ||
                                               rows[i].code == 0x27 || rows[i].code == 0x29);
            if (other)
                continue;
            if (!event)
                fail_msg("%s has no %s", pmus[p], rows[i].name);
            FACTS_SAME(pmus[p], rows[i].name, {"code", event->code, rows[i].code},
                       {"counters", event->counters, rows[i].counters});
            assert_masks(event, rows[i].masks);
            assert_ptr_equal(find_event(pmus[p], rows[i].libpfm), event);
            const char *libpfm = bx_cat_z(c, event->libpfm);
            assert_string_equal(*libpfm ? libpfm : rows[i].name, rows[i].libpfm);
            assert_string_equal(bx_cat_z(c, event->name), rows[i].name);
            assert_non_null(strstr(bx_cat_z(c, event->source), "document 002 table 6-2"));
        }
}

/* On the Pentium M these four events take states, and lines of the prefetcher. MESI stands for all
 * states there too; the last event has document 002's name. */
static void states_of_the_pentium_m(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint16_t code;
    } all[] = {
        {"L2_LINES_IN", 0x24}, {"L2_LINES_OUT", 0x26}, {"L2_M_LINES_OUTM", 0x27}, {"L2_LD", 0x29}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bx_cat_event *event = find_event("pm", all[i].name);
        assert_non_null(event);
        assert_int_equal(event->code, all[i].code);
        assert_int_equal(find_umask(event, "MESI")->value, 0x0f);
        assert_true(find_umask(event, "MESI")->flags & BX_UMASK_NO_LIBPFM);
        assert_int_equal(find_umask(event, "ONLY_HW_PREFETCH")->value, 0x10);
    }
}

/* Events that are not in the document, with libpfm4's names and, where they differ, the SDM's. */
static void rest_of_the_pentium_pro(void **state)
{
    (void)state;
    static const struct {
        const char *name, *libpfm;
        uint16_t code;
        enum masks masks;
    } rest[] = {
        {"L2_IFETCH", "L2_IFETCH", 0x28, MESI},
        {"BUS_REQ_OUTSTANDING", "BUS_REQ_OUTSTANDING", 0x60, NONE},
        {"BUS_DATA_RCV", "BUS_DATA_RECV", 0x64, NONE},
        {"BUS_TRAN_BRD", "BUS_TRANS_BRD", 0x65, SELF_ANY},
        {"BUS_TRANS_WB", "BUS_TRANS_WB", 0x67, SELF_ANY},
        {"BUS_HITM_DRV", "BUS_HITM_DRV", 0x7b, NONE},
        {"CYCLES_INT_PENDING_AND_MASKED", "CYCLES_INT_PENDING_AND_MASKED", 0xc7, NONE},
        {"BTB_MISSES", "BTB_MISSES", 0xe2, NONE},
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        const bx_cat_event *event = find_event("ppro", rest[i].name);
        assert_non_null(event);
        assert_int_equal(event->code, rest[i].code);
        assert_masks(event, rest[i].masks);
        assert_ptr_equal(find_event("ppro", rest[i].libpfm), event);
    }
}

/* How many events libpfm4 has, and which processors have which. */
static void inheritance(void **state)
{
    (void)state;
    static const unsigned events[] = {68, 78, 80, 102};
    static const struct {
        const char *name;
        uint16_t code;
        bool has[PMUS];
    } some[] = {
        {"MMX_INSTR_EXEC", 0xb0, {false, true, false, false}},
        {"MMX_INSTR_TYPE_EXEC", 0xb3, {false, true, true, true}},
        {"FP_MMX_TRANS", 0xcc, {false, true, true, true}},
        {"SEG_REG_RENAMES", 0xd5, {false, true, true, true}},
        {"EMON_KNI_PREF_DISPATCHED", 0x07, {false, false, true, true}},
        {"EMON_KNI_INST_RETIRED", 0xd8, {false, false, true, false}},
        {"EMON_SSE_SSE2_INST_RETIRED", 0xd8, {false, false, false, true}},
        {"L2_M_LINES_OUTM", 0x27, {true, true, true, true}}, /* pm: has the next name, too */
        {"L2_M_LINES_OUT", 0x27, {false, false, false, true}},
        {"EMON_EST_TRANS", 0x58, {false, false, false, true}},
        {"BR_IND_CALL_EXEC", 0x94, {false, false, false, true}},
        {"EMON_PREF_RQSTS_DN", 0xf8, {false, false, false, true}},
    };
    for (size_t p = 0; p < PMUS; p++) {
        assert_int_equal(bx_cat_pmus(c)[facts_pmu(c, pmus[p])].events.n, events[p]);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            const bx_cat_event *event = find_event(pmus[p], some[i].name);
            assert_int_equal(event != NULL, some[i].has[p]);
            if (event)
                assert_int_equal(event->code, some[i].code);
        }
    }
}

/* libpfm4 encodes B2H with the unit mask 00H; perfctr and LIKWID have 0FH. */
static void unit_masks_that_libpfm_lacks(void **state)
{
    (void)state;
    const bx_cat_event *event = find_event("p6", "MMX_UOPS_EXEC");
    const bx_cat_umask *all = &bx_cat_umasks(c)[event->umask_default];
    assert_int_equal(all->value, 0x0f);
    assert_true(all->flags & BX_UMASK_NO_LIBPFM);
    assert_true(find_umask(find_event("p6", "L2_LD"), "MESI")->flags & BX_UMASK_NO_LIBPFM);
    assert_false(find_umask(find_event("p6", "L2_LD"), "M")->flags & BX_UMASK_NO_LIBPFM);
}

/* The unit masks E and I and the modifiers e and i have one name. */
static void hiding(void **state)
{
    (void)state;
    const bx_cat_event *event = find_event("p6", "L2_ST");
    assert_true(find_umask(event, "e")->flags & BX_UMASK_HIDES);
    assert_true(find_umask(event, "i")->flags & BX_UMASK_HIDES);
    assert_false(find_umask(event, "m")->flags & BX_UMASK_HIDES);
}

/* SDM volume 3: EN is in PerfEvtSel0 only. libpfm4 and Linux also write bit 22 of PerfEvtSel1. */
static void event_selects(void **state)
{
    (void)state;
    struct field_row fields[] = {
        {"EVENT", 7, 0, BX_FIELD_RW},   {"UMASK", 15, 8, BX_FIELD_RW}, {"USR", 16, 16, BX_FIELD_RW},
        {"OS", 17, 17, BX_FIELD_RW},    {"E", 18, 18, BX_FIELD_RW},    {"PC", 19, 19, BX_FIELD_RW},
        {"INT", 20, 20, BX_FIELD_RW},   {"EN", 22, 22, BX_FIELD_RW},   {"INV", 23, 23, BX_FIELD_RW},
        {"CMASK", 31, 24, BX_FIELD_RW},
    };
    facts_check_fields(facts_reg("p6", "PerfEvtSel0", NULL), fields, 10);
    fields[7] = (struct field_row){"NO_EN", 22, 22, BX_FIELD_IGNORED};
    facts_check_fields(facts_reg("p6", "PerfEvtSel1", NULL), fields, 10);
    facts_check_fields(facts_reg("p6", "PerfCtr1", NULL),
                       &(struct field_row){"COUNT", 39, 0, BX_FIELD_RW}, 1);
}

static void counters(void **state)
{
    (void)state;
    static const uint32_t control[] = {0x186, 0x187}, value[] = {0xc1, 0xc2};
    for (size_t p = 0; p < PMUS; p++) {
        uint16_t pmu = facts_pmu(c, pmus[p]);
        uint16_t select0 = bx_cat_find_reg(c, pmu, BX_STR("PerfEvtSel0"));
        bx_span span = bx_cat_pmus(c)[pmu].counters;
        assert_int_equal(span.n, 2);
        assert_int_equal(bx_cat_pmus(c)[pmu].scope, BX_SCOPE_CPU);
        for (uint16_t i = 0; i < 2; i++) {
            const bx_cat_counter *k = &bx_cat_counters(c)[span.first + i];
            const bx_cat_reg *ctl = &bx_cat_regs(c)[k->control], *ctr = &bx_cat_regs(c)[k->value];
            assert_int_equal(k->width, 40);
            assert_int_equal(facts_address(ctl, 0), control[i]);
            assert_int_equal(facts_address(ctr, 0), value[i]);
            assert_int_equal(ctr->extends, 31); /* a write copies bit 31 into 39:32 */
            assert_int_equal(k->counts.n, 1);   /* one enable for both */
            const bx_cat_cond *when = &bx_cat_conds(c)[k->counts.first];
            assert_int_equal(when->reg, select0);
            assert_int_equal(bx_cat_fields(c)[when->field].lo, 22);
            assert_int_equal(when->value, 1);
            assert_int_equal(bx_cat_fields(c)[k->user].lo, 16);
            assert_int_equal(bx_cat_fields(c)[k->os].lo, 17);
            assert_int_equal(bx_cat_fields(c)[k->overflow_en].lo, 20);
            assert_int_equal(k->overflow, BX_NONE);
        }
    }
}

static void modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned lo, hi;
        uint8_t flag, flags;
        uint64_t most;
    } all[] = {
        {"u", 16, 16, 1, BX_MODIFIER_LEVEL, 1},
        {"k", 17, 17, 1, BX_MODIFIER_LEVEL, 1},
        {"e", 18, 18, 1, 0, 1},
        {"i", 23, 23, 1, 0, 1},
        {"c", 24, 31, 0, 0, 255},
    };
    uint16_t pmu = facts_pmu(c, "p6");
    assert_int_equal(bx_cat_pmus(c)[pmu].modifiers.n, 5);
    for (size_t i = 0; i < 5; i++) {
        const bx_cat_modifier *m =
            &bx_cat_modifiers(c)[bx_cat_find_modifier(c, pmu, bx_str_of(all[i].name))];
        assert_int_equal(bx_cat_fields(c)[m->field].lo, all[i].lo);
        assert_int_equal(bx_cat_fields(c)[m->field].hi, all[i].hi);
        assert_int_equal(m->flag, all[i].flag);
        assert_int_equal(m->flags, all[i].flags);
        assert_int_equal(m->hi, all[i].most);
        assert_int_equal(m->reg, BX_NONE);
    }
}

/* SDM volume 2, RDPMC: models with two counters. */
static void models(void **state)
{
    (void)state;
    static const struct {
        unsigned model;
        const char *cpu;
    } ids[] = {{1, "ppro"}, {3, "pii"}, {5, "pii"}, {6, "pii"}, {7, "p6"},
               {8, "p6"},   {10, "p6"}, {11, "p6"}, {9, "pm"},  {13, "pm"}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        uint16_t cpu = bx_cat_find_cpu_by_id(c, 6, ids[i].model);
        assert_int_equal(cpu, bx_cat_find_cpu(c, bx_str_of(ids[i].cpu)));
        assert_int_equal(bx_cat_cpus(c)[cpu].pmus.first, facts_pmu(c, ids[i].cpu));
        assert_int_equal(bx_cat_cpus(c)[cpu].pmus.n, 2); /* the second: virtual machines only */
    }
}

/* The clock of a P6 model is its core's; the clocks of the other models are their uncores'. */
static void clocks(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < c->cpus.n; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[i];
        bool p6 = strcmp(bx_cat_z(c, cpu->model), "p6") == 0;
        const char *clock = p6 ? "core cycles" : "uncore cycles";
        if (bx_cat_is_virtual(c, cpu) && strcmp(bx_cat_z(c, cpu->clock), clock) != 0)
            fail_msg("%s has no `clock \"%s\"`", bx_cat_z(c, cpu->name), clock);
    }
}

int main(void)
{
    c = bx_catalog_builtin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_6_2),   cmocka_unit_test(rest_of_the_pentium_pro),
        cmocka_unit_test(inheritance), cmocka_unit_test(unit_masks_that_libpfm_lacks),
        cmocka_unit_test(hiding),      cmocka_unit_test(event_selects),
        cmocka_unit_test(counters),    cmocka_unit_test(modifiers),
        cmocka_unit_test(models),      cmocka_unit_test(states_of_the_pentium_m),
        cmocka_unit_test(clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
