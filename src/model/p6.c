#include "model/p6.h"

#include "base/error.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- runs ---- */

/* When the next agent's turn is; BX_NEVER: nobody has anything to do. At the same time the
 * processor is first. */
static uint64_t next_turn(const struct bx_model *m, bool *io)
{
    uint64_t cpu = m->cpu.phase == BX_P6_HALTED ? BX_NEVER : m->cpu.due;
    uint64_t other = m->io.waiting ? m->io.due : BX_NEVER;

    *io = other < cpu;
    return *io ? other : cpu;
}

static bool p6_run(bx_model *m, uint64_t until)
{
    bool io;

    if (until < m->time.now)
        until = m->time.now;
    bx_p6_pass(m, m->time.now); /* an alarm that is due */
    for (uint64_t turn; (turn = next_turn(m, &io)) < until;) {
        bx_p6_reach(m, turn);
        if (io)
            bx_p6_io_step(m);
        else
            bx_p6_cpu_step(m);
    }
    uint64_t end = BX_NEVER;
    if (next_turn(m, &io) == BX_NEVER)
        end = bx_p6_later(m->time.now, bx_p6_later(m->cpu.end, m->io.end));
    bx_p6_pass(m, end < until ? end : until);
    return end <= until;
}

static void p6_idle(bx_model *m, uint64_t cycles)
{
    uint64_t until = m->time.now + cycles;

    bx_p6_cpu_pause(m, until);
    bx_p6_io_pause(m, until);
    bx_p6_pass(m, until);
}

static uint64_t p6_accesses(const bx_model *m)
{
    return m->accesses;
}

static void p6_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    if (agent == 0)
        bx_p6_cpu_feed(m, feed);
    else if (agent == BX_AGENT_IO)
        bx_p6_io_feed(m, feed);
}

/* ---- the seam ---- */

static struct bx_model *model_of(bx_signals *s)
{
    return (struct bx_model *)(void *)((char *)s - offsetof(struct bx_model, signals));
}

static uint64_t signals_now(bx_signals *s)
{
    return model_of(s)->time.now;
}

static bool signals_tally(bx_signals *s, const bx_selection *sel, uint64_t *sum)
{
    struct bx_signal signal;

    if (!bx_p6_signal_of(sel, &signal))
        return false;
    *sum = bx_time_tally(&model_of(s)->time, &signal);
    return true;
}

static bool signals_watch(bx_signals *s, unsigned id, const bx_selection *sel)
{
    struct bx_signal signal;

    if (id >= BX_WATCHES || !bx_p6_signal_of(sel, &signal))
        return false;
    bx_time_watch(&model_of(s)->time, id, &signal);
    return true;
}

static void signals_unwatch(bx_signals *s, unsigned id)
{
    if (id < BX_WATCHES)
        bx_time_unwatch(&model_of(s)->time, id);
}

static void signals_set_alarm(bx_signals *s, uint64_t when)
{
    bx_time_set_alarm(&model_of(s)->time, when);
}

static void signals_set_watcher(bx_signals *s, bx_watcher *watcher)
{
    bx_time_set_watcher(&model_of(s)->time, watcher);
}

static bx_signals *p6_signals(bx_model *m)
{
    return &m->signals;
}

static bool p6_produces(const bx_model *m, const bx_selection *sel)
{
    bx_selection anywhere = *sel;
    struct bx_signal signal;

    (void)m;
    anywhere.package = 0;
    anywhere.unit = 0;
    return bx_p6_signal_of(&anywhere, &signal);
}

/* ---- power-on ---- */

static void p6_free(bx_model *m)
{
    free(m);
}

static const struct bx_model_ops p6_ops = {
    .free = p6_free,
    .signals = p6_signals,
    .feed = p6_feed,
    .run = p6_run,
    .idle = p6_idle,
    .accesses = p6_accesses,
    .produces = p6_produces,
};

/* *m is all zeros. */
static void power_on(struct bx_model *m)
{
    m->ops = &p6_ops;
    m->signals = (bx_signals){
        .now = signals_now,
        .tally = signals_tally,
        .watch = signals_watch,
        .unwatch = signals_unwatch,
        .set_alarm = signals_set_alarm,
        .set_watcher = signals_set_watcher,
    };
    bx_p6_cache_clear(m->l1d, BX_P6_L1_BITS);
    bx_p6_cache_clear(m->l1i, BX_P6_L1_BITS);
    bx_p6_cache_clear(m->itlb, BX_P6_ITLB_BITS);
    bx_p6_cache_clear(m->l2, BX_P6_L2_BITS);
    bx_p6_source_power_on(&m->source, &m->cells);
    bx_time_power_on(&m->time, &m->source.base);
}

bx_model *bx_p6_new(const bx_model_shape *shape, bx_error *e)
{
    if (shape->packages != 1 || shape->cores != 1) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a P6 machine has no %u packages of %u cores",
                (unsigned)shape->packages, (unsigned)shape->cores);
        bx_hint(e, "one of one");
        return NULL;
    }
    struct bx_model *m = calloc(1, sizeof *m);
    if (!m) {
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a P6 machine");
        return NULL;
    }
    power_on(m);
    return m;
}
