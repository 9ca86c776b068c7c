/* libpfm4's functions as its manual pages describe them, on the PMUs of
 * libpfm_intel_ivbep_unc_cbo(3) and libpfm_intel_p6(3). */
#include "../cmocked.h"

#include "pfm/calls.h"
#include "pfm/sized.h"

#include <stdlib.h>
#include <string.h>

static void start(const char *forced, const char *inactive, const char *off)
{
    pfm_terminate();
    setenv("BOXSCORE_LIBPFM", "", 1);
    unsetenv("LIBPFM_FORCE_PMU");
    unsetenv("LIBPFM_ENCODE_INACTIVE");
    unsetenv("LIBPFM_DISABLED_PMUS");
    if (forced)
        setenv("LIBPFM_FORCE_PMU", forced, 1);
    if (inactive)
        setenv("LIBPFM_ENCODE_INACTIVE", inactive, 1);
    if (off)
        setenv("LIBPFM_DISABLED_PMUS", off, 1);
    assert_int_equal(pfm_initialize(), 0);
}

static int start_all(void **state)
{
    (void)state;
    start(NULL, "1", NULL);
    return 0;
}

static int encode(const char *text, int plm, bx_pfmlib_raw_arg *arg)
{
    *arg = (bx_pfmlib_raw_arg){0};
    return pfm_get_os_event_encoding(text, plm, BX_PFMLIB_OS_NONE, arg);
}

/* ---- before and after ---- */

static void test_nothing_before_initialize(void **state)
{
    (void)state;
    bx_pfmlib_pmu_info pmu = {0};
    bx_pfmlib_event_info event = {0};
    bx_pfmlib_attr_info attr = {0};
    bx_pfmlib_raw_arg arg;
    pfm_terminate();
    assert_int_equal(pfm_get_pmu_info(115, &pmu), -3);
    assert_int_equal(pfm_get_event_next(115 << 21), -1);
    assert_int_equal(pfm_find_event("x"), -3);
    assert_int_equal(pfm_get_event_info(115 << 21, 0, &event), -3);
    assert_int_equal(pfm_get_event_attr_info(115 << 21, 0, 0, &attr), -3);
    assert_int_equal(encode("x", 9, &arg), -3);
    assert_int_equal(pfm_get_version(), 4 << 16);
    start_all(NULL);
    assert_int_equal(pfm_initialize(), 0);
    assert_int_equal(pfm_get_pmu_info(115, &pmu), 0);
}

static void test_every_error_has_its_own_text(void **state)
{
    (void)state;
    for (int a = -12; a <= 0; a++) {
        assert_string_not_equal(pfm_strerror(a), pfm_strerror(1));
        for (int b = -12; b < a; b++)
            assert_string_not_equal(pfm_strerror(a), pfm_strerror(b));
    }
    assert_string_equal(pfm_strerror(-13), pfm_strerror(1));
}

/* ---- PMUs and events ---- */

