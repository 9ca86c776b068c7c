/* Register dialogues: commands and their output. Addresses and bits: 334060-001 tables 2-1 to 2-8
 * and 3-3; the commands: docs/reference/dialogue.md. */
#include "../cmocked.h"

#include "player.h"

#include <stdlib.h>

static struct player p;

static int set_up(void **state)
{
    (void)state;
    player_open(&p, "virtual:skl,part=plain");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    player_close(&p);
    return 0;
}

static const char *played(const char *text)
{
    return player_says(&p, text);
}

static void test_a_counter_counts_a_signal(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0x700 0x401134  # READ, state M\n"
                               "wrmsr 0 0xe01 0x20000000\n"
                               "rdmsr 0 0x706\n"
                               "signal skl_unc_cbo0 0x34 0x11 3 100\n"
                               "rdmsr 3 0x706\n"
                               "wrmsr 0 0xe01 0\n"
                               "signal skl_unc_cbo0 0x34 0x11 3 100\n"
                               "rdmsr 0 0x706\n"),
                        "0x0\n0x12c\n0x12c\n");
}

static void test_numbers_are_in_c_notation(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 00 1798 0x7FF\nrdmsr 0x1 0x706\nrdmsr 2 03406"),
                        "0x7ff\n0x7ff\n");
}

static void test_blanks_and_comments(void **state)
{
    (void)state;
    assert_string_equal(played("\n   \n# nothing\n\t rdmsr\t0   0x396 \r\nrdmsr 0 0x396#none"),
                        "0x5\n0x5\n");
}

static void test_faults(void **state)
{
    (void)state;
    assert_string_equal(played("rdmsr 0 0x702\n"
                               "wrmsr 0 0x396 5\n"
                               "wrmsr 0 0x700 0x200000 # bit 21\n"
                               "wrmsr 0 0x706 0x100000000000 # bit 44\n"
                               "rdmsr 0 0xffffffff\n"
                               "rdmsr 0 0x700"),
                        "#GP\n#GP\n#GP\n#GP\n#GP\n0x0\n");
}

/* A core has eight general and three fixed counters, and none of the uncore's. */
static void test_rdpmc_faults(void **state)
{
    (void)state;
    assert_string_equal(played("rdpmc 0 7\nrdpmc 3 0x40000002 cpl=3 pce=1 mode=protected\n"
                               "rdpmc 0 8 mode=real\nrdpmc 0 0x40000003 mode=real\n"
                               "rdpmc 0 0 cpl=3 mode=protected"),
                        "0x0\n0x0\n#GP\n#GP\n#GP\n");
}

static void test_memory_controller(void **state)
{
    (void)state;
    assert_string_equal(played("rdpci 0:0.0 0x48 4\n"
                               "rdpci 0:0.0 0x4c 4\n"
                               "rdpci 0:0.0 0x48 8\n"
                               "rdpci 0:0x1f.7 0 2\n"
                               "signal skl_unc_imc 0x5050 0 7 10\n"
                               "signal skl_unc_imc0 0x5054 0 2 10\n"
                               "rdmem 0xfed15050 4\n"
                               "rdmem 0xfed15050 8\n"
                               "rdmem 0xfed15051 1\n"
                               "rdmem 0xfed15000 2\n"
                               "rdmem 0x1000 4"),
                        "0xfed10001\n0x0\n0xfed10001\n0xffff\n"
                        "0x46\n0x1400000046\n0x0\n0x0\n0xffffffff\n");
}

/* The memory controller's base and counts are read-only (334060-001 section 2.4). The functions of
 * Ivy Bridge-EP's other boxes keep what is written, byte by byte. */
static void test_pci_and_memory_writes(void **state)
{
    (void)state;
    assert_string_equal(played("wrpci 0:0.0 0x48 4 0xfed20001\n"
                               "rdpci 0:0.0 0x48 4\n"
                               "wrmem 0xfed15050 4 5\n"
                               "rdmem 0xfed15050 4\n"
                               "wrpci 0:0x1f.7 0 2 1\n"
                               "wrmem 0x1000 8 0xffffffffffffffff"),
                        "0xfed10001\n0x0\n");
    struct player server;
    player_open(&server, "virtual:ivbep,part=plain");
    assert_string_equal(player_says(&server, "wrpci 63:14.1 0xd8 4 0x400304\n"
                                             "wrpci 63:14.1 0xd9 1 0x55\n"
                                             "rdpci 63:14.1 0xd8 4\n"
                                             "wrpci 63:14.1 0xa0 8 0x123456789abcdef0\n"
                                             "rdpci 63:14.1 0xa4 4"),
                        "0x405504\n0x12345678\n");
    player_close(&server);
}

