/* Executes one access of a core in its private caches, or returns why they cannot serve it; and the
 * usual fill. Inline except for rare cases, because this is the inner loop of the models. */
#ifndef BX_MODEL_PART_PRIVATE_STEP_H
#define BX_MODEL_PART_PRIVATE_STEP_H

#include "model/part/private_caches.h"
#include "seam/signal.h"

/* Why a core's access is not private. */
enum bx_private_step {
    BX_STEP_MISS = -1, /* the line is absent, or a store finds it in S */
    /* a hit that replaces a line of L2, so the access may write back: it has to wait for the core's
     * turn */
    BX_STEP_AT_TURN = -2,
    BX_STEP_IN_FLIGHT = -3, /* an L2 hit of a line that a prefetch has requested */
    BX_STEP_PREFETCH = -4,  /* a prefetch that requests its line */
    BX_STEP_LOCK = -5,      /* a locked operation begins; it needs no turn */
    BX_STEP_ARRIVES = -6,   /* it waits for a line that is on its way; it needs no turn */
};

/* ---- private_caches.c: cases for which the functions below have no time ---- */

/* Level k has replaced a line that was in this state, with the line `by`. */
void bx_privates_replaced(struct bx_privates *p, unsigned k, uint64_t line, enum bx_line_state was,
                          uint64_t by);
/* Whether a store to the line needs no request. */
bool bx_privates_own(const struct bx_privates *p, uint64_t line);
/* Fills the line of a prefetch by an instruction, where the instruction wants it. */
void bx_privates_fill_steered(struct bx_privates *p, bx_access a, enum bx_line_state granted);
void bx_privates_fill_any(struct bx_privates *p, bx_access a, enum bx_line_state granted);
/* The level that serves an access that L1 cannot serve; -1: none. */
int bx_privates_find_level(const struct bx_privates *p, bx_access a);
/* Level k serves an access at its turn. count: as for bx_core_count_l2_hit(). Returns the cycles.
 */
int bx_privates_use_level(struct bx_privates *p, unsigned k, bx_access a, unsigned count);
/* L1D has a line in S or E. Whether a store may make it M. */
bool bx_privates_may_modify(const struct bx_privates *p, uint64_t line, enum bx_line_state state);

/* ---- fills ---- */

static inline void bx_privates_fill_level(struct bx_privates *p, unsigned k, uint64_t line,
                                          enum bx_line_state state)
{
    const struct bx_cache *c = &p->level[k];
    struct bx_cache_way way = bx_cache_choose(c, line);
    enum bx_line_state was = bx_cache_state_of_line(c, way);
    uint64_t victim = bx_cache_line(c, way, line);

    p->counts->count[BX_CORE_L2_FILLS] += k == 0;
    bx_cache_put(c, way, line, state);
    if (was >= p->told)
        bx_privates_replaced(p, k, victim, was, line);
}

/* Fills a dirty victim of L1D into L2, which does not have it. Rare, so not inline. */
static __attribute__((noinline, unused)) void bx_privates_spill(struct bx_privates *p,
                                                                uint64_t line)
{
    bx_privates_fill_level(p, 0, line, BX_LINE_M);
}

/* The victim of L1D when `way` is filled with another line, and its copy in L2. L2 is searched even
 * for a clean victim: dirty victims are hard to predict, so a branch would cost more than the
 * search. The tag of an empty way matches nothing in L2. */
struct bx_l1d_victim {
    bool dirty, spills; /* spills: the victim is dirty, and L2 does not have it */
    bool only;          /* L2 does not have it */
    uint64_t line;
    uint8_t *l2_set;
    uint8_t *l2_copy; /* its state in L2 */
};

static inline struct bx_l1d_victim bx_l1d_victim(struct bx_privates *p, struct bx_cache_way way,
                                                 uint64_t for_line)
{
    uint64_t line = bx_cache_line(&p->l1d, way, for_line);
    bool dirty = bx_cache_state_of_line(&p->l1d, way) == BX_LINE_M;
    struct bx_cache_way l2 = bx_cache_find(&p->level[0], line);
    bool found = bx_cache_found(l2);

    return (struct bx_l1d_victim){
        .dirty = dirty,
        .spills = dirty && !found,
        .only = !found,
        .line = line,
        .l2_set = l2.set,
        .l2_copy = found ? bx_cache_state_at(l2) : &p->no_copy,
    };
}

