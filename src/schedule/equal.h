/* Finds equal keys among many. */
#ifndef BX_SCHEDULE_EQUAL_H
#define BX_SCHEDULE_EQUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key that equals no other one. */
#define BX_UNIQUE UINT64_MAX

#define BX_LAST   UINT16_MAX

/* first[i]: the lowest index whose key is that of i. false: out of memory. */
bool bx_find_equal(const uint64_t *keys, size_t n, uint16_t *first);

/* next[i]: the next index with the same first[], or BX_LAST. */
void bx_link_equal(const uint16_t *first, size_t n, uint16_t *next);

#endif
