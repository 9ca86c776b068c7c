/* Adds up the entries of gauges. */
#include "model/part/gauge.h"

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

/* Applies the steps up to `now` and drops them. */
static inline void apply_steps(struct bx_gauge *g, uint64_t now)
{
    for (; g->first != g->end && g->at[g->first] <= now; g->first++) {
        if (g->at[g->first] > g->since)
            sum_up_to(g, g->at[g->first]);
        g->level = g->step[g->first];
    }
    if (g->first == g->end)
        g->first = g->end = 0;
}

void bx_gauge_apply(struct bx_gauge *g, uint64_t now)
{
    apply_steps(g, now);
}

/* The steps from `from` on move to `to`. */
static inline void move_steps(struct bx_gauge *g, uint32_t from, uint32_t to)
{
    uint32_t n = g->end - from;

    if (n) {
        memmove(&g->at[to], &g->at[from], n * sizeof *g->at);
        memmove(&g->step[to], &g->step[from], n * sizeof *g->step);
    }
    g->end = to + n;
}

/* Makes room for two more steps. false: out of memory. */
static bool make_room_for_interval(struct bx_gauge *g, bx_arena *memory)
{
    enum { FEW = 16 };
    uint32_t room = g->room, levels = room;

    if (2 * g->first > room) { /* many have been applied */
        move_steps(g, g->first, 0);
        g->first = 0;
        return true;
    }
    uint64_t *at = bx_arena_grow(memory, g->at, room, &room, sizeof *at, FEW);
    uint32_t *step = bx_arena_grow(memory, g->step, levels, &levels, sizeof *step, FEW);
    if (!at || !step)
        return false;
    g->at = at;
    g->step = step;
    g->room = room;
    return true;
}

/* Where a step at t is or belongs: most are among the last ones that are known. */
static inline uint32_t find_step(const struct bx_gauge *g, uint64_t t)
{
    enum { FEW = 4 };
    uint32_t i = g->end;

    while (i > g->first && g->end - i < FEW && g->at[i - 1] >= t)
        i--;
    if (i == g->first || g->at[i - 1] < t)
        return i;
    return bx_gauge_first_after(g, t - 1);
}

/* From its number on, a step has this level: makes one at t, or drops it if nothing changes there.
 * Returns the number of the step after it. */
static inline uint32_t set_step(struct bx_gauge *g, uint32_t i, uint64_t t, uint32_t level)
{
    bool is_there = i != g->end && g->at[i] == t;
    bool flat = level == bx_gauge_level_before(g, i);

    if (is_there && flat)
        move_steps(g, i + 1, i);
    else if (!is_there && !flat)
        move_steps(g, i, i + 1);
    if (!flat) {
        g->at[i] = t;
        g->step[i] = level;
    }
    return i + !flat;
}

/* Adds a step after all others. */
static inline void add_step(struct bx_gauge *g, uint64_t t, uint32_t level)
{
    g->at[g->end] = t;
    g->step[g->end++] = level;
}

/* ---- gauges ---- */

/* entry: the amount that it adds to the level. */
static inline void put_interval(struct bx_gauge *g, bx_arena *memory, uint32_t entry, uint64_t now,
                                uint64_t begin, uint64_t end)
{
    if (end <= begin)
        return;
    apply_steps(g, now);
    if (g->end + 2 > g->room && !make_room_for_interval(g, memory))
        return;
    uint32_t i = g->first;
    if (begin > now && bx_gauge_is_empty_from(g, begin - 1)) { /* most come last */
        add_step(g, begin, bx_gauge_level_before(g, g->end) + entry);
        add_step(g, end, bx_gauge_level_before(g, g->end) - entry);
        return;
    }
    if (begin > now) {
        i = find_step(g, begin);
        bool is_there = i != g->end && g->at[i] == begin;
        uint32_t level = is_there ? g->step[i] : bx_gauge_level_before(g, i);
        i = set_step(g, i, begin, level + entry);
    } else {
        if (now > g->since)
            sum_up_to(g, now);
        g->level += entry;
    }
    uint32_t last = find_step(g, end);
    for (; i < last; i++)
        g->step[i] += entry;
    bool is_there = i != g->end && g->at[i] == end;
    set_step(g, i, end, is_there ? g->step[i] : bx_gauge_level_before(g, i) - entry);
}

void bx_gauge_put(struct bx_gauge *g, bx_arena *memory, uint64_t now, uint64_t begin, uint64_t end)
{
    put_interval(g, memory, 1, now, begin, end);
}

void bx_gauge_put_lane(struct bx_gauge *g, bx_arena *memory, unsigned lane, uint64_t now,
                       uint64_t begin, uint64_t end)
{
    put_interval(g, memory, UINT32_C(1) << BX_GAUGE_LANE_BITS * lane, now, begin, end);
}

void bx_gauge_advance(struct bx_gauge *g, uint64_t now)
{
    apply_steps(g, now);
    if (now > g->since)
        sum_up_to(g, now);
}

static uint64_t first_entry(const struct bx_gauge *g)
{
    return g->phase ? g->phase : g->every;
}

static bool has_entry(const struct bx_gauge *g, uint64_t now)
{
    return now >= first_entry(g) && (now - first_entry(g)) % g->every == 0;
}

uint64_t bx_gauge_sum(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now)
{
    if (g->every)
        return now > first_entry(g) ? (now - 1 - first_entry(g)) / g->every + 1 : 0;
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
        return has_entry(g, now);
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
    if (g->every && has_entry(g, now))
        return now + 1;
    if (g->every)
        return now < first_entry(g)
                   ? first_entry(g)
                   : ((now - first_entry(g)) / g->every + 1) * g->every + first_entry(g);
    bx_gauge_advance(g, now);
    if (g->edges && g->was != state_of(g)) /* an edge is one cycle long */
        return now + 1;
    return g->first != g->end ? g->at[g->first] : UINT64_MAX;
}