/* Puts a line in the place of the victim. A dirty victim goes to L2. */
static inline void bx_l1d_put(struct bx_privates *p, uint64_t line, struct bx_cache_way fill_way,
                              unsigned state, struct bx_l1d_victim victim)
{
    bx_cache_put(&p->l1d, fill_way, line, (enum bx_line_state)state);
    bx_last_lines_use(&p->last, line, (enum bx_line_state)state);
    *victim.l2_copy |= victim.dirty * BX_LINE_M; /* all bits of M, E and S are in M */
    p->counts->count[BX_CORE_L1D_WRITE_BACKS] += victim.dirty;
    if (victim.spills)
        bx_privates_spill(p, victim.line);
}

static inline void bx_privates_fill_l1i(struct bx_privates *p, uint64_t line)
{
    bx_cache_put(&p->l1i, bx_cache_choose(&p->l1i, line), line, BX_LINE_E);
    bx_last_lines_fetch(&p->last, line);
    p->has_code = true;
}

/* The line of a load or fetch, which neither L1 nor L2 has; otherwise, bx_privates_fill_any(). */
static inline void bx_privates_fill_usual(struct bx_privates *p, bx_access a,
                                          enum bx_line_state granted)
{
    uint64_t line = bx_access_line(a);

    bx_privates_fill_level(p, 0, line, granted);
    if (bx_access_kind_of(a) == BX_LOAD) {
        struct bx_cache_way fill_way = bx_cache_choose(&p->l1d, line);
        bx_l1d_put(p, line, fill_way, granted, bx_l1d_victim(p, fill_way, line));
    } else {
        bx_privates_fill_l1i(p, line);
    }
}

/* Fills the line of an access in the granted state: S, E or, for a store, M. After this, and after
 * bx_privates_use_at_turn(), the machine takes the victims. */
static inline void bx_privates_fill(struct bx_privates *p, bx_access a, enum bx_line_state granted)
{
    if (p->plain && bx_access_kind_of(a) != BX_STORE)
        bx_privates_fill_usual(p, a, granted);
    else
        bx_privates_fill_any(p, a, granted);
}

/* ---- accesses ---- */

/* Whether a load or store that found its line in this state is a store to S. One comparison is
 * enough: loads have kind 0, and no copy has state 0. */
static inline bool bx_is_store_to_shared(unsigned kind, unsigned state)
{
    _Static_assert((int)BX_LOAD == (int)BX_LINE_I && (int)BX_STORE == (int)BX_LINE_S, "");
    return kind == state;
}

static inline unsigned bx_l2_cycles(const struct bx_privates *p, bx_access a)
{
    return p->cycles[0][a / BX_ACCESS_DEPENDENT & 1];
}

/* Saves everything that an L2 hit changes, including the victim of L1D. */
static inline void bx_privates_keep_l2_hit(struct bx_privates *p, struct bx_cache_way l2,
                                           struct bx_cache_way l1_way, struct bx_l1d_victim victim,
                                           unsigned count)
{
    struct bx_undo_block *end = bx_cache_keep(&p->level[0], p->undo.end, l2.set);

    end = bx_undo_keep(end, bx_core_counts_pair(p->counts, count));
    if (victim.dirty) {
        end = bx_cache_keep(&p->level[0], end, victim.l2_set);
        end = bx_undo_keep(end, bx_core_counts_pair(p->counts, BX_CORE_L1D_WRITE_BACKS));
    }
    p->undo.end = bx_cache_keep_way(&p->l1d, end, l1_way);
    p->undo.lost |= victim.only;
}

/* A load or store that misses L1D and hits L2: docs/explanation/model.md, "Private caches". Returns
 * its cycles, or an enum bx_private_step. count: as for bx_core_count_l2_hit(). turn: it is the
 * core's turn, so the access may write back; the cycles of what L1D writes back are then left to
 * the caller. keep: the access may have to be undone. */
