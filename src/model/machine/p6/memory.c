/* The caches of the processor: loads, stores, fetches and snoops. */
#include "model/machine/p6/machine.h"

/* A line in a cache, or where it would be. */
struct copy {
    const struct bx_cache *cache;
    struct bx_cache_way way;
};

static struct copy copy_in(const struct bx_cache *cache, uint64_t line)
{
    return (struct copy){cache, bx_cache_find(cache, line)};
}

static struct copy in_l1d(struct bx_p6 *m, uint64_t line)
{
    return copy_in(&m->l1d, line);
}

static struct copy in_l2(struct bx_p6 *m, uint64_t line)
{
    return copy_in(&m->l2, line);
}

static bool is_found(struct copy of)
{
    return bx_cache_found(of.way);
}

static enum bx_line_state state_of(struct copy of)
{
    return bx_cache_state(of.cache, of.way);
}

/* The copy is found. */
static void set_state(struct copy of, enum bx_line_state state)
{
    if (state == BX_LINE_I)
        bx_cache_drop(of.cache, of.way);
    else
        bx_cache_set_state(of.cache, of.way, state);
}

static void touch(struct copy of)
{
    bx_cache_touch(of.cache, of.way);
}

static void count(struct bx_p6 *m, unsigned cell)
{
    bx_p6_count(&m->cells, cell, 1);
}

/* ---- L2 ---- */

/* Evicts a line from L2; a line in M goes to memory. Returns the time when the bus to L2 is free
 * again. */
static uint64_t l2_evict(struct bx_p6 *m, enum bx_line_state state, uint64_t t)
{
    if (state == BX_LINE_I)
        return t;
    count(m, BX_P6_L2_OUT);
    if (state != BX_LINE_M)
        return t;
    count(m, BX_P6_L2_M_OUT);
    t = bx_p6_l2_transfer(m, true, t);
    bx_p6_bus_write_back(m, t);
    return t;
}

/* Fills a line into L2. t: when the bus to L2 can carry a victim. */
static uint64_t l2_fill(struct bx_p6 *m, uint64_t line, enum bx_line_state state, uint64_t t)
{
    struct bx_cache_way fill_way = bx_cache_choose(&m->l2, line);

    t = l2_evict(m, bx_cache_state(&m->l2, fill_way), t);
    bx_cache_put(&m->l2, fill_way, line, state);
    count(m, BX_P6_L2_IN);
    count(m, BX_P6_L2_STROBES);
    if (state == BX_LINE_M)
        count(m, BX_P6_L2_M_IN);
    return t;
}

/* Writes a line in M back from L1D to L2. */
static uint64_t l1d_write_back(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    struct copy at = in_l2(m, line);

    count(m, BX_P6_DCU_M_OUT);
    t = bx_p6_l2_transfer(m, false, t);
    if (!is_found(at))
        return l2_fill(m, line, BX_LINE_M, t);
    count(m, BX_P6_L2_STROBES);
    set_state(at, BX_LINE_M);
    return t;
}

/* Counts a request to L2. kind: the first of its cells. Returns the place of the line. */
static struct copy l2_request(struct bx_p6 *m, unsigned kind, uint64_t line)
{
    struct copy at = in_l2(m, line);

    count(m, kind + state_of(at));
    count(m, BX_P6_L2_STROBES);
    if (is_found(at))
        touch(at);
    return at;
}

/* Reads a line that L2 does not have from memory, and fills it in E. Its victim leaves meanwhile.
 * *t becomes the time when the bus to L2 is free for other transfers. Returns the time when the
 * line arrives. */
static uint64_t l2_read(struct bx_p6 *m, unsigned kind, uint64_t line, uint64_t *t)
{
    uint64_t done = bx_p6_bus_read(m, kind, *t);

    *t = l2_fill(m, line, BX_LINE_E, *t);
    m->cpu.end = bx_later(m->cpu.end, bx_p6_l2_transfer(m, false, done));
    return done;
}

/* ---- L1D ---- */

static void l1d_fill(struct bx_p6 *m, uint64_t line, enum bx_line_state state, uint64_t t)
{
    struct bx_cache_way fill_way = bx_cache_choose(&m->l1d, line);

    if (bx_cache_state(&m->l1d, fill_way) == BX_LINE_M)
        t = l1d_write_back(m, bx_cache_line(&m->l1d, fill_way, line), t);
    bx_cache_put(&m->l1d, fill_way, line, state);
    count(m, BX_P6_DCU_IN);
    if (state == BX_LINE_M)
        count(m, BX_P6_DCU_M_IN);
    m->cpu.end = bx_later(m->cpu.end, t);
}

bool bx_p6_misses(struct bx_p6 *m, unsigned kind, uint64_t line)
{
    enum bx_line_state state = state_of(in_l1d(m, line));
    return kind == BX_STORE ? state < BX_LINE_E : state == BX_LINE_I;
}

/* For an L2 miss, the manual says that DCU_MISS_OUTSTANDING counts two cycles too few (document
 * 002, 48H). */
static uint64_t miss_span(struct bx_p6 *m, bool l2_missed, uint64_t t, uint64_t done)
{
    const unsigned shortfall = 2;

    bx_p6_schedule_span(m, BX_P6_MISSES, t, l2_missed ? done - shortfall : done);
    return done;
}

