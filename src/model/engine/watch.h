/* Time as counters see it: watches to which levels are reported cycle by cycle, and the alarm. A
 * model that nobody watches pays one comparison per uncore access. */
#ifndef BX_MODEL_ENGINE_WATCH_H
#define BX_MODEL_ENGINE_WATCH_H

#include "model/engine/resolved_signal.h"

struct bx_watch {
    struct bx_signal signal;
    uint64_t
        reported; /* PULSES: the sum up to which they were reported; else the level reported last */
    uint64_t since;
    uint64_t changes;      /* *signal.changes when the sum or the level was looked up last */
    uint64_t level, until; /* the level looked up last; when time alone may change it */
};

/* A set of watches, by number. Few of the words are used as a rule: only those are looked at. */
enum { BX_WATCH_WORDS = BX_WATCHES / 64 };
struct bx_watch_set {
    uint64_t used; /* a bit for each word that is not 0 */
    uint64_t word[BX_WATCH_WORDS];
};

struct bx_time {
    uint64_t now;       /* all before this cycle has happened */
    uint64_t attention; /* the time to reach which bx_time_process is needed */
    uint64_t touched;   /* a cycle in which something was counted that is still to be reported */
    uint64_t alarm;
    struct bx_watch_set watching; /* of watch[] */
    struct bx_watch_set levels;   /* those of them that are not pulses */
    bool reporting;               /* levels are being reported: what it starts to watch waits */
    bx_watcher *watcher;
    struct bx_signal_source *source;
    struct bx_watch watch[BX_WATCHES];
};

void bx_time_power_on(struct bx_time *time, struct bx_signal_source *source);

/* Time passes up to t: what happened before t is reported, and alarms up to t are given. */
void bx_time_process(struct bx_time *time, uint64_t t);

uint64_t bx_time_tally(struct bx_time *time, const struct bx_signal *signal);
void bx_time_watch(struct bx_time *time, unsigned id, const struct bx_signal *signal);
void bx_time_unwatch(struct bx_time *time, unsigned id);
void bx_time_set_alarm(struct bx_time *time, uint64_t when);
void bx_time_set_watcher(struct bx_time *time, bx_watcher *watcher);

/* Something is about to happen at t. */
static inline void bx_time_advance_to_event(struct bx_time *time, uint64_t t)
{
    if (t >= time->attention) {
        bx_time_process(time, t);
        time->touched = t;
    }
    time->now = t;
}

/* The time is t, and nothing happens. */
static inline void bx_time_advance(struct bx_time *time, uint64_t t)
{
    if (t >= time->attention)
        bx_time_process(time, t);
    time->now = t;
}

#endif
