/* Our layout of libpfm4's structures against the header that programs are built with. */
#include "../cmocked.h"

#include "pfm/abi.h"

#if __has_include(<perfmon/pfmlib_perf_event.h>)
#include <perfmon/pfmlib_perf_event.h>

#define SAME(own, theirs, member)                                                                  \
    assert_int_equal(offsetof(own, member), offsetof(theirs, member));                             \
    assert_int_equal(sizeof(((own *)NULL)->member), sizeof(((theirs *)NULL)->member))

static void test_structures(void **state)
{
    (void)state;
    assert_int_equal(sizeof(bx_pfmlib_pmu_info), sizeof(pfm_pmu_info_t));
    assert_int_equal(sizeof(bx_pfmlib_pmu_info), PFM_PMU_INFO_ABI0);
    SAME(bx_pfmlib_pmu_info, pfm_pmu_info_t, size);
    SAME(bx_pfmlib_pmu_info, pfm_pmu_info_t, type);
    SAME(bx_pfmlib_pmu_info, pfm_pmu_info_t, first_event);
    SAME(bx_pfmlib_pmu_info, pfm_pmu_info_t, num_fixed_cntrs);
    assert_int_equal(sizeof(bx_pfmlib_event_info), sizeof(pfm_event_info_t));
    assert_int_equal(sizeof(bx_pfmlib_event_info), PFM_EVENT_INFO_ABI0);
    SAME(bx_pfmlib_event_info, pfm_event_info_t, equiv);
    SAME(bx_pfmlib_event_info, pfm_event_info_t, code);
    SAME(bx_pfmlib_event_info, pfm_event_info_t, nattrs);
    assert_int_equal(sizeof(bx_pfmlib_attr_info), sizeof(pfm_event_attr_info_t));
    assert_int_equal(sizeof(bx_pfmlib_attr_info), PFM_ATTR_INFO_ABI0);
    SAME(bx_pfmlib_attr_info, pfm_event_attr_info_t, code);
    SAME(bx_pfmlib_attr_info, pfm_event_attr_info_t, ctrl);
    assert_int_equal(sizeof(bx_pfmlib_raw_arg), PFM_RAW_ENCODE_ABI0);
    SAME(bx_pfmlib_raw_arg, pfm_pmu_encode_arg_t, count);
    SAME(bx_pfmlib_raw_arg, pfm_pmu_encode_arg_t, idx);
    assert_int_equal(sizeof(bx_pfmlib_perf_arg), PFM_PERF_ENCODE_ABI0);
    SAME(bx_pfmlib_perf_arg, pfm_perf_encode_arg_t, cpu);
    SAME(bx_pfmlib_perf_arg, pfm_perf_encode_arg_t, flags);
}

static void test_bits(void **state)
{
    (void)state;
    union {
        bx_pfmlib_attr_info own;
        pfm_event_attr_info_t theirs;
    } attr = {.own = {.is_dfl = 1, .defaults.dfl_val64 = 5}};
    assert_int_equal(attr.theirs.is_dfl, 1);
    assert_int_equal(attr.theirs.is_precise, 0);
    assert_int_equal(attr.theirs.dfl_val64, 5);
    union {
        bx_pfmlib_pmu_info own;
        pfm_pmu_info_t theirs;
    } pmu = {.own = {.is_present = 1}};
    assert_int_equal(pmu.theirs.is_present, 1);
    assert_int_equal(pmu.theirs.is_dfl, 0);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(BX_PFMLIB_PMU_MAX, PFM_PMU_MAX);
    assert_int_equal(BX_PFMLIB_VERSION, LIBPFM_VERSION);
    assert_int_equal(BX_PFMLIB_OS_MAX, PFM_OS_MAX);
    assert_int_equal(BX_PFMLIB_OS_PERF_EXT, PFM_OS_PERF_EVENT_EXT);
    assert_int_equal(BX_PFMLIB_TYPE_UNCORE, PFM_PMU_TYPE_UNCORE);
    assert_int_equal(BX_PFMLIB_ATTR_INTEGER, PFM_ATTR_MOD_INTEGER);
    assert_int_equal(BX_PFMLIB_CTRL_PERF, PFM_ATTR_CTRL_PERF_EVENT);
    assert_int_equal(BX_PFMLIB_DTYPE_UINT64, PFM_DTYPE_UINT64);
    assert_int_equal(BX_PFMLIB_NOTSUPP, PFM_ERR_NOTSUPP);
    assert_int_equal(BX_PFMLIB_NOINIT, PFM_ERR_NOINIT);
    assert_int_equal(BX_PFMLIB_TOOSMALL, PFM_ERR_TOOSMALL);
    assert_int_equal(BX_PFM_ATTR_SET, PFM_ERR_ATTR_SET);
    assert_int_equal(BX_PFM_PLM3, PFM_PLM3);
    assert_int_equal(PFM_PMU_I386_P6, 6);
    assert_int_equal(PFM_PMU_I386_PM, 10);
    assert_int_equal(PFM_PMU_INTEL_PPRO, 12);
    assert_int_equal(PFM_PMU_INTEL_PII, 13);
    assert_int_equal(PFM_PMU_INTEL_IVBEP_UNC_CB0, 115);
    assert_int_equal(PFM_PMU_INTEL_IVBEP_UNC_CB14, 129);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structures),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include <stdio.h>

int main(void)
{
    puts("no <perfmon/pfmlib.h> (libpfm4-dev): nothing to compare with");
    return 77;
}
#endif
