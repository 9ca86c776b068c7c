/* Slots and their places, ports, masks, twins, and status registers that follow others: the tables
 * have what the files of tests/compile/slots say, and a change of one place is refused. */
#include "../cmocked.h"

#include "changed.h"
#include "catalog/facts.h"
#include "folder.h"

#include "compile/compile.h"

#include <stdlib.h>
#include <string.h>

static folder files;
static struct bx_catalog *c;

static int set_up(void **state)
{
    (void)state;
    folder_read(&files, "tests/compile/slots", "");
    bx_error e = {0};
    c = bx_catalog_parse(files.files, files.n, &e);
    if (!c)
        fail_msg("%s", e.message);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(c);
    folder_free(&files);
    return 0;
}

static uint16_t pmu_of(const char *name)
{
    return facts_pmu(c, name);
}

static const bx_cat_event *event_of(const char *pmu, const char *name)
{
    return facts_event(c, facts_pmu(c, pmu), name);
}

static const bx_cat_modifier *modifier_of(const char *pmu, const char *name)
{
    uint16_t modifier = bx_cat_find_modifier(c, pmu_of(pmu), bx_str_of(name));
    assert_int_not_equal(modifier, BX_NONE);
    return &bx_cat_modifiers(c)[modifier];
}

static void assert_reg(uint16_t reg, const char *name)
{
    assert_int_not_equal(reg, BX_NONE);
    assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[reg].name), name);
}

static void assert_field(uint16_t field, const char *name)
{
    assert_int_not_equal(field, BX_NONE);
    assert_string_equal(bx_cat_z(c, bx_cat_fields(c)[field].name), name);
}

static const bx_cat_field *field_of(const char *pmu, const char *reg, const char *name)
{
    uint16_t r = bx_cat_find_reg(c, pmu_of(pmu), bx_str_of(reg));
    assert_int_not_equal(r, BX_NONE);
    uint16_t field = bx_cat_find_field(c, r, bx_str_of(name));
    assert_int_not_equal(field, BX_NONE);
    return &bx_cat_fields(c)[field];
}

static void cpu_and_pmus(void **state)
{
    (void)state;
    const bx_cat_cpu *cpu = bx_cat_cpus(c);
    assert_field(cpu->noted, "PMI");
    assert_field(cpu->changed, "COND");
    assert_int_equal(cpu->pmi.n, 2);
    assert_field(cpu->pmi.first, "CORE0");
    assert_string_equal(bx_cat_z(c, cpu->delay), "freeze");
    const bx_cat_pmu *u = &bx_cat_pmus(c)[pmu_of("u")], *r = &bx_cat_pmus(c)[pmu_of("r")];
    assert_field(u->select_event, "EV_SEL");
    assert_int_equal(u->select_umask, BX_NONE);
    assert_int_equal(u->ports, 0);
    assert_int_equal(u->stride, 0);
    assert_int_equal(r->ports, 2);
    assert_int_equal(r->stride, 2);
}

/* The unit's number appears in names with a stride. */
static void names_in_steps(void **state)
{
    (void)state;
    const bx_cat_counter *second =
        &bx_cat_counters(c)[bx_cat_pmus(c)[pmu_of("r")].counters.first + 1];
    assert_reg(second->control, "R_CTL{1+2u}");
    assert_reg(second->value, "R_CTR{1+2u}");
    assert_field(second->overflow, "OV1");
    char text[64];
    bx_cat_expand(text, sizeof text, bx_cat_z(c, bx_cat_regs(c)[second->control].name), 1, 0);
    assert_string_equal(text, "R_CTL3");
    uint16_t status = bx_cat_find_reg(c, pmu_of("r"), BX_STR("R_STATUS_{1+2u}_{0+2u}"));
    bx_cat_expand(text, sizeof text, bx_cat_z(c, bx_cat_regs(c)[status].name), 1, 0);
    assert_string_equal(text, "R_STATUS_3_2");
    assert_int_equal(bx_cat_addrs(c)[bx_cat_regs(c)[status].first_addr + 1], 0xe21);
}

