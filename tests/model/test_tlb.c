/* TLBs, page walks and page tables: docs/explanation/model-memory.md, "TLBs". */
#include "../cmocked.h"

#include "model/core/tlb.h"
#include "model/engine/permute.h"
#include "model/part/replacement.h"
#include "plain_tlb.h"
#include "rig.h"

#include <string.h>

static const bx_tlb_geometry small_tlbs = {
    .l1 = {[BX_TLB_DATA] = {{16, 4}, {8, 2}}, [BX_TLB_INSTRUCTIONS] = {{8, 8}, {4, 4}}},
    .stlb = {64, 8},
    .stlb_cycles = {5, 6},
    .structure = {[BX_PDE] = 8, [BX_PDPTE] = 2, [BX_PML4E] = 1},
    .walk_load = 4,
};

static const bx_tlb_geometry *const geometry[PLAIN_PROCESSORS] = {
    [PLAIN_SKYLAKE] = &bx_tlb_skylake,
    [PLAIN_IVY_BRIDGE] = &bx_tlb_ivy_bridge,
    [PLAIN_NEHALEM] = &bx_tlb_nehalem,
    [PLAIN_OTHER] = &small_tlbs,
};

/* A core, and an address space. */
struct core {
    bx_tlb *tlb;
    struct bx_page_tables *tables;
    struct bx_frames *frames;
    bx_access access; /* the last access, with the change made to it */
    bx_access walk[BX_WALK_LOADS];
};

static struct core core_of(const bx_tlb_geometry *g)
{
    struct core c = {.tlb = bx_tlb_new(g), .frames = bx_frames_new(1)};
    c.tables = bx_page_tables_new(c.frames);
    assert_non_null(c.tlb);
    assert_non_null(c.tables);
    return c;
}

static void core_free(struct core *c)
{
    bx_tlb_free(c->tlb);
    bx_page_tables_free(c->tables);
    bx_frames_free(c->frames);
}

/* Loads of the page walk; the access has a cost of 10. */
static size_t go(struct core *c, unsigned kind, uint64_t page, enum bx_page_size size)
{
    c->access = bx_access_make(7, kind, 0, 10);
    if (bx_tlb_hits(c->tlb, kind == BX_FETCH ? BX_TLB_INSTRUCTIONS : BX_TLB_DATA, page))
        return 0;
    return bx_tlb_translate(c->tlb, c->tables, page, size, &c->access, c->walk);
}

static size_t load(struct core *c, uint64_t page)
{
    return go(c, BX_LOAD, page, BX_PAGE_4K);
}

static unsigned cost(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* ---- by hand ---- */

static void test_cold_and_warm(void **state)
{
    (void)state;
    struct core c = core_of(&bx_tlb_skylake);
    assert_int_equal(load(&c, 0), 4);
    assert_int_equal(cost(c.walk[0]), 10);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(cost(c.walk[i]), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c.walk[i] & 0xf, BX_LOAD | BX_ACCESS_DEPENDENT);
        assert_int_equal(bx_access_line(c.walk[i]), bx_page_tables_line(c.tables, 3 - i, 0));
    }
    assert_true(c.access == bx_access_make(7, BX_LOAD, 0, 4));
    assert_int_equal(load(&c, 1), 1);
    assert_int_equal(cost(c.walk[0]), 10);
    assert_int_equal(bx_access_line(c.walk[0]), bx_page_tables_line(c.tables, BX_PTE, 1));
    assert_int_equal(load(&c, 512), 2);
    assert_int_equal(load(&c, 512 * 512), 3);
    assert_int_equal(load(&c, 512 * 512 * 512), 4);
    assert_int_equal(load(&c, 0), 0);
    assert_int_equal(cost(c.access), 10);
    core_free(&c);
}

