/* What the caches of the Xeon 7500 machine hold never contradicts itself. */
#include "../cmocked.h"

#include "nhmex_rig.h"

#include "model/nhmex/machine.h"

/* The state that a cache has a line in; I: not at all. */
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

/* Of a line that one of the core's caches has: its slice has it too, and knows. */
static void check_core_line(const struct bx_nhmex *m, unsigned package, unsigned core,
                            uint64_t line)
{
    const struct bx_server_caches *c = &m->package[package].core[core];
    const struct bx_lru_way *way =
        bx_lru_find(&m->package[package].c[bx_nhmex_slice(m, line)].llc, line);

    assert_non_null(way);
    assert_true(way->cores >> core & 1);
    if (state_in(&c->l1d, line) == BX_MESIF_M)
        assert_int_not_equal(state_in(&c->l2, line), BX_MESIF_I);
    if (!has_alone(c, line))
        return;
    assert_true(way->state == BX_MESIF_E || way->state == BX_MESIF_M);
    for (unsigned other = 0; other < m->cores; other++)
        if (other != core)
            assert_false(bx_server_caches_have(&m->package[package].core[other], line));
}

static void check_cache(const struct bx_nhmex *m, unsigned package, unsigned core,
                        const struct bx_lru *c)
{
    for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
        if (c->way[i].state != BX_MESIF_I)
            check_core_line(m, package, core, c->way[i].line);
}

/* Of a line in an LLC: one package has it in E or M alone, or at most one of them in F. */
static void check_llc_line(const struct bx_nhmex *m, unsigned package, const struct bx_lru_way *way)
{
    unsigned slice = bx_nhmex_slice(m, way->line);

    assert_int_equal(way->cores >> m->cores, 0);
    for (unsigned p = 0; p < m->packages; p++) {
        enum bx_mesif other = state_in(&m->package[p].c[slice].llc, way->line);
        if (p == package || other == BX_MESIF_I)
            continue;
        assert_true(way->state == BX_MESIF_S || way->state == BX_MESIF_F);
        assert_true(other == BX_MESIF_S || (other == BX_MESIF_F && way->state == BX_MESIF_S));
    }
}

static void check_slice(const struct bx_nhmex *m, unsigned package, unsigned slice)
{
    const struct bx_lru *llc = &m->package[package].c[slice].llc;

    for (size_t i = 0; i < (size_t)llc->sets * llc->ways; i++)
        if (llc->way[i].state != BX_MESIF_I) {
            assert_int_equal(bx_nhmex_slice(m, llc->way[i].line), slice);
            check_llc_line(m, package, &llc->way[i]);
        }
}

static void check(const struct bx_nhmex *m)
{
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            check_cache(m, p, c, &m->package[p].core[c].l1d);
            check_cache(m, p, c, &m->package[p].core[c].l1i);
            check_cache(m, p, c, &m->package[p].core[c].l2);
            check_slice(m, p, c);
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
    enum { STEPS = 12000 };
    static const struct {
        unsigned packages, cores;
    } shapes[] = {{1, 1}, {1, 3}, {2, 2}, {3, 1}, {4, 2}, {5, 1}, {8, 1}};

    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        unsigned packages = shapes[i].packages, cores = shapes[i].cores;
        struct rig r = rig_new(packages, cores, cores * UINT64_C(16) * 24 * 64);
        uint64_t random = packages * 10 + cores;
        for (unsigned step = 0; step < STEPS; step++) {
            unsigned agent = (unsigned)(next_random(&random) % (packages * cores + 1));
            unsigned kind = (unsigned)(next_random(&random) % 3);
            unsigned flags = next_random(&random) % 4 ? 0 : BX_ACCESS_PARTIAL;
            uint64_t line = next_random(&random) % 24 + next_random(&random) % 16 * 512;
            if (next_random(&random) % 4 == 0)
                line = next_random(&random) % 8;
            rig_do(&r, agent < packages * cores ? agent : BX_AGENT_IO, kind, flags, line);
            if (step % 400 == 0)
                check(bx_nhmex_of_const(r.m));
        }
        check(bx_nhmex_of_const(r.m));
        rig_free(&r);
    }
}

/* All at once. */
static void test_work(void **state)
{
    (void)state;
    struct rig r = rig_new(4, 2, UINT64_C(2) * 64 * 24 * 64);

    rig_work(&r, "random,size=256K,iterations=10000,cores=6,write=40+copy,size=128K,cores=2"
                 "+dma,size=256K,iterations=5000,step=48");
    check(bx_nhmex_of_const(r.m));
    rig_work(&r, "sharing,size=64K,cores=8,iterations=5000,write=40+dma,size=64K,iterations=5000");
    check(bx_nhmex_of_const(r.m));
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
