/* Executes one access of a core in its private caches, or returns why they cannot serve it. Inline
 * except for rare cases, because this is the inner loop of the model. */
#ifndef BX_MODEL_MACHINE_CLIENT_CORE_STEP_H
#define BX_MODEL_MACHINE_CLIENT_CORE_STEP_H

#include "model/machine/client/core_fill.h"

/* Whether a load or store that found its line in this state is a store to S. One comparison is
 * enough: loads have kind 0, and no copy has state 0. */
static inline bool bx_client_store_to_shared(unsigned kind, unsigned state)
{
    _Static_assert((int)BX_LOAD == (int)BX_LINE_I && (int)BX_STORE == (int)BX_LINE_S, "");
    return kind == state;
}

static inline unsigned bx_l2_cycles(const struct bx_client_core *c, bx_access a)
{
    return c->l2_cycles[a / BX_ACCESS_DEPENDENT & 1];
}

/* Saves everything that an L2 hit changes, including the victim of L1D. */
static inline void bx_client_core_keep_l2_hit(struct bx_client_core *c, struct bx_cache_way l2,
                                              struct bx_cache_way l1_way,
                                              struct bx_l1d_victim victim, unsigned count)
{
    struct bx_undo_block *end = bx_cache_keep(&c->l2, c->undo.end, l2.set);

    end = bx_undo_keep(end, bx_core_counts_pair(c->counts, count));
    if (victim.dirty) {
        end = bx_cache_keep(&c->l2, end, victim.l2_set);
        end = bx_undo_keep(end, bx_core_counts_pair(c->counts, BX_CORE_L1D_WRITE_BACKS));
    }
    c->undo.end = bx_cache_keep_way(&c->l1d, end, l1_way);
    c->undo.lost |= victim.only;
}

/* A load or store that misses L1D and hits L2: docs/explanation/model-client.md, "A core's
 * accesses" 2. Returns its cycles, or an enum bx_client_step. turn: it is the core's turn, so the
 * access may write back. keep: the access may have to be undone. */
static inline __attribute__((always_inline)) int
bx_client_core_use_l2(struct bx_client *m, struct bx_client_core *c, struct bx_cache_way l2,
                      bx_access a, bool turn, bool keep)
{
    uint64_t line = bx_access_line(a);
    unsigned store = bx_client_access_kind(a);
    enum bx_line_state state = bx_cache_state_of_line(&c->l2, l2);

    if (bx_client_store_to_shared(store, state))
        return BX_CLIENT_STEP_MISS;
    struct bx_cache_way fill_way = bx_cache_choose(&c->l1d, line);
    struct bx_l1d_victim victim = bx_l1d_victim(c, fill_way, line);
    if (victim.spills && !turn)
        return BX_CLIENT_STEP_SPILL;
    unsigned count = a & BX_ACCESS_PREFETCH ? BX_CORE_L2_PREFETCH_HIT : bx_core_l2_hit(store);
    if (keep)
        bx_client_core_keep_l2_hit(c, l2, fill_way, victim, count);
    bx_core_count_l2_hit(c->counts, a, count);
    bx_cache_touch(&c->l2, l2);
    bx_cache_states(&c->l2, l2.set)[l2.way] -= state == BX_LINE_M; /* M becomes E */
    bx_l1d_put(m, c, line, fill_way, state | store * BX_LINE_M, victim);
    return (int)bx_l2_cycles(c, a);
}

/* The same before the core's turn. Not inline; the caller passes what it has already found. */
static __attribute__((noinline)) int
bx_client_core_use_l2_ahead(struct bx_client_core *c, struct bx_cache_way l2, bx_access a)
{
    return bx_client_core_use_l2(NULL, c, l2, a, false, false);
}

static __attribute__((noinline)) int bx_client_core_use_l2_kept(struct bx_client_core *c,
                                                                struct bx_cache_way l2, bx_access a)
{
    return bx_client_core_use_l2(NULL, c, l2, a, false, true);
}

/* t: the time of the access. */
static inline int bx_client_core_step_l2(struct bx_client_core *c, bx_access a, uint64_t t,
                                         bool keep)
{
    uint64_t line = bx_access_line(a);
    struct bx_cache_way l2 = bx_cache_find(&c->l2, line);

    if (!bx_cache_found(l2))
        return BX_CLIENT_STEP_MISS;
    if (bx_super_queue_until(&c->super_queue, line, t) &&
        !bx_client_store_to_shared(bx_client_access_kind(a), bx_cache_state_of_line(&c->l2, l2)))
        return BX_CLIENT_STEP_IN_FLIGHT;
    return keep ? bx_client_core_use_l2_kept(c, l2, a) : bx_client_core_use_l2_ahead(c, l2, a);
}

/* An access that was BX_CLIENT_STEP_SPILL, at the core's turn. */
static __attribute__((noinline)) int
bx_client_core_step_spill(struct bx_client *m, struct bx_client_core *c, bx_access a)
{
    return bx_client_core_use_l2(m, c, bx_cache_find(&c->l2, bx_access_line(a)), a, true, false);
}

/* A prefetch of a line that L2 has but L1D does not. */
static inline int bx_client_core_step_prefetch_l2(struct bx_client *m, struct bx_client_core *c,
                                                  struct bx_cache_way l2, bx_access a, uint64_t t,
                                                  bool keep)
{
    if (bx_super_queue_until(&c->super_queue, bx_access_line(a), t))
        return 0;
    int cycles = bx_client_core_use_l2(m, c, l2, bx_access_prefetched(a) | BX_ACCESS_PREFETCH,
                                       m != NULL, keep);
    return cycles < 0 ? cycles : 0;
}

