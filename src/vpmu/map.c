/* Where things are: PMUs, their units, and registers by address. */
#include "vpmu/internal.h"

const bx_cat_pmu *bx_vpmu_pmu(const bx_vpmu *v, unsigned i)
{
    return &bx_cat_pmus(v->topology.catalog)[v->cpu->pmus.first + i];
}

unsigned bx_vpmu_units(const bx_vpmu *v, unsigned pmu)
{
    const bx_cat_pmu *p = bx_vpmu_pmu(v, pmu);
    if (p->scope == BX_SCOPE_CORE)
        return 1; /* the units of a core PMU are the cores */
    return p->scope == BX_SCOPE_PACKAGE
               ? bx_topology_units(&v->topology, (uint16_t)(v->cpu->pmus.first + pmu))
               : p->unit_max;
}

/* ---- registers by address ---- */

bx_vlocation *bx_vpmu_words_at(const bx_vpmu *v, const bx_cat_map_row *row)
{
    return &v->words[row - bx_map_rows(v->topology.catalog, v->topology.cpu)];
}

/* Whether the machine has the unit, and the package. */
static bool exists(const bx_vpmu *v, const bx_mapped *found)
{
    uint16_t reg = found->row ? found->row->reg : BX_NONE;
    return found->row && found->package < v->topology.packages &&
           (reg == BX_NONE ||
            found->row->unit <
                bx_vpmu_units(v, bx_cat_regs(v->topology.catalog)[reg].pmu - v->cpu->pmus.first));
}

/* A window also covers addresses without a register. */
static bx_mapped find_in_memory(const bx_vpmu *v, const bx_address *at, bool *absent)
{
    const struct bx_catalog *c = v->topology.catalog;
    const bx_cat_window *w;
    bx_mapped found = {0};
    for (unsigned i = 0; *absent && (w = bx_map_window(c, v->topology.cpu, i)); i++) {
        if (w->space != BX_SPACE_MMIO)
            continue;
        const bx_cat_field *f = &bx_cat_fields(c)[w->base];
        uint64_t offset = at->offset - (bx_vpmu_get(v->machine, w->base, at->cpu) << f->lo);
        *absent = offset > bx_mask_width(f->lo);
        found.row = *absent ? NULL : bx_map_row(c, w, offset);
        found.past = found.row ? offset - found.row->first : 0;
    }
    return found;
}

bx_vmapping bx_vpmu_find(const bx_vpmu *v, const bx_address *at, bool *absent)
{
    const struct bx_catalog *c = v->topology.catalog;
    bool in_memory = at->space == BX_SPACE_MMIO;
    bx_vmapping mapping = {.cpu = at->cpu};
    *absent = true;
    bx_mapped found = in_memory
                          ? find_in_memory(v, at, absent)
                          : bx_map_find(c, v->topology.cpu, at->space, at->offset, NULL, NULL);
    if (!exists(v, &found)) {
        bx_mapped function = {0};
        if (at->space == BX_SPACE_PCI)
            function = bx_map_function(c, v->topology.cpu, at->offset);
        *absent &= !exists(v, &function);
        return mapping;
    }
    *absent = false;
    const bx_cat_map_row *row = mapping.row = found.row;
    bool of_package = row->reg == BX_NONE ? row->function != BX_NONE
                                          : bx_cat_regs(c)[row->reg].package_stride != 0;
    if (of_package)
        mapping.cpu = (uint16_t)(found.package * v->topology.cores);
    if (row->reg != BX_NONE) {
        mapping.at = v->locations[row->reg];
        mapping.at.index += row->unit;
        mapping.shift = (uint8_t)(8 * found.past);
    } else {
        mapping.at = *bx_vpmu_words_at(v, row);
        mapping.at.index += (uint32_t)(at->space == BX_SPACE_MSR ? found.past : found.past / 4);
    }
    return mapping;
}
