/* Builds the registers of virtual PMUs from the catalogue's facts. */
#include "vpmu/internal.h"

enum { WORD = 4 }; /* bytes in configuration space */

/* ---- sizes ---- */

static const bx_cat_passive *passive_of(const bx_vpmu *v, const bx_cat_map_row *row)
{
    return row->passive == BX_NONE ? NULL : &bx_cat_passives(v->topology.catalog)[row->passive];
}

static unsigned scope_of(const bx_vpmu *v, const bx_cat_map_row *row)
{
    return row->function == BX_NONE ? passive_of(v, row)->scope : BX_SCOPE_PACKAGE;
}

/* Words without described fields in a row of the map: MSRs, or words of a PCI function. */
static unsigned words_in(const bx_cat_map_row *row)
{
    unsigned addresses = row->last - row->first + 1;
    return row->function == BX_NONE ? addresses : addresses / WORD;
}

static bx_vblock *block_of(bx_vpmu *v, unsigned scope)
{
    return scope == BX_SCOPE_PACKAGE ? &v->package_block : &v->cpu_block;
}

static unsigned blocks_of(const bx_vpmu *v, unsigned scope)
{
    return scope == BX_SCOPE_PACKAGE ? v->topology.packages : v->cpus;
}

/* The number of a unit's counters that can count under a flag. */
static unsigned flag_counters_of(const bx_vpmu *v, const bx_cat_pmu *p)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->counters.n; i++)
        n += bx_cat_counters(v->topology.catalog)[p->counters.first + i].storage != BX_NONE;
    return n;
}

static void measure(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        const bx_cat_pmu *p = bx_vpmu_pmu(v, i);
        unsigned units = bx_vpmu_units(v, i);
        block_of(v, p->scope)->size += p->regs.n * units;
        v->counter_count += p->counters.n * units * blocks_of(v, p->scope);
        v->flag_counter_count += flag_counters_of(v, p) * units * blocks_of(v, p->scope);
    }
    const bx_cat_map_row *rows = bx_map_rows(v->topology.catalog, v->topology.cpu);
    for (size_t i = 0; i < bx_map_length(v->topology.catalog, v->topology.cpu); i++)
        if (rows[i].reg == BX_NONE)
            block_of(v, scope_of(v, &rows[i]))->size += words_in(&rows[i]);
    v->cpu_block.first = v->topology.packages * v->package_block.size;
}

static bool get_tables(bx_vpmu *v)
{
    size_t cat_regs = v->topology.catalog->regs.n;
    size_t regs = v->cpu_block.first + (size_t)v->cpus * v->cpu_block.size;
    size_t rows = bx_map_length(v->topology.catalog, v->topology.cpu);
    v->words = bx_arena_get(&v->arena, (rows + 1) * sizeof(*v->words));
    v->locations = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->locations));
    v->regs = bx_arena_get(&v->arena, (regs + 1) * sizeof(*v->regs));
    v->counters = bx_arena_get(&v->arena, (v->counter_count + 1) * sizeof(*v->counters));
    v->flag_counters =
        bx_arena_get(&v->arena, (v->flag_counter_count + 1) * sizeof(*v->flag_counters));
    v->asleep = bx_arena_get(&v->arena, v->cpus * sizeof(*v->asleep));
    v->core_requested = bx_arena_get(&v->arena, v->cpus * sizeof(*v->core_requested));
    v->package_requested =
        bx_arena_get(&v->arena, v->topology.packages * sizeof(*v->package_requested));
    return !v->arena.failed;
}

/* ---- registers ---- */

/* Whether a register holds the base address of others. */
static bool holds_base(const bx_vpmu *v, unsigned reg)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_window *w;
    for (unsigned i = 0; (w = bx_map_window(c, v->topology.cpu, i)); i++)
        if (w->base != BX_NONE && bx_cat_fields(c)[w->base].reg == reg)
            return true;
    return false;
}

/* Sets a register of every block to its value at power-on. */
static void reset(bx_vpmu *v, bx_vlocation at, const bx_cat_bits *bits, unsigned reg,
                  uint64_t value)
{
    unsigned blocks = at.of_cpu ? v->cpus : v->topology.packages;
    unsigned step = at.of_cpu ? 1 : v->topology.cores;
    for (unsigned i = 0; i < blocks; i++)
        *bx_vpmu_at(v, at, i * step) = (bx_vreg){.value = value,
                                                 .bits = bits,
                                                 .reg = (uint16_t)reg,
                                                 .counter = BX_NONE,
                                                 .first = BX_NONE};
}

