/* The life of virtual PMUs: made, joined, freed. */
#include "vpmu/internal.h"

#include <stdlib.h>

bx_vpmu *bx_vpmu_new(const bx_topology *t, bx_signals *signals, bx_error *e)
{
    bx_vpmu *v = calloc(1, sizeof(*v));
    if (!v) {
        bx_out_of_memory(e);
        return NULL;
    }
    v->topology = *t;
    v->cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    v->cpus = t->packages * t->cores;
    v->machine = v->frozen_by = v;
    v->signals = signals;
    v->due = BX_NEVER;
    v->delay = bx_topology_shape(t, bx_cat_z(t->catalog, v->cpu->delay));
    v->watcher = (bx_watcher){.on_level = bx_vpmu_on_level, .alarm = bx_vpmu_alarm};
    bx_vpmu_init_bus(v);
    signals->set_watcher(signals, &v->watcher);
    if (bx_vpmu_build_registers(v, e) != BX_OK) {
        bx_vpmu_free(v);
        return NULL;
    }
    bx_vpmu_build_counters(v);
    return v;
}

bx_vpmu *bx_vpmu_new_bank(bx_vpmu *first, bx_signals *signals, bx_error *e)
{
    bx_vpmu *v = bx_vpmu_new(&first->topology, signals, e);
    if (v) {
        v->machine = first;
        v->asleep = first->asleep;
    }
    return v;
}

void bx_vpmu_freeze_together(bx_vpmu *v, bx_vpmu *with)
{
    v->frozen_by = with->frozen_by;
    with->frozen_by = v;
}

static void leave_ring(bx_vpmu *v)
{
    bx_vpmu *before = v;
    while (before->frozen_by != v)
        before = before->frozen_by;
    before->frozen_by = v->frozen_by;
}

void bx_vpmu_free(bx_vpmu *v)
{
    if (!v)
        return;
    leave_ring(v);
    v->signals->set_watcher(v->signals, NULL);
    bx_arena_free(&v->arena);
    free(v);
}
