/* Signals that a caller raises in addition to those of the model. */
#include "vpmu/internal.h"

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
    v->rescheduled = true;
    bx_vpmu_set_injected(v, now);
    bx_vpmu_set_alarm(v);
    return BX_OK;
}

void bx_vpmu_withdraw(bx_vpmu *v)
{
    bx_vpmu_catch_up(v);
    v->injection_count = 0;
    v->rescheduled = true;
    bx_vpmu_set_injected(v, v->signals->now(v->signals));
    bx_vpmu_set_alarm(v);
}

void bx_vpmu_fall(bx_vpmu *v)
{
    bx_vpmu_catch_up(v);
    uint64_t now = v->signals->now(v->signals);
    for (unsigned i = 0; i < v->counter_count; i++)
        bx_vpmu_rearm(v, &v->counters[i], now);
    bx_vpmu_set_alarm(v);
}
