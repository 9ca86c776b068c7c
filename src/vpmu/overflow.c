/* The effects of an overflow: status bits, freeze, interrupts. */
#include "vpmu/internal.h"

static bool is_own(const bx_vpmu *v, const bx_vcounter *c)
{
    return bx_cat_pmus(v->topology.catalog)[c->facts->pmu].scope != BX_SCOPE_PACKAGE;
}

/* Sets the status bit. Returns whether it was already set. */
static bool set_status(bx_vpmu *v, const bx_vcounter *c)
{
    if (c->facts->overflow == BX_NONE)
        return false;
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[c->facts->overflow];
    bx_vreg *r = bx_vpmu_reg_of(v, c, f->reg);
    uint64_t bits = bx_mask_bits(f->lo, f->hi);
    bool was = r->value & bits;
    r->value |= bits;
    return was;
}

/* 323535-001 p86: if every overflow sets its bit, the counter makes no further request until the
 * bit is cleared. If the counter's last request is still on its way, a new one is merged with it.
 */
static void overflow(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bool was = set_status(v, c);
    if (v->cpu->changed != BX_NONE)
        bx_vpmu_set(v, v->cpu->changed, c->cpu);
    if (!c->config.interrupts || (was && c->facts->flags & BX_COUNTER_TELLS))
        return;
    if (is_own(v, c)) {
        v->core_requested[c->cpu] = true;
    } else if (c->arrives == BX_NEVER) {
        c->arrives = now + v->delay;
        v->rescheduled = true;
    }
}

void bx_vpmu_process_overflows(bx_vpmu *v, uint64_t now)
{
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        if (c->overflow > now && c->recheck > now)
            continue;
        bool over = c->overflow <= now;
        bx_vpmu_update_watch(v, c, now);
        if (!over)
            continue;
        overflow(v, c, now);
        if (c->config.stops) {
            c->stopped = true;
            bx_vpmu_reconfigure(v, c, now);
        }
    }
}

static void clear(bx_vpmu *v, uint16_t field, unsigned cpu, uint64_t now)
{
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    bx_vreg *r = bx_vpmu_at(v, v->locations[f->reg], cpu);
    r->value &= ~bx_mask_bits(f->lo, f->hi);
    bx_vpmu_reconfigure_by(v, r, now);
}

/* 334060-001 table 2-2, FRZ_ON_PMI: the request itself freezes the counters, independent of the
 * cores that it is sent to. */
static void freeze(bx_vpmu *v, unsigned package, uint64_t now)
{
    unsigned cpu = package * v->topology.cores;
    if (v->cpu->noted != BX_NONE)
        bx_vpmu_set(v, v->cpu->noted, cpu);
    if (v->cpu->freeze == BX_NONE || !bx_vpmu_get(v, v->cpu->freeze, cpu))
        return;
    clear(v, v->cpu->freezes, cpu, now);
    for (bx_vpmu *other = v->frozen_by; other != v; other = other->frozen_by) {
        bx_vpmu_process_overflows(other, now); /* this cycle counts in full */
        clear(other, v->cpu->freezes, cpu, now);
    }
}

void bx_vpmu_deliver_requests(bx_vpmu *v, uint64_t now)
{
    for (unsigned i = 0; i < v->counter_count; i++) {
        bx_vcounter *c = &v->counters[i];
        if (c->arrives > now)
            continue;
        c->arrives = BX_NEVER;
        v->package_requested[c->selected.package] = true;
    }
    for (unsigned p = 0; p < v->topology.packages; p++)
        if (v->package_requested[p])
            freeze(v, p, now);
}

static void send_overflow(bx_vpmu *v, unsigned cpu)
{
    v->asleep[cpu] = false;
    if (v->pmi)
        v->pmi(v->pmi_context, cpu);
}

/* Table 2-2, PMI_SEL_CORE and WAKE_ON_PMI: selected cores get the interrupt, sleeping ones only if
 * it wakes them. The requests of one cycle are one interrupt. */
static void send_on(bx_vpmu *v, unsigned package)
{
    unsigned first = package * v->topology.cores;
    bool wakes = v->cpu->wake != BX_NONE && bx_vpmu_get(v, v->cpu->wake, first);
    uint64_t cores = 0;
    for (unsigned i = 0; i < v->cpu->pmi.n && i < v->topology.cores; i++)
        if (bx_vpmu_get(v, (uint16_t)(v->cpu->pmi.first + i), first))
            cores |= UINT64_C(1) << i;
    for (unsigned i = 0; !wakes && i < v->topology.cores && i < 64; i++)
        if (v->asleep[first + i])
            cores &= ~(UINT64_C(1) << i);
    if (cores && v->signals->interrupt)
        v->signals->interrupt(v->signals, package, (unsigned)__builtin_popcountll(cores));
    /* The handler may write registers; that does not change this interrupt. */
    for (unsigned i = 0; i < v->topology.cores && i < 64; i++)
        if (cores >> i & 1)
            send_overflow(v, first + i);
}

void bx_vpmu_send_interrupts(bx_vpmu *v)
{
    for (unsigned p = 0; p < v->topology.packages; p++) {
        if (!v->package_requested[p])
            continue;
        v->package_requested[p] = false;
        send_on(v, p);
    }
    /* A core's own counters request interrupts from its local APIC, whose interrupts wake the core.
     */
    for (unsigned cpu = 0; cpu < v->cpus; cpu++) {
        if (!v->core_requested[cpu])
            continue;
        v->core_requested[cpu] = false;
        send_overflow(v, cpu);
    }
}
