/* A set-associative cache: every cache of the server machines. */
#ifndef BX_MODEL_SERVER_LRU_H
#define BX_MODEL_SERVER_LRU_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the state bits of FILTER0: Intel 329468-002. */
enum bx_mesif {
    BX_MESIF_I,
    BX_MESIF_S,
    BX_MESIF_E,
    BX_MESIF_M,
    BX_MESIF_F,
    BX_MESIF_M_PRIME,
    BX_MESIF_STATES,
};

/* Which way is replaced. All take the first empty one. Names as in uops.info/cache.html. */
enum bx_policy {
    BX_POLICY_LRU,
    BX_POLICY_PLRU, /* of a binary tree: L1 and L2 from Nehalem to Broadwell */
    BX_POLICY_QLRU, /* QLRU_H11_M1_R1_U2: Ivy Bridge's L3 */
    BX_POLICY_MRU,  /* Nehalem's L3 */
};

struct bx_lru_way {
    uint64_t line;
    uint64_t used;  /* LRU, PLRU: the cache's clock at the last touch; else the way's age, 1 of MRU
                       if it was not used recently. An empty way has one, too */
    uint16_t cores; /* of an LLC line: the cores that may have it */
    uint8_t state;  /* enum bx_mesif; I: nothing is here */
};

enum { BX_LRU_AT_ONCE = 4 }; /* ways that a search compares without a loop */

struct bx_lru {
    unsigned sets, ways; /* a power of two; a multiple of BX_LRU_AT_ONCE */
    enum bx_policy policy;
    uint64_t clock;
    struct bx_lru_way *way; /* [sets][ways] */
};

/* false: out of memory. To be freed either way. */
bool bx_lru_power_on(struct bx_lru *c, unsigned sets, unsigned ways, enum bx_policy policy);
void bx_lru_free(struct bx_lru *c);

/* The way that has a line; NULL: none. */
struct bx_lru_way *bx_lru_find(const struct bx_lru *c, uint64_t line);

/* The way that a line would take. */
struct bx_lru_way *bx_lru_choose_way(const struct bx_lru *c, uint64_t line);

/* The way has an age now; others of its set become older, if need be. */
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
                              enum bx_mesif state, uint16_t cores)
{
    *way = (struct bx_lru_way){line, ++c->clock, cores, (uint8_t)state};
    if (bx_lru_has_ages(c))
        bx_lru_age(c, way, true);
}

#endif
