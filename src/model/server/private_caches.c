/* Private accesses, snoops and fills of a core's caches. */
#include "model/server/private_caches.h"

bool bx_server_caches_power_on(struct bx_server_caches *p,
                               const struct bx_server_caches_shape *shape,
                               const bx_model_times *times, bool measured_replacement)
{
    enum bx_policy policy = measured_replacement ? BX_POLICY_PLRU : BX_POLICY_LRU;

    p->l2_hit = (uint8_t)times->l2_hit;
    p->l2_wait = (uint8_t)times->l2_wait;
    return bx_lru_power_on(&p->l1d, shape->l1d_sets, shape->l1d_ways, policy) &&
           bx_lru_power_on(&p->l1i, shape->l1i_sets, shape->l1i_ways, policy) &&
           bx_lru_power_on(&p->l2, shape->l2_sets, shape->l2_ways, policy);
}

void bx_server_caches_free(struct bx_server_caches *p)
{
    bx_lru_free(&p->l1d);
    bx_lru_free(&p->l1i);
    bx_lru_free(&p->l2);
}

/* ---- snoops ---- */

static bool drop(struct bx_lru_way *way, bool invalidate)
{
    bool dirty = way && way->state == BX_LINE_M;

    if (way)
        way->state = invalidate ? BX_LINE_I : BX_LINE_S;
    return dirty;
}

bool bx_server_caches_have(const struct bx_server_caches *p, uint64_t line)
{
    return bx_lru_find(&p->l1d, line) || bx_lru_find(&p->l1i, line) || bx_lru_find(&p->l2, line);
}

enum bx_server_core_response bx_server_caches_snoop(struct bx_server_caches *p, uint64_t line,
                                                    bool invalidate)
{
    if (!bx_server_caches_have(p, line))
        return BX_SERVER_CORE_MISS;
    bool dirty = drop(bx_lru_find(&p->l1d, line), invalidate);
    dirty |= drop(bx_lru_find(&p->l2, line), invalidate);
    drop(bx_lru_find(&p->l1i, line), invalidate);
    return dirty ? BX_SERVER_CORE_DIRTY : BX_SERVER_CORE_CLEAN;
}

/* ---- private accesses ---- */

/* Saves a whole way as two overlapping blocks. For a touch, the second block is enough. */
static void keep(struct bx_server_caches *p, struct bx_lru_way *way)
{
    _Static_assert(offsetof(struct bx_lru_way, used) + BX_UNDO_BYTES == sizeof *way, "");
    if (!p->undo.open)
        return;
    p->undo.end = bx_undo_keep(bx_undo_keep(p->undo.end, way), &way->used);
    p->undo.lost = true;
}

static void touch(struct bx_server_caches *p, struct bx_lru *cache, struct bx_lru_way *way)
{
    if (p->undo.open)
        p->undo.end = bx_undo_keep(p->undo.end, &way->used);
    bx_lru_touch(cache, way);
}

static void put(struct bx_server_caches *p, struct bx_lru *cache, struct bx_lru_way *way,
                uint64_t line, enum bx_line_state state)
{
    keep(p, way);
    bx_lru_put(cache, way, line, state, 0);
}

/* Fills L1D. A line that is modified in L1D is in L2 as well, so a modified victim of L1D is
 * written to its L2 line. */
static void l1d_fill(struct bx_server_caches *p, uint64_t line, enum bx_line_state state)
{
    struct bx_lru_way *fill_way = bx_lru_choose_way(&p->l1d, line);

    if (fill_way->state == BX_LINE_M) {
        struct bx_lru_way *l2 = bx_lru_find(&p->l2, fill_way->line);
        if (p->undo.open)
            p->undo.end = bx_undo_keep(bx_undo_keep(p->undo.end, &l2->used),
                                       bx_core_counts_pair(p->counts, BX_CORE_L1D_WRITE_BACKS));
        p->counts->count[BX_CORE_L1D_WRITE_BACKS]++;
        l2->state = BX_LINE_M;
    }
    put(p, &p->l1d, fill_way, line, state);
}