static inline __attribute__((always_inline)) int bx_privates_use_l2(struct bx_privates *p,
                                                                    struct bx_cache_way l2,
                                                                    bx_access a, unsigned count,
                                                                    bool turn, bool keep)
{
    uint64_t line = bx_access_searched(a);
    unsigned store = a & 1;
    enum bx_line_state state = bx_cache_state_of_line(&p->level[0], l2);

    if (bx_is_store_to_shared(store, state))
        return BX_STEP_MISS;
    if (!p->plain)
        return turn ? bx_privates_use_level(p, 0, a, count) : BX_STEP_AT_TURN;
    struct bx_cache_way fill_way = bx_cache_choose(&p->l1d, line);
    struct bx_l1d_victim victim = bx_l1d_victim(p, fill_way, line);
    if (victim.spills && !turn)
        return BX_STEP_AT_TURN;
    if (keep)
        bx_privates_keep_l2_hit(p, l2, fill_way, victim, count);
    bx_core_count_l2_hit(p->counts, a, count);
    bx_cache_touch(&p->level[0], l2);
    /* M becomes E: in L2, if L1D takes over that the line is modified; otherwise in L1D */
    unsigned modified = state == BX_LINE_M, moves = modified & p->moves_modified;
    *bx_cache_state_at(l2) -= (uint8_t)moves;
    bx_l1d_put(p, line, fill_way, (state - (modified - moves)) | store * BX_LINE_M, victim);
    return (int)(bx_l2_cycles(p, a) + (!turn & victim.dirty) * p->l2_line);
}

/* The same before the core's turn. Not inline; the caller passes what it has already found. */
static __attribute__((noinline, unused)) int
bx_privates_use_l2_ahead(struct bx_privates *p, struct bx_cache_way l2, bx_access a)
{
    return bx_privates_use_l2(p, l2, a, bx_core_l2_hit(a & 1), false, false);
}

static __attribute__((noinline, unused)) int
bx_privates_use_l2_kept(struct bx_privates *p, struct bx_cache_way l2, bx_access a)
{
    return bx_privates_use_l2(p, l2, a, bx_core_l2_hit(a & 1), false, true);
}

/* L2 does not have the line. A level behind it may serve the access, at the core's turn. */
static inline int bx_privates_step_behind(const struct bx_privates *p, bx_access a)
{
    return !p->plain && bx_privates_find_level(p, a) > 0 ? BX_STEP_AT_TURN : BX_STEP_MISS;
}

/* t: the time of the access. */
static inline int bx_privates_step_l2(struct bx_privates *p, bx_access a, uint64_t t, bool keep)
{
    struct bx_cache_way l2 = bx_cache_find(&p->level[0], bx_access_searched(a));

    if (!bx_cache_found(l2))
        return bx_privates_step_behind(p, a);
    if (bx_super_queue_until(&p->super_queue, bx_access_line(a), t) &&
        !bx_is_store_to_shared(bx_access_kind_of(a), bx_cache_state_of_line(&p->level[0], l2)))
        return BX_STEP_IN_FLIGHT;
    return keep ? bx_privates_use_l2_kept(p, l2, a) : bx_privates_use_l2_ahead(p, l2, a);
}

/* A prefetch of a line that L2 has but L1D does not. */
static inline int bx_privates_step_prefetch_l2(struct bx_privates *p, struct bx_cache_way l2,
                                               bx_access a, uint64_t t, bool turn, bool keep)
{
    if (bx_super_queue_until(&p->super_queue, bx_access_line(a), t))
        return 0;
    bx_access as = bx_access_prefetched(a);
    int cycles = bx_privates_use_l2(p, l2, as, BX_CORE_L2_PREFETCH_HIT, turn, keep);
    return cycles < 0 ? cycles : cycles - (int)bx_l2_cycles(p, as) + p->l2_line;
}

