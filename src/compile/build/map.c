/* The map of a CPU's addresses: its registers and passive words, sorted. */
#include "compile/build/build.h"

#include <stdlib.h>

/* A row of the map with the properties of its window. */
struct mapped {
    bx_cat_window in;
    bx_cat_map_row row;
    const bx_syntax_node *from;
};

struct map {
    bx_build *b;
    struct mapped *list;
    size_t n;
};

static int by_window(const bx_cat_window *a, const bx_cat_window *b)
{
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->stride < b->stride ? -1 : a->stride > b->stride;
}

static int in_map(const void *a, const void *b)
{
    const struct mapped *x = a, *y = b;
    int order = by_window(&x->in, &y->in);
    return order ? order : x->row.first < y->row.first ? -1 : x->row.first > y->row.first;
}

static void add_unit(struct map *m, uint16_t i, unsigned unit)
{
    const bx_cat_reg *reg = BX_ROW(m->b, bx_cat_reg, BX_T_REGS, i);
    uint32_t first = *BX_ROW(m->b, uint32_t, BX_T_ADDRS, reg->first_addr + unit);
    m->list[m->n++] =
        (struct mapped){{.space = reg->space, .base = reg->base, .stride = reg->package_stride},
                        {.first = first,
                         .last = first + (reg->space == BX_SPACE_MSR ? 0 : reg->width / 8 - 1U),
                         .reg = i,
                         .unit = (uint16_t)unit,
                         .passive = BX_NONE,
                         .function = BX_NONE},
                        m->b->tables[BX_T_REGS].from[i]};
}

static unsigned units_of(const bx_cat_pmu *pmu)
{
    return pmu->scope == BX_SCOPE_CORE ? 1 : pmu->unit_max; /* all units have the same address */
}

static void add_words(struct map *m, bx_cat_window in, uint32_t first, uint32_t last,
                      uint16_t passive, uint16_t function)
{
    m->list[m->n++] =
        (struct mapped){in,
                        {first, last, .reg = BX_NONE, .passive = passive, .function = function},
                        passive == BX_NONE ? m->b->tables[BX_T_FUNCTIONS].from[function]
                                           : m->b->tables[BX_T_PASSIVES].from[passive]};
}

static void add_function_words(struct map *m, uint16_t i)
{
    enum { IDENTITY = 0, CLASS = 8, WORD = 4 }; /* bytes in configuration space */
    const bx_cat_function *f = BX_ROW(m->b, bx_cat_function, BX_T_FUNCTIONS, i);
    const bx_cat_window in = {.space = BX_SPACE_PCI, .base = BX_NONE, .stride = f->stride};
    add_words(m, in, f->address + IDENTITY, f->address + IDENTITY + WORD - 1, BX_NONE, i);
    add_words(m, in, f->address + CLASS, f->address + CLASS + WORD - 1, BX_NONE, i);
    for (uint16_t k = f->passives.first; k < f->passives.first + f->passives.n; k++) {
        const bx_cat_passive *p = BX_ROW(m->b, bx_cat_passive, BX_T_PASSIVES, k);
        add_words(m, in, f->address + p->first, f->address + p->last, k, i);
    }
}

static size_t most_rows(const bx_build *b, const bx_cat_cpu *cpu)
{
    size_t n = cpu->passives.n;
    for (unsigned i = cpu->pmus.first; i < (unsigned)cpu->pmus.first + cpu->pmus.n; i++) {
        const bx_cat_pmu *pmu = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, i);
        n += (size_t)pmu->regs.n * units_of(pmu);
    }
    for (unsigned i = 0; i < cpu->functions.n; i++)
        n += 2U + BX_ROW(b, bx_cat_function, BX_T_FUNCTIONS, cpu->functions.first + i)->passives.n;
    return n;
}

static void collect(struct map *m, const bx_cat_cpu *cpu)
{
    const bx_cat_window msrs = {.space = BX_SPACE_MSR, .base = BX_NONE};
    for (unsigned i = cpu->pmus.first; i < (unsigned)cpu->pmus.first + cpu->pmus.n; i++) {
        const bx_cat_pmu *pmu = BX_ROW(m->b, bx_cat_pmu, BX_T_PMUS, i);
        for (unsigned k = 0; k < pmu->regs.n; k++)
            for (unsigned unit = 0; unit < units_of(pmu); unit++)
                add_unit(m, (uint16_t)(pmu->regs.first + k), unit);
    }
    for (uint16_t i = cpu->passives.first; i < cpu->passives.first + cpu->passives.n; i++) {
        const bx_cat_passive *p = BX_ROW(m->b, bx_cat_passive, BX_T_PASSIVES, i);
        add_words(m, msrs, p->first, p->last, i, BX_NONE);
    }
    for (unsigned i = 0; i < cpu->functions.n; i++)
        add_function_words(m, (uint16_t)(cpu->functions.first + i));
    qsort(m->list, m->n, sizeof *m->list, in_map);
}

bx_span bx_build_map(bx_build *b, const bx_cat_cpu *cpu)
{
    uint16_t first = bx_build_n(b, BX_T_WINDOWS), window = first;
    struct map m = {.b = b};
    if (!b->failed)
        m.list = bx_arena_get(b->arena, (most_rows(b, cpu) + 1) * sizeof *m.list);
    if (!b->failed && !m.list)
        bx_build_fail_memory(b);
    if (!b->failed)
        collect(&m, cpu);
    for (size_t i = 0; i < m.n && !b->failed; i++) {
        const struct mapped *one = &m.list[i];
        if (i == 0 || by_window(&m.list[i - 1].in, &one->in)) {
            window = bx_build_add(b, BX_T_WINDOWS, one->from);
            *BX_ROW(b, bx_cat_window, BX_T_WINDOWS, window) = one->in;
            BX_ROW(b, bx_cat_window, BX_T_WINDOWS, window)->mapped.first =
                bx_build_n(b, BX_T_MAP_ROWS);
        }
        uint16_t row = bx_build_add(b, BX_T_MAP_ROWS, one->from);
        *BX_ROW(b, bx_cat_map_row, BX_T_MAP_ROWS, row) = one->row;
        BX_ROW(b, bx_cat_window, BX_T_WINDOWS, window)->mapped.n++;
    }
    return bx_build_span(b, BX_T_WINDOWS, first);
}
