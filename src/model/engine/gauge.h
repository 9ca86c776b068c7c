/* Gauges: the number of entries over time, as exact sums and as the level of every cycle.
 * Resources: queues and similar parts that have gauges.
 *
 * An entry lives in the cycles begin … end - 1. Entries may be put in any order, but none may begin
 * before the present. Changes of the level to come are stored in order of time; the sums are
 * brought up to the present before they are read. */
#ifndef BX_MODEL_ENGINE_GAUGE_H
#define BX_MODEL_ENGINE_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

struct bx_model;

enum bx_gauge_sum {
    BX_GAUGE_ENTRIES,   /* entries x cycles */
    BX_GAUGE_NOT_EMPTY, /* cycles with an entry */
    BX_GAUGE_FULL,      /* cycles with `full` entries or more */
    BX_GAUGE_MARKED,    /* cycles with at least `mark` entries */
    /* With `edges` only: cycles that differ from the one before: it has no entry any more; it is
       full now; it has reached `mark` entries, or has fallen below. */
    BX_GAUGE_EMPTIED,
    BX_GAUGE_FILLED,
    BX_GAUGE_MARK_CROSSED,
    BX_GAUGE_SUMS,
    BX_GAUGE_EMPTY = BX_GAUGE_SUMS, /* cycles since power-on without an entry, */
    BX_GAUGE_UNMARKED,              /* with fewer than `mark` */
    /* Of a gauge of lanes: cycles with an entry in one of these lanes, a bit each. */
    BX_GAUGE_LANES = 0x100,
};

/* Several queues in one gauge: each has 8 bits of its level, and at most 255 entries. */
enum { BX_GAUGE_MAX_LANES = 4, BX_GAUGE_LANE_BITS = 8 };

struct bx_gauge_step {
    uint64_t at;
    uint32_t level; /* from then on, to the next step */
};

struct bx_gauge {
    uint64_t since; /* the sums cover all cycles before this one */
    uint64_t sum[BX_GAUGE_SUMS];
    uint32_t level;      /* from `since` on, to the first step */
    uint32_t full, mark; /* levels; 0: it is never full; it has no high-water mark */
    uint32_t every;      /* not 0: an entry of one cycle every so many cycles, and no others */
    uint64_t *by_lanes;  /* of lanes, not NULL: cycles by which lanes have an entry */
    bool edges;
    uint8_t was; /* with `edges`: its state in the cycle before `since` */
    uint32_t first, end, room;
    /* Pending steps: first … end - 1, in order of time; the last one goes down to 0. */
    struct bx_gauge_step *step;
};

void bx_gauge_free(struct bx_gauge *g);

/* An entry that lives in begin … end - 1, put at the present of the gauge's machine. Without memory
 * for it the machine's counts are wrong from there on: m->out_of_memory says so. */
void bx_gauge_put(struct bx_gauge *g, struct bx_model *m, uint64_t begin, uint64_t end);

/* The same in one lane of a gauge of lanes. Its ENTRIES mean nothing. */
void bx_gauge_put_lane(struct bx_gauge *g, unsigned lane, struct bx_model *m, uint64_t begin,
                       uint64_t end);

/* Brings the sums up to all cycles before `now`. */
void bx_gauge_advance(struct bx_gauge *g, uint64_t now);

uint64_t bx_gauge_sum(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* The amount by which the sum grows in the cycle `now`. */
uint64_t bx_gauge_level(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* The next time after `now` at which the level may change; UINT64_MAX: no change is known. */
uint64_t bx_gauge_next(struct bx_gauge *g, uint64_t now);

/* A queue, table or link of limited capacity. An entry waits until there is room for its whole
 * stay. Entries that were put before it keep their room, even if they begin later. */
struct bx_resource {
    struct bx_gauge in, waiting;
    struct bx_gauge starving; /* entries that have waited for BX_RESOURCE_STARVING_CYCLES cycles */
    uint64_t inserts;
    uint64_t waits;    /* entries that had to wait */
    uint64_t bypasses; /* entries that did not wait and found it empty */
};

enum { BX_RESOURCE_STARVING_CYCLES = 16 };
#define BX_RESOURCE_UNKNOWN UINT64_MAX /* its stay is not known */

static inline void bx_resource_power_on(struct bx_resource *s, uint32_t capacity)
{
    *s = (struct bx_resource){.in = {.full = capacity}};
}

void bx_resource_free(struct bx_resource *s);

/* The time at which an entry gets in that arrives at t and stays for `cycles`. */
uint64_t bx_resource_begin(struct bx_resource *s, uint64_t now, uint64_t t, uint64_t cycles);

/* Puts an entry that arrived at t, gets in at `begin`, which is what bx_resource_begin() returned,
 * and leaves at `end`. */
void bx_resource_put(struct bx_resource *s, struct bx_model *m, uint64_t t, uint64_t begin,
                     uint64_t end);

#endif