static void status_registers(void **state)
{
    (void)state;
    assert_int_equal(field_of("u", "U_CTL", "RST_ALL")->resets, BX_RESETS_PACKAGE);
    assert_int_equal(field_of("u", "U_CTL", "EN_ALL")->clears, BX_NONE);
    assert_field(field_of("u", "U_OVF", "CLR_OV")->clears, "OV");
    const bx_cat_field *sum = field_of("u", "U_STATUS", "OV_R");
    assert_int_equal(sum->gathers.n, 2);
    const bx_cat_gather *all = &bx_cat_gathers(c)[sum->gathers.first];
    assert_reg(all[0].reg, "R_STATUS_{1+2u}_{0+2u}");
    assert_int_equal(all[0].unit, 0);
    assert_int_equal(all[0].units, 3);
    assert_reg(all[1].reg, "M{unit}_STATUS");
    assert_int_equal(all[1].units, 2);
    assert_int_equal(field_of("u", "U_STATUS", "OV")->gathers.n, 0);
}

/* Each register of a pattern has its precondition in the configuration register of the same
 * number. */
static void preconditions(void **state)
{
    (void)state;
    uint16_t match = bx_cat_find_reg(c, pmu_of("r"), BX_STR("R_PORT{1+2u}_MATCH"));
    uint16_t mask = bx_cat_find_reg(c, pmu_of("r"), BX_STR("R_PORT{0+2u}_MASK"));
    const bx_cat_cond *precondition = &bx_cat_conds(c)[bx_cat_regs(c)[match].precondition];
    assert_reg(precondition->reg, "R_PORT{1+2u}_MM");
    assert_field(precondition->field, "DIS");
    assert_int_equal(precondition->value, 1);
    assert_int_equal(bx_cat_regs(c)[match].flags, BX_REG_SHARED | BX_REG_FAULTS);
    assert_int_equal(bx_cat_regs(c)[mask].flags, BX_REG_SHARED);
    assert_reg(bx_cat_conds(c)[bx_cat_regs(c)[mask].precondition].reg, "R_PORT{0+2u}_MM");
    assert_int_equal(bx_cat_regs(c)[bx_cat_pmus(c)[pmu_of("u")].regs.first].precondition, BX_NONE);
}

static void counters(void **state)
{
    (void)state;
    const bx_cat_counter *u = &bx_cat_counters(c)[bx_cat_pmus(c)[pmu_of("u")].counters.first];
    const bx_cat_counter *m = &bx_cat_counters(c)[bx_cat_pmus(c)[pmu_of("m")].counters.first];
    assert_int_equal(u->flags, BX_COUNTER_TELLS);
    assert_int_equal(u->erratum, 24);
    assert_int_equal(u->wrap, BX_NONE);
    assert_int_equal(u->tally, BX_NONE);
    assert_int_equal(m->flags, 0);
    assert_int_equal(m->erratum, 0);
    assert_field(m->wrap, "WRAP");
    assert_field(m->mode, "MODE");
    assert_field(m->storage, "STORAGE");
    assert_field(m->tally, "RST");
    assert_int_equal(m->tally_bits, 7);
}

struct place {
    uint64_t control, mask;
    unsigned port, index, code, hi, lo;
    const char *reg[BX_PLACE_REGS];
};

static void assert_places(uint16_t slot, const struct place *expected, unsigned n)
{
    bx_span span = bx_cat_slots(c)[slot].places;
    assert_int_equal(span.n, n);
    for (unsigned i = 0; i < n; i++) {
        const bx_cat_place *p = &bx_cat_places(c)[span.first + i];
        assert_int_equal(p->control, expected[i].control);
        assert_int_equal(p->control_mask, expected[i].mask);
        assert_int_equal(p->port, expected[i].port);
        assert_int_equal(p->index, expected[i].index);
        assert_int_equal(p->code, expected[i].code);
        assert_int_equal(p->hi, expected[i].hi);
        assert_int_equal(p->lo, expected[i].lo);
        assert_int_equal(p->has, expected[i].hi != 0);
        for (unsigned k = 0; k < BX_PLACE_REGS; k++)
            if (expected[i].reg[k])
                assert_reg(p->reg[k], expected[i].reg[k]);
            else
                assert_int_equal(p->reg[k], BX_NONE);
    }
}

