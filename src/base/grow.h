/* Arrays that grow as items are appended. */
#ifndef BX_BASE_GROW_H
#define BX_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more item after `n` items of `size` bytes. Returns the array, which may have
 * moved, and sets *room. The room starts at `first` and doubles. An empty array is NULL with room
 * 0. Without memory it returns NULL and leaves the array as it is. */
void *bx_grow(void *array, size_t n, size_t *room, size_t size, size_t first);

#endif
