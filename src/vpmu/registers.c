#include "vpmu/inside.h"

bx_vrules bx_vpmu_rules(const struct bx_catalog *c, const bx_cat_reg *reg)
{
    bx_vrules rules = {.locked = true, .extends = reg->extends};
    for (unsigned i = 0; i < reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[reg->fields.first + i];
        uint64_t mask = bx_mask_bits(f->lo, f->hi);
        rules.known |= mask;
        rules.locked &= f->kind == BX_FIELD_RO;
        switch (f->kind) {
        case BX_FIELD_RW:
            rules.stored |= mask;
            break;
        case BX_FIELD_WO:
            *(f->resets ? &rules.acts : &rules.stored) |= mask;
            rules.hidden |= mask;
            break;
        case BX_FIELD_W1C:
            rules.clears |= mask;
            break;
        case BX_FIELD_IGNORED:
            rules.hidden |= mask;
            break;
        case BX_FIELD_FIXED:
            rules.fixed |= mask;
            rules.fixed_value |= f->fixed << f->lo & mask;
            break;
        default: /* read-only */
            break;
        }
    }
    return rules;
}

/* Every bit as it stands, the count of a counter included. */
static uint64_t content(bx_vpmu *v, const bx_vreg *r)
{
    if (r->counter == BX_NONE)
        return r->value;
    bx_vcounter *c = &v->counters[r->counter];
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->value_field];
    return bx_bits_set(r->value, f->lo, f->hi, bx_vpmu_count(v, c));
}

uint64_t bx_vpmu_read_reg(bx_vpmu *v, const bx_vreg *r)
{
    const bx_vrules *rules = r->rules;
    return (content(v, r) & ~(rules->hidden | rules->fixed)) | rules->fixed_value;
}

/* SDM volume 3, P6 family: a write takes 32 bits of a counter, those above are copies of the top
 * one.
 */
static uint64_t extended(const bx_vrules *rules, uint64_t value)
{
    uint64_t low = bx_mask_width(rules->extends + 1U);
    if (rules->extends == 0)
        return value;
    return value >> rules->extends & 1 ? value | ~low : value & low;
}

static void retune_all(bx_vpmu *v, const bx_vreg *r, uint64_t now)
{
    for (unsigned i = r->first; i < r->end; i++)
        bx_vpmu_retune(v, &v->counters[i], now);
}

static void reset_control(bx_vpmu *v, bx_vcounter *c)
{
    uint16_t control = c->facts->control;
    if (control == BX_NONE)
        return;
    bx_vreg *r = bx_vpmu_reg_of(v, c, control);
    r->value = bx_cat_regs(v->topology.catalog)[control].reset;
    retune_all(v, r, v->signals->now(v->signals));
}

static bool is_control_of(const bx_vpmu *v, const bx_vreg *r, const bx_vcounter *c)
{
    return c->facts->control != BX_NONE && bx_vpmu_reg_of(v, c, c->facts->control) == r;
}

/* A bit of a register that resets: of the counters that it steers, those of its own unit. */
static void reset_by(bx_vpmu *v, const bx_vreg *r, const bx_cat_field *f)
{
    for (unsigned i = r->first; i < r->end; i++) {
        bx_vcounter *c = &v->counters[i];
        if (f->resets == BX_RESETS_CONTROLS)
            reset_control(v, c);
        else if (f->resets == BX_RESETS_COUNTERS || is_control_of(v, r, c))
            bx_vpmu_set_count(v, c, 0);
    }
}

static void act(bx_vpmu *v, const bx_vreg *r, uint64_t bits)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_reg *reg = &bx_cat_regs(cat)[r->rules - v->rules];
    for (unsigned i = 0; i < reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(cat)[reg->fields.first + i];
        if (f->resets && bits & bx_mask_bits(f->lo, f->hi))
            reset_by(v, r, f);
    }
}

bool bx_vpmu_write_reg(bx_vpmu *v, bx_vreg *r, uint64_t value, uint64_t which)
{
    const bx_vrules *rules = r->rules;
    if (rules->locked || (value & which & ~rules->known) ||
        ((value ^ rules->fixed_value) & which & rules->fixed))
        return false;
    uint64_t old = content(v, r), stored = rules->stored & which,
             bits = value & which & rules->acts;
    value = extended(rules, value);
    uint64_t new = ((old & ~stored) | (value & stored)) & ~(value & which & rules->clears);
    if (r->counter != BX_NONE) {
        bx_vcounter *c = &v->counters[r->counter];
        const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->value_field];
        if (stored & bx_mask_bits(f->lo, f->hi))
            bx_vpmu_set_count(v, c, bx_bits_get(new, f->lo, f->hi));
    }
    if (new != r->value) {
        r->value = new;
        retune_all(v, r, v->signals->now(v->signals));
    }
    if (bits)
        act(v, r, bits);
    return true;
}

static bx_vreg *holder(const bx_vpmu *v, const bx_cat_field *f, unsigned cpu)
{
    return bx_vpmu_at(v, v->slots[f->reg], cpu);
}

uint64_t bx_vpmu_get(const bx_vpmu *v, uint16_t field, unsigned cpu)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    return bx_bits_get(holder(v, f, cpu)->value, f->lo, f->hi);
}

void bx_vpmu_clear(bx_vpmu *v, uint16_t field, unsigned cpu, uint64_t now)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    bx_vreg *r = holder(v, f, cpu);
    r->value &= ~bx_mask_bits(f->lo, f->hi);
    retune_all(v, r, now);
}
