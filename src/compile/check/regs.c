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

/* A range of addresses of one register or passive line. In MSR space, an address is one register;
 * in the other spaces, a register takes as many addresses as it has bytes. */
struct range {
    uint16_t cpu, space, base;
    uint16_t unit;     /* unit of a register */
    uint64_t from, to; /* half open */
    const bx_syntax_node *node;
    uint32_t order; /* the order in which the ranges were found */
};

struct ranges {
    struct range *list;
    uint32_t n;
};

static void add_range(struct ranges *all, struct range r)
{
    r.order = all->n;
    all->list[all->n++] = r;
}

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

/* Whether the last package has the address, too, within 256 buses. */
static bool is_within_buses(const bx_check *k, const bx_syntax_node *node, const char *clause,
                            uint64_t at, uint32_t stride, unsigned packages)
{
    if (at + (packages - UINT64_C(1)) * stride <= UINT32_MAX >> 4)
        return true;
    bx_check_fail(k, node, clause, 0, "the last package would be beyond bus 255");
    return false;
}

static unsigned units_of(const bx_cat_pmu *pmu)
{
    return pmu->scope == BX_SCOPE_CORE ? 1 : pmu->unit_max; /* all units have the same address */
}

static size_t ranges_of_reg(const bx_check *k, uint16_t i)
{
    const bx_cat_reg *reg = &bx_cat_regs(k->c)[i];
    const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[reg->pmu];
    return (size_t)units_of(pmu) * packages_of(k, pmu->cpu, reg->package_stride);
}

static void add_reg(const bx_check *k, struct ranges *all, uint16_t i)
{
    const bx_cat_reg *reg = &bx_cat_regs(k->c)[i];
    const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[reg->pmu];
    const bx_syntax_node *node = bx_check_from(k, BX_T_REGS, i);
    unsigned packages = packages_of(k, pmu->cpu, reg->package_stride);
    for (unsigned n = 0; n < units_of(pmu) * packages; n++) {
        unsigned unit = n / packages, package = n % packages;
        uint64_t first = bx_cat_addrs(k->c)[reg->first_addr + unit];
        uint64_t at = first + (uint64_t)package * reg->package_stride;
        uint64_t size = reg->space == BX_SPACE_MSR ? 1 : reg->width / 8;
        if (reg->package_stride &&
            !is_within_buses(k, node, "step", first, reg->package_stride, packages))
            return;
        add_range(all, (struct range){.cpu = pmu->cpu,
                                      .space = reg->space,
                                      .base = reg->base,
                                      .unit = (uint16_t)unit,
                                      .from = at,
                                      .to = at + size,
                                      .node = node});
    }
}

static void add_passives(const bx_check *k, struct ranges *all, uint16_t cpu)
{
    bx_span span = bx_cat_cpus(k->c)[cpu].passives;
    for (uint16_t i = span.first; i < span.first + span.n; i++) {
        const bx_cat_passive *p = &bx_cat_passives(k->c)[i];
        add_range(all, (struct range){.cpu = cpu,
                                      .space = BX_SPACE_MSR,
                                      .base = BX_NONE,
                                      .from = p->first,
                                      .to = p->last + UINT64_C(1),
                                      .node = bx_check_from(k, BX_T_PASSIVES, i)});
    }
}

/* The number of ranges of a CPU's functions. */
static size_t ranges_of_functions(const bx_check *k, uint16_t cpu)
{
    bx_span span = bx_cat_cpus(k->c)[cpu].functions;
    size_t n = 0;
    for (unsigned i = span.first; i < span.first + span.n; i++) {
        const bx_cat_function *f = &bx_cat_functions(k->c)[i];
        n += packages_of(k, cpu, f->stride) * (2 + f->passives.n);
    }
    return n;
}

/* Adds the words of a function that identify it, and those that store what is written, for each
 * possible package. */
static void add_function(const bx_check *k, struct ranges *all, uint16_t cpu, uint16_t i)
{
    enum { IDENTITY = 0, CLASS = 8, WORD = 4 };
    const bx_cat_function *f = &bx_cat_functions(k->c)[i];
    unsigned packages = packages_of(k, cpu, f->stride);
    const bx_syntax_node *node = bx_check_from(k, BX_T_FUNCTIONS, i);
    if (!is_within_buses(k, node, "stride", f->address, f->stride, packages))
        return;
    for (unsigned package = 0; package < packages; package++) {
        struct range r = {.cpu = cpu,
                          .space = BX_SPACE_PCI,
                          .base = BX_NONE,
                          .unit = (uint16_t)package,
                          .node = node};
        uint32_t at = f->address + package * f->stride;
        r.from = at + IDENTITY;
        r.to = r.from + WORD;
        add_range(all, r);
        r.from = at + CLASS;
        r.to = r.from + WORD;
        add_range(all, r);
        for (unsigned j = 0; j < f->passives.n; j++) {
            const bx_cat_passive *p = &bx_cat_passives(k->c)[f->passives.first + j];
            r.node = bx_check_from(k, BX_T_PASSIVES, f->passives.first + j);
            r.from = at + p->first;
            r.to = at + p->last + UINT64_C(1);
            add_range(all, r);
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
    for (uint32_t i = 1; i < all->n; i++) {
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
    size_t most = k->c->passives.n + 1;
    for (uint16_t i = 0; i < k->c->regs.n; i++)
        most += ranges_of_reg(k, i);
    for (uint16_t cpu = 0; cpu < k->c->cpus.n; cpu++)
        most += ranges_of_functions(k, cpu);
    struct ranges all = {bx_arena_get(k->b->arena, most * sizeof *all.list), 0};
    if (!all.list) {
        bx_build_fail_memory(k->b);
        return;
    }
    for (uint16_t i = 0; i < k->c->regs.n && !k->b->failed; i++)
        add_reg(k, &all, i);
    for (uint16_t cpu = 0; cpu < k->c->cpus.n; cpu++) {
        bx_span functions = bx_cat_cpus(k->c)[cpu].functions;
        add_passives(k, &all, cpu);
        for (unsigned i = 0; i < functions.n && !k->b->failed; i++)
            add_function(k, &all, cpu, (uint16_t)(functions.first + i));
    }
    qsort(all.list, all.n, sizeof *all.list, by_address);
    find_overlap(k, &all);
}
