/* A set-associative cache. All caches of the server machines are of this type. */
#ifndef BX_MODEL_SERVER_LRU_H
#define BX_MODEL_SERVER_LRU_H

#include "model/part/line_state.h"

#include <stdbool.h>
#include <stdint.h>

/* Replacement policies. All of them fill the first empty way. Names as in uops.info/cache.html. */
enum bx_policy {
    BX_POLICY_LRU,
    BX_POLICY_PLRU, /* tree-PLRU: L1 and L2 from Nehalem to Broadwell */
    BX_POLICY_QLRU, /* QLRU_H11_M1_R1_U2: Ivy Bridge's L3 */
    BX_POLICY_MRU,  /* Nehalem's L3 */
};

struct bx_lru_way {
    uint64_t line;
    /* LRU, PLRU: the cache's clock at the last touch. Otherwise the age; for MRU, 1 means not used
     * recently. Empty ways have an age too. */
    uint64_t used;
    uint16_t cores; /* of an LLC line: the cores that may have a copy */
    uint8_t state;  /* enum bx_line_state; I: the way is empty */
};

enum { BX_LRU_AT_ONCE = 4 }; /* ways that are compared without a loop */

struct bx_lru {
    unsigned sets, ways; /* sets: a power of two; ways: a multiple of BX_LRU_AT_ONCE */
    enum bx_policy policy;
    uint64_t clock;
    struct bx_lru_way *way; /* [sets][ways] */
};

/* false: out of memory. Call bx_lru_free() in both cases. */
bool bx_lru_power_on(struct bx_lru *c, unsigned sets, unsigned ways, enum bx_policy policy);
void bx_lru_free(struct bx_lru *c);

/* The way that has the line, or NULL. */
struct bx_lru_way *bx_lru_find(const struct bx_lru *c, uint64_t line);

/* The way that the line would be filled into. */
struct bx_lru_way *bx_lru_choose_way(const struct bx_lru *c, uint64_t line);

/* Sets the age of a way that was filled or hit. Other ways of the set may become older. */
void bx_lru_age(const struct bx_lru *c, struct bx_lru_way *way, bool filled);

static inline bool bx_lru_has_ages(const struct bx_lru *c)
{
    return c->policy > BX_POLICY_PLRU;
}

static inline void bx_lru_touch(struct bx_lru *c, struct bx_lru_way *way)
{
    if (bx_lru_has_ages(c))
        bx_lru_age(c, way, false);
    else
        way->used = ++c->clock;
}

static inline void bx_lru_put(struct bx_lru *c, struct bx_lru_way *way, uint64_t line,
                              enum bx_line_state state, uint16_t cores)
{
    *way = (struct bx_lru_way){line, ++c->clock, cores, (uint8_t)state};
    if (bx_lru_has_ages(c))
        bx_lru_age(c, way, true);
}

#endif
