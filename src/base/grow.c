/* Arrays that grow as items are appended. */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>

void *bx_grow(void *array, size_t n, size_t *room, size_t size, size_t first)
{
    if (n < *room)
        return array;
    if (*room > SIZE_MAX / 2 / size)
        return NULL;
    size_t more = *room ? 2 * *room : first;
    void *grown = realloc(array, more * size);
    if (grown)
        *room = more;
    return grown;
}
