/* A set-associative cache with LRU replacement: every cache of the server machines. */
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

struct bx_lru_way {
    uint64_t line;
    uint64_t used;  /* the cache's clock at the last touch */
    uint16_t cores; /* of an LLC line: the cores that may have it */
    uint8_t state;  /* enum bx_mesif; I: nothing is here */
};

struct bx_lru {
    unsigned sets, ways; /* sets: a power of two */
    uint64_t clock;
    struct bx_lru_way *way; /* [sets][ways] */
};

/* false: out of memory. To be freed either way. */
bool bx_lru_power_on(struct bx_lru *c, unsigned sets, unsigned ways);
void bx_lru_free(struct bx_lru *c);

/* The way that has a line; NULL: none. */
struct bx_lru_way *bx_lru_find(const struct bx_lru *c, uint64_t line);

/* The way that a line would take: the first empty one, else the least recently used. */
struct bx_lru_way *bx_lru_choose_way(const struct bx_lru *c, uint64_t line);

static inline void bx_lru_touch(struct bx_lru *c, struct bx_lru_way *way)
{
    way->used = ++c->clock;
}

static inline void bx_lru_put(struct bx_lru *c, struct bx_lru_way *way, uint64_t line,
                              enum bx_mesif state, uint16_t cores)
{
    *way = (struct bx_lru_way){line, ++c->clock, cores, (uint8_t)state};
}

#endif
