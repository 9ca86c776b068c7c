/* Advances a machine's time: reports levels of watches and calls the alarm. */
#include "model/engine/watch.h"

#include "model/part/later.h"

/* ---- sets of watches ---- */

enum { WORD = 64 };

static bool any(const struct bx_watch_set *set)
{
    return set->n;
}

static bool has(const struct bx_watch_set *set, unsigned id)
{
    return set->word[id / WORD] >> id % WORD & 1;
}

static void put_signal(struct bx_watch_set *set, unsigned id, bool in)
{
    if (has(set, id) == in)
        return;
    set->word[id / WORD] ^= UINT64_C(1) << id % WORD;
    set->n += in ? 1 : -1u;
}

/* The first watch in the set with a number of at least id; time->room if there is none. */
static unsigned next_of(const struct bx_time *time, const struct bx_watch_set *set, unsigned id)
{
    for (; id < time->room; id = (id / WORD + 1) * WORD) {
        uint64_t rest = set->word[id / WORD] >> id % WORD;
        if (rest)
            return id + (unsigned)__builtin_ctzll(rest);
    }
    return time->room;
}

/* Makes room for a watch with number id. false: out of memory. */
static bool make_room_for_signal(struct bx_time *time, unsigned id)
{
    struct bx_watch_set *const sets[] = {&time->watching, &time->levels, &time->closely,
                                         &time->hits};
    const unsigned n_sets = sizeof sets / sizeof *sets;

    while (id >= time->room) {
        uint32_t n = time->room, room = n;
        time->watch = bx_arena_grow(time->memory, time->watch, n, &room, sizeof *time->watch, WORD);
        for (unsigned i = 0; i < n_sets; i++) {
            uint32_t words = n / WORD;
            sets[i]->word =
                bx_arena_grow(time->memory, sets[i]->word, words, &words, sizeof *sets[i]->word, 1);
        }
        time->room = time->memory->failed ? 0 : room;
        if (time->memory->failed)
            return false;
    }
    return true;
}

/* ---- time ---- */

static bool is_of_pulses(const struct bx_signal *signal)
{
    return !signal->reader->level;
}

static void update_process_at(struct bx_time *time)
{
    time->process_at = any(&time->watching) ? 0 : time->alarm;
}

/* Whether the value read last may be out of date. The caller then reads a new value. */
static bool is_stale(struct bx_watch *w)
{
    const uint64_t *changes = w->signal.changes;

    if (!changes)
        return true;
    if (*changes == w->changes)
        return false;
    w->changes = *changes;
    return true;
}

/* The level in the present cycle, for a signal other than pulses. */
static uint64_t level_of(struct bx_time *time, struct bx_watch *w)
{
    const struct bx_reader *reader = w->signal.reader;

    if (is_stale(w) || w->until <= time->now) {
        w->level = reader->level(time->model, &w->signal, time->now);
        w->until = reader->next_change ? reader->next_change(time->model, &w->signal, time->now)
                                       : BX_NEVER;
    }
    return w->level;
}

/* The sum, for a signal of pulses. */
static uint64_t sum_of(struct bx_time *time, struct bx_watch *w)
{
    return is_stale(w) ? bx_time_tally(time, &w->signal) : w->reported;
}

static void report(struct bx_time *time, unsigned id, uint64_t start, uint64_t cycles,
                   uint64_t level)
{
    if (time->watcher)
        time->watcher->on_level(time->watcher, id, start, cycles, (uint32_t)level);
}

/* Whether a level differs from the one reported last. */
static bool level_has_changed(struct bx_time *time)
{
    for (unsigned id = 0; (id = next_of(time, &time->levels, id)) < time->room; id++) {
        struct bx_watch *w = &time->watch[id];
        if (w->reported != level_of(time, w))
            return true;
    }
    return false;
}

/* Reports the present cycle and advances to the next. The watcher may read tallies and change its
 * watches meanwhile. So all levels are read first, and new watches begin with the next cycle. */
