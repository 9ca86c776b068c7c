/* Power-on, snoops and fills of a core's private caches, for any number of levels. The usual cases
 * are in private_step.h. */
#include "model/part/private_step.h"

/* The filter is emptied instead of restored, which is always correct. */
void bx_privates_restore(struct bx_privates *p)
{
    bx_undo_restore(&p->undo);
    bx_last_lines_clear(&p->last);
}

/* ---- copies in the caches in front of a level ---- */

/* The copy in a cache, if there is one, gets this state: I, S or, if it is modified, E. Returns
 * whether it was modified. */
static bool lower_copy(const struct bx_cache *c, uint64_t line, enum bx_line_state to)
{
    struct bx_cache_way at = bx_cache_find(c, line);
    bool dirty = bx_cache_state(c, at) == BX_LINE_M;

    if (!bx_cache_found(at))
        return false;
    if (to == BX_LINE_I)
        bx_cache_drop(c, at);
    else if (dirty || to == BX_LINE_S)
        bx_cache_set_state(c, at, to);
    return dirty;
}

static bool drop_l1(struct bx_privates *p, uint64_t line)
{
    bool dirty = lower_copy(&p->l1d, line, BX_LINE_I);

    lower_copy(&p->l1i, line, BX_LINE_I);
    bx_last_lines_forget_all(&p->last, line);
    return dirty;
}

/* Level k has replaced a line. What that does to the caches in front of it depends on the level's
 * inclusion. Returns whether one of them had the line modified. */
static bool leave_front(struct bx_privates *p, unsigned k, uint64_t line)
{
    bool all = p->inclusion[k] == BX_INCLUSION_ALL, dirty = false;

    if (!all && p->inclusion[k] != BX_INCLUSION_MODIFIED)
        return false;
    for (unsigned i = 0; i < k; i++)
        dirty |= lower_copy(&p->level[i], line, all ? BX_LINE_I : BX_LINE_E);
    if (all)
        return drop_l1(p, line) | dirty;
    bx_last_lines_forget(&p->last, BX_STORE, line);
    return lower_copy(&p->l1d, line, BX_LINE_E) | dirty;
}

/* ---- fills of levels ---- */

/* A victim of level k - 1 goes to level k, if it is modified or level k is exclusive. */
static void take_victim(struct bx_privates *p, unsigned k, uint64_t line, enum bx_line_state state)
{
    struct bx_cache_way at = bx_cache_find(&p->level[k], line);

    if (!bx_cache_found(at)) {
        if (state == BX_LINE_M || p->inclusion[k] == BX_INCLUSION_EXCLUSIVE)
            bx_privates_fill_level(p, k, line, state);
    } else if (state == BX_LINE_M) {
        bx_cache_set_state(&p->level[k], at, BX_LINE_M);
    }
}

void bx_privates_replaced(struct bx_privates *p, unsigned k, uint64_t line, enum bx_line_state was,
                          uint64_t by)
{
    bool in_l1d = bx_cache_has(&p->l1d, line) && p->inclusion[k] != BX_INCLUSION_ALL;
    bool dirty = leave_front(p, k, line) || was == BX_LINE_M;

    p->counts->count[BX_CORE_L2_WRITE_BACKS] += k == 0 && dirty;
    if (k + 1 < p->levels)
        take_victim(p, k + 1, line, dirty ? BX_LINE_M : was);
    else
        p->victim[p->victims++] = (struct bx_private_victim){line, by, dirty, in_l1d};
}

/* The line of a fill, in level k. If the level has it, it is touched. */
static void place(struct bx_privates *p, unsigned k, uint64_t line, enum bx_line_state state)
{
    const struct bx_cache *c = &p->level[k];
    struct bx_cache_way at = bx_cache_find(c, line);

    if (bx_cache_found(at)) {
        bx_cache_set_state(c, at, state);
        bx_cache_touch(c, at);
    } else {
        bx_privates_fill_level(p, k, line, state);
    }
}

/* Whether level k holds a line that comes from behind it. An exclusive level does not, except code
 * in L2: L1I gives no victims back. */
static bool holds(const struct bx_privates *p, unsigned k, unsigned kind, uint64_t line)
{
    return p->inclusion[k] != BX_INCLUSION_EXCLUSIVE ||
           (k == 0 && kind == BX_FETCH && !bx_cache_has(&p->l1d, line));
}

