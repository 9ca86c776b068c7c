/* Counts during a pass: intervals, overflows, times, and the end. */
#include "measure/pass.h"

#include "base/error.h"
#include "machine/program/process/host_program.h"
#include "measure/recorded.h"

#include <signal.h>
#include <stdlib.h>

enum { SMALLEST_STEP = 1 << 12, FIRST_STEP = 1 << 20, LARGEST_STEP = 1 << 30 };

static void adapt_step(bx_pass *p, double took)
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
    return m->recorded ? 0 : m->counted_n - m->measured->events_n;
}

/* With `cpus`: whether the reading is of another core. The kernel makes no readings of other cores.
 */
static bool is_left_out(const bx_measurement *m, const bx_reading *reading)
{
    const bx_evsel *event = &m->counted[reading->event];
    const struct bx_catalog *c = m->measured->catalog;
    if (!m->attach.cores_n || reading->driver == BX_DRIVER_PERF || event->pmu == BX_KERNEL ||
        reading->unit == BX_PROGRAM || bx_cat_pmus(c)[event->pmu].scope == BX_SCOPE_PACKAGE)
        return false;
    unsigned core = reading->package * m->cores + reading->unit;
    for (size_t i = 0; i < m->attach.cores_n; i++)
        if (m->attach.cores[i] == core)
            return false;
    return true;
}

int bx_pass_readings(bx_pass *p, bx_readings *to, bx_error *e)
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
static int stop_here(bx_pass *p, uint64_t now, bx_error *e)
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

static int report_interval(bx_pass *p, bool shown, bx_error *e)
{
    bx_measurement *m = p->of;
    bx_readings now = {0};
    uint64_t time = bx_machine_time(p->machine);
    if (p->window.used && bx_window_time(&p->window, p->start, time) == p->shown)
        return BX_OK; /* nothing was counted: --delay, --control */
    int code = bx_session_sample(p->session, e);
    if (!code && shown)
        code = bx_pass_readings(p, &now, e);
    if (code || !shown)
        return code;
    time = bx_machine_time(p->machine);
    now.at = time - p->start;
    now.time = p->shown = bx_window_time(&p->window, p->start, time);
    bx_reading *chosen = NULL;
    if (m->recorded) {
        now.list = chosen = bx_recorded_choose(m, now.list, &now.n);
        if (!chosen)
            return bx_out_of_memory(e);
    }
    code = bx_measurement_end_interval(m, &now, false, e);
    free(chosen);
    if (!code && ++p->intervals == m->o.interval_count)
        code = stop_here(p, time, e);
    return code;
}