/* While the super queue is busy, the streamer's prefetches fill only the LLC. */
static inline bool bx_client_core_fills_llc(const struct bx_client_core *c, bx_access a, uint64_t t)
{
    return bx_access_prefetcher(a) == BX_PREFETCHER_STREAMER &&
           bx_super_queue_is_busy(&c->super_queue, t);
}

/* Whether the queue that a prefetch needs has a free entry. */
static inline bool bx_client_core_can_prefetch(const struct bx_client_core *c, bx_access a,
                                               uint64_t t)
{
    const struct bx_super_queue *q =
        bx_client_core_fills_llc(c, a, t) ? &c->llc_queue : &c->super_queue;
    return bx_super_queue_free(q, t) < BX_SUPER_QUEUE;
}

/* Whether a prefetch finds its line in its target level. This is the usual case. */
static inline bool bx_client_core_has_prefetched(const struct bx_client_core *c, bx_access a)
{
    return bx_prefetches_l1(bx_access_prefetcher(a)) ? bx_cache_has(&c->l1d, bx_access_line(a))
                                                     : bx_cache_has(&c->l2, bx_access_line(a));
}

/* bx_client_core_step() for prefetches. m: the machine at the core's turn, otherwise NULL. */
static __attribute__((noinline)) int bx_client_core_step_prefetch(struct bx_client *m,
                                                                  struct bx_client_core *c,
                                                                  bx_access a, uint64_t t,
                                                                  bool keep)
{
    enum bx_prefetcher by = bx_access_prefetcher(a);
    uint64_t line = bx_access_line(a);
    bool is_there =
        bx_prefetches_l1(by) ? bx_cache_has(&c->l1d, line) : bx_client_core_has(c, line);

    if (is_there || c->prefetchers_off >> by & 1)
        return 0;
    struct bx_cache_way l2 = bx_cache_find(&c->l2, line);
    if (bx_cache_found(l2))
        return bx_client_core_step_prefetch_l2(m, c, l2, a, t, keep);
    return bx_client_core_can_prefetch(c, a, t) ? BX_CLIENT_STEP_PREFETCH : 0;
}

/* bx_client_core_step() for kind BX_NON_TEMPORAL. Non-temporal stores are never private. */
static inline int bx_client_core_step_non_temporal(struct bx_client_core *c, bx_access a,
                                                   uint64_t t, bool keep)
{
    if (bx_access_is_lock(a))
        return BX_CLIENT_STEP_LOCK;
    return a & BX_ACCESS_PREFETCH ? bx_client_core_step_prefetch(NULL, c, a, t, keep)
                                  : BX_CLIENT_STEP_MISS;
}

/* bx_client_core_step() for fetches and for kind BX_NON_TEMPORAL. */
static __attribute__((noinline)) int bx_client_core_step_fetch(struct bx_client_core *c,
                                                               bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);

    if (bx_client_access_kind(a) == BX_NON_TEMPORAL)
        return bx_client_core_step_non_temporal(c, a, t, keep);
    struct bx_cache_way l1i = bx_cache_find(&c->l1i, line);
    if (bx_cache_found(l1i)) {
        if (keep)
            c->undo.end = bx_cache_keep(&c->l1i, c->undo.end, l1i.set);
        bx_cache_touch(&c->l1i, l1i);
        bx_last_lines_fetch(&c->last, line);
        return 0;
    }
    struct bx_cache_way l2 = bx_cache_find(&c->l2, line);
    if (!bx_cache_found(l2))
        return BX_CLIENT_STEP_MISS;
    if (bx_super_queue_until(&c->super_queue, line, t))
        return BX_CLIENT_STEP_IN_FLIGHT;
    if (keep) {
        struct bx_undo_block *end = bx_cache_keep(&c->l2, c->undo.end, l2.set);
        end = bx_undo_keep(end, bx_core_counts_pair(c->counts, BX_CORE_L2_FETCH_HIT));
        c->undo.end = bx_cache_keep_way(&c->l1i, end, bx_cache_choose(&c->l1i, line));
        c->undo.lost = true;
    }
    bx_core_count_l2_hit(c->counts, a, BX_CORE_L2_FETCH_HIT);
    bx_cache_touch(&c->l2, l2);
    bx_l1i_fill(c, line);
    return (int)bx_l2_cycles(c, a);
}

/* Executes an access at t if it is private. t BX_NEVER: no line is on its way. Returns the cycles,
 * or an enum bx_client_step. keep: the access may have to be undone. */
static inline int bx_client_core_step(struct bx_client_core *c, bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);
    unsigned kind = bx_client_access_kind(a);

    if (kind >= BX_FETCH)
        return bx_client_core_step_fetch(c, a, t, keep);
    struct bx_cache_way l1d = bx_cache_find(&c->l1d, line);
    if (!bx_cache_found(l1d))
        return bx_client_core_step_l2(c, a, t, keep);
    unsigned state = bx_cache_state_of_line(&c->l1d, l1d);
    if (bx_client_store_to_shared(kind, state))
        return BX_CLIENT_STEP_MISS;
    if (keep)
        c->undo.end = bx_cache_keep(&c->l1d, c->undo.end, l1d.set);
    state |= kind * BX_LINE_M; /* a store sets M, which has all bits of S and E */
    bx_cache_set_state(&c->l1d, l1d, (enum bx_line_state)state);
    bx_cache_touch(&c->l1d, l1d);
    bx_last_lines_use(&c->last, line, (enum bx_line_state)state);
    return 0;
}

#endif
