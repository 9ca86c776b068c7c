/* pfm_get_os_event_encoding() for Linux perf. */
#include "../cmocked.h"

#include "pfm/calls.h"
#include "pfm/perf_attr.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int start(void **state)
{
    (void)state;
    setenv("BOXSCORE_LIBPFM", "", 1);
    unsetenv("LIBPFM_FORCE_PMU");
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    return pfm_initialize();
}

static int encode(const char *text, int os, struct perf_event_attr *attr, bx_pfmlib_perf_arg *arg,
                  char **fstr)
{
    memset(attr, 0, sizeof *attr);
    attr->size = sizeof *attr;
    attr->exclude_hv = 1;
    *fstr = NULL;
    *arg = (bx_pfmlib_perf_arg){.attr = attr, .fstr = fstr, .size = sizeof *arg, .flags = -77};
    return pfm_get_os_event_encoding(text, 9, os, arg);
}

/* The strings and exclusions are the answers of Debian's libpfm4 4.13 for i386. The raw
 * configuration is the control register without levels, interrupt and enable. */
static void test_core(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int os;
        uint64_t config;
        int user, kernel, guest, host; /* excluded */
        const char *fstr;
    } expected[] = {
        {"p6::L2_LD:M:e=1:c=2", 1, 0x2040829, 0, 0, 1, 0,
         "p6::L2_LD:M:e=1:i=0:c=2:u=1:k=1:mg=0:mh=1"},
        {"p6::CPU_CLK_UNHALTED:u", 1, 0x79, 0, 1, 1, 0,
         "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=1:k=0:mg=0:mh=1"},
        {"p6::CPU_CLK_UNHALTED:u=0", 1, 0x79, 1, 1, 1, 0,
         "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=0:k=0:mg=0:mh=1"},
        {"p6::CPU_CLK_UNHALTED:mh:mg", 1, 0x79, 0, 0, 0, 0,
         "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=1:k=1:mg=1:mh=1"},
        {"p6::CPU_CLK_UNHALTED:mg=0", 1, 0x79, 0, 0, 0, 1,
         "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=1:k=1:mg=1:mh=0"},
        {"p6::CPU_CLK_UNHALTED:mh=0", 1, 0x79, 0, 0, 1, 0,
         "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=1:k=1:mg=0:mh=1"},
        {"p6::CPU_CLK_UNHALTED:mg:i", 2, 0x800079, 0, 0, 0, 1,
         "p6::CPU_CLK_UNHALTED:e=0:i=1:c=0:u=1:k=1:excl=0:mg=1:mh=0"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct perf_event_attr attr;
        bx_pfmlib_perf_arg arg;
        char *fstr;
        assert_int_equal(encode(expected[i].text, expected[i].os, &attr, &arg, &fstr), 0);
        assert_int_equal(attr.type, PERF_TYPE_RAW);
        assert_int_equal(attr.config, expected[i].config);
        assert_int_equal(attr.exclude_user, expected[i].user);
        assert_int_equal(attr.exclude_kernel, expected[i].kernel);
        assert_int_equal(attr.exclude_guest, expected[i].guest);
        assert_int_equal(attr.exclude_host, expected[i].host);
        assert_int_equal(attr.exclude_hv, 0);
        assert_string_equal(fstr, expected[i].fstr);
        assert_int_equal(arg.cpu, -1);
        assert_int_equal(arg.flags, -77);
        free(fstr);
    }
}

static void test_extended_terms(void **state)
{
    (void)state;
    struct perf_event_attr attr;
    bx_pfmlib_perf_arg arg;
    char *fstr;
    assert_int_equal(
        encode("p6::CPU_CLK_UNHALTED:period=1000:cpu=3:excl:pinned=y", 2, &attr, &arg, &fstr), 0);
    assert_int_equal(attr.sample_period, 1000);
    assert_int_equal(attr.freq, 0);
    assert_true(attr.exclusive && attr.pinned);
    assert_int_equal(arg.cpu, 3);
    assert_string_equal(fstr,
                        "p6::CPU_CLK_UNHALTED:e=0:i=0:c=0:u=1:k=1:period=1000:excl=1:mg=0:mh=1");
    free(fstr);
    assert_int_equal(encode("p6::CPU_CLK_UNHALTED:freq=0x10", 2, &attr, &arg, &fstr), 0);
    assert_int_equal(attr.sample_freq, 16);
    assert_int_equal(attr.freq, 1);
    free(fstr);
}

