/* The index of names: an open-addressing hash table. Probing for a name starts at the hash of kind,
 * parent and folded name. Look-ups are most of what reading an event string costs, so they are
 * inline. */
#ifndef BX_CATALOG_LOOKUP_H
#define BX_CATALOG_LOOKUP_H

#include "base/name.h"
#include "catalog/catalog.h"

enum bx_name_kind {
    BX_NAME_CPU = 1,
    BX_NAME_PMU,
    BX_NAME_EVENT,
    BX_NAME_EVENT_ALIAS,
    BX_NAME_UMASK,
    BX_NAME_UMASK_LIKWID,
    BX_NAME_MODIFIER,
};

static inline uint32_t bx_index_key(enum bx_name_kind kind, uint16_t parent)
{
    return (uint32_t)kind << 16 | parent;
}

/* The item of this kind, parent and name, or BX_NONE. */
static inline uint16_t bx_index_find(const struct bx_catalog *c, enum bx_name_kind kind,
                                     uint16_t parent, bx_str name)
{
    const bx_cat_entry *buckets = bx_cat_index(c);
    uint32_t key = bx_index_key(kind, parent), last = c->index.n - 1;
    uint64_t whole = (uint64_t)name.n << 32 | key;
    for (uint32_t i = bx_name_hash(name, key) & last; buckets[i].key; i = (i + 1) & last)
        if (buckets[i].key == whole &&
            bx_name_same((bx_str){bx_cat_z(c, buckets[i].name), name.n}, name))
            return buckets[i].item;
    return BX_NONE;
}

/* The same for a name that is written as the catalogue has it, and whose head is known; BX_NONE
 * also for one in another case. The index is at `buckets`, the number of its last bucket is `last`.
 */
static inline uint16_t bx_index_find_exact(const struct bx_catalog *c, const bx_cat_entry *buckets,
                                           uint32_t last, uint32_t key, bx_str name, uint64_t head)
{
    uint64_t whole = (uint64_t)name.n << 32 | key;
    uint32_t i = bx_name_hash_head(name, head, key) & last;
    for (; buckets[i].key; i = (i + 1) & last)
        if (buckets[i].key == whole && buckets[i].head == head &&
            (name.n <= 8 || bx_name_equal_rest(bx_cat_z(c, buckets[i].name), name.p, name.n)))
            return buckets[i].item;
    return BX_NONE;
}

/* Puts every name of the catalogue into its index, whose buckets are all empty and at least twice
 * as many as bx_index_names says. Of equal names the first is found. */
void bx_index_fill(struct bx_catalog *c);
uint32_t bx_index_names(const struct bx_catalog *c);

#endif