static void test_huge(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLAIN_OTHER; p++) {
        struct core c = core_of(geometry[p]);
        assert_int_equal(go(&c, BX_LOAD, 0, BX_PAGE_2M), 3);
        assert_int_equal(go(&c, BX_LOAD, 511, BX_PAGE_2M), 0);
        assert_int_equal(go(&c, BX_LOAD, 512, BX_PAGE_2M), 1);
        assert_int_equal(bx_access_line(c.walk[0]), bx_page_tables_line(c.tables, BX_PDE, 512));
        assert_int_equal(go(&c, BX_FETCH, 512, BX_PAGE_2M), p == PLAIN_SKYLAKE ? 0 : 1);
        core_free(&c);
    }
}

/* The fifth page of a set evicts the first one from the DTLB, but the STLB still has it. */
static void test_stlb_hit(void **state)
{
    static const unsigned data[] = {9, 7, 7}, instructions[] = {9, 12, 7};
    (void)state;
    for (unsigned p = 0; p < PLAIN_OTHER; p++) {
        struct core c = core_of(geometry[p]);
        for (unsigned i = 0; i < 5; i++)
            assert_true(go(&c, i % 2 ? BX_STORE : BX_LOAD, 16 * i, BX_PAGE_4K) > 0);
        assert_int_equal(load(&c, 0), 0);
        assert_int_equal(cost(c.access), 10 + data[p]);
        assert_int_equal(go(&c, BX_FETCH, 16, BX_PAGE_4K), 0);
        assert_int_equal(cost(c.access), 10 + instructions[p]);
        const bx_tlb_counts *counts = &c.tlb->counts;
        assert_int_equal(counts->walks[BX_LOAD], 3);
        assert_int_equal(counts->walks[BX_STORE], 2);
        assert_int_equal(counts->walk_loads[BX_LOAD], 6);
        assert_int_equal(counts->walk_loads[BX_STORE], 2);
        assert_int_equal(counts->stlb_hits[BX_LOAD], 1);
        assert_int_equal(counts->stlb_hits[BX_FETCH], 1);
        core_free(&c);
    }
}

/* A core that goes on past loads hides the hit of a load that nobody waits for. */
static void test_stlb_hit_overlaps(void **state)
{
    (void)state;
    static const struct {
        unsigned kind, cost;
    } cases[] = {{BX_LOAD, 10}, {BX_STORE, 10}, {BX_LOAD | BX_ACCESS_DEPENDENT, 10 + 9}};
    bx_tlb_geometry overlapping = bx_tlb_skylake;
    overlapping.overlaps = true;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct core c = core_of(&overlapping);
        for (unsigned i = 0; i < 5; i++)
            load(&c, 16 * i);
        assert_int_equal(go(&c, cases[n].kind, 0, BX_PAGE_4K), 0);
        assert_int_equal(cost(c.access), cases[n].cost);
        assert_int_equal(c.tlb->counts.stlb_hits[cases[n].kind & 3], 1);
        assert_int_equal(go(&c, BX_FETCH, 16, BX_PAGE_4K), 0);
        assert_int_equal(cost(c.access), 10 + 9);
        core_free(&c);
    }
}

/* A cost has 12 bits. */
static void test_largest_cost(void **state)
{
    (void)state;
    struct core c = core_of(&bx_tlb_skylake);
    bx_access a = bx_access_make(7, BX_FETCH, 0, BX_ACCESS_COST_MAX - 1);
    load(&c, 3);
    assert_int_equal(bx_tlb_translate(c.tlb, c.tables, 3, BX_PAGE_4K, &a, c.walk), 0);
    assert_true(a == bx_access_make(7, BX_FETCH, 0, BX_ACCESS_COST_MAX));
    core_free(&c);
}

static void test_invalidation(void **state)
{
    (void)state;
    struct core c = core_of(&bx_tlb_ivy_bridge);
    for (unsigned page = 0; page < 40; page++)
        load(&c, page);
    bx_tlb_invalidate(c.tlb, 3, 2);
    assert_int_equal(load(&c, 2), 0);
    assert_int_equal(load(&c, 3), 4); /* the structure caches are empty */
    assert_int_equal(load(&c, 4), 1);
    assert_int_equal(load(&c, 5), 0);
    bx_tlb_invalidate(c.tlb, 1000, 33);
    assert_int_equal(load(&c, 5), 0);
    bx_tlb_invalidate(c.tlb, 1000, 34);
    assert_int_equal(load(&c, 5), 4);
    core_free(&c);
}

