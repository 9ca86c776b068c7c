/* Private accesses, snoops and fills of a core's caches. */
#include "model/server/private_caches.h"

bool bx_server_caches_power_on(struct bx_server_caches *p, const struct bx_core_caches *caches,
                               const bx_model_times *times)
{
    p->l2_hit = (uint8_t)times->l2_hit;
    p->l2_wait = (uint8_t)times->l2_wait;
    bx_last_lines_clear(&p->last);
    return bx_core_cache_power_on(&p->l1d, caches, BX_CORE_L1D) &&
           bx_core_cache_power_on(&p->l1i, caches, BX_CORE_L1I) &&
           bx_core_cache_power_on(&p->l2, caches, BX_CORE_L2);
}

void bx_server_caches_free(struct bx_server_caches *p)
{
    bx_cache_free(&p->l1d);
    bx_cache_free(&p->l1i);
    bx_cache_free(&p->l2);
}

/* The filter is emptied instead of restored, which is always correct. */
void bx_server_caches_restore(struct bx_server_caches *p)
{
    bx_undo_restore(&p->undo);
    bx_last_lines_clear(&p->last);
}

/* ---- snoops ---- */

/* Returns whether the copy, if there is one, was modified. */
static bool snoop(const struct bx_cache *c, uint64_t line, bool invalidate)
{
    struct bx_cache_way at = bx_cache_find(c, line);
    bool dirty = bx_cache_state(c, at) == BX_LINE_M;

    if (!bx_cache_found(at))
        return false;
    if (invalidate)
        bx_cache_drop(c, at);
    else
        bx_cache_set_state(c, at, BX_LINE_S);
    return dirty;
}

bool bx_server_caches_have(const struct bx_server_caches *p, uint64_t line)
{
    return bx_cache_has(&p->l1d, line) || bx_cache_has(&p->l1i, line) || bx_cache_has(&p->l2, line);
}

enum bx_server_core_response bx_server_caches_snoop(struct bx_server_caches *p, uint64_t line,
                                                    bool invalidate)
{
    if (!bx_server_caches_have(p, line))
        return BX_SERVER_CORE_MISS;
    bool dirty = snoop(&p->l1d, line, invalidate);
    dirty |= snoop(&p->l2, line, invalidate);
    snoop(&p->l1i, line, invalidate);
    bx_last_lines_forget_all(&p->last, line);
    return dirty ? BX_SERVER_CORE_DIRTY : BX_SERVER_CORE_CLEAN;
}

/* ---- private accesses ---- */

static void touch(struct bx_server_caches *p, const struct bx_cache *cache, struct bx_cache_way at)
{
    if (p->undo.open)
        p->undo.end = bx_cache_keep(cache, p->undo.end, at.set);
    bx_cache_touch(cache, at);
}

/* A hit of a line in L1D, which then has that state. */
static void use_l1d(struct bx_server_caches *p, uint64_t line, struct bx_cache_way at,
                    enum bx_line_state state)
{
    touch(p, &p->l1d, at);
    bx_cache_set_state(&p->l1d, at, state);
    bx_last_lines_use(&p->last, line, state);
}

static void put(struct bx_server_caches *p, const struct bx_cache *cache, struct bx_cache_way at,
                uint64_t line, enum bx_line_state state)
{
    if (p->undo.open) {
        p->undo.end = bx_cache_keep_way(cache, p->undo.end, at);
        p->undo.lost = true;
    }
    bx_cache_put(cache, at, line, state);
}

/* Fills L1D. A line that is modified in L1D is in L2 as well, so a modified victim of L1D is
 * written to its L2 line. */
static void l1d_fill(struct bx_server_caches *p, uint64_t line, enum bx_line_state state)
{
    struct bx_cache_way fill_way = bx_cache_choose(&p->l1d, line);

    if (bx_cache_state_of_line(&p->l1d, fill_way) == BX_LINE_M) {
        struct bx_cache_way l2 = bx_cache_find(&p->l2, bx_cache_line(&p->l1d, fill_way, line));
        if (p->undo.open)
            p->undo.end = bx_undo_keep(bx_cache_keep(&p->l2, p->undo.end, l2.set),
                                       bx_core_counts_pair(p->counts, BX_CORE_L1D_WRITE_BACKS));
        p->counts->count[BX_CORE_L1D_WRITE_BACKS]++;
        bx_cache_set_state(&p->l2, l2, BX_LINE_M);
    }
    put(p, &p->l1d, fill_way, line, state);
    bx_last_lines_use(&p->last, line, state);
}

static void l1i_fill(struct bx_server_caches *p, uint64_t line)
{
    put(p, &p->l1i, bx_cache_choose(&p->l1i, line), line, BX_LINE_S);
    bx_last_lines_fetch(&p->last, line);
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
    struct bx_cache_way way = bx_cache_find(&p->l1i, line);

    if (bx_cache_found(way)) {
        touch(p, &p->l1i, way);
        bx_last_lines_fetch(&p->last, line);
        return 0;
    }
    way = bx_cache_find(&p->l2, line);
    if (!bx_cache_found(way) || bx_super_queue_until(&p->super_queue, line, t))
        return BX_SERVER_UNCORE;
    count_l2_hit(p, a, BX_CORE_L2_FETCH_HIT);
    touch(p, &p->l2, way);
    l1i_fill(p, line);
    return l2_cycles(p, a);
}

