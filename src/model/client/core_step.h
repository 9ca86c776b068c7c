/* Executes one access of a core in its private caches, or returns why they cannot serve it. Inline
 * except for rare cases, because this is the inner loop of the model. */
#ifndef BX_MODEL_CLIENT_CORE_STEP_H
#define BX_MODEL_CLIENT_CORE_STEP_H

#include "model/client/core_fill.h"

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
static inline void bx_client_core_keep_l2_hit(struct bx_client_core *c, struct bx_l1_set *set,
                                              struct bx_l2_set *l2, unsigned l1_way,
                                              struct bx_l1d_victim victim, unsigned count)
{
    struct bx_undo_block *end = bx_undo_keep(c->undo.end, l2->state);

    end = bx_undo_keep(end, bx_core_counts_pair(c->counts, count));
    end = bx_undo_keep_if(end, victim.l2->state, victim.dirty);
    end =
        bx_undo_keep_if(end, bx_core_counts_pair(c->counts, BX_CORE_L1D_WRITE_BACKS), victim.dirty);
    c->undo.end = bx_l1_keep_way(end, set, l1_way);
    c->undo.lost |= victim.only;
}

/* A load or store that misses L1D and hits L2 in `way`: docs/explanation/model-client.md, "A core's
 * accesses" 2. Returns its cycles, or an enum bx_client_step. turn: it is the core's turn, so the
 * access may write back. keep: the access may have to be undone. */
static inline int bx_client_core_use_l2(struct bx_client *m, struct bx_client_core *c,
                                        struct bx_l1_set *set, struct bx_l2_set *l2, bx_access a,
                                        unsigned way, bool turn, bool keep)
{
    uint64_t line = bx_access_line(a);
    unsigned store = bx_client_access_kind(a), state = l2->state[way];

    if (bx_client_store_to_shared(store, state))
        return BX_CLIENT_STEP_MISS;
    struct bx_l1_fill_way fill_way = bx_l1_choose_way(set);
    struct bx_l1d_victim victim = bx_l1d_victim(c, set, bx_l1_index(line), fill_way.way);
    if (victim.spills && !turn)
        return BX_CLIENT_STEP_SPILL;
    unsigned count = a & BX_ACCESS_PREFETCH ? BX_CORE_L2_PREFETCH_HIT : bx_core_l2_hit(store);
    if (keep)
        bx_client_core_keep_l2_hit(c, set, l2, fill_way.way, victim, count);
    bx_core_count_l2_hit(c->counts, a, count);
    bx_l2_touch(c, l2, way);
    l2->state[way] = (uint8_t)(state - (state == BX_LINE_M)); /* M becomes E */
    bx_l1d_put(m, c, set, line, fill_way, state | store * BX_LINE_M, victim);
    return (int)bx_l2_cycles(c, a);
}

/* The same before the core's turn. Not inline; the caller passes what it has already found. */
static __attribute__((noinline)) int bx_client_core_use_l2_ahead(struct bx_client_core *c,
                                                                 struct bx_l1_set *set,
                                                                 struct bx_l2_set *l2, bx_access a,
                                                                 unsigned way)
{
    return bx_client_core_use_l2(NULL, c, set, l2, a, way, false, false);
}

static __attribute__((noinline)) int bx_client_core_use_l2_kept(struct bx_client_core *c,
                                                                struct bx_l1_set *set,
                                                                struct bx_l2_set *l2, bx_access a,
                                                                unsigned way)
{
    return bx_client_core_use_l2(NULL, c, set, l2, a, way, false, true);
}

/* t: the time of the access. */
static inline int bx_client_core_step_l2(struct bx_client_core *c, struct bx_l1_set *set,
                                         bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    unsigned found = bx_l2_match(l2, line);

    if (!found)
        return BX_CLIENT_STEP_MISS;
    if (bx_super_queue_until(&c->super_queue, line, t) &&
        !bx_client_store_to_shared(bx_client_access_kind(a), l2->state[bx_first_way(found)]))
        return BX_CLIENT_STEP_IN_FLIGHT;
    return keep ? bx_client_core_use_l2_kept(c, set, l2, a, bx_first_way(found))
                : bx_client_core_use_l2_ahead(c, set, l2, a, bx_first_way(found));
}

/* An access that was BX_CLIENT_STEP_SPILL, at the core's turn. */
static __attribute__((noinline)) int
bx_client_core_step_spill(struct bx_client *m, struct bx_client_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    unsigned way = bx_first_way(bx_l2_match(l2, line));

    return bx_client_core_use_l2(m, c, &c->l1d[bx_l1_index(line)], l2, a, way, true, false);
}

