/* Derives the roles of registers, and the effects of writing them, from the catalogue. */
#include "guard/register_policy.h"

#include "base/bits.h"

#include <stdlib.h>

/* ---- roles of registers ---- */

static void mark_roles(bx_register_policy *k, const bx_cat_pmu *pmu)
{
    const struct bx_catalog *c = k->t->catalog;
    for (unsigned i = 0; i < pmu->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + i];
        k->roles[counter->value] |= BX_ROLE_VALUE;
        if (counter->control != BX_NONE)
            k->roles[counter->control] |= BX_ROLE_CONTROL;
        for (unsigned j = 0; j < counter->counts.n; j++) {
            uint16_t reg = bx_cat_conds(c)[counter->counts.first + j].reg;
            if (reg != counter->control)
                k->roles[reg] |= BX_ROLE_ENABLE;
        }
    }
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        uint16_t precondition = bx_cat_regs(c)[pmu->regs.first + i].precondition;
        if (precondition == BX_NONE)
            continue;
        k->roles[pmu->regs.first + i] |= BX_ROLE_HAS_PRECONDITION;
        k->roles[bx_cat_conds(c)[precondition].reg] |= BX_ROLE_PRECONDITION;
    }
}

bx_span bx_policy_pmus(const bx_register_policy *k)
{
    return bx_cat_cpus(k->t->catalog)[k->t->cpu].pmus;
}

bool bx_policy_new(bx_register_policy *k, const bx_topology *t, const bx_allow *allow,
                   struct bx_bus *bus)
{
    *k = (bx_register_policy){
        .t = t, .allow = allow, .bus = bus, .roles = calloc(t->catalog->regs.n, 1)};
    for (unsigned i = 0; k->roles && i < bx_policy_pmus(k).n; i++)
        mark_roles(k, &bx_cat_pmus(t->catalog)[bx_policy_pmus(k).first + i]);
    return k->roles;
}

void bx_policy_free(bx_register_policy *k)
{
    free(k->roles);
    *k = (bx_register_policy){0};
}

bx_address bx_policy_address(const bx_register_policy *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit)
{
    return bx_register_address(k->t->catalog, cpu / k->t->cores, reg,
                               bx_register_unit(k->t->catalog, reg, pmu, unit), cpu);
}

uint64_t bx_policy_disabled(const bx_register_policy *k, const bx_allowed *r, uint64_t value)
{
    const struct bx_catalog *c = k->t->catalog;
    for (unsigned i = 0; i < bx_policy_pmus(k).n; i++) {
        bx_span counters = bx_cat_pmus(c)[bx_policy_pmus(k).first + i].counters;
        for (unsigned n = 0; n < counters.n; n++) {
            const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + n];
            for (unsigned j = 0; j < counter->counts.n; j++) {
                const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + j];
                const bx_cat_field *f = &bx_cat_fields(c)[cond->field];
                if (cond->reg == r->reg)
                    value = bx_bits_set(value, f->lo, f->hi, ~cond->value);
            }
        }
    }
    return value;
}

const bx_cat_cond *bx_policy_precondition(const bx_register_policy *k, const bx_allowed *r,
                                          const bx_address *beside, bx_address *at)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_cat_cond *cond = bx_register_precondition(c, r->reg);
    if (cond)
        *at = bx_policy_address(k, beside->cpu, bx_cat_regs(c)[r->reg].pmu, cond->reg, r->unit);
    return cond;
}

uint64_t bx_policy_clearing(const bx_register_policy *k, const bx_allowed *status,
                            const bx_address *beside, uint64_t bits, bx_address *at)
{
    const struct bx_catalog *c = k->t->catalog;
    uint16_t pmu = bx_cat_regs(c)[status->reg].pmu;
    bx_span regs = bx_cat_pmus(c)[pmu].regs;
    uint64_t clearing = 0;
    for (uint16_t reg = regs.first; !clearing && reg < regs.first + regs.n; reg++) {
        bx_clearing one;
        for (unsigned i = 0; bx_register_next_clearing(c, reg, &i, &one);)
            if (one.status == status->reg && bits & one.bits)
                clearing |= one.by;
        *at = bx_policy_address(k, beside->cpu, pmu, reg, status->unit);
    }
    return clearing;
}

uint64_t bx_policy_cleared(const bx_register_policy *k, const bx_allowed *status)
{
    const struct bx_catalog *c = k->t->catalog;
    bx_span regs = bx_cat_pmus(c)[bx_cat_regs(c)[status->reg].pmu].regs;
    uint64_t cleared = 0;
    bx_clearing one;
    for (unsigned reg = regs.first; reg < (unsigned)regs.first + regs.n; reg++)
        for (unsigned i = 0; bx_register_next_clearing(c, reg, &i, &one);)
            if (one.status == status->reg)
                cleared |= one.bits;
    return cleared;
}

bool bx_policy_is_status(const bx_register_policy *k, const bx_allowed *r)
{
    return !k->roles[r->reg] && (r->clears || bx_policy_cleared(k, r));
}

enum bx_policy_step bx_policy_step(const bx_register_policy *k, const bx_allowed *r)
{
    unsigned role = k->roles[r->reg];
    if (role & BX_ROLE_ENABLE)
        return bx_cat_regs(k->t->catalog)[r->reg].pmu == bx_policy_pmus(k).first
                   ? BX_PUT_BACK_PACKAGE_ENABLES
                   : BX_PUT_BACK_ENABLES;
    return role & BX_ROLE_CONTROL        ? BX_PUT_BACK_CONTROLS
           : role & BX_ROLE_PRECONDITION ? BX_PUT_BACK_PRECONDITIONS
           : role & BX_ROLE_VALUE        ? BX_PUT_BACK_VALUES
                                         : BX_PUT_BACK_OTHERS;
}

bool bx_policy_is_per_core(const bx_register_policy *k, const bx_allowed *r)
{
    const struct bx_catalog *c = k->t->catalog;
    return bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE;
}
