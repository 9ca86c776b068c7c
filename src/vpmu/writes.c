/* What a write does: to the bits of its register, to a count, and besides: resets, and clearing of
 * bits in other registers. */
#include "vpmu/internal.h"

/* ---- counts ---- */

/* Sets the sum. A counter that was stopped by an overflow counts again. */
static void set_sum(bx_vpmu *v, bx_vcounter *c, uint64_t sum)
{
    uint64_t now = v->signals->now(v->signals);
    bx_vpmu_advance(v, c, now);
    c->base = sum & bx_vpmu_mask(c);
    if (c->stopped) {
        c->stopped = false;
        bx_vpmu_reconfigure(v, c, now);
    }
    bx_vpmu_update_watch(v, c, now);
}

static void set_count(bx_vpmu *v, bx_vcounter *c, uint64_t value)
{
    bx_vpmu_advance(v, c, v->signals->now(v->signals));
    set_sum(v, c, value << c->shift | (c->base & bx_mask_width(c->shift)));
}

static void zero(bx_vpmu *v, bx_vcounter *c)
{
    set_sum(v, c, 0);
}

/* ---- effects ---- */

static bool is_control_of(const bx_vpmu *v, const bx_vreg *r, const bx_vcounter *c)
{
    return c->facts->control != BX_NONE && bx_vpmu_reg_of(v, c, c->facts->control) == r;
}

static void reset_control(bx_vpmu *v, bx_vcounter *c)
{
    uint16_t control = c->facts->control;
    if (control == BX_NONE)
        return;
    bx_vreg *r = bx_vpmu_reg_of(v, c, control);
    r->value = bx_cat_regs(v->topology.catalog)[control].reset;
    bx_vpmu_reconfigure_by(v, r, v->signals->now(v->signals));
}

/* Executes a reset bit of a register: resets the affected counters that the bit is for. */
static void reset_by(bx_vpmu *v, const bx_vreg *r, const bx_cat_field *f)
{
    for (unsigned i = r->first; i < r->end; i++) {
        bx_vcounter *c = &v->counters[i];
        if (f->resets == BX_RESETS_CONTROLS)
            reset_control(v, c);
        else if (f->resets != BX_RESETS_COUNTER || is_control_of(v, r, c))
            zero(v, c);
    }
}

static void reset_tally(bx_vpmu *v, const bx_vreg *r, uint16_t field)
{
    for (unsigned i = r->first; i < r->end; i++)
        if (v->counters[i].facts->tally == field && is_control_of(v, r, &v->counters[i]))
            bx_vpmu_reset_tally(v, &v->counters[i]);
}

static void write_effects(bx_vpmu *v, const bx_vreg *r, uint64_t bits)
{
    const struct bx_catalog *cat = v->topology.catalog;
    bx_span fields = bx_vpmu_facts_of(v, r)->fields;
    bx_clearing one;
    for (unsigned i = 0; bx_register_next_clearing(cat, r->reg, &i, &one);)
        if (bits & one.by)
            bx_vpmu_reg_of_unit(v, r, one.status)->value &= ~one.bits;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(cat)[i];
        if (bits & bx_cat_field_mask(f) && f->resets)
            reset_by(v, r, f);
        else if (bits & bx_cat_field_mask(f) && f->clears == BX_NONE)
            reset_tally(v, r, i);
    }
}

/* ---- the write ---- */

/* Whether a write faults because its precondition is not met. */
static bool precondition_fails(const bx_vpmu *v, const bx_vreg *r)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_reg *facts = bx_vpmu_facts_of(v, r);
    if (!facts || !(facts->flags & BX_REG_FAULTS))
        return false;
    const bx_cat_cond *cond = bx_register_precondition(cat, r->reg);
    return !bx_condition_holds(cat, cond, bx_vpmu_reg_of_unit(v, r, cond->reg)->value);
}

bool bx_vpmu_write_reg(bx_vpmu *v, bx_vreg *r, uint64_t value, uint64_t which)
{
    const bx_cat_reg *facts = bx_vpmu_facts_of(v, r);
    if (bx_bits_refuse(r->bits, value & which) || precondition_fails(v, r))
        return false;
    uint64_t new =
        bx_bits_written(r->bits, facts ? facts->extends : 0, bx_vpmu_content(v, r), value, which);
    if (r->counter != BX_NONE) {
        bx_vcounter *c = &v->counters[r->counter];
        const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->value_field];
        if (bx_bits_kept(r->bits) & which & bx_mask_bits(f->lo, f->hi))
            set_count(v, c, bx_bits_get(new, f->lo, f->hi));
    }
    if (r->bits->runs)
        new = bx_vpmu_after(r->bits, new, -v->signals->now(v->signals));
    if (new != r->value) {
        r->value = new;
        bx_vpmu_reconfigure_by(v, r, v->signals->now(v->signals));
    }
    if (value & which & r->bits->effects)
        write_effects(v, r, value & which & r->bits->effects);
    return true;
}
