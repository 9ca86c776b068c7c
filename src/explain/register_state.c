/* The contents of registers, as far as accesses have shown them. */
#include "explain/internal.h"

#include "base/bits.h"
#include "base/error.h"

#include <stdlib.h>

/* ---- where the contents are stored ---- */

int bx_shadow_make(bx_explain *x, bx_error *e)
{
    const struct bx_catalog *c = x->c;
    unsigned reg_end = 0, counter_end = 0;
    x->reg = x->counter = BX_NONE;
    for (unsigned i = 0; i < x->cpu->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[x->cpu->pmus.first + i];
        if (pmu->regs.first < x->reg)
            x->reg = pmu->regs.first;
        if (pmu->regs.first + pmu->regs.n > (int)reg_end)
            reg_end = pmu->regs.first + pmu->regs.n;
        if (pmu->counters.first < x->counter)
            x->counter = pmu->counters.first;
        if (pmu->counters.first + pmu->counters.n > (int)counter_end)
            counter_end = pmu->counters.first + pmu->counters.n;
        if (pmu->unit_max > x->units)
            x->units = pmu->unit_max;
    }
    x->regs = reg_end - x->reg;
    x->counters = counter_end - x->counter;
    x->scopes = x->topology.packages * x->topology.cores;
    size_t each = (size_t)x->units * x->scopes;
    x->shadow = calloc(x->regs * each + 1, sizeof *x->shadow);
    x->state = calloc(x->counters * each + 1, sizeof *x->state);
    if (!x->shadow || !x->state)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < x->regs * each; i++)
        x->shadow[i].value = bx_cat_regs(c)[x->reg + i / each].reset;
    return BX_OK;
}

static size_t index_of(const bx_explain *x, unsigned item, bx_register_instance at)
{
    return ((size_t)item * x->units + at.unit) * x->scopes + at.scope;
}

bx_shadow *bx_shadow_at(const bx_explain *x, bx_register_instance at)
{
    return &x->shadow[index_of(x, at.reg - x->reg, at)];
}

bx_counter_state *bx_state_of(const bx_explain *x, const bx_unit_counter *n)
{
    unsigned index = (unsigned)(n->facts - bx_cat_counters(x->c)) - x->counter;
    return &x->state[index_of(x, index, n->at)];
}

/* The package or CPU whose register an access on this CPU reaches. */
static unsigned scope_of(const bx_explain *x, uint16_t pmu, unsigned cpu)
{
    unsigned scope =
        bx_cat_pmus(x->c)[pmu].scope == BX_SCOPE_PACKAGE ? cpu / x->topology.cores : cpu;
    return scope < x->scopes ? scope : x->scopes - 1;
}

/* The base address in a field, if an access has shown it; else 0. */
static uint64_t base_of(const void *of, uint16_t field)
{
    const bx_explain *x = of;
    bx_register_instance holder = {.reg = bx_cat_fields(x->c)[field].reg};
    return bx_base_of(x->c, field, bx_shadow_at(x, holder)->value);
}

bx_register_instance bx_instance_of(const bx_explain *x, const bx_address *at)
{
    bx_unit_register p =
        bx_register_behind(x->c, x->topology.cpu, at->space, at->offset, base_of, x);
    bx_register_instance instance = {.reg = p.reg, .unit = p.unit};
    if (p.reg != BX_NONE)
        instance.scope = bx_cat_regs(x->c)[p.reg].package_stride
                             ? (p.package < x->scopes ? p.package : x->scopes - 1)
                             : scope_of(x, bx_cat_regs(x->c)[p.reg].pmu, at->cpu);
    return instance;
}

void bx_take_unit(bx_explain *x, bx_register_instance at)
{
    unsigned i = (unsigned)(bx_cat_regs(x->c)[at.reg].pmu - x->cpu->pmus.first);
    if (i < BX_PMUS && at.unit >= x->topology.units[i])
        x->topology.units[i] = (uint8_t)(at.unit + 1);
}

bx_register_instance bx_instance_beside(const bx_explain *x, bx_register_instance at, uint16_t pmu,
                                        uint16_t reg)
{
    uint16_t other = bx_cat_regs(x->c)[reg].pmu;
    bool wide = bx_cat_pmus(x->c)[pmu].scope != BX_SCOPE_PACKAGE;
    bx_register_instance instance = {
        .reg = reg, .unit = (uint16_t)bx_register_unit(x->c, reg, pmu, at.unit), .scope = at.scope};
    if (wide && bx_cat_pmus(x->c)[other].scope == BX_SCOPE_PACKAGE)
        instance.scope = at.scope / x->topology.cores;
    return instance;
}

bx_register_instance bx_instance_of_counter(const bx_explain *x, const bx_unit_counter *n,
                                            uint16_t reg)
{
    return bx_instance_beside(x, n->at, n->facts->pmu, reg);
}

uint64_t bx_shadow_field(const bx_explain *x, bx_register_instance at, uint16_t field)
{
    return bx_field_of(&bx_cat_fields(x->c)[field], bx_shadow_at(x, at)->value);
}

/* ---- counters ---- */

