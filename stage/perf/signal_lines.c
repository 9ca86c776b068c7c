/* Parses the lines, and lets their cycles pass. */
#include "stage/perf/signal_lines.h"

#include "base/error.h"
#include "base/grow.h"
#include "event/event.h"
#include "host/perf/kernel_pmus.h"
#include "machine/dialogue/words.h"
#include "machine/kernel_events.h"
#include "stage/perf/internal.h"

#include <stdlib.h>
#include <string.h>

/* So that products of levels and cycles fit 64 bits, also in sums of many signals. */
enum { MOST_LEVEL = 1 << 20 };
static const uint64_t most_cycles = UINT64_C(1) << 40;

/* An event of Intel's files is one of the kernel by the words that it has there. */
static int place(const bx_signalled *s, const bx_evsel *found, bx_perf_event *to, bx_error *e)
{
    const struct bx_catalog *c = s->machine->topology.catalog;
    char *own = bx_event_text(c, found, bx_event_format_perf);
    const char *text = own ? bx_arena_copy(s->perf->arena, bx_str_of(own)) : NULL;
    bool known;
    free(own);
    if (!text)
        return bx_out_of_memory(e);
    if (!*text)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "Linux has no such event");
    int code = bx_perf_parse(s->perf, bx_str_of(text), to, &known, e);
    e->at = e->len = 0; /* in words that the user has not written */
    return code;
}

/* Parses a word, whose copy is `to->text`. */
static int parse_event(const bx_signalled *s, bx_parsed_signal *to, bx_error *e)
{
    bx_evsel found[2];
    size_t n = 0;
    int code = bx_machine_events_parse(s->machine, to->text, found, 2, &n, e);
    const bx_perf_event *own = code || !n ? NULL : bx_machine_kernel_event(s->machine, found);
    if (!code && n != 1)
        return bx_fail(e, BX_BAD_INPUT, 0, strlen(to->text), "a signal is of one event");
    if (!code && own)
        to->event = *own;
    else if (!code)
        code = place(s, found, &to->event, e);
    to->all_units = !own && found->unit == BX_ANY;
    for (size_t i = 0; !code && i < to->event.n; i++)
        if (bx_signalled_pmu(s, to->event.sources[i].config.type))
            return BX_OK;
    return code ? code
                : bx_fail(e, BX_BAD_INPUT, 0, strlen(to->text),
                          "no PMU of this machine counts it: the host's kernel does");
}

/* The event of the second word. Each is parsed once: a program may send millions of signals. */
static int find_event(bx_staged_perf *p, const bx_words *w, const bx_parsed_signal **to,
                      bx_error *e)
{
    bx_str word = w->w[1];
    for (size_t i = 0; i < p->parsed_n; i++)
        if (bx_str_eq(bx_str_of(p->parsed[i].text), word)) {
            *to = &p->parsed[i];
            return BX_OK;
        }
    bx_parsed_signal made = {.text = bx_arena_copy(p->signalled->perf->arena, word)};
    bx_parsed_signal *all = bx_grow(p->parsed, p->parsed_n, &p->parsed_room, sizeof *all, 16);
    if (all)
        p->parsed = all;
    if (!all || !made.text)
        return bx_out_of_memory(e);
    int code = parse_event(p->signalled, &made, e);
    if (code) {
        bx_error_shift(e, (size_t)(word.p - w->line.p));
        return code;
    }
    all[p->parsed_n] = made;
    *to = &all[p->parsed_n++];
    return BX_OK;
}

static int read_key(const bx_signalled *s, const bx_words *w, bx_str word, bx_signal *to,
                    bx_error *e)
{
    bx_str value = word, key = bx_str_cut(&value, '=');
    bool package = bx_str_eq(key, BX_STR("package"));
    uint64_t number;
    if (!value.p || !(package || bx_str_eq(key, BX_STR("cpu")))) {
        BX_FAIL_AT(e, w, word, "a signal has no '%.*s'", BX_QUOTED(word));
        bx_hint(e, "package=N, cpu=N");
        return BX_BAD_INPUT;
    }
    uint64_t most = package ? s->cpus->packages - 1 : s->cpus_n - 1;
    int code = bx_words_number(w, value, most, package ? "package" : "cpu", &number, e);
    if (!code)
        *(package ? &to->package : &to->cpu) = (int64_t)number;
    return code;
}

static int takes(const bx_words *w, const char *usage, bx_error *e)
{
    BX_FAIL_AT(e, w, w->w[0], "'%.*s' takes other words", BX_QUOTED(w->w[0]));
    bx_hint(e, "%s", usage);
    return BX_BAD_INPUT;
}

static int raise_signal(bx_staged_perf *p, const bx_words *w, bx_error *e)
{
    bx_signal signal = {.package = -1, .cpu = -1};
    const bx_parsed_signal *found = NULL;
    uint64_t cycles = 0;
    if (w->n < 4 || w->n > 6)
        return takes(w, "signal EVENT LEVEL CYCLES [package=N] [cpu=N]", e);
    int code = find_event(p, w, &found, e);
    if (!code)
        code = bx_words_number(w, w->w[2], MOST_LEVEL, "LEVEL", &signal.level, e);
    if (!code)
        code = bx_words_number(w, w->w[3], most_cycles, "CYCLES", &cycles, e);
    for (size_t i = 4; !code && i < w->n; i++)
        code = read_key(p->signalled, w, w->w[i], &signal, e);
    if (code)
        return code;
    signal.event = &found->event;
    signal.all_units = found->all_units;
    bx_staged_pass(p, &signal, cycles);
    return BX_OK;
}

static int pass(bx_staged_perf *p, const bx_words *w, bx_error *e)
{
    uint64_t cycles;
    if (w->n != 2)
        return takes(w, "cycles N", e);
    int code = bx_words_number(w, w->w[1], most_cycles, "N", &cycles, e);
    if (!code)
        bx_staged_pass(p, &(bx_signal){.package = -1, .cpu = -1}, cycles);
    return code;
}

int bx_signal_line(bx_staged_perf *p, bx_str line, bx_error *e)
{
    bx_words w;
    int code = bx_words_split(line, &w, e);
    if (code || w.n == 0)
        return code;
    if (bx_str_eq(w.w[0], BX_STR("signal")))
        return raise_signal(p, &w, e);
    if (bx_str_eq(w.w[0], BX_STR("cycles")))
        return pass(p, &w, e);
    BX_FAIL_AT(e, &w, w.w[0], "a gathered machine has no registers and no model: no '%.*s'",
               BX_QUOTED(w.w[0]));
    bx_hint(e, "there are signal and cycles");
    return BX_BAD_INPUT;
}
