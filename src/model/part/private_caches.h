/* The private caches of one core: L1D, L1I, and unified levels behind both, of which the first is
 * L2. All machines have this part. It serves the core's private accesses, fills lines that the
 * machine has requested, and answers snoops. docs/explanation/model.md, "Private caches".
 *
 * A core runs ahead of other agents through private accesses (turns.h). Until they are final, what
 * the caches held before them is saved here. */
#ifndef BX_MODEL_PART_PRIVATE_CACHES_H
#define BX_MODEL_PART_PRIVATE_CACHES_H

#include "model/engine/core_counts.h"
#include "model/part/core_caches.h"
#include "model/part/last_lines.h"
#include "model/part/super_queue.h"

/* The best response is the highest one. */
enum bx_snoop_response {
    BX_NOT_SNOOPED = -1,
    BX_SNOOP_MISS,
    BX_SNOOP_HIT, /* clean */
    BX_SNOOP_HITM,
    BX_SNOOP_RESPONSES,
};

/* A line that the last level has replaced. If it was modified, it must be written back. */
struct bx_private_victim {
    uint64_t line, by; /* by: the line that is in its place */
    bool dirty;
    bool in_l1d; /* L1D still has the line, in a clean state */
};

enum { BX_PRIVATE_VICTIMS = 8 /* most of one access */ };

struct bx_privates {
    struct bx_last_lines last;
    struct bx_cache l1d, l1i, level[BX_CORE_LEVELS];
    uint8_t levels;
    uint8_t inclusion[BX_CORE_LEVELS]; /* enum bx_inclusion */
    uint8_t cycles[BX_CORE_LEVELS][2]; /* of a hit: usually; if the access is dependent */
    uint8_t l2_line, llc_line;         /* cycles of a line on its way: struct bx_model_times */
    bool requests_queue; /* requests of accesses take entries of the super queue, too */
    bool plain;          /* one level, with none of the rules that are seldom used */
    uint8_t suspect; /* the highest state in L1D that a store may not find: S; E, if L2 has to have
                        the line, too */
    bool moves_modified, share_drops_modified; /* as in struct bx_core_caches */
    uint8_t told;            /* the lowest state of a victim of L2 that is more than dropped */
    uint8_t no_copy;         /* writes to copies that L2 does not have go there */
    bool has_code;           /* L1I has been filled at least once */
    bool snooped;            /* a snoop has found a copy since this flag was cleared */
    uint8_t prefetchers_off; /* one bit for each enum bx_prefetcher */
    bool llc_prefetches;     /* as in struct bx_core_caches_kind */
    struct bx_super_queue super_queue;
    struct bx_super_queue arrivals;            /* lines in L1D that are on their way */
    uint8_t arrives_from[BX_SUPER_QUEUE_MOST]; /* enum bx_cause: what a wait for each is for */
    struct bx_core_counts *counts;
    unsigned victims;
    struct bx_private_victim victim[BX_PRIVATE_VICTIMS]; /* until the machine has taken them */
    struct bx_undo undo;                                 /* for private accesses */
};

/* `caches` must stay as long as the result; `counts` are those of the core. NULL: out of memory. */
struct bx_privates *bx_privates_new(const struct bx_core_caches *caches,
                                    const bx_model_times *times, struct bx_core_counts *counts,
                                    bx_arena *memory);

/* Undoes the private accesses saved in p->undo. */
void bx_privates_restore(struct bx_privates *p);

/* Snoops the core: its copies of the line become S or, with `invalidate`, I. */
enum bx_snoop_response bx_privates_snoop(struct bx_privates *p, uint64_t line, bool invalidate);

/* Fills the line of a prefetch that was requested at t, into L2 only. granted: S, E or, for a
 * store, M. The line arrives at `done`. Then the machine takes the victims. */
void bx_privates_fill_prefetch(struct bx_privates *p, bx_access a, enum bx_line_state granted,
                               uint64_t t, uint64_t done);

/* A store may go on: the other agents have no copy of the line, which L1D has in S. */
void bx_privates_upgrade(struct bx_privates *p, uint64_t line);
/* L1D writes a modified line back to L2 and drops it. */
void bx_privates_flush(struct bx_privates *p, uint64_t line);

/* Count a request that the caches have not served, before its line is filled. The first function is
 * for accesses, the second for prefetches. from: one of BX_CORE_FROM_*. */
void bx_privates_count_request(struct bx_privates *p, bx_access a, enum bx_core_count from);
void bx_privates_count_prefetch(struct bx_privates *p, enum bx_core_count from);

/* The source of a line that the package's LLC has. response: of the snooped core. */
enum bx_core_count bx_llc_source(enum bx_snoop_response response);

/* Whether any level behind L1 has the line. */
static inline bool bx_privates_levels_have(const struct bx_privates *p, uint64_t line)
{
    bool has = bx_cache_has(&p->level[0], line);

    for (unsigned k = 1; k < p->levels; k++)
        has |= bx_cache_has(&p->level[k], line);
    return has;
}

/* Whether the core has a copy of the line. Most snoops find none. */
static inline bool bx_privates_have(const struct bx_privates *p, uint64_t line)
{
    int copies = bx_cache_has(&p->l1d, line); /* both without a branch */
    copies |= bx_privates_levels_have(p, line);
    return copies || (p->has_code && bx_cache_has(&p->l1i, line));
}

static inline enum bx_line_state bx_privates_state(const struct bx_cache *c, uint64_t line)
{
    return bx_cache_state(c, bx_cache_find(c, line));
}

#endif
