/* Derives the allow-list from the catalogue: which registers are for monitoring, and which of their
 * bits may be written. */
#include "guard/allow_list.h"

#include "base/bits.h"
#include "register/register.h"

#include <errno.h>
#include <stdlib.h>

/* ---- which registers are for monitoring ---- */

typedef struct marks {
    const struct bx_catalog *c;
    bool *monitors; /* by catalogue index of the register */
} marks;

static void mark(const marks *m, uint16_t reg)
{
    if (reg != BX_NONE)
        m->monitors[reg] = true;
}

static void mark_field(const marks *m, uint16_t field)
{
    if (field != BX_NONE)
        mark(m, bx_cat_fields(m->c)[field].reg);
}

static void mark_counter(const marks *m, const bx_cat_counter *counter)
{
    mark(m, counter->control);
    mark(m, counter->value);
    mark_field(m, counter->overflow);
    for (unsigned i = 0; i < counter->counts.n; i++)
        mark(m, bx_cat_conds(m->c)[counter->counts.first + i].reg);
}

static void mark_places(const marks *m, const bx_cat_slot *slot)
{
    for (unsigned i = 0; i < slot->places.n; i++)
        for (unsigned k = 0; k < BX_PLACE_REGS; k++)
            mark(m, bx_cat_places(m->c)[slot->places.first + i].reg[k]);
}

/* Whether a register belongs to monitoring registers: it resets them, or it holds, clears or
 * gathers their overflow status. All w1c fields of the catalogue are overflow status. */
static bool is_bound(const marks *m, const bx_cat_reg *reg)
{
    for (unsigned i = 0; i < reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(m->c)[reg->fields.first + i];
        if (f->resets || f->kind == BX_FIELD_W1C ||
            (f->clears != BX_NONE && m->monitors[bx_cat_fields(m->c)[f->clears].reg]))
            return true;
        for (unsigned k = 0; k < f->gathers.n; k++)
            if (m->monitors[bx_cat_gathers(m->c)[f->gathers.first + k].reg])
                return true;
    }
    return false;
}

static void mark_pmu(const marks *m, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->counters.n; i++)
        mark_counter(m, &bx_cat_counters(m->c)[pmu->counters.first + i]);
    for (unsigned i = 0; i < pmu->slots.n; i++)
        mark_places(m, &bx_cat_slots(m->c)[pmu->slots.first + i]);
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        mark(m, bx_cat_modifiers(m->c)[pmu->modifiers.first + i].reg);
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(m->c)[pmu->regs.first + i];
        if (reg->flags & BX_REG_SHARED)
            mark(m, (uint16_t)(pmu->regs.first + i));
        if (reg->precondition != BX_NONE)
            mark(m, bx_cat_conds(m->c)[reg->precondition].reg);
    }
}

static void mark_bound(const marks *m, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->regs.n; i++)
        if (is_bound(m, &bx_cat_regs(m->c)[pmu->regs.first + i]))
            mark(m, (uint16_t)(pmu->regs.first + i));
}

static void mark_cpu(const marks *m, const bx_cat_cpu *cpu)
{
    mark_field(m, cpu->freeze);
    mark_field(m, cpu->freezes);
    mark_field(m, cpu->wake);
    mark_field(m, cpu->noted);
    mark_field(m, cpu->changed);
    for (unsigned i = 0; i < cpu->pmus.n; i++)
        mark_pmu(m, &bx_cat_pmus(m->c)[cpu->pmus.first + i]);
    for (unsigned i = 0; i < cpu->pmus.n; i++)
        mark_bound(m, &bx_cat_pmus(m->c)[cpu->pmus.first + i]);
}

/* ---- what may be done with each ---- */

static uint64_t mask_in(const struct bx_catalog *c, const bx_cat_reg *reg, uint16_t field)
{
    bool own = field >= reg->fields.first && field < reg->fields.first + reg->fields.n;
    return own ? bx_cat_field_mask(&bx_cat_fields(c)[field]) : 0;
}

/* Bits of a register that let an overflow interrupt cores, that select these cores, or that let the
 * interrupt also freeze counters or wake cores. */
static uint64_t interrupts_of(const struct bx_catalog *c, const bx_cat_cpu *cpu, uint16_t index)
{
    const bx_cat_reg *reg = &bx_cat_regs(c)[index];
    bx_span counters = bx_cat_pmus(c)[reg->pmu].counters;
    uint64_t mask = mask_in(c, reg, cpu->freeze) | mask_in(c, reg, cpu->wake);
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (counter->control == index || counter->control == BX_NONE)
            mask |= mask_in(c, reg, counter->overflow_en);
    }
    for (unsigned i = 0; i < cpu->pmi.n; i++)
        mask |= mask_in(c, reg, (uint16_t)(cpu->pmi.first + i));
    return mask;
}

