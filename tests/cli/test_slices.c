/* `boxscore slices` finds the hash by counting; it is the model's own hash
 * (docs/explanation/model*.md). */
#include "../cmocked.h"

#include "cli/measure/slice_hash.h"
#include "cli/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 200 };

/* ---- the solver ---- */

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 8;
}

/* Three bits with a constant are found from a few more lines than there are unknowns. */
static void solves(void **state)
{
    (void)state;
    static const uint64_t masks[] = {0x1b5f575440, 0x2eb5faa880, 0x3000000040};
    uint64_t seed = 1;
    bx_slice_sample samples[LINES];
    for (size_t i = 0; i < LINES; i++) {
        samples[i].address = next(&seed) & 0x3fffffffc0;
        samples[i].slice = 5;
        for (unsigned bit = 0; bit < 3; bit++)
            samples[i].slice ^= (unsigned)__builtin_parityll(samples[i].address & masks[bit])
                                << bit;
    }
    bx_slice_hash h;
    assert_true(bx_slice_hash_solve(samples, LINES, 8, 37, &h));
    assert_int_equal(h.bits, 3);
    assert_int_equal(h.constant, 5);
    assert_int_equal(h.unseen, 0);
    assert_int_equal(h.checks, LINES - (37 - 6 + 1) - 1); /* unknowns: bits 6 to 37, the constant */
    for (unsigned bit = 0; bit < 3; bit++)
        assert_int_equal(h.mask[bit], masks[bit]);
    for (size_t i = 0; i < LINES; i++)
        assert_int_equal(bx_slice_hash_of(&h, samples[i].address), samples[i].slice);
    samples[LINES - 1].slice ^= 2; /* one sample that contradicts the others */
    assert_false(bx_slice_hash_solve(samples, LINES, 8, 37, &h));
    assert_false(bx_slice_hash_solve(samples, LINES, 6, 37, &h));
}

/* One bit is never set, and two bits are always equal. */
static void says_what_it_cannot_tell(void **state)
{
    (void)state;
    uint64_t seed = 7;
    bx_slice_sample samples[LINES];
    for (size_t i = 0; i < LINES; i++) {
        uint64_t address = next(&seed) & 0xffc0 & ~UINT64_C(0x600);
        samples[i].address = address | (address >> 6 & 1) << 10; /* bit 10 is bit 6, bit 9 is 0 */
        samples[i].slice = (unsigned)(address >> 7 & 1);
    }
    bx_slice_hash h;
    assert_true(bx_slice_hash_solve(samples, LINES, 2, 15, &h));
    assert_int_equal(h.mask[0], 0x80);
    assert_int_equal(h.unseen >> 9 & 1, 1);
    assert_int_equal(__builtin_popcountll(h.unseen), 2);
}

/* ---- the command ---- */

/* The hash of Maurice et al., RAID 2015, which docs/explanation/model-client.md has. */
static void client(void **state)
{
    (void)state;
    ran r = RUN("slices", "--machine", "virtual:skl,part=plain");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "virtual:skl,part=plain: 4 slices, ");
    assert_has(r.out, " mask 0x1b5f575440\n");
    assert_has(r.out, " mask 0x2eb5faa880\n");
    assert_has_not(r.out, "Not told apart");
    ran_free(&r);
    /* Bit 6 is in the first mask only. Bit 24 is in both, so with bit 6 only the second one is odd.
     */
    r = RUN("slices", "--machine", "virtual:skl,part=plain", "0x40", "0x1000040");
    assert_has(r.out, "\n0x40       C-Box 1\n0x1000040  C-Box 2\n");
    ran_free(&r);
    r = RUN("slices", "--machine", "virtual:skl,part=plain,cores=2", "--json");
    assert_has(r.out, "\"slices\":2,\"masks\":[\"0x1b5f575440\"],\"constant\":0,");
    ran_free(&r);
    r = RUN("slices", "--machine", "virtual:skl,part=plain,cores=1");
    assert_has(r.out, "1 slice, ");
    ran_free(&r);
}

/* docs/explanation/model-ivbep.md and docs/explanation/model-nhmex.md: the line XOR the line
 * shifted right by 11 and by 22. Bit k of the slice is bits 6 + k, 17 + k and 28 + k of the
 * address. */
static void servers(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:ivbep,part=plain,cores=8",
                                           "virtual:nhmex,part=plain"};
    for (size_t i = 0; i < 2; i++) {
        ran r = RUN("slices", "--machine", machines[i]);
        assert_int_equal(r.status, 0);
        assert_has(r.out, "slice bit 0 = XOR of address bits 6 17 28\n");
        assert_has(r.out, "slice bit 1 = XOR of address bits 7 18 29\n");
        assert_has(r.out, "slice bit 2 = XOR of address bits 8 19 30\n");
        ran_free(&r);
    }
}

static unsigned folded(uint64_t address, unsigned slices)
{
    uint64_t line = address >> 6;
    return (unsigned)((line ^ line >> 11 ^ line >> 22) % slices);
}

/* Six slices: a table of the same hash modulo 6. */
static void no_power_of_two(void **state)
{
    (void)state;
    ran r = RUN("slices", "--machine", "virtual:ivbep,part=plain,cores=6", "--lines", "100");
    assert_int_equal(r.status, 0);
    char *at = strstr(r.out, "No XOR of address bits gives them.");
    assert_non_null(at);
    for (uint64_t line = 0; line < 100; line++) {
        if (line % 16 == 0) {
            at = strchr(at, '\n');
            assert_int_equal(strtoull(at, &at, 16), line * 64);
        }
        assert_int_equal(strtoul(at, &at, 10), folded(line * 64, 6));
    }
    assert_string_equal(at, "\n");
    ran_free(&r);
}

/* The same line again, another byte of it, lines in a row, and the largest. */
static void addresses(void **state)
{
    (void)state;
    ran r = RUN("slices", "--machine", "virtual:ivbep,part=plain,cores=6", "-j", "0x1000", "0x1040",
                "0x1080", "0x1047", "0x7ffffffffff");
    assert_int_equal(r.status, 0);
    static const uint64_t given[] = {0x1000, 0x1040, 0x1080, 0x1047, 0x7ffffffffff};
    const char *at = strstr(r.out, "\"addresses\":[");
    for (size_t i = 0; i < 5; i++) {
        char expected[80];
        snprintf(expected, sizeof expected, "{\"address\":\"0x%" PRIx64 "\",\"slice\":%u}",
                 given[i], folded(given[i], 6));
        assert_has(at, expected);
    }
    ran_free(&r);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *address, *says;
    } cases[] = {
        {"virtual:skl,part=plain", "x", "boxscore: 'x' is no address\n"},
        {"virtual:skl,part=plain", "0x80000000000", "boxscore: 0x80000000000 is beyond the 8 TiB"},
        {"virtual:p6,part=plain", "0",
         "boxscore: the catalogue has no event for misses of its slices\n"},
        {"virtual:no", "0", "boxscore: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = RUN("slices", "--machine", cases[i].machine, cases[i].address);
        assert_int_equal(r.status, 1);
        assert_string_equal(r.out, "");
        assert_has(r.err, cases[i].says);
        ran_free(&r);
    }
    /* An event that all slices count, or none. */
    ran r = RUN("slices", "--machine", "virtual:skl,part=plain", "-e", "DRAM_DATA_WRITES");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "no slice stands out");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),          cmocka_unit_test(says_what_it_cannot_tell),
        cmocka_unit_test(client),          cmocka_unit_test(servers),
        cmocka_unit_test(no_power_of_two), cmocka_unit_test(addresses),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
