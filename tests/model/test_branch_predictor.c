/* Branch predictors against outcomes worked out by hand: docs/explanation/model-branches.md. */
#include "../cmocked.h"
#include "../dice.h"

#include <string.h>

#include "model/part/branch_predictor.h"

static const bx_predictor_sizes local = {
    .kind = BX_PREDICTOR_LOCAL, .btb = 512, .btb_ways = 4, .btb_history = 4, .return_stack = 16};
static const bx_predictor_sizes tagged = {.kind = BX_PREDICTOR_TAGGED,
                                          .base = 8192,
                                          .table = 2048,
                                          .history = 93,
                                          .indirect = 512,
                                          .return_stack = 16};

static bx_branch backward_at(uint64_t last)
{
    bx_branch b = bx_branch_at(last, BX_CLASS_CONDITIONAL_BRANCH, false);
    b.backward = true;
    return b;
}

static unsigned conditional(bx_branch_predictor *p, uint64_t last, bool taken)
{
    bx_branch b = bx_branch_at(last, BX_CLASS_CONDITIONAL_BRANCH, false);
    return bx_predict_direct(p, &b, taken);
}

/* Mispredictions of a branch with that pattern, in a loop: from the round `from` on. */
static unsigned missed(const bx_predictor_sizes *sizes, const char *pattern, unsigned from,
                       unsigned rounds)
{
    bx_branch_predictor *p = bx_branch_predictor_new(sizes);
    bx_branch loop = backward_at(0x1020);
    size_t n = strlen(pattern);
    unsigned sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned what = conditional(p, 0x1000, pattern[i % n] == 'T');
        sum += i >= from && what & BX_BRANCH_MISS_SET;
        bx_predict_direct(p, &loop, true);
    }
    bx_branch_predictor_free(p);
    return sum;
}

/* ---- the P6 family ---- */

/* T: the buffer does not have it, and it leads forward. N: counters begin at weakly taken, so the
 * histories 0001 and 0101 have to learn it. */
static void alternating_by_hand(void **state)
{
    (void)state;
    static const unsigned expected[6] = {1u << BX_MISS_TAKEN | 1u << BX_BTB_MISSES,
                                         1u << BX_MISS_NOT_TAKEN, 0, 1u << BX_MISS_NOT_TAKEN};
    bx_branch_predictor *p = bx_branch_predictor_new(&local);

    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(conditional(p, 0x1000, i % 2 == 0), expected[i]);
    bx_branch_predictor_free(p);
    assert_int_equal(missed(&local, "TN", 4, 1000), 0);
}

/* Four outcomes tell the next one, or do not: TTTT is followed by T twice and N once. */
static void patterns_of_seven(void **state)
{
    (void)state;
    assert_int_equal(missed(&local, "TTNTNNN", 28, 1000), 0);
    assert_int_equal(missed(&local, "TTTTTTN", 70, 70 + 7 * 100), 100);
}

/* Static prediction: back is taken, forward is not; the decoder finds what it takes. */
static void without_an_entry(void **state)
{
    (void)state;
    bx_branch_predictor *p = bx_branch_predictor_new(&local);
    const bx_branch back = backward_at(0x2000), jump = bx_branch_at(0x3000, BX_CLASS_JUMP, true),
                    far = bx_branch_at(0x4000, BX_CLASS_INDIRECT_JUMP, true);
    const unsigned found = 1u << BX_BTB_MISSES | 1u << BX_BTB_RESTEERS;

    assert_int_equal(bx_predict_direct(p, &back, false), found | 1u << BX_MISS_NOT_TAKEN);
    assert_int_equal(bx_predict_direct(p, &back, true), found); /* not taken: it got no entry */
    assert_int_equal(bx_predict_direct(p, &back, true), 0);
    assert_int_equal(conditional(p, 0x2100, false), 1u << BX_BTB_MISSES);
    assert_int_equal(bx_predict_direct(p, &jump, true), found);
    assert_int_equal(bx_predict_direct(p, &jump, true), 0);
    assert_int_equal(bx_predict_indirect(p, &far, 5),
                     1u << BX_BTB_MISSES | 1u << BX_MISS_INDIRECT_JUMP);
    assert_int_equal(bx_predict_indirect(p, &far, 5), 0);
    assert_int_equal(bx_predict_indirect(p, &far, 6), 1u << BX_MISS_INDIRECT_JUMP);
    bx_branch_predictor_free(p);
}

/* Five branches of one set of four, in turn. */
static void the_buffer_has_ways(void **state)
{
    (void)state;
    for (unsigned n = 4; n <= 5; n++) {
        bx_branch_predictor *p = bx_branch_predictor_new(&local);
        unsigned misses = 0;
        for (unsigned i = 0; i < 10 * n; i++) {
            bx_branch b = bx_branch_at(0x10000 + i % n * 128 * 16, BX_CLASS_JUMP, true);
            misses += bx_predict_direct(p, &b, true) >> BX_BTB_MISSES & 1;
        }
        assert_int_equal(misses, n == 4 ? 4 : 50);
        bx_branch_predictor_free(p);
    }
}

