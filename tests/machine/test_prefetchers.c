/* MSR 1A4H of a virtual machine with prefetch=on: bits 0 to 3 disable a core's prefetchers (Intel,
 * "Disclosure of Hardware Prefetcher Control on Some Intel Processors"). */
#include "../cmocked.h"

#include "player.h"

#include <stdio.h>
#include <stdlib.h>

/* Cycles of a workload on core 0, after these commands; ends when all cores are done. */
static uint64_t cycles(const char *spec, const char *commands)
{
    struct player p;
    player_open(&p, spec);
    char text[512];
    snprintf(text, sizeof text,
             "%s\nwrmsr 0 0x394 0x400000\nwrmsr 0 0xe01 0x20000000\n"
             "run stream,size=64K,stride=64\nrdmsr 0 0x395\n",
             commands);
    uint64_t count = strtoull(player_says(&p, text), NULL, 16);
    player_close(&p);
    assert_true(count > 0);
    return count;
}

#define ON  "virtual:skl,part=plain,cores=2,prefetch=on"
#define OFF "virtual:skl,part=plain,cores=2"

static uint64_t cycles_with(unsigned off)
{
    char write[64];
    snprintf(write, sizeof write, "wrmsr 0 0x1a4 %#x", off);
    return cycles(ON, write);
}

static void test_all_off(void **state)
{
    (void)state;
    uint64_t without = cycles(OFF, "");
    assert_int_equal(cycles_with(0xf), without);
    assert_true(cycles(ON, "") < without);
    assert_int_equal(cycles(ON, "wrmsr 0 0x1a4 0xf\nwrmsr 0 0x1a4 0"), cycles(ON, ""));
    assert_int_equal(cycles(OFF, "wrmsr 0 0x1a4 0"), without);
}

/* Each prefetcher alone makes a stream faster. */
static void test_bit_by_bit(void **state)
{
    (void)state;
    uint64_t without = cycles_with(0xf);
    for (unsigned bit = 0; bit < 4; bit++)
        assert_true(cycles_with(0xf & ~(1u << bit)) < without);
}

static void test_core_by_core(void **state)
{
    (void)state;
    assert_int_equal(cycles(ON, "wrmsr 1 0x1a4 0xf"), cycles(ON, ""));
}

/* A write has effect from then on: the second run is as slow as without prefetchers. */
static void test_between_runs(void **state)
{
    (void)state;
    static const char *const runs = "run copy,size=64K,stride=64\n";
    char before[128];
    snprintf(before, sizeof before, "%swrmsr 0 0x1a4 0xf", runs);
    assert_true(cycles(ON, runs) < cycles(ON, before));
}

static void test_holds_what_is_written(void **state)
{
    (void)state;
    static const char *const machines[] = {ON, OFF, "virtual:ivbep,part=plain,prefetch=on",
                                           "virtual:nhmex,part=plain,prefetch=on"};
    for (unsigned i = 0; i < 4; i++) {
        struct player p;
        player_open(&p, machines[i]);
        assert_string_equal(player_says(&p, "rdmsr 1 0x1a4\nwrmsr 1 0x1a4 5\nrdmsr 1 0x1a4\n"
                                            "rdmsr 0 0x1a4\n"),
                            "0x0\n0x5\n0x0\n");
        player_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_off),
        cmocka_unit_test(test_bit_by_bit),
        cmocka_unit_test(test_core_by_core),
        cmocka_unit_test(test_between_runs),
        cmocka_unit_test(test_holds_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
