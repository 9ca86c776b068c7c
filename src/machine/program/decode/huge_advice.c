/* Where a program wants huge pages. */
#include "machine/program/decode/huge_advice.h"

bool bx_advice_set(bx_ranges *all, uint64_t from, uint64_t to, enum bx_huge_advice advice)
{
    const bx_advised one = {{from, to}, advice};
    return bx_ranges_cut(all, from, to) && (advice == BX_ADVICE_NONE || bx_ranges_add(all, &one));
}

enum bx_huge_advice bx_advice_at(const bx_ranges *all, uint64_t address)
{
    const bx_advised *found = bx_ranges_at(all, address);
    return found ? found->advice : BX_ADVICE_NONE;
}

bool bx_advice_allows(const bx_ranges *all, uint64_t from, uint64_t to, bool asked)
{
    for (uint64_t at = from; at < to;) {
        size_t i = bx_ranges_behind(all, at);
        const bx_advised *next = i < all->n ? bx_ranges_entry(all, i) : NULL;
        if (!next || next->addresses.from >= to)
            return !asked;
        if (next->advice == BX_ADVICE_SMALL || (asked && next->addresses.from > at))
            return false;
        at = next->addresses.to;
    }
    return true;
}
