/* Adds up the entries of gauges, and finds the time at which a resource has room. */
#include "model/engine/gauge.h"

#include "model/engine/kind.h"

#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

enum { NOT_EMPTY = 1, FULL = 2, MARKED = 4 };

static unsigned state_of(const struct bx_gauge *g)
{
    return (g->level ? NOT_EMPTY : 0) | (g->full && g->level >= g->full ? FULL : 0) |
           (g->mark && g->level >= g->mark ? MARKED : 0);
}

/* Whether the sum `which` counts the change from state `was` to state `is`. */
static bool is_edge(enum bx_gauge_sum which, unsigned was, unsigned is)
{
    switch (which) {
    case BX_GAUGE_EMPTIED:
        return was & ~is & NOT_EMPTY;
    case BX_GAUGE_FILLED:
        return is & ~was & FULL;
    default:
        return (is ^ was) & MARKED;
    }
}

static void count_edges(struct bx_gauge *g)
{
    unsigned is = state_of(g);

    for (enum bx_gauge_sum which = BX_GAUGE_EMPTIED; which <= BX_GAUGE_MARK_CROSSED; which++)
        g->sum[which] += is_edge(which, g->was, is);
    g->was = (uint8_t)is;
}

/* ---- lanes ---- */

static unsigned lanes_of(uint32_t level)
{
    unsigned lanes = 0;

    for (unsigned lane = 0; level; lane++, level >>= BX_GAUGE_LANE_BITS)
        lanes |= (level & ((1u << BX_GAUGE_LANE_BITS) - 1) ? 1u : 0) << lane;
    return lanes;
}

static uint64_t cycles_in_lanes(const struct bx_gauge *g, unsigned lanes)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < 1u << BX_GAUGE_MAX_LANES; i++)
        if (i & lanes)
            sum += g->by_lanes[i];
    return sum;
}

/* ---- pending steps ---- */

static void sum_up_to(struct bx_gauge *g, uint64_t t)
{
    uint64_t cycles = t - g->since;

    g->since = t;
    if (g->edges)
        count_edges(g);
    if (!g->level)
        return;
    g->sum[BX_GAUGE_ENTRIES] += g->level * cycles;
    if (g->by_lanes)
        g->by_lanes[lanes_of(g->level)] += cycles;
    g->sum[BX_GAUGE_NOT_EMPTY] += cycles;
    if (g->full && g->level >= g->full)
        g->sum[BX_GAUGE_FULL] += cycles;
    if (g->mark && g->level >= g->mark)
        g->sum[BX_GAUGE_MARKED] += cycles;
}

static void apply_step(struct bx_gauge *g)
{
    struct bx_gauge_step step = g->step[g->first++];

    if (step.at > g->since)
        sum_up_to(g, step.at);
    g->level = step.level;
}

/* Applies the steps up to `now` and drops them. */
static inline void apply_steps(struct bx_gauge *g, uint64_t now)
{
    while (g->first != g->end && g->step[g->first].at <= now)
        apply_step(g);
    if (g->first == g->end)
        g->first = g->end = 0;
}

/* Makes room for two more steps. false: out of memory. */
static bool make_room(struct bx_gauge *g)
{
    if (g->end + 2 <= g->room)
        return true;
    if (2 * g->first <= g->room) { /* few have been applied */
        uint32_t room = g->room ? 2 * g->room : 16;
        struct bx_gauge_step *more = realloc(g->step, room * sizeof *more);
        if (!more)
            return false;
        g->step = more;
        g->room = room;
        return true;
    }
    memmove(g->step, g->step + g->first, (g->end - g->first) * sizeof *g->step);
    g->end -= g->first;
    g->first = 0;
    return true;
}

