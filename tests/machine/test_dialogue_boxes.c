/* Register dialogues with the C-Box of Ivy Bridge-EP and with the P6 family: filters, packages,
 * privilege levels, RDPMC. Addresses and bits: Intel 329468-002; SDM volume 3, P6 family; document
 * 002 section 6.3. The commands: docs/reference/dialogue.md. */
#include "../cmocked.h"

#include "player.h"

#include <stdio.h>

static struct player p;

static const char *played(const char *text)
{
    return player_says(&p, text);
}

static int set_up_ivbep(void **state)
{
    (void)state;
    player_open(&p, "virtual:ivbep,part=plain");
    return 0;
}

static int set_up_p6(void **state)
{
    (void)state;
    player_open(&p, "virtual:p6,part=plain");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    player_close(&p);
    return 0;
}

/* ---- the C-Box ---- */

static void test_a_c_box_of_each_package(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0xe30 0x400835 # C-Box 9, counter 0\n"
                               "wrmsr 19 0xe30 0x400835\n"
                               "signal ivbep_unc_cbo9 0x35 8 3 100\n"
                               "signal ivbep_unc_cbo9@1 0x35 8 1 100\n"
                               "rdmsr 5 0xe36\nrdmsr 10 0xe36\n"
                               "rdmsr 0 0xe44 # there is no C-Box 10"),
                        "0x12c\n0x64\n#GP\n");
}

static void test_box_control(void **state)
{
    (void)state;
    assert_string_equal(played("rdmsr 0 0xd04\n"
                               "wrmsr 0 0xd10 0x400835\nwrmsr 0 0xd16 0x123\n"
                               "wrmsr 0 0xd04 0x100\nrdmsr 0 0xd04\n"
                               "signal ivbep_unc_cbo0 0x35 8 1 10\nrdmsr 0 0xd16\n"
                               "wrmsr 0 0xd04 0x2\nrdmsr 0 0xd16\nrdmsr 0 0xd10\n"
                               "wrmsr 0 0xd04 0x1\nrdmsr 0 0xd10\n"
                               "wrmsr 0 0xd04 0x4"),
                        "0x30000\n0x30100\n0x123\n0x0\n0x400835\n0x0\n#GP\n");
}

/* Each key alone: the counter's selection, and a value that matches and one that does not. */
static const struct key {
    const char *select, *filter0, *filter1, *signal, *yes, *no;
} keys[] = {
    {"0x400135", "0", "0x18000000", "0x35 0x01", "opc=0x180", "opc=0x182"},
    {"0x404135", "0", "0x2", "0x35 0x41", "nid=2", "nid=1"},
    {"0x404135", "0", "0x6", "0x35 0x41", "nf=4", "nf=0x9"},
    {"0x480835", "0x1", "0", "0x35 0x08", "tid=1", "tid=0"},
    {"0x480835", "0x1", "0", "0x35 0x08", "tf=1", "tf=0"},
    {"0x480835", "0xb", "0", "0x35 0x08", "core=5", "core=4"},
    {"0x480835", "0xb", "0", "0x35 0x08", "cf=5", "cf=0"},
    {"0x480835", "0xb", "0", "0x35 0x08", "tid=0xb", "tid=0xa"},
    {"0x480835", "0xb", "0", "0x35 0x08", "tid=1 core=5", "tid=1 core=7"},
    {"0x480835", "0x0", "0", "0x35 0x08", "tid=0 core=0", "core=1"},
    {"0x480835", "0x10", "0", "0x35 0x08", "other=1", "other=0"},
    {"0x480835", "0x10", "0", "0x35 0x08", "tid=0x10", "tid=0xf"},
    {"0x401134", "0x200000", "0", "0x34 0x11", "state=0x10", "state=0x2f"},
    {"0x401134", "0x7e0000", "0", "0x34 0x11", "state=0x20", "state=0"},
    {"0x400336", "0", "0x40000000", "0x36 0x03", "nc=1", "nc=0"},
    {"0x400336", "0", "0x80000000", "0x36 0x03", "isoc=1", "isoc=0"},
    {"0x404135", "0", "0x1c800003", "0x35 0x41", "opc=0x1c8 nid=1", "opc=0x1c8 nid=4"},
    {"0x404135", "0", "0x1c800003", "0x35 0x41", "OPC=0x1c8", "nid=3 opc=0x1c9"},
};

