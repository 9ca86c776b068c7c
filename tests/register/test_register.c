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

static uint64_t base_of(const void *of, uint16_t field)
{
    return bx_base_of(built_in(), field, *(const uint64_t *)of);
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

/* Rows of a window do not overlap, and are in the order of their addresses; windows are adjacent.
 */
static void map_is_sorted(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    for (unsigned cpu = 0; cpu < c->cpus.n; cpu++) {
        const bx_cat_window *w;
        size_t n = 0;
        for (unsigned i = 0; (w = bx_map_window(c, cpu, i)); i++) {
            const bx_cat_map_row *rows = &bx_map_rows(c, cpu)[n];
            assert_ptr_equal(&rows[w->mapped.n], bx_map_end(c, w));
            for (unsigned k = 0; k < w->mapped.n; k++) {
                assert_true(rows[k].first <= rows[k].last);
                assert_true(k == 0 || rows[k - 1].last < rows[k].first);
            }
            n += w->mapped.n;
        }
        assert_int_equal(n, bx_map_length(c, cpu));
    }
}

/* catalog/ivbep: a register of a memory channel has an address in each of four packages, which are
 * 40H buses apart; a word of a function without a PMU is found between its first and last byte. */
static void other_packages(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    unsigned reg = reg_of("ivbep_unc_imc", "MC_CH{unit}_PCI_PMON_BOX_CTL");
    unsigned cpu = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].cpu;
    const uint64_t of_package = UINT64_C(0x40) << 20;
    for (unsigned package = 0; package < 4; package++) {
        uint64_t at = bx_register_offset_in(c, package, reg, 1);
        assert_true(at == bx_register_offset(c, reg, 1) + package * of_package);
        bx_unit_register is = bx_register_at(c, cpu, BX_SPACE_PCI, at);
        assert_int_equal(is.reg, reg);
        assert_int_equal(is.unit, 1);
        assert_int_equal(is.package, package);
        bx_mapped inside = bx_map_find(c, cpu, BX_SPACE_PCI, at + 2, NULL, NULL);
        assert_int_equal(inside.row->reg, reg);
        assert_int_equal(inside.past, 2);
        assert_int_equal(bx_register_at(c, cpu, BX_SPACE_PCI, at + 2).reg, BX_NONE);
        bx_mapped function = bx_map_function(c, cpu, at & ~UINT64_C(0xfff));
        assert_true(function.row->first >> 12 == bx_register_offset(c, reg, 1) >> 12);
        assert_int_equal(function.package, package);
    }
    assert_null(bx_map_find(c, cpu, BX_SPACE_PCI, 0, NULL, NULL).row);
    assert_null(bx_map_find(c, cpu, BX_SPACE_PCI, UINT64_MAX, NULL, NULL).row);
    for (unsigned i = 0; i < bx_cat_cpus(c)[cpu].functions.n; i++) {
        unsigned index = bx_cat_cpus(c)[cpu].functions.first + i;
        const bx_cat_function *f = &bx_cat_functions(c)[index];
        assert_int_equal(
            bx_map_find(c, cpu, BX_SPACE_PCI, f->address + 9, NULL, NULL).row->function, index);
        for (unsigned k = f->passives.first; k < (unsigned)f->passives.first + f->passives.n; k++) {
            uint64_t at = f->address + bx_cat_passives(c)[k].last + (f->stride ? of_package : 0);
            bx_mapped word = bx_map_find(c, cpu, BX_SPACE_PCI, at, NULL, NULL);
            assert_int_equal(word.row->passive, k);
            assert_int_equal(word.package, f->stride ? 1 : 0);
        }
    }
}

/* ---- writes ---- */

/* Bits 3:0 rw, 4 w1c, 5 write-only without an effect, 6 write-only that clears elsewhere, 7
 * read-only, 8 ignored; the others are reserved. */
static void written(void **state)
{
    (void)state;
    const bx_cat_bits b = {.stored = 0xf,
                           .w1c = 0x10,
                           .write_only = 0x60,
                           .effects = 0x40,
                           .clears = 0x40,
                           .read_only = 0x80,
                           .ignored = 0x100,
                           .triggers = 0x70,
                           .writable = 0x7f,
                           .hidden = 0x160,
                           .reserved = ~UINT64_C(0x1ff)};
    const bx_cat_bits fixed = {.read_only = 0xff, .reserved = ~UINT64_C(0xff)},
                      trigger = {.write_only = 1, .writable = 1, .reserved = ~UINT64_C(1)};
    const uint64_t all = UINT64_MAX;
    assert_true(bx_bits_written(&b, 0, 0x9a, 0x1ff, all) == 0xaf);
    assert_true(bx_bits_written(&b, 0, 0x9a, 0x005, all) == 0x95);
    assert_true(bx_bits_written(&b, 0, 0x9a, 0x1f5, 0x03) == 0x99);
    assert_true(bx_bits_written(&b, 0, 0x30, 0x010, 0x0f) == 0x30);
    assert_false(bx_bits_refuse(&b, 0x1ff));
    assert_true(bx_bits_refuse(&b, 0x200));
    assert_true(bx_bits_refuse(&fixed, 0) && bx_bits_are_read_only(&fixed));
    assert_true(bx_bits_are_write_only(&trigger) && !bx_bits_are_write_only(&b));
    /* A P6's counter: SDM volume 3, performance monitoring of the P6 family. */
    const bx_cat_bits count = {.stored = 0xffffffffff, .writable = 0xffffffffff};
    assert_true(bx_bits_written(&count, 31, 0, 0x80000000, all) == 0xff80000000);
    assert_true(bx_bits_written(&count, 31, all, 0xff7fffffff, all) == (all << 40 | 0x7fffffff));
}

/* What clears a status: GLOBAL_OVF_CTL of a Xeon 7500 C-Box, bit by bit (323535-001). */
static void clearings(void **state)
{
    (void)state;
    const bx_catalog *c = built_in();
    unsigned reg = reg_of("nhmex_unc_cbox", "CB{unit}_CR_C_MSR_PMON_GLOBAL_OVF_CTL"), i = 0;
    unsigned status = reg_of("nhmex_unc_cbox", "CB{unit}_CR_C_MSR_PMON_GLOBAL_STATUS");
    bx_clearing one;
    for (unsigned n = 0; n < 6; n++) {
        assert_true(bx_register_next_clearing(c, reg, &i, &one));
        assert_int_equal(one.status, status);
        assert_true(one.by == UINT64_C(1) << n && one.bits == UINT64_C(1) << n);
    }
    assert_false(bx_register_next_clearing(c, reg, &i, &one));
    i = 0;
    assert_false(bx_register_next_clearing(c, status, &i, &one));
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
        cmocka_unit_test(map_is_sorted),  cmocka_unit_test(other_packages),
        cmocka_unit_test(written),        cmocka_unit_test(clearings),
        cmocka_unit_test(all_conditions), cmocka_unit_test(precondition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
