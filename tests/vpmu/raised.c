#include "raised.h"

#include <stdlib.h>

void raised_add(struct raised *r, const bx_selection *what, uint32_t level, uint64_t now,
                uint64_t end)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < r->signals; i++)
        if (r->signal[i].end >= now) /* what ends just now may still fall */
            r->signal[kept++] = r->signal[i];
    if (kept == RAISED_SIGNALS)
        abort();
    r->signal[kept].what = *what;
    r->signal[kept].level = level;
    r->signal[kept].end = end;
    r->signals = kept + 1;
}

uint32_t raised_level(const struct raised *r, uint64_t now, raised_seen *seen, const void *counter)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < r->signals; i++)
        if (now < r->signal[i].end && seen(counter, &r->signal[i].what))
            sum += r->signal[i].level;
    return sum;
}

bool raised_ends(const struct raised *r, uint64_t now, raised_seen *seen, const void *counter)
{
    for (unsigned i = 0; i < r->signals; i++)
        if (r->signal[i].end == now && r->signal[i].level && seen(counter, &r->signal[i].what))
            return true;
    return false;
}
