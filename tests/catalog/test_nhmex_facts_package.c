/* What connects the seven kinds of boxes of the Xeon 7500 (323535-001 p13 to p16, p57, p59, p86,
 * p109, p136/137; Linux arch/x86/events/intel/uncore_nhmex.c; LIKWID
 * src/includes/perfmon_nehalemEX_counters.h): enables at three levels, the path of an overflow, the
 * freeze, units, and the names of other tools. */
#include "../cmocked.h"

#include "facts.h"

static const struct bx_catalog *c;
static const bx_cat_cpu *cpu;

static const bx_cat_field *field(uint16_t i)
{
    assert_int_not_equal(i, BX_NONE);
    return &bx_cat_fields(c)[i];
}

static uint32_t address(uint16_t reg, unsigned unit)
{
    assert_int_not_equal(reg, BX_NONE);
    return facts_address(&bx_cat_regs(c)[reg], unit);
}

/* A box: units, counters without that of the fixed clock, the control register of counter 0, the
 * enable bit in it, the box's control and status registers, and the bit of PMI_EN. Addresses are
 * those of the last unit. */
static const struct box {
    const char *name, *kernel, *likwid;
    uint8_t units, counters;
    uint16_t control, enable_at, box_ctl, status;
    uint8_t pmi_en;
} boxes[] = {
    {"nhmex_unc_ubox", "uncore_ubox", "UBOX{n}", 1, 1, 0xc10, 22, 0xc00, 0xc01, 20},
    {"nhmex_unc_cbox", "uncore_cbox_{unit}", "CBOX{unit}C{n}", 8, 6, 0xdf0, 22, 0xde0, 0xde1, 20},
    {"nhmex_unc_bbox", "uncore_bbox_{unit}", "BBOX{unit}C{n}", 2, 4, 0xc70, 0, 0xc60, 0xc61, 20},
    {"nhmex_unc_sbox", "uncore_sbox_{unit}", "SBOX{unit}C{n}", 2, 4, 0xcd0, 22, 0xcc0, 0xcc1, 20},
    {"nhmex_unc_rbox", "uncore_rbox_{unit}", "RBOX{unit}C{n}", 2, 8, 0xe30, 0, 0xe20, 0xe21, 6},
    {"nhmex_unc_mbox", "uncore_mbox_{unit}", "MBOX{unit}C{n}", 2, 6, 0xcf0, 0, 0xce0, 0xce1, 1},
    {"nhmex_unc_wbox", "uncore_wbox", "WBOX{n}", 1, 4, 0xc90, 22, 0xc80, 0xc81, 20},
};

static void units_and_names(void **state)
{
    (void)state;
    assert_int_equal(cpu->pmus.n, 9); /* two are of the cores */
    for (size_t i = 0; i < 7; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[cpu->pmus.first + i];
        assert_string_equal(bx_cat_z(c, pmu->name), boxes[i].name);
        assert_string_equal(bx_cat_z(c, pmu->kernel), boxes[i].kernel);
        assert_string_equal(bx_cat_z(c, pmu->likwid), boxes[i].likwid);
        assert_int_equal(pmu->unit_max, boxes[i].units);
        assert_int_equal(pmu->scope, BX_SCOPE_PACKAGE);
        assert_int_equal(pmu->counters.n, boxes[i].counters + (i == 6)); /* W: with the clock */
        assert_int_equal(pmu->ports, i == 4 ? 4 : 0);
        assert_int_equal(pmu->stride, i == 4 ? 8 : 0);
        assert_string_equal(bx_cat_z(c, pmu->unit_key), i == 1 ? "cores" : "");
    }
}

/* The counter's own enable, the box's bit of the same number, and the package's EN_ALL must all be
 * 1. */
static void three_enables(void **state)
{
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[cpu->pmus.first + i];
        unsigned last = boxes[i].units - 1U;
        for (unsigned n = 0; n < boxes[i].counters; n++) {
            const bx_cat_counter *k = &bx_cat_counters(c)[pmu->counters.first + n];
            assert_int_equal(k->width, 48);
            assert_int_equal(k->flags, BX_COUNTER_TELLS);
            assert_int_equal(address(k->control, last), boxes[i].control + 2 * n);
            assert_int_equal(address(k->value, last), boxes[i].control + 2 * n + 1);
            const struct msr expected[] = {
                {boxes[i].control + 2 * n, boxes[i].enable_at}, {boxes[i].box_ctl, n}, {0xc00, 28}};
            assert_int_equal(k->counts.n, 3);
            for (unsigned w = 0; w < 3; w++) {
                const bx_cat_cond *cond = &bx_cat_conds(c)[k->counts.first + w];
                assert_int_equal(address(cond->reg, expected[w].address == 0xc00 ? 0 : last),
                                 expected[w].address);
                assert_int_equal(field(cond->field)->lo, expected[w].value);
                assert_int_equal(cond->value, 1);
            }
            assert_int_equal(address(field(k->overflow)->reg, last), boxes[i].status);
            assert_int_equal(field(k->overflow)->lo, n);
            assert_int_equal(field(k->overflow_en)->lo, boxes[i].pmi_en);
            assert_int_equal(k->erratum, 24); /* p140 */
        }
    }
}