/* ---- fills of L1 ---- */

static void fill_l1d(struct bx_privates *p, uint64_t line, enum bx_line_state state)
{
    struct bx_cache_way way = bx_cache_choose(&p->l1d, line);
    enum bx_line_state was = bx_cache_state_of_line(&p->l1d, way);
    uint64_t victim = bx_cache_line(&p->l1d, way, line);

    bx_cache_put(&p->l1d, way, line, state);
    bx_last_lines_use(&p->last, line, state);
    p->counts->count[BX_CORE_L1D_WRITE_BACKS] += was == BX_LINE_M;
    if (was != BX_LINE_I)
        take_victim(p, 0, victim, was);
}

static void place_in_l1d(struct bx_privates *p, uint64_t line, enum bx_line_state state)
{
    struct bx_cache_way at = bx_cache_find(&p->l1d, line);

    if (!bx_cache_found(at)) {
        fill_l1d(p, line, state);
        return;
    }
    bx_cache_set_state(&p->l1d, at, state);
    bx_cache_touch(&p->l1d, at);
    bx_last_lines_use(&p->last, line, state);
}

/* A line comes from behind level n - 1, in this state. Only L1D gets it in M; or L2, if it is of an
 * exclusive L3 that has given it away, and L1I gets it. */
static void fill_from(struct bx_privates *p, unsigned n, uint64_t line, unsigned kind,
                      enum bx_line_state state)
{
    while (n-- > 0)
        if (holds(p, n, kind, line))
            place(p, n, line, state == BX_LINE_M && kind != BX_FETCH ? BX_LINE_E : state);
        else
            lower_copy(&p->level[n], line, BX_LINE_I);
    if (kind == BX_FETCH)
        bx_privates_fill_l1i(p, line);
    else
        place_in_l1d(p, line, state);
}

void bx_privates_fill_any(struct bx_privates *p, bx_access a, enum bx_line_state granted)
{
    fill_from(p, p->levels, bx_access_line(a), bx_access_kind_of(a), granted);
}

bool bx_privates_own(const struct bx_privates *p, uint64_t line)
{
    if (bx_privates_state(&p->l1d, line) >= BX_LINE_E)
        return true;
    for (unsigned k = 0; k < p->levels; k++)
        if (bx_privates_state(&p->level[k], line) >= BX_LINE_E)
            return true;
    return false;
}

/* Copies in S are owned from now on. */
static void own_copies(struct bx_privates *p, uint64_t line)
{
    struct bx_cache_way at = bx_cache_find(&p->l1d, line);

    if (bx_cache_found(at))
        bx_cache_set_state(&p->l1d, at, BX_LINE_E);
    for (unsigned k = 0; k < p->levels; k++) {
        at = bx_cache_find(&p->level[k], line);
        if (bx_cache_found(at))
            bx_cache_set_state(&p->level[k], at, BX_LINE_E);
    }
}

void bx_privates_fill_steered(struct bx_privates *p, bx_access a, enum bx_line_state granted)
{
    uint64_t line = bx_access_line(a);
    enum bx_steering how = bx_access_steering(a);
    enum bx_line_state state = granted == BX_LINE_M ? BX_LINE_E : granted;

    if (how == BX_STEER_OWN && bx_privates_have(p, line)) {
        p->counts->count[BX_CORE_NO_L1D_FILL] += !bx_cache_has(&p->l1d, line);
        own_copies(p, line);
    } else if (how == BX_STEER_T0 || !p->plain)
        bx_privates_fill_any(p, bx_access_make(line, BX_LOAD, 0, 0), state);
    else if (how == BX_STEER_NTA)
        place_in_l1d(p, line, state);
    else {
        p->counts->count[BX_CORE_NO_L1D_FILL]++;
        place(p, 0, line, state);
    }
}

void bx_privates_fill_prefetch(struct bx_privates *p, bx_access a, enum bx_line_state granted,
                               uint64_t t, uint64_t done)
{
    uint64_t line = bx_access_line(a);
    enum bx_line_state state = granted == BX_LINE_M ? BX_LINE_E : granted;

    bx_super_queue_put(&p->super_queue, line, t, done);
    for (unsigned n = p->levels; n-- > 1;)
        if (p->inclusion[n] != BX_INCLUSION_EXCLUSIVE)
            place(p, n, line, state);
    bx_privates_fill_level(p, 0, line, state);
}

