/* The course of a measurement: open, start, run, stop. */
#include "session/session.h"

#include "base/error.h"
#include "base/options.h"
#include "event/decode/recognize.h"
#include "event/event.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* If each pass has a bank, a box whose events all fit is counted in the first bank only. */
static void count_at_once(bx_programme *p)
{
    p->at_once &= p->schedule.passes > 1;
    for (size_t i = 0; p->at_once && i < p->schedule.n; i++)
        p->schedule.assignments[i].passes = (uint16_t)p->schedule.passes;
}

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
    for (size_t i = 0; s->unsupported && i < n; i++) {
        bx_error *why = &s->unsupported[i];
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
        *e = s->unsupported[0];
    return s->unsupported[0].code;
}

static int make_session(struct bx_session *s, const bx_evsel *events, size_t n,
                        const bx_session_options *o, bx_sorted *sorted, bool *kernels, bx_error *e)
{
    bx_schedule absent = {0};
    int code =
        bx_kernel_new(s->programme.machine, events, n, o, s->unsupported, kernels, &s->kernel, e);
    if (code == BX_OK)
        code = leave_out_unsupported(s, events, n, kernels, e);
    if (code != BX_OK)
        return code;
    bx_readings_sort(s->programme.machine, events, n, kernels, sorted);
    code = bx_schedule_make(s->programme.topology, s->programme.events, sorted->produced,
                            &s->programme.schedule, e);
    if (code == BX_OK)
        code = bx_schedule_make(s->programme.topology, s->programme.events + sorted->produced,
                                sorted->n - sorted->produced, &absent, e);
    if (code == BX_OK) {
        count_at_once(&s->programme);
        code = bx_session_find_overflow(&s->stopper, &s->programme, sorted, e);
    }
    if (code == BX_OK)
        code = bx_plan_make(s->programme.topology, s->programme.events, &s->programme.schedule,
                            s->programme.interval, &s->stopper.overflow, &s->programme.plan, e);
    if (code == BX_OK) {
        s->programme.refused =
            calloc(s->programme.plan.n ? s->programme.plan.n : 1, sizeof *s->programme.refused);
        s->programme.written =
            calloc(s->programme.plan.n ? s->programme.plan.n : 1, sizeof *s->programme.written);
        if (!s->programme.refused || !s->programme.written ||
            !bx_count_new(&s->samples, &s->programme, &s->stopper) ||
            !bx_readings_new(s, &absent, sorted, events, n))
            code = bx_out_of_memory(e);
        else
            bx_spread_find(&s->samples, &s->programme);
    }
    bx_schedule_free(&absent);
    return code;
}

static int read_options(const bx_session_options *given, bx_session_options *o, bx_error *e)
{
    enum { FIRST = offsetof(bx_session_options, overflow_context) + sizeof o->overflow_context };
    return bx_options_read(o, sizeof *o, FIRST, given, "bx_session_options", e);
}

static void take_options(struct bx_session *s, const bx_session_options *o)
{
    s->programme.at_once = !o->repeat && !o->rotate && bx_machine_has_banks(s->programme.machine);
    s->turns.slice = o->rotate == BX_ROTATE ? 0 : o->rotate;
    s->programme.interval = o->interval;
    s->stopper.overflow = (bx_overflow){.again = o->overflow_again, .counts = o->overflow_after};
    s->stopper.event = o->overflow_event;
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
    bool *kernels = calloc(n, sizeof *kernels);
    if (made)
        made->programme.events = sorted.events = calloc(n, sizeof *made->programme.events);
    bool skips = o.skip_unsupported && bx_machine_can(m)->has_drivers;
    if (made && skips)
        made->unsupported = calloc(n, sizeof *made->unsupported);
    if (!made || !made->programme.events || !sorted.origin || !kernels ||
        (skips && !made->unsupported)) {
        free(kernels);
        free(sorted.origin);
        bx_session_close(made);
        return bx_out_of_memory(e);
    }
    made->events_n = n;
    made->programme.machine = m;
    bx_machine_hold(m);
    made->programme.bus = bx_machine_bus(m);
    made->programme.topology = &m->topology;
    made->programme.real_hardware = !bx_machine_has_banks(m);
    take_options(made, &o);
    code = make_session(made, events, n, &o, &sorted, kernels, e);
    if (code == BX_OK)
        code = check_pass(&made->programme, e);
    if (code == BX_OK &&
        !bx_turns_open(&made->turns, &made->programme, &made->samples, o.rotate_seed))
        code = bx_out_of_memory(e);
    if (code == BX_OK && (o.regions || o.inside_n))
        code = bx_regions_new(made, &o, e);
    free(kernels);
    free(sorted.origin);
    if (code != BX_OK) {
        bx_session_close(made);
        return code;
    }
    bx_execute_find_bases(made);
    *s = made;
    return BX_OK;
}

