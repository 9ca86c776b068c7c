/* Register dialogues with the Xeon 7500: units, ports, counters, patterns, freeze. Addresses and
 * bits: 323535-001. The commands: docs/reference/dialogue.md. */
#include "../cmocked.h"

#include "player.h"

#include <stdio.h>

static struct player p;

static const char *played(const char *text)
{
    return player_says(&p, text);
}

static int set_up(void **state)
{
    (void)state;
    player_open(&p, "virtual:nhmex,part=plain,packages=2");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    player_close(&p);
    return 0;
}

/* Port 6 of the package is the third port of the right half. */
static void test_ports(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 8 0xc00 0x10000000\nwrmsr 8 0xe20 0x81\n"
                               "wrmsr 8 0xe0a 0x220000\n"
                               "wrmsr 8 0xe30 0x19 # counter 8: IPERF0 of the port\n"
                               "wrmsr 8 0xe3e 0x31 # counter 15: IPERF0 of the first one\n"
                               "signal nhmex_unc_rbox1@1 1 0x220000 1 5 port=6\n"
                               "signal nhmex_unc_rbox1@1 1 0x220000 1 5 port=7\n"
                               "signal nhmex_unc_rbox1@1 1 0x220000 1 5\n"
                               "signal nhmex_unc_rbox1 1 0x220000 1 5 port=6\n"
                               "rdmsr 8 0xe31\nrdmsr 8 0xe3f"),
                        "0x5\n0x0\n");
}

static void test_counters_of_a_b_box(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0xc00 0x10000000\nwrmsr 0 0xc60 0xf\n"
                               "wrmsr 0 0xc70 0x3\nwrmsr 0 0xc72 0x3\nwrmsr 0 0xc76 0xd\n"
                               "signal nhmex_unc_bbox1 1 0 2 5\n"
                               "signal nhmex_unc_bbox1 1 0 3 5 ctr=1\n"
                               "signal nhmex_unc_bbox1 6 0 4 5 ctr=3\n"
                               "rdmsr 0 0xc71\nrdmsr 0 0xc73\nrdmsr 0 0xc77"),
                        "0xa\n0xf\n0x14\n");
}

/* Each key alone: registers, control of counter 0, a value that matches and one that does not. */
static const struct key {
    const char *registers, *control, *value, *signal, *yes, *no;
} keys[] = {
    {"wrmsr 0 0xe45 0x1234\nwrmsr 0 0xe46 0xfff", "0xc32 0x9", "0xc33", "nhmex_unc_bbox0 4 0",
     "ctr=1 opc=3", "ctr=0"},
    {"wrmsr 0 0xe45 0x1234\nwrmsr 0 0xe46 0xfff", "0xc34 0x9", "0xc35", "nhmex_unc_bbox0 4 0",
     "ctr=2 addr=0x5234", "ctr=2 addr=0x1235"},
    {"wrmsr 0 0xe45 0xe00000000000\nwrmsr 0 0xe46 0xf00000000000", "0xc32 0x3", "0xc33",
     "nhmex_unc_bbox0 1 0", "ctr=1 mc=14", "ctr=1 mc=2"},
    {"wrmsr 0 0xe45 0xe000000000000\nwrmsr 0 0xe46 0xf000000000000", "0xc32 0x5", "0xc33",
     "nhmex_unc_bbox0 2 0", "ctr=1 mc=14", "ctr=1 mc=2"},
    {"wrmsr 0 0xe49 0x800000000003\nwrmsr 0 0xe4a 0x7ffffffffe\n"
     "wrmsr 0 0xe48 0x8000000000000000",
     "0xc50 0x400000", "0xc51", "nhmex_unc_sbox0 0 0", "mc=0x10 hnid=3", "mc=0x10 hnid=2"},
    {"wrmsr 0 0xe60 0x210000\nwrmsr 0 0xe61 0x1c80\nwrmsr 0 0xe62 0x1fe0", "0xe10 0x9", "0xe11",
     "nhmex_unc_rbox0 3 0", "mc=14 opc=4", "mc=14 opc=5"},
    {"wrmsr 0 0xe70 0x210000\nwrmsr 0 0xe71 0x10\nwrmsr 0 0xe72 0x18", "0xe10 0xb", "0xe11",
     "nhmex_unc_rbox0 3 0", "vnw=2", "vnw=0 port=0"},
    {"wrmsr 0 0xcab 0x2820", "0xcb0 0x1a41", "0xcb1", "nhmex_unc_mbox0 0xd 5", "bcmd=1", "bcmd=0"},
    {"wrmsr 0 0xcab 0x2800", "0xcb0 0x1a41", "0xcb1", "nhmex_unc_mbox0 0xd 5", "bcmd=0", "bcmd=1"},
    {"wrmsr 0 0xca7 0x103", "0xcb0 0x3000c1", "0xcb1", "nhmex_unc_mbox0 0x26 8", "fvid=3",
     "fvid=4"},
};