/* While the super queue is busy, the streamer's prefetches may fill only the LLC. */
static inline bool bx_privates_prefetches_llc(const struct bx_privates *p, bx_access a, uint64_t t)
{
    return p->llc_prefetches && bx_access_prefetcher(a) == BX_PREFETCHER_STREAMER &&
           bx_super_queue_is_busy(&p->super_queue, t);
}

/* Whether the super queue has a free entry. */
static inline bool bx_privates_can_prefetch(const struct bx_privates *p, uint64_t t)
{
    return bx_super_queue_free(&p->super_queue, t) < p->super_queue.entries;
}

/* Whether a prefetch finds its line in its target level. This is the usual case. */
static inline bool bx_privates_have_prefetched(const struct bx_privates *p, bx_access a)
{
    return bx_prefetches_l1(bx_access_prefetcher(a))
               ? bx_cache_has(&p->l1d, bx_access_line(a))
               : bx_cache_has(&p->level[0], bx_access_line(a));
}

/* bx_privates_step() for prefetches. turn: it is the core's turn. */
static __attribute__((noinline, unused)) int
bx_privates_step_prefetch(struct bx_privates *p, bx_access a, uint64_t t, bool turn, bool keep)
{
    enum bx_prefetcher by = bx_access_prefetcher(a);
    uint64_t line = bx_access_line(a);
    bool into_l1 = bx_prefetches_l1(by);

    if (p->prefetchers_off >> by & 1 ||
        (into_l1 ? bx_cache_has(&p->l1d, line) : bx_privates_have(p, line)))
        return 0;
    if (into_l1) {
        struct bx_cache_way l2 = bx_cache_find(&p->level[0], line);
        if (bx_cache_found(l2))
            return bx_privates_step_prefetch_l2(p, l2, a, t, turn, keep);
        if (!p->plain && bx_privates_levels_have(p, line))
            return 0;
    }
    return bx_privates_can_prefetch(p, t) ? BX_STEP_PREFETCH : 0;
}

/* bx_privates_step() for instructions that steer caches. A prefetch never waits. */
static inline int bx_privates_step_steered(struct bx_privates *p, bx_access a, uint64_t t,
                                           bool keep)
{
    enum bx_steering how = bx_access_steering(a);
    uint64_t line = bx_access_line(a);

    if (how >= BX_STEER_FLUSH)
        return BX_STEP_MISS;
    if (how == BX_STEER_OWN)
        return bx_privates_own(p, line) ? 0 : BX_STEP_MISS;
    if (bx_cache_has(&p->l1d, line) || (how == BX_STEER_L2 && bx_privates_have(p, line)))
        return 0;
    bx_access as = bx_access_steered(a);
    int need = bx_privates_step_l2(p, as, t, keep);
    if (need == BX_STEP_IN_FLIGHT)
        return 0;
    return need < 0 ? need : need - (int)bx_l2_cycles(p, as) + (int)p->l2_line;
}

/* bx_privates_step() for kind BX_NON_TEMPORAL. Non-temporal stores are never private. */
static inline int bx_privates_step_non_temporal(struct bx_privates *p, bx_access a, uint64_t t,
                                                bool keep)
{
    if (bx_access_is_lock(a))
        return BX_STEP_LOCK;
    if (a & BX_ACCESS_STEER)
        return bx_privates_step_steered(p, a, t, keep);
    return a & BX_ACCESS_PREFETCH ? bx_privates_step_prefetch(p, a, t, false, keep) : BX_STEP_MISS;
}

