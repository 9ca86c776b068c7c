/* The core-valid bits of an LLC as a directory, worked out by hand: which cores a request snoops,
 * in which order, and what the line has afterwards. */
#include "../cmocked.h"

#include "model/part/directory.h"

enum { LINE = 77, SELF = 1 };

static bx_arena memory;
static struct bx_replacement replacement;

/* An LLC with the line, and what the cores answer. */
struct llc {
    struct bx_cache cache;
    struct bx_cache_way way;
    enum bx_snoop_response answer[8];
    unsigned snooped[8], n;
    bool invalidate;
};

static enum bx_snoop_response snoop(void *of, unsigned core, bool invalidate)
{
    struct llc *llc = of;

    llc->snooped[llc->n++] = core;
    llc->invalidate = invalidate;
    return llc->answer[core];
}

static void llc_new(struct llc *llc, enum bx_line_state state, unsigned cores)
{
    *llc = (struct llc){.n = 0};
    assert_true(bx_replacement_make(&replacement, &bx_policy_lru, 4));
    assert_true(bx_cache_power_on(&llc->cache, &memory,
                                  &(struct bx_cache_geometry){.sets = 64,
                                                              .replacement = &replacement,
                                                              .tracks_cores = true}));
    llc->way = bx_cache_choose(&llc->cache, LINE);
    bx_cache_put(&llc->cache, llc->way, LINE, state);
    *bx_cache_cores(&llc->cache, llc->way) = (uint16_t)cores;
}

static void expect(const struct llc *llc, unsigned snooped, enum bx_line_state state,
                   unsigned cores)
{
    assert_int_equal(llc->n, snooped);
    assert_int_equal(bx_cache_state(&llc->cache, llc->way), state);
    assert_int_equal(*bx_cache_cores(&llc->cache, llc->way), cores);
}

/* Cores 0, 1 and 3 may have the line; core 1 asks for it alone. */
static void test_invalidate(void **state)
{
    (void)state;
    struct llc llc;

    llc_new(&llc, BX_LINE_E, 0xb);
    llc.answer[0] = BX_SNOOP_HIT;
    llc.answer[3] = BX_SNOOP_MISS;
    assert_int_equal(bx_directory_snoop(&llc.cache, llc.way, SELF, true, snoop, &llc),
                     BX_SNOOP_HIT);
    expect(&llc, 2, BX_LINE_E, 0x2);
    assert_true(llc.invalidate);
    assert_int_equal(llc.snooped[0], 0);
    assert_int_equal(llc.snooped[1], 3);

    llc_new(&llc, BX_LINE_E, 0x9);
    llc.answer[3] = BX_SNOOP_HITM;
    assert_int_equal(
        bx_directory_snoop(&llc.cache, llc.way, BX_DIRECTORY_NOBODY, true, snoop, &llc),
        BX_SNOOP_HITM);
    expect(&llc, 2, BX_LINE_M, 0);

    llc_new(&llc, BX_LINE_S, 0x2); /* its own bit alone */
    assert_int_equal(bx_directory_snoop(&llc.cache, llc.way, SELF, true, snoop, &llc),
                     BX_NOT_SNOOPED);
    expect(&llc, 0, BX_LINE_S, 0x2);
}

/* Only one core other than the reader, and only of a line in E or M, can have it modified. */
static void test_share(void **state)
{
    (void)state;
    static const struct {
        enum bx_line_state state;
        unsigned cores;
        enum bx_snoop_response answer, best;
        enum bx_line_state then;
        unsigned left, snooped;
    } of[] = {
        {BX_LINE_E, 0x4, BX_SNOOP_HIT, BX_SNOOP_HIT, BX_LINE_E, 0x4, 1},
        {BX_LINE_E, 0x6, BX_SNOOP_HITM, BX_SNOOP_HITM, BX_LINE_M, 0x6, 1},
        {BX_LINE_M, 0x4, BX_SNOOP_HITM, BX_SNOOP_HITM, BX_LINE_M, 0x4, 1},
        {BX_LINE_E, 0x6, BX_SNOOP_MISS, BX_SNOOP_MISS, BX_LINE_E, 0x2, 1},
        {BX_LINE_S, 0x4, BX_SNOOP_HIT, BX_NOT_SNOOPED, BX_LINE_S, 0x4, 0},
        {BX_LINE_F, 0x4, BX_SNOOP_HIT, BX_NOT_SNOOPED, BX_LINE_F, 0x4, 0},
        {BX_LINE_E, 0xc, BX_SNOOP_HIT, BX_NOT_SNOOPED, BX_LINE_E, 0xc, 0},
        {BX_LINE_E, 0x2, BX_SNOOP_HIT, BX_NOT_SNOOPED, BX_LINE_E, 0x2, 0},
    };

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct llc llc;
        llc_new(&llc, of[i].state, of[i].cores);
        llc.answer[2] = of[i].answer;
        assert_int_equal(bx_directory_snoop(&llc.cache, llc.way, SELF, false, snoop, &llc),
                         of[i].best);
        expect(&llc, of[i].snooped, of[i].then, of[i].left);
        assert_false(llc.invalidate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invalidate),
        cmocka_unit_test(test_share),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    bx_arena_free(&memory);
    return failed;
}
