/* Registers that counters share: match registers, filters, sub-registers of a port. An event owns
 * some of their bits; the other bits keep their value. */
#include "plan/builder.h"

bool bx_slots_is_control(const bx_plan_builder *m, const bx_assignment *assignment, unsigned reg)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    return reg == counter->control ||
           (counter->other_condition != BX_NONE &&
            reg == bx_cat_conds(m->t->catalog)[counter->other_condition].reg);
}

/* The shared registers among those that select the assignment's event. */
static size_t shared_of(bx_plan_builder *m, const bx_assignment *assignment, bx_regvalue *to)
{
    size_t n = bx_plan_builder_controls(m, assignment, to), shared = 0;
    for (size_t i = 0; i < n; i++)
        if (!bx_slots_is_control(m, assignment, to[i].reg))
            to[shared++] = to[i];
    return shared;
}

/* Whether this register has the precondition of another register of the PMU. */
static bool is_precondition(const bx_plan_builder *m, unsigned reg)
{
    bx_span regs = bx_cat_pmus(m->t->catalog)[bx_cat_regs(m->t->catalog)[reg].pmu].regs;
    for (unsigned i = regs.first; i < regs.first + regs.n; i++) {
        const bx_cat_cond *precondition = bx_register_precondition(m->t->catalog, i);
        if (precondition && precondition->reg == reg)
            return true;
    }
    return false;
}

static void put_owned(bx_plan_builder *m, const bx_assignment *assignment, bx_regvalue r)
{
    uint64_t stored = bx_cat_regs(m->t->catalog)[r.reg].bits.stored;
    bx_plan_builder_put(m, assignment, r.reg,
                        (bx_register_update){.bits = r.value,
                                             .keep = m->step == BX_STEP_SAVE ? 0 : stored & ~r.mask,
                                             .every_pass = !bx_is_multiplexed(assignment)});
}

void bx_slots_set_preconditions(bx_plan_builder *m, const bx_assignment *assignment)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, assignment, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *precondition = bx_register_precondition(m->t->catalog, regs[i].reg);
        if (!precondition)
            continue;
        uint64_t bits = bx_condition_bits(m->t->catalog, precondition);
        bx_plan_builder_put(
            m, assignment, precondition->reg,
            (bx_register_update){.bits = bits, .every_pass = !bx_is_multiplexed(assignment)});
    }
}

void bx_slots_write(bx_plan_builder *m, const bx_assignment *assignment)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, assignment, regs);
    for (size_t i = 0; i < n; i++)
        if (!is_precondition(m, regs[i].reg))
            put_owned(m, assignment, regs[i]);
}

void bx_slots_write_preconditions(bx_plan_builder *m, const bx_assignment *assignment)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, assignment, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *precondition = bx_register_precondition(m->t->catalog, regs[i].reg);
        if (is_precondition(m, regs[i].reg))
            put_owned(m, assignment, regs[i]);
        if (precondition) /* the register gets its old value again, except the bits that events own
                           */
            put_owned(m, assignment, (bx_regvalue){.reg = precondition->reg});
    }
}

bool bx_slots_is_precondition(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, assignment, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *precondition = bx_register_precondition(m->t->catalog, regs[i].reg);
        if (precondition && precondition->reg == reg)
            return true;
    }
    return false;
}