/* Skylake's STLB: pages of its set 0. */
static uint64_t page_of_set_0(unsigned i)
{
    return (uint64_t)i << 7 | i;
}

/* Whether the STLB has a page. The DTLB may have it as well, so four other pages of its set are
 * loaded first. */
static bool is_in_stlb(struct core *c, uint64_t page)
{
    for (unsigned i = 1; i <= 4; i++)
        load(c, page % 16 + 16 * i);
    uint64_t walks = c->tlb->counts.walks[BX_LOAD];
    load(c, page);
    return c->tlb->counts.walks[BX_LOAD] == walks;
}

/* Permutation vectors of a set of 12 ways, published by vusec/tlbdr: position 11 is replaced next.
 * After a hit at position i, the entry of position vector[i][k] is at position k. */
static const uint8_t vector[12][12] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {1, 2, 0, 4, 5, 3, 7, 8, 6, 10, 11, 9},
    {2, 0, 1, 5, 3, 4, 8, 6, 7, 11, 9, 10}, {3, 1, 2, 0, 4, 5, 9, 7, 8, 6, 10, 11},
    {4, 2, 0, 1, 5, 3, 10, 8, 6, 7, 11, 9}, {5, 0, 1, 2, 3, 4, 11, 6, 7, 8, 9, 10},
    {6, 1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11}, {7, 2, 0, 4, 5, 3, 1, 8, 6, 10, 11, 9},
    {8, 0, 1, 5, 3, 4, 2, 6, 7, 11, 9, 10}, {9, 1, 2, 0, 4, 5, 3, 7, 8, 6, 10, 11},
    {10, 2, 0, 1, 5, 3, 4, 8, 6, 7, 11, 9}, {11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
};

/* Whether the page at position `at` is still there after a hit at position `hit` and `fills` more
 * pages. */
static bool stays(unsigned hit, unsigned fills, unsigned at)
{
    struct core c = core_of(&bx_tlb_skylake);
    for (unsigned i = 0; i < 24; i++)
        go(&c, BX_FETCH, page_of_set_0(i), BX_PAGE_4K);
    load(&c, page_of_set_0(23 - hit)); /* the latest fill is at position 0 */
    for (unsigned i = 0; i < fills; i++)
        go(&c, BX_FETCH, page_of_set_0(40 + i), BX_PAGE_4K);
    bool there = is_in_stlb(&c, page_of_set_0(23 - vector[hit][at]));
    core_free(&c);
    return there;
}

static void test_published_replacement(void **state)
{
    (void)state;
    for (unsigned hit = 0; hit < 12; hit++)
        for (unsigned at = 0; at < 12; at++) {
            assert_true(stays(hit, 11 - at, at));
            assert_false(stays(hit, 12 - at, at));
        }
}

/* ---- page tables ---- */

static void test_tables(void **state)
{
    (void)state;
    struct bx_frames *f = bx_frames_new(1), *same = bx_frames_new(1);
    struct bx_page_tables *t = bx_page_tables_new(f);
    uint64_t line[BX_PAGE_LEVELS];
    bx_page_tables_make(t, 0, BX_PTE);
    for (unsigned level = 0; level < BX_PAGE_LEVELS; level++) {
        line[level] = bx_page_tables_line(t, level, 0);
        assert_int_equal(line[level] % 64, 0);
        for (unsigned other = 0; other < level; other++)
            assert_true(line[other] != line[level]);
        uint64_t one = UINT64_C(1) << 9 * level; /* pages of one entry */
        assert_int_equal(bx_page_tables_line(t, level, one - 1), line[level]);
        assert_int_equal(bx_page_tables_line(t, level, 7 * one), line[level]);
        assert_int_equal(bx_page_tables_line(t, level, 8 * one), line[level] + 1);
        assert_int_equal(bx_page_tables_line(t, level, 511 * one), line[level] + 63);
    }
    assert_true(bx_page_tables_line(t, BX_PTE, 512) != line[BX_PTE] + 64);
    assert_int_equal(bx_page_tables_line(t, BX_PDE, 512), line[BX_PDE]);
    /* Pages have the same frames with and without tables. The next pages get the tables' frames
     * again. */
    for (unsigned page = 0; page < 100; page++)
        assert_int_equal(bx_frames_take(f, BX_FRAME_OF_PAGE, 0),
                         bx_frames_take(same, BX_FRAME_OF_PAGE, 0));
    bx_page_tables_clear(t);
    bool again = false;
    uint64_t next = bx_page_tables_line(t, BX_PML4E, 0);
    for (unsigned level = 0; level < BX_PAGE_LEVELS; level++)
        again |= line[level] == next;
    assert_true(again);
    assert_false(bx_page_tables_out_of_memory(t));
    bx_page_tables_free(t);
    bx_page_tables_free(NULL);
    bx_frames_free(f);
    bx_frames_free(same);
}

