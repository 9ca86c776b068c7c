/* Checks of registers, fields and addresses. */
#include "compile/check/check.h"

#include "base/bits.h"
#include "base/error.h"

#include <stdlib.h>

void bx_check_field_width(const bx_check *k)
{
    for (uint16_t r = 0; r < k->c->regs.n; r++) {
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[r];
        for (uint16_t i = reg->fields.first; i < reg->fields.first + reg->fields.n; i++)
            if (bx_cat_fields(k->c)[i].hi >= reg->width)
                bx_check_fail(k, bx_check_from(k, BX_T_FIELDS, i), NULL, 1,
                              "the register has %u bits", reg->width);
    }
}

void bx_check_overlap(const bx_check *k)
{
    for (uint16_t r = 0; r < k->c->regs.n; r++) {
        bx_span span = bx_cat_regs(k->c)[r].fields;
        uint64_t taken = 0;
        for (uint16_t i = span.first; i < span.first + span.n; i++) {
            uint64_t mask = bx_cat_field_mask(&bx_cat_fields(k->c)[i]);
            if (taken & mask)
                bx_check_fail(k, bx_check_from(k, BX_T_FIELDS, i), NULL, 1,
                              "another field has some of these bits");
            taken |= mask;
        }
    }
}

/* Checks that a reset value has bits only in fields that do not always read 0. */
void bx_check_reset(const bx_check *k)
{
    for (uint16_t r = 0; r < k->c->regs.n; r++) {
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[r];
        if (reg->reset & ~(reg->bits.stored | reg->bits.read_only | reg->bits.w1c))
            bx_check_fail(k, bx_check_from(k, BX_T_REGS, r), "reset", 0,
                          "no field of the register holds these bits");
    }
}

/* Checks that bits that reset something are write-only, except the bit that resets the package as
 * long as it is 1. A single counter is reset by its own control register. */
void bx_check_resets(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_FIELDS, i);
        bool control = false;
        for (uint16_t n = 0; n < k->c->counters.n; n++)
            control |= bx_cat_counters(k->c)[n].control == f->reg;
        if (f->resets == BX_RESETS_PACKAGE ? f->kind != BX_FIELD_RW
                                           : f->resets && f->kind != BX_FIELD_WO)
            bx_check_fail(k, node, "resets", 0,
                          f->resets == BX_RESETS_PACKAGE ? "what resets the package is kept: rw"
                                                         : "only write-only bits reset something");
        if (f->resets == BX_RESETS_COUNTER && !control)
            bx_check_fail(k, node, "resets", 0, "no counter is controlled by this register");
    }
}

static bool is_count(const bx_check *k, uint16_t reg)
{
    for (uint16_t i = 0; i < k->c->counters.n; i++)
        if (bx_cat_counters(k->c)[i].value == reg)
            return true;
    return false;
}

/* Checks that only counters extend the written value. */
void bx_check_extends(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->regs.n; i++)
        if (bx_cat_regs(k->c)[i].extends && !is_count(k, i))
            bx_check_fail(k, bx_check_from(k, BX_T_REGS, i), "extends", 0,
                          "no counter counts in this register");
}

/* The addresses of a row of a CPU's map, in one package. */
struct range {
    uint16_t cpu, space, base;
    uint16_t unit;     /* of a register; of a function the package */
    uint64_t from, to; /* half open */
    const bx_syntax_node *node;
    uint64_t order; /* that of the tables: registers, passive registers, functions */
};

struct ranges {
    struct range *list;
    size_t n;
};

/* The most packages that have the item: with a stride, as many as the machine can have; else 1.
 * BUSES + 1 stands for any number above BUSES. */
static unsigned packages_of(const bx_check *k, uint16_t cpu, uint32_t stride)
{
    enum { BUSES = 256 };
    bx_span shapes = bx_cat_cpus(k->c)[cpu].shapes;
    for (unsigned i = shapes.first; stride && i < shapes.first + shapes.n; i++) {
        const bx_cat_shape *s = &bx_cat_shapes(k->c)[i];
        if (bx_str_eq(bx_cat_str(k->c, s->name), BX_STR("packages")))
            return s->hi <= BUSES ? (unsigned)s->hi : BUSES + 1;
    }
    return 1;
}