static bx_allowed rights_of(const marks *m, const bx_cat_cpu *cpu, uint16_t index)
{
    const bx_cat_reg *reg = &bx_cat_regs(m->c)[index];
    const bx_cat_bits *bits = &reg->bits;
    bx_allowed r = {.reg = index,
                    .space = reg->space,
                    .width = reg->width,
                    .write_only = bx_bits_are_write_only(bits),
                    .write = bits->writable,
                    .reserved = bits->reserved,
                    .triggers = bits->triggers,
                    .clears = bits->w1c};
    r.interrupts = interrupts_of(m->c, cpu, index) & r.write;
    if (!m->monitors[index])
        r.write = r.triggers = r.clears = r.interrupts = 0;
    return r;
}

/* ---- the list ---- */

/* Reads the base address of a window; 0: it has none. false: out of memory. */
static bool base_of(const struct bx_catalog *c, struct bx_bus *bus, uint16_t field, uint64_t *base)
{
    const bx_address at = bx_register_address(c, 0, bx_cat_fields(c)[field].reg, 0, 0);
    uint64_t value;
    int err = bus ? bus->read(bus, &at, &value) : ENXIO;
    *base = err ? 0 : bx_base_of(c, field, value);
    return err != ENOMEM;
}

/* Adds the registers of a window that the machine has, once for each package with its own. */
static void add_window(bx_allow *a, const marks *m, const bx_cat_window *w, uint64_t base)
{
    const bx_cat_map_row *rows = bx_map_rows(m->c, a->t.cpu), *end = bx_map_end(m->c, w);
    for (const bx_cat_map_row *row = end - w->mapped.n; row < end; row++) {
        if (row->reg == BX_NONE ||
            row->unit >= bx_topology_units(&a->t, bx_cat_regs(m->c)[row->reg].pmu))
            continue;
        bx_allowed r = rights_of(m, &bx_cat_cpus(m->c)[a->t.cpu], row->reg);
        r.unit = (uint8_t)row->unit;
        a->first[row - rows] = (uint32_t)a->n + 1;
        for (unsigned package = 0; package < (w->stride ? a->t.packages : 1); package++) {
            r.package = w->stride ? (uint8_t)package : BX_ANY_PACKAGE;
            r.offset = base + row->first + (uint64_t)package * w->stride;
            a->list[a->n++] = r;
        }
    }
}

static bool add_windows(bx_allow *a, const marks *m, struct bx_bus *bus)
{
    const bx_cat_window *w;
    for (unsigned i = 0; (w = bx_map_window(m->c, a->t.cpu, i)); i++) {
        if (w->base != BX_NONE && !base_of(m->c, bus, w->base, &a->bases[i]))
            return false;
        if (w->base == BX_NONE || a->bases[i])
            add_window(a, m, w, a->bases[i]);
    }
    return true;
}

bool bx_allow_new(bx_allow *a, const bx_topology *t, struct bx_bus *bus)
{
    const struct bx_catalog *c = t->catalog;
    size_t rows = bx_map_length(c, t->cpu);
    marks m = {c, calloc(c->regs.n + 1, sizeof(bool))};
    *a = (bx_allow){.list = calloc(rows * t->packages + 1, sizeof *a->list),
                    .first = calloc(rows + 1, sizeof *a->first),
                    .bases = calloc(bx_cat_cpus(c)[t->cpu].windows.n + 1U, sizeof *a->bases),
                    .t = *t};
    bool made = m.monitors && a->list && a->first && a->bases;
    if (made)
        mark_cpu(&m, &bx_cat_cpus(c)[t->cpu]);
    made = made && add_windows(a, &m, bus);
    if (!made)
        bx_allow_free(a);
    free(m.monitors);
    return made;
}

void bx_allow_free(bx_allow *a)
{
    free(a->list);
    free(a->first);
    free(a->bases);
    *a = (bx_allow){0};
}

/* The base of a window; it is a bx_register_base_call. */
static uint64_t known_base(const void *of, uint16_t field)
{
    const bx_allow *a = of;
    const bx_cat_window *w;
    for (unsigned i = 0; (w = bx_map_window(a->t.catalog, a->t.cpu, i)); i++)
        if (w->base == field)
            return a->bases[i];
    return 0;
}

/* A register that only one package has is accessed on this package's CPUs. */
static bool is_of_package(const bx_allow *a, const bx_allowed *r, unsigned cpu)
{
    return r->package == BX_ANY_PACKAGE || cpu / a->t.cores == r->package;
}

const bx_allowed *bx_allow_find(const bx_allow *a, const bx_address *at)
{
    const struct bx_catalog *c = a->t.catalog;
    bx_mapped found = bx_map_find(c, a->t.cpu, at->space, at->offset, known_base, a);
    uint32_t first = found.row && !found.past ? a->first[found.row - bx_map_rows(c, a->t.cpu)] : 0;
    if (!first || found.package >= a->t.packages || at->cpu >= a->t.packages * a->t.cores)
        return NULL;
    const bx_allowed *r = &a->list[first - 1 + found.package];
    bool fits = at->width == r->width || (at->space == BX_SPACE_MSR && at->width == 64);
    return fits && is_of_package(a, r, at->cpu) ? r : NULL;
}

uint64_t bx_allow_forbidden(const bx_allowed *r, uint64_t present, uint64_t value)
{
    return r->write ? (value ^ present) & r->reserved : ~UINT64_C(0);
}
