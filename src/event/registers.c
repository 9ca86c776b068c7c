/* Registers of a CPU model: found by address, and their bits. */
#include "base/bits.h"
#include "event/event.h"

uint64_t bx_field_of(const bx_cat_field *field, uint64_t value)
{
    return bx_bits_get(value, field->lo, field->hi);
}

uint64_t bx_register_invalid_bits(const struct bx_catalog *c, uint16_t reg, uint64_t value)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    uint64_t foreign = value;
    for (unsigned i = 0; i < fields.n; i++)
        foreign &= ~bx_cat_field_mask(&bx_cat_fields(c)[fields.first + i]);
    return foreign;
}

static bx_unit_register find_register(const struct bx_catalog *c, const bx_cat_pmu *pmu,
                                      unsigned space, uint64_t address)
{
    for (uint16_t reg = pmu->regs.first; reg < pmu->regs.first + pmu->regs.n; reg++) {
        const bx_cat_reg *r = &bx_cat_regs(c)[reg];
        for (uint16_t unit = 0; r->space == space && unit < pmu->unit_max; unit++)
            if (bx_cat_addrs(c)[r->first_addr + unit] == address)
                return (bx_unit_register){reg, unit};
    }
    return (bx_unit_register){BX_NONE, 0};
}

bx_unit_register bx_register_at(const struct bx_catalog *c, unsigned cpu, unsigned space,
                                uint64_t address)
{
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    bx_unit_register at = {BX_NONE, 0};
    for (unsigned i = 0; at.reg == BX_NONE && i < pmus.n; i++)
        at = find_register(c, &bx_cat_pmus(c)[pmus.first + i], space, address);
    return at;
}
