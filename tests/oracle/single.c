/* The gaps of a resource that one user at a time can have. */
#include "single.h"

#include <stddef.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const struct single_stretch *in_the_way(const struct single *of, uint64_t begin,
                                               uint64_t end)
{
    for (unsigned i = 0; i < of->n; i++)
        if (begin < of->used[i].end && of->used[i].begin < end)
            return &of->used[i];
    return NULL;
}

uint64_t single_gap(const struct single *of, uint64_t begin, uint64_t length)
{
    const struct single_stretch *other;

    begin = later(begin, of->known_from);
    while ((other = in_the_way(of, begin, begin + length)) != NULL)
        begin = other->end;
    return begin;
}

static void drop(struct single *of, unsigned i)
{
    of->used[i] = of->used[--of->n];
}

static void forget_the_earliest(struct single *of)
{
    unsigned earliest = 0;

    for (unsigned i = 1; i < of->n; i++)
        if (of->used[i].begin < of->used[earliest].begin)
            earliest = i;
    of->known_from = of->used[earliest].end;
    drop(of, earliest);
}

void single_use(struct single *of, uint64_t begin, uint64_t end, uint64_t least)
{
    if (of->n == SINGLE_STRETCHES)
        forget_the_earliest(of);
    for (unsigned i = of->n; i-- > 0;) {
        struct single_stretch other = of->used[i];
        if (begin >= other.end + least || other.begin >= end + least)
            continue;
        begin = other.begin < begin ? other.begin : begin;
        end = later(end, other.end);
        drop(of, i);
    }
    of->used[of->n++] = (struct single_stretch){begin, end};
}