/* ---- hits of levels that seldom have the line, or seldom are as they are ---- */

int bx_privates_find_level(const struct bx_privates *p, bx_access a)
{
    bool store = bx_access_kind_of(a) == BX_STORE;

    for (unsigned k = 0; k < p->levels; k++) {
        enum bx_line_state state = bx_privates_state(&p->level[k], bx_access_line(a));
        if (state != BX_LINE_I)
            return store && state == BX_LINE_S ? -1 : (int)k;
    }
    return -1;
}

/* An exclusive level gives its copy away, except code. */
static enum bx_line_state take_from(struct bx_privates *p, unsigned k, uint64_t line, unsigned kind)
{
    const struct bx_cache *c = &p->level[k];
    struct bx_cache_way at = bx_cache_find(c, line);
    enum bx_line_state state = bx_cache_state_of_line(c, at);
    bool moves = p->moves_modified && kind != BX_FETCH;

    if (!holds(p, k, kind, line)) {
        bx_cache_drop(c, at);
        return state;
    }
    bx_cache_touch(c, at);
    if (state != BX_LINE_M)
        return state;
    if (moves)
        bx_cache_set_state(c, at, BX_LINE_E);
    return moves ? BX_LINE_M : BX_LINE_E;
}

int bx_privates_use_level(struct bx_privates *p, unsigned k, bx_access a, unsigned count)
{
    uint64_t line = bx_access_line(a);
    unsigned kind = bx_access_kind_of(a);
    enum bx_line_state state = take_from(p, k, line, kind);

    bx_core_count_l2_hit(p->counts, a, count);
    if (kind == BX_STORE)
        p->counts->count[BX_CORE_NO_L1D_FILL] += bx_cache_has(&p->l1d, line);
    fill_from(p, k, line, kind, kind == BX_STORE ? BX_LINE_M : state);
    return p->cycles[k][a / BX_ACCESS_DEPENDENT & 1];
}

bool bx_privates_may_modify(const struct bx_privates *p, uint64_t line, enum bx_line_state state)
{
    if (state == BX_LINE_S)
        return false;
    for (unsigned k = 0; k < p->levels; k++)
        if (p->inclusion[k] == BX_INCLUSION_MODIFIED &&
            bx_privates_state(&p->level[k], line) < BX_LINE_E)
            return false;
    return true;
}

void bx_privates_upgrade(struct bx_privates *p, uint64_t line)
{
    for (unsigned k = 0; k < p->levels; k++) {
        struct bx_cache_way at = bx_cache_find(&p->level[k], line);
        if (bx_cache_state(&p->level[k], at) == BX_LINE_S)
            bx_cache_set_state(&p->level[k], at, BX_LINE_E);
        if (bx_cache_found(at))
            bx_cache_touch(&p->level[k], at);
    }
    place_in_l1d(p, line, BX_LINE_M);
}

void bx_privates_flush(struct bx_privates *p, uint64_t line)
{
    if (bx_privates_state(&p->l1d, line) != BX_LINE_M)
        return;
    lower_copy(&p->l1d, line, BX_LINE_I);
    bx_last_lines_forget_all(&p->last, line);
    p->counts->count[BX_CORE_L1D_WRITE_BACKS]++;
    take_victim(p, 0, line, BX_LINE_M);
}

/* ---- snoops ---- */

static bool share_l1d(struct bx_privates *p, uint64_t line)
{
    bool drops = p->share_drops_modified && bx_privates_state(&p->l1d, line) == BX_LINE_M;

    bx_last_lines_forget(&p->last, BX_STORE, line);
    if (drops)
        bx_last_lines_forget(&p->last, BX_LOAD, line);
    return lower_copy(&p->l1d, line, drops ? BX_LINE_I : BX_LINE_S);
}

enum bx_snoop_response bx_privates_snoop(struct bx_privates *p, uint64_t line, bool invalidate)
{
    if (!bx_privates_have(p, line))
        return BX_SNOOP_MISS;
    bool dirty = invalidate ? drop_l1(p, line) : share_l1d(p, line);

