/* The signal seam (seam/signal.h) for all machine models. The tables of the model's boxes resolve a
 * selection. watch.h reports the levels. */
#include "model/engine/kind.h"
#include "model/engine/signal_table.h"

#include <stddef.h>

static bx_model *model_of(bx_signals *s)
{
    return (bx_model *)(void *)((char *)s - offsetof(struct bx_model, signals));
}

bool bx_model_signal_of(bx_model *m, const bx_selection *sel, struct bx_signal *signal)
{
    const struct bx_box_signals *box = sel->box < m->kind->boxes ? m->kind->box[sel->box] : NULL;
    struct bx_unit unit = {0};

    return box && !sel->unmodelled && m->kind->find_unit(m, sel, &unit) &&
           bx_signal_resolve(box, m, sel, unit.index, unit.has, signal);
}

static uint64_t seam_now(bx_signals *s)
{
    return model_of(s)->time.now;
}

static bool seam_tally(bx_signals *s, const bx_selection *sel, uint64_t *sum)
{
    bx_model *m = model_of(s);
    struct bx_signal signal;

    if (!bx_model_signal_of(m, sel, &signal))
        return false;
    *sum = bx_time_tally(&m->time, &signal);
    return true;
}

static bool seam_compares(bx_signals *s, const bx_selection *sel)
{
    bx_model *m = model_of(s);
    struct bx_signal signal = {0};

    return bx_model_signal_of(m, sel, &signal) && signal.compared;
}

static bool seam_watch(bx_signals *s, unsigned id, const bx_selection *sel)
{
    bx_model *m = model_of(s);
    struct bx_signal signal;

    if (!bx_model_signal_of(m, sel, &signal))
        return false;
    bool watches = bx_time_watch(&m->time, id, &signal);
    m->out_of_memory |= !watches;
    return watches;
}

static void seam_unwatch(bx_signals *s, unsigned id)
{
    bx_time_unwatch(&model_of(s)->time, id);
}

static void seam_relax(bx_signals *s, unsigned id, bool relaxed)
{
    bx_time_relax(&model_of(s)->time, id, relaxed);
}

static void seam_set_alarm(bx_signals *s, uint64_t when)
{
    bx_time_set_alarm(&model_of(s)->time, when);
}

static void seam_set_watcher(bx_signals *s, bx_watcher *watcher)
{
    bx_time_set_watcher(&model_of(s)->time, watcher);
}

/* What the interrupt counts belongs to the present cycle, so that cycle is reported again. */
static void seam_interrupt(bx_signals *s, unsigned package, unsigned cores)
{
    bx_model *m = model_of(s);

    if (!m->kind->interrupt)
        return;
    m->kind->interrupt(m, package, cores);
    m->time.unreported = m->time.now;
}

static void seam_set_prefetchers(bx_signals *s, unsigned core, unsigned off)
{
    bx_model *m = model_of(s);

    if (m->kind->set_prefetchers)
        m->kind->set_prefetchers(m, core, off);
}

void bx_model_power_on(bx_model *m)
{
    m->signals = (bx_signals){
        .now = seam_now,
        .tally = seam_tally,
        .compares = seam_compares,
        .watch = seam_watch,
        .unwatch = seam_unwatch,
        .relax = seam_relax,
        .set_alarm = seam_set_alarm,
        .set_watcher = seam_set_watcher,
        .interrupt = seam_interrupt,
        .set_prefetchers = seam_set_prefetchers,
    };
    m->accesses = 0;
    bx_time_power_on(&m->time, m, &m->memory);
}
