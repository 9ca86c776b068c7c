/* Arrays that grow as items are appended. */
#ifndef BX_BASE_GROW_H
#define BX_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more item behind `n` of `size` bytes: returns the array, which may have moved,
 * and sets *room, or returns NULL without memory, and the array is as it was. The room doubles,
 * from `first` on. An empty array is NULL with no room. */
void *bx_grow(void *array, size_t n, size_t *room, size_t size, size_t first);

#endif
