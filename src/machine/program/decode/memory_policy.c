/* Which node a page comes from. */
#include "machine/program/decode/memory_policy.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

struct bx_policy_range {
    uint64_t from, to; /* pages */
    bx_memory_policy policy;
};

enum { FIRST_RANGES = 8 };

/* The n-th node of a mask. */
static unsigned nth_node(uint64_t mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctzll(mask);
}

unsigned bx_policy_node(bx_memory_policy p, unsigned local, unsigned nodes, uint64_t number)
{
    uint64_t mask = p.nodes & ((UINT64_C(1) << nodes) - 1);
    if (!mask)
        return local;
    switch (p.mode) {
    case BX_POLICY_INTERLEAVE:
        return nth_node(mask, (unsigned)(number % (unsigned)__builtin_popcountll(mask)));
    case BX_POLICY_PREFERRED:
    case BX_POLICY_PREFERRED_MANY:
    case BX_POLICY_BIND:
        return mask >> local & 1 && p.mode != BX_POLICY_PREFERRED ? local : nth_node(mask, 0);
    default:
        return local;
    }
}

static bool insert(bx_policies *all, size_t at, struct bx_policy_range r)
{
    if (r.from >= r.to)
        return true;
    struct bx_policy_range *more =
        bx_grow(all->range, all->n, &all->room, sizeof *more, FIRST_RANGES);
    if (!more)
        return false;
    all->range = more;
    memmove(&all->range[at + 1], &all->range[at], (all->n++ - at) * sizeof r);
    all->range[at] = r;
    return true;
}

bool bx_policies_set(bx_policies *all, uint64_t from, uint64_t to, bx_memory_policy p)
{
    size_t i = 0;
    while (i < all->n && all->range[i].to <= from)
        i++;
    while (i < all->n && all->range[i].from < to) {
        struct bx_policy_range was = all->range[i];
        memmove(&all->range[i], &all->range[i + 1], (--all->n - i) * sizeof was);
        if (was.from < from &&
            !insert(all, i++, (struct bx_policy_range){was.from, from, was.policy}))
            return false;
        if (was.to > to && !insert(all, i, (struct bx_policy_range){to, was.to, was.policy}))
            return false;
        if (was.to > to)
            break;
    }
    return p.mode == BX_POLICY_DEFAULT || insert(all, i, (struct bx_policy_range){from, to, p});
}

bx_memory_policy bx_policies_at(const bx_policies *all, uint64_t page)
{
    size_t from = 0, to = all->n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (all->range[middle].to > page)
            to = middle;
        else
            from = middle + 1;
    }
    return from < all->n && all->range[from].from <= page ? all->range[from].policy
                                                          : (bx_memory_policy){0};
}

bool bx_policies_copy(bx_policies *to, const bx_policies *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!insert(to, i, from->range[i]))
            return false;
    return true;
}

void bx_policies_free(bx_policies *all)
{
    free(all->range);
    *all = (bx_policies){0};
}
