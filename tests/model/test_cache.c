/* The cache part against a plain cache, access by access; and the filter in front of first-level
 * caches. */
#include "../cmocked.h"
#include "../dice.h"

#include "model/part/cache.h"
#include "model/part/last_lines.h"

#include <stdlib.h>

enum { LINES = 4000, STEPS = 20000 };

/* What the cache must have: the state and the core-valid bits of each line, by a short number. */
struct plain {
    uint64_t spread; /* line number = short number x spread */
    uint8_t state[LINES];
    uint16_t cores[LINES];
};

static bx_arena memory;

static void make(struct bx_cache *c, struct bx_replacement *r, unsigned sets, unsigned ways,
                 const struct bx_policy *policy)
{
    assert_true(bx_replacement_make(r, policy, ways));
    assert_true(bx_cache_power_on(
        c, &memory,
        &(struct bx_cache_geometry){.sets = sets, .replacement = r, .tracks_cores = true}));
}

static void check_all(const struct bx_cache *c, const struct plain *p)
{
    for (unsigned i = 0; i < LINES; i++) {
        struct bx_cache_way at = bx_cache_find(c, i * p->spread);
        assert_int_equal(bx_cache_state(c, at), p->state[i]);
        assert_int_equal(bx_cache_has(c, i * p->spread), p->state[i] != BX_LINE_I);
        if (!bx_cache_found(at))
            continue;
        assert_true(bx_cache_line(c, at, i * p->spread) == i * p->spread);
        assert_int_equal(*bx_cache_cores(c, at), p->cores[i]);
    }
}

static void fill(const struct bx_cache *c, struct plain *p, unsigned i, uint64_t *dice)
{
    struct bx_cache_way at = bx_cache_choose(c, i * p->spread);

    if (bx_cache_state(c, at) != BX_LINE_I) {
        uint64_t victim = bx_cache_line(c, at, i * p->spread);
        assert_int_equal(victim & c->set_mask, i * p->spread & c->set_mask);
        assert_int_not_equal(p->state[victim / p->spread], BX_LINE_I);
        p->state[victim / p->spread] = BX_LINE_I;
    }
    p->state[i] = (uint8_t)(1 + dice_below(dice, BX_LINE_STATES - 1));
    p->cores[i] = (uint16_t)dice_next(dice);
    bx_cache_put(c, at, i * p->spread, (enum bx_line_state)p->state[i]);
    *bx_cache_cores(c, at) = p->cores[i];
}

static void do_anything(const struct bx_cache *c, struct plain *p, uint64_t *dice)
{
    unsigned i = dice_below(dice, LINES);
    struct bx_cache_way at = bx_cache_find(c, i * p->spread);

    if (!bx_cache_found(at)) {
        fill(c, p, i, dice);
    } else if (dice_below(dice, 3) == 0) {
        bx_cache_drop(c, at);
        p->state[i] = BX_LINE_I;
    } else {
        bx_cache_touch(c, at);
        p->state[i] = (uint8_t)(1 + dice_below(dice, BX_LINE_STATES - 1));
        bx_cache_set_state(c, at, (enum bx_line_state)p->state[i]);
    }
}

/* Line numbers go up to the largest, also in caches of so few sets that tags are longer than 32
 * bits: there, numbers whose low bits are all ones look like empty ways. */
static void test_contents(void **state)
{
    (void)state;
    static const struct {
        unsigned sets, ways;
        const struct bx_policy *policy;
    } of[] = {
        {64, 8, &bx_policy_plru},
        {128, 4, &bx_policy_lru},
        {1, 20, &bx_policy_lru},
        {16, 24, &bx_policy_mru},
        {2048, 20, &bx_policy_qlru_h11_m1_r1_u2},
        {1024, 4, &bx_policy_qlru_h00_m1_r2_u1},
        {1, 1, &bx_policy_lru},
        {64, 6, &bx_policy_lru},
        {2, 16, &bx_policy_qlru_h11_m1_r0_u0},
    };
    const uint64_t most = (UINT64_C(1) << BX_LINE_BITS) - 1;
    struct plain *p = malloc(sizeof *p);
    assert_non_null(p);

    for (unsigned n = 0; n < sizeof of / sizeof *of; n++)
        for (unsigned far = 0; far < 2; far++) {
            struct bx_cache c;
            struct bx_replacement r;
            uint64_t dice = n;
            make(&c, &r, of[n].sets, of[n].ways, of[n].policy);
            *p = (struct plain){.spread = far ? most / (LINES - 1) : 1};
            for (unsigned i = 0; i < STEPS; i++) {
                do_anything(&c, p, &dice);
                if (i % 2000 == 0)
                    check_all(&c, p);
            }
            check_all(&c, p);
            bx_arena_free(&memory);
        }
    free(p);
}

