/* Implements script.h. */
#include "script.h"

#include "../cmocked.h"
#include "../dice.h"

#include <stddef.h>
#include <string.h>

static uint64_t now(bx_signals *signals)
{
    return ((struct script *)signals)->now;
}

static struct script_source *selected(bx_signals *signals, const bx_selection *sel)
{
    struct script *s = (struct script *)signals;
    return sel->package == 0 ? script_find(s, sel->box, sel->unit, sel->code, sel->umask) : NULL;
}

static bool tally(bx_signals *signals, const bx_selection *sel, uint64_t *sum)
{
    struct script_source *source = selected(signals, sel);
    if (source)
        *sum = source->sum;
    return source != NULL;
}

/* How many cycles from `cycle` on have the same level. */
static uint64_t run_length(const struct script_source *source, uint64_t cycle)
{
    uint64_t n = 1;
    while (cycle + n < SCRIPT_CYCLES && source->level[cycle + n] == source->level[cycle])
        n++;
    return cycle + n < SCRIPT_CYCLES ? n : BX_OPEN_ENDED;
}

static struct script_watch *watch_of(bx_signals *signals, unsigned id)
{
    assert_true(id < SCRIPT_WATCHES);
    return &((struct script *)signals)->watch[id];
}

static bool watch(bx_signals *signals, unsigned id, const bx_selection *sel)
{
    struct script *s = (struct script *)signals;
    struct script_watch *w = watch_of(signals, id);
    *w = (struct script_watch){.source = selected(signals, sel), .sel = *sel};
    if (!w->source || w->source->style == SCRIPT_PULSES)
        return w->source != NULL;
    w->reported = script_level(w->source, s->now);
    if (w->reported)
        s->watcher->on_level(s->watcher, id, s->now,
                             w->source->style == SCRIPT_RUNS ? run_length(w->source, s->now)
                                                             : BX_OPEN_ENDED,
                             w->reported);
    return true;
}

static void unwatch(bx_signals *signals, unsigned id)
{
    watch_of(signals, id)->source = NULL;
}

static void relax(bx_signals *signals, unsigned id, bool relaxed)
{
    watch_of(signals, id)->relaxed = relaxed;
}

static void set_alarm(bx_signals *signals, uint64_t when)
{
    struct script *s = (struct script *)signals;
    if (s->reporting && s->reporting->relaxed)
        assert_true(when >= s->alarm);
    s->alarm = when;
}

static void set_watcher(bx_signals *signals, bx_watcher *w)
{
    ((struct script *)signals)->watcher = w;
}

void script_init(struct script *s)
{
    memset(s, 0, sizeof(*s));
    s->signals = (bx_signals){.now = now,
                              .tally = tally,
                              .watch = watch,
                              .unwatch = unwatch,
                              .relax = relax,
                              .set_alarm = set_alarm,
                              .set_watcher = set_watcher};
    s->alarm = BX_NEVER;
}

struct script_source *script_add(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                 uint32_t umask)
{
    struct script_source *source = &s->source[s->sources++];
    source->box = box;
    source->unit = unit;
    source->code = code;
    source->umask = umask;
    return source;
}

void script_set(struct script_source *source, uint64_t from, uint64_t cycles, uint32_t level)
{
    for (uint64_t i = from; i < from + cycles && i < SCRIPT_CYCLES; i++)
        source->level[i] = level;
}

struct script_source *script_hold(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                  uint32_t umask, uint32_t level)
{
    struct script_source *source = script_add(s, box, unit, code, umask);
    script_set(source, 0, SCRIPT_CYCLES, level);
    return source;
}

void script_scribble(struct script_source *source, uint64_t *seed, unsigned longest, uint32_t most)
{
    source->style = dice_below(seed, 3);
    for (unsigned at = 0; at < SCRIPT_CYCLES;) {
        unsigned run = 1 + dice_below(seed, longest);
        script_set(source, at, run, dice_below(seed, 2) ? 0 : dice_below(seed, most + 1));
        at += run;
    }
}

struct script_source *script_find(struct script *s, uint16_t box, uint16_t unit, uint16_t code,
                                  uint32_t umask)
{
    for (unsigned i = 0; i < s->sources; i++) {
        struct script_source *source = &s->source[i];
        if (source->box == box && source->unit == unit &&
            (source->code == SCRIPT_ANY || (source->code == code && source->umask == umask)))
            return source;
    }
    return NULL;
}

uint32_t script_level(const struct script_source *source, uint64_t cycle)
{
    return source->level[cycle < SCRIPT_CYCLES ? cycle : SCRIPT_CYCLES - 1];
}

static void report(struct script *s, unsigned id, uint64_t cycle, bool is_over)
{
    struct script_watch *w = &s->watch[id];
    uint32_t level = script_level(w->source, cycle);
    enum script_style style = w->source->style;
    if ((style == SCRIPT_RUNS) == is_over || level == w->reported)
        return;
    w->reported = style == SCRIPT_PULSES ? 0 : level;
    s->reporting = w;
    s->watcher->on_level(s->watcher, id, cycle,
                         style == SCRIPT_PULSES ? 1
                         : style == SCRIPT_RUNS ? run_length(w->source, cycle)
                                                : BX_OPEN_ENDED,
                         level);
    s->reporting = NULL;
}

static void tell_all(struct script *s, uint64_t cycle, bool is_over)
{
    for (unsigned id = 0; id < SCRIPT_WATCHES; id++)
        if (s->watch[id].source)
            report(s, id, cycle, is_over);
}

static void give_alarms(struct script *s)
{
    while (s->alarm <= s->now) {
        s->alarm = BX_NEVER;
        s->alarm = s->watcher->alarm(s->watcher, s->now);
    }
}

void script_pass(struct script *s, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles; i++) {
        give_alarms(s);
        tell_all(s, s->now, false);
        uint64_t cycle = s->now++;
        for (unsigned k = 0; k < s->sources; k++)
            s->source[k].sum += script_level(&s->source[k], cycle);
        tell_all(s, cycle, true);
        give_alarms(s);
    }
}
