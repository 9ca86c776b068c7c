/* The signal seam (seam/signal.h), the same for every machine model: what is selected becomes a
 * signal by the model's own signal_of, and the model's time tells of it. */
#include "model/ops.h"

#include <stddef.h>

static struct bx_model_head *head_of(bx_signals *s)
{
    return (struct bx_model_head *)(void *)((char *)s - offsetof(struct bx_model_head, signals));
}

static bool signal_of(struct bx_model_head *head, const bx_selection *sel, struct bx_signal *signal)
{
    return head->ops.signal_of((bx_model *)(void *)head, sel, signal);
}

static uint64_t seam_now(bx_signals *s)
{
    return head_of(s)->time.now;
}

static bool seam_tally(bx_signals *s, const bx_selection *sel, uint64_t *sum)
{
    struct bx_model_head *head = head_of(s);
    struct bx_signal signal;

    if (!signal_of(head, sel, &signal))
        return false;
    *sum = bx_time_tally(&head->time, &signal);
    return true;
}

static bool seam_watch(bx_signals *s, unsigned id, const bx_selection *sel)
{
    struct bx_model_head *head = head_of(s);
    struct bx_signal signal;

    if (id >= BX_WATCHES || !signal_of(head, sel, &signal))
        return false;
    bx_time_watch(&head->time, id, &signal);
    return true;
}

static void seam_unwatch(bx_signals *s, unsigned id)
{
    if (id < BX_WATCHES)
        bx_time_unwatch(&head_of(s)->time, id);
}

static void seam_set_alarm(bx_signals *s, uint64_t when)
{
    bx_time_set_alarm(&head_of(s)->time, when);
}

static void seam_set_watcher(bx_signals *s, bx_watcher *watcher)
{
    bx_time_set_watcher(&head_of(s)->time, watcher);
}

void bx_model_head_power_on(struct bx_model_head *head, const struct bx_model_ops *ops,
                            struct bx_source *source)
{
    head->ops = *ops;
    head->signals = (bx_signals){
        .now = seam_now,
        .tally = seam_tally,
        .watch = seam_watch,
        .unwatch = seam_unwatch,
        .set_alarm = seam_set_alarm,
        .set_watcher = seam_set_watcher,
    };
    head->accesses = 0;
    bx_time_power_on(&head->time, source);
}