/* bx_privates_step() for fetches and for kind BX_NON_TEMPORAL. */
static __attribute__((noinline, unused)) int
bx_privates_step_fetch(struct bx_privates *p, bx_access a, uint64_t t, bool keep)
{
    uint64_t line = bx_access_line(a);

    if (bx_access_kind_of(a) == BX_NON_TEMPORAL)
        return bx_privates_step_non_temporal(p, a, t, keep);
    struct bx_cache_way l1i = bx_cache_find(&p->l1i, line);
    if (bx_cache_found(l1i)) {
        if (keep)
            p->undo.end = bx_cache_keep(&p->l1i, p->undo.end, l1i.set);
        bx_cache_touch(&p->l1i, l1i);
        bx_last_lines_fetch(&p->last, line);
        return 0;
    }
    struct bx_cache_way l2 = bx_cache_find(&p->level[0], line);
    if (!bx_cache_found(l2))
        return bx_privates_step_behind(p, a);
    if (bx_super_queue_until(&p->super_queue, line, t))
        return BX_STEP_IN_FLIGHT;
    if (keep) {
        struct bx_undo_block *end = bx_cache_keep(&p->level[0], p->undo.end, l2.set);
        end = bx_undo_keep(end, bx_core_counts_pair(p->counts, BX_CORE_L2_FETCH_HIT));
        p->undo.end = bx_cache_keep_way(&p->l1i, end, bx_cache_choose(&p->l1i, line));
        p->undo.lost = true;
    }
    bx_core_count_l2_hit(p->counts, a, BX_CORE_L2_FETCH_HIT);
    bx_cache_touch(&p->level[0], l2);
    bx_privates_fill_l1i(p, line);
    return (int)bx_l2_cycles(p, a);
}

/* Whether a line in L1D is on its way, so that dependent accesses of it wait. */
static inline bool bx_privates_have_arrivals(const struct bx_privates *p, uint64_t t)
{
    return __builtin_expect(p->arrivals.latest > t, 0);
}

/* bx_privates_step() for loads and stores. l1d: where L1D has the line. */
static inline __attribute__((always_inline)) int bx_privates_step_data(struct bx_privates *p,
                                                                       struct bx_cache_way l1d,
                                                                       bx_access a, uint64_t t,
                                                                       bool keep)
{
    unsigned kind = bx_access_kind_of(a);

    if (!bx_cache_found(l1d))
        return bx_privates_step_l2(p, a, t, keep);
    unsigned state = bx_cache_state_of_line(&p->l1d, l1d);
    if (kind && state <= p->suspect &&
        !bx_privates_may_modify(p, bx_access_line(a), (enum bx_line_state)state))
        return state == BX_LINE_S ? BX_STEP_MISS : bx_privates_step_behind(p, a);
    if (a & BX_ACCESS_DEPENDENT && bx_super_queue_until(&p->arrivals, bx_access_line(a), t))
        return BX_STEP_ARRIVES;
    if (keep)
        p->undo.end = bx_cache_keep(&p->l1d, p->undo.end, l1d.set);
    state |= kind * BX_LINE_M; /* a store sets M, which has all bits of S and E */
    bx_cache_set_state(&p->l1d, l1d, (enum bx_line_state)state);
    bx_cache_touch(&p->l1d, l1d);
    bx_last_lines_use(&p->last, bx_access_searched(a), (enum bx_line_state)state);
    return 0;
}

/* Executes an access at t if it is private. t BX_NEVER: no line is on its way. Returns the cycles,
 * or an enum bx_private_step. keep: the access may have to be undone. */
static inline __attribute__((always_inline)) int
bx_privates_step(struct bx_privates *p, bx_access a, uint64_t t, bool keep)
{
    if (bx_access_kind_of(a) >= BX_FETCH)
        return bx_privates_step_fetch(p, a, t, keep);
    return bx_privates_step_data(p, bx_cache_find(&p->l1d, bx_access_searched(a)), a, t, keep);
}

/* Executes an access that hits a level behind L1, at its turn, even if its line is on its way. */
static __attribute__((noinline, unused)) unsigned bx_privates_use_at_turn(struct bx_privates *p,
                                                                          bx_access a)
{
    unsigned kind = bx_access_kind_of(a);
    int level = p->plain ? 0 : bx_privates_find_level(p, a);

    if (level > 0)
        return (unsigned)bx_privates_use_level(p, (unsigned)level, a, bx_core_l2_hit(kind));
    if (kind == BX_FETCH)
        return (unsigned)bx_privates_step_fetch(p, a, BX_NEVER, false);
    return (unsigned)bx_privates_use_l2(p, bx_cache_find(&p->level[0], bx_access_line(a)), a,
                                        bx_core_l2_hit(kind), true, false);
}

#endif