/* Numbers: enum pfm_pmu_t. Events: 68, 78, 80 and 102 in libpfm4's P6 tables, 21 of the C-Box. */
static void test_pmus(void **state)
{
    (void)state;
    static const struct {
        int id, events, words, counters, fixed, type;
        const char *name;
    } expected[] = {
        {6, 80, 1, 2, 0, 1, "p6"},
        {10, 102, 1, 2, 0, 1, "pm"},
        {12, 68, 1, 2, 0, 1, "ppro"},
        {13, 78, 1, 2, 0, 1, "pii"},
        {115, 21, 3, 4, 0, 2, "ivbep_unc_cbo0"},
        {129, 21, 3, 4, 0, 2, "ivbep_unc_cbo14"},
        {132, 45, 1, 4, 1, 2, "ivbep_unc_imc0"},
        {139, 45, 1, 4, 1, 2, "ivbep_unc_imc7"},
        {16, 93, 2, 4, 3, 1, "nhm_ex"},
        {103, 79, 2, 8, 3, 1, "ivb_ep"},
        {200, 84, 2, 8, 3, 1, "skl"},
    };
    int n = 0;
    for (int id = 0; id < BX_PFMLIB_PMU_MAX; id++) {
        bx_pfmlib_pmu_info info = {0};
        int code = pfm_get_pmu_info(id, &info);
        n += code == 0;
        assert_true(code == 0 || code == -1);
    }
    assert_int_equal(n, 4 + 15 + 8 + 3 + 2); /* the last are `perf` and `perf_raw` */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bx_pfmlib_pmu_info info = {.size = sizeof info};
        assert_int_equal(pfm_get_pmu_info(expected[i].id, &info), 0);
        assert_string_equal(info.name, expected[i].name);
        assert_int_equal(info.pmu, expected[i].id);
        assert_int_equal(info.nevents, expected[i].events);
        assert_int_equal(info.first_event, expected[i].id << 21);
        assert_int_equal(info.max_encoding, expected[i].words);
        assert_int_equal(info.num_cntrs, expected[i].counters);
        assert_int_equal(info.num_fixed_cntrs, expected[i].fixed);
        assert_int_equal(info.type, expected[i].type);
        assert_true(strlen(info.desc) > 0);
    }
    bx_pfmlib_pmu_info info = {0};
    assert_int_equal(pfm_get_pmu_info(-1, &info), -2);
    assert_int_equal(pfm_get_pmu_info(BX_PFMLIB_PMU_MAX, &info), -2);
    assert_int_equal(pfm_get_pmu_info(115, NULL), -2);
}

static void walk(int pmu)
{
    bx_pfmlib_pmu_info info = {0};
    int n = 0, code = pfm_get_pmu_info(pmu, &info);
    if (code)
        return;
    for (int i = info.first_event; i != -1; i = pfm_get_event_next(i), n++) {
        bx_pfmlib_event_info event = {0};
        char text[128];
        assert_int_equal(pfm_get_event_info(i, 0, &event), 0);
        assert_int_equal(event.idx, i);
        assert_int_equal(event.pmu, pmu);
        assert_int_equal(event.dtype, 1);
        assert_true(strlen(event.desc) > 0);
        snprintf(text, sizeof text, "%s::%s", info.name, event.name);
        if (!event.equiv) /* another name is no event of its own */
            assert_int_equal(pfm_find_event(text), i);
        for (int os = 0; os < 3; os++) {
            bx_pfmlib_attr_info attr = {0};
            assert_int_equal(pfm_get_event_info(i, os, &event), 0);
            for (int a = 0; a < event.nattrs; a++) {
                assert_int_equal(pfm_get_event_attr_info(i, a, os, &attr), 0);
                assert_int_equal(attr.idx, a);
                assert_true(strlen(attr.name) > 0 && strlen(attr.desc) > 0);
            }
            assert_int_equal(pfm_get_event_attr_info(i, event.nattrs, os, &attr), -2);
        }
    }
    assert_int_equal(n, info.nevents);
    assert_int_equal(pfm_pmu_validate(pmu, stdout), 0);
}

static void test_every_event_is_found_by_its_name(void **state)
{
    (void)state;
    for (int pmu = 0; pmu < BX_PFMLIB_PMU_MAX; pmu++)
        walk(pmu);
}

static void test_identifiers_that_are_none(void **state)
{
    (void)state;
    static const int none[] = {-1, 0, 1 << 21, 115 << 21 | 21, 3 << 21, 0x7fffffff};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        bx_pfmlib_event_info event = {0};
        bx_pfmlib_attr_info attr = {0};
        assert_int_equal(pfm_get_event_next(none[i]), -1);
        assert_int_equal(pfm_get_event_info(none[i], 0, &event), -2);
        assert_int_equal(pfm_get_event_attr_info(none[i], 0, 0, &attr), -2);
    }
    bx_pfmlib_event_info event = {0};
    assert_int_equal(pfm_get_event_info(115 << 21, 3, &event), -2);
    assert_int_equal(pfm_get_event_info(115 << 21, -1, &event), -2);
    assert_int_equal(pfm_get_event_info(115 << 21, 0, NULL), -2);
    assert_int_equal(pfm_pmu_validate(1, stdout), -2);
    assert_int_equal(pfm_pmu_validate(115, NULL), -2);
}

