#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

bool bx_keyed_resize(bx_keyed *k, size_t places, bool (*keeps)(const void *context, const void *at),
                     const void *context)
{
    bx_keyed to = {.places = places, .size = k->size};

    to.shift = 64 - (unsigned)__builtin_ctzll(places);
    to.at = calloc(places, k->size);
    if (!to.at)
        return false;
    for (size_t i = 0; i < k->places; i++) {
        const uint64_t *record = bx_keyed_record(k, i);
        if (!*record || (keeps && !keeps(context, record)))
            continue;
        memcpy(bx_keyed_find(&to, *record - 1), record, k->size);
        to.n++;
    }
    free(k->at);
    *k = to;
    return true;
}

bool bx_keyed_make_room(bx_keyed *k, size_t first)
{
    return 2 * (k->n + 1) <= k->places ||
           bx_keyed_resize(k, k->places ? 2 * k->places : first, NULL, NULL);
}

/* Records after it move up. */
void bx_keyed_remove(bx_keyed *k, void *record)
{
    const size_t mask = k->places - 1;
    size_t hole = (size_t)((char *)record - (char *)k->at) / k->size;

    for (size_t i = (hole + 1) & mask; *bx_keyed_record(k, i); i = (i + 1) & mask) {
        size_t home = bx_keyed_place(k, *bx_keyed_record(k, i) - 1);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        memcpy(bx_keyed_record(k, hole), bx_keyed_record(k, i), k->size);
        hole = i;
    }
    *bx_keyed_record(k, hole) = 0;
    k->n--;
}
