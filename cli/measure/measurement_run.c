/* Runs of a measurement: a machine, the work on it and a session for each pass. */
#include "cli/measure/interruption.h"
#include "cli/measure/measurement.h"
#include "cli/measure/recorded.h"
#include "cli/measure/window.h"

#include "base/buf.h"
#include "base/error.h"
#include "machine/machine.h"
#include "machine/program/process/attached.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- the work ---- */

static bool names_seed(bx_str part)
{
    while (part.p)
        if (bx_str_starts_fold(bx_str_trim(bx_str_cut(&part, ',')), BX_STR("seed=")))
            return true;
    return false;
}

/* Adds a seed to each part of a workload that has none: 2 in the second run, then 3, 4 … The first
 * run has the workload's own, which is 1. */
static void add_seeds(bx_str parts, unsigned run, bx_buf *to)
{
    while (parts.p) {
        bx_str part = bx_str_cut(&parts, '+');
        bx_buf_str(to, part);
        if (run > 0 && !names_seed(part))
            bx_buf_f(to, ",seed=%u", run + 1);
        if (parts.p)
            bx_buf_z(to, "+");
    }
}

/* Loads the workload for a run. The first run reports all errors in the text. It adds no seeds, so
 * their spans are right. */
static int load_workload(bx_machine *m, const char *workload, unsigned run, bx_error *e)
{
    bx_buf text = {0};
    add_seeds(bx_str_of(workload), run, &text);
    int code =
        text.failed ? bx_out_of_memory(e) : bx_machine_load_workload(m, text.p ? text.p : "", e);
    bx_buf_free(&text);
    return code;
}

/* Loads a program. If there is none, the user may have given a workload without --workload. */
static int load_program(bx_machine *machine, char *const argv[], bx_error *e)
{
    int code = bx_machine_load_program(machine, argv, e);
    for (size_t i = 0; code == BX_NOT_FOUND && bx_workload_name(i); i++)
        if (bx_str_eq(bx_str_of(bx_workload_name(i)), bx_str_of(argv[0])))
            bx_hint(e, "the workload of that name: --workload %s", argv[0]);
    return code;
}

static int load(const bx_measurement *m, bx_machine *machine, unsigned run, bx_error *e)
{
    if (m->workload)
        return load_workload(machine, m->workload, run, e);
    bx_machine_end_replay_if(machine, bx_interruption_ends);
    if (m->o.trace)
        return bx_machine_load_trace(machine, m->o.trace, e);
    return m->program ? load_program(machine, m->program, e) : BX_OK;
}

/* ---- one pass of the work ---- */

typedef struct pass {
    bx_measurement *of;
    bx_evsel *events; /* in the numbers of this machine */
    bx_machine *machine;
    bx_session *session;
    uint64_t start, end; /* the machine's time when counting started and ended */
    uint64_t sampled;    /* time of the last interval's end, since `start` */
    uint64_t step;       /* how far to run at a time: some hundredths of a second */
    bool not_restored;   /* not all registers were restored */
    bool stopped;        /* the session has ended before the work, at `end` */
    bool overflowed;     /* an overflow stopped it */
    bool timed_out;      /* --timeout stopped it */
    uint64_t deadline;   /* time of --timeout; UINT64_MAX: none */
    uint64_t shown;      /* time counted when the last interval ended */
    uint64_t intervals;  /* intervals shown so far */
    bx_window window;
    bx_reading *taken; /* the readings that are shown */
    int code;          /* error with which at_overflow() ended it; BX_OK: it ended as requested */
    bx_error error;
} pass;

enum { SMALLEST_STEP = 1 << 12, FIRST_STEP = 1 << 20, LARGEST_STEP = 1 << 30 };

static void adapt_step(pass *p, double took)
{
    if (took < 0.02 && p->step < LARGEST_STEP)
        p->step *= 2;
    else if (took > 0.1 && p->step > SMALLEST_STEP)
        p->step /= 2;
}

