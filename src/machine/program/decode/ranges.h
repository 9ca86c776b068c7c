/* Ranges of addresses in their order, which do not overlap, each with something of its owner. */
#ifndef BX_MACHINE_PROGRAM_DECODE_RANGES_H
#define BX_MACHINE_PROGRAM_DECODE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_range {
    uint64_t from, to; /* `to` is after it */
} bx_range;

typedef struct bx_ranges {
    size_t size; /* bytes of an entry, which begins with its bx_range */
    size_t n, room;
    char *list; /* [n * size] */
} bx_ranges;

static inline void *bx_ranges_entry(const bx_ranges *all, size_t i)
{
    return all->list + i * all->size;
}

/* The index of the first range that ends after the address. */
size_t bx_ranges_behind(const bx_ranges *all, uint64_t address);

/* The entry whose range has the address; NULL: none. */
void *bx_ranges_at(const bx_ranges *all, uint64_t address);

/* Adds an entry; its range overlaps no other one. An empty range is not added. false: out of
 * memory.
 */
bool bx_ranges_add(bx_ranges *all, const void *entry);

/* Takes the addresses from … to - 1 out of all ranges. Of a range that is larger, the rest remains,
 * with the same contents. false: out of memory. */
bool bx_ranges_cut(bx_ranges *all, uint64_t from, uint64_t to);

bool bx_ranges_copy(bx_ranges *to, const bx_ranges *from); /* `to` is empty */
void bx_ranges_free(bx_ranges *all);                       /* it is empty then */

#endif
