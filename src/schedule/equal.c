/* Finds equal keys with a hash table. */
#include "schedule/equal.h"

#include <stdlib.h>

bool bx_find_equal(const uint64_t *keys, size_t n, uint16_t *first)
{
    size_t slots = 64;
    while (slots < 2 * n)
        slots *= 2;
    uint32_t *table = calloc(slots, sizeof *table); /* the index of a key plus 1 */
    if (!table)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t at = keys[i] * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        first[i] = (uint16_t)i;
        if (keys[i] == BX_UNIQUE)
            continue;
        while (table[at & (slots - 1)] && keys[table[at & (slots - 1)] - 1] != keys[i])
            at++;
        uint32_t *slot = &table[at & (slots - 1)];
        if (*slot)
            first[i] = (uint16_t)(*slot - 1);
        else
            *slot = (uint32_t)i + 1;
    }
    free(table);
    return true;
}

void bx_link_equal(const uint16_t *first, size_t n, uint16_t *next)
{
    for (size_t i = 0; i < n; i++)
        next[i] = BX_LAST;
    for (size_t i = n; i-- > 0;)
        if (first[i] != i) {
            next[i] = next[first[i]];
            next[first[i]] = (uint16_t)i;
        }
}
