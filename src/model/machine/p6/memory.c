/* What the processor's accesses and snoops cause in its caches, and when: transfers between
 * processor and L2, transactions on the bus. */
#include "model/machine/p6/machine.h"

#include "model/engine/attribution.h"
#include "model/part/private_step.h"

static void count(struct bx_p6 *m, unsigned cell)
{
    bx_p6_count(&m->cells, cell, 1);
}

static enum bx_line_state in_l1d(const struct bx_p6 *m, uint64_t line)
{
    return bx_privates_state(&m->privates->l1d, line);
}

static enum bx_line_state in_l2(const struct bx_p6 *m, uint64_t line)
{
    return bx_privates_state(&m->privates->level[0], line);
}

/* ---- what an access moves ---- */

/* An access of the processor, and the counts of its caches before it. */
struct moves {
    uint64_t line, write_backs, fills;
    unsigned taken; /* victims of L2 that have left */
};

static struct moves begin_moves(const struct bx_p6 *m, uint64_t line)
{
    m->privates->victims = 0;
    return (struct moves){.line = line,
                          .write_backs = m->core.count[BX_CORE_L1D_WRITE_BACKS],
                          .fills = m->core.count[BX_CORE_L2_FILLS]};
}

/* The line of an access that its L1 does not have comes from L2 or from behind it. need: what the
 * caches have said of the access. */
static void get_line(struct bx_p6 *m, bx_access a, int need)
{
    if (need == BX_STEP_AT_TURN)
        bx_privates_use_at_turn(m->privates, a);
    else if (need == BX_STEP_MISS)
        bx_privates_fill(m->privates, a, bx_access_kind_of(a) == BX_STORE ? BX_LINE_M : BX_LINE_E);
}

/* The caches execute a load or store. l1d: where L1D has the line. */
static struct moves execute(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, unsigned kind)
{
    struct moves moves = begin_moves(m, line);
    bx_access a = bx_access_make(line, kind, 0, 0);

    get_line(m, a, bx_privates_step_data(m->privates, l1d, a, BX_NEVER, false));
    return moves;
}

static struct moves execute_fetch(struct bx_p6 *m, uint64_t line)
{
    struct moves moves = begin_moves(m, line);
    bx_access a = bx_access_make(line, BX_FETCH, 0, 0);

    get_line(m, a, bx_privates_step_fetch(m->privates, a, BX_NEVER, false));
    return moves;
}

/* ---- L2 ---- */

/* The next victim of L2, if there is one, leaves; one in M goes to memory. Returns the time when
 * the bus to L2 is free again. */
static uint64_t l2_evict(struct bx_p6 *m, struct moves *moves, uint64_t t)
{
    if (moves->taken == m->privates->victims)
        return t;
    const struct bx_private_victim *victim = &m->privates->victim[moves->taken++];
    if (victim->dirty)
        bx_note_eviction(&m->model, victim->line);
    count(m, BX_P6_L2_OUT);
    if (!victim->dirty)
        return t;
    count(m, BX_P6_L2_M_OUT);
    t = bx_p6_l2_transfer(m, true, t);
    bx_p6_bus_write_back(m, t);
    bx_note_evicted(&m->model);
    return t;
}

static void count_l2_fill(struct bx_p6 *m)
{
    count(m, BX_P6_L2_IN);
    count(m, BX_P6_L2_STROBES);
}

/* Counts a request to L2. kind: the first of its cells. Returns the line's state. */
static enum bx_line_state l2_request(struct bx_p6 *m, unsigned kind, uint64_t line)
{
    enum bx_line_state state = in_l2(m, line);

    count(m, kind + state);
    count(m, BX_P6_L2_STROBES);
    return state;
}

/* A line that L2 does not have comes from memory. The victim of L2 leaves meanwhile. *t becomes the
 * time when the bus to L2 is free for other transfers. Returns the time when the line arrives. */
static uint64_t l2_read(struct bx_p6 *m, unsigned kind, struct moves *moves, uint64_t *t)
{
    const struct bx_privates *p = m->privates;
    uint64_t done = bx_p6_bus_read(m, kind, *t);

    count_l2_fill(m);
    moves->fills++;
    if (p->victims && p->victim[0].by == moves->line)
        *t = l2_evict(m, moves, *t);
    return done;
}

/* The line that memory has given at `done` is carried to L2, when the access has no other line on
 * that bus: it is free at t. */
