/* Further effects of a write: resets, and clearing of bits in other registers. */
#include "vpmu/internal.h"

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
    for (unsigned i = r->first; i < r->end; i++)
        bx_vpmu_reconfigure(v, &v->counters[i], v->signals->now(v->signals));
}

/* Executes a reset bit of a register: resets the affected counters that the bit is for. */
static void reset_by(bx_vpmu *v, const bx_vreg *r, const bx_cat_field *f)
{
    for (unsigned i = r->first; i < r->end; i++) {
        bx_vcounter *c = &v->counters[i];
        if (f->resets == BX_RESETS_CONTROLS)
            reset_control(v, c);
        else if (f->resets != BX_RESETS_COUNTER || is_control_of(v, r, c))
            bx_vpmu_zero(v, c);
    }
}

static void clear_by(bx_vpmu *v, const bx_vreg *r, const bx_cat_field *f)
{
    const bx_cat_field *cleared = &bx_cat_fields(v->topology.catalog)[f->clears];
    bx_vpmu_reg_of_unit(v, r, cleared->reg)->value &= ~bx_mask_bits(cleared->lo, cleared->hi);
}

static void reset_tally(bx_vpmu *v, const bx_vreg *r, uint16_t field)
{
    for (unsigned i = r->first; i < r->end; i++)
        if (v->counters[i].facts->tally == field && is_control_of(v, r, &v->counters[i]))
            bx_vpmu_reset_tally(v, &v->counters[i]);
}

void bx_vpmu_write_effects(bx_vpmu *v, const bx_vreg *r, uint64_t bits)
{
    bx_span fields = bx_vpmu_facts_of(v, r)->fields;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[i];
        if (!(bits & bx_mask_bits(f->lo, f->hi)))
            continue;
        if (f->resets)
            reset_by(v, r, f);
        else if (f->clears != BX_NONE)
            clear_by(v, r, f);
        else
            reset_tally(v, r, i);
    }
}
