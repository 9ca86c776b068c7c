/* Finds equal keys by sorting. */
#include "schedule/equal.h"

#include <stdlib.h>

struct keyed {
    uint64_t key;
    size_t index;
};

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

bool bx_find_equal(const uint64_t *keys, size_t n, uint16_t *first)
{
    struct keyed *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct keyed){keys[i], i};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0, run = 0; i < n; i++) {
        if (sorted[i].key != sorted[run].key || sorted[i].key == BX_UNIQUE)
            run = i;
        first[sorted[i].index] = (uint16_t)sorted[run].index;
    }
    free(sorted);
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