/* Threshold 31:24, invert 23 and edge 18 in C, S and W; the U-Box has edge only. */
static void conditions_of_levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        const bx_cat_counter *k =
            &bx_cat_counters(c)[bx_cat_pmus(c)[cpu->pmus.first + i].counters.first];
        bool all = i == 1 || i == 3 || i == 6;
        assert_int_equal(k->threshold != BX_NONE, all);
        assert_int_equal(k->invert != BX_NONE, all);
        assert_int_equal(k->edge != BX_NONE, all || i == 0);
        if (all)
            assert_int_equal(field(k->threshold)->lo, 24);
        if (all)
            assert_int_equal(field(k->invert)->lo, 23);
        if (k->edge != BX_NONE)
            assert_int_equal(field(k->edge)->lo, 18);
        assert_int_equal(k->tally_bits, i == 3 ? 7 : 0);
        assert_int_equal(k->wrap != BX_NONE, i == 5);
        assert_int_equal(k->mode != BX_NONE, i == 5);
        assert_int_equal(k->storage != BX_NONE, i == 5);
    }
    const bx_cat_counter *m =
        &bx_cat_counters(c)[bx_cat_pmus(c)[cpu->pmus.first + 5].counters.first];
    assert_int_equal(field(m->wrap)->lo, 6);
    assert_int_equal(field(m->mode)->lo, 2);
    assert_int_equal(field(m->storage)->lo, 4);
}

static void fixed_clock(void **state)
{
    (void)state;
    const bx_cat_pmu *w = &bx_cat_pmus(c)[cpu->pmus.first + 6];
    const bx_cat_counter *k = &bx_cat_counters(c)[w->counters.first + 4];
    assert_int_equal(k->flags, BX_COUNTER_FIXED | BX_COUNTER_TELLS);
    assert_int_equal(k->width, 48);
    assert_int_equal(address(k->control, 0), 0x395);
    assert_int_equal(address(k->value, 0), 0x394);
    assert_int_equal(field(bx_cat_conds(c)[k->counts.first].field)->lo, 0);
    assert_int_equal(field(bx_cat_conds(c)[k->counts.first + 1].field)->lo, 31);
    assert_int_equal(field(k->overflow)->lo, 31);
    assert_int_equal(address(field(k->overflow)->reg, 0), 0xc81);
    assert_string_equal(bx_cat_z(c, k->likwid), "WBOXFIX");
}

/* A summary bit: its register and bit, and the status registers that it stands for. */
static const struct summary {
    uint16_t at;
    uint8_t bit;
    uint16_t of[4];
} summaries[] = {
    {0xc43, 2, {0xd01, 0xd81}},  /* S0: C0, C1 */
    {0xc43, 0, {0xd41, 0xdc1}},  /* C2, C3 */
    {0xcc3, 2, {0xd21, 0xda1}},  /* S1: C4, C5 */
    {0xcc3, 0, {0xd61, 0xde1}},  /* C6, C7 */
    {0xc43, 16, {0xc21, 0xca1}}, /* B0, M0 */
    {0xcc3, 16, {0xc61, 0xce1}}, /* B1, M1 */
    {0xc43, 18, {0xc41}},        /* S0 itself */
    {0xcc3, 18, {0xcc1}},        /* S1 itself */
    {0xc43, 19, {0xe01}},        /* R, left */
    {0xcc3, 19, {0xe21}},        /* R, right */
    {0xc01, 3, {0xc43}},         /* U: S0 */
    {0xc01, 2, {0xcc3}},         /* S1 */
    {0xc01, 1, {0xc81}},         /* W */
};

static bool has(const struct summary *s, uint32_t at)
{
    for (size_t i = 0; i < 4; i++)
        if (at && s->of[i] == at)
            return true;
    return false;
}

/* Counts the registers that a summary bit gathers for one unit; all must be in the row. */
static unsigned gathered(const bx_cat_field *f, unsigned unit, const struct summary *s)
{
    unsigned n = 0;
    for (uint16_t i = f->gathers.first; i < f->gathers.first + f->gathers.n; i++) {
        const bx_cat_gather *g = &bx_cat_gathers(c)[i];
        for (unsigned of = 0; g->unit == unit && of < 8; of++) {
            if (!(g->units >> of & 1))
                continue;
            if (!has(s, address(g->reg, of)))
                fail_msg("0x%x bit %u gathers 0x%x", s->at, s->bit, address(g->reg, of));
            n++;
        }
    }
    return n;
}