static bx_vlocation next_location(bx_vpmu *v, unsigned scope, bool of_machine)
{
    return (bx_vlocation){.index = block_of(v, scope)->used++,
                          .of_cpu = scope != BX_SCOPE_PACKAGE,
                          .of_machine = of_machine};
}

static void add_registers(bx_vpmu *v, unsigned pmu)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_pmu *p = bx_vpmu_pmu(v, pmu);
    for (unsigned i = 0; i < p->regs.n; i++) {
        unsigned reg = p->regs.first + i;
        const bx_cat_reg *r = &bx_cat_regs(c)[reg];
        bool of_machine = holds_base(v, reg);
        for (unsigned unit = 0; unit < bx_vpmu_units(v, pmu); unit++) {
            bx_vlocation at = next_location(v, p->scope, of_machine);
            if (unit == 0)
                v->locations[reg] = at;
            reset(v, at, &r->bits, reg, r->reset);
        }
    }
}

/* ---- words without described fields ---- */

/* The word that identifies a function, or the one that tells its class. */
static uint64_t identity_of(const bx_vpmu *v, const bx_cat_map_row *row)
{
    const bx_cat_function *f = &bx_cat_functions(v->topology.catalog)[row->function];
    return row->first == f->address ? (uint64_t)f->device << 16 | f->vendor
                                    : (uint64_t)(f->kind << 8);
}

/* Adds the words of a row. Each package has those of its own functions. */
static void add_words(bx_vpmu *v, const bx_cat_map_row *row)
{
    static const bx_cat_bits stored = {.stored = UINT64_MAX, .writable = UINT64_MAX},
                             fixed = {.read_only = UINT64_MAX};
    const bx_cat_passive *passive = passive_of(v, row);
    unsigned scope = scope_of(v, row);
    for (unsigned i = 0; i < words_in(row); i++) {
        bx_vlocation at = next_location(v, scope, true);
        if (i == 0)
            *bx_vpmu_words_at(v, row) = at;
        reset(v, at, passive ? &stored : &fixed, BX_NONE,
              passive ? passive->preset : identity_of(v, row));
        for (unsigned package = 1; passive && passive->step && package < v->topology.packages;
             package++)
            bx_vpmu_at(v, at, package * v->topology.cores)->value += package * passive->step;
    }
}

static void set_field(bx_vpmu *v, uint16_t field, uint64_t value)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    for (unsigned cpu = 0; cpu < v->cpus; cpu++) {
        bx_vreg *r = bx_vpmu_at(v, v->locations[f->reg], cpu);
        r->value = bx_bits_set(r->value, f->lo, f->hi, value);
    }
}

/* Sets the fields that show the shape of the machine: numbers of units, base addresses of windows.
 */
static void describe_shape(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        const bx_cat_pmu *p = bx_vpmu_pmu(v, i);
        if (p->unit_field != BX_NONE)
            set_field(v, p->unit_field, bx_vpmu_units(v, i) - (uint64_t)(int64_t)p->unit_bias);
    }
    const struct bx_catalog *c = v->topology.catalog;
    uint64_t bar = bx_topology_shape(&v->topology, "bar");
    const bx_cat_window *w;
    for (unsigned i = 0; bar && (w = bx_map_window(c, v->topology.cpu, i)); i++)
        if (w->base != BX_NONE)
            set_field(v, w->base, bar >> bx_cat_fields(c)[w->base].lo);
}

static void add_all(bx_vpmu *v)
{
    const bx_cat_map_row *rows = bx_map_rows(v->topology.catalog, v->topology.cpu);
    for (unsigned i = 0; i < v->cpu->pmus.n; i++)
        add_registers(v, i);
    for (size_t i = 0; i < bx_map_length(v->topology.catalog, v->topology.cpu); i++)
        if (rows[i].reg == BX_NONE)
            add_words(v, &rows[i]);
    describe_shape(v);
}

int bx_vpmu_build_registers(bx_vpmu *v, bx_error *e)
{
    measure(v);
    if (v->counter_count + v->flag_counter_count >= BX_NONE)
        return bx_fail(e, BX_NO_FIT, 0, 0, "the machine has %u counters, more than %u",
                       v->counter_count, BX_NONE - 1 - v->flag_counter_count);
    if (!get_tables(v))
        return bx_out_of_memory(e);
    add_all(v);
    return BX_OK;
}
