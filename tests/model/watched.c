/* Implements watched.h. */
#include "../cmocked.h"

#include "../dice.h"
#include "watched.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void disagree(const struct watched *w, const struct watched_signal *s, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

static void disagree(const struct watched *w, const struct watched_signal *s, const char *format,
                     ...)
{
    char text[400];
    int n = 0;
    va_list args;
    if (s)
        n = snprintf(text, sizeof text,
                     "package %u box %u unit %u port %u counter %u code %#x umask %#x levels %u, ",
                     s->sel.package, s->sel.box, s->sel.unit, s->sel.port, s->sel.counter,
                     s->sel.code, s->sel.umask, s->sel.levels);
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    w->disagree(w->trial, text);
}

/* ---- what is reported ---- */

static void fill(const struct watched *w, struct watched_signal *s, uint64_t end, uint32_t level)
{
    for (; s->end < end && s->end < w->cycles; s->end++)
        s->reported[s->end] = level;
    s->end = end;
}

static void on_level(bx_watcher *watcher, unsigned id, uint64_t begin, uint64_t cycles,
                     uint32_t level)
{
    struct watched *w = (struct watched *)watcher;
    struct watched_signal *s = &w->signal[id];

    if (begin < s->end)
        disagree(w, s, "reported of %llu after %llu", (unsigned long long)begin,
                 (unsigned long long)s->end);
    fill(w, s, begin, s->open);
    s->open = cycles == BX_OPEN_ENDED ? level : 0;
    if (cycles != BX_OPEN_ENDED)
        fill(w, s, begin + cycles, level);
}

/* At any time at which the model can be read, its tallies are the sums of the cycles before. */
static void check_tallies(const struct watched *w, uint64_t now, bool ended)
{
    bx_signals *signals = bx_model_signals(w->model);

    for (unsigned i = 0; i < w->n; i++) {
        const struct watched_signal *s = &w->signal[i];
        uint64_t sum = 0, expected = s->sum[now];
        if (ended && s->last_access)
            expected += s->expected[now];
        if (!signals->tally(signals, &s->sel, &sum) || sum != expected)
            disagree(w, s, "before %llu: %llu, not %llu", (unsigned long long)now,
                     (unsigned long long)sum, (unsigned long long)expected);
    }
}

static uint64_t on_alarm(bx_watcher *watcher, uint64_t now)
{
    struct watched *w = (struct watched *)watcher;
    bx_signals *signals = bx_model_signals(w->model);

    if (now != w->alarm || signals->now(signals) != now)
        disagree(w, NULL, "alarm at %llu, not at %llu", (unsigned long long)now,
                 (unsigned long long)w->alarm);
    check_tallies(w, now, false);
    w->alarm = now + 1 + dice_next(w->random) % (w->cycles / 25 + 1);
    if (w->alarm >= w->cycles)
        w->alarm = BX_NEVER;
    return w->alarm;
}

/* ---- a run ---- */

struct watched watched_new(bx_model *m, uint64_t *random, unsigned n, uint64_t cycles)
{
    struct watched w = {.watcher = {on_level, on_alarm},
                        .model = m,
                        .random = random,
                        .signal = calloc(n, sizeof *w.signal),
                        .n = n,
                        .cycles = cycles};

    assert_non_null(w.signal);
    for (unsigned i = 0; i < n; i++) {
        struct watched_signal *s = &w.signal[i];
        s->expected = calloc(cycles, sizeof *s->expected);
        s->reported = calloc(cycles, sizeof *s->reported);
        assert_true(s->expected && s->reported);
    }
    return w;
}

static void add_up(struct watched *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        struct watched_signal *s = &w->signal[i];
        s->sum = calloc(w->cycles + 1, sizeof *s->sum);
        assert_non_null(s->sum);
        for (uint64_t t = 0; t < w->cycles; t++)
            s->sum[t + 1] = s->sum[t] + s->expected[t];
    }
}

void watched_begin(struct watched *w)
{
    bx_signals *signals = bx_model_signals(w->model);

    signals->set_watcher(signals, &w->watcher);
}

void watched_watch(struct watched *w, unsigned n)
{
    bx_signals *signals = bx_model_signals(w->model);

    for (; n > 0 && w->next < w->n; n--) {
        struct watched_signal *s = &w->signal[w->next];
        s->since = s->end = signals->now(signals);
        if (!signals->watch(signals, w->next++, &s->sel))
            disagree(w, s, "it is not produced");
        signals->relax(signals, w->next - 1, dice_below(w->random, 2));
    }
}

void watched_run(struct watched *w, uint64_t end)
{
    bx_signals *signals = bx_model_signals(w->model);
    uint64_t until = 0;
    bool done = false;

    add_up(w);
    w->alarm = dice_next(w->random) % w->cycles;
    watched_begin(w);
    signals->set_alarm(signals, w->alarm);
    while (!done) {
        watched_watch(w, dice_below(w->random, w->n));
        done = bx_model_run(w->model, until);
        check_tallies(w, signals->now(signals) + (done && w->after_end), done);
        until += dice_next(w->random) % (end / 4 + 2);
    }
    if (signals->now(signals) != end)
        disagree(w, NULL, "end: %llu, not %llu", (unsigned long long)signals->now(signals),
                 (unsigned long long)end);
    bx_model_idle(w->model, w->cycles - end);
    check_tallies(w, w->cycles, false);
    for (; w->next < w->n; w->next++)
        w->signal[w->next].since = w->cycles;
}

static void compare(const struct watched *w, struct watched_signal *s)
{
    fill(w, s, w->cycles, s->open);
    for (uint64_t t = s->since; t < w->cycles; t++)
        if (s->reported[t] != s->expected[t])
            disagree(w, s, "level at %llu: %u, not %u (watched since %llu)", (unsigned long long)t,
                     s->reported[t], s->expected[t], (unsigned long long)s->since);
    free(s->expected);
    free(s->reported);
    free(s->sum);
}

void watched_compare(struct watched *w)
{
    for (unsigned i = 0; i < w->n; i++)
        compare(w, &w->signal[i]);
    free(w->signal);
}