/* Counts an access that L2 serves. count: as for bx_core_count_l2_hit(). */
static void count_l2_hit(struct bx_server_caches *p, bx_access a, unsigned count)
{
    if (p->undo.open)
        p->undo.end = bx_undo_keep(p->undo.end, bx_core_counts_pair(p->counts, count));
    bx_core_count_l2_hit(p->counts, a, count);
}

static int l2_cycles(const struct bx_server_caches *p, bx_access a)
{
    return a & BX_ACCESS_DEPENDENT ? p->l2_wait : p->l2_hit;
}

static int fetch(struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    struct bx_lru_way *way = bx_lru_find(&p->l1i, line);

    if (way) {
        touch(p, &p->l1i, way);
        return 0;
    }
    way = bx_lru_find(&p->l2, line);
    if (!way || bx_super_queue_until(&p->super_queue, line, t))
        return BX_SERVER_UNCORE;
    count_l2_hit(p, a, BX_CORE_L2_FETCH_HIT);
    touch(p, &p->l2, way);
    put(p, &p->l1i, bx_lru_choose_way(&p->l1i, line), line, BX_LINE_S);
    return l2_cycles(p, a);
}

/* Serves an access from L2. L1D does not have the line. */
static void use_l2(struct bx_server_caches *p, struct bx_lru_way *l2, bool store)
{
    enum bx_line_state clean = l2->state == BX_LINE_S ? BX_LINE_S : BX_LINE_E;

    touch(p, &p->l2, l2);
    l1d_fill(p, l2->line, store ? BX_LINE_M : clean);
}

static int prefetch(struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    enum bx_prefetcher by = bx_access_prefetcher(a);
    struct bx_lru_way *l2 = bx_lru_find(&p->l2, line);
    bool is_there =
        bx_prefetches_l1(by) ? bx_lru_find(&p->l1d, line) != NULL : bx_server_caches_have(p, line);

    if (is_there || p->prefetchers_off >> by & 1)
        return 0;
    if (!l2)
        return bx_super_queue_free(&p->super_queue, t) < BX_SUPER_QUEUE ? BX_SERVER_UNCORE : 0;
    if (bx_super_queue_until(&p->super_queue, line, t))
        return 0;
    count_l2_hit(p, a, BX_CORE_L2_PREFETCH_HIT);
    use_l2(p, l2, false);
    return 0;
}

uint64_t bx_server_caches_wait(const struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    const struct bx_lru_way *l2 = bx_lru_find(&p->l2, line);
    bool store = bx_server_access_kind(a) == BX_STORE;

    if (bx_server_access_kind(a) == BX_NON_TEMPORAL || !l2 || (store && l2->state == BX_LINE_S) ||
        (store && bx_lru_find(&p->l1d, line)))
        return 0;
    return bx_super_queue_until(&p->super_queue, line, t);
}

int bx_server_caches_access(struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    bool store = bx_server_access_kind(a) == BX_STORE;

    if (bx_server_access_kind(a) == BX_FETCH)
        return fetch(p, a, t);
    if (bx_server_access_kind(a) == BX_NON_TEMPORAL)
        return bx_access_is_lock(a)     ? BX_SERVER_LOCK
               : a & BX_ACCESS_PREFETCH ? prefetch(p, a, t)
                                        : BX_SERVER_UNCORE;
    struct bx_lru_way *l1 = bx_lru_find(&p->l1d, line);
    if (l1 && (!store || l1->state == BX_LINE_M)) {
        touch(p, &p->l1d, l1);
        return 0;
    }
    struct bx_lru_way *l2 = bx_lru_find(&p->l2, line);
    if (!l2 || (store && l2->state == BX_LINE_S) || (l1 && l1->state == BX_LINE_S))
        return BX_SERVER_UNCORE;
    if (l1) { /* a store to a line in E */
        touch(p, &p->l1d, l1);
        l1->state = BX_LINE_M;
        return 0;
    }
    if (bx_super_queue_until(&p->super_queue, line, t))
        return BX_SERVER_UNCORE;
    count_l2_hit(p, a, bx_core_l2_hit(store));
    use_l2(p, l2, store);
    return l2_cycles(p, a);
}

