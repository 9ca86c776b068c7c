/* Makes a session of events and options: checks what can be counted, and makes the parts. */
#include "session/session.h"

#include "base/error.h"
#include "base/options.h"
#include "event/decode/recognize.h"
#include "event/event.h"

#include <stddef.h>
#include <stdlib.h>

/* Whether the machine lacks the event's unit, so that neither the kernel nor registers can count
 * it. */
static bool lacks(const struct bx_session *s, const bx_evsel *event, bx_error *e)
{
    bx_schedule alone = {0};
    int code = bx_schedule_make(s->programme.topology, event, 1, &alone, e);
    bx_schedule_free(&alone);
    return code != BX_OK;
}

/* Leaves out the events that this machine cannot count, and sets out[] for them. It is an error if
 * no event remains. */
static int leave_out_unsupported(struct bx_session *s, const bx_evsel *events, size_t n, bool *out,
                                 bx_error *e)
{
    size_t left = n;
    for (size_t i = 0; s->estimate.unsupported && i < n; i++) {
        bx_error *why = &s->estimate.unsupported[i];
        if (!why->code && (out[i] || !lacks(s, &events[i], why)))
            continue;
        if (why->code == BX_NO_MEMORY)
            return bx_out_of_memory(e);
        out[i] = true;
        left--;
    }
    if (left)
        return BX_OK;
    if (e && e->code == BX_OK)
        *e = s->estimate.unsupported[0];
    return s->estimate.unsupported[0].code;
}

static int make_parts(struct bx_session *s, const bx_evsel *events, const bx_session_options *o,
                      bx_sorted *sorted, bool *kernels, bx_schedule *absent, bx_error *e)
{
    bx_programme *p = &s->programme;
    size_t n = s->estimate.events_n;
    int code =
        bx_kernel_new(p->machine, events, n, o, s->estimate.unsupported, kernels, &s->kernel, e);
    if (code == BX_OK)
        code = leave_out_unsupported(s, events, n, kernels, e);
    if (code != BX_OK)
        return code;
    bx_programme_sort(p->machine, events, n, kernels, sorted);
    code = bx_programme_schedule(p, sorted->produced, e);
    if (code == BX_OK)
        code = bx_schedule_make(p->topology, p->events + sorted->produced,
                                sorted->n - sorted->produced, absent, e);
    if (code == BX_OK)
        code = bx_overflow_choose(p, sorted, o->overflow_event, e);
    if (code == BX_OK)
        code = bx_programme_plan(p, e);
    if (code != BX_OK)
        return code;
    if (!bx_readings_new(&s->estimate, p, s->kernel, absent, sorted, events) ||
        !bx_count_new(&s->samples, p))
        return bx_out_of_memory(e);
    bx_spread_find(&s->samples, p);
    return BX_OK;
}

static int read_options(const bx_session_options *given, bx_session_options *o, bx_error *e)
{
    enum { FIRST = offsetof(bx_session_options, overflow_context) + sizeof o->overflow_context };
    return bx_options_read(o, sizeof *o, FIRST, given, "bx_session_options", e);
}

static void take_options(struct bx_session *s, const bx_session_options *o)
{
    s->programme.at_once = !o->repeat && !o->rotate && bx_machine_has_banks(s->programme.machine);
    s->estimate.turns.slice = o->rotate == BX_ROTATE ? 0 : o->rotate;
    s->programme.interval = o->interval;
    s->programme.overflow = (bx_overflow){.again = o->overflow_again, .counts = o->overflow_after};
    s->stopper.at_overflow = o->at_overflow;
    s->stopper.context = o->overflow_context;
    s->programme.repeat = o->repeat;
    s->programme.pass = o->repeat ? o->pass : 0;
}

static int check_pass(const bx_programme *p, bx_error *e)
{
    if (p->pass >= p->schedule.passes)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no pass %u: the events take %u", p->pass,
                       p->schedule.passes);
    return BX_OK;
}

/* Refuses a selection of which the documents say that it counts nothing: its 0 would be no count.
 */
static int check_that_it_counts(const struct bx_catalog *c, const bx_evsel *event, bx_error *e)
{
    const char *lacking = bx_event_nothing(c, event);
    if (!lacking)
        return BX_OK;
    uint16_t which = event->event == BX_RAW ? bx_event_meant(c, event) : event->event;
    const bx_cat_event *of = &bx_cat_events(c)[which];
    int code = bx_fail(e, BX_BAD_INPUT, event->at, event->len,
                       "%s counts nothing with unit mask 0x%x: it lacks a choice of '%s'",
                       bx_cat_z(c, of->name), event->umask, lacking);
    bx_hint(e, "'boxscore info %s' lists the choices; source: %s", bx_cat_z(c, of->name),
            bx_cat_z(c, of->source));
    return code;
}