uint64_t bx_p6_load(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    struct copy at = in_l1d(m, line);
    uint64_t free = t + BX_P6_L2_LOOKUP, done;

    count(m, BX_P6_REFERENCES);
    if (is_found(at)) {
        touch(at);
        return t;
    }
    struct copy l2 = l2_request(m, BX_P6_L2_LOAD, line);
    enum bx_line_state state = state_of(l2);
    if (state == BX_LINE_I)
        done = l2_read(m, BX_P6_BUS_READ, line, &free);
    else
        done = free = bx_p6_l2_transfer(m, true, free);
    l1d_fill(m, line, state == BX_LINE_S ? BX_LINE_S : BX_LINE_E, free);
    return miss_span(m, state == BX_LINE_I, t, done);
}

/* Stores complete in order. */
static uint64_t after_earlier_stores(const struct bx_p6 *m, uint64_t done)
{
    return bx_later(done, m->cpu.stores_done);
}

/* A store to a line that L1D does not have in M or E. */
static uint64_t store_miss(struct bx_p6 *m, struct copy at, uint64_t line, uint64_t t)
{
    bool in_l1d_already = is_found(at);
    uint64_t free = t + BX_P6_L2_LOOKUP, done = free;
    struct copy l2 = l2_request(m, BX_P6_L2_STORE, line);
    enum bx_line_state state = state_of(l2);

    if (in_l1d_already || state == BX_LINE_S) /* another agent may have a copy */
        done = bx_p6_bus_invalidate(m, free);
    else if (state == BX_LINE_I)
        done = l2_read(m, BX_P6_BUS_RFO, line, &free);
    if (state == BX_LINE_S)
        set_state(l2, BX_LINE_E);
    if (in_l1d_already) {
        set_state(at, BX_LINE_M);
        touch(at);
    } else {
        if (state != BX_LINE_I) {
            free = bx_p6_l2_transfer(m, true, free);
            done = bx_later(done, free);
        }
        l1d_fill(m, line, BX_LINE_M, free);
    }
    return miss_span(m, state == BX_LINE_I, t, after_earlier_stores(m, done));
}

uint64_t bx_p6_store(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    struct copy at = in_l1d(m, line);

    count(m, BX_P6_REFERENCES);
    if (state_of(at) < BX_LINE_E)
        return store_miss(m, at, line, t);
    set_state(at, BX_LINE_M);
    touch(at);
    return after_earlier_stores(m, t + 1);
}

/* ---- fetches ---- */

static bool itlb_hits(struct bx_p6 *m, uint64_t line)
{
    const unsigned page_lines_shift = 6; /* a page has 64 lines */
    uint64_t page = line >> page_lines_shift;
    struct copy at = copy_in(&m->itlb, page);

    if (is_found(at)) {
        touch(at);
        return true;
    }
    bx_cache_put(&m->itlb, bx_cache_choose(&m->itlb, page), page, BX_LINE_E);
    return false;
}

uint64_t bx_p6_fetch(struct bx_p6 *m, uint64_t line, uint64_t t)
{
    struct copy at = copy_in(&m->l1i, line), data = in_l1d(m, line);

    count(m, BX_P6_FETCHES);
    if (!itlb_hits(m, line)) {
        count(m, BX_P6_ITLB_MISSES);
        t += BX_P6_WALK;
    }
    if (is_found(at)) {
        touch(at);
        return t;
    }
    count(m, BX_P6_FETCH_MISSES);
    t += BX_P6_L2_LOOKUP;
    if (state_of(data) == BX_LINE_M) { /* modified code: L1D writes it back first */
        set_state(data, BX_LINE_I);
        t = l1d_write_back(m, line, t);
    }
    bx_cache_put(&m->l1i, bx_cache_choose(&m->l1i, line), line, BX_LINE_E);
    if (is_found(l2_request(m, BX_P6_L2_FETCH, line)))
        return bx_p6_l2_transfer(m, true, t);
    return l2_read(m, BX_P6_BUS_FETCH, line, &t);
}

/* ---- snoops ---- */

struct bx_p6_snoop_response bx_p6_snoop_share(struct bx_p6 *m, uint64_t line)
{
    struct copy l1d = in_l1d(m, line), l2 = in_l2(m, line);
    bool late = state_of(l1d) == BX_LINE_M, hitm = late || state_of(l2) == BX_LINE_M;
    bool l1i = bx_cache_has(&m->l1i, line);

    count(m, BX_P6_L2_STROBES);
    if (late) {
        count(m, BX_P6_DCU_M_OUT);
        set_state(l1d, BX_LINE_I);
    } else if (is_found(l1d)) {
        set_state(l1d, BX_LINE_S);
    }
    if (is_found(l2))
        set_state(l2, BX_LINE_S);
    return (struct bx_p6_snoop_response){
        .hit = !hitm && (is_found(l1d) || is_found(l2) || l1i),
        .hitm = hitm,
        .late = late,
    };
}

struct bx_p6_snoop_response bx_p6_snoop_invalidate(struct bx_p6 *m, uint64_t line)
{
    struct copy l1d = in_l1d(m, line), l2 = in_l2(m, line);
    struct copy l1i = copy_in(&m->l1i, line);
    bool late = state_of(l1d) == BX_LINE_M, dirty = state_of(l2) == BX_LINE_M;

    count(m, BX_P6_L2_STROBES);
    if (late)
        count(m, BX_P6_DCU_M_OUT);
    if (dirty)
        count(m, BX_P6_L2_M_OUT);
    if (is_found(l2))
        count(m, BX_P6_L2_OUT);
    const struct copy all[] = {l1d, l1i, l2};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (is_found(all[i]))
            set_state(all[i], BX_LINE_I);
    return (struct bx_p6_snoop_response){.hitm = late || dirty, .late = late};
}