static void places(void **state)
{
    (void)state;
    static const struct place cfg[] = {
        {0x00, 0x3e, 0, 0, 1, 23, 0, {"R_PORT{0+2u}_CFG0"}},
        {0x02, 0x3e, 0, 1, 1, 23, 0, {"R_PORT{0+2u}_CFG1"}},
        {0x0c, 0x3e, 1, 0, 1, 23, 0, {"R_PORT{1+2u}_CFG0"}},
        {0x0e, 0x3e, 1, 1, 1, 23, 0, {"R_PORT{1+2u}_CFG1"}},
    };
    static const struct place pattern[] = {
        {0x08, 0x3e, 0, 0, 3, 0, 0, {"R_PORT{0+2u}_MM", "R_PORT{0+2u}_MATCH", "R_PORT{0+2u}_MASK"}},
        {0x14, 0x3e, 1, 0, 3, 0, 0, {"R_PORT{1+2u}_MM", "R_PORT{1+2u}_MATCH", "R_PORT{1+2u}_MASK"}},
    };
    static const struct place fvc[] = {
        {0x1a00, 0x3e80, 0, 0, 0x0d, 13, 11, {"M{unit}_FVC"}},
        {0x1c00, 0x3e80, 0, 1, 0x0e, 31, 29, {"M{unit}_FVC"}}, /* the last bits of its register */
    };
    static const struct place flag3[] = {{0x180080, 0x380080, 0, 0, 0x23, 0, 0, {NULL}}};
    bx_span r = bx_cat_pmus(c)[pmu_of("r")].slots, m = bx_cat_pmus(c)[pmu_of("m")].slots;
    assert_int_equal(r.n, 2);
    assert_int_equal(m.n, 2);
    assert_places(r.first, cfg, 4);
    assert_places(r.first + 1, pattern, 2);
    assert_places(m.first, fvc, 2);
    assert_places(m.first + 1, flag3, 1);
    assert_string_equal(bx_cat_z(c, bx_cat_slots(c)[m.first].name), "fvc");
    assert_int_equal(bx_cat_slots(c)[r.first].modifiers, 0);
    assert_int_equal(bx_cat_slots(c)[r.first + 1].modifiers, 0x1f);
    assert_int_equal(bx_cat_slots(c)[m.first].modifiers, 0x6);
}

static void events(void **state)
{
    (void)state;
    bx_span r = bx_cat_pmus(c)[pmu_of("r")].slots, m = bx_cat_pmus(c)[pmu_of("m")].slots;
    const bx_cat_event *fresh = event_of("r", "NEW"), *eot = event_of("r", "EOT");
    const bx_cat_event *match = event_of("r", "MATCH"), *starved = event_of("m", "STARVED");
    assert_int_equal(fresh->slot, r.first);
    assert_int_equal(fresh->place, BX_ANY_PLACE);
    assert_int_equal(fresh->scale, 1);
    assert_int_equal(eot->code, 0x200000);
    assert_int_equal(eot->place, 1);
    assert_int_equal(eot->modifiers, 0);
    assert_int_equal(match->slot, r.first + 1);
    assert_int_equal(match->minds, 0x10);
    assert_int_equal(match->modifiers, 0x1f); /* includes the hidden mask of mc, and `minds` */
    assert_int_equal(starved->slot, m.first + 1);
    assert_int_equal(starved->flags & BX_EVENT_TALLY, BX_EVENT_TALLY);
    assert_int_equal(event_of("m", "IN")->scale, 256);
    const bx_cat_event *out = event_of("m", "OUT");
    assert_int_equal(out->slot, BX_NONE);
    assert_int_equal(out->sets.n, 1);
    assert_int_equal(bx_cat_sets(c)[out->sets.first].value, 9);
}

static void modifiers(void **state)
{
    (void)state;
    const bx_cat_modifier *opc = modifier_of("r", "opc"), *mask = modifier_of("r", "opc_mask");
    assert_ptr_equal(&bx_cat_modifiers(c)[opc->masked], mask);
    assert_int_equal(mask->flags, BX_MODIFIER_IGNORES);
    assert_int_equal(mask->preset, 15);
    assert_int_equal(modifier_of("r", "mc_mask")->preset, 0);
    assert_int_equal(modifier_of("r", "packets")->preset, 1);
    assert_ptr_equal(&bx_cat_modifiers(c)[modifier_of("m", "fvid")->twin],
                     modifier_of("m", "map_fvid"));
    assert_int_equal(modifier_of("m", "map_fvid")->twin, BX_NONE);
    const bx_cat_pmu *r = &bx_cat_pmus(c)[pmu_of("r")];
    assert_int_equal(r->preset, 0x14);
    assert_int_equal(r->shared_in[0], 0x10); /* the registers of the first place, in their order */
    assert_int_equal(r->shared_in[1], 0x03);
    assert_int_equal(r->shared_in[2], 0x0c);
    assert_int_equal(r->shared_in[3], 0);
}

