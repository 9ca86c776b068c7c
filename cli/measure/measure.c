#include "cli/measure/measure.h"

#include "cli/common/cli.h"
#include "cli/common/signals.h"

#include "base/buf.h"
#include "base/error.h"
#include "machine/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Shared with signal handlers: the signal that came, or 0, and the running program, or 0. */
static volatile sig_atomic_t caught, program;

/* Whether the kernel has sent the signal to the program as well, as all processes of a terminal get
 * it. */
static bool is_terminals(int number, const siginfo_t *info)
{
    return info->si_code > 0 && (number == SIGINT || number == SIGQUIT || number == SIGHUP);
}

/* A signal ends a workload. It is passed on to a program, unless the terminal has sent it there
 * too; the program may continue. A second signal kills it. */
static void take_signal(int number, siginfo_t *info, void *unused)
{
    int saved_errno = errno;
    (void)unused;
    if (program && caught)
        kill(program, SIGKILL);
    else if (program && !is_terminals(number, info))
        kill(program, number);
    caught = number;
    errno = saved_errno;
}

/* If our output's reader stops, registers must still be restored: the write fails. A handler,
 * unlike SIG_IGN, is not inherited by the program. */
static void ignore_signal(int number)
{
    (void)number;
}

void bx_measure_catch_signals(void)
{
    struct sigaction pipe = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, old;
    bx_signals_catch(take_signal);
    sigaction(SIGPIPE, NULL, &old);
    if (old.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &pipe, NULL);
}

/* From now on signals are passed on to the program. One that came before is, too. */
static void begin_passing_on(pid_t pid)
{
    sigset_t before;
    bx_signals_block(&before);
    program = pid;
    if (program && caught)
        kill(program, caught);
    bx_signals_unblock(&before);
}

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

static int load(const bx_job *job, bx_machine *m, unsigned run, bx_error *e)
{
    if (job->workload)
        return load_workload(m, job->workload, run, e);
    return job->program ? bx_machine_load_program(m, job->program, e) : BX_OK;
}

/* ---- one pass of the work ---- */

typedef struct pass {
    const bx_job *job;
    bx_evsel *events; /* in the numbers of this machine */
    bx_machine *machine;
    bx_session *session;
    uint64_t start, end; /* the machine's time when counting started and ended */
    uint64_t step;       /* how far to run at a time: some hundredths of a second */
    bool not_restored;   /* not all registers were restored */
} pass;

enum { SMALLEST_STEP = 1 << 12, FIRST_STEP = 1 << 20, LARGEST_STEP = 1 << 30 };

static void adapt_step(pass *p, double took)
{
    if (took < 0.02 && p->step < LARGEST_STEP)
        p->step *= 2;
    else if (took > 0.1 && p->step > SMALLEST_STEP)
        p->step /= 2;
}

static int report_interval(const pass *p, bx_error *e)
{
    const bx_job *job = p->job;
    int code = bx_session_sample(p->session, e);
    if (code)
        return code;
    size_t n;
    const bx_reading *readings = bx_session_readings(p->session, &n);
    bx_progress_erase(job->progress);
    return job->at_interval(job->context, readings, n, bx_machine_time(p->machine) - p->start, e);
}

/* Runs to the end of the work. Between steps it handles intervals, signals and the terminal. */
static int run_to_end(pass *p, bx_error *e)
{
    const bx_job *job = p->job;
    uint64_t next = job->interval ? p->start + job->interval : UINT64_MAX;
    bool done = false;
    int code = BX_OK;
    begin_passing_on(bx_machine_pid(p->machine));
    while (!code && !done && (!caught || program)) {
        uint64_t now = bx_machine_time(p->machine);
        if (now >= next) {
            code = report_interval(p, e);
            next += (now - next) / job->interval * job->interval + job->interval;
            now = bx_machine_time(p->machine);
            if (code)
                break;
        }
        /* If showing an interval takes longer than an interval, the work continues in between. */
        uint64_t until = next <= now            ? now + SMALLEST_STEP
                         : next - now < p->step ? next
                                                : now + p->step;
        double began = bx_progress_clock();
        code = bx_session_run(p->session, until, &done, e);
        adapt_step(p, bx_progress_clock() - began);
        bx_progress_show(job->progress, bx_machine_accesses(p->machine));
    }
    program = 0;
    return code;
}

