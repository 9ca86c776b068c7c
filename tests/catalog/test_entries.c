/* The catalogue as users of the library see it, through the public header alone. */
#include "../cmocked.h"

#include <boxscore/boxscore.h>

#include <string.h>

static const bx_catalog *c;

static const char *name(bx_entry entry)
{
    return bx_entry_text(c, entry, BX_TEXT_NAME);
}

static bx_entry find(bx_entry of, enum bx_entry_type type, const char *text)
{
    bx_entry entry = bx_entry_find(c, of, type, text);
    assert_int_not_equal(entry, 0);
    assert_int_equal(bx_entry_type(entry), type);
    assert_int_equal(bx_entry_belongs_to(c, entry), of);
    return entry;
}

static uint64_t number(bx_entry entry, enum bx_entry_number which)
{
    uint64_t value = 0;
    assert_true(bx_entry_number(c, entry, which, &value));
    return value;
}

static void what_names_fix(void **state)
{
    (void)state;
    bx_entry pmu = find(find(0, BX_ENTRY_CPU, "ivbep"), BX_ENTRY_PMU, "ivbep_unc_cbo");
    bx_entry event = find(pmu, BX_ENTRY_EVENT, "UNC_C_TOR_INSERTS");
    bx_entry reads = find(event, BX_ENTRY_UMASK, "OPC_DRD"); /* libpfm4: 182H */
    char text[32], few[4];

    assert_int_equal(number(reads, BX_NUMBER_CODE), 0);
    assert_int_equal(bx_entry_sets(c, reads, text, sizeof text), strlen("opc=0x182"));
    assert_string_equal(text, "opc=0x182");
    assert_int_equal(bx_entry_sets(c, reads, few, sizeof few), strlen("opc=0x182"));
    assert_string_equal(few, "opc");
    assert_int_equal(bx_entry_sets(c, find(event, BX_ENTRY_UMASK, "ALL"), text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(bx_entry_sets(c, pmu, NULL, 0), 0);
    assert_int_equal(bx_entry_sets(c, 0, NULL, 0), 0);
}

/* 334060-001, tables 2-7 to 2-9 and 3-1: the C-Box. */
static void a_c_box(void **state)
{
    (void)state;
    bx_entry cpu = find(0, BX_ENTRY_CPU, "SKL");
    bx_entry pmu = find(cpu, BX_ENTRY_PMU, "skl_unc_cbo");
    bx_entry event = find(pmu, BX_ENTRY_EVENT, "UNC_CBO_CACHE_LOOKUP");
    bx_entry umask = find(event, BX_ENTRY_UMASK, "any_i");
    bx_entry edge = find(pmu, BX_ENTRY_MODIFIER, "e"),
             threshold = find(pmu, BX_ENTRY_MODIFIER, "t");
    char text[64];
    uint64_t address = 0;

    assert_int_equal(number(event, BX_NUMBER_CODE), 0x34);
    assert_int_equal(number(umask, BX_NUMBER_CODE), 0x88);
    assert_int_equal(number(event, BX_NUMBER_COUNTERS), 3);
    assert_int_equal(number(umask, BX_NUMBER_COUNTERS), 3);
    assert_string_equal(bx_entry_text(c, umask, BX_TEXT_UNIT), "lookups");
    assert_int_equal(number(edge, BX_NUMBER_MOST), 1);
    assert_int_equal(number(threshold, BX_NUMBER_MOST), 31);
    assert_int_equal(number(threshold, BX_NUMBER_PRESET), 0);

    bx_entry reg = find(pmu, BX_ENTRY_REGISTER, "MSR_UNC_CBO_{unit}_PERFEVTSEL0");
    size_t n = bx_register_name(c, reg, 3, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, "MSR_UNC_CBO_3_PERFEVTSEL0");
    assert_string_equal(bx_register_space(c, reg, 3, &address), "msr");
    assert_int_equal(address, 0x730);
    assert_int_equal(number(reg, BX_NUMBER_WIDTH), 64);
    bx_entry field = bx_entry_first(c, reg, BX_ENTRY_FIELD), umask_field = 0;
    for (; field; field = bx_entry_next(c, field))
        if (number(field, BX_NUMBER_LOW_BIT) == 8)
            umask_field = field;
    assert_int_equal(number(umask_field, BX_NUMBER_HIGH_BIT), 15);
}

/* Finds each entry again by its name, wherever it belongs, and checks that it has a title. */
static void all_of_a_type(bx_entry of, enum bx_entry_type type, unsigned *n)
{
    for (bx_entry i = bx_entry_first(c, of, type); i; i = bx_entry_next(c, i)) {
        assert_int_equal(bx_entry_find(c, of, type, name(i)), i);
        assert_int_not_equal(*bx_entry_text(c, i, BX_TEXT_TITLE), 0);
        ++*n;
    }
}

static void everything(void **state)
{
    (void)state;
    unsigned cpus = 0, pmus = 0, events = 0, umasks = 0, modifiers = 0, registers = 0, metrics = 0;

    for (bx_entry cpu = bx_entry_first(c, 0, BX_ENTRY_CPU); cpu; cpu = bx_entry_next(c, cpu)) {
        assert_string_equal(name(cpu), bx_catalog_cpu_name(c, cpus++));
        all_of_a_type(cpu, BX_ENTRY_PMU, &pmus);
        all_of_a_type(cpu, BX_ENTRY_METRIC, &metrics);
        for (bx_entry m = bx_entry_first(c, cpu, BX_ENTRY_METRIC); m; m = bx_entry_next(c, m))
            assert_int_equal(bx_entry_belongs_to(c, m), cpu);
        for (bx_entry p = bx_entry_first(c, cpu, BX_ENTRY_PMU); p; p = bx_entry_next(c, p)) {
            all_of_a_type(p, BX_ENTRY_EVENT, &events);
            all_of_a_type(p, BX_ENTRY_MODIFIER, &modifiers);
            all_of_a_type(p, BX_ENTRY_REGISTER, &registers);
            for (bx_entry e = bx_entry_first(c, p, BX_ENTRY_EVENT); e; e = bx_entry_next(c, e))
                all_of_a_type(e, BX_ENTRY_UMASK, &umasks);
        }
    }
    assert_int_equal(cpus, bx_catalog_cpus(c));
    assert_true(pmus > 20 && events > 800 && umasks > 2000 && modifiers > 100 && registers > 200 &&
                metrics > 50);
}

static void what_is_not_there(void **state)
{
    (void)state;
    bx_entry cpu = find(0, BX_ENTRY_CPU, "skl"), pmu = find(cpu, BX_ENTRY_PMU, "skl_unc_arb");
    uint64_t untouched = 7;
    char text[4] = "old";

    assert_int_equal(bx_entry_find(c, 0, BX_ENTRY_CPU, "skx"), 0);
    assert_int_equal(bx_entry_find(c, cpu, BX_ENTRY_EVENT, "UNC_ARB_TRK_OCCUPANCY"), 0);
    assert_int_equal(bx_entry_find(c, pmu, BX_ENTRY_EVENT, "UNC_CBO_CACHE_LOOKUP"), 0);
    assert_int_equal(bx_entry_first(c, pmu, BX_ENTRY_UMASK), 0);
    assert_int_equal(bx_entry_first(c, 0, BX_ENTRY_PMU), 0);
    assert_int_equal(bx_entry_first(c, cpu, (enum bx_entry_type)99), 0);
    for (unsigned type = 0; type < 300; type++) { /* numbers that no entry has */
        bx_entry none = type << 16 | 0xffff;
        assert_int_equal(bx_entry_next(c, none), 0);
        assert_int_equal(bx_entry_belongs_to(c, none), 0);
        assert_string_equal(bx_entry_text(c, none, BX_TEXT_NAME), "");
        assert_false(bx_entry_number(c, none, BX_NUMBER_CODE, &untouched));
    }
    assert_string_equal(bx_entry_text(c, pmu, (enum bx_entry_text)99), "");
    assert_false(bx_entry_number(c, pmu, BX_NUMBER_CODE, &untouched));
    assert_int_equal(bx_register_name(c, pmu, 0, text, sizeof text), 0);
    bx_entry reg = bx_entry_first(c, pmu, BX_ENTRY_REGISTER);
    assert_null(bx_register_space(c, reg, 1, &untouched)); /* there is one unit */
    assert_int_equal(untouched, 7);
    assert_string_equal(text, "old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_c_box),
        cmocka_unit_test(what_names_fix),
        cmocka_unit_test(everything),
        cmocka_unit_test(what_is_not_there),
    };
    c = bx_catalog_builtin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
