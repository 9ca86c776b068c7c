/* Builds the registers of virtual PMUs from the catalogue's facts. */
#include "vpmu/internal.h"

/* ---- sizes ---- */

static const bx_cat_function *function_at(const bx_vpmu *v, unsigned i)
{
    return &bx_cat_functions(v->topology.catalog)[v->cpu->functions.first + i];
}

static const bx_cat_passive *passive_at(const bx_vpmu *v, unsigned i)
{
    return &bx_cat_passives(v->topology.catalog)[v->cpu->passives.first + i];
}

enum { IDENTITY = 0, CLASS = 8, WORD = 4 }; /* bytes in configuration space */

/* The rules of words without described fields: all bits are stored; no bits are stored; or the word
 * switches prefetchers as well. */
enum word_rules { STORED, FIXED, PREFETCHERS, WORD_RULES };

/* The number of words of a function: identity, class, and its passive words. */
static unsigned words_of(const bx_vpmu *v, const bx_cat_function *f)
{
    unsigned n = 2;
    for (unsigned i = 0; i < f->passives.n; i++) {
        const bx_cat_passive *p = &bx_cat_passives(v->topology.catalog)[f->passives.first + i];
        n += (p->last - p->first + 1) / WORD;
    }
    return n;
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

/* The number of registers of a package's units in its PCI functions. */
static unsigned pci_registers(const bx_vpmu *v, unsigned pmu)
{
    const bx_cat_pmu *p = bx_vpmu_pmu(v, pmu);
    unsigned n = 0;
    for (unsigned i = 0; i < p->regs.n; i++)
        n += bx_cat_regs(v->topology.catalog)[p->regs.first + i].space == BX_SPACE_PCI;
    return n * bx_vpmu_units(v, pmu);
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
    for (unsigned i = 0; i < v->cpu->passives.n; i++) {
        const bx_cat_passive *m = passive_at(v, i);
        block_of(v, m->scope)->size += m->last - m->first + 1;
    }
    for (unsigned i = 0; i < v->cpu->functions.n; i++)
        v->package_block.size += words_of(v, function_at(v, i));
    v->cpu_block.first = v->topology.packages * v->package_block.size;
    /* A register has at most three mappings: two words and its PCI function; in PCI space in each
     * package. A word of a function has one mapping in each package, and so has the function. Half
     * of the table stays free. */
    size_t mappings = 6 * ((size_t)v->package_block.size + v->cpu_block.size) + 2;
    for (unsigned i = 0; i < v->cpu->pmus.n; i++)
        mappings += 6 * (size_t)v->topology.packages * pci_registers(v, i);
    for (unsigned i = 0; i < v->cpu->functions.n; i++)
        mappings += 2 * (size_t)v->topology.packages * (words_of(v, function_at(v, i)) + 1);
    while ((size_t)1 << v->mapping_bits < mappings)
        v->mapping_bits++;
}

static bool get_tables(bx_vpmu *v)
{
    size_t cat_regs = v->topology.catalog->regs.n;
    size_t regs = v->cpu_block.first + (size_t)v->cpus * v->cpu_block.size;
    v->mappings = bx_arena_get(&v->arena, sizeof(*v->mappings) << v->mapping_bits);
    v->rules = bx_arena_get(&v->arena, (cat_regs + WORD_RULES) * sizeof(*v->rules));
    v->locations = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->locations));
    v->regs = bx_arena_get(&v->arena, (regs + 1) * sizeof(*v->regs));
    v->windows = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->windows));
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

/* The number of the window that has that field as its base address. */
static unsigned window_of(bx_vpmu *v, uint16_t base)
{
    unsigned i = 0;
    while (i < v->window_count && v->windows[i] != base)
        i++;
    if (i == v->window_count)
        v->windows[v->window_count++] = base;
    return i;
}

/* Whether a register holds the base address of others. */
static bool holds_base(const bx_vpmu *v, unsigned reg)
{
    const struct bx_catalog *c = v->topology.catalog;
    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        bx_span regs = bx_vpmu_pmu(v, i)->regs;
        for (unsigned k = regs.first; k < (unsigned)regs.first + regs.n; k++) {
            const bx_cat_reg *r = &bx_cat_regs(c)[k];
            if (r->space == BX_SPACE_MMIO && r->base != BX_NONE &&
                bx_cat_fields(c)[r->base].reg == reg)
                return true;
        }
    }
    return false;
}

/* cpu: a CPU of the package that has the register at this address; BX_NONE: all have it. */
static void map_words(bx_vpmu *v, const bx_cat_reg *r, uint64_t address, bx_vlocation at,
                      unsigned cpu)
{
    unsigned window = r->space == BX_SPACE_MMIO ? window_of(v, r->base) : 0;
    for (unsigned shift = 0; shift < r->width; shift += 32)
        bx_vpmu_map(v, bx_vpmu_key(r->space, window, address + shift / 8), at, cpu, shift);
    if (r->space == BX_SPACE_PCI)
        bx_vpmu_map(v, bx_vpmu_key(BX_VDEVICE, 0, address & ~UINT64_C(0xfff)), at, cpu, 0);
}

