#include "vpmu/inside.h"

/* A fixed counter selects nothing and takes whatever its unit is given; free-running ones are told
 * apart by their nominal codes. */
static bool selects(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *what)
{
    bool any = (c->facts->flags & (BX_COUNTER_FIXED | BX_COUNTER_FREE)) == BX_COUNTER_FIXED;
    return c->sees.package == what->package && c->sees.box == what->box &&
           c->sees.unit == what->unit &&
           (any || (c->sees.code == what->code && c->sees.umask == what->umask)) &&
           bx_vpmu_lets_through(v, c, what);
}

uint64_t bx_vpmu_injected(const bx_vpmu *v, const bx_vcounter *c)
{
    uint64_t level = 0;
    for (unsigned i = 0; i < v->injection_count; i++)
        if (selects(v, c, &v->injections[i].what))
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

static void levels_changed(bx_vpmu *v, uint64_t now)
{
    for (unsigned i = 0; i < v->counter_count; i++)
        bx_vpmu_set_injected(v, &v->counters[i], bx_vpmu_injected(v, &v->counters[i]), now);
}

void bx_vpmu_end_injections(bx_vpmu *v, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < v->injection_count; i++)
        if (v->injections[i].end > now)
            v->injections[kept++] = v->injections[i];
    if (kept == v->injection_count)
        return;
    v->injection_count = kept;
    levels_changed(v, now);
}

int bx_vpmu_inject(bx_vpmu *v, const bx_selection *what, uint32_t level, uint64_t cycles,
                   bx_error *e)
{
    bx_vpmu_catch_up(v);
    uint64_t now = v->signals->now(v->signals);
    if (cycles >= BX_NEVER - now)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%llu cycles lead beyond the end of time",
                       (unsigned long long)cycles);
    if (v->injection_count == BX_VINJECTIONS)
        return bx_fail(e, BX_NO_FIT, 0, 0, "%d signals are being raised already", BX_VINJECTIONS);
    if (cycles == 0)
        return BX_OK;
    v->injections[v->injection_count++] = (bx_vinjection){*what, level, now + cycles};
    levels_changed(v, now);
    bx_vpmu_arm(v);
    return BX_OK;
}

void bx_vpmu_fall(bx_vpmu *v)
{
    bx_vpmu_catch_up(v);
    uint64_t now = v->signals->now(v->signals);
    for (unsigned i = 0; i < v->counter_count; i++)
        bx_vpmu_rearm(v, &v->counters[i], now);
    bx_vpmu_arm(v);
}
