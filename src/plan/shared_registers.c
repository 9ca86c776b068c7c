/* Registers that counters share: match registers, filters, sub-registers of a port. An event owns
 * some of their bits; what no event owns stays as it was. */
#include "plan/builder.h"

bool bx_slots_is_control(const bx_maker *m, const bx_seat *seat, unsigned reg)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    return reg == counter->control || (counter->elsewhere != BX_NONE &&
                                       reg == bx_cat_conds(m->t->catalog)[counter->elsewhere].reg);
}

const bx_cat_cond *bx_slots_guard_of(const bx_topology *t, unsigned reg)
{
    uint16_t guard = bx_cat_regs(t->catalog)[reg].guard;
    return guard == BX_NONE ? NULL : &bx_cat_conds(t->catalog)[guard];
}

/* The shared registers among those that select the seat's event. */
static size_t shared_of(const bx_maker *m, const bx_seat *seat, bx_regvalue *to)
{
    size_t n = bx_maker_controls(m, seat, to), shared = 0;
    for (size_t i = 0; i < n; i++)
        if (!bx_slots_is_control(m, seat, to[i].reg))
            to[shared++] = to[i];
    return shared;
}

/* Whether other registers of the PMU have their guard in this one. */
static bool is_guard(const bx_maker *m, unsigned reg)
{
    bx_span regs = bx_cat_pmus(m->t->catalog)[bx_cat_regs(m->t->catalog)[reg].pmu].regs;
    for (unsigned i = regs.first; i < regs.first + regs.n; i++) {
        const bx_cat_cond *guard = bx_slots_guard_of(m->t, i);
        if (guard && guard->reg == reg)
            return true;
    }
    return false;
}

static uint64_t writable(const bx_maker *m, unsigned reg)
{
    bx_span fields = bx_cat_regs(m->t->catalog)[reg].fields;
    uint64_t mask = 0;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[fields.first + i];
        if (field->kind == BX_FIELD_RW)
            mask |= bx_cat_field_mask(field);
    }
    return mask;
}

static void put_owned(bx_maker *m, const bx_seat *seat, bx_regvalue r)
{
    bx_maker_put(m, seat, r.reg,
                 (bx_put){.bits = r.value,
                          .keep = m->step == BX_SAVE ? 0 : writable(m, r.reg) & ~r.mask,
                          .steady = !bx_takes_turns(seat)});
}

void bx_slots_guard(bx_maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, seat, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *guard = bx_slots_guard_of(m->t, regs[i].reg);
        if (!guard)
            continue;
        uint64_t bits = guard->value << bx_cat_fields(m->t->catalog)[guard->field].lo;
        bx_maker_put(m, seat, guard->reg, (bx_put){.bits = bits, .steady = !bx_takes_turns(seat)});
    }
}

void bx_slots_write(bx_maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, seat, regs);
    for (size_t i = 0; i < n; i++)
        if (!is_guard(m, regs[i].reg))
            put_owned(m, seat, regs[i]);
}

void bx_slots_write_guard(bx_maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, seat, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *guard = bx_slots_guard_of(m->t, regs[i].reg);
        if (is_guard(m, regs[i].reg))
            put_owned(m, seat, regs[i]);
        if (guard) /* which is as it was again, but for what events own of it */
            put_owned(m, seat, (bx_regvalue){.reg = guard->reg});
    }
}

bool bx_slots_guards(const bx_maker *m, const bx_seat *seat, unsigned reg)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = shared_of(m, seat, regs);
    for (size_t i = 0; i < n; i++) {
        const bx_cat_cond *guard = bx_slots_guard_of(m->t, regs[i].reg);
        if (guard && guard->reg == reg)
            return true;
    }
    return false;
}
