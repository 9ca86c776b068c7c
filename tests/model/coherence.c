/* Implements coherence.h. */
#include "../cmocked.h"

#include "coherence.h"

static const struct coherence_machine *of; /* machines of the test */

static const struct bx_privates *privates(const struct rig *r, unsigned package, unsigned core)
{
    return of->privates(r->m, package, core);
}

/* The state that a cache has a line in; I if it does not have the line. */
static enum bx_line_state state_in(const struct bx_cache *c, uint64_t line)
{
    return bx_cache_state(c, bx_cache_find(c, line));
}

/* Calls `check` for each line that the cache has. */
static void
each_line(const struct rig *r, unsigned package, unsigned number, const struct bx_cache *c,
          void (*check)(const struct rig *r, unsigned package, unsigned number, uint64_t line))
{
    for (uint64_t set = 0; set <= c->set_mask; set++)
        for (unsigned way = 0; way < bx_cache_ways(c); way++) {
            struct bx_cache_way at = {bx_cache_set(c, set), way};
            if (bx_cache_state(c, at) != BX_LINE_I)
                check(r, package, number, bx_cache_line(c, at, set));
        }
}

static bool has_alone(const struct bx_privates *core, uint64_t line)
{
    enum bx_line_state l1d = state_in(&core->l1d, line), l2 = state_in(&core->level[0], line);
    return l1d == BX_LINE_E || l1d == BX_LINE_M || l2 == BX_LINE_E || l2 == BX_LINE_M;
}

/* If a core's cache has a line, its slice has it, too, with the core's bit set. */
static void check_core_line(const struct rig *r, unsigned package, unsigned core, uint64_t line)
{
    const struct bx_privates *c = privates(r, package, core);
    const struct bx_cache *llc = of->llc(r->m, package, of->slice_of(r->m, line));
    struct bx_cache_way way = bx_cache_find(llc, line);
    enum bx_line_state state = bx_cache_state(llc, way);

    assert_int_not_equal(state, BX_LINE_I);
    assert_true(*bx_cache_cores(llc, way) >> core & 1);
    if (state_in(&c->l1d, line) == BX_LINE_M)
        assert_int_not_equal(state_in(&c->level[0], line), BX_LINE_I);
    if (!has_alone(c, line))
        return;
    assert_true(state == BX_LINE_E || state == BX_LINE_M);
    for (unsigned other = 0; other < r->cores; other++)
        if (other != core)
            assert_false(bx_privates_have(privates(r, package, other), line));
}

/* If one package's LLC has a line alone, no other LLC has it. Otherwise all share it, and at most
 * one has it in F. */
static void check_llc_line(const struct rig *r, unsigned package, unsigned slice, uint64_t line)
{
    const struct bx_cache *llc = of->llc(r->m, package, slice);
    struct bx_cache_way way = bx_cache_find(llc, line);
    enum bx_line_state state = bx_cache_state(llc, way);
    unsigned cores = *bx_cache_cores(llc, way);

    assert_int_equal(of->slice_of(r->m, line), slice);
    assert_int_equal(cores >> r->cores, 0);
    if (state == BX_LINE_M_PRIME)
        assert_int_not_equal(cores, 0);
    for (unsigned p = 0; p < r->packages; p++) {
        enum bx_line_state other = state_in(of->llc(r->m, p, slice), line);
        if (p == package || other == BX_LINE_I)
            continue;
        assert_true(state == BX_LINE_S || state == BX_LINE_F);
        assert_true(other == BX_LINE_S || (other == BX_LINE_F && state == BX_LINE_S));
    }
}

static void check(const struct rig *r)
{
    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned c = 0; c < r->cores; c++) {
            each_line(r, p, c, &privates(r, p, c)->l1d, check_core_line);
            each_line(r, p, c, &privates(r, p, c)->l1i, check_core_line);
            each_line(r, p, c, &privates(r, p, c)->level[0], check_core_line);
            each_line(r, p, c, of->llc(r->m, p, c), check_llc_line);
        }
}

static struct rig rig_with(unsigned packages, unsigned cores, unsigned sets)
{
    return rig_of(of->model, (bx_model_shape){.packages = packages,
                                              .cores = cores,
                                              .llc_bytes = UINT64_C(64) * cores * sets * of->ways});
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

static void do_anything(struct rig *r, uint64_t *random)
{
    unsigned agents = r->packages * r->cores;
    unsigned agent = (unsigned)(next_random(random) % (agents + 1));
    unsigned kind = (unsigned)(next_random(random) % 3);
    unsigned flags = next_random(random) % 4 ? 0 : BX_ACCESS_PARTIAL;
    uint64_t line = next_random(random) % 24 + next_random(random) % 16 * 512;
    if (next_random(random) % 4 == 0)
        line = next_random(random) % 8;
    rig_do(r, agent < agents ? agent : BX_AGENT_IO, kind, line, flags);
}

/* All agents access a few lines, near each other and far apart, in caches that are too small for
 * them. */
static void test_anything(void **state)
{
    (void)state;
    for (unsigned i = 0; of->shapes[i].packages; i++) {
        unsigned packages = of->shapes[i].packages, cores = of->shapes[i].cores;
        struct rig r = rig_with(packages, cores, 16);
        uint64_t random = packages * 10 + cores;
        for (unsigned step = 0; step < of->steps; step++) {
            do_anything(&r, &random);
            if (step % 400 == 0)
                check(&r);
        }
        check(&r);
        rig_free(&r);
    }
}

/* All at once. */
static void test_work(void **state)
{
    (void)state;
    struct rig r = rig_with(of->packages, of->cores, of->sets);

    for (unsigned i = 0; i < 2; i++) {
        rig_work(&r, of->work[i]);
        check(&r);
    }
    rig_free(&r);
}

int coherence_main(const struct coherence_machine *machine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anything),
        cmocka_unit_test(test_work),
    };
    of = machine;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
