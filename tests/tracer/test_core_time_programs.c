/* The time of loops that is known from instruction tables: tests/tracer/chains.c. */
#include "../cmocked.h"

#include "tracer/counted.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200000, MOST = 600 }; /* MOST: cycles outside the rounds */

#define CORE "--machine virtual:skl,part=plain,width=4,l1=4"

/* Cycles of the loop for so many arguments, including argv[0]. */
static int64_t cycles(const char *event, const char *options, unsigned arguments)
{
    char program[64];
    snprintf(program, sizeof program, "${P}chains%.*s", 2 * (int)(arguments - 1),
             " x x x x x x x x x x x x x x x x");
    return count_more(event, options, program, "${P}chains");
}

static void takes_by(const char *event, const char *options, unsigned arguments, int64_t expected)
{
    int64_t is = cycles(event, options, arguments);
    if (is < expected - MOST || is > expected + MOST)
        fail_msg("%u arguments: %lld cycles, not %lld", arguments, (long long)is,
                 (long long)expected);
}

static void takes(const char *options, unsigned arguments, int64_t expected)
{
    takes_by("UNC_CLOCK", options, arguments, expected);
}

static void loops_take_their_chain_or_their_width(void **state)
{
    (void)state;
    takes(CORE, 2, 3 * ROUNDS);
    takes(CORE, 3, 4 * ROUNDS);
    takes(CORE, 4, 4 * ROUNDS);
    takes(CORE, 5, 2 * ROUNDS);
    takes(CORE, 6, 5 * ROUNDS);
    takes(CORE, 7, 2 * ROUNDS);
    takes(CORE, 8, 2 * ROUNDS);
    takes(CORE, 9, 26 * ROUNDS);
    takes(CORE, 10, 6 * ROUNDS);
    takes(CORE, 12, 7 * ROUNDS / 2);
    takes(CORE, 13, 4 * ROUNDS);
    takes(CORE, 14, 38 * ROUNDS);
    takes(CORE, 17, 91 * ROUNDS);
    takes(CORE, 15, 18 * ROUNDS);
    takes(CORE, 16, 45 * ROUNDS);
}

static void keys_change_what_they_name(void **state)
{
    (void)state;
    takes("--machine virtual:skl,part=plain,width=4,l1=5", 4, 5 * ROUNDS);
    takes("--machine virtual:skl,part=plain,width=4,fp_add=3", 3, 3 * ROUNDS);
    takes("--machine virtual:skl,part=plain,width=2", 5, 4 * ROUNDS);
    /* Three cycles of the core are two of the uncore. */
    takes("--machine virtual:skl,part=plain,width=4,hz=2000000000,core_hz=3000000000", 2,
          2 * ROUNDS);
    /* The plain rule: a cycle for each instruction. */
    takes("--machine virtual:skl,part=plain", 2, 3 * ROUNDS);
    takes("--machine virtual:skl,part=plain", 3, 5 * ROUNDS);
    takes("--machine virtual:skl,part=plain,l1=5", 4, 3 * ROUNDS);
    takes("--machine virtual:skl,part=plain", 9, 4 * ROUNDS);
}

/* The loop's stores miss the caches, but its chain is longer than what that takes. */
static void a_word_goes_from_round_to_round(void **state)
{
    (void)state;
    int64_t is = cycles("UNC_CLOCK", CORE, 11);
    assert_in_range(is, 6 * ROUNDS, 6 * ROUNDS + ROUNDS / 2);
}

static void ports_take_what_they_can(void **state)
{
    (void)state;
    takes(CORE ",load_ports=2", 12, 6 * ROUNDS);
    takes(CORE ",load_ports=1", 12, 12 * ROUNDS);
    /* Eight computations take 2 2/3 cycles, and so eleven places of a quarter each. */
    takes(CORE ",alu_ports=3", 5, 11 * ROUNDS / 4);
    takes(CORE ",divide_32=30", 9, 30 * ROUNDS);
    takes(CORE ",divide_32=6", 9, 26 * ROUNDS); /* its chain is longer */
    takes(CORE ",divide_64_wait=30,divide_64=21", 14, 30 * ROUNDS);
    takes(CORE ",divide_64_wait=30,divide_64=33", 14, 33 * ROUNDS);
    takes(CORE ",root_double=20", 15, 20 * ROUNDS);
}

/* An addition takes 3 cycles there. */
static void server_models_do_so_too(void **state)
{
    (void)state;
    takes_by("ivbep_unc_cbo0::UNC_C_CLOCKTICKS",
             "--machine virtual:ivbep,part=plain,packages=1,width=4,l1=4", 3, 3 * ROUNDS);
    takes_by("ivbep_unc_cbo0::UNC_C_CLOCKTICKS",
             "--machine virtual:ivbep,part=plain,packages=1,width=4,l1=4", 14, 32 * ROUNDS);
    takes_by("FIXED_UNCORE_CLOCK", "--machine virtual:nhmex,part=plain,packages=1,width=4,l1=4", 4,
             4 * ROUNDS);
    takes_by("FIXED_UNCORE_CLOCK", "--machine virtual:nhmex,part=plain,packages=1,width=4,l1=4", 15,
             32 * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_take_their_chain_or_their_width),
        cmocka_unit_test(keys_change_what_they_name),
        cmocka_unit_test(server_models_do_so_too),
        cmocka_unit_test(a_word_goes_from_round_to_round),
        cmocka_unit_test(ports_take_what_they_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
