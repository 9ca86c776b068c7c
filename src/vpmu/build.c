#include "vpmu/inside.h"

#include <stdlib.h>

/* ---- the look-up by address ---- */

static unsigned hash(const bx_vpmu *v, uint64_t key)
{
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - v->place_bits));
}

/* The place of a key, or the free one where it belongs. */
static bx_vplace *probe(const bx_vpmu *v, uint64_t key)
{
    unsigned at = hash(v, key);
    while (v->places[at].key && v->places[at].key != key)
        at = (at + 1) & (unsigned)bx_mask_width(v->place_bits);
    return &v->places[at];
}

const bx_vplace *bx_vpmu_find(const bx_vpmu *v, uint64_t key)
{
    const bx_vplace *place = probe(v, key);
    return place->key ? place : NULL;
}

/* No two registers have the same address, but a PCI function is added by each of its registers. */
static void add_place(bx_vpmu *v, uint64_t key, bx_vslot at, unsigned shift)
{
    bx_vplace *place = probe(v, key);
    if (!place->key)
        *place = (bx_vplace){key, at, (uint8_t)shift};
}

/* ---- sizes ---- */

static const bx_cat_pmu *pmu_at(const bx_vpmu *v, unsigned i)
{
    return &bx_cat_pmus(v->topology.catalog)[v->cpu->pmus.first + i];
}

static const bx_cat_passive *passive_at(const bx_vpmu *v, unsigned i)
{
    return &bx_cat_passives(v->topology.catalog)[v->cpu->passives.first + i];
}

/* Units within one scope: a package or a CPU. */
static unsigned units_of(const bx_vpmu *v, unsigned pmu)
{
    const bx_cat_pmu *p = pmu_at(v, pmu);
    return p->scope == BX_SCOPE_PACKAGE
               ? bx_topology_units(&v->topology, (uint16_t)(v->cpu->pmus.first + pmu))
               : p->unit_max;
}

static bx_vbank *bank_of(bx_vpmu *v, unsigned scope)
{
    return scope == BX_SCOPE_PACKAGE ? &v->package_bank : &v->cpu_bank;
}

static unsigned banks_of(const bx_vpmu *v, unsigned scope)
{
    return scope == BX_SCOPE_PACKAGE ? v->topology.packages : v->cpus;
}

static void measure(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        const bx_cat_pmu *p = pmu_at(v, i);
        unsigned units = units_of(v, i);
        bank_of(v, p->scope)->size += p->regs.n * units;
        v->counter_count += p->counters.n * units * banks_of(v, p->scope);
    }
    for (unsigned i = 0; i < v->cpu->passives.n; i++) {
        const bx_cat_passive *m = passive_at(v, i);
        bank_of(v, m->scope)->size += m->last - m->first + 1;
    }
    v->cpu_bank.first = v->topology.packages * v->package_bank.size;
    /* A register takes at most three places: two words, and the PCI function that it shows to
     * exist. Half of the table stays free. */
    size_t places = 6 * ((size_t)v->package_bank.size + v->cpu_bank.size) + 2;
    while ((size_t)1 << v->place_bits < places)
        v->place_bits++;
}

static bool get_tables(bx_vpmu *v)
{
    size_t cat_regs = v->topology.catalog->regs.n;
    size_t regs = v->cpu_bank.first + (size_t)v->cpus * v->cpu_bank.size;
    v->places = bx_arena_get(&v->arena, sizeof(*v->places) << v->place_bits);
    v->rules = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->rules));
    v->slots = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->slots));
    v->regs = bx_arena_get(&v->arena, (regs + 1) * sizeof(*v->regs));
    v->windows = bx_arena_get(&v->arena, (cat_regs + 1) * sizeof(*v->windows));
    v->counters = bx_arena_get(&v->arena, (v->counter_count + 1) * sizeof(*v->counters));
    v->asleep = bx_arena_get(&v->arena, v->cpus * sizeof(*v->asleep));
    v->own = bx_arena_get(&v->arena, v->cpus * sizeof(*v->own));
    v->requested = bx_arena_get(&v->arena, v->topology.packages * sizeof(*v->requested));
    return !v->arena.failed;
}

/* ---- registers ---- */

/* The number of the window whose base address is that field. */
static unsigned window_of(bx_vpmu *v, uint16_t base)
{
    unsigned i = 0;
    while (i < v->window_count && v->windows[i] != base)
        i++;
    if (i == v->window_count)
        v->windows[v->window_count++] = base;
    return i;
}

