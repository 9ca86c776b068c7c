/* Actions at times of their own: overflows, and ends of injected signals. */
#include "vpmu/internal.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_due(const bx_vpmu *v)
{
    uint64_t due = bx_vpmu_injection_due(v);
    for (unsigned i = 0; i < v->counter_count; i++) {
        const bx_vcounter *c = &v->counters[i];
        due = least(due, least(c->arrives, least(c->overflow, c->recheck)));
    }
    return due;
}

/* Counters stop and signals end exactly at `now`: the cycle that overflowed counts in full. */
static void process(bx_vpmu *v, uint64_t now)
{
    bx_vpmu_process_overflows(v, now);
    bx_vpmu_deliver_requests(v, now);
    if (bx_vpmu_remove_injections(v, now))
        bx_vpmu_set_injected(v, now);
    v->due = next_due(v);
    v->rescheduled = false;
    bx_vpmu_send_interrupts(v);
}

void bx_vpmu_set_alarm(bx_vpmu *v)
{
    if (!v->rescheduled) /* most writes change no time, and there are many counters */
        return;
    uint64_t due = next_due(v);
    v->rescheduled = false;
    if (due == v->due)
        return;
    v->due = due;
    v->signals->set_alarm(v->signals, due);
}

uint64_t bx_vpmu_alarm(struct bx_watcher *w, uint64_t now)
{
    bx_vpmu *v = bx_vpmu_of_watcher(w);
    while (v->due <= now)
        process(v, v->due);
    return v->due;
}

void bx_vpmu_catch_up(bx_vpmu *v)
{
    if (v->due == BX_NEVER || v->due > v->signals->now(v->signals))
        return;
    bx_vpmu_alarm(&v->watcher, v->signals->now(v->signals));
    v->signals->set_alarm(v->signals, v->due);
}

void bx_vpmu_on_pmi(bx_vpmu *v, bx_pmi_fn *fn, void *context)
{
    v->pmi = fn;
    v->pmi_context = context;
}

void bx_vpmu_sleep(bx_vpmu *v, unsigned cpu, bool asleep)
{
    if (cpu < v->cpus)
        v->asleep[cpu] = asleep;
}

bool bx_vpmu_asleep(const bx_vpmu *v, unsigned cpu)
{
    return cpu < v->cpus && v->asleep[cpu];
}