/* ---- requests to the uncore ---- */

enum bx_core_count bx_server_source(enum bx_server_core_response response)
{
    return response == BX_SERVER_CORE_DIRTY   ? BX_CORE_FROM_CORE_DIRTY
           : response == BX_SERVER_CORE_CLEAN ? BX_CORE_FROM_CORE_CLEAN
           : response == BX_SERVER_CORE_MISS  ? BX_CORE_FROM_LLC_SNOOP_MISS
                                              : BX_CORE_FROM_LLC;
}

static bool is_llc_miss(enum bx_core_count from)
{
    return from >= BX_CORE_FROM_PACKAGE_CLEAN;
}

void bx_server_count_request(struct bx_server_caches *p, bx_access a, enum bx_core_count from)
{
    unsigned kind = bx_server_access_kind(a);

    bx_core_count_request(p->counts, a, kind, from, is_llc_miss(from));
    if (kind == BX_STORE)
        p->counts->count[BX_CORE_STORE_UPGRADE] += bx_lru_find(&p->l1d, bx_access_line(a)) != NULL;
}

void bx_server_count_prefetch(struct bx_server_caches *p, enum bx_core_count from)
{
    p->counts->count[BX_CORE_LLC_PREFETCH]++;
    p->counts->count[BX_CORE_LLC_MISS_PREFETCH] += is_llc_miss(from);
}

/* ---- fills ---- */

/* A modified victim of L2 is written back. If L1D has the victim too, it stays there, clean. */
static inline __attribute__((always_inline)) struct bx_server_l2_victim
l2_fill(struct bx_server_caches *p, uint64_t line, enum bx_line_state state)
{
    struct bx_lru_way *fill_way = bx_lru_choose_way(&p->l2, line);
    struct bx_lru_way *l1 =
        fill_way->state != BX_LINE_I ? bx_lru_find(&p->l1d, fill_way->line) : NULL;
    struct bx_server_l2_victim victim = {
        .dirty = fill_way->state == BX_LINE_M || (l1 && l1->state == BX_LINE_M),
        .in_l1d = l1,
        .line = fill_way->line,
    };

    p->counts->count[BX_CORE_L2_FILLS]++;
    p->counts->count[BX_CORE_L2_WRITE_BACKS] += victim.dirty;
    if (l1 && l1->state == BX_LINE_M)
        l1->state = BX_LINE_E;
    bx_lru_put(&p->l2, fill_way, line, state, 0);
    return victim;
}

struct bx_server_l2_victim bx_server_caches_fill(struct bx_server_caches *p, bx_access a,
                                                 enum bx_line_state granted)
{
    uint64_t line = bx_access_line(a);
    enum bx_line_state in_l2 = granted == BX_LINE_M ? BX_LINE_E : granted;
    struct bx_lru_way *l2 = bx_lru_find(&p->l2, line), *l1 = bx_lru_find(&p->l1d, line);
    struct bx_server_l2_victim victim = {0};

    if (l2)
        bx_lru_put(&p->l2, l2, line, in_l2, 0);
    else
        victim = l2_fill(p, line, in_l2);
    if (bx_server_access_kind(a) == BX_FETCH)
        bx_lru_put(&p->l1i, bx_lru_choose_way(&p->l1i, line), line, BX_LINE_S, 0);
    else if (l1)
        bx_lru_put(&p->l1d, l1, line, granted, 0);
    else
        l1d_fill(p, line, granted);
    return victim;
}

struct bx_server_l2_victim bx_server_caches_prefetch(struct bx_server_caches *p, bx_access a,
                                                     enum bx_line_state granted, uint64_t t,
                                                     uint64_t done)
{
    uint64_t line = bx_access_line(a);

    bx_super_queue_put(&p->super_queue, line, t, done);
    return l2_fill(p, line, granted == BX_LINE_M ? BX_LINE_E : granted);
}
