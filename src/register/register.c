/* Addresses of registers, and the conditions of counting. */
#include "register/register.h"

#include "register/map.h"

#include <string.h>

bool bx_register_address_parse(bx_str text, uint64_t *address)
{
    char hex[18] = "0x";
    if (bx_str_u64(text, address))
        return true;
    if (text.n < 2 || text.n > 9 || bx_lower(text.p[text.n - 1]) != 'h')
        return false;
    memcpy(hex + 2, text.p, text.n - 1);
    return bx_str_u64((bx_str){hex, text.n + 1}, address);
}

uint16_t bx_register_package_at(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                uint64_t address)
{
    uint64_t first = bx_register_offset(c, reg, unit);
    uint32_t stride = bx_cat_regs(c)[reg].package_stride;
    if (address == first)
        return 0;
    if (!stride || address < first || address >= BX_MAP_PCI_ADDRESSES || (address - first) % stride)
        return UINT16_MAX;
    return (uint16_t)((address - first) / stride);
}

int bx_counter_is_enabled(const struct bx_catalog *c, const bx_cat_counter *counter, unsigned unit,
                          bx_register_read_call *read, const void *of, bool *enabled)
{
    int err = 0;
    bool levels = false, level = false;
    *enabled = true;
    for (unsigned i = 0; !err && *enabled && i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + i];
        uint64_t value = 0;
        err = read(of, cond->reg, bx_register_unit(c, cond->reg, counter->pmu, unit), &value);
        bool holds = !err && bx_condition_holds(c, cond, value);
        bool is_level = bx_condition_is_level(counter, cond);
        levels |= is_level;
        level |= is_level && holds;
        *enabled = !err && (is_level || holds);
    }
    *enabled &= level || !levels;
    return err;
}

unsigned bx_register_resets(const struct bx_catalog *c, unsigned reg, uint64_t value)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    unsigned resets = 0;
    for (unsigned i = fields.first; i < (unsigned)fields.first + fields.n; i++)
        if (value & bx_cat_field_mask(&bx_cat_fields(c)[i]))
            resets |= 1U << bx_cat_fields(c)[i].resets;
    return resets & ~(1U << BX_RESETS_NOTHING);
}

bool bx_register_next_clearing(const struct bx_catalog *c, unsigned reg, unsigned *i,
                               bx_clearing *to)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    while (*i < fields.n) {
        const bx_cat_field *f = &bx_cat_fields(c)[fields.first + (*i)++];
        if (f->clears == BX_NONE)
            continue;
        const bx_cat_field *cleared = &bx_cat_fields(c)[f->clears];
        *to = (bx_clearing){bx_cat_field_mask(f), cleared->reg, bx_cat_field_mask(cleared)};
        return true;
    }
    return false;
}

uint64_t bx_register_unused_bits(const struct bx_catalog *c, unsigned reg)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    return r->bits.reserved & bx_mask_width(r->space == BX_SPACE_MSR ? 64 : r->width);
}

const bx_cat_counter *bx_register_counter(const struct bx_catalog *c, unsigned reg)
{
    bx_span counters = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].counters;
    for (unsigned i = counters.first; i < (unsigned)counters.first + counters.n; i++)
        if (bx_cat_counters(c)[i].value == reg)
            return &bx_cat_counters(c)[i];
    return NULL;
}

bool bx_counter_depends_on(const struct bx_catalog *c, const bx_cat_counter *counter, unsigned reg)
{
    bool depends = counter->control == reg;
    for (unsigned i = 0; !depends && i < counter->counts.n; i++)
        depends = bx_cat_conds(c)[counter->counts.first + i].reg == reg;
    return depends;
}
