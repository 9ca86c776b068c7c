/* An event string to named registers, through the public header alone. Values are those of the
 * documents. */
#include "../cmocked.h"

#include <boxscore/boxscore.h>

#include <string.h>

static bx_encoding *encode(const char *cpu, const char *event)
{
    bx_encoding *x = NULL;
    bx_error e = {0};
    if (bx_encode(bx_catalog_builtin(), cpu, event, &x, &e) != BX_OK)
        fail_msg("%s: %s", event, e.message);
    return x;
}

static void is(const bx_encoding *x, size_t i, const char *name, const char *space,
               uint64_t address, uint64_t value, uint64_t mask)
{
    assert_string_equal(bx_encoding_register(x, i), name);
    assert_string_equal(bx_encoding_space(x, i), space);
    assert_int_equal(bx_encoding_address(x, i), address);
    assert_int_equal(bx_encoding_value(x, i), value);
    assert_int_equal(bx_encoding_mask(x, i), mask);
}

/* 334060-001 table 2-9: unit 2's control is at 720H, its counter 0 at 726H. */
static void a_control(void **state)
{
    (void)state;
    bx_encoding *x = encode("skl", "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(bx_encoding_registers(x), 1);
    assert_int_equal(bx_encoding_counter(x), 0);
    assert_string_equal(bx_encoding_register(x, 0), "MSR_UNC_CBO_2_PERFEVTSEL0");
    assert_int_equal(bx_encoding_address(x, 0), 0x720);
    assert_int_equal(bx_encoding_value(x, 0), 0x408834);
    assert_string_equal(bx_encoding_count(x), "MSR_UNC_CBO_2_PERFCTR0");
    assert_string_equal(bx_encoding_count_space(x), "msr");
    assert_int_equal(bx_encoding_count_address(x), 0x726);
    assert_string_equal(bx_encoding_perf(x), "uncore_cbox_2/event=0x34,umask=0x88/");
    assert_string_equal(bx_encoding_event(x), "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I");
    bx_encoding_free(x);
}

/* RFO is opcode 180H, which Ivy Bridge-EP has in bits 28:20 of
 * FILTER1, D1AH of C-Box 0 (Linux arch/x86/events/intel/uncore_snbep.c). */
static void a_shared_register(void **state)
{
    (void)state;
    bx_encoding *x = encode("ivbep", "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO");
    assert_int_equal(bx_encoding_registers(x), 2);
    assert_int_equal(bx_encoding_value(x, 0) & 0xffff, 0x0135);
    assert_int_equal(bx_encoding_address(x, 1), 0xd1a);
    assert_int_equal(bx_encoding_mask(x, 1) >> 20 & 0x1ff, 0x1ff);
    assert_int_equal(bx_encoding_value(x, 1) >> 20 & 0x1ff, 0x180);
    bx_encoding_free(x);
}

/* Free-running and fixed counters have no event in a control register. Beyond the last register
 * there is nothing. */
static void no_control(void **state)
{
    (void)state;
    bx_encoding *x = encode("skl", "DRAM_DATA_READS");
    assert_int_equal(bx_encoding_registers(x), 0);
    assert_int_equal(bx_encoding_counter(x), -1);
    assert_string_equal(bx_encoding_count_space(x), "mmio");
    assert_int_equal(bx_encoding_count_address(x), 0x5050);
    is(x, 0, "", "", 0, 0, 0);
    bx_encoding_free(x);
    x = encode("skl", "INSTR_RETIRED_ANY");
    assert_int_equal(bx_encoding_count_address(x), 0x309);
    assert_string_equal(bx_encoding_perf(x), "");
    bx_encoding_free(x);
}

static void refused(void **state)
{
    (void)state;
    bx_encoding *x = NULL;
    bx_error e = {0};
    assert_int_equal(bx_encode(bx_catalog_builtin(), "skx", "UNC_CLOCK", &x, &e), BX_NOT_FOUND);
    assert_non_null(strstr(e.message, "skx"));
    e = (bx_error){0};
    assert_int_equal(bx_encode(bx_catalog_builtin(), NULL, "UNC_CLOCKS", &x, &e), BX_NOT_FOUND);
    assert_int_not_equal(e.len, 0);
    assert_null(x);
    bx_encoding_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_control),
        cmocka_unit_test(a_shared_register),
        cmocka_unit_test(no_control),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
