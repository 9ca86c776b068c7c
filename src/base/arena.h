/* An arena: allocations that are freed together. */
#ifndef BX_BASE_ARENA_H
#define BX_BASE_ARENA_H

#include "base/str.h"

#include <stdint.h>

typedef struct bx_arena {
    struct bx_arena_block *last;
    bool failed; /* an allocation failed; every later bx_arena_get() returns NULL */
} bx_arena;

void *bx_arena_get(bx_arena *a, size_t size); /* zeroed, 16-byte aligned; NULL when out of memory */
void *bx_arena_get_aligned(bx_arena *a, size_t size, size_t to); /* to: a power of two */
char *bx_arena_copy(bx_arena *a, bx_str s);                      /* NUL-terminated copy */
/* Makes room for one more item after the n items of an array, whose room starts at `first` and
 * doubles. Returns the array, which may have moved; NULL when out of memory. */
void *bx_arena_grow(bx_arena *a, void *array, uint32_t n, uint32_t *room, size_t size,
                    uint32_t first);
void bx_arena_free(bx_arena *a); /* frees everything; *a is empty again */

#endif
