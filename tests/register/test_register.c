/* The registers of a unit: bits, addresses and conditions. */
#include "../cmocked.h"

#include "register/register.h"

#include <errno.h>

static const bx_catalog *built_in(void)
{
    return bx_catalog_builtin();
}

static unsigned reg_of(const char *pmu, const char *name)
{
    uint16_t of = bx_cat_find_pmu(built_in(), bx_str_of(pmu));
    uint16_t reg = bx_cat_find_reg(built_in(), of, bx_str_of(name));
    assert_int_not_equal(reg, BX_NONE);
    return reg;
}

/* ---- bits ---- */

/* Each bit of each register has one kind: that of its field, or reserved. */
static void kinds(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    for (unsigned i = 0; i < c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[i];
        const bx_cat_bits *b = &reg->bits;
        const uint64_t of[] = {b->stored, b->read_only, b->write_only, b->w1c, b->ignored};
        uint64_t known = 0;
        for (uint16_t k = reg->fields.first; k < reg->fields.first + reg->fields.n; k++) {
            const bx_cat_field *f = &bx_cat_fields(c)[k];
            for (unsigned kind = 0; kind <= BX_FIELD_IGNORED; kind++)
                assert_true((of[kind] & bx_cat_field_mask(f)) ==
                            (kind == f->kind ? bx_cat_field_mask(f) : 0));
            assert_true(!(b->clears & bx_cat_field_mask(f)) == (f->clears == BX_NONE));
            assert_true(!(b->gathers & bx_cat_field_mask(f)) == (f->gathers.n == 0));
            known |= bx_cat_field_mask(f);
        }
        assert_true(b->reserved == ~known);
        assert_true(b->triggers == (b->write_only | b->w1c));
        assert_true(b->writable == (b->stored | b->triggers));
        assert_true(b->hidden == (b->write_only | b->ignored));
    }
}

/* A field that resets something has an effect, as has the bit that empties a counter's queue
 * tally. */
static void effects(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    unsigned tallies = 0;
    for (unsigned i = 0; i < c->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[i];
        uint64_t effects = bx_cat_regs(c)[f->reg].bits.effects;
        if (f->resets || f->clears != BX_NONE)
            assert_true((effects & bx_cat_field_mask(f)) == bx_cat_field_mask(f));
    }
    for (unsigned i = 0; i < c->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[i];
        if (counter->tally == BX_NONE)
            continue;
        assert_true(bx_cat_regs(c)[counter->control].bits.effects &
                    bx_cat_field_mask(&bx_cat_fields(c)[counter->tally]));
        tallies++;
    }
    assert_int_not_equal(tallies, 0);
}

/* ---- addresses ---- */

/* Every register of every unit is found at its address. */
static void there_and_back(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    for (unsigned i = 0; i < c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[i];
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[reg->pmu];
        for (unsigned unit = 0; unit < pmu->unit_max; unit++) {
            bx_address at = bx_register_address(c, 0, i, unit, 3);
            bx_raw raw = bx_register_raw(c, i, unit, 5);
            bx_unit_register is = bx_register_at(c, pmu->cpu, at.space, at.offset);
            assert_int_equal(is.reg, i);
            assert_int_equal(is.unit, pmu->scope == BX_SCOPE_CORE ? 0 : unit);
            assert_int_equal(at.cpu, 3);
            assert_int_equal(at.width, reg->width);
            assert_true(raw.address == at.offset && raw.space == at.space && raw.value == 5);
            assert_true(bx_register_is_raw(c, i, unit, &raw));
            raw.address++;
            assert_false(bx_register_is_raw(c, i, unit, &raw));
        }
    }
}

static uint64_t base_of(const void *of, unsigned reg)
{
    return bx_register_base(built_in(), reg, *(const uint64_t *)of);
}

/* MCHBAR has its enable in bit 0, which is not part of the base. */
static void behind_a_base(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    unsigned reg = reg_of("skl_unc_imc", "DRAM_DATA_READS");
    unsigned cpu = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].cpu;
    uint64_t on = 0xfed10001, off = 1;
    bx_address holder = bx_register_address(c, 0, bx_register_base_holder(c, reg), 0, 0);
    assert_int_equal(holder.space, BX_SPACE_PCI);
    assert_int_equal(holder.offset, 0x48);
    assert_true(bx_register_base(c, reg, on) == 0xfed10000);
    assert_int_equal(bx_register_behind(c, cpu, BX_SPACE_MMIO, 0xfed15050, base_of, &on).reg, reg);
    assert_int_equal(bx_register_behind(c, cpu, BX_SPACE_MMIO, 0x5050, base_of, &on).reg, BX_NONE);
    assert_int_equal(bx_register_behind(c, cpu, BX_SPACE_MMIO, 0x5050, base_of, &off).reg, BX_NONE);
    assert_int_equal(bx_register_at(c, cpu, BX_SPACE_MMIO, 0x5050).reg, reg);
    assert_int_equal(bx_register_base_holder(c, bx_register_base_holder(c, reg)), BX_NONE);
}

/* ---- conditions ---- */

typedef struct unit_registers {
    unsigned unit;   /* the only enabled unit */
    unsigned broken; /* register that cannot be read */
} unit_registers;

static int read_register(const void *of, uint16_t reg, unsigned unit, uint64_t *value)
{
    const unit_registers *u = of;
    bool package =
        bx_cat_regs(built_in())[reg].pmu != bx_cat_find_pmu(built_in(), BX_STR("nhmex_unc_sbox"));
    assert_true(!package || unit == 0);
    *value = package || unit == u->unit ? UINT64_MAX : 0;
    return reg == u->broken ? EIO : 0;
}

static void all_conditions(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    uint16_t pmu = bx_cat_find_pmu(c, BX_STR("nhmex_unc_sbox"));
    const bx_cat_counter *counter = &bx_cat_counters(c)[bx_cat_pmus(c)[pmu].counters.first];
    unit_registers u = {1, BX_NONE};
    bool enabled;
    assert_int_equal(counter->counts.n, 3);
    assert_int_equal(bx_counter_is_enabled(c, counter, 1, read_register, &u, &enabled), 0);
    assert_true(enabled);
    assert_int_equal(bx_counter_is_enabled(c, counter, 0, read_register, &u, &enabled), 0);
    assert_false(enabled);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        u.broken = bx_cat_conds(c)[counter->counts.first + i].reg;
        assert_int_equal(bx_counter_is_enabled(c, counter, 1, read_register, &u, &enabled), EIO);
        assert_false(enabled);
    }
}

/* MATCH and MASK of an S-Box are written while bit 63 of its MM_CFG is 0. */
static void precondition(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    const bx_cat_cond *cond =
        bx_register_precondition(c, reg_of("nhmex_unc_sbox", "SR{unit}_CR_S_MSR_MATCH"));
    assert_non_null(cond);
    assert_true(bx_condition_holds(c, cond, INT64_MAX));
    assert_false(bx_condition_holds(c, cond, UINT64_C(1) << 63));
    assert_true(bx_condition_bits(c, cond) == 0);
    assert_null(bx_register_precondition(c, cond->reg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),          cmocka_unit_test(effects),
        cmocka_unit_test(there_and_back), cmocka_unit_test(behind_a_base),
        cmocka_unit_test(all_conditions), cmocka_unit_test(precondition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