static void carry_to_l2(struct bx_p6 *m, uint64_t t, uint64_t done)
{
    m->cpu.end = bx_later(m->cpu.end, bx_p6_l2_transfer(m, false, bx_later(t, done)));
}

/* L2 has the line: it is carried to the processor. A line that a prefetch has requested may still
 * be on its way. */
static uint64_t carry_from_l2(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    return bx_p6_l2_transfer(m, true,
                             bx_later(t, bx_super_queue_until(&m->privates->super_queue, line, t)));
}

/* ---- L1D ---- */

/* L1D may have written a line in M back to L2, after L2 was filled with the line of the access. If
 * L2 did not have it, it is filled with it. Returns the time when the bus to L2 is free again. */
static uint64_t l1d_write_back(struct bx_p6 *m, struct moves *moves, uint64_t t)
{
    if (m->core.count[BX_CORE_L1D_WRITE_BACKS] == moves->write_backs)
        return t;
    count(m, BX_P6_DCU_M_OUT);
    t = bx_p6_l2_transfer(m, false, t);
    if (m->core.count[BX_CORE_L2_FILLS] == moves->fills) {
        count(m, BX_P6_L2_STROBES);
        return t;
    }
    count_l2_fill(m);
    count(m, BX_P6_L2_M_IN);
    return l2_evict(m, moves, t);
}

/* Returns the time when the bus to L2 is free again. */
static uint64_t l1d_filled(struct bx_p6 *m, struct moves *moves, enum bx_line_state state,
                           uint64_t t)
{
    t = l1d_write_back(m, moves, t);
    count(m, BX_P6_DCU_IN);
    if (state == BX_LINE_M)
        count(m, BX_P6_DCU_M_IN);
    m->cpu.end = bx_later(m->cpu.end, t);
    return t;
}

/* For an L2 miss, the manual says that DCU_MISS_OUTSTANDING counts two cycles too few (document
 * 002, 48H). */
static uint64_t miss_span(struct bx_p6 *m, bool l2_missed, uint64_t t, uint64_t done)
{
    const unsigned shortfall = 2;

    bx_p6_schedule_span(m, BX_P6_MISSES, t, l2_missed ? done - shortfall : done);
    return done;
}

uint64_t bx_p6_load(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, uint64_t t)
{
    uint64_t free = t + m->times.l2_lookup, done;

    if (bx_cache_found(l1d)) {
        execute(m, l1d, line, BX_LOAD);
        return t + m->times.l1_hit - 1;
    }
    enum bx_line_state state = l2_request(m, BX_P6_L2_LOAD, line);
    struct moves moves = execute(m, l1d, line, BX_LOAD);
    if (state == BX_LINE_I)
        done = l2_read(m, BX_P6_BUS_READ, &moves, &free);
    else
        done = free = carry_from_l2(m, line, free);
    free = l1d_filled(m, &moves, BX_LINE_E, free);
    if (state == BX_LINE_I)
        carry_to_l2(m, free, done);
    return miss_span(m, state == BX_LINE_I, t, done);
}

/* A store to a line that L1D has in S. Another agent may have a copy. */
static uint64_t upgrade(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    enum bx_line_state state = l2_request(m, BX_P6_L2_STORE, line);
    uint64_t done = bx_p6_bus_invalidate(m, t + m->times.l2_lookup);

    bx_privates_upgrade(m->privates, line);
    return miss_span(m, state == BX_LINE_I, t, bx_p6_after_stores(m, done));
}

/* A store to a line that L1D does not have. */
static uint64_t store_miss(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, uint64_t t)
{
    uint64_t free = t + m->times.l2_lookup, done = free;
    enum bx_line_state state = l2_request(m, BX_P6_L2_STORE, line);
    struct moves moves = execute(m, l1d, line, BX_STORE);

    if (state == BX_LINE_S)
        done = bx_p6_bus_invalidate(m, free);
    else if (state == BX_LINE_I)
        done = l2_read(m, BX_P6_BUS_RFO, &moves, &free);
    if (state != BX_LINE_I) {
        free = carry_from_l2(m, line, free);
        done = bx_later(done, free);
    }
    free = l1d_filled(m, &moves, BX_LINE_M, free);
    if (state == BX_LINE_I)
        carry_to_l2(m, free, done);
    return miss_span(m, state == BX_LINE_I, t, bx_p6_after_stores(m, done));
}

