/* Adds up the cycles of windows by the set of awake cores. */
#include "model/engine/awake.h"

#include "model/part/later.h"

#include <string.h>

/* ---- windows ---- */

bool bx_window_has(const struct bx_window *w, uint64_t t)
{
    return w->every && t >= w->first && t % w->every >= w->from && t % w->every < w->until;
}

/* The same as if the window had always been there. */
static uint64_t cycles_since_power_on(const struct bx_window *w, uint64_t t)
{
    uint64_t into = t % w->every;
    uint64_t last = into <= w->from ? 0 : bx_sooner(into, w->until) - w->from;

    return t / w->every * (w->until - w->from) + last;
}

uint64_t bx_window_cycles(const struct bx_window *w, uint64_t t)
{
    if (!w->every || t <= w->first)
        return 0;
    return cycles_since_power_on(w, t) - cycles_since_power_on(w, w->first);
}

uint64_t bx_window_next(const struct bx_window *w, uint64_t t)
{
    if (!w->every)
        return UINT64_MAX;
    t = bx_later(t + 1, w->first);
    uint64_t period = t - t % w->every, into = t % w->every;
    if (into == 0 && w->until == w->every) /* it ends there */
        return period;
    if (into <= w->from)
        return period + w->from;
    return into <= w->until ? period + w->until : period + w->every + w->from;
}

/* ---- cores ---- */

static void sum_up_to(struct bx_awake *a, uint64_t t)
{
    for (unsigned i = 0; i < BX_AWAKE_WINDOWS; i++)
        if (a->window[i].every)
            a->cycles[i][a->cores] +=
                bx_window_cycles(&a->window[i], t) - bx_window_cycles(&a->window[i], a->since);
    a->since = t;
}

/* Applies the steps up to `now` and drops them. */
static void apply_steps(struct bx_awake *a, uint64_t now)
{
    uint32_t i = 0;

    for (; i < a->n && a->step[i].at <= now; i++) {
        unsigned bit = 1u << a->step[i].core;
        if (a->step[i].at > a->since)
            sum_up_to(a, a->step[i].at);
        a->cores = a->step[i].awake ? a->cores | bit : a->cores & ~bit;
    }
    a->n -= i;
    if (i && a->n)
        memmove(a->step, a->step + i, a->n * sizeof *a->step);
}

void bx_awake_set(struct bx_awake *a, unsigned core, uint64_t t, bool awake)
{
    apply_steps(a, *a->now);
    struct bx_awake_step *step =
        bx_arena_grow(a->memory, a->step, a->n, &a->room, sizeof *step, 4 * BX_AWAKE_CORES);
    if (!step)
        return;
    a->step = step;
    uint32_t i = a->n++;
    for (; i > 0 && a->step[i - 1].at > t; i--)
        a->step[i] = a->step[i - 1];
    a->step[i] = (struct bx_awake_step){t, (uint8_t)core, awake};
}

void bx_awake_advance(struct bx_awake *a, uint64_t now)
{
    apply_steps(a, now);
    if (a->since < now)
        sum_up_to(a, now);
}

uint64_t bx_awake_cycles(struct bx_awake *a, unsigned window, unsigned cores, uint64_t now)
{
    uint64_t sum = 0;

    bx_awake_advance(a, now);
    for (unsigned set = 1; set < BX_AWAKE_SETS; set++)
        if (set & cores)
            sum += a->cycles[window][set];
    return sum;
}

uint64_t bx_awake_next(struct bx_awake *a, uint64_t now)
{
    apply_steps(a, now);
    return a->n ? a->step[0].at : UINT64_MAX;
}
