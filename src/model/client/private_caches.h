/* A core's private caches: L1D, L1I and L2.
 *
 * The layout is made for speed: 32-bit tags that are compared a set at a time, states as bytes, a
 * mask of invalid ways. `mru_tag` is a filter in front of L1. It has the tag of each set's most
 * recently used line, by kind of access. An access that finds its tag there changes nothing,
 * because a second touch of a way has no effect. So most accesses cost one comparison. */
#ifndef BX_MODEL_CLIENT_PRIVATE_CACHES_H
#define BX_MODEL_CLIENT_PRIVATE_CACHES_H

#include "model/client/counts.h"
#include "model/engine/core_counts.h"
#include "model/part/tag_match.h"
#include "model/engine/plru.h"
#include "model/engine/policy4.h"
#include "model/engine/super_queue.h"
#include "model/part/undo.h"

enum {
    BX_L1_SET_BITS = 6,
    BX_L1_SETS = 1 << BX_L1_SET_BITS,
    BX_L2_SET_BITS = 10,
    BX_L2_SETS = 1 << BX_L2_SET_BITS,
    BX_L2_WAYS = 4,
    BX_CLIENT_LLC_WAY_UNKNOWN = 0xff,
};

struct bx_l1_set {
    _Alignas(64) uint32_t tag[8]; /* line >> BX_L1_SET_BITS */
    uint8_t state[8];             /* enum bx_line_state; I if the way is invalid */
    uint8_t plru, invalid;
};

struct bx_l2_set {
    _Alignas(32) uint32_t tag[4]; /* line >> BX_L2_SET_BITS */
    /* The fifth state is a dummy: writes to copies that L2 does not have go there. */
    uint8_t state[5];
    uint8_t llc_way[4]; /* the way in the LLC, or unknown; inclusion keeps the line there */
    uint8_t policy, invalid;
};

struct bx_client_core {
    /* [kind][set]: the tag of the set's most recently used line. For stores, only lines in M. */
    _Alignas(64) uint32_t mru_tag[4 * BX_L1_SETS];
    struct bx_l1_set l1d[BX_L1_SETS], l1i[BX_L1_SETS];
    struct bx_l2_set l2[BX_L2_SETS];
    const bx_policy4 *l2_policy;
    uint8_t l2_cycles[2];    /* cycles of a hit: usually; if the access is dependent */
    bool has_code;           /* L1I has been filled at least once */
    bool snooped;            /* a snoop has found a copy since this flag was cleared */
    uint8_t prefetchers_off; /* one bit for each enum bx_prefetcher */
    struct bx_super_queue super_queue;
    struct bx_super_queue llc_queue; /* lines prefetched into the LLC only */
    struct bx_core_counts *counts;   /* of the core's agent */
    struct bx_undo undo;             /* for private accesses */
};

/* Undoes the private accesses saved in c->undo. */
void bx_client_core_restore(struct bx_client_core *c);

void bx_client_core_power_on(struct bx_client_core *c, const bx_policy4 *l2_policy);

/* The copies of a line in a core. Each is a mask of ways with at most one bit. */
struct bx_client_copies {
    unsigned l1d, l1i, l2;
};

/* Snoops that found copies. A reader shares the copies; a writer or an eviction invalidates them.
 * Return HIT or HITM. */
enum bx_snoop_response bx_client_core_share_copies(struct bx_client_core *c, uint64_t line,
                                                   struct bx_client_copies at);
enum bx_snoop_response bx_client_core_invalidate_copies(struct bx_client_core *c, uint64_t line,
                                                        struct bx_client_copies at);

/* ---- indices and tags ---- */

static inline unsigned bx_l1_index(uint64_t line)
{
    return (unsigned)line & (BX_L1_SETS - 1);
}

static inline uint32_t bx_l1_tag(uint64_t line)
{
    return (uint32_t)(line >> BX_L1_SET_BITS);
}

static inline struct bx_l2_set *bx_l2_set(struct bx_client_core *c, uint64_t line)
{
    return &c->l2[line & (BX_L2_SETS - 1)];
}

static inline unsigned bx_l2_match(const struct bx_l2_set *set, uint64_t line)
{
    return bx_match4(set->tag, (uint32_t)(line >> BX_L2_SET_BITS));
}

static inline unsigned bx_client_mru_index(unsigned kind, unsigned set)
{
    return (kind << BX_L1_SET_BITS) + set;
}

