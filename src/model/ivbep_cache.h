/* A plain set-associative cache: used for every cache of the Ivy Bridge-EP machine. The least
 * recently used way makes room. */
#ifndef BX_MODEL_IVBEP_CACHE_H
#define BX_MODEL_IVBEP_CACHE_H

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

struct bx_ivbep_way {
    uint64_t line;
    uint64_t used;  /* the cache's clock at the last touch */
    uint16_t cores; /* of an LLC line: the cores that may have it */
    uint8_t state;  /* enum bx_mesif; I: nothing is here */
};

struct bx_ivbep_cache {
    unsigned sets, ways; /* sets: a power of two */
    uint64_t clock;
    struct bx_ivbep_way *way; /* [sets][ways] */
};

/* false: out of memory. To be freed either way. */
bool bx_ivbep_cache_power_on(struct bx_ivbep_cache *c, unsigned sets, unsigned ways);
void bx_ivbep_cache_free(struct bx_ivbep_cache *c);

/* Where a line is; NULL: nowhere. */
struct bx_ivbep_way *bx_ivbep_cache_find(const struct bx_ivbep_cache *c, uint64_t line);

/* The way that a line would take: the first empty one, else the least recently used. */
struct bx_ivbep_way *bx_ivbep_cache_room(const struct bx_ivbep_cache *c, uint64_t line);

static inline void bx_ivbep_cache_touch(struct bx_ivbep_cache *c, struct bx_ivbep_way *way)
{
    way->used = ++c->clock;
}

static inline void bx_ivbep_cache_put(struct bx_ivbep_cache *c, struct bx_ivbep_way *way,
                                      uint64_t line, enum bx_mesif state, uint16_t cores)
{
    *way = (struct bx_ivbep_way){line, ++c->clock, cores, (uint8_t)state};
}

#endif
