/* Look-ups in the map of a CPU's addresses. */
#include "register/map.h"

enum {
    FUNCTION = 1 << 12, /* addresses of a PCI function */
};

const bx_cat_map_row *bx_map_from(const struct bx_catalog *c, const bx_cat_window *w, uint64_t at)
{
    const bx_cat_map_row *rows = &bx_cat_map_rows(c)[w->mapped.first];
    size_t lo = 0, hi = w->mapped.n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (rows[middle].last < at)
            lo = middle + 1;
        else
            hi = middle;
    }
    return &rows[lo];
}

const bx_cat_map_row *bx_map_rows(const struct bx_catalog *c, unsigned cpu)
{
    const bx_cat_window *w = bx_map_window(c, cpu, 0);
    return &bx_cat_map_rows(c)[w ? w->mapped.first : 0];
}

size_t bx_map_length(const struct bx_catalog *c, unsigned cpu)
{
    const bx_cat_window *w;
    size_t n = 0;
    for (unsigned i = 0; (w = bx_map_window(c, cpu, i)); i++)
        n += w->mapped.n;
    return n;
}

/* The first row that has one of `addresses` addresses from `address` on. It looks at the rows of
 * package 0, then at those of each other package. */
static bx_mapped find_in(const struct bx_catalog *c, const bx_cat_window *w, uint64_t address,
                         uint64_t addresses)
{
    bx_mapped found = {0};
    for (uint64_t at = address;; at -= w->stride, found.package++) {
        const bx_cat_map_row *row = bx_map_from(c, w, at);
        if (row < bx_map_end(c, w) && row->first < at + addresses) {
            found.row = row;
            found.past = at - row->first;
            return found;
        }
        if (!w->stride || at < w->stride || address >= BX_MAP_PCI_ADDRESSES)
            return (bx_mapped){0};
    }
}

bx_mapped bx_map_find(const struct bx_catalog *c, unsigned cpu, unsigned space, uint64_t address,
                      bx_register_base_call *base, const void *of)
{
    const bx_cat_window *w;
    bx_mapped found = {0};
    for (unsigned i = 0; !found.row && (w = bx_map_window(c, cpu, i)); i++) {
        bool based = base && w->base != BX_NONE && w->space == space;
        uint64_t from = based ? base(of, w->base) : 0;
        if (w->space == space && (from || !based))
            found = find_in(c, w, address - from, 1);
    }
    return found;
}

bx_mapped bx_map_function(const struct bx_catalog *c, unsigned cpu, uint64_t address)
{
    const bx_cat_window *w;
    bx_mapped found = {0};
    for (unsigned i = 0; !found.row && (w = bx_map_window(c, cpu, i)); i++)
        if (w->space == BX_SPACE_PCI)
            found = find_in(c, w, address & ~(uint64_t)(FUNCTION - 1), FUNCTION);
    return found;
}

bx_unit_register bx_register_behind(const struct bx_catalog *c, unsigned cpu, unsigned space,
                                    uint64_t address, bx_register_base_call *base, const void *of)
{
    bx_mapped at = bx_map_find(c, cpu, space, address, base, of);
    if (!at.row || at.past)
        return (bx_unit_register){BX_NONE, 0, 0};
    return (bx_unit_register){at.row->reg, at.row->unit, (uint16_t)at.package};
}
