/* The counts of one core: instructions, and the results of its accesses. They are always counted,
 * independent of the selected events. Rules: docs/explanation/model-core-counters.md, "Counters of
 * a core". */
#ifndef BX_MODEL_ENGINE_CORE_COUNTS_H
#define BX_MODEL_ENGINE_CORE_COUNTS_H

#include "base/arena.h"
#include "model/engine/access.h"
#include "model/engine/core_waits.h"

struct bx_awake;

enum bx_core_count {
    /* The first ones are those of enum bx_retired_count. */

    /* Requests that L2 has served. A private access changes at most two of these, which are
     * adjacent. */
    BX_CORE_L2_LOAD_HIT = (BX_RETIRED_COUNTS + 1) / 2 * 2,
    BX_CORE_FROM_L2, /* the same, but only loads of instructions */
    BX_CORE_L2_STORE_HIT,
    BX_CORE_L2_FETCH_HIT,
    BX_CORE_L2_PREFETCH_HIT, /* into L1D */
    BX_CORE_L1D_WRITE_BACKS,

    /* Requests to the LLC, by their kind (enum bx_access_kind, then prefetchers). */
    BX_CORE_LLC_LOAD,
    BX_CORE_LLC_STORE,
    BX_CORE_LLC_FETCH,
    BX_CORE_LLC_PREFETCH,

    /* Accesses that wait for a line that is on its way into L2, by kind. */
    BX_CORE_FLIGHT_LOAD,
    BX_CORE_FLIGHT_STORE,
    BX_CORE_FLIGHT_FETCH,

    /* Loads of instructions that L2 has not served, by the source of the line. */
    BX_CORE_FROM_FLIGHT,
    BX_CORE_FROM_LLC,            /* no other core could have the line */
    BX_CORE_FROM_LLC_SNOOP_MISS, /* the snooped core no longer had it */
    BX_CORE_FROM_CORE_CLEAN,
    BX_CORE_FROM_CORE_DIRTY,
    BX_CORE_FROM_PACKAGE_CLEAN, /* from caches of another package */
    BX_CORE_FROM_PACKAGE_DIRTY,
    BX_CORE_FROM_MEMORY,
    BX_CORE_FROM_REMOTE_MEMORY,
    BX_CORE_FROM_DEVICE, /* a register; they are no requests to the LLC */

    /* Of the loads and stores that L1 and L2 do not serve: L1D has the line of a store, or only L2
     * gets that of a prefetch instruction. */
    BX_CORE_NO_L1D_FILL,
    BX_CORE_L2_FILLS,
    BX_CORE_L2_WRITE_BACKS,
    BX_CORE_LLC_MISS_LOAD, /* requests that the LLC could not serve, by their kind */
    BX_CORE_LLC_MISS_STORE,
    BX_CORE_LLC_MISS_FETCH,
    BX_CORE_LLC_MISS_PREFETCH,
    BX_CORE_COUNTS,
};
_Static_assert(BX_CORE_COUNTS <= 64, "a set of counts is a word");

struct bx_core_counts {
    _Alignas(16) uint64_t count[BX_CORE_COUNTS];
    uint64_t missed[BX_BRANCH_MISSES]; /* mispredicted branches */
    /* Retirements that are not in `count` yet: how often each row of the table has retired. */
    const bx_retired_table *retired;
    uint64_t *times; /* [room] */
    uint32_t room;
    bool folded;            /* all `times` are 0 */
    const bx_access *added; /* position in the feed: earlier retirements are in `count` */
    /* Cycles in which the core has work: those of earlier spans, the begin of the present span, and
     * the end of the last one. */
    uint64_t unhalted, since, until;
    bool runs;
    unsigned number;        /* within the package; of use for `awake` alone */
    struct bx_awake *awake; /* of the package; NULL: nobody asks */
    struct bx_core_waits waits;
};

/* The feed is new, or has a new batch. false: out of memory. */
bool bx_core_counts_begin_batch(struct bx_core_counts *c, bx_arena *memory, const bx_feed *feed);

/* Counts the retirements before feed->next, and removes them from the feed. */
void bx_core_counts_retire(struct bx_core_counts *c, bx_feed *feed);

/* The sum of the counts in `plus` minus those in `minus`, modulo 2^64. Both are sets of
 * bx_core_count, which include bx_retired_count. */
