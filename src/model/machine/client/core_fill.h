/* Fills of a core's private caches, and the write-backs that they cause. Inline, because every miss
 * uses this. */
#ifndef BX_MODEL_MACHINE_CLIENT_CORE_FILL_H
#define BX_MODEL_MACHINE_CLIENT_CORE_FILL_H

#include "model/machine/client/machine.h"

/* Writes a dirty victim of L2 back to the LLC, which has the line. */
static __attribute__((noinline)) void bx_l2_write_back(struct bx_client *m,
                                                       struct bx_client_core *c, uint64_t line)
{
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);

    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_client_llc_state(at)]++;
    c->counts->count[BX_CORE_L2_WRITE_BACKS]++;
    bx_client_llc_set_state(at, BX_LINE_M);
}

static inline void bx_l2_fill(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                              enum bx_line_state state)
{
    struct bx_cache_way fill_way = bx_cache_choose(&c->l2, line);

    if (bx_cache_state_of_line(&c->l2, fill_way) == BX_LINE_M)
        bx_l2_write_back(m, c, bx_cache_line(&c->l2, fill_way, line));
    c->counts->count[BX_CORE_L2_FILLS]++;
    bx_cache_put(&c->l2, fill_way, line, state);
}

/* Fills a dirty victim of L1D into L2, which does not have it. Rare, so not inline. */
static __attribute__((noinline)) void bx_l1d_spill(struct bx_client *m, struct bx_client_core *c,
                                                   uint64_t line)
{
    bx_l2_fill(m, c, line, BX_LINE_M);
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

static inline struct bx_l1d_victim bx_l1d_victim(struct bx_client_core *c, struct bx_cache_way way,
                                                 uint64_t for_line)
{
    uint64_t line = bx_cache_line(&c->l1d, way, for_line);
    bool dirty = bx_cache_state_of_line(&c->l1d, way) == BX_LINE_M;
    struct bx_cache_way l2 = bx_cache_find(&c->l2, line);
    bool found = bx_cache_found(l2);

    return (struct bx_l1d_victim){
        .dirty = dirty,
        .spills = dirty && !found,
        .only = !found,
        .line = line,
        .l2_set = l2.set,
        .l2_copy = found ? bx_cache_states(&c->l2, l2.set) + l2.way : &c->no_copy,
    };
}

/* Puts a line in the place of the victim. A dirty victim goes to L2. */
static inline void bx_l1d_put(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                              struct bx_cache_way fill_way, unsigned state,
                              struct bx_l1d_victim victim)
{
    bx_cache_put(&c->l1d, fill_way, line, (enum bx_line_state)state);
    bx_last_lines_use(&c->last, line, (enum bx_line_state)state);
    *victim.l2_copy |= victim.dirty * BX_LINE_M; /* all bits of M, E and S are in M */
    c->counts->count[BX_CORE_L1D_WRITE_BACKS] += victim.dirty;
    if (victim.spills)
        bx_l1d_spill(m, c, victim.line);
}

static inline void bx_l1d_fill(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                               enum bx_line_state state)
{
    struct bx_cache_way fill_way = bx_cache_choose(&c->l1d, line);

    bx_l1d_put(m, c, line, fill_way, state, bx_l1d_victim(c, fill_way, line));
}

#endif
