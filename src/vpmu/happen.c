#include "vpmu/inside.h"

static bool is_own(const bx_vpmu *v, const bx_vcounter *c)
{
    return bx_cat_pmus(v->topology.catalog)[c->facts->pmu].scope != BX_SCOPE_PACKAGE;
}

/* Counters whose count has carried out of its width by now. */
static void overflows(bx_vpmu *v, uint64_t now)
{
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        if (c->overflow > now)
            continue;
        bx_vpmu_pass_overflow(v, c, now);
        if (c->facts->overflow != BX_NONE) {
            const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->overflow];
            bx_vpmu_reg_of(v, c, f->reg)->value |= bx_mask_bits(f->lo, f->hi);
        }
        if (is_own(v, c))
            v->own[c->cpu] = true;
        else
            v->requested[c->sees.package] = true;
    }
}

/* 334060-001 table 2-2, FRZ_ON_PMI: the request itself freezes, whichever cores it is sent to. */
static void freeze(bx_vpmu *v, unsigned package, uint64_t now)
{
    unsigned cpu = package * v->topology.cores;
    if (v->cpu->freeze != BX_NONE && bx_vpmu_get(v, v->cpu->freeze, cpu))
        bx_vpmu_clear(v, v->cpu->freezes, cpu, now);
}

static void send(bx_vpmu *v, unsigned cpu)
{
    v->asleep[cpu] = false;
    if (v->pmi)
        v->pmi(v->pmi_context, cpu);
}

/* Table 2-2, PMI_SEL_CORE and WAKE_ON_PMI: selected cores get it, sleeping ones only if woken. The
 * requests of one cycle are one interrupt. */
static void interrupt(bx_vpmu *v, unsigned package)
{
    unsigned first = package * v->topology.cores;
    bool wakes = v->cpu->wake != BX_NONE && bx_vpmu_get(v, v->cpu->wake, first);
    uint64_t cores = 0;
    for (unsigned i = 0; i < v->cpu->pmi.n && i < v->topology.cores; i++)
        if (bx_vpmu_get(v, (uint16_t)(v->cpu->pmi.first + i), first))
            cores |= UINT64_C(1) << i;
    /* The handler may write registers: what it changes does not touch this interrupt. */
    for (unsigned i = 0; i < v->topology.cores && i < 64; i++)
        if (cores >> i & 1 && (wakes || !v->asleep[first + i]))
            send(v, first + i);
}

static uint64_t next_due(const bx_vpmu *v)
{
    uint64_t due = bx_vpmu_injection_due(v);
    for (unsigned i = 0; i < v->counter_count; i++)
        if (v->counters[i].overflow < due)
            due = v->counters[i].overflow;
    return due;
}

/* Counters stop and signals end exactly at `now`: the cycle that overflowed counts in full. */
static void happen(bx_vpmu *v, uint64_t now)
{
    overflows(v, now);
    for (unsigned p = 0; p < v->topology.packages; p++)
        if (v->requested[p])
            freeze(v, p, now);
    bx_vpmu_end_injections(v, now);
    v->due = next_due(v);
    for (unsigned p = 0; p < v->topology.packages; p++) {
        if (!v->requested[p])
            continue;
        v->requested[p] = false;
        interrupt(v, p);
    }
    /* A core's own counters go to its local APIC, whose interrupts wake it. */
    for (unsigned cpu = 0; cpu < v->cpus; cpu++) {
        if (!v->own[cpu])
            continue;
        v->own[cpu] = false;
        send(v, cpu);
    }
}

void bx_vpmu_arm(bx_vpmu *v)
{
    uint64_t due = next_due(v);
    if (due == v->due)
        return;
    v->due = due;
    v->signals->set_alarm(v->signals, due);
}

uint64_t bx_vpmu_alarm(struct bx_watcher *w, uint64_t now)
{
    bx_vpmu *v = bx_vpmu_of_watcher(w);
    while (v->due <= now)
        happen(v, v->due);
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
