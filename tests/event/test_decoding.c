/* Register values to event strings, through the public header alone. Values are those of the
 * documents. */
#include "../cmocked.h"

#include <boxscore/boxscore.h>

#include <string.h>

static bx_decoding *of(const char *cpu)
{
    bx_error e = {0};
    bx_decoding *d = bx_decoding_new(bx_catalog_builtin(), cpu, &e);
    assert_non_null(d);
    return d;
}

static void add(bx_decoding *d, const char *space, uint64_t address, uint64_t value)
{
    bx_error e = {0};
    assert_int_equal(bx_decoding_add(d, space, address, value, &e), BX_OK);
}

static size_t run(bx_decoding *d)
{
    bx_error e = {0};
    size_t n = 99;
    assert_int_equal(bx_decoding_run(d, &n, &e), BX_OK);
    return n;
}

/* 334060-001 tables 2-1 to 2-9: a global control, which selects nothing, and controls of two
 * C-Boxes and the ARB. */
static void a_reading(void **state)
{
    (void)state;
    bx_decoding *d = of("skl");
    assert_int_equal(run(d), 0);
    add(d, "msr", 0xe01, 0x20000000);
    add(d, "msr", 0x730, 0x408834);
    add(d, "msr", 0x3b2, 0x400181);
    add(d, "msr", 0x706, 12345);
    add(d, "msr", 0x700, 0x408834);
    assert_int_equal(run(d), 3);
    assert_string_equal(bx_decoding_event(d, 0), "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(bx_decoding_value(d, 0), 1);
    assert_string_equal(bx_decoding_event(d, 1), "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL");
    assert_int_equal(bx_decoding_value(d, 1), 2);
    assert_string_equal(bx_decoding_event(d, 2), "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(bx_decoding_value(d, 2), 4);
    assert_string_equal(bx_decoding_event(d, 3), "");
    assert_int_equal(bx_decoding_value(d, 3), 0);
    bx_decoding_free(d);
}

/* A shared register belongs to the event beside it. If it is read again, the events after that use
 * the new value. */
static void with_a_filter(void **state)
{
    (void)state;
    bx_decoding *d = of("ivbep");
    add(d, "msr", 0xd10, 0x400135);
    assert_int_equal(run(d), 1);
    add(d, "msr", 0xd1a, 0x18000000);
    assert_int_equal(run(d), 1);
    assert_non_null(strstr(bx_decoding_event(d, 0), "OPC_RFO"));
    bx_decoding_free(d);
}

/* With many values, the table of them grows. */
static void many(void **state)
{
    (void)state;
    bx_decoding *d = of("skl");
    for (unsigned i = 0; i < 1000; i++)
        add(d, "msr", 0x700 + i % 4 * 0x10, 0x408834);
    assert_int_equal(run(d), 1000);
    assert_int_equal(bx_decoding_value(d, 999), 999);
    bx_decoding_free(d);
}

static void refused(void **state)
{
    (void)state;
    bx_error e = {0};
    bx_decoding *d = of("skl");
    assert_int_equal(bx_decoding_add(d, "msr", 0x703, 0, &e), BX_NOT_FOUND);
    assert_non_null(strstr(e.message, "msr:0x703"));
    assert_int_equal(bx_decoding_add(d, "io", 0x700, 0, NULL), BX_NOT_FOUND);
    assert_int_equal(run(d), 0);
    bx_decoding_free(d);
    assert_null(bx_decoding_new(bx_catalog_builtin(), "skx", NULL));
    bx_decoding_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading),
        cmocka_unit_test(with_a_filter),
        cmocka_unit_test(many),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
