/* The bits of registers, and what reads of them see. */
#include "vpmu/internal.h"

/* The value after a number of cycles, which may be negative: adds them to its running bits. */
uint64_t bx_vpmu_after(const bx_cat_bits *bits, uint64_t value, uint64_t cycles)
{
    uint64_t lowest = bits->runs & -bits->runs;
    return (value & ~bits->runs) | ((value + lowest * cycles) & bits->runs);
}

/* The present value of all bits, also of a counter's count. */
uint64_t bx_vpmu_content(bx_vpmu *v, const bx_vreg *r)
{
    if (r->bits->runs)
        return bx_vpmu_after(r->bits, r->value, v->signals->now(v->signals));
    if (r->counter == BX_NONE)
        return r->value;
    bx_vcounter *c = &v->counters[r->counter];
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->value_field];
    return bx_bits_set(r->value, f->lo, f->hi, bx_vpmu_count(v, c));
}

/* ---- other registers ---- */

const bx_cat_reg *bx_vpmu_facts_of(const bx_vpmu *v, const bx_vreg *r)
{
    return r->reg == BX_NONE ? NULL : &bx_cat_regs(v->topology.catalog)[r->reg];
}

/* The block of r, and its index there. */
static bx_vreg *block_of(const bx_vpmu *v, const bx_vreg *r, uint32_t *index)
{
    bool of_cpu = v->locations[r->reg].of_cpu;
    const bx_vblock *all = of_cpu ? &v->cpu_block : &v->package_block;
    uint32_t at = (uint32_t)(r - v->regs);
    *index = (at - all->first) % all->size;
    return &v->regs[at - *index];
}

/* The index of the unit, in its PMU, that the register belongs to. */
static uint32_t unit_of(const bx_vpmu *v, const bx_vreg *r)
{
    uint32_t index;
    block_of(v, r, &index);
    return index - v->locations[r->reg].index;
}

bx_vreg *bx_vpmu_reg_of_unit(const bx_vpmu *v, const bx_vreg *r, uint16_t reg)
{
    const struct bx_catalog *c = v->topology.catalog;
    uint32_t index;
    bx_vreg *block = block_of(v, r, &index);
    uint16_t pmu = bx_cat_regs(c)[r->reg].pmu;
    return &block[v->locations[reg].index + bx_register_unit(c, reg, pmu, unit_of(v, r))];
}

/* ---- reading ---- */

static bool anything_set(bx_vpmu *v, const bx_vreg *r, const bx_cat_gather *g)
{
    uint32_t index;
    const bx_vreg *block = block_of(v, r, &index);
    uint16_t pmu = bx_cat_regs(v->topology.catalog)[g->reg].pmu;
    unsigned units = bx_topology_units(&v->topology, pmu);
    for (unsigned unit = 0; unit < units; unit++)
        if (g->units >> unit & 1 && bx_vpmu_read_reg(v, &block[v->locations[g->reg].index + unit]))
            return true;
    return false;
}

/* The bits of r that summarise registers of other units, and that are set now. */
static uint64_t gathered(bx_vpmu *v, const bx_vreg *r)
{
    const struct bx_catalog *cat = v->topology.catalog;
    const bx_cat_reg *reg = bx_vpmu_facts_of(v, r);
    uint32_t unit = unit_of(v, r);
    uint64_t bits = 0;
    for (unsigned i = 0; i < reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(cat)[reg->fields.first + i];
        for (unsigned k = 0; k < f->gathers.n; k++) {
            const bx_cat_gather *g = &bx_cat_gathers(cat)[f->gathers.first + k];
            if (g->unit == unit && anything_set(v, r, g))
                bits |= bx_mask_bits(f->lo, f->hi);
        }
    }
    return bits;
}

uint64_t bx_vpmu_read_reg(bx_vpmu *v, const bx_vreg *r)
{
    uint64_t value = bx_vpmu_content(v, r);
    if (r->bits->gathers)
        value |= gathered(v, r);
    return value & ~r->bits->hidden;
}

static bx_vreg *holder(const bx_vpmu *v, const bx_cat_field *f, unsigned cpu)
{
    return bx_vpmu_at(v, v->locations[f->reg], cpu);
}

uint64_t bx_vpmu_get(const bx_vpmu *v, uint16_t field, unsigned cpu)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    return bx_bits_get(holder(v, f, cpu)->value, f->lo, f->hi);
}

void bx_vpmu_set(const bx_vpmu *v, uint16_t field, unsigned cpu)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    holder(v, f, cpu)->value |= bx_mask_bits(f->lo, f->hi);
}