static void test_each_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const struct key *k = &keys[i];
        char text[1024];
        player_close(&p);
        player_open(&p, "virtual:nhmex,part=plain");
        snprintf(text, sizeof(text),
                 "wrmsr 0 0xc00 0x10000000\nwrmsr 0 0xc20 0xf\nwrmsr 0 0xc40 0xf\n"
                 "wrmsr 0 0xe00 0xff\nwrmsr 0 0xca0 0x3f\n%s\nwrmsr 0 %s\n"
                 "signal %s 2 5 %s\nrdmsr 0 %s\nsignal %s 2 5 %s\nrdmsr 0 %s",
                 k->registers, k->control, k->signal, k->yes, k->value, k->signal, k->no, k->value);
        assert_string_equal(played(text), "0xa\n0xa\n");
    }
}

static const struct bad_line bad[] = {
    {"signal nhmex_unc_rbox0 1 1 1 5 port=5", 36, 1, "port 5 is of unit 1", "ports 0 to 3"},
    {"signal nhmex_unc_rbox1 1 1 1 5 port=8", 36, 1, "over 0x7", ""},
    {"signal nhmex_unc_rbox1 1 1 1 5 port=4 port=4", 38, 4, "'port' is given twice", ""},
    {"signal nhmex_unc_rbox1 1 1 1 5 ctr=4", 31, 3, "no filter 'ctr'", "there are port, flit"},
    {"signal nhmex_unc_bbox1 1 1 1 5 ctr=4", 35, 1, "over 0x3", ""},
    {"signal nhmex_unc_bbox1 1 1 1 5 addr_mask=4", 31, 9, "no filter", "ctr, addr, mc"},
    {"signal nhmex_unc_cbox0 1 1 1 5 opc=4", 31, 3, "no filter 'opc'", ""},
    {"signal nhmex_unc_cbox8 1 1 1 5", 7, 15, "no unit", "'nhmex_unc_cbox7'"},
};

static void test_bad_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        player_refuses(&p, &bad[i]);
}

static void test_the_freeze(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 3 0xd11 0xfffffffffff0\nwrmsr 3 0xd10 0x500f15\n"
                               "wrmsr 3 0xd00 1\nwrmsr 3 0xc00 0x9000000a\n"
                               "signal nhmex_unc_cbox0 0x15 0x0f 1 100\n"
                               "rdmsr 3 0xd11\nrdmsr 3 0xc00\nrdmsr 3 0xc01\nrdmsr 3 0xc43\n"
                               "wrmsr 3 0xd02 1\nrdmsr 3 0xc01\nwrmsr 3 0xe49 1\n"
                               "wrmsr 3 0xe48 0x8000000000000000\nwrmsr 3 0xe49 1"),
                        "PMI core=0\nPMI core=2\n0x20\n0x8000000a\n0xc0000008\n0x4\n"
                        "0xc0000000\n#GP\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ports),     TEST(test_counters_of_a_b_box), TEST(test_each_key),
        TEST(test_bad_lines), TEST(test_the_freeze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