static void names_of_values(void **state)
{
    (void)state;
    uint16_t opc = bx_cat_find_modifier(c, pmu_of("r"), BX_STR("opc"));
    uint16_t value = bx_cat_find_value(c, opc, BX_STR("wbidata"));
    assert_int_not_equal(value, BX_NONE);
    assert_int_equal(bx_cat_values(c)[value].value, 4);
    assert_string_equal(bx_cat_z(c, bx_cat_values(c)[value].name), "WbIData");
    assert_int_equal(bx_cat_sets(c)[bx_cat_values(c)[value].sets.first].value, 14);
    assert_int_equal(bx_cat_find_value(c, opc, BX_STR("WbSData")), BX_NONE);
}

/* The twin of fvid, map_fvid, has the same values. They set cmd for fvid, and its twin map_cmd for
 * map_fvid. */
static void values_of_twins(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"fvid", "cmd"}, {"map_fvid", "map_cmd"}};
    for (unsigned i = 0; i < 2; i++) {
        const bx_cat_modifier *m = modifier_of("m", names[i][0]);
        assert_int_equal(m->values.n, 1);
        const bx_cat_value *value = &bx_cat_values(c)[m->values.first];
        assert_string_equal(bx_cat_z(c, value->name), "LAST");
        assert_int_equal(value->value, 31);
        assert_int_equal(value->sets.n, 1);
        const bx_cat_set *set = &bx_cat_sets(c)[value->sets.first];
        assert_ptr_equal(&bx_cat_modifiers(c)[set->modifier], modifier_of("m", names[i][1]));
        assert_int_equal(set->value, 7);
    }
    assert_int_equal(modifier_of("m", "map_cmd")->values.n, 0);
}

static void unit_masks_with_dots(void **state)
{
    (void)state;
    uint16_t fvc = (uint16_t)(event_of("m", "FVC") - bx_cat_events(c));
    uint16_t match = (uint16_t)(event_of("r", "MATCH") - bx_cat_events(c));
    uint16_t reads = bx_cat_find_umask(c, fvc, BX_STR("bcmd.reads"));
    assert_int_not_equal(reads, BX_NONE);
    assert_int_equal(bx_cat_umasks(c)[reads].value, 5);
    assert_int_equal(bx_cat_find_umask(c, fvc, BX_STR("bcmd")), BX_NONE);
    assert_int_not_equal(bx_cat_find_umask(c, match, BX_STR("3FLIT")), BX_NONE);
}

/* Two counters may use one code for different events. An event in a slot has no code in the
 * counter's control. */
static void codes(void **state)
{
    (void)state;
    uint16_t m = pmu_of("m");
    const bx_cat_event *in = event_of("m", "IN"), *out = event_of("m", "OUT");
    assert_ptr_equal(&bx_cat_events(c)[bx_cat_event_by_code(c, m, 1)], in);
    assert_ptr_equal(&bx_cat_events(c)[bx_cat_event_by_code_on(c, m, 1, 1)], in);
    assert_ptr_equal(&bx_cat_events(c)[bx_cat_event_by_code_on(c, m, 1, 2)], out);
    assert_int_equal(bx_cat_event_by_code_on(c, m, 1, 4), BX_NONE);
    assert_int_equal(bx_cat_event_by_code(c, m, 0), BX_NONE);
    assert_int_equal(bx_cat_event_by_code(c, pmu_of("r"), 0x200000), BX_NONE);
}

static void terms_of_linux(void **state)
{
    (void)state;
    uint16_t cfg = bx_cat_find_reg(c, pmu_of("r"), BX_STR("R_PORT{1+2u}_CFG0"));
    assert_string_equal(bx_cat_z(c, bx_cat_regs(c)[cfg].kernel), "cfg");
    assert_string_equal(bx_cat_z(c, field_of("u", "U_SEL", "EN")->kernel), "on");
    assert_string_equal(bx_cat_z(c, field_of("u", "U_SEL", "PMI")->kernel), "");
}

