/* Builds the counters of virtual PMUs, and finds the registers that affect each. */
#include "vpmu/internal.h"

/* Gives a counter that selects nothing the code of the one event that it counts. */
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
        c->selected.code = e->code;
        if (e->umask_default != BX_NONE)
            c->selected.umask = bx_cat_umasks(cat)[e->umask_default].value;
        return;
    }
}

/* Records that a register affects a counter. */
static void add_affected(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg)
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

/* Whether an event of the PMU follows the counter that this register controls. */
static bool is_followed(const struct bx_catalog *cat, uint16_t pmu, uint16_t reg)
{
    const bx_cat_pmu *p = &bx_cat_pmus(cat)[pmu];
    for (unsigned i = 0; i < p->events.n; i++) {
        unsigned counter = bx_cat_events(cat)[p->events.first + i].follows;
        if (counter != BX_NO_COUNTER &&
            bx_cat_counters(cat)[p->counters.first + counter].control == reg)
            return true;
    }
    return false;
}

/* Whether a register of a PMU affects all counters of its unit: events share it, it resets them, or
 * it is the control register of a counter that they can follow. */
static bool affects_unit(const struct bx_catalog *cat, uint16_t pmu, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(cat)[reg];
    bool controls_another = is_control(cat, pmu, reg);

    return r->flags & BX_REG_SHARED || (resets_something(cat, r) && !controls_another) ||
           (controls_another && is_followed(cat, pmu, reg));
}

/* A counter's unit is like all others of its PMU, so what a register is to them is found once. */
static void find_affecting_units(bx_vpmu *v)
{
    const struct bx_catalog *cat = v->topology.catalog;

    for (unsigned i = 0; i < v->cpu->pmus.n; i++) {
        bx_span regs = bx_vpmu_pmu(v, i)->regs;
        for (uint16_t reg = regs.first; reg < regs.first + regs.n; reg++)
            v->locations[reg].of_unit = affects_unit(cat, bx_cat_regs(cat)[reg].pmu, reg);
    }
}

static void add_affected_by_unit(const bx_vpmu *v, const bx_vcounter *c)
{
    bx_span regs = bx_cat_pmus(v->topology.catalog)[c->facts->pmu].regs;

    for (uint16_t i = regs.first; i < regs.first + regs.n; i++)
        if (v->locations[i].of_unit)
            add_affected(v, c, i);
}

/* Adds the registers that show the counter's count. */
static void add_values(const bx_vpmu *v, const bx_vcounter *c)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_span regs = bx_cat_pmus(cat)[c->facts->pmu].regs;
    for (uint16_t i = regs.first; i < regs.first + regs.n; i++)
        if (i == c->facts->value || bx_cat_regs(cat)[i].shows == c->facts->value)
            bx_vpmu_reg_of(v, c, i)->counter = (uint16_t)(c - v->counters);
}

static void add_counter(bx_vpmu *v, const bx_cat_counter *facts, unsigned box, unsigned cpu,
                        unsigned unit)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_vcounter *c = &v->counters[v->counter_count++];
    bool of_cpu = bx_vpmu_pmu(v, box)->scope != BX_SCOPE_PACKAGE;
    *c = (bx_vcounter){
        .facts = facts,
        .cpu = (uint16_t)cpu,
        .unit = (uint16_t)unit,
        .fell = BX_NEVER,
        .overflow = BX_NEVER,
        .recheck = BX_NEVER,
        .arrives = BX_NEVER,
        .flag_watch = BX_NONE,
        .selected = {.box = (uint16_t)box,
                     .package = (uint16_t)(cpu / v->topology.cores),
                     .unit = (uint16_t)(of_cpu ? cpu % v->topology.cores : unit),
                     .counter = facts->index},
    };
    select_nominal(v, c);
    add_values(v, c);
    if (facts->control != BX_NONE)
        add_affected(v, c, facts->control);
    add_affected_by_unit(v, c);
    for (unsigned i = 0; i < facts->counts.n; i++)
        add_affected(v, c, bx_cat_conds(cat)[facts->counts.first + i].reg);
}

static void add_counters(bx_vpmu *v, unsigned pmu, unsigned cpu)
{
    const bx_cat_pmu *p = bx_vpmu_pmu(v, pmu);
    for (unsigned unit = 0; unit < bx_vpmu_units(v, pmu); unit++)
        for (unsigned i = 0; i < p->counters.n; i++)
            add_counter(v, &bx_cat_counters(v->topology.catalog)[p->counters.first + i], pmu, cpu,
                        unit);
}

/* Builds the counters package by package, so that a package's registers affect consecutive
 * counters. */
void bx_vpmu_build_counters(bx_vpmu *v)
{
    unsigned flags = 0;
    v->counter_count = 0;
    find_affecting_units(v);
    for (unsigned cpu = 0; cpu < v->cpus; cpu++)
        for (unsigned i = 0; i < v->cpu->pmus.n; i++)
            if (bx_vpmu_pmu(v, i)->scope != BX_SCOPE_PACKAGE || cpu % v->topology.cores == 0)
                add_counters(v, i, cpu);
    uint64_t now = v->signals->now(v->signals);
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        if (c->facts->storage != BX_NONE) {
            v->flag_counters[flags] = (uint16_t)i;
            c->flag_watch = (uint16_t)(v->counter_count + flags++);
        }
        bx_vpmu_reconfigure(v, c, now);
        if (c->facts->flags & BX_COUNTER_FREE)
            c->base = c->tally; /* it has counted since power-on */
    }
}