/* The names of an event's attributes, each with a blank before it. */
static void list_attributes(const char *text, int os, char *to, size_t room)
{
    bx_pfmlib_event_info event = {0};
    int idx = pfm_find_event(text);
    assert_int_equal(pfm_get_event_info(idx, os, &event), 0);
    *to = 0;
    for (int a = 0; a < event.nattrs; a++) {
        bx_pfmlib_attr_info attr = {0};
        size_t n = strlen(to);
        assert_int_equal(pfm_get_event_attr_info(idx, a, os, &attr), 0);
        snprintf(to + n, room - n, " %s%s", attr.name, attr.is_dfl ? "*" : "");
    }
}

static void test_attributes_by_os_layer(void **state)
{
    (void)state;
    char names[1024];
    list_attributes("ivbep_unc_cbo0::UNC_C_LLC_LOOKUP", 0, names, sizeof names);
    assert_string_equal(names, " DATA_READ WRITE REMOTE_SNOOP ANY* NID STATE_I STATE_S STATE_E "
                               "STATE_M STATE_F STATE_MESIF* e t tf cf nf");
    list_attributes("ivbep_unc_cbo0::UNC_C_LLC_VICTIMS", 0, names, sizeof names);
    assert_string_equal(names, " STATE_M STATE_E STATE_S MISS NID e t tf cf nf");
    list_attributes("ivbep_unc_cbo0::UNC_C_RING_SRC_THRTL", 1, names, sizeof names);
    assert_string_equal(names, " e t tf cf");
    list_attributes("ivbep_unc_cbo0::UNC_C_RING_SRC_THRTL", 2, names, sizeof names);
    assert_string_equal(names, " e t tf cf period freq excl cpu pinned");
    list_attributes("ivbep_unc_cbo0::UNC_C_CLOCKTICKS", 0, names, sizeof names);
    assert_string_equal(names, "");
    list_attributes("p6::BUS_DRDY_CLOCKS", 0, names, sizeof names);
    assert_string_equal(names, " SELF* ANY k u e i c");
    list_attributes("p6::CPU_CLK_UNHALTED", 1, names, sizeof names);
    assert_string_equal(names, " e i c u k mg mh");
    list_attributes("p6::CPU_CLK_UNHALTED", 2, names, sizeof names);
    assert_string_equal(names, " e i c u k period freq excl mg mh cpu pinned");
}

/* ---- code words ---- */

/* The example of libpfm_intel_ivbep_unc_cbo(3): node 0's opcode match takes both filter registers.
 */
static const char *const rfo = "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=1";

static void test_words_in_new_memory(void **state)
{
    (void)state;
    char *fstr = NULL;
    bx_pfmlib_raw_arg arg = {.fstr = &fstr, .size = sizeof arg};
    assert_int_equal(pfm_get_os_event_encoding(rfo, 9, 0, &arg), 0);
    assert_int_equal(arg.count, 3);
    assert_int_equal(arg.codes[0], 0x4135);
    assert_int_equal(arg.codes[1], 0);
    assert_int_equal(arg.codes[2], 0x18000001);
    assert_int_equal(arg.idx, pfm_find_event("ivbep_unc_cbo0::UNC_C_TOR_INSERTS"));
    assert_string_equal(fstr, "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:"
                              "e=0:t=0:tf=0:cf=0:nf=1:isoc=0:nc=0");
    free(arg.codes);
    free(fstr);
}