/* A tag of all ones in the low 32 bits. */
static void test_long_tags(void **state)
{
    (void)state;
    struct bx_cache c;
    struct bx_replacement r;
    const uint64_t ones = UINT32_MAX, other = ones | UINT64_C(1) << 32;

    make(&c, &r, 1, 4, &bx_policy_lru);
    assert_false(bx_cache_has(&c, ones));
    bx_cache_put(&c, bx_cache_choose(&c, ones), ones, BX_LINE_E);
    assert_true(bx_cache_has(&c, ones));
    assert_false(bx_cache_has(&c, other));
    bx_cache_put(&c, bx_cache_choose(&c, other), other, BX_LINE_M);
    assert_int_equal(bx_cache_state(&c, bx_cache_find(&c, ones)), BX_LINE_E);
    assert_int_equal(bx_cache_state(&c, bx_cache_find(&c, other)), BX_LINE_M);
    bx_cache_drop(&c, bx_cache_find(&c, ones));
    assert_false(bx_cache_has(&c, ones));
    assert_true(bx_cache_has(&c, other));
    bx_arena_free(&memory);
}

/* What the keep functions save is enough to undo fills and hits. */
static void test_undo(void **state)
{
    (void)state;
    static const struct {
        unsigned ways;
        const struct bx_policy *policy;
    } of[] = {{8, &bx_policy_plru}, {8, &bx_policy_lru}, {4, &bx_policy_lru}, {16, &bx_policy_lru}};
    struct bx_undo *u = malloc(sizeof *u);
    assert_non_null(u);

    for (unsigned n = 0; n < sizeof of / sizeof *of; n++) {
        struct bx_cache c;
        struct bx_replacement r;
        uint64_t dice = n;
        make(&c, &r, 64, of[n].ways, of[n].policy);
        size_t bytes = 64 * c.stride;
        uint8_t *was = malloc(bytes);
        assert_non_null(was);
        for (unsigned round = 0; round < 200; round++) {
            for (uint64_t set = 0; set < 64; set++)
                bx_cache_choose(&c, set); /* a set that is full is marked now */
            memcpy(was, c.set, bytes);
            bx_undo_clear(u);
            for (unsigned i = 0; i < 20; i++) {
                uint64_t line = dice_below(&dice, 600);
                struct bx_cache_way at = bx_cache_find(&c, line);
                if (bx_cache_found(at)) {
                    u->end = bx_cache_keep(&c, u->end, at.set);
                    bx_cache_touch(&c, at);
                } else {
                    at = bx_cache_choose(&c, line);
                    u->end = bx_cache_keep_way(&c, u->end, at);
                    bx_cache_put(&c, at, line, BX_LINE_M);
                }
            }
            if (round % 2 == 0)
                continue;
            bx_undo_restore(u);
            assert_memory_equal(c.set, was, bytes);
        }
        free(was);
        bx_arena_free(&memory);
    }
    free(u);
}

static void test_last_lines(void **state)
{
    (void)state;
    static struct bx_last_lines l;
    const uint64_t line = (UINT64_C(1) << BX_LINE_BITS) - 5;
    const bx_access load = bx_access_make(line, BX_LOAD, BX_ACCESS_DEPENDENT, 7);
    const bx_access store = bx_access_make(line, BX_STORE, BX_ACCESS_PARTIAL, 4095);
    const bx_access fetch = bx_access_make(line, BX_FETCH, 0, 0);

    bx_last_lines_clear(&l);
    assert_false(bx_last_lines_repeats(&l, load));
    bx_last_lines_use(&l, line, BX_LINE_E);
    assert_true(bx_last_lines_repeats(&l, load));
    assert_true(bx_last_lines_repeats(&l, load | BX_ACCESS_AUXILIARY));
    assert_false(bx_last_lines_repeats(&l, store));
    assert_false(bx_last_lines_repeats(&l, fetch));
    bx_last_lines_use(&l, line, BX_LINE_M);
    assert_true(bx_last_lines_repeats(&l, store));
    assert_false(bx_last_lines_repeats(&l, bx_access_prefetch(line, BX_PREFETCHER_NEXT, BX_LOAD)));
    bx_last_lines_forget(&l, BX_STORE, line + BX_LAST_LINES); /* another line */
    assert_true(bx_last_lines_repeats(&l, store));
    bx_last_lines_forget(&l, BX_STORE, line);
    assert_false(bx_last_lines_repeats(&l, store));
    bx_last_lines_fetch(&l, line);
    assert_true(bx_last_lines_repeats(&l, fetch));
    bx_last_lines_forget_all(&l, line);
    assert_false(bx_last_lines_repeats(&l, load));
    assert_false(bx_last_lines_repeats(&l, fetch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_long_tags),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_last_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