uint64_t bx_core_counts_sum(struct bx_core_counts *c, uint64_t plus, uint64_t minus);

/* Whether a set has counts of what instructions do when they retire. L1 hits change no others. */
static inline bool bx_core_counts_retiring(uint64_t set)
{
    return set & ((UINT64_C(1) << BX_RETIRED_COUNTS) - 1);
}

/* The sum of mispredicted branches: a set of bx_branch_count. */
uint64_t bx_core_counts_missed(struct bx_core_counts *c, uint64_t of);

/* The core begins to work, or stops, at t. One that waits for what is on its way works on. */
void bx_core_counts_run(struct bx_core_counts *c, uint64_t t);
void bx_core_counts_halt(struct bx_core_counts *c, uint64_t t);
/* A halted core executes n instructions from t on, one a cycle. A core that runs does nothing. */
void bx_core_counts_interrupt(struct bx_core_counts *c, uint64_t t, uint64_t n);
/* From t on, the machine pauses for `cycles` cycles: no agent has work. */
void bx_core_counts_pause(struct bx_core_counts *c, uint64_t t, uint64_t cycles);
uint64_t bx_core_counts_unhalted(const struct bx_core_counts *c, uint64_t now);

/* Of a core that runs: its unhalted cycles before t, if it runs until then. */
static inline uint64_t bx_core_counts_at(const struct bx_core_counts *c, uint64_t t)
{
    return c->unhalted + t - c->since;
}

/* The 16 bytes that a private access is about to change, to be saved (undo.h). */
static inline uint64_t *bx_core_counts_pair(struct bx_core_counts *c, unsigned count)
{
    return &c->count[count & ~1u];
}

static inline bool bx_access_is_auxiliary(bx_access a)
{
    return a >> 54 & 1;
}

/* The count of L2 hits for a load (BX_LOAD), store or fetch. */
static inline unsigned bx_core_l2_hit(unsigned kind)
{
    return BX_CORE_L2_LOAD_HIT + 2 * kind - (kind == BX_FETCH);
}

/* L2 has served the access. count: from bx_core_l2_hit(), or BX_CORE_L2_PREFETCH_HIT. */
static inline void bx_core_count_l2_hit(struct bx_core_counts *c, bx_access a, unsigned count)
{
    c->count[count]++;
    c->count[BX_CORE_FROM_L2] += (count == BX_CORE_L2_LOAD_HIT) & !bx_access_is_auxiliary(a);
}

/* L2 has not served the access, so it is a request to the LLC. kind: of the access, or BX_FETCH + 1
 * for a prefetch. from: the source of the line, one of BX_CORE_FROM_*. llc_miss: the LLC cannot
 * serve the request. */
static inline void bx_core_count_request(struct bx_core_counts *c, bx_access a, unsigned kind,
                                         enum bx_core_count from, bool llc_miss)
{
    bool load = kind == BX_LOAD, of_instruction = load && !bx_access_is_auxiliary(a);

    c->count[BX_CORE_LLC_LOAD + kind]++;
    c->count[BX_CORE_LLC_MISS_LOAD + kind] += llc_miss;
    c->count[from] += of_instruction;
    if (kind <= BX_FETCH)
        c->waits.serving = 1u << (BX_OUTSTANDING_LOAD + kind) |
                           (unsigned)(load && llc_miss) << BX_OUTSTANDING_LOAD_LLC_MISS |
                           (unsigned)of_instruction << BX_OUTSTANDING_BEYOND_L2 |
                           (unsigned)(of_instruction && llc_miss) << BX_OUTSTANDING_BEYOND_LLC;
}

/* Corrects an access that was counted as an L2 hit: it waits for a line on its way to L2. */
static inline void bx_core_count_flight(struct bx_core_counts *c, bx_access a, unsigned kind)
{
    uint64_t of_instruction = kind == BX_LOAD && !bx_access_is_auxiliary(a);

    c->count[bx_core_l2_hit(kind)]--;
    c->count[BX_CORE_FROM_L2] -= of_instruction;
    c->count[BX_CORE_FLIGHT_LOAD + kind]++;
    c->count[BX_CORE_FROM_FLIGHT] += of_instruction;
    c->waits.serving = (unsigned)of_instruction << BX_OUTSTANDING_BEYOND_L2;
}

#endif