bool bx_pass_at_overflow(void *context)
{
    bx_pass *p = context;
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
static int run_step(bx_pass *p, uint64_t until, bool *done, bx_error *e)
{
    int code = p->stopped ? bx_machine_run(p->machine, until, done, e)
                          : bx_session_run(p->session, until, done, e);
    if (code || !p->stopped)
        return code;
    *done |= !p->of->o.program || p->code;
    *e = p->error;
    return p->code;
}

uint64_t bx_pass_time_of(const bx_measurement *m, uint64_t ns)
{
    double time = (double)ns * m->measured->hz / 1e9;
    return ns ? (uint64_t)time + (time < 1) : 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ns between two looks at --control. */
enum { LOOK_EVERY = 10000000 };

/* Handles --delay, --control and --timeout before the next step. */
static int keep_time(bx_pass *p, uint64_t now, bx_error *e)
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
static uint64_t due(const bx_pass *p, uint64_t now)
{
    uint64_t control = p->of->o.control ? now + LOOK_EVERY : UINT64_MAX;
    const bx_measure_watch *watch = p->of->watch;
    uint64_t watched = watch ? watch->due(watch->context) : UINT64_MAX;
    return p->stopped
               ? UINT64_MAX
               : earlier(earlier(control, watched), earlier(p->deadline, p->window.opens_at));
}

/* Whether the interval that ends now is shown. In a replay, a shown interval may consist of several
 * recorded ones. */
static bool is_shown(bx_pass *p, uint64_t time)
{
    uint64_t each = p->of->every * bx_pass_time_of(p->of, p->of->o.interval), before = p->sampled;
    p->sampled = time;
    return each && time / each > before / each;
}

static bool signal_ends(const bx_measurement *m)
{
    return m->signals && m->signals->end();
}

static void pass_signals_on(const bx_measurement *m, pid_t program, volatile int *end_all)
{
    if (m->signals)
        m->signals->pass_on(program, end_all);
}

/* Tells how far it is. If that asks for the end, it comes as at a timeout. */
static void tell_progress(bx_pass *p)
{
    const bx_measurement *m = p->of;
    uint64_t accesses = m->accesses + bx_machine_accesses(p->machine);
    if (m->o.progress && !m->o.progress(m->o.context, accesses))
        p->deadline = 0;
}

/* Runs to the end of the work. Between steps it handles intervals, signals and progress. */
static int run_to_end(bx_pass *p, bx_error *e)
{
    bool delayed = p->window.opens_at != UINT64_MAX;
    uint64_t interval = bx_pass_time_of(p->of, p->of->o.interval), next = UINT64_MAX;
    if (interval)
        next = (delayed ? p->window.opens_at : p->start) + interval;
    bool done = false;
    int code = BX_OK;
    p->of->running = p;
    pass_signals_on(p->of, bx_machine_pid(p->machine), bx_machine_end_all(p->machine));
    while (!code && !done && !signal_ends(p->of)) {
        uint64_t now = bx_machine_time(p->machine);
        if (!p->stopped)
            code = keep_time(p, now, e);
        if (!code && !p->stopped && now >= next) {
            code = report_interval(p, is_shown(p, now - p->start), e);
            next += (now - next) / interval * interval + interval;
            now = bx_machine_time(p->machine);
        }
        if (code || (p->stopped && !p->of->o.program))
            break;
        /* If showing an interval takes longer than an interval, the work continues in between. */
        uint64_t until = next <= now            ? now + SMALLEST_STEP
                         : next - now < p->step ? next
                                                : now + p->step;
        until = earlier(until, due(p, now));
        uint64_t began = bx_process_clock();
        code = run_step(p, until, &done, e);
        if (!code && p->of->watch)
            code = p->of->watch->passed(p->of->watch->context, p, e);
        adapt_step(p, (double)(bx_process_clock() - began) / 1e9);
        tell_progress(p);
    }
    pass_signals_on(p->of, 0, NULL);
    return code;
}

static void name_left(const bx_pass *p)
{
    const bx_listener *to = &p->of->listener;
    for (size_t i = 0; bx_session_left(p->session, i); i++)
        bx_tell(to, "%s", bx_session_left(p->session, i));
    const char *root = p->of->host.root, *journal = bx_session_journal(p->session);
    bool elsewhere = root && *root;
    if (journal)
        bx_tell(to, "a journal has the remaining registers: boxscore restore%s%s%s '%s'",
                elsewhere ? " --root '" : "", elsewhere ? root : "", elsewhere ? "'" : "", journal);
}

int bx_pass_start(bx_pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    int code = bx_session_start(p->session, e);
    if (code == BX_OK && bx_session_remark(p->session) && !m->remarked)
        bx_tell(&m->listener, "%s", bx_session_remark(p->session));
    m->remarked = true;
    p->step = FIRST_STEP;
    p->start = p->end = bx_machine_time(p->machine);
    bx_window_new(&p->window, p->start,
                  m->delay == UINT64_MAX ? m->delay : bx_pass_time_of(m, m->delay), m->o.control);
    p->deadline = m->o.timeout ? p->start + bx_pass_time_of(m, m->o.timeout) : UINT64_MAX;
    return code || !m->watch ? code : m->watch->started(m->watch->context, p, e);
}

/* Refuses a measurement without work: a virtual machine's time passes only while work runs, so all
 * counts would be 0. */
static int no_time(const bx_machine *m, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "nothing has run on %s: no time has passed there",
            bx_machine_name(m));
    bx_hint(e, "give it a workload or a program; a part of this program is counted on 'host'");
    return BX_BAD_INPUT;
}

int bx_pass_stop(bx_pass *p, int code, bx_error *e)
{
    bx_error late = {0};
    if (!p->stopped)
        p->end = bx_machine_time(p->machine);
    int stopped = p->stopped ? BX_OK : bx_session_stop(p->session, &late);
    bool left = bx_session_left(p->session, 0);
    const bx_measure_watch *watch = p->of->watch;
    if (!code && !stopped && watch)
        code = watch->stopped(watch->context, p, e);
    p->of->result->not_restored |= left;
    name_left(p);
    if (!code && stopped && !left) {
        *e = late;
        return stopped;
    }
    return !code && p->of->lent && p->end == p->start ? no_time(p->machine, e) : code;
}

int bx_pass_count(bx_pass *p, bx_error *e)
{
    int code = bx_pass_start(p, e);
    if (code == BX_OK)
        return bx_pass_stop(p, run_to_end(p, e), e);
    name_left(p);
    return code;
}
