#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

bool bx_slots_make_room(bx_slots *s, const bx_slots_kind *kind, const void *rows, size_t n,
                        size_t first)
{
    if (2 * (n + 1) <= s->n)
        return true;
    bx_slots more = {.n = s->n ? 2 * s->n : first};
    more.slot = calloc(more.n, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t row = 0; row < n; row++) { /* no two have the same key */
        size_t i = kind->hash((const char *)rows + row * kind->size) & (more.n - 1);
        while (more.slot[i])
            i = (i + 1) & (more.n - 1);
        more.slot[i] = (uint32_t)row + 1;
    }
    free(s->slot);
    *s = more;
    return true;
}

void bx_slots_clear(bx_slots *s)
{
    if (s->slot)
        memset(s->slot, 0, s->n * sizeof *s->slot);
}

void bx_slots_free(bx_slots *s)
{
    free(s->slot);
    *s = (bx_slots){0};
}