unsigned bx_session_passes(const bx_session *s)
{
    if (!s)
        return 0;
    return s->programme.schedule.passes;
}

const bx_error *bx_session_trouble(const bx_session *s)
{
    if (!s)
        return NULL;
    return s->trouble.code ? &s->trouble : NULL;
}

static void begin_slice(struct bx_session *s)
{
    bx_count_activate(&s->samples, &s->programme);
    s->turns.ends = bx_turns_end(&s->turns, &s->programme);
}

/* Changes to the next pass. All other counters continue: if a counter were stopped and started
 * again, it could count a rising edge that did not happen. */
static void rotate(struct bx_session *s)
{
    bx_verify_unchanged(s, false, false);
    bx_execute(s, BX_STEP_STOP, false);
    bx_verify_unchanged(s, false, true);
    bx_count_collect(s, BX_SAMPLE_ROTATE);
    bx_spread_end_turn(&s->samples, &s->programme);
    bx_turns_next(&s->turns, &s->programme, &s->samples);
    bx_execute(s, BX_STEP_SETUP, false);
    bx_execute(s, BX_STEP_START, false);
    begin_slice(s);
}

/* Whether nothing can be counted. Events that the machine does not produce are not considered. */
static bool all_blocked(const struct bx_session *s)
{
    bool blocked = s->programme.schedule.n > 0;
    for (size_t i = 0; i < s->programme.schedule.n; i++)
        if (!s->samples.states[i].blocked || s->samples.states[i].reading->state == BX_NOT_MODELLED)
            return false;
    for (size_t i = 0; i < s->kernel->n; i++)
        switch (s->kernel->assignments[i].reading->state) {
        case BX_BLOCKED:
            blocked = true;
            break;
        case BX_NOT_SUPPORTED:
            break;
        default:
            return false;
        }
    return blocked;
}

/* Marks events for which the work has no information. The work is loaded by now. */
static void leave_out_untold(struct bx_session *s)
{
    for (size_t i = 0; i < s->programme.schedule.n; i++) {
        const bx_assignment *assignment = &s->programme.schedule.assignments[i];
        if (bx_machine_work_tells(s->programme.machine, &s->programme.events[assignment->event],
                                  assignment->place))
            continue;
        s->samples.states[i].blocked = true;
        s->samples.states[i].reading->state = BX_NOT_MODELLED;
    }
}

int bx_session_start(bx_session *s, bx_error *e)
{
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_OPENED)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "a session starts once only");
    leave_out_untold(s);
    int code = bx_kernel_open(s->kernel, &s->trouble, e);
    if (code != BX_OK)
        return code;
    code = bx_banks_open(&s->programme, e);
    if (code == BX_OK)
        code = bx_preflight_lock(&s->undo, &s->programme, e);
    if (code == BX_OK) {
        bx_machine_mark(s->programme.machine, "phase: save");
        code = bx_save(s, e);
    }
    if (code == BX_OK)
        code = bx_preflight_check(&s->undo, &s->programme, e);
    if (code != BX_OK) { /* nothing was written, so the session may be started again */
        bx_preflight_end(&s->undo, &s->programme, true);
        bx_save_free(&s->undo, &s->programme);
        bx_banks_close(&s->programme);
        bx_buf_free(&s->undo.journal);
        return code;
    }
    s->phase = BX_RUNNING;
    bx_session_await_overflow(s, bx_session_stop);
    s->samples.last_sampled = bx_machine_time(s->programme.machine);
    bx_machine_mark(s->programme.machine, "phase: set up");
    bx_execute(s, BX_STEP_SETUP, true);
    bx_machine_mark(s->programme.machine, "phase: start");
    bx_execute(s, BX_STEP_START, true);
    s->samples.began = s->samples.counted_to = bx_machine_time(s->programme.machine);
    begin_slice(s);
    bx_count_prime(s);
    for (size_t i = 0; i < s->samples.active.n; i++)
        s->samples.active.counter_state[i]->reading->state = BX_COUNTED;
    if (!all_blocked(s)) {
        bx_kernel_start(s->kernel);
        return BX_OK;
    }
    bx_session_stop(s, NULL);
    if (e && e->code == BX_OK)
        *e = s->trouble;
    return s->trouble.code;
}

