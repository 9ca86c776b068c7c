/* Describes PMUs, events and attributes. */
#include "pfm/attributes.h"
#include "pfm/calls.h"
#include "pfm/installed.h"
#include "pfm/sized.h"

static int count_events(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    int n = 0;
    unsigned event = bx_pfmlib_event_from(s, p, bx_pfmlib_facts(s, p)->events.first);
    for (; event != BX_NONE; event = bx_pfmlib_event_from(s, p, event + 1))
        n++;
    return n;
}

static int count_counters(const struct bx_catalog *c, const bx_cat_pmu *pmu, bool fixed)
{
    int n = 0;
    for (unsigned i = 0; i < pmu->counters.n; i++)
        n += !!(bx_cat_counters(c)[pmu->counters.first + i].flags & BX_COUNTER_FIXED) == fixed;
    return n;
}

/* The number of code words of an event: its control register, and each register that modifiers
 * share. */
static int most_words(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    int n = 1;
    for (unsigned i = 0; i < pmu->regs.n; i++)
        n += !!(bx_cat_regs(c)[pmu->regs.first + i].flags & BX_REG_SHARED);
    return n;
}

/* Who answers for an event of a PMU that this library does not have. NULL: nobody. */
static const bx_pfmlib_installed *other_for(const bx_pfmlib_state *s, int idx)
{
    bool ours = idx < 0 || bx_pfmlib_by_id(s, idx >> BX_PFMLIB_EVENT_BITS);
    return ours ? NULL : bx_pfmlib_installed_get();
}

int pfm_get_pmu_info(int id, bx_pfmlib_pmu_info *info)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    if (!s)
        return BX_PFMLIB_NOINIT;
    if (id < 0 || id >= BX_PFMLIB_PMU_MAX || !info)
        return BX_PFM_INVAL;
    const bx_pfmlib_pmu *p = bx_pfmlib_by_id(s, id);
    const bx_pfmlib_installed *other = p ? NULL : bx_pfmlib_installed_get();
    if (!p)
        return other ? other->get_pmu_info(id, info) : BX_PFMLIB_NOTSUPP;
    if (!bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    const bx_cat_pmu *facts = bx_pfmlib_facts(s, p);
    uint16_t first = bx_pfmlib_event_from(s, p, facts->events.first);
    bx_pfmlib_pmu_info own = {
        .name = p->name,
        .desc = p->desc,
        .size = sizeof own,
        .pmu = id,
        .type = bx_pfmlib_uncore(s, p) ? BX_PFMLIB_TYPE_UNCORE : BX_PFMLIB_TYPE_CORE,
        .nevents = count_events(s, p),
        .first_event = first == BX_NONE ? -1 : bx_pfmlib_idx(s, p, first),
        .max_encoding = most_words(s->catalog, facts),
        .num_cntrs = count_counters(s->catalog, facts, false),
        .num_fixed_cntrs = count_counters(s->catalog, facts, true),
        .is_present = p->active,
    };
    *info = own;
    return BX_PFM_SUCCESS;
}

int pfm_get_event_next(int idx)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *p;
    const bx_pfmlib_installed *other = s ? other_for(s, idx) : NULL;
    if (other)
        return other->get_event_next(idx);
    uint16_t event = s ? bx_pfmlib_event(s, idx, &p) : BX_NONE;
    if (event == BX_NONE)
        return -1;
    uint16_t next = bx_pfmlib_event_from(s, p, event + 1U);
    return next == BX_NONE ? -1 : bx_pfmlib_idx(s, p, next);
}

int pfm_get_event_info(int idx, int os, bx_pfmlib_event_info *info)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *p;
    if (!s)
        return BX_PFMLIB_NOINIT;
    const bx_pfmlib_installed *other = other_for(s, idx);
    if (other)
        return other->get_event_info(idx, os, info);
    uint16_t event = bx_pfmlib_event(s, idx, &p);
    if (os < 0 || os >= BX_PFMLIB_OS_MAX || !info || event == BX_NONE)
        return BX_PFM_INVAL;
    if (!bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    const bx_cat_event *e = &bx_cat_events(s->catalog)[event];
    bx_pfmlib_event_info own = {
        .name = bx_cat_z(s->catalog, e->libpfm ? e->libpfm : e->name),
        .desc = bx_cat_z(s->catalog, e->title),
        .size = sizeof own,
        .code = e->code,
        .pmu = p->id,
        .dtype = BX_PFMLIB_DTYPE_UINT64,
        .idx = idx,
        .nattrs = bx_pfmlib_attributes(s, p, event, os, -1, NULL),
    };
    *info = own;
    return BX_PFM_SUCCESS;
}

int pfm_get_event_attr_info(int idx, int attr, int os, bx_pfmlib_attr_info *info)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *p;
    if (!s)
        return BX_PFMLIB_NOINIT;
    const bx_pfmlib_installed *other = other_for(s, idx);
    if (other)
        return other->get_event_attr_info(idx, attr, os, info);
    uint16_t event = bx_pfmlib_event(s, idx, &p);
    if (os < 0 || os >= BX_PFMLIB_OS_MAX || !info || event == BX_NONE || attr < 0)
        return BX_PFM_INVAL;
    bx_pfmlib_attr_info own = {0};
    if (!bx_pfmlib_sized(info, info->size, sizeof *info) ||
        attr >= bx_pfmlib_attributes(s, p, event, os, attr, &own))
        return BX_PFM_INVAL;
    own.size = sizeof own;
    own.idx = attr;
    *info = own;
    return BX_PFM_SUCCESS;
}

/* The catalogue compiler has checked the tables (src/compile/check/check.c). This checks only that
 * the PMU can be reached through libpfm4's identifiers. */
int pfm_pmu_validate(int id, FILE *to)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    const bx_pfmlib_pmu *p = s && to ? bx_pfmlib_by_id(s, id) : NULL;
    const bx_pfmlib_installed *other = s && to && !p ? bx_pfmlib_installed_get() : NULL;
    if (!p)
        return other ? other->pmu_validate(id, to) : BX_PFM_INVAL;
    if (count_events(s, p) > 0)
        return BX_PFM_SUCCESS;
    fprintf(to, "%s: it has no events\n", p->name);
    return BX_PFM_INVAL;
}