static void test_the_clock(void **state)
{
    (void)state;
    assert_string_equal(
        played("wrmsr 0 0x394 0x400000\n"
               "cycles 50\n"
               "rdmsr 0 0x395\n"
               "wrmsr 0 0xe01 0x20000000\n"
               "cycles 1000000000000\n"
               "rdmsr 0 0x395\n"
               "signal skl_unc_clock 0 0 1 16\n" /* in addition to the clock itself */
               "rdmsr 0 0x395"),
        "0x0\n0xe8d4a51000\n0xe8d4a51020\n");
}

/* 2^48 - 2 in a fixed counter that reports overflows to cores 0 and 2. */
static void test_an_overflow_interrupts(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0x395 0xfffffffffffe\n"
                               "wrmsr 0 0x394 0x500000\n"
                               "wrmsr 0 0xe01 0x20000005\n"
                               "cycles 1\n"
                               "rdmsr 0 0xe02\n"
                               "cycles 1\n"
                               "rdmsr 0 0xe02\n"
                               "wrmsr 0 0xe02 1\n"
                               "rdmsr 0 0xe02"),
                        "0x0\nPMI core=0\nPMI core=2\n0x1\n0x0\n");
}

static void test_a_frozen_machine(void **state)
{
    (void)state;
    assert_string_equal(played("wrmsr 0 0x711 0x501134\n"
                               "wrmsr 0 0x717 0xffffffffffc\n"
                               "wrmsr 0 0x394 0x400000\n"
                               "wrmsr 0 0xe01 0xa0000008\n"
                               "signal skl_unc_cbo1@0 0x34 0x11 1 1000\n"
                               "rdmsr 0 0xe01\nrdmsr 0 0xe02\nrdmsr 0 0x717\nrdmsr 0 0x395"),
                        "PMI core=3\n0x80000008\n0x8\n0x0\n0x4\n");
}

static void test_sleep_and_wake(void **state)
{
    (void)state;
    const char *again = "wrmsr 0 0x395 0xffffffffffff\ncycles 1";
    played("wrmsr 0 0x394 0x500000\nwrmsr 0 0xe01 0x20000003\nsleep 1");
    assert_string_equal(played(again), "PMI core=0\n");
    played("wake 1");
    assert_string_equal(played(again), "PMI core=0\nPMI core=1\n");
    played("sleep 0\nsleep 1\nwrmsr 0 0xe01 0x60000002"); /* WAKE_ON_PMI */
    assert_string_equal(played(again), "PMI core=1\n");
    played("wrmsr 0 0xe01 0x20000003");
    assert_string_equal(played(again), "PMI core=1\n"); /* core 0 still sleeps */
}

/* The same signal again continues without an edge, unless another command comes between. */
static void test_rises_of_repeated_signals(void **state)
{
    (void)state;
    played("wrmsr 0 0x700 0x441134\nwrmsr 0 0xe01 0x20000000");
    assert_string_equal(played("signal skl_unc_cbo0 0x34 0x11 1 5\n"
                               "signal skl_unc_cbo0 0x34 0x11 1 5\n"
                               "# no command\n\n"
                               "signal skl_unc_cbo0 0x34 0x11 2 5\n"
                               "rdmsr 0 0x706\n"
                               "signal skl_unc_cbo0 0x34 0x11 1 5\n"
                               "rdmsr 0 0x706\n"
                               "cycles 0\n"
                               "signal skl_unc_cbo0 0x34 0x11 1 5\n"
                               "signal skl_unc_cbo1 0x34 0x11 1 5\n"
                               "signal skl_unc_cbo0 0x34 0x11 1 5\n"
                               "rdmsr 0 0x706"),
                        "0x1\n0x2\n0x4\n");
}

