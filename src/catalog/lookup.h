/* The index of names: an open-addressing hash table for the functions bx_cat_find_… of catalog.h.
 */
#ifndef BX_CATALOG_LOOKUP_H
#define BX_CATALOG_LOOKUP_H

#include "catalog/catalog.h"

/* Puts every name of the catalogue into its index. All buckets must be empty, and there must be at
 * least twice as many as bx_index_names() returns. If names are equal, the first is found. */
void bx_index_fill(struct bx_catalog *c);
uint32_t bx_index_names(const struct bx_catalog *c);

#endif