static void test_terms_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int os, code;
    } expected[] = {
        {"p6::CPU_CLK_UNHALTED:period=1000", 1, -8},
        {"p6::CPU_CLK_UNHALTED:precise=1", 2, -8},
        {"p6::CPU_CLK_UNHALTED:freq=1000:period=3", 2, -9},
        {"p6::CPU_CLK_UNHALTED:period", 2, -9},
        {"p6::CPU_CLK_UNHALTED:period=x", 2, -9},
        {"p6::CPU_CLK_UNHALTED:u=2", 1, -9},
        {"p6::CPU_CLK_UNHALTED:u:u=0", 1, -10},
        {"ivbep_unc_cbo0::UNC_C_RING_SRC_THRTL:u", 2, -8},
        {"ivbep_unc_cbo0::UNC_C_LLC_VICTIMS", 1, -6},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct perf_event_attr attr, before;
        bx_pfmlib_perf_arg arg;
        char *fstr;
        memset(&before, 0, sizeof before);
        before.size = sizeof before;
        before.exclude_hv = 1;
        assert_int_equal(encode(expected[i].text, expected[i].os, &attr, &arg, &fstr),
                         expected[i].code);
        assert_memory_equal(&attr, &before, sizeof attr);
        assert_null(fstr);
    }
    bx_pfmlib_perf_arg none = {0};
    assert_int_equal(pfm_get_os_event_encoding("p6::MUL", 9, 1, &none), -2);
    assert_int_equal(pfm_get_perf_event_encoding("p6::MUL", 9, NULL, NULL, NULL), -2);
}

static void test_older_call(void **state)
{
    (void)state;
    struct perf_event_attr attr = {0};
    char *fstr = NULL;
    int idx = 0;
    assert_int_equal(pfm_get_perf_event_encoding("p6::MUL:k", 9, &attr, &fstr, &idx), 0);
    assert_int_equal(attr.config, 0x12);
    assert_true(attr.exclude_user);
    assert_int_equal(idx, pfm_find_event("p6::MUL"));
    assert_string_equal(fstr, "p6::MUL:e=0:i=0:c=0:u=0:k=1:excl=0:mg=0:mh=1");
    free(fstr);
}

/* ---- the C-Box: its perf type is the kernel's ---- */

static void make(char *path, const char *more)
{
    strcat(path, more);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void test_type_of_a_kernel_pmu(void **state)
{
    (void)state;
    char root[] = "/tmp/boxscore-pfm-XXXXXX", path[256];
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *box = bx_pfmlib_by_id(s, 118), *core = bx_pfmlib_by_id(s, 6);
    uint32_t type = 0;
    assert_non_null(mkdtemp(root));
    assert_int_equal(bx_pfmlib_perf_type(s, box, root, &type), BX_PFMLIB_NOTSUPP);
    assert_int_equal(bx_pfmlib_perf_type(s, core, root, &type), 0);
    assert_int_equal(type, PERF_TYPE_RAW);

    strcpy(path, root);
    make(path, "/sys");
    make(path, "/bus");
    make(path, "/event_source");
    make(path, "/devices");
    make(path, "/uncore_cbox_3");
    strcat(path, "/type");
    FILE *f = fopen(path, "w");
    fputs("23\n", f);
    fclose(f);
    assert_int_equal(bx_pfmlib_perf_type(s, box, root, &type), 0);
    assert_int_equal(type, 23);

    unlink(path);
    for (int i = 0; i < 6; i++) {
        *strrchr(path, '/') = 0;
        rmdir(path);
    }
}

/* Linux, uncore_snbep.c, formats of the C-Box: filter_tid is config1:0-4, filter_nid config1:32-47,
 * filter_opc config1:52-60. */
static void test_filters_of_the_box(void **state)
{
    (void)state;
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *box = bx_pfmlib_by_id(s, 115);
    const char *text = "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=1:tf=1:cf=3:e:t=7";
    struct perf_event_attr attr = {0};
    bx_pfmlib_perf perf = {0};
    bx_pfm_code code;
    bx_error e = {0};
    assert_int_equal(bx_pfm_encode(s->catalog, -1, bx_str_of(text), 9, &code, &e), 0);
    bx_pfmlib_perf_fill(s, box, &code, &perf, 0, 23, &attr);
    assert_int_equal(attr.type, 23);
    assert_int_equal(attr.config, 0x70c4135);
    assert_int_equal(attr.config1, UINT64_C(0x180) << 52 | UINT64_C(1) << 32 | 7);
    assert_false(attr.exclude_user || attr.exclude_kernel || attr.exclude_guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core),
        cmocka_unit_test(test_extended_terms),
        cmocka_unit_test(test_terms_refused),
        cmocka_unit_test(test_older_call),
        cmocka_unit_test(test_type_of_a_kernel_pmu),
        cmocka_unit_test(test_filters_of_the_box),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
