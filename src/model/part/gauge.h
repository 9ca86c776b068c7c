/* Gauges: the number of entries over time, as exact sums and as the level of every cycle. Cycles
 * may be those of any clock.
 *
 * An entry lives in the cycles begin … end - 1. Entries can be put in any order, but none begins
 * before the present. Future changes of the level are stored in order of time. The sums are brought
 * up to date before they are read. */
#ifndef BX_MODEL_PART_GAUGE_H
#define BX_MODEL_PART_GAUGE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum bx_gauge_sum {
    BX_GAUGE_ENTRIES,   /* entries x cycles */
    BX_GAUGE_NOT_EMPTY, /* cycles with an entry */
    BX_GAUGE_FULL,      /* cycles with `full` entries or more */
    BX_GAUGE_MARKED,    /* cycles with at least `mark` entries */
    /* Only with `edges`: cycles whose state differs from the cycle before. The gauge has become
     * empty; has become full; has reached `mark` entries or fallen below. */
    BX_GAUGE_EMPTIED,
    BX_GAUGE_FILLED,
    BX_GAUGE_MARK_CROSSED,
    BX_GAUGE_SUMS,
    BX_GAUGE_EMPTY = BX_GAUGE_SUMS, /* cycles since power-on without an entry */
    BX_GAUGE_UNMARKED,              /* cycles since power-on with fewer than `mark` entries */
    /* Of a gauge with lanes: cycles with an entry in one of some lanes. Add the mask of these
     * lanes. */
    BX_GAUGE_LANES = 0x100,
};

/* A gauge can have several queues as lanes. Each lane has 8 bits of the level, so at most 255
 * entries. */
enum { BX_GAUGE_MAX_LANES = 4, BX_GAUGE_LANE_BITS = 8 };

struct bx_gauge {
    uint64_t since; /* the sums cover all cycles before this one */
    uint64_t sum[BX_GAUGE_SUMS];
    uint32_t level;      /* from `since` to the first step */
    uint32_t full, mark; /* only with lanes: cycles, by the set of lanes that have an entry */
    /* not 0: one entry of one cycle in this period, and no others: in the cycles phase, phase +
     * every, …; phase 0: every, 2 x every, … */
    uint32_t every, phase;
    uint64_t *by_lanes; /* not NULL with lanes: cycles, by the set of lanes that have an entry */
    bool edges;
    uint8_t was; /* with `edges`: the state in the cycle before `since` */
    uint32_t first, end, room;
    /* Pending steps: first … end - 1, in order of time. After the last one the level is 0. */
    uint64_t *at;
    uint32_t *step; /* the level from there to the next step */
};

/* Adds an entry that lives in begin … end - 1, at the present time `now`. The steps are in
 * `memory`; if that has failed, the gauge is wrong from then on. */
void bx_gauge_put(struct bx_gauge *g, bx_arena *memory, uint64_t now, uint64_t begin, uint64_t end);

/* The same in one lane of a gauge with lanes. BX_GAUGE_ENTRIES has no meaning for such a gauge. */
void bx_gauge_put_lane(struct bx_gauge *g, bx_arena *memory, unsigned lane, uint64_t now,
                       uint64_t begin, uint64_t end);

/* Brings the sums up to date: to all cycles before `now`. */
void bx_gauge_advance(struct bx_gauge *g, uint64_t now);

/* Applies the steps up to the present; the next two functions want that. */
void bx_gauge_apply(struct bx_gauge *g, uint64_t now);

/* The number of the first step after t. */
static inline uint32_t bx_gauge_first_after(const struct bx_gauge *g, uint64_t t)
{
    uint32_t from = g->first, to = g->end;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (g->at[middle] <= t)
            from = middle + 1;
        else
            to = middle;
    }
    return to;
}

/* The level before the step of that number. */
static inline uint32_t bx_gauge_level_before(const struct bx_gauge *g, uint32_t step)
{
    return step == g->first ? g->level : g->step[step - 1];
}

/* The level at t, and the number of the first step after t. */
static inline uint32_t bx_gauge_level_at(const struct bx_gauge *g, uint64_t t, uint32_t *next)
{
    *next = bx_gauge_first_after(g, t);
    return bx_gauge_level_before(g, *next);
}

/* Whether no entry is known that lives at t or later. */
static inline bool bx_gauge_is_empty_from(const struct bx_gauge *g, uint64_t t)
{
    return g->first == g->end || g->at[g->end - 1] <= t;
}

uint64_t bx_gauge_sum(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* The amount by which the sum grows in the cycle `now`. */
uint64_t bx_gauge_level(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* The next time after `now` at which the level may change; UINT64_MAX: no change is known. */
uint64_t bx_gauge_next(struct bx_gauge *g, uint64_t now);

#endif