static void place_register(bx_vpmu *v, const bx_cat_reg *r, uint64_t address, bx_vslot at)
{
    if (r->space == BX_SPACE_MSR) {
        add_place(v, bx_vpmu_key(BX_SPACE_MSR, 0, address), at, 0);
        return;
    }
    unsigned window = r->space == BX_SPACE_MMIO ? window_of(v, r->base) : 0;
    for (unsigned shift = 0; shift < r->width; shift += 32)
        add_place(v, bx_vpmu_key(r->space, window, address + shift / 8), at, shift);
    if (r->space == BX_SPACE_PCI)
        add_place(v, bx_vpmu_key(BX_VDEVICE, 0, address & ~UINT64_C(0xfff)), at, 0);
}

/* What a register of every bank holds at power-on. */
static void reset(bx_vpmu *v, bx_vslot at, const bx_vrules *rules, uint64_t value)
{
    unsigned banks = at.of_cpu ? v->cpus : v->topology.packages;
    unsigned step = at.of_cpu ? 1 : v->topology.cores;
    for (unsigned i = 0; i < banks; i++)
        *bx_vpmu_at(v, at, i * step) = (bx_vreg){
            .value = value, .rules = rules, .counter = BX_NONE, .first = BX_NONE, .end = 0};
}

static bx_vslot next_slot(bx_vpmu *v, unsigned scope)
{
    return (bx_vslot){bank_of(v, scope)->used++, scope != BX_SCOPE_PACKAGE};
}

static void add_registers(bx_vpmu *v, unsigned pmu)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_pmu *p = pmu_at(v, pmu);
    for (unsigned i = 0; i < p->regs.n; i++) {
        unsigned reg = p->regs.first + i;
        const bx_cat_reg *r = &bx_cat_regs(c)[reg];
        v->rules[reg] = bx_vpmu_rules(c, r);
        for (unsigned unit = 0; unit < units_of(v, pmu); unit++) {
            bx_vslot at = next_slot(v, p->scope);
            if (unit == 0)
                v->slots[reg] = at;
            place_register(v, r, bx_cat_addrs(c)[r->first_addr + unit], at);
            reset(v, at, &v->rules[reg], r->reset);
        }
    }
}

static void add_passive(bx_vpmu *v, const bx_cat_passive *m)
{
    bx_vrules *rules = &v->rules[v->topology.catalog->regs.n];
    rules->known = rules->stored = ~UINT64_C(0);
    for (uint64_t address = m->first; address <= m->last; address++) {
        bx_vslot at = next_slot(v, m->scope);
        add_place(v, bx_vpmu_key(BX_SPACE_MSR, 0, address), at, 0);
        reset(v, at, rules, m->preset);
    }
}

static void set_field(bx_vpmu *v, uint16_t field, uint64_t value)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    for (unsigned cpu = 0; cpu < v->cpus; cpu++) {
        bx_vreg *r = bx_vpmu_at(v, v->slots[f->reg], cpu);
        r->value = bx_bits_set(r->value, f->lo, f->hi, value);
    }
}

/* Fields that tell the shape of the machine: how many units there are, where the windows lie. */
static void describe_shape(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        const bx_cat_pmu *p = pmu_at(v, i);
        if (p->unit_field != BX_NONE)
            set_field(v, p->unit_field, units_of(v, i) - (uint64_t)(int64_t)p->unit_bias);
    }
    uint64_t bar = bx_topology_shape(&v->topology, "bar");
    for (unsigned i = 0; bar && i < v->window_count; i++)
        set_field(v, v->windows[i], bar >> bx_cat_fields(v->topology.catalog)[v->windows[i]].lo);
}

static void build_registers(bx_vpmu *v)
{
    for (unsigned i = 0; i < v->cpu->pmus.n; i++)
        add_registers(v, i);
    for (unsigned i = 0; i < v->cpu->passives.n; i++)
        add_passive(v, passive_at(v, i));
    describe_shape(v);
}

/* ---- counters ---- */

/* A counter that selects nothing has the code of the one event that it counts. */
static void select_nominal(const bx_vpmu *v, bx_vcounter *c)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_pmu *p = &bx_cat_pmus(cat)[c->facts->pmu];
    if (!(c->facts->flags & BX_COUNTER_FIXED))
        return;
    for (unsigned i = 0; i < p->events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(cat)[p->events.first + i];
        if (!(e->counters >> c->facts->index & 1))
            continue;
        c->sees.code = e->code;
        if (e->umask_default != BX_NONE)
            c->sees.umask = bx_cat_umasks(cat)[e->umask_default].value;
        return;
    }
}

/* Notes at a register that it steers counter number i. */
static void steer(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg)
{
    uint16_t i = (uint16_t)(c - v->counters);
    bx_vreg *r = bx_vpmu_reg_of(v, c, reg);
    r->first = i < r->first ? i : r->first;
    r->end = (uint16_t)(i + 1);
}

static bool is_control(const struct bx_catalog *cat, uint16_t pmu, uint16_t reg)
{
    bx_span counters = bx_cat_pmus(cat)[pmu].counters;
    for (unsigned i = 0; i < counters.n; i++)
        if (bx_cat_counters(cat)[counters.first + i].control == reg)
            return true;
    return false;
}