static void map_register(bx_vpmu *v, unsigned reg, unsigned unit, bx_vlocation at)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    if (r->space == BX_SPACE_MSR)
        bx_vpmu_map(v, bx_vpmu_key(BX_SPACE_MSR, 0, bx_register_offset(c, reg, unit)), at, BX_NONE,
                    0);
    else if (!r->package_stride)
        map_words(v, r, bx_register_offset(c, reg, unit), at, BX_NONE);
    for (unsigned package = 0; r->package_stride && package < v->topology.packages; package++)
        map_words(v, r, bx_register_offset_in(c, package, reg, unit), at,
                  package * v->topology.cores);
}

/* Sets a register of every block to its value at power-on. */
static void reset(bx_vpmu *v, bx_vlocation at, const bx_vrules *rules, uint64_t value)
{
    unsigned blocks = at.of_cpu ? v->cpus : v->topology.packages;
    unsigned step = at.of_cpu ? 1 : v->topology.cores;
    for (unsigned i = 0; i < blocks; i++)
        *bx_vpmu_at(v, at, i * step) = (bx_vreg){
            .value = value, .rules = rules, .counter = BX_NONE, .first = BX_NONE, .end = 0};
}

static bx_vlocation next_location(bx_vpmu *v, unsigned scope, bool of_machine)
{
    return (bx_vlocation){block_of(v, scope)->used++, scope != BX_SCOPE_PACKAGE, of_machine};
}

static void add_registers(bx_vpmu *v, unsigned pmu)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_pmu *p = bx_vpmu_pmu(v, pmu);
    for (unsigned i = 0; i < p->regs.n; i++) {
        unsigned reg = p->regs.first + i;
        const bx_cat_reg *r = &bx_cat_regs(c)[reg];
        bool of_machine = holds_base(v, reg);
        v->rules[reg] = bx_vpmu_rules(r);
        for (unsigned unit = 0; unit < bx_vpmu_units(v, pmu); unit++) {
            bx_vlocation at = next_location(v, p->scope, of_machine);
            if (unit == 0)
                v->locations[reg] = at;
            map_register(v, reg, unit, at);
            reset(v, at, &v->rules[reg], r->reset);
        }
    }
}

static const bx_vrules *rules_of(const bx_vpmu *v, enum word_rules which)
{
    bx_vrules *rules = &v->rules[v->topology.catalog->regs.n + which];
    rules->known = ~UINT64_C(0);
    rules->stored = which != FIXED ? rules->known : 0;
    rules->prefetchers = which == PREFETCHERS;
    return rules;
}

static void add_passive(bx_vpmu *v, const bx_cat_passive *m)
{
    const bx_vrules *rules = rules_of(v, m->prefetchers ? PREFETCHERS : STORED);
    for (uint64_t address = m->first; address <= m->last; address++) {
        bx_vlocation at = next_location(v, m->scope, true);
        bx_vpmu_map(v, bx_vpmu_key(BX_SPACE_MSR, 0, address), at, BX_NONE, 0);
        reset(v, at, rules, m->preset);
    }
}

/* ---- PCI functions without described registers ---- */

/* Adds a word in each package that has the function, on the package's own bus. */
static void add_word(bx_vpmu *v, const bx_cat_function *f, unsigned offset, const bx_vrules *rules,
                     const bx_cat_passive *holds)
{
    bx_vlocation at = next_location(v, BX_SCOPE_PACKAGE, true);
    reset(v, at, rules, 0);
    for (unsigned package = 0; package < (f->stride ? v->topology.packages : 1); package++) {
        unsigned cpu = package * v->topology.cores;
        uint64_t address = f->address + (uint64_t)package * f->stride;
        bx_vpmu_at(v, at, cpu)->value = holds->preset + package * holds->step;
        bx_vpmu_map(v, bx_vpmu_key(BX_SPACE_PCI, 0, address + offset), at, cpu, 0);
        bx_vpmu_map(v, bx_vpmu_key(BX_VDEVICE, 0, address), at, cpu, 0);
    }
}

static void add_function(bx_vpmu *v, const bx_cat_function *f)
{
    const bx_cat_passive identity = {.preset = (uint32_t)f->device << 16 | f->vendor},
                         kind = {.preset = f->kind << 8};
    add_word(v, f, IDENTITY, rules_of(v, FIXED), &identity);
    add_word(v, f, CLASS, rules_of(v, FIXED), &kind);
    for (unsigned i = 0; i < f->passives.n; i++) {
        const bx_cat_passive *p = &bx_cat_passives(v->topology.catalog)[f->passives.first + i];
        for (unsigned offset = p->first; offset < p->last; offset += WORD)
            add_word(v, f, offset, rules_of(v, STORED), p);
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
    uint64_t bar = bx_topology_shape(&v->topology, "bar");
    for (unsigned i = 0; bar && i < v->window_count; i++)
        set_field(v, v->windows[i], bar >> bx_cat_fields(v->topology.catalog)[v->windows[i]].lo);
}

static void add_all(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++)
        add_registers(v, i);
    for (unsigned i = 0; i < v->cpu->passives.n; i++)
        add_passive(v, passive_at(v, i));
    for (unsigned i = 0; i < v->cpu->functions.n; i++)
        add_function(v, function_at(v, i));
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