    for (unsigned k = 0; k < p->levels; k++)
        dirty |= lower_copy(&p->level[k], line, invalidate ? BX_LINE_I : BX_LINE_S);
    p->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

/* ---- requests ---- */

enum bx_core_count bx_llc_source(enum bx_snoop_response response)
{
    return response == BX_SNOOP_HITM   ? BX_CORE_FROM_CORE_DIRTY
           : response == BX_SNOOP_HIT  ? BX_CORE_FROM_CORE_CLEAN
           : response == BX_SNOOP_MISS ? BX_CORE_FROM_LLC_SNOOP_MISS
                                       : BX_CORE_FROM_LLC;
}

static bool is_llc_miss(enum bx_core_count from)
{
    return from >= BX_CORE_FROM_PACKAGE_CLEAN;
}

void bx_privates_count_request(struct bx_privates *p, bx_access a, enum bx_core_count from)
{
    unsigned kind = bx_access_kind_of(a);

    bx_core_count_request(p->counts, a, kind, from, is_llc_miss(from));
    if (kind == BX_STORE)
        p->counts->count[BX_CORE_NO_L1D_FILL] += bx_cache_has(&p->l1d, bx_access_line(a));
}

void bx_privates_count_prefetch(struct bx_privates *p, enum bx_core_count from)
{
    p->counts->count[BX_CORE_LLC_PREFETCH]++;
    p->counts->count[BX_CORE_LLC_MISS_PREFETCH] += is_llc_miss(from);
}

/* ---- power-on ---- */

static void make_caches(struct bx_privates *p, bx_arena *memory,
                        const struct bx_core_caches *caches)
{
    bool guarded = false;

    bx_core_cache_power_on(&p->l1d, memory, caches, BX_CORE_L1D);
    bx_core_cache_power_on(&p->l1i, memory, caches, BX_CORE_L1I);
    for (unsigned k = 0; k < BX_CORE_LEVELS && caches->sets[BX_CORE_L2 + k]; k++) {
        bx_core_cache_power_on(&p->level[k], memory, caches, (enum bx_core_cache)(BX_CORE_L2 + k));
        p->inclusion[k] = caches->inclusion[BX_CORE_L2 + k];
        guarded |= p->inclusion[k] == BX_INCLUSION_MODIFIED;
        p->levels++;
    }
    p->suspect = guarded ? BX_LINE_E : BX_LINE_S;
}

static void take_rules(struct bx_privates *p, const struct bx_core_caches_kind *kind)
{
    bool loose = p->inclusion[0] == BX_INCLUSION_NONE && p->levels == 1;

    p->plain = p->levels == 1 && p->inclusion[0] != BX_INCLUSION_EXCLUSIVE;
    p->moves_modified = kind->moves_modified;
    p->share_drops_modified = kind->share_drops_modified;
    p->told = loose && !kind->tells_victims ? BX_LINE_M : BX_LINE_S;
    p->llc_prefetches = kind->llc_prefetches;
}

struct bx_privates *bx_privates_new(const struct bx_core_caches *caches,
                                    const bx_model_times *times, struct bx_core_counts *counts,
                                    bx_arena *memory)
{
    struct bx_privates *p = bx_arena_get_aligned(memory, sizeof *p, _Alignof(struct bx_privates));

    if (!p)
        return NULL;
    make_caches(p, memory, caches);
    p->counts = counts;
    p->undo.end = p->undo.block;
    bx_last_lines_clear(&p->last);
    take_rules(p, caches->kind);
    p->super_queue.entries = times->super_queue;
    p->arrivals.entries = BX_SUPER_QUEUE_MOST;
    p->super_queue.busy = times->super_queue_busy;
    p->l2_line = (uint8_t)times->l2_line;
    p->llc_line = (uint8_t)times->llc_line;
    const uint32_t cycles[BX_CORE_LEVELS][2] = {{times->l2_hit, times->l2_wait},
                                                {times->l3_hit, times->l3_wait}};
    for (unsigned k = 0; k < BX_CORE_LEVELS; k++)
        for (unsigned waits = 0; waits < 2; waits++)
            p->cycles[k][waits] = (uint8_t)cycles[k][waits];
    return memory->failed ? NULL : p;
}
