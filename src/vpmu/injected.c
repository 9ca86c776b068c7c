/* The levels of injected signals that counters see. */
#include "vpmu/internal.h"

/* Whether the code means another event on the counter that the signal names. */
static bool means_another(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *what)
{
    const struct bx_catalog *cat = v->topology.catalog;
    uint16_t pmu = c->facts->pmu;
    uint16_t here = bx_cat_event_by_code_on(cat, pmu, what->code, UINT32_C(1) << c->facts->index);
    uint16_t there = bx_cat_event_by_code_on(cat, pmu, what->code, UINT32_C(1) << what->counter);
    return here != BX_NONE && there != BX_NONE && here != there;
}

/* Whether a counter selects the signal. A fixed counter selects nothing. In a unit without
 * selectable events it counts every signal; elsewhere its nominal code is compared, as for a
 * free-running counter. */
static bool selects(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *selected,
                    const bx_selection *what)
{
    bool any = (c->facts->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE)) == BX_COUNTER_FIXED &&
               bx_cat_pmus(v->topology.catalog)[c->facts->pmu].select_event == BX_NONE;
    return selected->code != BX_NONE && selected->package == what->package &&
           selected->box == what->box && selected->unit == what->unit &&
           selected->port == what->port &&
           (any || (selected->code == what->code && selected->umask == what->umask)) &&
           !means_another(v, c, what) && bx_vpmu_lets_through(v, c, selected, what);
}

uint64_t bx_vpmu_injected(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *selected)
{
    uint64_t level = 0;
    for (unsigned i = 0; i < v->injection_count; i++)
        if (selects(v, c, selected, &v->injections[i].what))
            level += v->injections[i].level;
    return level;
}

uint64_t bx_vpmu_injection_due(const bx_vpmu *v)
{
    uint64_t due = BX_NEVER;
    for (unsigned i = 0; i < v->injection_count; i++)
        if (v->injections[i].end < due)
            due = v->injections[i].end;
    return due;
}

bool bx_vpmu_remove_injections(bx_vpmu *v, uint64_t now)
{
    unsigned n = 0;
    for (unsigned i = 0; i < v->injection_count; i++)
        if (v->injections[i].end > now)
            v->injections[n++] = v->injections[i];
    bool any = n < v->injection_count;
    v->injection_count = n;
    return any;
}
