/* The order in which registers are restored, and the intermediate steps. */
#include "base/bits.h"
#include "helper/saved_registers.h"

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

const bx_cat_cond *bx_policy_precondition(const bx_register_policy *k, const bx_saved_register *one,
                                          bx_address *at)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_cat_cond *cond = bx_register_precondition(c, one->r->reg);
    if (cond)
        *at = bx_policy_address(k, one->at.cpu, bx_cat_regs(c)[one->r->reg].pmu, cond->reg,
                                one->r->unit);
    return cond;
}

uint64_t bx_policy_clearing(const bx_register_policy *k, const bx_saved_register *one,
                            uint64_t bits, bx_address *at)
{
    const struct bx_catalog *c = k->t->catalog;
    uint16_t pmu = bx_cat_regs(c)[one->r->reg].pmu;
    bx_span regs = bx_cat_pmus(c)[pmu].regs;
    for (unsigned i = 0; i < regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[regs.first + i];
        uint64_t clearing = 0;
        for (unsigned j = 0; j < reg->fields.n; j++) {
            const bx_cat_field *f = &bx_cat_fields(c)[reg->fields.first + j];
            const bx_cat_field *status = f->clears == BX_NONE ? NULL : &bx_cat_fields(c)[f->clears];
            if (status && status->reg == one->r->reg && bits & bx_mask_bits(status->lo, status->hi))
                clearing |= bx_mask_bits(f->lo, f->hi);
        }
        *at = bx_policy_address(k, one->at.cpu, pmu, (uint16_t)(regs.first + i), one->r->unit);
        if (clearing)
            return clearing;
    }
    return 0;
}

enum { VALUES = BX_RESTORE_FIRST, OTHERS, PRECONDITIONS, CONTROLS, ENABLES, PACKAGE_ENABLES };
_Static_assert(PACKAGE_ENABLES + 1 == BX_RESTORE_STEPS, "steps");

unsigned bx_policy_step(const bx_register_policy *k, const bx_allowed *r)
{
    unsigned role = k->roles[r->reg];
    if (role & BX_ROLE_ENABLE)
        return bx_cat_regs(k->t->catalog)[r->reg].pmu == bx_policy_pmus(k).first ? PACKAGE_ENABLES
                                                                                 : ENABLES;
    return role & BX_ROLE_CONTROL        ? CONTROLS
           : role & BX_ROLE_PRECONDITION ? PRECONDITIONS
           : role & BX_ROLE_VALUE        ? VALUES
                                         : OTHERS;
}
