/* Fills of a core's private caches, and the write-backs that they cause. Inline, because every miss
 * uses this. */
#ifndef BX_MODEL_CLIENT_CORE_FILL_H
#define BX_MODEL_CLIENT_CORE_FILL_H

#include "model/client/machine.h"

/* Writes a dirty victim of L2 back to the LLC, which has the line. */
static __attribute__((noinline)) void
bx_l2_write_back(struct bx_client *m, struct bx_client_core *c, uint64_t line, unsigned llc_way)
{
    struct bx_client_llc_location at = bx_client_llc_locate(&m->llc, line);
    unsigned way =
        llc_way != BX_CLIENT_LLC_WAY_UNKNOWN ? llc_way : bx_first_way(bx_client_llc_find(at));
    uint8_t *meta = &at.set->meta[way];

    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_client_llc_state(*meta)]++;
    c->counts->count[BX_CORE_L2_WRITE_BACKS]++;
    *meta = bx_client_llc_meta(bx_client_llc_cores(*meta), BX_LINE_M);
}

static inline void bx_l2_fill(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                              unsigned state, unsigned llc_way)
{
    struct bx_l2_set *set = bx_l2_set(c, line);
    unsigned fill_way = bx_l2_choose_way(c, set);

    if (set->state[fill_way] == BX_LINE_M)
        bx_l2_write_back(m, c,
                         (uint64_t)set->tag[fill_way] << BX_L2_SET_BITS | (line & (BX_L2_SETS - 1)),
                         set->llc_way[fill_way]);
    c->counts->count[BX_CORE_L2_FILLS]++;
    bx_l2_put(c, set, fill_way, line, state, llc_way);
}

/* Fills a dirty victim of L1D into L2, which does not have it. Rare, so not inline. */
static __attribute__((noinline)) void bx_l1d_spill(struct bx_client *m, struct bx_client_core *c,
                                                   uint64_t line)
{
    bx_l2_fill(m, c, line, BX_LINE_M, BX_CLIENT_LLC_WAY_UNKNOWN);
}

/* The victim of L1D when `way` is filled, and its copy in L2. L2 is searched even for a clean
 * victim: dirty victims are hard to predict, so a branch would cost more than the search. The tag
 * of an empty way matches nothing in L2. */
struct bx_l1d_victim {
    bool dirty, spills; /* spills: the victim is dirty, and L2 does not have it */
    bool only;          /* L2 does not have it */
    uint32_t tag;
    struct bx_l2_set *l2;
    uint8_t *l2_copy; /* its state in L2 */
};

static inline struct bx_l1d_victim
bx_l1d_victim(struct bx_client_core *c, const struct bx_l1_set *set, unsigned index, unsigned way)
{
    uint32_t tag = set->tag[way];
    bool dirty = set->state[way] == BX_LINE_M;
    struct bx_l2_set *l2 = bx_l2_set(c, (uint64_t)tag << BX_L1_SET_BITS | index);
    unsigned found = bx_match4(l2->tag, tag >> (BX_L2_SET_BITS - BX_L1_SET_BITS));

    return (struct bx_l1d_victim){
        .dirty = dirty,
        .spills = dirty && !found,
        .only = !found,
        .tag = tag,
        .l2 = l2,
        .l2_copy = &l2->state[bx_first_way(found | 1u << BX_L2_WAYS)],
    };
}

/* Puts a line in the place of the victim. A dirty victim goes to L2. */
static inline void bx_l1d_put(struct bx_client *m, struct bx_client_core *c, struct bx_l1_set *set,
                              uint64_t line, struct bx_l1_fill_way fill_way, unsigned state,
                              struct bx_l1d_victim victim)
{
    unsigned index = bx_l1_index(line);

    bx_l1_put(set, fill_way, bx_l1_tag(line), state);
    bx_client_set_data_mru(c, index, bx_l1_tag(line), state);
    *victim.l2_copy |= victim.dirty * BX_LINE_M; /* BX_LINE_M is all ones, so `or` sets it */
    c->counts->count[BX_CORE_L1D_WRITE_BACKS] += victim.dirty;
    if (victim.spills)
        bx_l1d_spill(m, c, (uint64_t)victim.tag << BX_L1_SET_BITS | index);
}

static inline void bx_l1d_fill(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                               unsigned state)
{
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *set = &c->l1d[index];
    struct bx_l1_fill_way fill_way = bx_l1_choose_way(set);

    bx_l1d_put(m, c, set, line, fill_way, state, bx_l1d_victim(c, set, index, fill_way.way));
}

#endif
