/* Where things are: the look-up of registers by address, the PMUs and their units. */
#include "vpmu/internal.h"

static unsigned hash(const bx_vpmu *v, uint64_t key)
{
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - v->mapping_bits));
}

/* The mapping of a key, or the free entry for it. */
static bx_vmapping *probe(const bx_vpmu *v, uint64_t key)
{
    unsigned at = hash(v, key);
    while (v->mappings[at].key && v->mappings[at].key != key)
        at = (at + 1) & (unsigned)bx_mask_width(v->mapping_bits);
    return &v->mappings[at];
}

const bx_vmapping *bx_vpmu_find(const bx_vpmu *v, uint64_t key)
{
    const bx_vmapping *mapping = probe(v, key);
    return mapping->key ? mapping : NULL;
}

void bx_vpmu_map(bx_vpmu *v, uint64_t key, bx_vlocation at, unsigned cpu, unsigned shift)
{
    bx_vmapping *mapping = probe(v, key);
    if (!mapping->key)
        *mapping = (bx_vmapping){key, at, (uint16_t)cpu, (uint8_t)shift};
}

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