static void overflows_travel(void **state)
{
    (void)state;
    size_t bits = 0;
    for (uint16_t r = 0; r < c->regs.n; r++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[r];
        if (&bx_cat_cpus(c)[bx_cat_pmus(c)[reg->pmu].cpu] != cpu)
            continue;
        for (uint16_t i = reg->fields.first; i < reg->fields.first + reg->fields.n; i++) {
            const bx_cat_field *f = &bx_cat_fields(c)[i];
            for (unsigned unit = 0; f->gathers.n && unit < bx_cat_pmus(c)[reg->pmu].unit_max;
                 unit++) {
                const struct summary *s = summaries;
                while (s < summaries + 13 && (s->at != address(r, unit) || s->bit != f->lo))
                    s++;
                assert_true(s < summaries + 13);
                assert_int_equal(f->kind, BX_FIELD_RO);
                assert_int_equal(gathered(f, unit, s), (s->of[0] != 0) + (s->of[1] != 0));
                bits++;
            }
        }
    }
    assert_int_equal(bits, 13);
}

/* FRZ_ALL 31 clears EN_ALL 28. PMIs go to the cores of bits 8:1. The status has PMI 30 and COND
 * 31. */
static void freeze(void **state)
{
    (void)state;
    assert_int_equal(address(field(cpu->freeze)->reg, 0), 0xc00);
    assert_int_equal(field(cpu->freeze)->lo, 31);
    assert_int_equal(field(cpu->freezes)->lo, 28);
    assert_int_equal(cpu->pmi.n, 8);
    for (uint16_t i = 0; i < 8; i++)
        assert_int_equal(field((uint16_t)(cpu->pmi.first + i))->lo, 1 + i);
    assert_int_equal(address(field(cpu->noted)->reg, 0), 0xc01);
    assert_int_equal(field(cpu->noted)->lo, 30);
    assert_int_equal(field(cpu->changed)->lo, 31);
    assert_string_equal(bx_cat_z(c, cpu->delay), "freeze");
    uint16_t ctl = field(cpu->freeze)->reg;
    const bx_cat_field *rst = field(bx_cat_find_field(c, ctl, BX_STR("RST_ALL")));
    assert_int_equal(rst->lo, 29);
    assert_int_equal(rst->resets, BX_RESETS_PACKAGE);
}

/* A bit of an overflow control register clears the bit with the same number in the status register
 * beside it. Summary bits clear nothing. */
static void clearing(void **state)
{
    (void)state;
    static const uint16_t controls[] = {0xc02, 0xde2, 0xc62, 0xcc2, 0xe22, 0xce2, 0xc82};
    for (size_t i = 0; i < 7; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[cpu->pmus.first + i];
        unsigned last = boxes[i].units - 1U, n = 0;
        for (uint16_t r = pmu->regs.first; r < pmu->regs.first + pmu->regs.n; r++) {
            bx_span fields = bx_cat_regs(c)[r].fields;
            for (uint16_t f = fields.first; f < fields.first + fields.n; f++) {
                if (field(f)->clears == BX_NONE)
                    continue;
                assert_int_equal(address(r, last), controls[i]);
                assert_int_equal(address(field(field(f)->clears)->reg, last), controls[i] - 1);
                assert_int_equal(field(field(f)->clears)->lo, field(f)->lo);
                n++;
            }
        }
        /* U: also cond and pmi; W: also the clock */
        assert_int_equal(n, boxes[i].counters + (i == 0 ? 2 : i == 6 ? 1 : 0));
    }
}

static void machine_string(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t preset, lo, hi;
    } all[] = {{"packages", 4, 1, 8}, {"cores", 8, 1, 8}};
    for (size_t i = 0; i < 2; i++) {
        const bx_cat_shape *s = &bx_cat_shapes(c)[cpu->shapes.first + i];
        assert_string_equal(bx_cat_z(c, s->name), all[i].name);
        assert_int_equal(s->preset, all[i].preset);
        assert_int_equal(s->lo, all[i].lo);
        assert_int_equal(s->hi, all[i].hi);
    }
    assert_int_equal(bx_cat_find_cpu_by_id(c, 6, 0x2e), bx_cat_find_cpu(c, BX_STR("nhmex")));
}

int main(void)
{
    c = bx_catalog_builtin();
    cpu = &bx_cat_cpus(c)[bx_cat_find_cpu(c, BX_STR("nhmex"))];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_and_names),
        cmocka_unit_test(three_enables),
        cmocka_unit_test(conditions_of_levels),
        cmocka_unit_test(fixed_clock),
        cmocka_unit_test(overflows_travel),
        cmocka_unit_test(freeze),
        cmocka_unit_test(clearing),
        cmocka_unit_test(machine_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