/* The first step later than t. */
static uint32_t after(const struct bx_gauge *g, uint64_t t)
{
    uint32_t from = g->first, to = g->end;

    if (from == to || g->step[to - 1].at <= t)
        return to;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (g->step[middle].at > t)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static uint32_t level_before(const struct bx_gauge *g, uint32_t step)
{
    return step > g->first ? g->step[step - 1].level : g->level;
}

/* The step at t. If there is none, it is made. */
static uint32_t step_at(struct bx_gauge *g, uint64_t t)
{
    uint32_t i = after(g, t);

    if (i > g->first && g->step[i - 1].at == t)
        return i - 1;
    if (i < g->end)
        memmove(&g->step[i + 1], &g->step[i], (g->end - i) * sizeof *g->step);
    g->step[i] = (struct bx_gauge_step){t, level_before(g, i)};
    g->end++;
    return i;
}

static void drop_if_flat(struct bx_gauge *g, uint32_t i)
{
    if (i < g->end && g->step[i].level == level_before(g, i)) {
        memmove(&g->step[i], &g->step[i + 1], (g->end - i - 1) * sizeof *g->step);
        g->end--;
    }
}

/* ---- gauges ---- */

void bx_gauge_free(struct bx_gauge *g)
{
    free(g->step);
    g->step = NULL;
}

/* Whether no entry is known that lives at t or later. This is the usual case. */
static inline bool is_empty_from(const struct bx_gauge *g, uint64_t t)
{
    return g->first == g->end || g->step[g->end - 1].at <= t;
}

static inline void append(struct bx_gauge *g, uint32_t entry, uint64_t begin, uint64_t end)
{
    if (g->first != g->end && g->step[g->end - 1].at == begin)
        g->step[g->end - 1].level = entry;
    else
        g->step[g->end++] = (struct bx_gauge_step){begin, entry};
    g->step[g->end++] = (struct bx_gauge_step){end, 0};
}

static void insert(struct bx_gauge *g, uint32_t entry, uint64_t begin, uint64_t end)
{
    uint32_t from = step_at(g, begin), to = step_at(g, end);

    for (uint32_t i = from; i < to; i++)
        g->step[i].level += entry;
    drop_if_flat(g, to);
    drop_if_flat(g, from);
}

/* entry: the amount that it adds to the level. */
static inline void put(struct bx_gauge *g, uint32_t entry, struct bx_model *m, uint64_t begin,
                       uint64_t end)
{
    if (end <= begin)
        return;
    apply_steps(g, m->time.now);
    if (!make_room(g))
        m->out_of_memory = true;
    else if (is_empty_from(g, begin))
        append(g, entry, begin, end);
    else
        insert(g, entry, begin, end);
}

void bx_gauge_put(struct bx_gauge *g, struct bx_model *m, uint64_t begin, uint64_t end)
{
    put(g, 1, m, begin, end);
}

void bx_gauge_put_lane(struct bx_gauge *g, unsigned lane, struct bx_model *m, uint64_t begin,
                       uint64_t end)
{
    put(g, UINT32_C(1) << BX_GAUGE_LANE_BITS * lane, m, begin, end);
}

void bx_gauge_advance(struct bx_gauge *g, uint64_t now)
{
    apply_steps(g, now);
    if (now > g->since)
        sum_up_to(g, now);
}

uint64_t bx_gauge_sum(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now)
{
    if (g->every) /* entries live in the cycles every, 2 x every, … */
        return now ? (now - 1) / g->every : 0;
    bx_gauge_advance(g, now);
    if (which >= BX_GAUGE_LANES)
        return cycles_in_lanes(g, which - BX_GAUGE_LANES);
    switch (which) {
    case BX_GAUGE_EMPTY:
        return now - g->sum[BX_GAUGE_NOT_EMPTY];
    case BX_GAUGE_UNMARKED:
        return now - g->sum[BX_GAUGE_MARKED];
    default:
        return g->sum[which];
    }
}

uint64_t bx_gauge_level(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now)
{
    if (g->every)
        return now && now % g->every == 0;
    bx_gauge_advance(g, now);
    if (which >= BX_GAUGE_LANES)
        return (lanes_of(g->level) & (which - BX_GAUGE_LANES)) != 0;
    switch (which) {
    case BX_GAUGE_NOT_EMPTY:
        return g->level != 0;
    case BX_GAUGE_EMPTY:
        return g->level == 0;
    case BX_GAUGE_FULL:
        return (state_of(g) & FULL) != 0;
    case BX_GAUGE_MARKED:
        return (state_of(g) & MARKED) != 0;
    case BX_GAUGE_UNMARKED:
        return !(state_of(g) & MARKED);
    case BX_GAUGE_EMPTIED:
    case BX_GAUGE_FILLED:
    case BX_GAUGE_MARK_CROSSED:
        return g->edges && is_edge(which, g->was, state_of(g));
    default:
        return g->level;
    }
}

uint64_t bx_gauge_next(struct bx_gauge *g, uint64_t now)
{
    if (g->every)
        return now && now % g->every == 0 ? now + 1 : (now / g->every + 1) * g->every;
    bx_gauge_advance(g, now);
    if (g->edges && g->was != state_of(g)) /* an edge is one cycle long */
        return now + 1;
    return g->first != g->end ? g->step[g->first].at : UINT64_MAX;
}

/* ---- resources ---- */

void bx_resource_free(struct bx_resource *s)
{
    bx_gauge_free(&s->in);
    bx_gauge_free(&s->waiting);
    bx_gauge_free(&s->starving);
}

uint64_t bx_resource_begin(struct bx_resource *s, uint64_t now, uint64_t t, uint64_t cycles)
{
    const struct bx_gauge *g = &s->in;
    uint64_t begin = t;

    apply_steps(&s->in, now);
    if (is_empty_from(g, t))
        return t;
    uint32_t next = after(g, t);
    uint32_t level = level_before(g, next);
    for (;; level = g->step[next++].level) {
        if (level >= g->full)
            begin = g->step[next].at;
        else if (next == g->end ||
                 (cycles != BX_RESOURCE_UNKNOWN && g->step[next].at >= begin + cycles))
            return begin;
    }
}

void bx_resource_put(struct bx_resource *s, struct bx_model *m, uint64_t t, uint64_t begin,
                     uint64_t end)
{
    apply_steps(&s->in, m->time.now);
    s->inserts++;
    if (begin == t) {
        s->bypasses += is_empty_from(&s->in, t) || level_before(&s->in, after(&s->in, t)) == 0;
    } else {
        s->waits++;
        bx_gauge_put(&s->waiting, m, t, begin);
        bx_gauge_put(&s->starving, m, t + BX_RESOURCE_STARVING_CYCLES, begin);
    }
    bx_gauge_put(&s->in, m, begin, end);
}