/* The number of readings that are not reported: the event of --sample is the last one, and has one
 * reading. */
static size_t unreported(const bx_measurement *m)
{
    return m->recorded ? 0 : m->counted_n - m->measured.events_n;
}

/* -C: whether the reading is of another core. The kernel makes no readings of other cores. */
static bool is_left_out(const bx_measurement *m, const bx_reading *reading)
{
    const bx_evsel *event = &m->counted[reading->event];
    const struct bx_catalog *c = m->measured.catalog;
    if (!m->attach.cores_n || reading->driver == BX_DRIVER_PERF || event->pmu == BX_KERNEL ||
        reading->unit == BX_PROGRAM || bx_cat_pmus(c)[event->pmu].scope == BX_SCOPE_PACKAGE)
        return false;
    unsigned core = reading->package * m->cores + reading->unit;
    for (size_t i = 0; i < m->attach.cores_n; i++)
        if (m->attach.cores[i] == core)
            return false;
    return true;
}

/* Takes the session's readings that are shown, without what was counted outside the window. */
static int take_readings(pass *p, bx_readings *to, bx_error *e)
{
    const bx_reading *list = bx_session_readings(p->session, &to->n);
    if (!p->taken)
        p->taken = calloc(to->n + 1, sizeof *p->taken);
    if (!p->taken)
        return bx_out_of_memory(e);
    to->n -= unreported(p->of);
    bx_window_readings(&p->window, list, to->n, p->taken);
    size_t left = 0;
    for (size_t i = 0; i < to->n; i++)
        if (!is_left_out(p->of, &p->taken[i]))
            p->taken[left++] = p->taken[i];
    to->n = left;
    to->list = p->taken;
    return BX_OK;
}

/* Ends counting before the work ends. A program continues. */
static int stop_here(pass *p, uint64_t now, bx_error *e)
{
    bx_error own = {0};
    p->end = now;
    p->stopped = true;
    int code = bx_session_stop(p->session, &own);
    if (!code || bx_session_left(p->session, 0)) /* left ones are reported later */
        return BX_OK;
    *e = own;
    return code;
}

static int report_interval(pass *p, bool shown, bx_error *e)
{
    const bx_measurement *m = p->of;
    bx_readings now = {0};
    uint64_t time = bx_machine_time(p->machine);
    if (p->window.used && bx_window_time(&p->window, p->start, time) == p->shown)
        return BX_OK; /* nothing was counted: --delay, --control */
    int code = bx_session_sample(p->session, e);
    if (!code && shown)
        code = take_readings(p, &now, e);
    if (code || !shown)
        return code;
    time = bx_machine_time(p->machine);
    now.at = time - p->start;
    now.time = p->shown = bx_window_time(&p->window, p->start, time);
    bx_progress_erase(m->progress);
    bx_reading *chosen = NULL;
    if (m->recorded) {
        now.list = chosen = bx_recorded_choose(m, now.list, &now.n);
        if (!chosen)
            return bx_out_of_memory(e);
    }
    code = m->at_interval(m->context, &now, e);
    free(chosen);
    if (!code && ++p->intervals == m->o.interval_count)
        code = stop_here(p, time, e);
    return code;
}

/* Called when a counter has overflowed. Returns whether the measurement continues. */
static bool at_overflow(void *context)
{
    pass *p = context;
    if (p->of->o.sample) {
        p->code = report_interval(p, true, &p->error);
        if (!p->code)
            return true;
    }
    p->end = bx_machine_time(p->machine);
    p->stopped = p->overflowed = true;
    return false;
}

/* Runs the work for a step. When counting has stopped, by --until, --interval-count or --timeout, a
 * program continues without being counted, and a workload ends. */
