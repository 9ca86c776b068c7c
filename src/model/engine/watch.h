/* The time of a machine: the alarm, and watches, whose levels are reported cycle by cycle. Without
 * watches, the cost is one comparison per uncore access. */
#ifndef BX_MODEL_ENGINE_WATCH_H
#define BX_MODEL_ENGINE_WATCH_H

#include "base/arena.h"
#include "model/engine/resolved_signal.h"

struct bx_watch {
    struct bx_signal signal;
    /* For PULSES the part of the sum that was reported, otherwise the level reported last. */
    uint64_t reported;
    uint64_t present; /* the new value of `reported` while a cycle is being reported */
    uint64_t since;
    uint64_t changes;      /* *signal.changes when the sum or the level was read last */
    uint64_t level, until; /* the level read last, and when time alone may change it */
};

/* A set of watches: one bit per number. */
struct bx_watch_set {
    unsigned n; /* number of watches in the set */
    uint64_t *word;
};

struct bx_time {
    uint64_t now;        /* all cycles before this one are complete */
    uint64_t process_at; /* from this time on bx_time_process() has work to do */
    uint64_t unreported; /* the cycle whose counts are still to be reported */
    uint64_t alarm;
    struct bx_watch_set watching; /* watches of watch[] that are in use */
    struct bx_watch_set levels;   /* watches in use that are not of pulses */
    struct bx_watch_set closely;  /* those for which the counts of cores are exact in each cycle */
    struct bx_watch_set hits;     /* those of them that an access may change that L1 serves */
    bool reporting;               /* levels are being reported; new watches begin afterwards */
    bx_watcher *watcher;
    bx_model *model; /* whose tallies are read */
    bx_arena *memory;
    struct bx_watch *watch;
    unsigned room; /* number of watches that fit: a multiple of 64 */
};

/* Watches are in `memory`. */
void bx_time_power_on(struct bx_time *time, bx_model *model, bx_arena *memory);

/* Advances to t: reports the levels before t, and calls the alarms up to t. */
void bx_time_process(struct bx_time *time, uint64_t t);

uint64_t bx_time_tally(struct bx_time *time, const struct bx_signal *signal);

/* false: out of memory. */
bool bx_time_watch(struct bx_time *time, unsigned id, const struct bx_signal *signal);
void bx_time_unwatch(struct bx_time *time, unsigned id);
void bx_time_relax(struct bx_time *time, unsigned id, bool relaxed); /* bx_signals.relax */
void bx_time_set_alarm(struct bx_time *time, uint64_t when);
void bx_time_set_watcher(struct bx_time *time, bx_watcher *watcher);

/* Whether levels are reported cycle by cycle. */
static inline bool bx_time_is_watched(const struct bx_time *time)
{
    return time->watching.n != 0;
}

/* Whether the counts of cores must be exact in each cycle that is reported. */
static inline bool bx_time_is_watched_closely(const struct bx_time *time)
{
    return time->closely.n != 0;
}

/* The same, after accesses that L1 serves, too. */
static inline bool bx_time_watches_hits(const struct bx_time *time)
{
    return time->hits.n != 0;
}

/* Advances to t. The caller is about to count something at t. */
static inline void bx_time_advance_to_event(struct bx_time *time, uint64_t t)
{
    if (t >= time->process_at) {
        bx_time_process(time, t);
        time->unreported = t;
    }
    time->now = t;
}

/* Advances to t. The caller counts nothing. */
static inline void bx_time_advance(struct bx_time *time, uint64_t t)
{
    if (t >= time->process_at)
        bx_time_process(time, t);
    time->now = t;
}

#endif
