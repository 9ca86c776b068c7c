/* The lines of a register log, and the machine that its header names. */
#include "explain/expect_report.h"

#include <errno.h>
#include <string.h>
#include <stdio.h>

static bx_reglog_access parsed(const char *line)
{
    bx_reglog_access a;
    bx_error e = {0};
    bool any;
    if (bx_reglog_parse(bx_str_of(line), &a, &any, &e))
        fail_msg("%s: %s", line, e.message);
    assert_true(any);
    return a;
}

/* One line of each kind is read, and written again. */
static void lines(void **state)
{
    (void)state;
    static const char *const all[] = {
        "cpu0 R 0x700 0x408834\n",
        "cpu12 W 0x0ce 0x0\n",
        "cpu3 W 0xc00 0xffffffffffffffff fault\n",
        "pci 00:00.0 R64 0x048 0xfed10001\n",
        "pci ff:1f.7 W8 0xfff 0x80\n",
        "mem R32 0xfed15050 0x12\n",
        "mem W16 0x0 0x0 fault\n",
        "cpu0 R 0x700 0x408834 @0\n",
        "cpu0 W 0x700 0x1 fault @18446744073709551615\n",
        "pci 00:00.0 R32 0x048 0x0 EACCES @12\n",
        "mem R32 0xfed15050 0x0 ENXIO\n",
        "cpu0 R 0x700 0x0 errno=33\n",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bx_buf again = {0};
        bx_reglog_access a = parsed(all[i]);
        bx_reglog_line(&again, &a);
        assert_string_equal(again.p, all[i]);
        bx_buf_free(&again);
    }
    bx_reglog_access a = parsed("pci 01:02.3 W32 0x048 0x7");
    assert_int_equal(a.at.space, BX_SPACE_PCI);
    assert_int_equal(a.at.offset, 1 << 20 | 2 << 15 | 3 << 12 | 0x48);
    assert_int_equal(a.at.width, 32);
    assert_true(a.write && !a.faulted);
    a = parsed("  cpu7   R  1792  8 ");
    assert_int_equal(a.at.space, BX_SPACE_MSR);
    assert_int_equal(a.at.cpu, 7);
    assert_int_equal(a.at.offset, 0x700);
    assert_int_equal(a.at.width, 64);
    assert_int_equal(a.value, 8);
    a = parsed("cpu0 R 0x700 0x0 EACCES @77");
    assert_true(a.faulted && a.timed);
    assert_int_equal(a.err, EACCES);
    assert_int_equal(a.time, 77);
    assert_int_equal(parsed("cpu0 R 0x700 0x0 fault").err, EIO);
    assert_int_equal(parsed("cpu0 R 0x700 0x0").err, 0);
}