static void report_cycle(struct bx_time *time)
{
    uint64_t cycle = time->now;

    for (unsigned id = 0; (id = next_of(time, &time->watching, id)) < time->room; id++) {
        struct bx_watch *w = &time->watch[id];
        w->present = is_of_pulses(&w->signal) ? sum_of(time, w) : level_of(time, w);
    }
    time->now = cycle + 1;
    time->reporting = true;
    for (unsigned id = 0; (id = next_of(time, &time->watching, id)) < time->room; id++) {
        struct bx_watch *w = &time->watch[id];
        if (w->since > cycle || w->reported == w->present)
            continue;
        uint64_t before = w->reported;
        w->reported = w->present;
        if (is_of_pulses(&w->signal))
            report(time, id, cycle, 1, w->present - before);
        else
            report(time, id, cycle, BX_OPEN_ENDED, w->present);
    }
    time->reporting = false;
}

static void call_alarm(struct bx_time *time)
{
    uint64_t next = BX_NEVER;

    time->alarm = BX_NEVER;
    if (time->watcher)
        next = time->watcher->alarm(time->watcher, time->now);
    time->alarm = next > time->now ? next : time->now + 1;
    update_process_at(time);
}

/* When a watched level may next change by time alone. All levels have just been read. */
static uint64_t next_change(const struct bx_time *time)
{
    uint64_t next = BX_NEVER;

    for (unsigned id = 0; (id = next_of(time, &time->levels, id)) < time->room; id++)
        next = bx_sooner(next, time->watch[id].until);
    return next;
}

/* An alarm comes before everything else in its cycle, even the ends of ARB entries. */
void bx_time_process(struct bx_time *time, uint64_t t)
{
    for (;;) {
        bool unreported = any(&time->watching) && time->unreported == time->now;
        if (time->alarm <= time->now && !unreported)
            call_alarm(time);
        else if (time->now == t)
            return;
        else if (unreported || level_has_changed(time))
            report_cycle(time);
        else
            time->now = bx_sooner(bx_sooner(t, time->alarm), next_change(time));
    }
}

uint64_t bx_time_tally(struct bx_time *time, const struct bx_signal *signal)
{
    return signal->reader->sum(time->model, signal, time->now);
}

bool bx_time_watch(struct bx_time *time, unsigned id, const struct bx_signal *signal)
{
    if (!make_room_for_signal(time, id))
        return false;
    struct bx_watch *w = &time->watch[id];
    *w = (struct bx_watch){.signal = *signal, .since = time->now};
    put_signal(&time->watching, id, true);
    put_signal(&time->closely, id, true);
    put_signal(&time->hits, id, true);
    update_process_at(time);
    if (is_of_pulses(signal)) {
        put_signal(&time->levels, id, false);
        w->reported = bx_time_tally(time, signal);
        return true;
    }
    put_signal(&time->levels, id, true);
    if (!time->reporting) {
        w->reported = level_of(time, w);
        if (w->reported)
            report(time, id, time->now, BX_OPEN_ENDED, w->reported);
    }
    return true;
}

void bx_time_unwatch(struct bx_time *time, unsigned id)
{
    if (id >= time->room)
        return;
    put_signal(&time->watching, id, false);
    put_signal(&time->levels, id, false);
    put_signal(&time->closely, id, false);
    put_signal(&time->hits, id, false);
    update_process_at(time);
}

void bx_time_relax(struct bx_time *time, unsigned id, bool relaxed)
{
    if (id >= time->room || !has(&time->watching, id))
        return;
    const struct bx_signal *signal = &time->watch[id].signal;
    const struct bx_reader *reader = signal->reader;
    bool hits = reader->of_cores && (!reader->with_hits || reader->with_hits(signal));
    put_signal(&time->closely, id, !relaxed || reader->of_cores);
    put_signal(&time->hits, id, !relaxed || hits);
}

void bx_time_set_alarm(struct bx_time *time, uint64_t when)
{
    time->alarm = when;
    update_process_at(time);
}

/* All present levels are reported to a new watcher. */
void bx_time_set_watcher(struct bx_time *time, bx_watcher *watcher)
{
    time->watcher = watcher;
    for (unsigned id = 0; (id = next_of(time, &time->levels, id)) < time->room; id++)
        time->watch[id].reported = 0;
}

void bx_time_power_on(struct bx_time *time, bx_model *model, bx_arena *memory)
{
    *time = (struct bx_time){
        .process_at = BX_NEVER,
        .unreported = BX_NEVER,
        .alarm = BX_NEVER,
        .model = model,
        .memory = memory,
    };
}
