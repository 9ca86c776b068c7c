/* The map of a CPU's addresses: from an address to the register of a unit, or to passive words. The
 * catalogue has it, sorted (bx_cat_window); every look-up by address goes through it. */
#ifndef BX_REGISTER_MAP_H
#define BX_REGISTER_MAP_H

#include "catalog/catalog.h"

enum { BX_MAP_PCI_ADDRESSES = 1 << 28 }; /* of 256 buses */

/* The first row of a window whose last address is `at` or above; the window's end: there is none.
 */
const bx_cat_map_row *bx_map_from(const struct bx_catalog *c, const bx_cat_window *w, uint64_t at);
static inline const bx_cat_map_row *bx_map_end(const struct bx_catalog *c, const bx_cat_window *w)
{
    return &bx_cat_map_rows(c)[w->mapped.first + w->mapped.n];
}

/* The row that has the address; NULL: none. */
static inline const bx_cat_map_row *bx_map_row(const struct bx_catalog *c, const bx_cat_window *w,
                                               uint64_t at)
{
    const bx_cat_map_row *row = bx_map_from(c, w, at);
    return row < bx_map_end(c, w) && row->first <= at ? row : NULL;
}

/* The window i of a CPU model; NULL: it has no more. */
static inline const bx_cat_window *bx_map_window(const struct bx_catalog *c, unsigned cpu,
                                                 unsigned i)
{
    bx_span windows = bx_cat_cpus(c)[cpu].windows;
    return i < windows.n ? &bx_cat_windows(c)[windows.first + i] : NULL;
}

/* All rows of a CPU model, and their number. Those of its windows are adjacent. */
const bx_cat_map_row *bx_map_rows(const struct bx_catalog *c, unsigned cpu);
size_t bx_map_length(const struct bx_catalog *c, unsigned cpu);

/* Returns the base address in a window's base field; 0: it is unknown, or nothing is mapped. */
typedef uint64_t bx_register_base_call(const void *of, uint16_t field);

typedef struct bx_mapped {
    const bx_cat_map_row *row; /* NULL: the CPU model has nothing there */
    uint64_t past;             /* how far the address is from the row's first one */
    unsigned package;          /* 0 where packages share the address */
} bx_mapped;

/* What is at an address in any package. If `base` is NULL, the address of a memory-mapped register
 * is its offset. */
bx_mapped bx_map_find(const struct bx_catalog *c, unsigned cpu, unsigned space, uint64_t address,
                      bx_register_base_call *base, const void *of);

/* The same for a register that begins there. */
typedef struct bx_unit_register {
    uint16_t reg; /* BX_NONE: the CPU model has none there */
    uint16_t unit;
    uint16_t package; /* 0 where packages share the address */
} bx_unit_register;
bx_unit_register bx_register_behind(const struct bx_catalog *c, unsigned cpu, unsigned space,
                                    uint64_t address, bx_register_base_call *base, const void *of);
static inline bx_unit_register bx_register_at(const struct bx_catalog *c, unsigned cpu,
                                              unsigned space, uint64_t address)
{
    return bx_register_behind(c, cpu, space, address, NULL, NULL);
}

/* The first thing of the PCI function that has the address. */
bx_mapped bx_map_function(const struct bx_catalog *c, unsigned cpu, uint64_t address);

#endif