static void code_that_is_gone(void **state)
{
    (void)state;
    bx_branch_predictor *p = bx_branch_predictor_new(&local);
    bx_branch b = bx_branch_at(0x1234, BX_CLASS_JUMP, true);

    bx_predict_direct(p, &b, true);
    assert_int_equal(bx_predictor_forget(p, 0x1230, 0x1233), 0);
    assert_int_equal(bx_predictor_forget(p, 0x1230, 0x1240), 1);
    assert_int_equal(bx_predictor_forget(p, 0x1230, 0x1240), 0);
    bx_branch_predictor_free(p);
}

/* ---- both ---- */

static void returns_come_from_a_stack(void **state)
{
    (void)state;
    const bx_predictor_sizes *const kinds[] = {&local, &tagged};
    for (unsigned k = 0; k < 2; k++) {
        bx_branch_predictor *p = bx_branch_predictor_new(kinds[k]);
        unsigned misses = 0;
        for (unsigned i = 0; i < 18; i++) {
            bx_branch b = bx_branch_at(0x1000 + 16 * i, BX_CLASS_CALL, true);
            bx_predict_direct(p, &b, true);
        }
        for (unsigned i = 18; i-- > 0;) {
            bx_branch b = bx_branch_at(0x2000, BX_CLASS_RETURN, true);
            misses += bx_predict_indirect(p, &b, 0x1001 + 16 * i) >> BX_MISS_RETURN & 1;
        }
        assert_int_equal(misses, 2);
        bx_branch_predictor_free(p);
    }
}

static void nobody_knows_a_coin(void **state)
{
    (void)state;
    const bx_predictor_sizes *const kinds[] = {&local, &tagged};
    uint64_t seed = 7;
    for (unsigned k = 0; k < 2; k++) {
        bx_branch_predictor *p = bx_branch_predictor_new(kinds[k]);
        unsigned misses = 0;
        for (unsigned i = 0; i < 20000; i++)
            misses += (conditional(p, 0x1000, dice_below(&seed, 2)) & BX_BRANCH_MISS_SET) != 0;
        assert_in_range(misses, 9000, 11000);
        bx_branch_predictor_free(p);
    }
}

/* ---- later cores ---- */

static void patterns_by_path(void **state)
{
    (void)state;
    assert_int_equal(missed(&tagged, "TN", 100, 1000), 0);
    assert_int_equal(missed(&tagged, "TTNTNNN", 300, 3000), 0);
    assert_int_equal(missed(&tagged, "TTTTTTN", 300, 3000), 0);
}

/* A loop ends after as many rounds as the longest history knows, or more. */
static unsigned ends_missed(unsigned history, unsigned length)
{
    bx_predictor_sizes sizes = tagged;
    sizes.history = history;
    char pattern[200];
    memset(pattern, 'T', length);
    pattern[length - 1] = 'N';
    pattern[length] = 0;
    return missed(&sizes, pattern, 100 * length, 200 * length);
}

static void long_loops(void **state)
{
    (void)state;
    assert_in_range(ends_missed(93, 30), 0, 5);
    assert_in_range(ends_missed(18, 30), 90, 110);
}

/* The target comes from the path. */
static void targets_in_turn(void **state)
{
    (void)state;
    bx_branch_predictor *p = bx_branch_predictor_new(&tagged);
    const bx_branch call = bx_branch_at(0x1000, BX_CLASS_INDIRECT_CALL, true),
                    back = bx_branch_at(0x2000, BX_CLASS_RETURN, true);
    unsigned misses = 0;

    for (unsigned i = 0; i < 1000; i++) {
        bool miss = bx_predict_indirect(p, &call, 0x3000 + i % 3 * 64) != 0;
        misses += i >= 100 && miss;
        bx_predict_indirect(p, &back, 0x1001);
    }
    assert_int_equal(misses, 0);
    bx_branch_predictor_free(p);
}

/* ---- sizes ---- */

static void sizes_that_there_are_not(void **state)
{
    (void)state;
    bx_error e = {0};
    bx_predictor_sizes sizes = local;

    assert_int_equal(bx_predictor_check(&sizes, &e), BX_OK);
    sizes.btb = 500;
    assert_int_equal(bx_predictor_check(&sizes, &e), BX_BAD_INPUT);
    assert_non_null(strstr(e.message, "btb=500"));
    sizes = tagged;
    assert_int_equal(bx_predictor_check(&sizes, &e), BX_OK);
    sizes.kind = BX_PREDICTOR_LOCAL;
    assert_int_equal(bx_predictor_check(&sizes, &e), BX_BAD_INPUT);
    sizes.kind = BX_PREDICTOR_NONE;
    assert_int_equal(bx_predictor_check(&sizes, &e), BX_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alternating_by_hand),
        cmocka_unit_test(patterns_of_seven),
        cmocka_unit_test(without_an_entry),
        cmocka_unit_test(the_buffer_has_ways),
        cmocka_unit_test(code_that_is_gone),
        cmocka_unit_test(returns_come_from_a_stack),
        cmocka_unit_test(nobody_knows_a_coin),
        cmocka_unit_test(patterns_by_path),
        cmocka_unit_test(long_loops),
        cmocka_unit_test(targets_in_turn),
        cmocka_unit_test(sizes_that_there_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