static void test_words_in_the_callers_memory(void **state)
{
    (void)state;
    uint64_t words[4];
    for (int room = 0; room < 5; room++) {
        bx_pfmlib_raw_arg arg = {.codes = words, .count = room};
        assert_int_equal(pfm_get_os_event_encoding(rfo, 9, 0, &arg), room < 3 ? -12 : 0);
        assert_ptr_equal(arg.codes, words);
        assert_int_equal(arg.count, room < 3 ? room : 3);
    }
}

static void test_older_call(void **state)
{
    (void)state;
    uint64_t room[1], *words = NULL;
    int n = 0, idx = 0;
    char *fstr = NULL;
    assert_int_equal(pfm_get_event_encoding("p6::CPU_CLK_UNHALTED:u", 9, &fstr, &idx, &words, &n),
                     0);
    assert_int_equal(n, 1);
    assert_int_equal(words[0], 0x510079); /* EN, INT and USR: PerfEvtSel of the SDM */
    assert_string_equal(fstr, "p6::CPU_CLK_UNHALTED:k=0:u=1:e=0:i=0:c=0");
    free(words);
    free(fstr);
    words = room, n = 1;
    assert_int_equal(pfm_get_event_encoding(rfo, 9, NULL, NULL, &words, &n), -12);
    words = room, n = 0;
    assert_int_equal(pfm_get_event_encoding(rfo, 9, NULL, NULL, &words, &n), -2);
    words = NULL, n = 1;
    assert_int_equal(pfm_get_event_encoding(rfo, 9, NULL, NULL, &words, &n), -2);
    assert_int_equal(pfm_get_event_encoding(rfo, 9, NULL, NULL, NULL, &n), -2);
    assert_int_equal(pfm_get_event_encoding(rfo, 9, NULL, NULL, &words, NULL), -2);
}

static void test_arguments_refused(void **state)
{
    (void)state;
    bx_pfmlib_raw_arg arg = {0};
    assert_int_equal(pfm_get_os_event_encoding(NULL, 9, 0, &arg), -2);
    assert_int_equal(pfm_get_os_event_encoding(rfo, 9, 0, NULL), -2);
    assert_int_equal(pfm_get_os_event_encoding(rfo, 9, 3, &arg), -1);
    assert_int_equal(pfm_get_os_event_encoding(rfo, 32, 0, &arg), -2);
    assert_int_equal(pfm_get_os_event_encoding(rfo, -1, 0, &arg), -2);
    arg.size = 8;
    assert_int_equal(pfm_get_os_event_encoding(rfo, 9, 0, &arg), -2);
    assert_null(arg.codes);
}

/* From pfm_find_event(3): attributes are read, and must be valid, but have no effect. */
static void test_strings_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool found;
        int code;
    } expected[] = {
        {"LLC_LOOKUP:NID:nf=0", true, -9},  {"LLC_LOOKUP:t=256", true, -9},
        {"LLC_LOOKUP:e=2", false, -9},      {"LLC_LOOKUP:t", false, -9},
        {"LLC_LOOKUP:e=1:e=0", false, -10}, {"LLC_LOOKUP:ANY:WRITE", true, -5},
        {"TOR_INSERTS:OPCODE", true, -6},   {"LLC_VICTIMS", true, -6},
        {"LLC_LOOKUP:", false, -8},         {"LLC_LOOKUP:FOO", false, -8},
        {"LLC_LOOKUP,x", false, -2},        {"NOPE", false, -4},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[128];
        bx_pfmlib_raw_arg arg;
        snprintf(text, sizeof text, "ivbep_unc_cbo0::UNC_C_%s", expected[i].text);
        int idx = pfm_find_event(text);
        assert_int_equal(encode(text, 9, &arg), expected[i].code);
        assert_int_equal(idx < 0 ? idx : 0, expected[i].found ? 0 : expected[i].code);
    }
    assert_int_equal(pfm_find_event(NULL), -2);
    assert_int_equal(pfm_find_event(""), -4);
    assert_int_equal(pfm_find_event("ivbep_unc_cbo15::UNC_C_CLOCKTICKS"), -4);
    assert_int_equal(pfm_find_event("::UNC_C_CLOCKTICKS"), -4);
}

