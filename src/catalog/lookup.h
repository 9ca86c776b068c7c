/* The index of names: an open-addressing hash table. A name's place starts at the hash of kind,
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

/* The item of this kind, parent and name, whose head is known, or BX_NONE. */
static inline uint16_t bx_index_find_head(const struct bx_catalog *c, enum bx_name_kind kind,
                                          uint16_t parent, bx_str name, uint64_t head)
{
    uint32_t key = bx_index_key(kind, parent), last = c->index.n - 1;
    uint32_t i = bx_name_hash_head(name, head, key) & last;
    for (const bx_cat_slot *slot; (slot = &bx_cat_index(c)[i])->key; i = (i + 1) & last)
        if (slot->key == key && slot->length == name.n && bx_name_same_word(slot->head, head) &&
            (name.n <= 8 || bx_name_same_rest(bx_cat_z(c, slot->name), name.p, name.n)))
            return slot->item;
    return BX_NONE;
}

static inline uint16_t bx_index_find(const struct bx_catalog *c, enum bx_name_kind kind,
                                     uint16_t parent, bx_str name)
{
    return bx_index_find_head(c, kind, parent, name, bx_name_head(name.p, name.n));
}

/* Puts every name of the catalogue into its index, whose slots are all empty and at least twice as
 * many as bx_index_names says. Of equal names the first is found. */
void bx_index_fill(struct bx_catalog *c);
uint32_t bx_index_names(const struct bx_catalog *c);

#endif
