#include "model/watch.h"

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void heed(struct bx_time *time)
{
    time->attention = time->watching ? 0 : time->alarm;
}

/* The level in the present cycle of a signal that is not of pulses. */
static uint64_t level_of(struct bx_time *time, const struct bx_signal *signal)
{
    if (signal->kind == BX_SIGNAL_CLOCK)
        return 1;
    return bx_arb_level(time->arb, signal->entries, time->now);
}

static void tell(struct bx_time *time, unsigned id, uint64_t start, uint64_t cycles, uint64_t level)
{
    if (time->watcher)
        time->watcher->see(time->watcher, id, start, cycles, (uint32_t)level);
}

/* Some level that holds until told otherwise is no longer what was told. */
static bool level_has_changed(struct bx_time *time)
{
    for (uint64_t left = time->levels; left; left &= left - 1) {
        const struct bx_watch *w = &time->watch[__builtin_ctzll(left)];
        if (w->told != level_of(time, &w->signal))
            return true;
    }
    return false;
}

/* Tells what the present cycle brought, and goes on to the next. The watcher may look at tallies
 * and change its watches meanwhile, so that all levels are taken before. */
static void tell_cycle(struct bx_time *time)
{
    uint64_t cycle = time->now, watched = time->watching, level[BX_WATCHES];

    for (uint64_t left = watched; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);
        const struct bx_watch *w = &time->watch[id];
        bool pulses = w->signal.kind == BX_SIGNAL_PULSES;
        level[id] = pulses ? bx_signal_sum(&w->signal) : level_of(time, &w->signal);
    }
    time->now = cycle + 1;
    time->telling = true;
    for (uint64_t left = watched; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);
        struct bx_watch *w = &time->watch[id];
        if (!(time->watching >> id & 1) || w->since > cycle || w->told == level[id])
            continue; /* dropped or replaced meanwhile, or nothing new */
        uint64_t before = w->told;
        w->told = level[id];
        if (w->signal.kind == BX_SIGNAL_PULSES)
            tell(time, id, cycle, 1, level[id] - before);
        else
            tell(time, id, cycle, BX_OPEN, level[id]);
    }
    time->telling = false;
}

static void give_alarm(struct bx_time *time)
{
    uint64_t next = BX_NEVER;

    time->alarm = BX_NEVER;
    if (time->watcher)
        next = time->watcher->alarm(time->watcher, time->now);
    time->alarm = next > time->now ? next : time->now + 1;
    heed(time);
}

/* An alarm comes before anything of its cycle, the ends of ARB entries included. */
void bx_time_pass(struct bx_time *time, uint64_t t)
{
    for (;;) {
        bool touched = time->watching && time->touched == time->now;
        if (time->alarm <= time->now && !touched)
            give_alarm(time);
        else if (time->now == t)
            return;
        else if (touched || (time->levels && level_has_changed(time)))
            tell_cycle(time);
        else
            time->now = sooner(sooner(t, time->alarm),
                               time->levels ? bx_arb_next_end(time->arb, time->now) : BX_NEVER);
    }
}

uint64_t bx_time_tally(struct bx_time *time, const struct bx_signal *signal)
{
    uint64_t lives = 0;

    switch (signal->kind) {
    case BX_SIGNAL_CLOCK:
        return time->now;
    case BX_SIGNAL_OCCUPANCY:
        for (unsigned k = 0; k < BX_ARB_KINDS; k++)
            if (signal->entries >> k & 1)
                lives += time->counts->occupancy[k];
        return lives - bx_arb_to_come(time->arb, signal->entries, time->now);
    default:
        return bx_signal_sum(signal);
    }
}

void bx_time_watch(struct bx_time *time, unsigned id, const struct bx_signal *signal)
{
    struct bx_watch *w = &time->watch[id];

    *w = (struct bx_watch){.signal = *signal, .since = time->now};
    time->watching |= UINT64_C(1) << id;
    heed(time);
    if (signal->kind == BX_SIGNAL_PULSES) {
        time->levels &= ~(UINT64_C(1) << id);
        w->told = bx_signal_sum(signal);
        return;
    }
    time->levels |= UINT64_C(1) << id;
    if (!time->telling) {
        w->told = level_of(time, signal);
        if (w->told)
            tell(time, id, time->now, BX_OPEN, w->told);
    }
}

void bx_time_unwatch(struct bx_time *time, unsigned id)
{
    time->watching &= ~(UINT64_C(1) << id);
    time->levels &= ~(UINT64_C(1) << id);
    heed(time);
}

void bx_time_set_alarm(struct bx_time *time, uint64_t when)
{
    time->alarm = when;
    heed(time);
}

/* A new watcher is told the levels that hold. */
void bx_time_set_watcher(struct bx_time *time, bx_watcher *watcher)
{
    time->watcher = watcher;
    for (unsigned id = 0; id < BX_WATCHES; id++)
        if (time->watch[id].signal.kind != BX_SIGNAL_PULSES)
            time->watch[id].told = 0;
}

void bx_time_power_on(struct bx_time *time, struct bx_arb *arb,
                      const struct bx_client_counts *counts)
{
    *time = (struct bx_time){
        .attention = BX_NEVER,
        .touched = BX_NEVER,
        .alarm = BX_NEVER,
        .arb = arb,
        .counts = counts,
    };
}