static void test_each_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const struct key *k = &keys[i];
        char text[512];
        snprintf(text, sizeof(text),
                 "wrmsr 0 0xd14 %s\nwrmsr 0 0xd1a %s\nwrmsr 0 0xd16 0\nwrmsr 0 0xd10 %s\n"
                 "signal ivbep_unc_cbo0 %s 2 5 %s\nrdmsr 0 0xd16\n"
                 "signal ivbep_unc_cbo0 %s 2 5 %s\nrdmsr 0 0xd16\n"
                 "signal ivbep_unc_cbo0 %s 2 5\nrdmsr 0 0xd16",
                 k->filter0, k->filter1, k->select, k->signal, k->yes, k->signal, k->no, k->signal);
        assert_string_equal(played(text), "0xa\n0xa\n0x14\n");
    }
}

/* Without an opcode, or TID_EN, nothing is filtered. */
static void test_filters_that_are_off(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0xd14 0xb\nwrmsr 0 0xd10 0x400135\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x180 tid=0 core=2\n"
                               "rdmsr 0 0xd16\n"
                               "wrmsr 0 0xd10 0x480135\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x180 tid=0 core=2\n"
                               "rdmsr 0 0xd16"),
                        "0x8\n0x8\n");
}

/* Signals that differ in a key are different, so the second one is a new edge. */
static void test_rises_of_signals_with_keys(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0xd10 0x1440135\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x180\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x180\n"
                               "rdmsr 0 0xd16\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x180\n"
                               "signal ivbep_unc_cbo0 0x35 1 1 8 opc=0x182\n"
                               "rdmsr 0 0xd16"),
                        "0x1\n0x3\n");
}

static const struct bad_line bad_ivbep[] = {
    {"signal ivbep_unc_cbo0 0x35 1 1 5 addr=1", 33, 4, "no filter 'addr'",
     "there are thread, core, other"},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 cpl=3", 33, 3, "no filter 'cpl'", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 link=1", 33, 4, "no filter 'link'", "state, nid, opc"},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 t=1", 33, 1, "no filter 't'", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 opc=0x200", 37, 5, "over 0x1ff", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 core=8", 38, 1, "over 0x7", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 tid=0x20", 37, 4, "over 0x1f", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 opc=", 37, 0, "not a number", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 opc", 36, 0, "not a number", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 opc=1 opc=2", 39, 3, "'opc' is given twice", ""},
    {"signal ivbep_unc_cbo0 0x35 1 1 5 nid=1 nf=1", 39, 2, "'nf' is given twice", ""},
    {"signal ivbep_unc_cbo10 0x35 1 1 5", 7, 15, "no unit", "'ivbep_unc_cbo9'"},
    {"signal ivbep_unc_cbo0@2 0x35 1 1 5", 22, 1, "over 0x1", ""},
    {"signal ivbep_unc_ubo 0 0 1 5", 7, 13, "no PMU with counters", "'ivbep_unc_cbo'"},
};

static void test_bad_lines_of_a_c_box(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_ivbep) / sizeof(*bad_ivbep); i++)
        player_refuses(&p, &bad_ivbep[i]);
    assert_string_equal(played("rdpmc 0 8 pce=1"), "#GP\n"); /* the core has eight */
}

/* ---- P6 ---- */

/* The unit is the CPU; the PMU's name ends in a digit. */
static void test_the_p6_is_a_unit(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0x186 0x4300c5\n"
                               "signal p6 0xc5 0 2 10\nrdmsr 0 0xc1\n"
                               "signal p60 0xc5 0 1 10\nrdmsr 0 0xc1\n"
                               "signal p6@0 0xc5 0 1 1\nrdmsr 0 0xc1\n"
                               "wrmsr 0 0x187 0x4100c5\n"
                               "signal p6 0xc5 0 1 10 cpl=3\nrdmsr 0 0xc2\n"
                               "signal p6 0xc5 0 1 10 cpl=1\nrdmsr 0 0xc2\n"
                               "signal p6 0xc5 0 1 10 cpl=0\nrdmsr 0 0xc2\nrdmsr 0 0xc1"),
                        "0x14\n0x1e\n0x1f\n0xa\n0x14\n0x14\n0x3d\n");
}