static int run_step(pass *p, uint64_t until, bool *done, bx_error *e)
{
    int code = p->stopped ? bx_machine_run(p->machine, until, done, e)
                          : bx_session_run(p->session, until, done, e);
    if (code || !p->stopped)
        return code;
    *done |= !p->of->program || p->code;
    *e = p->error;
    return p->code;
}

/* Converts a time from ns to units of the machine's time. */
static uint64_t time_of(const bx_measurement *m, uint64_t ns)
{
    double time = (double)ns * m->measured.hz / 1e9;
    return ns ? (uint64_t)time + (time < 1) : 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ns between two looks at --control. */
enum { LOOK_EVERY = 10000000 };

/* Handles --delay, --control and --timeout before the next step. */
static int keep_time(pass *p, uint64_t now, bx_error *e)
{
    bool stop = false;
    bx_control *control = p->of->o.control ? &p->of->control : NULL;
    int code = bx_window_update(&p->window, p->session, now, control, &stop, e);
    p->timed_out = !code && (stop || now >= p->deadline);
    if (!p->timed_out)
        return code;
    code = stop_here(p, now, e);
    pid_t program = bx_machine_pid(p->machine);
    if (!code && program) /* perf stat does the same at its --timeout */
        kill(program, SIGTERM);
    return code;
}

/* The time of the next event other than an interval's end: --control, --timeout, or the end of
 * --delay. */
static uint64_t due(const pass *p, uint64_t now)
{
    uint64_t control = p->of->o.control ? now + LOOK_EVERY : UINT64_MAX;
    return p->stopped ? UINT64_MAX : earlier(control, earlier(p->deadline, p->window.opens_at));
}

/* Whether the interval that ends now is shown. In a replay, a shown interval may consist of several
 * recorded ones. */
static bool is_shown(pass *p, uint64_t time)
{
    uint64_t each = p->of->every * time_of(p->of, p->of->o.interval), before = p->sampled;
    p->sampled = time;
    return each && time / each > before / each;
}

/* Runs to the end of the work. Between steps it handles intervals, signals and the terminal. */
static int run_to_end(pass *p, bx_error *e)
{
    bool delayed = p->window.opens_at != UINT64_MAX;
    uint64_t interval = time_of(p->of, p->of->o.interval), next = UINT64_MAX;
    if (interval)
        next = (delayed ? p->window.opens_at : p->start) + interval;
    bool done = false;
    int code = BX_OK;
    bx_interruption_pass_on(bx_machine_pid(p->machine), bx_machine_end_all(p->machine));
    while (!code && !done && !bx_interruption_ends()) {
        uint64_t now = bx_machine_time(p->machine);
        if (!p->stopped)
            code = keep_time(p, now, e);
        if (!code && !p->stopped && now >= next) {
            code = report_interval(p, is_shown(p, now - p->start), e);
            next += (now - next) / interval * interval + interval;
            now = bx_machine_time(p->machine);
        }
        if (code || (p->stopped && !p->of->program))
            break;
        /* If showing an interval takes longer than an interval, the work continues in between. */
        uint64_t until = next <= now            ? now + SMALLEST_STEP
                         : next - now < p->step ? next
                                                : now + p->step;
        until = earlier(until, due(p, now));
        double began = bx_progress_clock();
        code = run_step(p, until, &done, e);
        adapt_step(p, bx_progress_clock() - began);
        bx_progress_show(p->of->progress, bx_machine_accesses(p->machine));
    }
    bx_interruption_pass_on(0, NULL);
    return code;
}

static void name_left(const pass *p)
{
    for (size_t i = 0; bx_session_left(p->session, i); i++)
        bx_cli_note("%s", bx_session_left(p->session, i));
    const char *root = p->of->o.host.root, *journal = bx_session_journal(p->session);
    bool elsewhere = root && *root;
    if (journal)
        bx_cli_note("a journal has the remaining registers: boxscore restore%s%s%s '%s'",
                    elsewhere ? " --root '" : "", elsewhere ? root : "", elsewhere ? "'" : "",
                    journal);
}

static int count(pass *p, bx_error *e)
{
    bx_error late = {0};
    int code = bx_session_start(p->session, e);
    if (code == BX_OK && bx_session_remark(p->session) && !p->of->remarked)
        bx_cli_note("%s", bx_session_remark(p->session));
    p->of->remarked = true;
    p->start = p->end = bx_machine_time(p->machine);
    bx_measurement *m = p->of;
    bx_window_new(&p->window, p->start, m->delay == UINT64_MAX ? m->delay : time_of(m, m->delay),
                  m->o.control);
    p->deadline = m->o.timeout ? p->start + time_of(m, m->o.timeout) : UINT64_MAX;
    if (code == BX_OK) {
        code = run_to_end(p, e);
        if (!p->stopped)
            p->end = bx_machine_time(p->machine);
        int stopped = p->stopped ? BX_OK : bx_session_stop(p->session, &late);
        p->not_restored = bx_session_left(p->session, 0); /* the counts are still valid */
        if (!code && stopped && !p->not_restored) {
            code = stopped;
            *e = late;
        }
    }
    name_left(p);
    return code;
}

/* Keeps the facts on a trace file, if all of it was read. */
static void keep_trace(const pass *p)
{
    const bx_tracefile_reader *file = bx_machine_trace(p->machine);
    bx_buf text = {0};
    if (!file || p->stopped || bx_interruption_signal())
        return;
    bx_buf_f(&text, "trace '%s': %" PRIu64 " bytes, cksum %" PRIu32 "; its program ended with %d",
             p->of->o.trace, bx_tracefile_bytes(file), bx_tracefile_cksum(file),
             bx_machine_exit_status(p->machine));
    p->of->traced = bx_arena_copy(&p->of->cli->arena, (bx_str){text.p, text.n});
    p->of->cli->arena.failed |= text.failed;
    bx_buf_free(&text);
}

/* Copies the session's regions, because the session ends. */
static int keep_regions(const pass *p, bx_outcome *o, bx_error *e)
{
    bx_arena *arena = &p->of->cli->arena;
    size_t n, readings_n;
    const bx_region *regions = bx_session_regions(p->session, &n);
    bx_session_readings(p->session, &readings_n);
    o->regions = bx_arena_get(arena, (n + 1) * sizeof *o->regions);
    for (size_t i = 0; i < n && !arena->failed; i++) {
        bx_reading *copy = bx_arena_get(arena, (readings_n + 1) * sizeof *copy);
        if (copy)
            memcpy(copy, regions[i].readings, readings_n * sizeof *copy);
        o->regions[i] = regions[i];
        o->regions[i].readings = copy;
        o->regions[i].name = bx_arena_copy(arena, bx_str_of(regions[i].name));
    }
    o->regions_n = n;
    if (p->of->o.inside.n)
        o->time = bx_session_inside(p->session);
    return arena->failed ? bx_out_of_memory(e) : BX_OK;
}

/* "MESSAGE; HINT" */
static const char *reason(const bx_error *why, bx_arena *arena)
{
    bx_buf text = {.whole = &arena->failed};
    bx_buf_f(&text, "%s%s%s", why->message, why->hint[0] ? "; " : "", why->hint);
    const char *copy = bx_arena_copy(arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return copy;
}

/* Keeps the reasons of the first run. They are the same in all runs. */
static int keep_unsupported(const pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    bx_arena *arena = &m->cli->arena;
    if (m->unsupported)
        return BX_OK;
    m->unsupported = bx_arena_get(arena, (m->counted_n + 1) * sizeof *m->unsupported);
    for (size_t i = 0; m->unsupported && i < m->counted_n; i++) {
        const bx_error *why = bx_session_unsupported(p->session, i);
        m->unsupported[i] = why ? reason(why, arena) : NULL;
    }
    return arena->failed ? bx_out_of_memory(e) : BX_OK;
}

static int keep(pass *p, bx_outcome *o, bx_error *e)
{
    bx_readings now = {0};
    int code = take_readings(p, &now, e);
    if (!code)
        code = keep_unsupported(p, e);
    if (code)
        return code;
    if (!o->readings) {
        o->readings = malloc((now.n + 1) * sizeof *o->readings);
        if (!o->readings)
            return bx_out_of_memory(e);
        memcpy(o->readings, now.list, now.n * sizeof *now.list);
        o->n = now.n;
        o->at = p->end - p->start;
        o->time = bx_window_time(&p->window, p->start, p->end);
    }
    /* A further pass: adds the events that earlier ones did not count. */
    for (size_t i = 0; i < now.n && i < o->n; i++)
        if (now.list[i].state < o->readings[i].state)
            o->readings[i] = now.list[i];
    const bx_error *trouble = bx_session_trouble(p->session);
    if (trouble)
        o->trouble = *trouble;
    int signal = bx_machine_killed_by(p->machine);
    o->status = bx_machine_exit_status(p->machine);
    if (p->timed_out && signal == SIGTERM)
        o->status = 0; /* --timeout ended the program, so this is no error */
    else if (signal && signal != bx_interruption_signal())
        o->killed_by = signal;
    p->of->refused_marks = bx_machine_refused_marks(p->machine);
    const char *untraced = bx_machine_untraced(p->machine);
    const char *notes = bx_machine_notes(p->machine, &p->of->cut);
    if (notes)
        p->of->tracer_says = bx_arena_copy(&p->of->cli->arena, bx_str_of(notes));
    if (p->of->cut && o->status == 0)
        o->status = 1; /* the program's own status is not known */
    if (untraced)
        p->of->untraced = bx_arena_copy(&p->of->cli->arena, bx_str_of(untraced));
    const char *left = bx_machine_left(p->machine);
    if (left)
        p->of->left = bx_arena_copy(&p->of->cli->arena, bx_str_of(left));
    keep_trace(p);
    o->overflowed |= p->overflowed;
    o->begun |= p->window.ever;
    o->not_restored |= p->not_restored;
    return keep_regions(p, o, e);
}

/* The kernel's events have numbers that belong to the machine. */
static int take_events(pass *p, bx_error *e)
{
    size_t n = p->of->counted_n;
    bool kernels = false;
    p->events = malloc((n + 1) * sizeof *p->events);
    if (!p->events)
        return bx_out_of_memory(e);
    memcpy(p->events, p->of->counted, n * sizeof *p->events);
    for (size_t i = 0; i < n; i++)
        kernels |= p->events[i].pmu == BX_KERNEL;
    return kernels ? bx_machine_events_parse(p->machine, p->of->events_text, p->events, n, &n, e)
                   : BX_OK;
}

/* The machine on which the events were read counts first. Each further pass or run opens a new one,
 * with caches and counters as after power-on. */
static int take_machine(pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    const bx_recording_part part = {.number = m->part++, .notes = m->notes};
    p->machine = m->machine;
    m->machine = NULL;
    m->about = m->measured.machine;
    return p->machine ? BX_OK
                      : bx_machine_open_part(m->measured.catalog, m->measured.machine, &m->o.host,
                                             &part, &p->machine, e);
}

/* Attaches to running processes, and keeps the names of their threads for the report. */
static int attach(pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    const bx_attach_options *o = &m->o.attach;
    bool is_work = bx_attach_is_work(o) && !m->program && !m->workload && !m->o.trace;
    if (!o->processes && !o->threads && !is_work)
        return BX_OK;
    int code = bx_machine_attach(p->machine, m->attach.ids, m->attach.ids_n, m->attach.threads, e);
    if (code)
        return code;
    size_t n;
    const bx_attached_thread *threads = bx_machine_attached(p->machine, &n);
    bx_attached_thread *copy = bx_arena_get(&m->cli->arena, (n + 1) * sizeof *copy);
    if (!copy)
        return bx_out_of_memory(e);
    if (n)
        memcpy(copy, threads, n * sizeof *copy);
    m->measured.threads = copy;
    m->measured.threads_n = n;
    return BX_OK;
}

/* Opens everything. The caller closes what is open, also after an error. */
static int prepare(pass *p, unsigned run, unsigned number, bx_error *e)
{
    bx_measurement *m = p->of;
    const bx_session_options options = {.size = sizeof options,
                                        .rotate = m->o.passes == BX_PASSES_ROTATE ? BX_ROTATE : 0,
                                        .rotate_seed = run,
                                        .repeat = m->o.passes == BX_PASSES_REPEAT,
                                        .pass = number,
                                        .overflow_after = m->overflow.counts,
                                        .overflow_event = m->overflow_event,
                                        .overflow_again = m->o.sample,
                                        .at_overflow = at_overflow,
                                        .overflow_context = p,
                                        .regions = m->o.regions,
                                        .inside = (const char *const *)m->o.inside.text,
                                        .inside_n = m->o.inside.n,
                                        .cpus = m->attach.cpus,
                                        .cpus_n = m->attach.cpus_n,
                                        .skip_unsupported = true};
    int code = take_machine(p, e);
    if (code)
        return code;
    m->about = NULL;
    code = attach(p, e);
    if (code)
        return code;
    m->about = m->events_text;
    code = take_events(p, e);
    if (!code)
        code = bx_session_open(p->machine, p->events, m->counted_n, &options, &p->session, e);
    if (code)
        return code;
    m->about = m->workload;
    return load(m, p->machine, run, e);
}

/* One session on one machine. *passes: the number of passes that the events need. */
static int measure_pass(bx_measurement *m, unsigned run, unsigned number, unsigned *passes,
                        bx_outcome *o, bx_error *e)
{
    pass p = {.of = m, .step = FIRST_STEP};
    int code = prepare(&p, run, number, e);
    if (!code) {
        m->about = m->events_text; /* the kernel may have refused an event */
        code = count(&p, e);
    }
    if (!code)
        code = keep(&p, o, e);
    bx_error own = {0}; /* the recording's error is the cause of all others */
    if (p.machine && code == BX_NO_MEMORY)
        bx_machine_drop_recording(p.machine);
    if (p.machine && bx_machine_finish(p.machine, !code, &own)) {
        code = own.code;
        m->about = NULL;
        *e = own;
    }
    if (!code && m->o.passes == BX_PASSES_REPEAT)
        *passes = bx_session_passes(p.session);
    if (p.machine)
        bx_progress_next(m->progress, bx_machine_accesses(p.machine));
    bx_session_close(p.session);
    bx_machine_close(p.machine);
    bx_window_free(&p.window);
    free(p.taken);
    free(p.events);
    return code;
}

/* Chooses the requested readings of a recording. */
static int choose_readings(const bx_measurement *m, bx_outcome *o, bx_error *e)
{
    bx_reading *chosen = bx_recorded_choose(m, o->readings, &o->n);
    free(o->readings);
    o->readings = chosen;
    return chosen ? BX_OK : bx_out_of_memory(e);
}

int bx_measurement_run(bx_measurement *m, unsigned run, bx_outcome *outcome, bx_error *e)
{
    bx_outcome o = {0};
    unsigned passes = 1;
    int code = BX_OK;
    for (unsigned i = 0; i < passes && !code && !bx_interruption_signal() && !o.not_restored; i++)
        code = measure_pass(m, run, i, &passes, &o, e);
    bx_progress_erase(m->progress);
    if (!code && m->recorded)
        code = choose_readings(m, &o, e);
    o.signal = bx_interruption_signal();
    if (code)
        free(o.readings);
    else
        *outcome = o;
    return code;
}
