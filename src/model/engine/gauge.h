/* How full something is over time: exact sums of it, and its level in every cycle.
 *
 * Entries live in the cycles begin … end - 1 and may be put in any order, as long as they begin no
 * earlier than the present. What is still to come waits in order of time; the sums are brought up
 * to the present before they are read. */
#ifndef BX_MODEL_ENGINE_GAUGE_H
#define BX_MODEL_ENGINE_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

enum bx_gauge_sum {
    BX_GAUGE_ENTRIES,   /* entries x cycles */
    BX_GAUGE_NOT_EMPTY, /* cycles with an entry */
    BX_GAUGE_FULL,      /* cycles with as many entries as it holds */
    BX_GAUGE_MARKED,    /* cycles with at least `mark` entries */
    /* With `edges` only: cycles which, unlike the one before, have no entry; are full; differ in
     * whether there are at least `mark` entries. */
    BX_GAUGE_EMPTIED,
    BX_GAUGE_FILLED,
    BX_GAUGE_MARK_CROSSED,
    BX_GAUGE_SUMS,
    BX_GAUGE_EMPTY = BX_GAUGE_SUMS, /* cycles since power-on without an entry, */
    BX_GAUGE_UNMARKED,              /* with fewer than `mark` */
};

struct bx_gauge_step {
    uint64_t at;
    uint32_t level; /* from then on, to the next step */
};

struct bx_gauge {
    uint64_t since; /* up to here it is summed */
    uint64_t sum[BX_GAUGE_SUMS];
    uint32_t level;      /* from `since` on, to the first step */
    uint32_t full, mark; /* levels; 0: it is never full, has no mark */
    uint32_t every;      /* not 0: an entry of one cycle every so many, and no others */
    bool edges;
    uint8_t was; /* what it was in the cycle before `since`, if there are edges */
    uint32_t first, end, room;
    struct bx_gauge_step *step; /* first … end - 1 are to come, each later than the one before; the
                                   last one goes down to 0 */
};

void bx_gauge_free(struct bx_gauge *g);

/* An entry that lives in begin … end - 1, put at the time `now`. */
void bx_gauge_put(struct bx_gauge *g, uint64_t now, uint64_t begin, uint64_t end);

/* Brings the sums up to all cycles before `now`. */
void bx_gauge_advance(struct bx_gauge *g, uint64_t now);

uint64_t bx_gauge_sum(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* What the sum grows by in the cycle `now`. */
uint64_t bx_gauge_level(struct bx_gauge *g, enum bx_gauge_sum which, uint64_t now);

/* When the level may change next after `now`; UINT64_MAX: never, as far as is known. */
uint64_t bx_gauge_next(struct bx_gauge *g, uint64_t now);

/* A queue, table or wire of limited capacity. An entry waits until there is room for as long as it
 * stays: what was put before it keeps its entry, though it may come later. */
struct bx_resource {
    struct bx_gauge in, waiting;
    struct bx_gauge
        starving; /* entries that have waited for BX_RESOURCE_STARVING_CYCLES cycles already */
    uint64_t inserts;
    uint64_t waits;    /* entries that did not get in at once */
    uint64_t bypasses; /* entries that got in at once and found it empty */
};

enum { BX_RESOURCE_STARVING_CYCLES = 16 };
#define BX_RESOURCE_UNKNOWN UINT64_MAX /* how long it stays */

static inline void bx_resource_power_on(struct bx_resource *s, uint32_t capacity)
{
    *s = (struct bx_resource){.in = {.full = capacity}};
}

void bx_resource_free(struct bx_resource *s);

/* When something that arrives at t and stays for so many cycles gets in. */
uint64_t bx_resource_begin(struct bx_resource *s, uint64_t now, uint64_t t, uint64_t cycles);

/* It arrived at t, got in at `begin` as bx_resource_begin() said, and leaves at `end`. */
void bx_resource_put(struct bx_resource *s, uint64_t now, uint64_t t, uint64_t begin, uint64_t end);

#endif
