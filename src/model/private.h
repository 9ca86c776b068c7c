/* A core's private caches: L1D, L1I and L2.
 *
 * Laid out for the hot path: 32-bit tags that are compared a set at a time, states as bytes, a mask
 * of invalid ways that only invalidations write. `key` is a filter in front of L1: the tag of each
 * set's most recently used line, by kind of access. An access that finds its tag there changes
 * nothing (a second touch of a way is idempotent), so most accesses cost one comparison. */
#ifndef BX_MODEL_PRIVATE_H
#define BX_MODEL_PRIVATE_H

#include "model/counts.h"
#include "model/match.h"
#include "model/plru.h"

enum {
    BX_L1_SET_BITS = 6,
    BX_L1_SETS = 1 << BX_L1_SET_BITS,
    BX_L2_SET_BITS = 10,
    BX_L2_SETS = 1 << BX_L2_SET_BITS,
    BX_LLC_WAY_UNKNOWN = 0xff,
};

struct bx_l1_set {
    _Alignas(64) uint32_t tag[8]; /* line >> BX_L1_SET_BITS */
    uint8_t state[8];             /* enum bx_line_state; I where the way is invalid */
    uint8_t plru, invalid;
};

struct bx_l2_set {
    _Alignas(32) uint32_t tag[4]; /* line >> BX_L2_SET_BITS */
    uint8_t state[4];
    uint8_t llc_way[4]; /* where the LLC has it (inclusion keeps it there), or unknown */
    uint8_t plru, invalid;
};

struct bx_core {
    /* [kind][set]: the tag of the set's most recently used line. For stores only if it is in M. */
    _Alignas(64) uint32_t key[4 * BX_L1_SETS];
    struct bx_l1_set l1d[BX_L1_SETS], l1i[BX_L1_SETS];
    struct bx_l2_set l2[BX_L2_SETS];
    bool has_code; /* something was filled into L1I */
    bool snooped;  /* a snoop has found a copy since this was last cleared */
};

/* Dirty lines that fills have driven out of L2 and that are now to be written back to the LLC. */
struct bx_spills {
    unsigned n;
    struct bx_spill {
        uint64_t line;
        uint8_t llc_way;
    } of[2]; /* L2's own victim, and that of an L1D victim which goes to L2 */
};

void bx_core_power_on(struct bx_core *c);

/* Snoops: by a reader, after which copies are shared; and by one who wants the line alone. */
enum bx_response bx_core_share(struct bx_core *c, uint64_t line);
enum bx_response bx_core_lose(struct bx_core *c, uint64_t line);

/* ---- places ---- */

static inline unsigned bx_l1_index(uint64_t line)
{
    return (unsigned)line & (BX_L1_SETS - 1);
}

static inline uint32_t bx_l1_tag(uint64_t line)
{
    return (uint32_t)(line >> BX_L1_SET_BITS);
}

static inline struct bx_l2_set *bx_l2_set(struct bx_core *c, uint64_t line)
{
    return &c->l2[line & (BX_L2_SETS - 1)];
}

static inline unsigned bx_l2_match(const struct bx_l2_set *set, uint64_t line)
{
    return bx_match4(set->tag, (uint32_t)(line >> BX_L2_SET_BITS));
}

static inline unsigned bx_key_at(unsigned kind, unsigned set)
{
    return kind << BX_L1_SET_BITS | set;
}

static inline void bx_set_data_keys(struct bx_core *c, unsigned set, uint32_t tag, unsigned state)
{
    c->key[bx_key_at(BX_LOAD, set)] = tag;
    c->key[bx_key_at(BX_STORE, set)] = state == BX_LINE_M ? tag : BX_NO_TAG;
}

/* ---- fills: the lowest invalid way, else the one that tree-PLRU points to ---- */

static inline unsigned bx_l1_make_way(struct bx_l1_set *set)
{
    if (!set->invalid)
        return bx_plru8_victim(set->plru);
    unsigned way = bx_first_way(set->invalid);
    set->invalid &= (uint8_t)(set->invalid - 1);
    return way;
}

static inline void bx_l1_put(struct bx_l1_set *set, unsigned way, uint32_t tag, unsigned state)
{
    set->tag[way] = tag;
    set->state[way] = (uint8_t)state;
    set->plru = bx_plru8_touch(set->plru, way);
}

static inline void bx_l1i_fill(struct bx_core *c, uint64_t line)
{
    struct bx_l1_set *set = &c->l1i[bx_l1_index(line)];

    bx_l1_put(set, bx_l1_make_way(set), bx_l1_tag(line), BX_LINE_E);
    c->key[bx_key_at(BX_FETCH, bx_l1_index(line))] = bx_l1_tag(line);
    c->has_code = true;
}

static inline void bx_l2_fill(struct bx_core *c, uint64_t line, unsigned state, unsigned llc_way,
                              struct bx_spills *spills)
{
    struct bx_l2_set *set = bx_l2_set(c, line);
    unsigned way;

    if (set->invalid) {
        way = bx_first_way(set->invalid);
        set->invalid &= (uint8_t)(set->invalid - 1);
    } else {
        way = bx_plru4_victim(set->plru);
        if (set->state[way] == BX_LINE_M)
            spills->of[spills->n++] = (struct bx_spill){(uint64_t)set->tag[way] << BX_L2_SET_BITS |
                                                            (line & (BX_L2_SETS - 1)),
                                                        set->llc_way[way]};
    }
    set->tag[way] = (uint32_t)(line >> BX_L2_SET_BITS);
    set->state[way] = (uint8_t)state;
    set->llc_way[way] = (uint8_t)llc_way;
    set->plru = bx_plru4_touch(set->plru, way);
}

/* A dirty victim of L1D goes to L2. */
static inline void bx_l1d_victim_to_l2(struct bx_core *c, uint64_t line, struct bx_spills *spills)
{
    struct bx_l2_set *set = bx_l2_set(c, line);
    unsigned found = bx_l2_match(set, line);

    if (found)
        set->state[bx_first_way(found)] = BX_LINE_M;
    else
        bx_l2_fill(c, line, BX_LINE_M, BX_LLC_WAY_UNKNOWN, spills);
}

static inline void bx_l1d_fill(struct bx_core *c, uint64_t line, unsigned state,
                               struct bx_spills *spills)
{
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *set = &c->l1d[index];
    unsigned way = bx_l1_make_way(set), old_state = set->state[way];
    uint32_t old_tag = set->tag[way];

    bx_l1_put(set, way, bx_l1_tag(line), state);
    bx_set_data_keys(c, index, bx_l1_tag(line), state);
    if (old_state == BX_LINE_M)
        bx_l1d_victim_to_l2(c, (uint64_t)old_tag << BX_L1_SET_BITS | index, spills);
}

#endif