/* ---- environment ---- */

static bool present(int pmu)
{
    bx_pfmlib_pmu_info info = {0};
    assert_int_equal(pfm_get_pmu_info(pmu, &info), 0);
    return info.is_present;
}

static void test_forced_pmu(void **state)
{
    (void)state;
    start("P6,6,8", NULL, NULL);
    assert_true(present(6));
    assert_false(present(13) || present(115));
    assert_int_equal(pfm_find_event("CPU_CLK_UNHALTED"), pfm_find_event("p6::CPU_CLK_UNHALTED"));
    assert_true(pfm_find_event("CPU_CLK_UNHALTED") > 0);
    assert_int_equal(pfm_find_event("pii::CPU_CLK_UNHALTED"), -4);
    start("ivbep_unc_cbo3", "1", NULL);
    assert_true(present(118));
    assert_int_equal(pfm_find_event("UNC_C_CLOCKTICKS"), 118 << 21);
    assert_int_equal(pfm_find_event("ivbep_unc_cbo4::UNC_C_CLOCKTICKS"), 119 << 21);
    start("no_such_pmu", NULL, NULL);
    assert_false(present(6) || present(118));
}

static void test_disabled_pmu(void **state)
{
    (void)state;
    start("p6", NULL, "pii,p6");
    assert_false(present(6));
    start("p6", NULL, "p66,pii,");
    assert_true(present(6));
    start("ivbep_unc_cbo7", NULL, "IVBEP");
    assert_false(present(122));
}

static void test_inactive_pmus_need_leave(void **state)
{
    (void)state;
    start("no_such_pmu", NULL, NULL);
    assert_int_equal(pfm_find_event("p6::CPU_CLK_UNHALTED"), -4);
    assert_int_equal(pfm_find_event("p6::CPU_CLK_UNHALTED:nope"), -4);
    assert_int_equal(pfm_find_event("p6::CPU_CLK_UNHALTED,"), -2);
    start("no_such_pmu", "1", NULL);
    assert_int_equal(pfm_find_event("P6::CPU_CLK_UNHALTED") >> 21, 6);
    assert_int_equal(pfm_find_event("CPU_CLK_UNHALTED"), -4);
}

/* ---- sizes ---- */

static void test_sizes(void **state)
{
    (void)state;
    unsigned char bytes[32] = {0};
    assert_true(bx_pfmlib_sized(bytes, 0, 16));
    assert_true(bx_pfmlib_sized(bytes, 16, 16));
    assert_true(bx_pfmlib_sized(bytes, 32, 16));
    assert_false(bx_pfmlib_sized(bytes, 15, 16));
    bytes[31] = 1;
    assert_false(bx_pfmlib_sized(bytes, 32, 16));
    assert_true(bx_pfmlib_sized(bytes, 31, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before_initialize),
        cmocka_unit_test(test_every_error_has_its_own_text),
        cmocka_unit_test_setup(test_pmus, start_all),
        cmocka_unit_test_setup(test_every_event_is_found_by_its_name, start_all),
        cmocka_unit_test_setup(test_identifiers_that_are_none, start_all),
        cmocka_unit_test_setup(test_attributes_by_os_layer, start_all),
        cmocka_unit_test_setup(test_words_in_new_memory, start_all),
        cmocka_unit_test_setup(test_words_in_the_callers_memory, start_all),
        cmocka_unit_test_setup(test_older_call, start_all),
        cmocka_unit_test_setup(test_arguments_refused, start_all),
        cmocka_unit_test_setup(test_strings_refused, start_all),
        cmocka_unit_test(test_forced_pmu),
        cmocka_unit_test(test_disabled_pmu),
        cmocka_unit_test(test_inactive_pmus_need_leave),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