static uint64_t order_of(const bx_cat_map_row *row, uint16_t cpu, unsigned package)
{
    const uint64_t others = UINT64_C(1) << 60, of_cpu = (uint64_t)cpu << 44;
    if (row->reg != BX_NONE)
        return (uint64_t)row->reg << 32 | (uint64_t)row->unit << 16 | package;
    if (row->function == BX_NONE)
        return others | of_cpu | row->passive;
    /* A function's own words, then its passive ones. */
    uint64_t word = row->passive == BX_NONE ? row->first >> 3 & 1 : row->passive + 2U;
    return others | of_cpu | UINT64_C(1) << 43 | (uint64_t)row->function << 26 |
           (uint64_t)package << 17 | word;
}

static void add_rows(const bx_check *k, struct ranges *all, uint16_t cpu, const bx_cat_window *w)
{
    unsigned packages = packages_of(k, cpu, w->stride);
    for (unsigned i = 0; i < w->mapped.n && !k->b->failed; i++) {
        uint16_t index = (uint16_t)(w->mapped.first + i);
        const bx_cat_map_row *row = &bx_cat_map_rows(k->c)[index];
        const bx_syntax_node *node = bx_check_from(k, BX_T_MAP_ROWS, index);
        if (row->first + (packages - UINT64_C(1)) * w->stride > UINT32_MAX >> 4 && w->stride)
            bx_check_fail(k, node, row->reg == BX_NONE ? "stride" : "step", 0,
                          "the last package would be beyond bus 255");
        for (unsigned package = 0; package < packages && !k->b->failed; package++) {
            uint64_t from = row->first + (uint64_t)package * w->stride;
            all->list[all->n++] =
                (struct range){.cpu = cpu,
                               .space = w->space,
                               .base = w->base,
                               .unit = row->reg == BX_NONE ? (uint16_t)package : row->unit,
                               .from = from,
                               .to = from + row->last - row->first + 1,
                               .node = node,
                               .order = order_of(row, cpu, package)};
        }
    }
}

static uint64_t space_key(const struct range *r)
{
    return (uint64_t)r->cpu << 32 | (uint64_t)r->space << 16 | r->base;
}

static int by_address(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (space_key(x) != space_key(y))
        return space_key(x) < space_key(y) ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void fail_overlap(const bx_check *k, const struct range *r, const struct range *other)
{
    unsigned long long at = r->from;
    if (r->node == other->node) {
        bx_check_fail(k, r->node, NULL, 0, "0x%llx in unit %u is taken by unit %u of this line", at,
                      r->unit, other->unit);
        bx_hint(k->b->e, "compare the addresses and the stride with the document");
        return;
    }
    bx_check_fail(k, r->node, NULL, 0, "0x%llx in unit %u is taken by %.*s:%u", at, r->unit,
                  BX_QUOTED(other->node->file->name), bx_syntax_line(other->node));
    bx_hint(k->b->e, "that is unit %u of '%.*s': compare both with the document", other->unit,
            BX_QUOTED(bx_syntax_arg(other->node, NULL, 0)));
}

/* Finds an overlap. If ranges that are sorted by their begin overlap, then two neighbours overlap.
 */
static void find_overlap(const bx_check *k, const struct ranges *all)
{
    const struct range *first = NULL, *other = NULL;
    for (size_t i = 1; i < all->n; i++) {
        const struct range *a = &all->list[i - 1], *b = &all->list[i];
        const struct range *later = a->order > b->order ? a : b;
        if (space_key(a) == space_key(b) && b->from < a->to &&
            (!first || later->order < first->order)) {
            first = later;
            other = later == a ? b : a;
        }
    }
    if (first)
        fail_overlap(k, first, other);
}

void bx_check_address(const bx_check *k)
{
    size_t most = 1;
    for (uint16_t cpu = 0; cpu < k->c->cpus.n; cpu++) {
        bx_span windows = bx_cat_cpus(k->c)[cpu].windows;
        for (unsigned i = windows.first; i < (unsigned)windows.first + windows.n; i++) {
            const bx_cat_window *w = &bx_cat_windows(k->c)[i];
            most += (size_t)w->mapped.n * packages_of(k, cpu, w->stride);
        }
    }
    struct ranges all = {bx_arena_get(k->b->arena, most * sizeof *all.list), 0};
    if (!all.list) {
        bx_build_fail_memory(k->b);
        return;
    }
    for (uint16_t cpu = 0; cpu < k->c->cpus.n; cpu++) {
        bx_span windows = bx_cat_cpus(k->c)[cpu].windows;
        for (unsigned i = windows.first; i < (unsigned)windows.first + windows.n; i++)
            add_rows(k, &all, cpu, &bx_cat_windows(k->c)[i]);
    }
    if (k->b->failed)
        return;
    qsort(all.list, all.n, sizeof *all.list, by_address);
    find_overlap(k, &all);
}