static const struct refusal {
    const char *file, *from, *to;
    const char *says; /* part of the message */
} refusals[] = {
    {"t.cpu", "U_STATUS.PMI ", "U_STATUS.PMY ", "is called 'PMY' [reference]"},
    {"t.cpu", "U_STATUS.COND", "U_STATUS.CONT", "is called 'CONT' [reference]"},
    {"u.pmu", "29 rw resets", "29 wo resets", "what resets the package is kept: rw [resets]"},
    {"u.pmu", "0 1  gathers", "0 2  gathers", "the register has 2 units [gathers]"},
    {"u.pmu", "gathers M{unit}_STATUS", "gathers U_STATUS", "the register has 1 units [gathers]"},
    {"u.pmu", "gathers M{unit}_STATUS 1", "gathers U_STATUS 0", "not gather itself [gathers]"},
    {"u.pmu", "clears U_STATUS.OV", "clears U_CTR.COUNT", "has 48 bits, this one 1 [clears]"},
    {"u.pmu", "clears U_STATUS.OV", "clears OV", "is called 'OV' [reference]"},
    {"u.pmu", "erratum 24", "erratum 48", "the counter has 48 bits [counter]"},
    {"u.pmu", "erratum 24", "erratum 0", "1 to 63 of the lowest bits [range]"},
    {"u.pmu", "overflow U_STATUS.OV  pmi PMI", "enable PMI", "it could enable [counter]"},
    {"u.pmu", "pmi PMI\n", "pmi PMI  enable PMI\n", "lets the PMI through as well [counter]"},
    {"u.pmu", "pmi PMI\n", "pmi PMI U_STATUS.PMI\n", "a counter names one field [form]"},
    {"u.pmu", "  pmi PMI\n", "\n", "overflow comes with enable or pmi [counter]"},
    {"r.pmu", "stride 2\n", "stride 1\n", "counters of two units would have one number [units]"},
    {"r.pmu", "EV_SEL=7 port 1", "EV_SEL=7 port 127", "255 ports of all units [units]"},
    {"r.pmu", "EV_SEL=7 port 1", "EV_SEL=7 port 255", "port is at most 254 [range]"},
    {"r.pmu", "DIS=1 faults", "DIS=1 fails", "no effect is called 'fails' [choice]"},
    {"r.pmu", "precondition R_PORT{n+2u}_MM.DIS=1", "precondition R_PORT{n+2u}_MATCH.MC=1",
     "a register is not its own precondition [guard]"},
    {"r.pmu", "precondition R_PORT{n+2u}_MM.DIS=1", "precondition M{unit}_CTL.EN0=0",
     "the other PMU has several units [guard]"},
    {"r.pmu", "EV_SEL=7 port 1", "EV_SEL=7 port 0", "places are listed port by port [slot]"},
    {"r.pmu", "EV_SEL=7", "EV_SEL=6", "another place is selected like this [slot]"},
    {"r.pmu", "EV_SEL=7", "EV_SEL=32", "the field has 5 bits [slot]"},
    {"r.pmu", "R_PORT{1+2u}_CFG1 23:0", "R_PORT{1+2u}_CFG1 22:0", "the first place of the slot"},
    {"r.pmu", "R_PORT{1+2u}_CFG1 23:0", "R_PORT{1+2u}_MM 23:0", "the first place of the slot"},
    {"r.pmu", "R_PORT{1+2u}_CFG1 23:0", "R_CTL{1+2u} 23:0",
     "not a shared register of the unit [shared]"},
    {"r.pmu", "R_PORT{1+2u}_MASK\nmod", "R_PORT{1+2u}_MASK U_CTL\nmod", "3 registers [range]"},
    {"r.pmu", "R_PORT{1+2u}_CFG1 23:0", "23:0", "'23:0' is not a name [form]"},
    {"r.pmu", "R_PORT{1+2u}_CFG1 23:0", "R_PORT{1+2u}_CFG1 23:0 R_CTL{1+2u}", "[word]"},
    {"r.pmu", "slot pattern", "slot cfg \"again\"\n  place EV_SEL=20\nslot pattern",
     "this name is taken by r.pmu:48 [duplicate]"},
    {"r.pmu", "0x200000", "0x1000000", "a place of 'cfg' does not hold it [code]"},
    {"r.pmu", "VN0.HOM 0x20", "VN0.HOM 0x1000000", "a place of 'cfg' does not hold it [umask]"},
    {"r.pmu", "3FLIT 0", "3FLIT 1", "a place of 'pattern' does not hold it [umask]"},
    {"r.pmu", "cfg 1 counts", "cfg 2 counts", "its slot has 2 places of a port [slot]"},
    {"r.pmu", "cfg 1 counts", "cfg 255 counts", "its slot has 2 places of a port [slot]"},
    {"r.pmu", "FLIT preset 1", "FLIT masked opc_mask", "wider than what it masks [masked]"},
    {"r.pmu", "MASK.MC  hidden", "MASK.MC masked mc hidden", "is masked itself [masked]"},
    {"r.pmu", "OPC preset 15", "OPC preset 7", "compares no bit or ignores all, 0 or 15 [masked]"},
    {"r.pmu", "FLIT preset 1", "FLIT preset 2", "packets goes from 0 to 1 [modifier]"},
    {"r.pmu", "takes opc mc opc_mask", "takes opc mc", "does not take 'opc_mask'"},
    {"r.pmu", "WbIData 4", "RdData 4", "this name is taken [value]"},
    {"r.pmu", "WbIData 4 sets mc=14", "WbIData 2 sets mc=0", "'RdData' means the same [value]"},
    {"r.pmu", "WbIData 4 sets mc=14", "WbIData 4 sets mc=16", "mc goes from 0 to 15 [sets]"},
    {"r.pmu", "umask 3FLIT", "umask 3", "'3' is not a name [form]"},
    {"m.pmu", "modes WRAP", "modes MODE", "this is not a single bit [counter]"},
    {"m.pmu", "WRAP MODE", "WRAP INC_SEL", "up, down and both take two bits [counter]"},
    {"m.pmu", "tally RST 7", "tally WRAP 7", "this is not a single write-only bit [tally]"},
    {"m.pmu", "tally RST 7", "tally RST 65", "a queue tally has 1 to 64 bits [width]"},
    {"m.pmu", "tally RST 7", "", "counter 0 has no queue tally [tally]"},
    {"m.pmu", "FVC 31:29", "FVC 30:28", "a place of 'fvc' does not hold it [umask]"},
    {"m.pmu", "FVC 31:29", "FVC 32:30", "the register has 32 bits [slot]"},
    {"m.pmu", "FVC 31:29", "FVC 64:62", "is not bits such as 7:0 [form]"},
    {"m.pmu", "code 0x01 counters 0", "code 0x0d", "the event 'IN' is selected like this [slot]"},
    {"m.pmu", "code 0x01 counters 1", "code 0x01", "on a counter of both this is 'IN' [codes]"},
    {"m.pmu", "map_fvid=9", "map_fvid=32", "map_fvid goes from 0 to 31 [sets]"},
    {"m.pmu", "M{unit}_MAP.FVID", "M{unit}_MAP.FVID twin fvid", "not its own twin [twin]"},
    {"m.pmu", "umask BCMD.READS 5",
     "umask BCMD 4 \"a\"\n  umask READS 1 \"b\"\n  umask BCMD.READS 5",
     "its parts are separate names [shadow]"},
};