static bx_unit_counter counter_at(const bx_explain *x, bx_register_instance at, bool by_value)
{
    bx_span all = bx_cat_pmus(x->c)[bx_cat_regs(x->c)[at.reg].pmu].counters;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(x->c)[all.first + i];
        if ((by_value ? counter->value : counter->control) == at.reg)
            return (bx_unit_counter){counter, {counter->control, at.unit, at.scope}};
    }
    return (bx_unit_counter){0};
}

bx_unit_counter bx_controlled_by(const bx_explain *x, bx_register_instance at)
{
    return counter_at(x, at, false);
}

bx_unit_counter bx_value_of(const bx_explain *x, bx_register_instance at)
{
    return counter_at(x, at, true);
}

typedef struct unit_of_counter {
    const bx_explain *x;
    const bx_unit_counter *n;
} unit_of_counter;

static int read_shadow(const void *of, uint16_t reg, unsigned unit, uint64_t *value)
{
    const unit_of_counter *by = of;
    (void)unit; /* unused: the state also depends on the counter's scope */
    *value = bx_shadow_at(by->x, bx_instance_of_counter(by->x, by->n, reg))->value;
    return 0;
}

/* A field of the counter's control register, or of one that several counters share. */
static uint64_t control_field(const bx_explain *x, const bx_unit_counter *n, uint16_t field)
{
    uint16_t own = n->facts->control;
    uint16_t reg = own != BX_NONE ? own : bx_cat_fields(x->c)[field].reg;
    return bx_shadow_field(x, bx_instance_of_counter(x, n, reg), field);
}

unsigned bx_shadow_levels(const bx_explain *x, const bx_unit_counter *n)
{
    uint16_t user = n->facts->user, os = n->facts->os;
    if (user == BX_NONE)
        return BX_LEVELS;
    return (control_field(x, n, user) ? BX_LEVEL_USER : 0U) |
           (control_field(x, n, os) ? BX_LEVEL_OS : 0U);
}

uint16_t bx_shadow_choice(const bx_explain *x, const bx_unit_counter *n)
{
    if (n->facts->control == BX_NONE)
        return BX_NONE;
    uint16_t place =
        bx_place_selected(x->c, &bx_cat_pmus(x->c)[n->facts->pmu], bx_shadow_at(x, n->at)->value);
    const bx_cat_place *p = place == BX_NONE ? NULL : &bx_cat_places(x->c)[place];
    return p && p->has ? p->reg[0] : BX_NONE;
}

bool bx_shadow_counts(const bx_explain *x, const bx_unit_counter *n)
{
    bool enabled;
    bx_counter_is_enabled(x->c, n->facts, n->at.unit, read_shadow, &(unit_of_counter){x, n},
                          &enabled);
    return enabled && bx_shadow_levels(x, n) && !(n->facts->flags & BX_COUNTER_FREE);
}

const bx_cat_cond *bx_shadow_missing(const bx_explain *x, const bx_unit_counter *n)
{
    const bx_cat_cond *level = NULL; /* one level is enough */
    for (unsigned i = 0; i < n->facts->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(x->c)[n->facts->counts.first + i];
        bx_register_instance at = bx_instance_of_counter(x, n, cond->reg);
        if (bx_condition_holds(x->c, cond, bx_shadow_at(x, at)->value))
            continue;
        if (!bx_condition_is_level(n->facts, cond))
            return cond;
        level = cond;
    }
    return level;
}

/* ---- writes ---- */

static void reset_controls(bx_explain *x, bx_register_instance at, uint16_t pmu)
{
    bx_span all = bx_cat_pmus(x->c)[pmu].counters;
    for (unsigned i = 0; i < all.n; i++) {
        uint16_t control = bx_cat_counters(x->c)[all.first + i].control;
        if (control == BX_NONE)
            continue;
        bx_shadow *k = bx_shadow_at(x, bx_instance_beside(x, at, pmu, control));
        k->value = bx_cat_regs(x->c)[control].reset;
        k->fresh = false;
    }
}

void bx_shadow_write(bx_explain *x, bx_register_instance at, uint64_t value)
{
    const bx_cat_reg *r = &bx_cat_regs(x->c)[at.reg];
    bx_shadow *k = bx_shadow_at(x, at);
    k->seen = true;
    k->fresh = value != r->reset;
    k->value = bx_bits_written(&r->bits, r->extends, k->value, value, UINT64_MAX);
    bx_clearing one;
    for (unsigned i = 0; bx_register_next_clearing(x->c, at.reg, &i, &one);)
        if (value & one.by)
            bx_shadow_at(x, bx_instance_beside(x, at, r->pmu, one.status))->value &= ~one.bits;
    if (bx_register_resets(x->c, at.reg, value) >> BX_RESETS_CONTROLS & 1)
        reset_controls(x, at, r->pmu);
}

void bx_shadow_read(bx_explain *x, bx_register_instance at, uint64_t value)
{
    bx_shadow *k = bx_shadow_at(x, at);
    uint64_t hidden = bx_cat_regs(x->c)[at.reg].bits.write_only;
    k->seen = true;
    k->value = (value & ~hidden) | (k->value & hidden);
}
