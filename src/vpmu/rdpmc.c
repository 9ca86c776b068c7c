/* The instruction RDPMC, which reads a core's counters. */
#include "vpmu/internal.h"

#include <errno.h>

/* The number of a counter for RDPMC. Fixed counters have bit 30 and numbers of their own (SDM
 * volume 2, RDPMC). */
static uint32_t rdpmc_number(const struct bx_catalog *c, const bx_cat_counter *counter)
{
    enum { FIXED = 1 << 30 };
    const bx_cat_counter *all = &bx_cat_counters(c)[bx_cat_pmus(c)[counter->pmu].counters.first];
    uint32_t number = 0;
    if (!(counter->flags & BX_COUNTER_FIXED))
        return counter->index;
    for (unsigned i = 0; i < counter->index; i++)
        number += all[i].flags & BX_COUNTER_FIXED ? 1 : 0;
    return FIXED | number;
}

/* RDPMC reads the counters of the executing core by number, never those of the uncore, and none
 * that no processor has. */
static bx_vcounter *core_counter(bx_vpmu *v, unsigned cpu, uint32_t index)
{
    const bx_cat_pmu *pmus = bx_cat_pmus(v->topology.catalog);
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        const bx_cat_pmu *pmu = &pmus[c->facts->pmu];
        if (c->cpu == cpu && pmu->scope != BX_SCOPE_PACKAGE && !pmu->only_virtual &&
            rdpmc_number(v->topology.catalog, c->facts) == index)
            return c;
    }
    return NULL;
}

/* The privilege level of code: 0 in real mode, 3 in virtual-8086 mode, for any cpl. */
static unsigned level_in(enum bx_cpu_mode mode, unsigned cpl)
{
    return mode == BX_MODE_REAL ? 0 : mode == BX_MODE_V86 ? 3 : cpl;
}

int bx_vpmu_rdpmc(bx_vpmu *v, unsigned cpu, uint32_t ecx, unsigned cpl, bool pce,
                  enum bx_cpu_mode mode, uint64_t *value)
{
    if (cpu >= v->cpus)
        return ENXIO;
    bx_vcounter *c = core_counter(v, cpu, ecx);
    if (!c || (level_in(mode, cpl) > 0 && !pce))
        return EIO;
    bx_vpmu_catch_up(v);
    bx_vpmu_note_read(v, c);
    *value = bx_vpmu_count(v, c);
    return 0;
}