static void test_a_bad_line_does_nothing(void **state)
{
    (void)state;
    played("wrmsr 0 0x700 0x441134\nwrmsr 0 0xe01 0x20000000\nsignal skl_unc_cbo0 0x34 0x11 1 5");
    bx_error e = {0};
    assert_int_equal(bx_dialogue_line(p.d, BX_STR("cycle 5"), &p.out, &e), BX_BAD_INPUT);
    assert_string_equal(played("signal skl_unc_cbo0 0x34 0x11 1 5\nrdmsr 0 0x706"), "0x1\n");
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

/* The counter overflows all the time, so one slice of time is not enough. The signal then stops
 * counting. */
static void test_a_stopped_signal_ends(void **state)
{
    (void)state;
    bx_error e = {0};
    played("wrmsr 0 0x700 0x501134\nwrmsr 0 0xe01 0x20000000");
    bx_dialogue_stop_if(p.d, at_once, NULL);
    bx_str line = BX_STR("signal skl_unc_cbo0 0x34 0x11 4294967295 40000000000000000");
    assert_int_equal(bx_dialogue_line(p.d, line, &p.out, &e), BX_SYSTEM);
    bx_dialogue_stop_if(p.d, NULL, NULL);
    played("wrmsr 0 0x706 0");
    assert_string_equal(played("cycles 100\nrdmsr 0 0x706"), "0x0\n");
}

/* Lookups of the workload: 64 KiB are 1024 lines, which all miss a cold cache. Each is one READ
 * that finds state I, and one line read from memory. */
static void test_work(void **state)
{
    (void)state;
    played("wrmsr 0 0xe01 0x20000000\nwrmsr 0 0x394 0x400000\n"
           "wrmsr 0 0x700 0x401834\nwrmsr 0 0x710 0x401834\n"
           "wrmsr 0 0x720 0x401834\nwrmsr 0 0x730 0x401834\n"
           "run stream,size=64K");
    const char *counts = played("rdmsr 0 0x706\nrdmsr 0 0x716\nrdmsr 0 0x726\nrdmsr 0 0x736\n"
                                "rdmem 0xfed15050 4\nrdmsr 0 0x395");
    unsigned long long sum = 0, reads, clock;
    char *end = NULL;
    for (unsigned i = 0; i < 4; i++, counts = end)
        sum += strtoull(counts, &end, 16);
    reads = strtoull(counts, &end, 16);
    clock = strtoull(end, &end, 16);
    assert_int_equal(sum, reads);
    assert_true(sum >= 1024);
    assert_int_equal(clock, bx_machine_now(p.m));
}

static void test_smaller_machines(void **state)
{
    (void)state;
    player_close(&p);
    player_open(&p, "virtual:skl,part=plain,cores=1,slices=1");
    assert_string_equal(played("rdmsr 0 0x396\nrdmsr 0 0x710\n"
                               "wrmsr 0 0x700 0x401134\nwrmsr 0 0xe01 0x20000000\n"
                               "signal skl_unc_cbo 0x34 0x11 1 5\nrdmsr 0 0x706"),
                        "0x2\n#GP\n0x5\n");
}

/* ---- malformed lines ---- */

static const struct bad_line bad[] = {
    {"rdmrs 0 0x700", 0, 5, "'rdmrs'", "'rdmsr'"},
    {"frobnicate", 0, 10, "no command", "there are rdmsr, wrmsr"},
    {"RDMSR 0 0x700", 0, 5, "no command", "rdmsr"},
    {"  rdmsr 0", 2, 7, "more words", "rdmsr CPU ADDR"},
    {"rdmsr 0 0x700 1", 14, 1, "no option '1'", "cpl=0 to cpl=3, mode=real"},
    {"rdmsr 0 0x700 pce=1", 14, 5, "no option 'pce=1'", "cpl=0 to cpl=3, mode=real"},
    {"rdmsr 0 0x700 cpl=0 mode=v86 1", 29, 1, "fewer words", "rdmsr CPU ADDR|NAME"},
    {"rdmsr 4 0x700", 6, 1, "no CPU 4", "CPUs 0 to 3"},
    {"rdmsr x 0x700", 6, 1, "'x' is not a number", "0x1f"},
    {"rdmsr -1 0x700", 6, 2, "not a number", "0x1f"},
    {"rdmsr 0 0x100000000", 8, 11, "over 0xffffffff", ""},
    {"rdmsr 0 0x7g0", 8, 5, "not a number", ""},
    {"wrmsr 0 0x700 0x10000000000000000", 14, 19, "at most 64 bits", ""},
    {"wrmsr 0 0x700", 0, 13, "more words", "wrmsr CPU ADDR|NAME VALUE"},
    {"rdpmc 0 0 cpl=4", 10, 5, "'cpl=4'", "cpl=0"},
    {"rdpmc 0 0 ring=0", 10, 6, "'ring=0'", "cpl=0"},
    {"rdpci 0:0 0x48 4", 6, 3, "not a PCI function", "0:0.0"},
    {"rdpci 0:1f.0 0x48 4", 8, 2, "device '1f'", "0x1f"},
    {"rdpci 0:32.0 0x48 4", 8, 2, "over 0x1f", ""},
    {"rdpci 256:0.0 0x48 4", 6, 3, "over 0xff", ""},
    {"rdpci 0:0.8 0x48 4", 10, 1, "over 0x7", ""},
    {"rdpci 0:0.0 0x1000 1", 12, 6, "over 0xfff", ""},
    {"rdpci 0:0.0 0xffd 4", 12, 5, "4 KiB", ""},
    {"rdpci 0:0.0 0x48 3", 17, 1, "1, 2, 4 or 8 bytes", ""},
    {"wrpci 0:0.0 0x48 4", 0, 18, "takes more words", "wrpci B:D.F OFFSET BYTES VALUE"},
    {"wrpci 0:0.0 0x48 2 0x10000", 19, 7, "over 0xffff", ""},
    {"wrpci 0:0.0 0xffd 4 0", 12, 5, "4 KiB", ""},
    {"wrmem 0xfed15050 3 0", 17, 1, "1, 2, 4 or 8 bytes", ""},
    {"wrmem 0xfed15050 1 256", 19, 3, "over 0xff", ""},
    {"rdmem 0xfed15050 16", 17, 2, "over 0x8", ""},
    {"cycles 0x8000000000000000", 7, 18, "over 0x100000000000000", ""},
    {"run nosuch", 4, 6, "nosuch", ""},
    {"signal skl_unc_cob0 0x34 0x11 1 5", 7, 11, "'skl_unc_cob'", "'skl_unc_cbo'"},
    {"signal skl_unc_package 0 0 1 5", 7, 15, "no PMU with counters",
     "there are skl_unc_cbo, skl_unc_arb"},
    {"signal skl_unc_cbo 0x34 0x11 1 5", 7, 11, "has 4 units", "'skl_unc_cbo3'"},
    {"signal skl_unc_cbo4 0x34 0x11 1 5", 7, 12, "no unit 'skl_unc_cbo4'", "'skl_unc_cbo3'"},
    {"signal skl_unc_cbo18446744073709551616 0 0 1 5", 7, 31, "no unit", ""},
    {"signal skl_unc_arb1 0x80 0x1 1 5", 7, 12, "no unit", "'skl_unc_arb0'"},
    {"signal skl_unc_cbo0@1 0x34 0x11 1 5", 20, 1, "package", ""},
    {"signal skl_unc_cbo0@ 0x34 0x11 1 5", 20, 0, "not a number", ""},
    {"signal skl_unc_cbo0 0x10000 0x11 1 5", 20, 7, "CODE", ""},
    {"signal skl_unc_cbo0 0x34 0x11 0x100000000 5", 30, 11, "LEVEL", ""},
    {"signal skl_unc_cbo0 0x34 0x11 1", 0, 31, "more words", "UNIT[@PACKAGE]"},
    {"signal skl_unc_cbo0 0x34 0x11 1 5 opc=0x182", 34, 3, "no filter 'opc'", ""},
    {"signal skl_unc_imc 0x5050 0 1 5 ctr=1 port=2", 32, 3, "no filter 'ctr'", ""},
    {"sleep 9", 6, 1, "no CPU 9", "CPUs 0 to 3"},
    {"wake", 0, 4, "more words", "wake CPU"},
    {"a b c d e f g h i j k l m n o p q", 32, 1, "more than 16 words", ""},
};

static void test_bad_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        player_refuses(&p, &bad[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_counter_counts_a_signal),
        TEST(test_numbers_are_in_c_notation),
        TEST(test_blanks_and_comments),
        TEST(test_faults),
        TEST(test_rdpmc_faults),
        TEST(test_memory_controller),
        TEST(test_pci_and_memory_writes),
        TEST(test_the_clock),
        TEST(test_an_overflow_interrupts),
        TEST(test_a_frozen_machine),
        TEST(test_sleep_and_wake),
        TEST(test_rises_of_repeated_signals),
        TEST(test_a_bad_line_does_nothing),
        TEST(test_a_stopped_signal_ends),
        TEST(test_work),
        TEST(test_smaller_machines),
        TEST(test_bad_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
