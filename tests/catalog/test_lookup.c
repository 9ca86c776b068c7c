/* Look-ups by name: upper and lower case, names that do not exist, and names with unit numbers in
 * them. */
#include "../cmocked.h"

#include "catalog/catalog.h"

#include <string.h>

static const struct bx_catalog *c;
static uint16_t cbo, lookup;

/* Every name of the catalogue leads back to its own item, in any case. */
static void every_name_is_found(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < c->pmus.n; i++)
        assert_int_equal(bx_cat_find_pmu(c, bx_cat_str(c, bx_cat_pmus(c)[i].name)), i);
    for (uint16_t i = 0; i < c->events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(c)[i];
        assert_int_equal(bx_cat_find_event(c, e->pmu, bx_cat_str(c, e->name)), i);
        if (e->alias)
            assert_int_equal(bx_cat_find_event(c, e->pmu, bx_cat_str(c, e->alias)), i);
    }
    for (uint16_t i = 0; i < c->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[i];
        assert_int_equal(bx_cat_find_umask(c, u->event, bx_cat_str(c, u->name)), i);
    }
    for (uint16_t i = 0; i < c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[i];
        assert_int_equal(bx_cat_find_modifier(c, m->pmu, bx_cat_str(c, m->name)), i);
    }
    for (uint16_t i = 0; i < c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[i];
        assert_int_equal(bx_cat_find_reg(c, reg->pmu, bx_cat_str(c, reg->name)), i);
        for (uint16_t f = reg->fields.first; f < reg->fields.first + reg->fields.n; f++)
            assert_int_equal(bx_cat_find_field(c, i, bx_cat_str(c, bx_cat_fields(c)[f].name)), f);
    }
}

static void case_is_folded(void **state)
{
    (void)state;
    assert_int_equal(bx_cat_find_cpu(c, BX_STR("SKL")), bx_cat_find_cpu(c, BX_STR("skl")));
    assert_int_equal(bx_cat_find_pmu(c, BX_STR("Skl_Unc_CBO")), cbo);
    assert_int_equal(bx_cat_find_event(c, cbo, BX_STR("unc_cbo_cache_lookup")), lookup);
    assert_int_equal(bx_cat_find_umask(c, lookup, BX_STR("any_mesi")),
                     bx_cat_find_umask(c, lookup, BX_STR("ANY_MESI")));
    assert_int_equal(bx_cat_find_modifier(c, cbo, BX_STR("T")),
                     bx_cat_find_modifier(c, cbo, BX_STR("t")));
}

static void misses(void **state)
{
    (void)state;
    uint16_t arb = bx_cat_find_pmu(c, BX_STR("skl_unc_arb"));
    assert_int_equal(bx_cat_find_cpu(c, BX_STR("sk")), BX_NONE);
    assert_int_equal(bx_cat_find_cpu(c, BX_STR("")), BX_NONE);
    assert_int_equal(bx_cat_find_pmu(c, BX_STR("skl_unc_cb")), BX_NONE);
    assert_int_equal(bx_cat_find_pmu(c, BX_STR("skl_unc_cbox")), BX_NONE);
    assert_int_equal(bx_cat_find_event(c, arb, BX_STR("UNC_CBO_CACHE_LOOKUP")), BX_NONE);
    assert_int_equal(bx_cat_find_umask(c, lookup, BX_STR("MISS_XCORE")), BX_NONE);
    assert_int_equal(bx_cat_find_modifier(c, cbo, BX_STR("u")), BX_NONE);
    assert_int_equal(bx_cat_find_reg(c, cbo, BX_STR("MSR_UNC_PERF_GLOBAL_CTRL")), BX_NONE);
    assert_int_equal(bx_cat_find_field(c, bx_cat_pmus(c)[cbo].regs.first, BX_STR("CTR_VAL")),
                     BX_NONE);
    static const char cut[] = {'s', 'k', 'l', 'x'}; /* a slice needs no NUL */
    assert_int_not_equal(bx_cat_find_cpu(c, (bx_str){cut, 3}), BX_NONE);
    assert_int_equal(bx_cat_find_cpu(c, (bx_str){cut, 4}), BX_NONE);
}

static void by_code(void **state)
{
    (void)state;
    uint16_t imc = bx_cat_find_pmu(c, BX_STR("skl_unc_imc"));
    assert_int_equal(bx_cat_event_by_code(c, cbo, 0x34), lookup);
    assert_int_equal(bx_cat_event_by_code(c, cbo, 0x80), BX_NONE);
    assert_int_equal(bx_cat_event_by_code(c, imc, 0x5050),
                     bx_cat_find_event(c, imc, BX_STR("DRAM_DATA_READS")));
}

static void expand(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(bx_cat_expand(text, sizeof text, "CBOX{unit}C{n}", 3, 1), 7);
    assert_string_equal(text, "CBOX3C1");
    assert_int_equal(bx_cat_expand(text, sizeof text, "plain", 3, 1), 5);
    assert_string_equal(text, "plain");
    bx_cat_expand(text, sizeof text, "{unit}{unit}{N}{", 12, 1);
    assert_string_equal(text, "1212{N}{");
    assert_int_equal(bx_cat_expand(text, 4, "CBOX{unit}", 10, 0), 6);
    assert_string_equal(text, "CBO");
    assert_int_equal(bx_cat_expand(NULL, 0, "CBOX{unit}", 10, 0), 6);
    bx_cat_expand(text, sizeof text, "R_MSR_PMON_GLOBAL_CTL_{7+8u}_{0+8u}", 1, 0);
    assert_string_equal(text, "R_MSR_PMON_GLOBAL_CTL_15_8");
    bx_cat_expand(text, sizeof text, "CTL{7+8u} C{n+8u}", 0, 3);
    assert_string_equal(text, "CTL7 C3");
    bx_cat_expand(text, sizeof text, "C{n+8u}", 1, 3);
    assert_string_equal(text, "C11");
    static const char *const no_hole[] = {
        "{7}",       "{7+}", "{7+8}",  "{+8u}",   "{7+8u",
        "{unit+8u}", "{}",   "{7+8x}", "{7 +8u}", "{99999999999+1u}"};
    for (size_t i = 0; i < sizeof no_hole / sizeof *no_hole; i++) {
        bx_cat_expand(text, sizeof text, no_hole[i], 1, 3);
        assert_string_equal(text, no_hole[i]);
    }
}

static void cpus_by_number(void **state)
{
    (void)state;
    size_t n = bx_catalog_cpus(c);
    assert_true(n >= 1);
    assert_int_equal(bx_cat_find_cpu(c, bx_str_of(bx_catalog_cpu_name(c, n - 1))), n - 1);
    assert_null(bx_catalog_cpu_name(c, n));
}

static void field_masks(void **state)
{
    (void)state;
    assert_int_equal(bx_cat_field_mask(&(bx_cat_field){.lo = 8, .hi = 15}), 0xff00);
    assert_int_equal(bx_cat_field_mask(&(bx_cat_field){.lo = 0, .hi = 63}), UINT64_MAX);
    assert_int_equal(bx_cat_field_mask(&(bx_cat_field){.lo = 63, .hi = 63}), UINT64_C(1) << 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(case_is_folded),
        cmocka_unit_test(misses),
        cmocka_unit_test(by_code),
        cmocka_unit_test(expand),
        cmocka_unit_test(cpus_by_number),
        cmocka_unit_test(field_masks),
    };
    c = bx_catalog_builtin();
    cbo = bx_cat_find_pmu(c, BX_STR("skl_unc_cbo"));
    lookup = bx_cat_find_event(c, cbo, BX_STR("CACHE_LOOKUP"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
