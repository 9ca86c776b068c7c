/* The index of names: an open-addressing hash table of u32 slots. A slot is 0 (empty) or
 * kind << 16 | index of the item. Its place starts at the hash of kind, parent and folded name. */
#ifndef BX_CATALOG_LOOKUP_H
#define BX_CATALOG_LOOKUP_H

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

/* Puts every name of the catalogue into its index, whose slots are all empty and at least twice as
 * many as bx_index_names says. Of equal names the first is found. */
void bx_index_fill(struct bx_catalog *c);
uint32_t bx_index_names(const struct bx_catalog *c);

#endif