static void name_left(const pass *p)
{
    for (size_t i = 0; bx_session_left(p->session, i); i++)
        bx_cli_note("%s", bx_session_left(p->session, i));
    const char *root = p->job->host->root, *journal = bx_session_journal(p->session);
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
    p->start = p->end = bx_machine_time(p->machine);
    if (code == BX_OK) {
        code = run_to_end(p, e);
        p->end = bx_machine_time(p->machine);
        int stopped = bx_session_stop(p->session, &late);
        p->not_restored = bx_session_left(p->session, 0); /* the counts are still valid */
        if (!code && stopped && !p->not_restored) {
            code = stopped;
            *e = late;
        }
    }
    name_left(p);
    return code;
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
        o->n = n;
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
    if (signal && signal != caught)
        o->killed_by = signal;
    o->not_restored |= p->not_restored;
    return BX_OK;
}

/* The kernel's events have numbers that belong to the machine. */
static int take_events(pass *p, bx_error *e)
{
    const bx_job *job = p->job;
    size_t n = job->events_n;
    bool kernels = false;
    p->events = malloc((n + 1) * sizeof *p->events);
    if (!p->events)
        return bx_out_of_memory(e);
    memcpy(p->events, job->events, n * sizeof *p->events);
    for (size_t i = 0; i < n; i++)
        kernels |= job->events[i].pmu == BX_KERNEL;
    return kernels ? bx_machine_events_parse(p->machine, job->events_text, p->events, n, &n, e)
                   : BX_OK;
}

/* Opens everything. The caller closes what is open, also after an error. */
static int prepare(pass *p, unsigned run, unsigned number, const char **about, bx_error *e)
{
    const bx_job *job = p->job;
    bx_session_options options = {.size = sizeof options, .repeat = job->repeat, .pass = number};
    bx_machine_options host = *job->host;
    host.part = (*job->part)++;
    *about = job->machine;
    int code = bx_machine_open_with(job->catalog, job->machine, &host, &p->machine, e);
    if (code)
        return code;
    *about = job->events_text;
    code = take_events(p, e);
    if (!code)
        code = bx_session_open(p->machine, p->events, job->events_n, &options, &p->session, e);
    if (code)
        return code;
    *about = job->workload;
    return load(job, p->machine, run, e);
}

/* One session on one machine. *passes: the number of passes that the events need. */
static int measure_pass(const bx_job *job, unsigned run, unsigned number, unsigned *passes,
                        bx_outcome *o, const char **about, bx_error *e)
{
    pass p = {.job = job, .step = FIRST_STEP};
    int code = prepare(&p, run, number, about, e);
    if (!code) {
        *about = job->events_text; /* an event that the kernel refuses */
        code = count(&p, e);
    }
    if (!code)
        code = keep(&p, o, e);
    bx_error own = {0}; /* the recording's error is the cause of all others */
    if (p.machine && bx_machine_finish(p.machine, !code, &own)) {
        code = own.code;
        *about = NULL;
        *e = own;
    }
    if (!code && job->repeat)
        *passes = bx_session_passes(p.session);
    if (p.machine)
        bx_progress_next(job->progress, bx_machine_accesses(p.machine));
    bx_session_close(p.session);
    bx_machine_close(p.machine);
    free(p.events);
    return code;
}

int bx_measure(const bx_job *job, unsigned run, bx_outcome *outcome, const char **about,
               bx_error *e)
{
    bx_outcome o = {0};
    unsigned passes = 1;
    int code = BX_OK;
    for (unsigned i = 0; i < passes && !code && !caught && !o.not_restored; i++)
        code = measure_pass(job, run, i, &passes, &o, about, e);
    bx_progress_erase(job->progress);
    o.signal = caught;
    if (code)
        free(o.readings);
    else
        *outcome = o;
    return code;
}
