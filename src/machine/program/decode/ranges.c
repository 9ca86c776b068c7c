#include "machine/program/decode/ranges.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RANGES = 8 };

static bx_range *range_of(const bx_ranges *all, size_t i)
{
    return bx_ranges_entry(all, i);
}

size_t bx_ranges_behind(const bx_ranges *all, uint64_t address)
{
    size_t from = 0, to = all->n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (range_of(all, middle)->to > address)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

void *bx_ranges_at(const bx_ranges *all, uint64_t address)
{
    size_t i = bx_ranges_behind(all, address);
    return i < all->n && range_of(all, i)->from <= address ? bx_ranges_entry(all, i) : NULL;
}

/* Moves the entries from `from` on, so that they begin at `to`. */
static void move_entries(bx_ranges *all, size_t to, size_t from)
{
    if (all->n > from)
        memmove(bx_ranges_entry(all, to), bx_ranges_entry(all, from), (all->n - from) * all->size);
}

bool bx_ranges_add(bx_ranges *all, const void *entry)
{
    bx_range range;
    memcpy(&range, entry, sizeof range);
    if (range.from >= range.to)
        return true;
    char *more = bx_grow(all->list, all->n, &all->room, all->size, FIRST_RANGES);
    if (!more)
        return false;
    all->list = more;
    size_t i = bx_ranges_behind(all, range.from);
    move_entries(all, i + 1, i);
    memcpy(bx_ranges_entry(all, i), entry, all->size);
    all->n++;
    return true;
}

/* Splits a range around the address, which is inside. */
static bool split(bx_ranges *all, size_t i, uint64_t address)
{
    char *more = bx_grow(all->list, all->n, &all->room, all->size, FIRST_RANGES);
    if (!more)
        return false;
    all->list = more;
    move_entries(all, i + 1, i);
    all->n++;
    range_of(all, i)->to = range_of(all, i + 1)->from = address;
    return true;
}

bool bx_ranges_cut(bx_ranges *all, uint64_t from, uint64_t to)
{
    size_t i = bx_ranges_behind(all, from);
    if (from >= to || i == all->n)
        return true;
    if (range_of(all, i)->from < from && !split(all, i++, from))
        return false;
    size_t end = i;
    while (end < all->n && range_of(all, end)->to <= to)
        end++;
    if (end < all->n && range_of(all, end)->from < to)
        range_of(all, end)->from = to;
    move_entries(all, i, end);
    all->n -= end - i;
    return true;
}

bool bx_ranges_copy(bx_ranges *to, const bx_ranges *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!bx_ranges_add(to, bx_ranges_entry(from, i)))
            return false;
    return true;
}

void bx_ranges_free(bx_ranges *all)
{
    free(all->list);
    *all = (bx_ranges){.size = all->size};
}