/* ---- against a plain one ---- */

static bool is_huge(uint64_t page)
{
    return page >> 30 & 1;
}

/* Pages of a stream: near and far ones, at distances of a set's size, of both sizes. */
static uint64_t next_page(uint64_t *random, uint64_t before)
{
    uint64_t r = bx_random(random), n = r >> 8;
    switch (r % 8) {
    case 0:
        return before;
    case 1:
    case 2:
        return before + 1;
    case 3:
        return before + 16;
    case 4:
        return n % 100;
    case 5:
        return n % 4000 * (n >> 40 & 1 ? 128 : 1);
    case 6:
        return (UINT64_C(1) << 30) + n % (512 * 60);
    default:
        return n & ((UINT64_C(1) << (n >> 50) % 36) - 1);
    }
}

static void check(struct core *c, struct plain_tlb *plain, unsigned kind, uint64_t page,
                  const bx_tlb_geometry *g)
{
    bool huge = is_huge(page);
    struct plain_translation p = plain_tlb_access(plain, page, huge, kind == BX_FETCH);
    size_t n = go(c, kind, page, huge ? BX_PAGE_2M : BX_PAGE_4K);
    bool walks = !p.first_level && !p.stlb;
    assert_int_equal(n, walks ? p.first - p.last + 1 : 0);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(bx_access_line(c->walk[i]),
                         bx_page_tables_line(c->tables, p.first - i, page));
    assert_int_equal(cost(c->access),
                     walks ? 4 : 10 + (p.stlb ? g->stlb_cycles[kind == BX_FETCH] : 0));
}

static void test_against_plain(void **state)
{
    (void)state;
    for (unsigned processor = 0; processor < PLAIN_PROCESSORS; processor++) {
        struct core c = core_of(geometry[processor]);
        struct plain_tlb *plain = plain_tlb_new(processor);
        uint64_t random = processor, page = 0;
        for (unsigned i = 0; i < 300000; i++) {
            page = next_page(&random, page);
            uint64_t r = bx_random(&random);
            if (r % 500 == 0) {
                uint64_t pages = r % 5000 == 0 ? 30 + (r >> 20) % 8 : (r >> 20) % 4;
                bx_tlb_invalidate(c.tlb, page, pages);
                plain_tlb_invalidate(plain, page, pages);
            }
            check(&c, plain, r >> 32 & 3 ? (unsigned)(r >> 40 & 1) : BX_FETCH, page,
                  geometry[processor]);
        }
        const bx_tlb_counts *n = &c.tlb->counts;
        for (unsigned kind = 0; kind <= BX_FETCH; kind++)
            assert_true(n->stlb_hits[kind] > 1000 && n->walks[kind] > 1000);
        plain_tlb_free(plain);
        core_free(&c);
    }
}

/* ---- workloads ---- */