/* Updates mru_tag for a line of L1D that was just used. */
static inline void bx_client_set_data_mru(struct bx_client_core *c, unsigned set, uint32_t tag,
                                          unsigned state)
{
    uint32_t not_dirty = state < BX_LINE_M ? BX_NO_TAG : 0;

    c->mru_tag[bx_client_mru_index(BX_LOAD, set)] = tag;
    c->mru_tag[bx_client_mru_index(BX_STORE, set)] = tag | not_dirty;
}

/* ---- snoops; most of them find no copy ---- */

static inline struct bx_client_copies bx_client_core_copies(struct bx_client_core *c, uint64_t line)
{
    unsigned index = bx_l1_index(line);
    uint32_t tag = bx_l1_tag(line);

    return (struct bx_client_copies){
        .l1d = bx_match8(c->l1d[index].tag, tag),
        .l1i = c->has_code ? bx_match8(c->l1i[index].tag, tag) : 0,
        .l2 = bx_l2_match(bx_l2_set(c, line), line),
    };
}

static inline bool bx_client_core_has(struct bx_client_copies at)
{
    return at.l1d | at.l1i | at.l2;
}

/* ---- save what a private access changes ---- */

/* Saves what a hit changes: state, plru and invalid. */
static inline void bx_l1_keep(struct bx_undo *u, struct bx_l1_set *set)
{
    u->end = bx_undo_keep(u->end, set->state);
}

/* Saves what a fill changes: as for a hit, and the tag of the way. Returns the end of the saved
 * data. */
static inline struct bx_undo_block *bx_l1_keep_way(struct bx_undo_block *end, struct bx_l1_set *set,
                                                   unsigned way)
{
    enum { TAGS = BX_UNDO_BYTES / sizeof *set->tag };

    return bx_undo_keep(bx_undo_keep(end, set->state), &set->tag[way / TAGS * TAGS]);
}

/* ---- fills ---- */

/* The way to fill: the lowest invalid way, otherwise the way that tree-PLRU points to; and the bits
 * of the set after the fill. */
struct bx_l1_fill_way {
    unsigned way;
    uint8_t plru, invalid;
};

static inline struct bx_l1_fill_way bx_l1_choose_way(const struct bx_l1_set *set)
{
    unsigned invalid = set->invalid;

    if (!invalid) {
        struct bx_plru_fill fill = bx_plru8_fill(set->plru);
        return (struct bx_l1_fill_way){fill.way, fill.bits, 0};
    }
    unsigned way = bx_first_way(invalid);
    return (struct bx_l1_fill_way){way, bx_plru8_touch(set->plru, way),
                                   (uint8_t)(invalid & (invalid - 1))};
}

/* Fills the way that was chosen. */
static inline void bx_l1_put(struct bx_l1_set *set, struct bx_l1_fill_way fill_way, uint32_t tag,
                             unsigned state)
{
    set->tag[fill_way.way] = tag;
    set->state[fill_way.way] = (uint8_t)state;
    set->plru = fill_way.plru;
    set->invalid = fill_way.invalid;
}

static inline void bx_l1i_fill(struct bx_client_core *c, uint64_t line)
{
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *set = &c->l1i[index];

    bx_l1_put(set, bx_l1_choose_way(set), bx_l1_tag(line), BX_LINE_E);
    c->mru_tag[bx_client_mru_index(BX_FETCH, index)] = bx_l1_tag(line);
    c->has_code = true;
}

static inline unsigned bx_l2_choose_way(const struct bx_client_core *c, const struct bx_l2_set *set)
{
    return set->invalid ? c->l2_policy->empty[set->invalid] : c->l2_policy->victim[set->policy];
}

static inline void bx_l2_touch(const struct bx_client_core *c, struct bx_l2_set *set, unsigned way)
{
    set->policy = c->l2_policy->hit[way][set->policy];
}

static inline void bx_l2_put(const struct bx_client_core *c, struct bx_l2_set *set,
                             unsigned fill_way, uint64_t line, unsigned state, unsigned llc_way)
{
    set->tag[fill_way] = (uint32_t)(line >> BX_L2_SET_BITS);
    set->state[fill_way] = (uint8_t)state;
    set->llc_way[fill_way] = (uint8_t)llc_way;
    set->policy = c->l2_policy->fill[fill_way][set->policy];
    set->invalid &= (uint8_t) ~(1u << fill_way);
}

#endif