static void nothing_in_it(void **state)
{
    (void)state;
    static const char *const all[] = {"", "   ", "# cpu0 R 0x700 0x0"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bx_reglog_access a;
        bool any = true;
        assert_int_equal(bx_reglog_parse(bx_str_of(all[i]), &a, &any, NULL), BX_OK);
        assert_false(any);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t at, len;
    } all[] = {
        {"cpux R 0x700 0x0", 0, 4},
        {"cpu65536 R 0x700 0x0", 0, 8},
        {"msr R 0x700 0x0", 0, 3},
        {"cpu0 R64 0x700 0x0", 5, 3},
        {"cpu0 r 0x700 0x0", 5, 1},
        {"cpu0 R 0x7g0 0x0", 7, 5},
        {"cpu0 R 0x100000000 0x0", 7, 11},
        {"cpu0 R 0x700", 12, 1},
        {"cpu0 R 0x700 zero", 13, 4},
        {"cpu0 R 0x700 0x0 faults", 17, 6},
        {"cpu0 R 0x700 0x0 fault 1", 23, 1},
        {"cpu0 R 0x700 0x0 @", 17, 1},
        {"cpu0 R 0x700 0x0 @x", 17, 2},
        {"cpu0 R 0x700 0x0 @1 fault", 20, 5},
        {"cpu0 R 0x700 0x0 @18446744073709551616", 17, 21},
        {"cpu0 R 0x700 0x0 errno=0", 17, 7},
        {"cpu0 R 0x700 0x0 errno=4096", 17, 10},
        {"cpu0 R 0x700 0x0 ENOSUCH", 17, 7},
        {"pci 0:20.0 R32 0x0 0x0", 4, 6},
        {"pci 00:00.0 R 0x0 0x0", 12, 1},
        {"pci 00:00.0 R24 0x0 0x0", 12, 3},
        {"pci 00:00.0 R32 0x1000 0x0", 16, 6},
        {"mem", 3, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bx_reglog_access a;
        bx_error e = {0};
        bool any;
        assert_int_equal(bx_reglog_parse(bx_str_of(all[i].line), &a, &any, &e), BX_BAD_INPUT);
        if (e.at != all[i].at || e.len != all[i].len || !*e.hint)
            fail_msg("%s: %zu, %zu: %s", all[i].line, e.at, e.len, e.message);
    }
}

/* Random bytes: accepted, or refused with the span in the line. */
static void any_bytes(void **state)
{
    (void)state;
    static const char words[][8] = {"cpu0", "cpu", "pci", "mem", "R", "W64",  "0x7", "00:00.0",
                                    ":",    ".",   " ",   "\t",  "#", "\xff", "0x",  "fault"};
    uint32_t random = 1;
    for (unsigned round = 0; round < 100000; round++) {
        char line[96] = "";
        for (unsigned i = 0; i < 8; i++) {
            random = random * 1664525 + 1013904223;
            strcat(line, words[random >> 28]);
            strcat(line, random >> 20 & 3 ? " " : "");
        }
        bx_reglog_access a;
        bx_error e = {0};
        bool any;
        if (bx_reglog_parse(bx_str_of(line), &a, &any, &e))
            assert_true(e.at + e.len <= strlen(line) + 1 && e.len);
    }
}

static void named(const char *header, const char *cpu, unsigned cores)
{
    bx_topology t;
    bx_error e = {0};
    if (bx_reglog_machine(bx_catalog_builtin(), bx_str_of(header), &t, &e))
        fail_msg("%s", e.message);
    assert_string_equal(bx_catalog_cpu_name(t.catalog, t.cpu), cpu);
    assert_int_equal(t.cores, cores);
}

static void whose(void **state)
{
    (void)state;
    named("# tool: x\n# machine: virtual:skl,cores=2\ncpu0 R 0x700 0x0\n", "skl", 2);
    named("# tool: x\n# CPU: CPUID signature 0x306E4 (06_3E)\n", "ivbep", 10);
    named("# CPUID signature 0x206E6\n# machine: virtual:skl\n", "nhmex", 8);
    static const char *const unknown[] = {"", "cpu0 R 0x700 0x0\n# machine: virtual:skl",
                                          "# CPUID signature 0x50654\n", "# machine: \n"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        bx_topology t;
        bx_error e = {0};
        assert_int_equal(bx_reglog_machine(bx_catalog_builtin(), bx_str_of(unknown[i]), &t, &e),
                         BX_NOT_FOUND);
        assert_true(*e.message);
    }
}

/* CPUs of Linux arch/x86/include/asm/intel-family.h that the catalogue does not have. */
static void relatives(void **state)
{
    (void)state;
    static const struct {
        const char *signature, *near;
    } rows[] = {
        {"0x50663", "virtual:ivbep"}, /* Broadwell-DE */
        {"0x006E8", "virtual:pm"},    /* Core Duo */
        {"0x600F20", "the machine virtual:CPU"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_topology t;
        bx_error e = {0};
        char text[64];
        snprintf(text, sizeof text, "# CPUID signature %s\n", rows[i].signature);
        assert_int_equal(bx_reglog_machine(bx_catalog_builtin(), bx_str_of(text), &t, &e),
                         BX_NOT_FOUND);
        assert_non_null(strstr(e.hint, rows[i].near));
    }
}

/* A log of a CPU that no model imitates has its own registers. */
static void without_a_model(void **state)
{
    (void)state;
    static const struct {
        const char *signature, *cpu;
    } rows[] = {{"0x306C3", "hsw"}, {"0x306F2", "hsx"}, {"0x206F2", "wsmex"}, {"0x906ED", "kbl"}};
    const bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_topology t;
        char text[64];
        snprintf(text, sizeof text, "# CPUID signature %s\n", rows[i].signature);
        assert_int_equal(bx_reglog_machine(c, bx_str_of(text), &t, NULL), BX_OK);
        assert_string_equal(bx_cat_z(c, bx_cat_cpus(c)[t.cpu].name), rows[i].cpu);
    }
}

/* The machine in the header is read. */
static void header(void **state)
{
    (void)state;
    bx_topology t, again;
    bx_buf text = {0};
    assert_int_equal(
        bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl,cores=3,slices=2"), &t, NULL),
        BX_OK);
    bx_reglog_header(&text, &t, "rdmsr 0x396");
    assert_int_equal(
        bx_reglog_machine(bx_catalog_builtin(), (bx_str){text.p, text.n}, &again, NULL), BX_OK);
    assert_int_equal(again.cores, 3);
    assert_int_equal(bx_topology_shape(&again, "slices"), 2);
    assert_non_null(strstr(text.p, "# command: rdmsr 0x396\n"));
    for (bx_str rest = {text.p, text.n}; rest.p;) { /* nothing but comments */
        bx_str line = bx_str_cut(&rest, '\n');
        assert_true(!line.n || line.p[0] == '#');
    }
    bx_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),           cmocka_unit_test(nothing_in_it),
        cmocka_unit_test(refused),         cmocka_unit_test(any_bytes),
        cmocka_unit_test(whose),           cmocka_unit_test(relatives),
        cmocka_unit_test(without_a_model), cmocka_unit_test(header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