static void assert_refused(const struct refusal *r)
{
    bx_cat_file changed_files[FOLDER_FILES];
    char *text = NULL;
    bx_error e = {0};
    for (size_t i = 0; i < files.n; i++) {
        changed_files[i] = files.files[i];
        if (bx_str_eq(files.files[i].name, bx_str_of(r->file)))
            changed_files[i].text =
                bx_str_of(text = changed(files.files[i].text.p, r->from, r->to));
    }
    struct bx_catalog *made = bx_catalog_parse(changed_files, files.n, &e);
    free(made);
    free(text);
    if (made || !strstr(e.message, r->says) || strncmp(e.message, r->file, strlen(r->file)) != 0)
        fail_msg("%s: \"%s\": wanted %s, got %s", r->file, r->to, r->says, e.message);
}

static void changes_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        assert_refused(&refusals[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_and_pmus),
        cmocka_unit_test(names_in_steps),
        cmocka_unit_test(status_registers),
        cmocka_unit_test(preconditions),
        cmocka_unit_test(counters),
        cmocka_unit_test(places),
        cmocka_unit_test(events),
        cmocka_unit_test(modifiers),
        cmocka_unit_test(names_of_values),
        cmocka_unit_test(values_of_twins),
        cmocka_unit_test(unit_masks_with_dots),
        cmocka_unit_test(codes),
        cmocka_unit_test(terms_of_linux),
        cmocka_unit_test(changes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