static bx_tlb_counts counts_of(const bx_tlb_geometry *g, const char *spec, bool huge,
                               uint64_t *accesses)
{
    bx_error e;
    struct bx_workload *w;
    struct bx_frames *frames = huge ? bx_frames_new_huge(1) : bx_frames_new(1);
    assert_int_equal(bx_workload_new(spec, strlen(spec), 4, frames, &w, &e), BX_OK);
    assert_null(bx_workload_translations(w, 0));
    assert_true(bx_workload_translate(w, g, frames));
    bx_feed *feed = bx_workload_feed(w, 0);
    for (*accesses = 0; feed->refill(feed) == BX_FEED_MORE; feed->next = feed->end)
        *accesses += (uint64_t)(feed->end - feed->next);
    bx_tlb_counts counts = *bx_workload_translations(w, 0);
    assert_null(bx_workload_translations(w, 1));
    bx_workload_free(w);
    bx_frames_free(frames);
    return counts;
}

/* 2^18 pages of 4K, or 512 of 2M, which only Skylake's STLB can hold. */
static void test_random(void **state)
{
    static const char random[] = "random,size=1G,iterations=100000,write=0";
    const unsigned n = 100000;
    (void)state;
    for (unsigned p = 0; p < PLAIN_OTHER; p++) {
        uint64_t small_accesses, huge_accesses;
        bx_tlb_counts small = counts_of(geometry[p], random, false, &small_accesses);
        bx_tlb_counts huge = counts_of(geometry[p], random, true, &huge_accesses);
        assert_in_range(small.walks[BX_LOAD], n - n / 50, n);
        assert_in_range(small.walk_loads[BX_LOAD], 19 * n / 10, 2 * n);
        assert_int_equal(small_accesses, n + small.walk_loads[BX_LOAD]);
        assert_int_equal(huge_accesses, n + huge.walk_loads[BX_LOAD]);
        if (p == PLAIN_SKYLAKE) {
            assert_int_equal(huge.walks[BX_LOAD], 512);
            assert_in_range(huge.stlb_hits[BX_LOAD], n * 92 / 100, n * 95 / 100);
        } else {
            assert_in_range(huge.walks[BX_LOAD], n * 92 / 100, n * 95 / 100);
            assert_int_equal(huge.stlb_hits[BX_LOAD], 0);
        }
        assert_int_equal(huge.walk_loads[BX_LOAD], huge.walks[BX_LOAD] + 2);
    }
}

/* A sweep makes one walk for each page: three arrays of 64 pages. */
static void test_sweep(void **state)
{
    (void)state;
    uint64_t accesses;
    bx_tlb_counts n = counts_of(&bx_tlb_ivy_bridge, "stream,size=256K", false, &accesses);
    assert_int_equal(n.walks[BX_LOAD], 128);
    assert_int_equal(n.walks[BX_STORE], 64);
    assert_int_equal(n.walk_loads[BX_LOAD] + n.walk_loads[BX_STORE], 192 + 3);
    assert_int_equal(n.stlb_hits[BX_LOAD] + n.stlb_hits[BX_STORE], 0);
    assert_int_equal(accesses, 3 * 32768 + 195);
}

/* Four cores with one access each, and graphics and IO: each has its own TLBs, or none. */
static void test_agents(void **state)
{
    (void)state;
    struct bx_workload *w;
    bx_error e;
    struct bx_frames *frames = bx_frames_new(1);
    static const char spec[] = "random,cores=4,iterations=1+dma,iterations=1+gfx,iterations=1";
    assert_int_equal(bx_workload_new(spec, strlen(spec), 4, frames, &w, &e), BX_OK);
    assert_true(bx_workload_translate(w, &bx_tlb_nehalem, frames));
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        bx_feed *feed = bx_workload_feed(w, agent);
        if (!feed)
            continue;
        assert_int_equal(feed->refill(feed), BX_FEED_MORE);
        assert_int_equal(feed->end - feed->next, agent < BX_AGENT_GT ? 5 : 1);
    }
    assert_null(bx_workload_translations(w, BX_AGENT_IO));
    bx_workload_free(w);
    bx_frames_free(frames);
}

