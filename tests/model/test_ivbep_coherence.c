/* What the caches of the Ivy Bridge-EP machine hold never contradicts itself. */
#include "../cmocked.h"

#include "ivbep_rig.h"

#include "model/ivbep/machine.h"

/* The state that a core has a line in; I: not at all. */
static enum bx_mesif state_in(const struct bx_lru *c, uint64_t line)
{
    const struct bx_lru_way *way = bx_lru_find(c, line);
    return way ? (enum bx_mesif)way->state : BX_MESIF_I;
}

static bool has_alone(const struct bx_server_caches *core, uint64_t line)
{
    enum bx_mesif l1d = state_in(&core->l1d, line), l2 = state_in(&core->l2, line);
    return l1d == BX_MESIF_E || l1d == BX_MESIF_M || l2 == BX_MESIF_E || l2 == BX_MESIF_M;
}

/* Of a line that one of the core's caches has. */
static void check_core_line(const struct bx_ivbep *m, unsigned package, unsigned core,
                            uint64_t line)
{
    const struct bx_server_caches *c = &m->core[package][core].privates;
    const struct bx_lru_way *way =
        bx_lru_find(&m->slice[package][bx_ivbep_slice_number(m, line)].llc, line);

    assert_non_null(way);
    assert_true(way->cores >> core & 1);
    if (state_in(&c->l1d, line) == BX_MESIF_M)
        assert_int_not_equal(state_in(&c->l2, line), BX_MESIF_I);
    if (!has_alone(c, line))
        return;
    assert_true(way->state == BX_MESIF_E || way->state == BX_MESIF_M);
    for (unsigned other = 0; other < m->cores; other++)
        if (other != core)
            assert_false(bx_server_caches_have(&m->core[package][other].privates, line));
}

static void check_cache(const struct bx_ivbep *m, unsigned package, unsigned core,
                        const struct bx_lru *c)
{
    for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
        if (c->way[i].state != BX_MESIF_I)
            check_core_line(m, package, core, c->way[i].line);
}

/* Of a line in an LLC: what the other package may have it in. */
static void check_llc_line(const struct bx_ivbep *m, unsigned package, const struct bx_lru_way *way)
{
    unsigned slice = bx_ivbep_slice_number(m, way->line);
    enum bx_mesif other =
        m->packages < 2 ? BX_MESIF_I : state_in(&m->slice[1 - package][slice].llc, way->line);

    assert_int_equal(way->cores >> m->cores, 0);
    if (way->state == BX_MESIF_S)
        assert_true(other == BX_MESIF_I || other == BX_MESIF_S || other == BX_MESIF_F);
    else if (way->state == BX_MESIF_F)
        assert_true(other == BX_MESIF_I || other == BX_MESIF_S);
    else
        assert_int_equal(other, BX_MESIF_I);
    if (way->state == BX_MESIF_M_PRIME)
        assert_true(__builtin_popcount(way->cores) >= 1);
}

static void check(const struct bx_ivbep *m)
{
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            const struct bx_lru *llc = &m->slice[p][c].llc;
            check_cache(m, p, c, &m->core[p][c].privates.l1d);
            check_cache(m, p, c, &m->core[p][c].privates.l1i);
            check_cache(m, p, c, &m->core[p][c].privates.l2);
            for (size_t i = 0; i < (size_t)llc->sets * llc->ways; i++)
                if (llc->way[i].state != BX_MESIF_I) {
                    assert_int_equal(bx_ivbep_slice_number(m, llc->way[i].line), c);
                    check_llc_line(m, p, &llc->way[i]);
                }
        }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Every agent does anything to few lines, near each other and far apart, in caches that are too
 * small for them. */
static void test_anything(void **state)
{
    (void)state;
    enum { STEPS = 40000 };
    for (unsigned packages = 1; packages <= 2; packages++)
        for (unsigned cores = 1; cores <= 5; cores += 2) {
            struct rig r = rig_new(packages, cores, cores * UINT64_C(16) * 20 * 64);
            uint64_t random = packages * 10 + cores;
            for (unsigned i = 0; i < STEPS; i++) {
                unsigned agent = (unsigned)(next_random(&random) % (packages * cores + 1));
                unsigned kind = (unsigned)(next_random(&random) % 3);
                unsigned flags = next_random(&random) % 4 ? 0 : BX_ACCESS_PARTIAL;
                uint64_t line = next_random(&random) % 24 + next_random(&random) % 16 * 512;
                if (next_random(&random) % 4 == 0)
                    line = next_random(&random) % 8;
                rig_do(&r, agent < packages * cores ? agent : BX_AGENT_IO, kind, flags, line);
                if (i % 400 == 0)
                    check(bx_ivbep_of_const(r.m));
            }
            check(bx_ivbep_of_const(r.m));
            rig_free(&r);
        }
}

/* All at once. */
static void test_work(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 4, UINT64_C(4) * 32 * 20 * 64);

    rig_work(&r, "random,size=256K,iterations=20000,cores=6,write=40+copy,size=128K,cores=2"
                 "+dma,size=256K,iterations=20000,step=48");
    check(bx_ivbep_of_const(r.m));
    rig_work(&r, "sharing,size=64K,cores=8,iterations=5000,write=40+dma,size=64K,iterations=9000");
    check(bx_ivbep_of_const(r.m));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anything),
        cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