/* Refuses a filter for the second thread of a core on a virtual machine: it would count 0, as none
 * has two threads a core. */
static int check_threads(const bx_machine *m, const bx_evsel *event, bx_error *e)
{
    const struct bx_catalog *c = m->topology.catalog;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint16_t modifier = bx_cat_find_modifier(c, event->pmu, BX_STR("tf"));
    if (modifier == BX_NONE || !bx_machine_is_virtual(m))
        return BX_OK;
    uint64_t thread = event->modifier[modifier - pmu->modifiers.first];
    if (!thread || !(event->given >> (modifier - pmu->modifiers.first) & 1))
        return BX_OK;
    int code = bx_fail(e, BX_BAD_INPUT, event->at, event->len,
                       "tf=%llu counts nothing: a core of this machine has one thread, number 0",
                       (unsigned long long)thread);
    bx_hint(e, "leave tf out, or count on a host with Hyper-Threading");
    return code;
}

/* Kernel events are not checked here, but where their drivers are chosen. */
static int check_events(const bx_machine *m, const bx_evsel *events, size_t n, bx_error *e)
{
    if (n == 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there are no events to count");
    if (n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu events are too many", n);
    const struct bx_catalog *c = m->topology.catalog;
    int code = BX_OK;
    for (size_t i = 0; !code && i < n; i++) {
        if (events[i].pmu == BX_KERNEL)
            continue;
        if (!bx_event_is_valid(c, &events[i]))
            return bx_fail(e, BX_BAD_INPUT, events[i].at, events[i].len,
                           "event %zu is not a valid selection: a number is out of range", i);
        code = check_that_it_counts(c, &events[i], e);
        if (!code)
            code = check_threads(m, &events[i], e);
    }
    return code;
}

/* At a mark all counters are read, as at the end of an interval. */
static void at_mark(void *context, const bx_mark *mark)
{
    struct bx_session *s = context;
    if (bx_session_sample(s, NULL) == BX_OK)
        bx_regions_mark(&s->estimate, mark, s->samples.counted_to);
}

static int await_marks(struct bx_session *s, const bx_session_options *o, bx_error *e)
{
    if (!bx_regions_new(&s->estimate, o, !s->programme.real_hardware))
        return bx_out_of_memory(e);
    int code = bx_machine_on_mark(s->programme.machine, at_mark, s, e);
    s->is_told = code == BX_OK;
    return code ? code
                : bx_machine_follow_functions(s->programme.machine, o->inside, o->inside_n, e);
}

int bx_session_open(bx_machine *m, const bx_evsel *events, size_t n,
                    const bx_session_options *given, bx_session **s, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!events && n)
        return bx_missing(e, "event");
    if (!s)
        return bx_missing(e, "place for the session");
    bx_session_options o;
    int code = read_options(given, &o, e);
    if (code == BX_OK)
        code = check_events(m, events, n, e);
    if (code != BX_OK)
        return code;
    struct bx_session *made = calloc(1, sizeof *made);
    bx_sorted sorted = {.origin = calloc(n, sizeof *sorted.origin)};
    bx_schedule absent = {0};
    bool *kernels = calloc(n, sizeof *kernels);
    if (made)
        made->programme.events = sorted.events = calloc(n, sizeof *made->programme.events);
    bool skips = o.skip_unsupported && bx_machine_can(m)->has_drivers;
    if (made && skips)
        made->estimate.unsupported = calloc(n, sizeof *made->estimate.unsupported);
    if (!made || !made->programme.events || !sorted.origin || !kernels ||
        (skips && !made->estimate.unsupported)) {
        free(kernels);
        free(sorted.origin);
        bx_session_close(made);
        return bx_out_of_memory(e);
    }
    made->estimate.events_n = n;
    made->programme.machine = m;
    bx_machine_hold(m);
    made->programme.bus = bx_machine_bus(m);
    made->programme.topology = &m->topology;
    made->programme.real_hardware = !bx_machine_has_banks(m);
    take_options(made, &o);
    code = make_parts(made, events, &o, &sorted, kernels, &absent, e);
    bx_schedule_free(&absent);
    if (code == BX_OK)
        code = check_pass(&made->programme, e);
    if (code == BX_OK &&
        !bx_turns_open(&made->estimate.turns, &made->programme, &made->samples, o.rotate_seed))
        code = bx_out_of_memory(e);
    if (code == BX_OK && (o.regions || o.inside_n))
        code = await_marks(made, &o, e);
    free(kernels);
    free(sorted.origin);
    if (code != BX_OK) {
        bx_session_close(made);
        return code;
    }
    bx_programme_find_bases(&made->programme);
    *s = made;
    return BX_OK;
}