/* Which of four pages of a set a fifth one displaces, after the first of them was used again. */
static uint64_t displaced(const char *policy)
{
    enum { SETS = 16, PAGES = 4 };
    bx_tlb_geometry g = bx_tlb_skylake;
    uint64_t number = 0, gone = PAGES;

    assert_true(!*policy || bx_named_number(BX_STR("l2_policy"), bx_str_of(policy), &number));
    g.l1[BX_TLB_DATA][BX_PAGE_4K].policy = (uint16_t)number;
    struct core c = core_of(&g);
    for (uint64_t page = 0; page < PAGES; page++)
        load(&c, page * SETS);
    load(&c, 0);
    load(&c, PAGES * SETS);
    for (uint64_t page = 0; page < PAGES; page++)
        if (!bx_tlb_find(c.tlb, BX_TLB_DATA, page * SETS)) {
            assert_int_equal(gone, PAGES);
            gone = page;
        }
    core_free(&c);
    return gone;
}

/* PLRU: the use of way 0 points to ways 2 and 3, of which 3 was used last. LRU: way 1. MRU: the
 * fill of way 3 made all others old, the use of way 0 leaves 1 and 2. */
static void test_policy(void **state)
{
    (void)state;
    assert_int_equal(displaced(""), 2);
    assert_int_equal(displaced("PLRU"), 2);
    assert_int_equal(displaced("LRU"), 1);
    assert_int_equal(displaced("MRU"), 1);
}

static int check_dtlb(unsigned entries, unsigned ways, const struct bx_policy *policy)
{
    bx_tlb_geometry g = bx_tlb_skylake;
    uint16_t number = 0;
    bx_error e;

    while (policy && bx_policy_at(number) != policy)
        number++;
    g.l1[BX_TLB_DATA][BX_PAGE_4K] = (bx_tlb_size){(uint16_t)entries, (uint16_t)ways, number};
    return bx_tlb_check(&g, &e);
}

static void test_impossible(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLAIN_PROCESSORS; p++) {
        bx_error e;
        assert_int_equal(bx_tlb_check(geometry[p], &e), BX_OK);
    }
    assert_int_equal(check_dtlb(64, 4, NULL), BX_OK);
    assert_int_equal(check_dtlb(48, 4, NULL), BX_BAD_INPUT); /* 12 sets */
    assert_int_equal(check_dtlb(64, 5, NULL), BX_BAD_INPUT); /* not whole sets */
    assert_int_equal(check_dtlb(6, 6, NULL), BX_OK);         /* one set, LRU */
    assert_int_equal(check_dtlb(12, 6, NULL), BX_BAD_INPUT); /* no tree of six ways */
    assert_int_equal(check_dtlb(12, 6, &bx_policy_lru), BX_OK);
    assert_int_equal(check_dtlb(64, 1, NULL), BX_BAD_INPUT); /* 64 sets */
    assert_int_equal(check_dtlb(48, 12, NULL), BX_OK);       /* grouped */
    assert_int_equal(check_dtlb(64, 4, &bx_policy_grouped_plru), BX_BAD_INPUT);
    assert_int_equal(check_dtlb(64, 4, &bx_policy_qlru_h00_m1_r2_u1), BX_BAD_INPUT);
}

/* Which TLBs each machine has. */
static void test_machines(void **state)
{
    static const char *const model[] = {"client", "ivbep", "nhmex"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        bx_model_shape shape = {.packages = 1, .cores = 2, .slices = 2};
        shape.llc_bytes = i ? 0 : 4 << 20;
        struct rig r = rig_of(model[i], shape);
        assert_null(bx_model_tlb(r.m));
        rig_free(&r);
        shape.tlb = true;
        r = rig_of(model[i], shape);
        assert_ptr_equal(bx_model_tlb(r.m), geometry[i]);
        rig_free(&r);
        shape.tlbs = &small_tlbs;
        r = rig_of(model[i], shape);
        assert_ptr_equal(bx_model_tlb(r.m), &small_tlbs);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold_and_warm),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_stlb_hit),
        cmocka_unit_test(test_stlb_hit_overlaps),
        cmocka_unit_test(test_largest_cost),
        cmocka_unit_test(test_invalidation),
        cmocka_unit_test(test_published_replacement),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_against_plain),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_agents),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
