/* Writes and reads the notes, and takes the requested readings out of a register log. */
#include "measure/recorded.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/printable.h"
#include "machine/machine.h"
#include "event/event.h"
#include "event/hint.h"
#include "report/label.h"
#include "tracer/environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Adds a note, which is one line. */
static void text_note(bx_buf *to, const char *key, const char *text)
{
    if (!text)
        return;
    bx_buf_f(to, "%s: ", key);
    for (const char *p = text; *p; p++)
        bx_buf_add(to, *p == '\n' ? " " : p, 1);
    bx_buf_z(to, "\n");
}

/* "environment: machine=virtual:skl\tfeatures=avx2" */
static void environment_note(bx_buf *to, const bx_recorded *r)
{
    bx_buf line = {.whole = &to->failed};
    for (size_t i = 0; i < r->environment_n; i++)
        bx_buf_f(&line, "%s%s=%s", i ? "\t" : "", r->environment[i].key, r->environment[i].value);
    text_note(to, "environment", bx_buf_text(&line));
    bx_buf_free(&line);
}

const char *bx_recorded_notes(const bx_recorded *r, bx_arena *arena)
{
    bx_buf text = {0};
    text_note(&text, "events", r->events);
    text_note(&text, "screen", r->screen);
    text_note(&text, "subject", r->subject);
    text_note(&text, "lackey", r->lackey);
    bx_buf_f(&text, "interval: %" PRIu64 " ns\nruns: %" PRIu64 "\npasses: %s\n", r->interval,
             r->runs, r->repeat ? "repeat" : "rotate");
    if (r->shown.cpus)
        bx_buf_f(&text,
                 "program finds: %s features, %u CPUs, its stack at a multiple of %d bytes\n",
                 r->shown.features ? r->shown.features : "the host's", r->shown.cpus,
                 BX_TRACE_STACK_STEP);
    environment_note(&text, r);
    const char *notes = text.failed ? NULL : bx_arena_copy(arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return notes;
}

static char *printable(bx_str text, bx_arena *arena)
{
    char *copy = bx_arena_copy(arena, text);
    if (copy)
        bx_printable(copy, text.n);
    return copy;
}

static const char *copied(const bx_machine *m, const char *key, bx_arena *arena)
{
    bx_str note = bx_machine_note(m, key);
    return note.n ? printable(note, arena) : NULL;
}

static void read_environment(const bx_machine *m, bx_arena *arena, bx_recorded *to)
{
    enum { MOST = 64 };
    bx_str note = bx_machine_note(m, "environment");
    bx_fact *facts = note.n ? bx_arena_get(arena, MOST * sizeof *facts) : NULL;
    while (facts && note.p && to->environment_n < MOST) {
        bx_str value = bx_str_cut(&note, '\t');
        bx_str key = bx_str_cut(&value, '=');
        facts[to->environment_n++] = (bx_fact){printable(key, arena), printable(value, arena)};
    }
    to->environment = facts;
}

static uint64_t recorded_number(const bx_machine *m, const char *key)
{
    uint64_t value;
    bx_str note = bx_machine_note(m, key);
    return bx_str_u64(bx_str_cut(&note, ' '), &value) ? value : 0;
}

bx_recorded bx_recorded_read(const bx_machine *m, bx_arena *arena)
{
    bx_recorded r = {
        .events = copied(m, "events", arena),
        .screen = copied(m, "screen", arena),
        .subject = copied(m, "subject", arena),
        .interval = recorded_number(m, "interval"),
        .runs = recorded_number(m, "runs"),
        .repeat = bx_str_eq(bx_machine_note(m, "passes"), BX_STR("repeat")),
    };
    read_environment(m, arena, &r);
    return r;
}

/* ---- what a replay is asked for ---- */

/* "500 us", in the largest unit in which it is whole */
typedef struct time_word {
    char text[32];
} time_word;

static time_word time_of(uint64_t ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    time_word w;
    unsigned unit = 0;
    for (; unit < 3 && ns && ns % 1000 == 0; unit++)
        ns /= 1000;
    snprintf(w.text, sizeof w.text, "%" PRIu64 "%s", ns, units[unit]);
    return w;
}

static int check_interval(const bx_recorded *r, const char *path, uint64_t asked, bx_error *e)
{
    if (!r->interval) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' was recorded without intervals", path);
        bx_hint(e, "leave the interval out");
        return BX_BAD_INPUT;
    }
    if (asked % r->interval == 0)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0,
            "'%s' was recorded with intervals of %s, of which %s is no multiple", path,
            time_of(r->interval).text, time_of(asked).text);
    bx_hint(e, "such as %s; or leave the interval out",
            time_of((asked / r->interval + 1) * r->interval).text);
    return BX_BAD_INPUT;
}

int bx_recorded_check(const bx_recorded *r, const char *path, const bx_measure_options *o,
                      bx_error *e)
{
    if (o->interval && check_interval(r, path, o->interval, e))
        return BX_BAD_INPUT;
    if (o->runs > 1 && r->runs && o->runs > r->runs) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' has %" PRIu64 " run%s, not %" PRIu64, path, r->runs,
                r->runs == 1 ? "" : "s", o->runs);
        bx_hint(e, "leave their number out: all runs are shown");
        return BX_BAD_INPUT;
    }
    unsigned passes = r->repeat ? BX_PASSES_REPEAT : BX_PASSES_ROTATE;
    if (o->passes != BX_PASSES_AUTO && o->passes != passes) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' was recorded with the passes '%s'", path,
                r->repeat ? "repeat" : "rotate");
        bx_hint(e, "leave passes out");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

int bx_recorded_find(const bx_measurement *m, const bx_evsel *asked, uint16_t *index, bx_error *e)
{
    const bx_catalog *c = m->measured->catalog;
    bx_names names = {0};
    for (size_t i = 0; i < m->counted_n; i++) {
        *index = (uint16_t)i;
        if (bx_event_is_part(c, &m->counted[i], asked))
            return BX_OK;
        const char *name = bx_label_event(c, &m->counted[i], m->arena);
        bx_names_add(&names, name ? name : "");
    }
    const char *name = bx_label_event(c, asked, m->arena);
    bx_fail(e, BX_NOT_FOUND, asked->at, asked->len, "'%s' was not recorded", name ? name : "");
    bx_hint(e, "recorded were: %s", names.text);
    return BX_NOT_FOUND;
}

bx_reading *bx_recorded_choose(const bx_measurement *m, const bx_reading *all, size_t *n)
{
    size_t events = m->measured->events_n, chosen = 0;
    bx_reading *to = calloc(events * *n + 1, sizeof *to);
    for (size_t event = 0; to && event < events; event++) {
        for (size_t i = 0; i < *n; i++) {
            if (all[i].event != m->recorded[event] ||
                !bx_event_has_reading(&m->measured->events[event], &all[i]))
                continue;
            to[chosen] = all[i];
            to[chosen++].event = (uint16_t)event;
        }
    }
    *n = chosen;
    return to;
}