/* A prefetch of a line that L2 has but L1D does not. */
static inline int bx_client_core_step_prefetch_l2(struct bx_client *m, struct bx_client_core *c,
                                                  bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);
    struct bx_l2_set *l2 = bx_l2_set(c, line);

    if (bx_super_queue_until(&c->super_queue, line, t))
        return 0;
    int cycles = bx_client_core_use_l2(m, c, &c->l1d[bx_l1_index(line)], l2,
                                       bx_access_prefetched(a) | BX_ACCESS_PREFETCH,
                                       bx_first_way(bx_l2_match(l2, line)), m != NULL, keep);
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
    uint64_t line = bx_access_line(a);

    return bx_prefetches_l1(bx_access_prefetcher(a))
               ? bx_match8(c->l1d[bx_l1_index(line)].tag, bx_l1_tag(line))
               : bx_l2_match(&c->l2[line & (BX_L2_SETS - 1)], line);
}

/* bx_client_core_step() for prefetches. m: the machine at the core's turn, otherwise NULL. */
static __attribute__((noinline)) int bx_client_core_step_prefetch(struct bx_client *m,
                                                                  struct bx_client_core *c,
                                                                  bx_access a, uint64_t t,
                                                                  bool keep)
{
    enum bx_prefetcher by = bx_access_prefetcher(a);
    struct bx_client_copies copies = bx_client_core_copies(c, bx_access_line(a));
    bool is_there = bx_prefetches_l1(by) ? copies.l1d : bx_client_core_has(copies);

    if (is_there || c->prefetchers_off >> by & 1)
        return 0;
    if (copies.l2)
        return bx_client_core_step_prefetch_l2(m, c, a, t, keep);
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
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *set = &c->l1i[index];
    unsigned found = bx_match8(set->tag, bx_l1_tag(line));

    if (bx_client_access_kind(a) == BX_NON_TEMPORAL)
        return bx_client_core_step_non_temporal(c, a, t, keep);
    if (found) {
        if (keep)
            bx_l1_keep(&c->undo, set);
        set->plru = bx_plru8_touch(set->plru, bx_first_way(found));
        c->mru_tag[bx_client_mru_index(BX_FETCH, index)] = bx_l1_tag(line);
        return 0;
    }
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    found = bx_l2_match(l2, line);
    if (!found)
        return BX_CLIENT_STEP_MISS;
    if (bx_super_queue_until(&c->super_queue, line, t))
        return BX_CLIENT_STEP_IN_FLIGHT;
    if (keep) {
        struct bx_undo_block *end =
            bx_undo_keep(c->undo.end, bx_core_counts_pair(c->counts, BX_CORE_L2_FETCH_HIT));
        c->undo.end = bx_l1_keep_way(bx_undo_keep(end, l2->state), set, bx_l1_choose_way(set).way);
        c->undo.lost = true;
    }
    bx_core_count_l2_hit(c->counts, a, BX_CORE_L2_FETCH_HIT);
    bx_l2_touch(c, l2, bx_first_way(found));
    bx_l1i_fill(c, line);
    return (int)bx_l2_cycles(c, a);
}

/* Executes an access at t if it is private. t BX_NEVER: no line is on its way. Returns the cycles,
 * or an enum bx_client_step. keep: the access may have to be undone. */
static inline int bx_client_core_step(struct bx_client_core *c, bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);
    unsigned index = bx_l1_index(line), kind = bx_client_access_kind(a);
    struct bx_l1_set *set = &c->l1d[index];

    if (kind >= BX_FETCH)
        return bx_client_core_step_fetch(c, a, t, keep);
    unsigned found = bx_match8(set->tag, bx_l1_tag(line));
    if (!found)
        return bx_client_core_step_l2(c, set, a, t, keep);
    unsigned way = bx_first_way(found), state = set->state[way];
    if (bx_client_store_to_shared(kind, state))
        return BX_CLIENT_STEP_MISS;
    if (keep)
        bx_l1_keep(&c->undo, set);
    state |= kind * BX_LINE_M; /* a store sets M, which is all ones */
    set->state[way] = (uint8_t)state;
    set->plru = bx_plru8_touch(set->plru, way);
    bx_client_set_data_mru(c, index, bx_l1_tag(line), state);
    return 0;
}

#endif
