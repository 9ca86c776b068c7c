/* Runs of a measurement: a machine, the work on it and a session for each pass. */
#include "cli/measure/interruption.h"
#include "cli/measure/measurement.h"

#include "base/buf.h"
#include "base/error.h"
#include "machine/machine.h"

#include <inttypes.h>
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

/* Adds seeds to parts of a workload that have none: 1 in the first run, then 2, 3 … */
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

/* The first run reports mistakes in the text; no seed was added before them. */
static int load_workload(bx_machine *m, const char *workload, unsigned run, bx_error *e)
{
    bx_buf text = {0};
    add_seeds(bx_str_of(workload), run, &text);
    int code =
        text.failed ? bx_out_of_memory(e) : bx_machine_load_workload(m, text.p ? text.p : "", e);
    bx_buf_free(&text);
    return code;
}

static int load(const bx_measurement *m, bx_machine *machine, unsigned run, bx_error *e)
{
    if (m->workload)
        return load_workload(machine, m->workload, run, e);
    if (m->o.trace)
        return bx_machine_load_trace(machine, m->o.trace, e);
    return m->program ? bx_machine_load_program(machine, m->program, e) : BX_OK;
}

/* ---- one pass of the work ---- */

typedef struct pass {
    bx_measurement *of;
    bx_evsel *events; /* in the numbers of this machine */
    bx_machine *machine;
    bx_session *session;
    uint64_t start, end; /* the machine's time when counting started and ended */
    uint64_t step;       /* how far to run at a time: some hundredths of a second */
    bool not_restored;   /* not all registers were restored */
    bool stopped;        /* an overflow ended the session, at `end` */
    int code;            /* why at_overflow() ended it; BX_OK: it was to end */
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

/* The event of --sample is the last, and has one reading. */
static size_t unreported(const bx_measurement *m)
{
    return m->counted_n - m->measured.events_n;
}

static int report_interval(const pass *p, bx_error *e)
{
    const bx_measurement *m = p->of;
    bx_readings now = {0};
    int code = bx_session_sample(p->session, e);
    if (code)
        return code;
    now.list = bx_session_readings(p->session, &now.n);
    now.n -= unreported(m);
    now.time = bx_machine_time(p->machine) - p->start;
    bx_progress_erase(m->progress);
    return m->at_interval(m->context, &now, e);
}

/* A counter has overflowed. Returns whether to go on. */
static bool at_overflow(void *context)
{
    pass *p = context;
    if (p->of->o.sample) {
        p->code = report_interval(p, &p->error);
        if (!p->code)
            return true;
    }
    p->end = bx_machine_time(p->machine);
    p->stopped = true;
    return false;
}

/* After the overflow of --until a program runs on uncounted, and a workload ends. */
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

/* In units of the machine's time. */
static uint64_t interval_of(const bx_measurement *m)
{
    double interval = (double)m->o.interval * m->measured.hz / 1e9;
    return m->o.interval ? (uint64_t)interval + (interval < 1) : 0;
}

/* Runs to the end of the work. Between steps it handles intervals, signals and the terminal. */
static int run_to_end(pass *p, bx_error *e)
{
    uint64_t interval = interval_of(p->of), next = interval ? p->start + interval : UINT64_MAX;
    bool done = false;
    int code = BX_OK;
    bx_interruption_pass_on(bx_machine_pid(p->machine));
    while (!code && !done && !bx_interruption_ends()) {
        uint64_t now = bx_machine_time(p->machine);
        if (now >= next) {
            code = report_interval(p, e);
            next += (now - next) / interval * interval + interval;
            now = bx_machine_time(p->machine);
            if (code)
                break;
        }
        /* If showing an interval takes longer than an interval, the work continues in between. */
        uint64_t until = next <= now            ? now + SMALLEST_STEP
                         : next - now < p->step ? next
                                                : now + p->step;
        double began = bx_progress_clock();
        code = run_step(p, until, &done, e);
        adapt_step(p, bx_progress_clock() - began);
        bx_progress_show(p->of->progress, bx_machine_accesses(p->machine));
    }
    bx_interruption_pass_on(0);
    return code;
}

static void name_left(const pass *p)
{
    for (size_t i = 0; bx_session_left(p->session, i); i++)
        bx_cli_note("%s", bx_session_left(p->session, i));
    const char *root = p->of->o.host.root, *journal = bx_session_journal(p->session);
    bool elsewhere = root && *root;
    if (journal)
        bx_cli_note("what is left is in a journal: boxscore restore%s%s%s '%s'",
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

/* If all of it was read. */
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

/* The session's, which ends. */
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

static int keep(const pass *p, bx_outcome *o, bx_error *e)
{
    size_t n;
    const bx_reading *readings = bx_session_readings(p->session, &n);
    if (!o->readings) {
        o->readings = malloc((n + 1) * sizeof *o->readings);
        if (!o->readings)
            return bx_out_of_memory(e);
        memcpy(o->readings, readings, n * sizeof *readings);
        o->n = n - unreported(p->of);
        o->time = p->end - p->start;
    }
    /* A further pass: adds the events that earlier ones did not count. */
    for (size_t i = 0; i < n && i < o->n; i++)
        if (readings[i].state < o->readings[i].state)
            o->readings[i] = readings[i];
    const bx_error *trouble = bx_session_trouble(p->session);
    if (trouble)
        o->trouble = *trouble;
    int signal = bx_machine_killed_by(p->machine);
    o->status = bx_machine_exit_status(p->machine);
    if (signal && signal != bx_interruption_signal())
        o->killed_by = signal;
    const char *untraced = bx_machine_untraced(p->machine);
    if (untraced)
        p->of->untraced = bx_arena_copy(&p->of->cli->arena, bx_str_of(untraced));
    keep_trace(p);
    o->overflowed |= p->stopped;
    o->not_restored |= p->not_restored;
    return keep_regions(p, o, e);
}

/* The kernel's events have numbers that belong to the machine. */
static int take_events(pass *p, bx_error *e)
{
    const bx_measured *of = &p->of->measured;
    size_t n = p->of->counted_n;
    bool kernels = false;
    p->events = malloc((n + 1) * sizeof *p->events);
    if (!p->events)
        return bx_out_of_memory(e);
    memcpy(p->events, of->events, n * sizeof *p->events);
    for (size_t i = 0; i < n; i++)
        kernels |= of->events[i].pmu == BX_KERNEL;
    return kernels ? bx_machine_events_parse(p->machine, p->of->events_text, p->events, n, &n, e)
                   : BX_OK;
}

/* The machine on which the events were read counts first. Further passes and runs find a new one:
 * caches and counters as after power-on. */
static int take_machine(pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    bx_machine_options host = m->o.host;
    host.part = m->part++;
    p->machine = m->machine;
    m->machine = NULL;
    m->about = m->measured.machine;
    return p->machine ? BX_OK
                      : bx_machine_open_with(m->measured.catalog, m->measured.machine, &host,
                                             &p->machine, e);
}

/* Opens everything. The caller closes what is open, also after an error. */
static int prepare(pass *p, unsigned run, unsigned number, bx_error *e)
{
    bx_measurement *m = p->of;
    const bx_session_options options = {.size = sizeof options,
                                        .rotate = m->o.passes == BX_PASSES_ROTATE ? BX_ROTATE : 0,
                                        .repeat = m->o.passes == BX_PASSES_REPEAT,
                                        .pass = number,
                                        .overflow_after = m->overflow.counts,
                                        .overflow_event = m->overflow_event,
                                        .overflow_again = m->o.sample,
                                        .at_overflow = at_overflow,
                                        .overflow_context = p,
                                        .regions = m->o.regions,
                                        .inside = (const char *const *)m->o.inside.text,
                                        .inside_n = m->o.inside.n};
    int code = take_machine(p, e);
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
        m->about = m->events_text; /* an event that the kernel refuses */
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
    free(p.events);
    return code;
}

int bx_measurement_run(bx_measurement *m, unsigned run, bx_outcome *outcome, bx_error *e)
{
    bx_outcome o = {0};
    unsigned passes = 1;
    int code = BX_OK;
    for (unsigned i = 0; i < passes && !code && !bx_interruption_signal() && !o.not_restored; i++)
        code = measure_pass(m, run, i, &passes, &o, e);
    bx_progress_erase(m->progress);
    o.signal = bx_interruption_signal();
    if (code)
        free(o.readings);
    else
        *outcome = o;
    return code;
}