/* Serves an access from L2. L1D does not have the line. */
static void use_l2(struct bx_server_caches *p, uint64_t line, struct bx_cache_way l2, bool store)
{
    bool shared = bx_cache_state_of_line(&p->l2, l2) == BX_LINE_S;

    touch(p, &p->l2, l2);
    l1d_fill(p, line, store ? BX_LINE_M : shared ? BX_LINE_S : BX_LINE_E);
}

static int prefetch(struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    enum bx_prefetcher by = bx_access_prefetcher(a);
    bool is_there =
        bx_prefetches_l1(by) ? bx_cache_has(&p->l1d, line) : bx_server_caches_have(p, line);

    if (is_there || p->prefetchers_off >> by & 1)
        return 0;
    struct bx_cache_way l2 = bx_cache_find(&p->l2, line);
    if (!bx_cache_found(l2))
        return bx_super_queue_free(&p->super_queue, t) < BX_SUPER_QUEUE ? BX_SERVER_UNCORE : 0;
    if (bx_super_queue_until(&p->super_queue, line, t))
        return 0;
    count_l2_hit(p, a, BX_CORE_L2_PREFETCH_HIT);
    use_l2(p, line, l2, false);
    return 0;
}

uint64_t bx_server_caches_wait(const struct bx_server_caches *p, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    enum bx_line_state l2 = bx_cache_state(&p->l2, bx_cache_find(&p->l2, line));
    bool store = bx_server_access_kind(a) == BX_STORE;

    if (bx_server_access_kind(a) == BX_NON_TEMPORAL || l2 == BX_LINE_I ||
        (store && l2 == BX_LINE_S) || (store && bx_cache_has(&p->l1d, line)))
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
    struct bx_cache_way l1 = bx_cache_find(&p->l1d, line);
    enum bx_line_state in_l1 = bx_cache_state(&p->l1d, l1);
    if (in_l1 == BX_LINE_M || (in_l1 != BX_LINE_I && !store)) {
        use_l1d(p, line, l1, in_l1);
        return 0;
    }
    struct bx_cache_way l2 = bx_cache_find(&p->l2, line);
    enum bx_line_state in_l2 = bx_cache_state(&p->l2, l2);
    if (in_l2 == BX_LINE_I || (store && in_l2 == BX_LINE_S) || in_l1 == BX_LINE_S)
        return BX_SERVER_UNCORE;
    if (in_l1 == BX_LINE_E) { /* a store */
        use_l1d(p, line, l1, BX_LINE_M);
        return 0;
    }
    if (bx_super_queue_until(&p->super_queue, line, t))
        return BX_SERVER_UNCORE;
    count_l2_hit(p, a, bx_core_l2_hit(store));
    use_l2(p, line, l2, store);
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
        p->counts->count[BX_CORE_STORE_UPGRADE] += bx_cache_has(&p->l1d, bx_access_line(a));
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
    struct bx_cache_way fill_way = bx_cache_choose(&p->l2, line);
    enum bx_line_state was = bx_cache_state_of_line(&p->l2, fill_way);
    struct bx_server_l2_victim victim = {.dirty = was == BX_LINE_M};

    if (was != BX_LINE_I) {
        victim.line = bx_cache_line(&p->l2, fill_way, line);
        struct bx_cache_way l1 = bx_cache_find(&p->l1d, victim.line);
        victim.in_l1d = bx_cache_found(l1);
        if (bx_cache_state(&p->l1d, l1) == BX_LINE_M) {
            victim.dirty = true;
            bx_cache_set_state(&p->l1d, l1, BX_LINE_E);
            bx_last_lines_forget(&p->last, BX_STORE, victim.line);
        }
    }
    p->counts->count[BX_CORE_L2_FILLS]++;
    p->counts->count[BX_CORE_L2_WRITE_BACKS] += victim.dirty;
    bx_cache_put(&p->l2, fill_way, line, state);
    return victim;
}

struct bx_server_l2_victim bx_server_caches_fill(struct bx_server_caches *p, bx_access a,
                                                 enum bx_line_state granted)
{
    uint64_t line = bx_access_line(a);
    enum bx_line_state in_l2 = granted == BX_LINE_M ? BX_LINE_E : granted;
    struct bx_cache_way l2 = bx_cache_find(&p->l2, line), l1 = bx_cache_find(&p->l1d, line);
    struct bx_server_l2_victim victim = {0};

    if (bx_cache_found(l2))
        bx_cache_put(&p->l2, l2, line, in_l2);
    else
        victim = l2_fill(p, line, in_l2);
    if (bx_server_access_kind(a) == BX_FETCH) {
        l1i_fill(p, line);
    } else if (bx_cache_found(l1)) {
        bx_cache_put(&p->l1d, l1, line, granted);
        bx_last_lines_use(&p->last, line, granted);
    } else {
        l1d_fill(p, line, granted);
    }
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