static bool resets_something(const struct bx_catalog *cat, const bx_cat_reg *r)
{
    for (unsigned i = 0; i < r->fields.n; i++)
        if (bx_cat_fields(cat)[r->fields.first + i].resets != BX_RESETS_NOTHING)
            return true;
    return false;
}

/* Registers of the unit that are not the counter's own: its filters, and what resets it. */
static void steer_by_unit(const bx_vpmu *v, bx_vcounter *c)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_span regs = bx_cat_pmus(cat)[c->facts->pmu].regs;
    for (uint16_t i = regs.first; i < regs.first + regs.n; i++) {
        const bx_cat_reg *r = &bx_cat_regs(cat)[i];
        bool filters = bx_vpmu_filter_index(cat, i) < BX_FILTERS;
        bool controls_another = is_control(cat, c->facts->pmu, i);
        c->filtered |= filters && c->facts->control != BX_NONE;
        if (filters || (resets_something(cat, r) && !controls_another))
            steer(v, c, i);
    }
}

static void add_counter(bx_vpmu *v, const bx_cat_counter *facts, unsigned box, unsigned cpu,
                        unsigned unit)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_vcounter *c = &v->counters[v->counter_count++];
    bool of_cpu = pmu_at(v, box)->scope != BX_SCOPE_PACKAGE;
    *c = (bx_vcounter){
        .facts = facts,
        .cpu = (uint16_t)cpu,
        .unit = (uint16_t)unit,
        .mask = bx_mask_width(facts->width),
        .fell = BX_NEVER,
        .overflow = BX_NEVER,
        .sees = {.box = (uint16_t)box,
                 .package = (uint16_t)(cpu / v->topology.cores),
                 .unit = (uint16_t)(of_cpu ? cpu % v->topology.cores : unit),
                 .counter = facts->index},
    };
    select_nominal(v, c);
    bx_vpmu_reg_of(v, c, facts->value)->counter = (uint16_t)(c - v->counters);
    if (facts->control != BX_NONE)
        steer(v, c, facts->control);
    steer_by_unit(v, c);
    for (unsigned i = 0; i < facts->counts.n; i++)
        steer(v, c, bx_cat_conds(cat)[facts->counts.first + i].reg);
}

static void add_counters(bx_vpmu *v, unsigned pmu, unsigned cpu)
{
    const bx_cat_pmu *p = pmu_at(v, pmu);
    for (unsigned unit = 0; unit < units_of(v, pmu); unit++)
        for (unsigned i = 0; i < p->counters.n; i++)
            add_counter(v, &bx_cat_counters(v->topology.catalog)[p->counters.first + i], pmu, cpu,
                        unit);
}

/* Package after package, so that a package's registers steer one run of counters. */
static void build_counters(bx_vpmu *v)
{
    v->counter_count = 0;
    for (unsigned cpu = 0; cpu < v->cpus; cpu++)
        for (unsigned i = 0; i < v->cpu->pmus.n; i++)
            if (pmu_at(v, i)->scope != BX_SCOPE_PACKAGE || cpu % v->topology.cores == 0)
                add_counters(v, i, cpu);
    uint64_t now = v->signals->now(v->signals);
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        bx_vpmu_retune(v, c, now);
        if (c->facts->flags & BX_COUNTER_FREE)
            c->base = c->tally; /* it has counted since power-on */
    }
}

/* ---- life ---- */

static int build(bx_vpmu *v, bx_error *e)
{
    measure(v);
    if (v->counter_count > BX_WATCHES)
        return bx_fail(e, BX_NO_FIT, 0, 0, "the machine has %u counters, more than %d",
                       v->counter_count, BX_WATCHES);
    if (!get_tables(v))
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    build_registers(v);
    build_counters(v);
    return BX_OK;
}

bx_vpmu *bx_vpmu_new(const bx_topology *t, bx_signals *signals, bx_error *e)
{
    bx_vpmu *v = calloc(1, sizeof(*v));
    if (!v) {
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
        return NULL;
    }
    v->topology = *t;
    v->cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    v->cpus = t->packages * t->cores;
    v->signals = signals;
    v->due = BX_NEVER;
    v->watcher = (bx_watcher){.see = bx_vpmu_see, .alarm = bx_vpmu_alarm};
    bx_vpmu_init_bus(v);
    signals->set_watcher(signals, &v->watcher);
    if (build(v, e) != BX_OK) {
        bx_vpmu_free(v);
        return NULL;
    }
    return v;
}

void bx_vpmu_free(bx_vpmu *v)
{
    if (!v)
        return;
    v->signals->set_watcher(v->signals, NULL);
    bx_arena_free(&v->arena);
    free(v);
}
