/* The strings of a catalogue that is being made: equal texts are stored once. */
#ifndef BX_CATALOG_POOL_H
#define BX_CATALOG_POOL_H

#include "base/arena.h"
#include "catalog/catalog.h"

typedef struct bx_pool {
    bx_arena *arena;
    char *strings; /* by offset; they move when a text is added */
    uint32_t n, room;
    uint32_t *buckets; /* hash table of offsets of the texts that were added */
    uint32_t buckets_n, buckets_used;
    bool full; /* the texts have become too long for a catalogue */
} bx_pool;

/* from: the catalogue whose strings come first; NULL: none. false: out of memory. */
bool bx_pool_start(bx_pool *p, bx_arena *arena, const struct bx_catalog *from);

/* The text, which has no NUL. 0 for an empty one, and after a failure: p->full, or the arena's. */
bx_cat_text bx_pool_add(bx_pool *p, bx_str s);

static inline bx_str bx_pool_str(const bx_pool *p, bx_cat_text t)
{
    return bx_str_of(p->strings + t);
}

#endif
