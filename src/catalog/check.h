/* Checks a blob that was read from a file before anything uses it. */
#ifndef BX_CATALOG_CHECK_H
#define BX_CATALOG_CHECK_H

#include "catalog/catalog.h"

/* Whether `size` bytes, aligned to 8, are a catalogue of this version in which every index, range
 * and text lies within its table. NULL: they are; else what is wrong. */
const char *bx_catalog_check(const void *bytes, size_t size);

/* Whether masks and rows of each PMU concern its own modifiers and counters alone. Its references
 * must have been checked. */
bool bx_catalog_pmus_are_sound(const struct bx_catalog *c);

/* Whether no register of the catalogue has an address that the other one lacks: each of its PMUs'
 * registers is the same row there. */
bool bx_catalog_adds_no_register(const struct bx_catalog *c, const struct bx_catalog *to);

#endif