static void test_an_interrupt_of_the_p6(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0xc2 0xfffffffe\nrdmsr 0 0xc2\n"
                               "wrmsr 0 0x187 0x1300c5\nwrmsr 0 0x186 0x400000\n"
                               "signal p6 0xc5 0 1 5\nrdmsr 0 0xc2\nrdmsr 0 0x187\n"
                               "wrmsr 0 0x187 0x5300c5\nrdmsr 0 0x187\n"
                               "wrmsr 0 0x187 0x200000"),
                        "0xfffffffffe\nPMI core=0\n0x3\n0x1300c5\n0x1300c5\n#GP\n");
}

/* Every state of the CPU: CPL 0 is always allowed, else CR4.PCE decides; real mode is CPL 0,
 * virtual-8086 mode CPL 3; ECX is 0 or 1. */
static void test_rdpmc(void **state)
{
    (void)state;
    static const char *const modes[] = {"protected", "real", "v86"};
    played("wrmsr 0 0xc1 0x80000123\nwrmsr 0 0xc2 0x456");
    for (unsigned mode = 0; mode < 3; mode++)
        for (unsigned cpl = 0; cpl < 4; cpl++)
            for (unsigned pce = 0; pce < 2; pce++)
                for (unsigned ecx = 0; ecx < 3; ecx++) {
                    bool allowed = mode == 0 ? cpl == 0 || pce : mode == 1 || pce;
                    char line[80];
                    snprintf(line, sizeof(line), "rdpmc 0 %u cpl=%u mode=%s pce=%u", ecx, cpl,
                             modes[mode], pce);
                    assert_string_equal(played(line), !allowed || ecx == 2 ? "#GP\n"
                                                      : ecx == 0           ? "0xff80000123\n"
                                                                           : "0x456\n");
                }
    assert_string_equal(played("rdpmc 0 0\nrdpmc 0 1\nrdpmc 0 2\nrdpmc 0 0x40000000\n"
                               "rdpmc 0 0x80000000\nrdpmc 0 0xffffffff pce=1\n"
                               "rdpmc 0 0 cpl=3\nrdpmc 0 0 pce=1 cpl=3\nrdpmc 0 0 mode=v86\n"
                               "rdpmc 0 1 cpl=0 mode=v86 pce=1\nrdpmc 0 1 cpl=3 mode=real"),
                        "0xff80000123\n0x456\n#GP\n#GP\n#GP\n#GP\n#GP\n0xff80000123\n#GP\n"
                        "0x456\n0x456\n");
}

static const struct bad_line bad_p6[] = {
    {"signal p6 0xc0 0 1 5 cpl=4", 25, 1, "over 0x3", ""},
    {"signal p6 0xc0 0 1 5 opc=4", 21, 3, "no filter 'opc'", "there is cpl"},
    {"signal p61 0xc0 0 1 5", 7, 3, "no unit 'p61'", "'p60'"},
    {"signal p7 0xc0 0 1 5", 7, 1, "no PMU with counters", "'p6'"},
    {"rdpmc 0 0x100000000", 8, 11, "over 0xffffffff", ""},
    {"rdpmc 0 0 mode=smm", 10, 8, "'mode=smm'", "mode=real"},
    {"rdpmc 0 0 cpl", 10, 3, "'cpl'", "cpl=0"},
    {"rdpmc 0 0 pce=2", 10, 5, "'pce=2'", "pce=0"},
    {"rdpmc 1 0", 6, 1, "no CPU 1", "CPUs 0 to 0"},
};

static void test_bad_lines_of_a_p6(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_p6) / sizeof(*bad_p6); i++)
        player_refuses(&p, &bad_p6[i]);
}

#define IVBEP(name) cmocka_unit_test_setup_teardown(name, set_up_ivbep, tear_down)
#define P6(name)    cmocka_unit_test_setup_teardown(name, set_up_p6, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IVBEP(test_a_c_box_of_each_package),
        IVBEP(test_box_control),
        IVBEP(test_each_key),
        IVBEP(test_filters_that_are_off),
        IVBEP(test_rises_of_signals_with_keys),
        IVBEP(test_bad_lines_of_a_c_box),
        P6(test_the_p6_is_a_unit),
        P6(test_an_interrupt_of_the_p6),
        P6(test_rdpmc),
        P6(test_bad_lines_of_a_p6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