uint64_t bx_p6_store(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, uint64_t t)
{
    enum bx_line_state state = bx_cache_state(&m->privates->l1d, l1d);

    if (state == BX_LINE_I)
        return store_miss(m, l1d, line, t);
    if (state == BX_LINE_S)
        return upgrade(m, line, t);
    execute(m, l1d, line, BX_STORE);
    return bx_p6_after_stores(m, t + 1);
}

/* ---- fetches ---- */

static bool itlb_hits(struct bx_p6 *m, uint64_t line)
{
    uint64_t page = line >> bx_model_page_shift(&m->model);

    if (page == m->itlb_last)
        return true;
    m->itlb_last = m->itlb_policy.policy->settles ? page : BX_P6_NO_PAGE;
    struct bx_cache_way at = bx_cache_find(&m->itlb, page);

    if (bx_cache_found(at)) {
        bx_cache_touch(&m->itlb, at);
        return true;
    }
    bx_cache_put(&m->itlb, bx_cache_choose(&m->itlb, page), page, BX_LINE_E);
    return false;
}

uint64_t bx_p6_fetch(struct bx_p6 *m, uint64_t line, bool repeats, uint64_t t)
{
    count(m, BX_P6_FETCHES);
    if (!itlb_hits(m, line)) {
        count(m, BX_P6_ITLB_MISSES);
        t += m->times.itlb_walk;
    }
    if (repeats)
        return t;
    if (bx_cache_has(&m->privates->l1i, line)) {
        execute_fetch(m, line);
        return t;
    }
    count(m, BX_P6_FETCH_MISSES);
    t += m->times.l2_lookup;
    struct moves flush = begin_moves(m, line);
    bx_privates_flush(m->privates, line); /* modified code: L1D writes it back first */
    t = l1d_write_back(m, &flush, t);
    enum bx_line_state state = l2_request(m, BX_P6_L2_FETCH, line);
    struct moves moves = execute_fetch(m, line);
    if (state != BX_LINE_I)
        return carry_from_l2(m, line, t);
    uint64_t done = l2_read(m, BX_P6_BUS_FETCH, &moves, &t);
    carry_to_l2(m, t, done);
    return done;
}

/* ---- prefetches ---- */

void bx_p6_prefetch(struct bx_p6 *m, bx_access a, uint64_t t)
{
    static const unsigned requests[] = {BX_P6_L2_LOAD, BX_P6_L2_STORE, BX_P6_L2_FETCH};
    static const unsigned reads[] = {BX_P6_BUS_READ, BX_P6_BUS_RFO, BX_P6_BUS_FETCH};
    uint64_t line = bx_access_line(a), free = t + m->times.l2_lookup;
    unsigned kind = bx_access_kind_of(bx_access_prefetched(a));
    bool had = in_l1d(m, line) != BX_LINE_I;
    enum bx_line_state in_l2_before = in_l2(m, line);
    struct moves moves = begin_moves(m, line);

    if (bx_privates_step_prefetch(m->privates, a, t, true, false) == BX_STEP_PREFETCH) {
        uint64_t done = bx_p6_bus_read(m, reads[kind], free);
        l2_request(m, requests[kind], line);
        bx_privates_fill_prefetch(m->privates, a, BX_LINE_E, t, done);
        count_l2_fill(m);
        free = l2_evict(m, &moves, free);
        carry_to_l2(m, free, done);
    } else if (!had && in_l1d(m, line) != BX_LINE_I) {
        count(m, requests[kind] + in_l2_before);
        count(m, BX_P6_L2_STROBES);
        l1d_filled(m, &moves, BX_LINE_E, bx_p6_l2_transfer(m, true, free));
    }
}

/* ---- snoops ---- */

struct bx_p6_snoop_response bx_p6_snoop(struct bx_p6 *m, uint64_t line, bool invalidate)
{
    bool late = in_l1d(m, line) == BX_LINE_M;
    enum bx_line_state l2 = in_l2(m, line);
    enum bx_snoop_response response = bx_privates_snoop(m->privates, line, invalidate);

    count(m, BX_P6_L2_STROBES);
    if (late)
        count(m, BX_P6_DCU_M_OUT);
    if (invalidate && l2 == BX_LINE_M)
        count(m, BX_P6_L2_M_OUT);
    if (invalidate && l2 != BX_LINE_I)
        count(m, BX_P6_L2_OUT);
    return (struct bx_p6_snoop_response){.hit = response == BX_SNOOP_HIT && !invalidate,
                                         .hitm = response == BX_SNOOP_HITM,
                                         .late = late};
}
