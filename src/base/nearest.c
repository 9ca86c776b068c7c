/* Finds the name nearest to a misspelt one. */
#include "base/nearest.h"

#include <string.h>

bx_nearest bx_nearest_to(bx_str wanted)
{
    unsigned limit = 1 + (unsigned)(wanted.n < 20 ? wanted.n : 20) / 4;
    return (bx_nearest){.wanted = wanted, .distance = limit + 1};
}

void bx_nearest_offer(bx_nearest *n, const char *name)
{
    size_t length = strlen(name);
    unsigned distance = bx_str_distance(n->wanted, bx_str_of(name), n->distance);
    bool shares_a_letter = distance < length || distance < n->wanted.n;
    if (distance < n->distance && shares_a_letter && length < sizeof n->name) {
        n->distance = distance;
        memcpy(n->name, name, length + 1);
    }
}

void bx_nearest_hint(bx_error *e, const bx_nearest *n)
{
    if (*n->name)
        bx_hint(e, BX_DID_YOU_MEAN_NAME("%s"), n->name);
}
