#include "model/watch.h"

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- sets of watches ---- */

static bool any(const struct bx_watch_set *set)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < BX_WATCH_WORDS; i++)
        all |= set->word[i];
    return all;
}

static bool has(const struct bx_watch_set *set, unsigned id)
{
    return set->word[id / 64] >> id % 64 & 1;
}

static void put(struct bx_watch_set *set, unsigned id, bool in)
{
    uint64_t bit = UINT64_C(1) << id % 64;
    set->word[id / 64] = in ? set->word[id / 64] | bit : set->word[id / 64] & ~bit;
}

/* The first watch of the set from number id on; BX_WATCHES if there is none. */
static unsigned next_of(const struct bx_watch_set *set, unsigned id)
{
    for (unsigned i = id / 64; i < BX_WATCH_WORDS; i++, id = 64 * i) {
        uint64_t left = set->word[i] >> id % 64;
        if (left)
            return id + (unsigned)__builtin_ctzll(left);
    }
    return BX_WATCHES;
}

/* ---- time ---- */

static void heed(struct bx_time *time)
{
    time->attention = any(&time->watching) ? 0 : time->alarm;
}

/* The level in the present cycle of a signal that is not of pulses. */
static uint64_t level_of(struct bx_time *time, const struct bx_signal *signal)
{
    if (signal->kind == BX_SIGNAL_CLOCK)
        return 1;
    return time->source->level(time->source, signal, time->now);
}

static void tell(struct bx_time *time, unsigned id, uint64_t start, uint64_t cycles, uint64_t level)
{
    if (time->watcher)
        time->watcher->see(time->watcher, id, start, cycles, (uint32_t)level);
}

/* Some level that holds until told otherwise is no longer what was told. */
static bool level_has_changed(struct bx_time *time)
{
    for (unsigned id = 0; (id = next_of(&time->levels, id)) < BX_WATCHES; id++) {
        const struct bx_watch *w = &time->watch[id];
        if (w->told != level_of(time, &w->signal))
            return true;
    }
    return false;
}

/* Tells what the present cycle brought, and goes on to the next. The watcher may look at tallies
 * and change its watches meanwhile, so that all levels are taken before. */
static void tell_cycle(struct bx_time *time)
{
    const struct bx_watch_set watched = time->watching;
    uint64_t cycle = time->now, level[BX_WATCHES];

    for (unsigned id = 0; (id = next_of(&watched, id)) < BX_WATCHES; id++) {
        const struct bx_watch *w = &time->watch[id];
        bool pulses = w->signal.kind == BX_SIGNAL_PULSES;
        level[id] = pulses ? bx_time_tally(time, &w->signal) : level_of(time, &w->signal);
    }
    time->now = cycle + 1;
    time->telling = true;
    for (unsigned id = 0; (id = next_of(&watched, id)) < BX_WATCHES; id++) {
        struct bx_watch *w = &time->watch[id];
        if (!has(&time->watching, id) || w->since > cycle || w->told == level[id])
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

/* When a level that is watched may change next although nothing is served. */
static uint64_t next_change(struct bx_time *time)
{
    return any(&time->levels) ? time->source->next_change(time->source, time->now) : BX_NEVER;
}

/* An alarm comes before anything of its cycle, the ends of ARB entries included. */
void bx_time_pass(struct bx_time *time, uint64_t t)
{
    for (;;) {
        bool touched = any(&time->watching) && time->touched == time->now;
        if (time->alarm <= time->now && !touched)
            give_alarm(time);
        else if (time->now == t)
            return;
        else if (touched || level_has_changed(time))
            tell_cycle(time);
        else
            time->now = sooner(sooner(t, time->alarm), next_change(time));
    }
}

uint64_t bx_time_tally(struct bx_time *time, const struct bx_signal *signal)
{
    if (signal->kind == BX_SIGNAL_CLOCK)
        return time->now;
    return time->source->tally(time->source, signal, time->now);
}

void bx_time_watch(struct bx_time *time, unsigned id, const struct bx_signal *signal)
{
    struct bx_watch *w = &time->watch[id];

    *w = (struct bx_watch){.signal = *signal, .since = time->now};
    put(&time->watching, id, true);
    heed(time);
    if (signal->kind == BX_SIGNAL_PULSES) {
        put(&time->levels, id, false);
        w->told = bx_time_tally(time, signal);
        return;
    }
    put(&time->levels, id, true);
    if (!time->telling) {
        w->told = level_of(time, signal);
        if (w->told)
            tell(time, id, time->now, BX_OPEN, w->told);
    }
}

void bx_time_unwatch(struct bx_time *time, unsigned id)
{
    put(&time->watching, id, false);
    put(&time->levels, id, false);
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

void bx_time_power_on(struct bx_time *time, struct bx_source *source)
{
    *time = (struct bx_time){
        .attention = BX_NEVER,
        .touched = BX_NEVER,
        .alarm = BX_NEVER,
        .source = source,
    };
}
