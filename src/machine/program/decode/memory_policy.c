/* Which node a page comes from. */
#include "machine/program/decode/memory_policy.h"

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

bool bx_policies_set(bx_ranges *all, uint64_t from, uint64_t to, bx_memory_policy p)
{
    const bx_policy_range one = {{from, to}, p};
    return bx_ranges_cut(all, from, to) &&
           (p.mode == BX_POLICY_DEFAULT || bx_ranges_add(all, &one));
}

bx_memory_policy bx_policies_at(const bx_ranges *all, uint64_t page)
{
    const bx_policy_range *found = bx_ranges_at(all, page);
    return found ? found->policy : (bx_memory_policy){0};
}

uint64_t bx_policies_until(const bx_ranges *all, uint64_t page)
{
    size_t i = bx_ranges_behind(all, page);
    if (i == all->n)
        return UINT64_MAX;
    const bx_range *range = bx_ranges_entry(all, i);
    return range->from > page ? range->from : range->to;
}
