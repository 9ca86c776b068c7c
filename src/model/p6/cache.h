/* The caches of a P6. All have four ways and tree-PLRU; they differ in the number of sets. */
#ifndef BX_MODEL_P6_CACHE_H
#define BX_MODEL_P6_CACHE_H

#include "model/part/line_state.h"
#include "model/engine/plru.h"
#include "model/part/tag_match.h"

enum { BX_P6_WAYS = 4 };

struct bx_p6_set {
    _Alignas(16) uint32_t tag[BX_P6_WAYS];
    uint8_t state[BX_P6_WAYS]; /* enum bx_line_state; I if the way is invalid */
    uint8_t plru;
};

/* The place of a line: its set and way. If the line is absent, way is BX_P6_WAYS. */
struct bx_p6_way {
    struct bx_p6_set *set;
    unsigned way;
};

static inline void bx_p6_cache_clear(struct bx_p6_set *sets, unsigned bits)
{
    for (unsigned i = 0; i < 1u << bits; i++) {
        sets[i] = (struct bx_p6_set){.plru = 0};
        for (unsigned w = 0; w < BX_P6_WAYS; w++)
            sets[i].tag[w] = BX_NO_TAG;
    }
}

static inline struct bx_p6_way bx_p6_find(struct bx_p6_set *sets, unsigned bits, uint64_t line)
{
    struct bx_p6_set *set = &sets[line & ((UINT64_C(1) << bits) - 1)];
    unsigned found = bx_match4(set->tag, (uint32_t)(line >> bits));
    return (struct bx_p6_way){set, found ? bx_first_way(found) : BX_P6_WAYS};
}

static inline bool bx_p6_found(struct bx_p6_way at)
{
    return at.way < BX_P6_WAYS;
}

static inline enum bx_line_state bx_p6_state(struct bx_p6_way at)
{
    return bx_p6_found(at) ? (enum bx_line_state)at.set->state[at.way] : BX_LINE_I;
}

static inline void bx_p6_set_state(struct bx_p6_way at, enum bx_line_state state)
{
    at.set->state[at.way] = (uint8_t)state;
    if (state == BX_LINE_I)
        at.set->tag[at.way] = BX_NO_TAG;
}

static inline void bx_p6_touch(struct bx_p6_way at)
{
    at.set->plru = bx_plru4_touch(at.set->plru, at.way);
}

/* The way for a line that is absent: the lowest invalid way, otherwise the way that the bits point
 * to. */
static inline struct bx_p6_way bx_p6_choose_way(struct bx_p6_way at)
{
    unsigned empty = bx_match4(at.set->tag, BX_NO_TAG);
    at.way = empty ? bx_first_way(empty) : bx_plru4_victim(at.set->plru);
    return at;
}

/* The line in a way of a cache with `bits` bits of set index. */
static inline uint64_t bx_p6_line(const struct bx_p6_set *sets, unsigned bits, struct bx_p6_way at)
{
    return (uint64_t)at.set->tag[at.way] << bits | (uint64_t)(at.set - sets);
}

static inline void bx_p6_put(struct bx_p6_way at, unsigned bits, uint64_t line,
                             enum bx_line_state state)
{
    at.set->tag[at.way] = (uint32_t)(line >> bits);
    at.set->state[at.way] = (uint8_t)state;
    bx_p6_touch(at);
}

#endif