static int not_running(bx_error *e)
{
    return bx_fail(e, BX_BAD_INPUT, 0, 0, "the session does not run");
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int bx_session_run(bx_session *s, uint64_t until, bool *done, bx_error *e)
{
    bool ignored;
    done = done ? done : &ignored;
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_RUNNING)
        return not_running(e);
    bool all = false; /* an overflow may end the session */
    while (!all && s->phase == BX_RUNNING && bx_machine_time(s->programme.machine) < until) {
        uint64_t next = earliest(until, earliest(s->turns.ends, s->samples.must_read));
        int code = bx_machine_run(s->programme.machine, next, &all, e);
        if (code != BX_OK)
            return code;
        uint64_t now = bx_machine_time(s->programme.machine);
        if (s->phase != BX_RUNNING)
            break;
        if (now >= s->turns.ends)
            rotate(s);
        else if (now >= s->samples.must_read)
            bx_count_collect(s, BX_SAMPLE_RUNNING);
    }
    *done = all;
    return BX_OK;
}

int bx_session_sample(bx_session *s, bx_error *e)
{
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_RUNNING)
        return not_running(e);
    bx_count_now(s);
    return BX_OK;
}

int bx_session_stop(bx_session *s, bx_error *e)
{
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_RUNNING)
        return not_running(e);
    bx_regions_close(s);
    s->phase = BX_STOPPED;
    bx_session_await_overflow(s, NULL);
    bx_kernel_stop(s->kernel);
    bx_machine_mark(s->programme.machine, "phase: stop");
    bx_verify_unchanged(s, true, false);
    bx_execute(s, BX_STEP_STOP, true);
    bx_verify_unchanged(s, true, true);
    bx_count_collect(s, BX_SAMPLE_STOP);
    if (s->turns.order)
        bx_spread_end_turn(&s->samples, &s->programme);
    bx_count_update(&s->samples, &s->programme);
    bx_kernel_collect(s->kernel, &s->trouble);
    bx_machine_mark(s->programme.machine, "phase: restore");
    int code = bx_restore(&s->undo, &s->programme, e);
    bx_preflight_end(&s->undo, &s->programme, code == BX_OK);
    return code == BX_OK ? bx_regions_finish(s, e) : code;
}

const bx_reading *bx_session_readings(const bx_session *s, size_t *n)
{
    size_t ignored;
    n = n ? n : &ignored;
    *n = 0;
    if (!s)
        return NULL;
    *n = s->n;
    return s->readings;
}

double bx_reading_value(const bx_reading *r)
{
    if (!r)
        return 0;
    double count = (double)r->count * (r->scale ? r->scale : 1);
    if (r->state == BX_COUNTED)
        return count;
    if (r->state == BX_SCALED)
        return count * (double)r->enabled / (double)r->running;
    return 0;
}

void bx_session_close(bx_session *s)
{
    if (!s)
        return;
    if (s->phase == BX_RUNNING)
        bx_session_stop(s, NULL);
    bx_machine *m = s->programme.machine;
    bx_banks_close(&s->programme);
    bx_kernel_free(s->kernel);
    bx_regions_free(s);
    bx_count_free(&s->samples);
    bx_turns_close(&s->turns);
    bx_schedule_free(&s->programme.schedule);
    bx_plan_free(&s->programme.plan);
    free(s->programme.events);
    bx_save_free(&s->undo, &s->programme);
    free(s->programme.refused);
    free(s->programme.written);
    free(s->undo.not_restored);
    bx_buf_free(&s->undo.journal);
    free(s->readings);
    free(s->unsupported);
    free(s);
    if (m)
        bx_machine_let_go(m);
}
