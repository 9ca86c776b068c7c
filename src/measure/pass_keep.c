/* Keeps what a pass leaves when its machine and its session end. */
#include "measure/pass.h"

#include "base/buf.h"
#include "base/error.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the facts on a trace file, if all of it was read. */
static void keep_trace(const bx_pass *p)
{
    const bx_measurement *m = p->of;
    const bx_tracefile_reader *file = bx_machine_trace(p->machine);
    bx_buf text = {.whole = &m->arena->failed};
    if (!file || p->stopped || bx_signal_arrived(m))
        return;
    bx_buf_f(&text, "trace '%s': %" PRIu64 " bytes, cksum %" PRIu32 "; its program ended with %d",
             m->o.trace, bx_tracefile_bytes(file), bx_tracefile_cksum(file),
             bx_machine_exit_status(p->machine));
    m->result->traced = bx_arena_copy(m->arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
}

/* Makes the session's regions results of their own, because the session ends. */
static int keep_regions(const bx_pass *p, bx_error *e)
{
    const bx_measurement *m = p->of;
    bx_result *r = m->result;
    size_t n, readings_n;
    const bx_region *regions = bx_session_regions(p->session, &n);
    const bx_reading *layout = bx_session_readings(p->session, &readings_n);
    r->regions_n = 0;
    r->regions = n ? bx_arena_get(m->arena, n * sizeof *r->regions) : NULL;
    int code = r->regions || !n ? BX_OK : bx_out_of_memory(e);
    for (size_t i = 0; i < n && !code; i++) {
        bx_result *to = &r->regions[r->regions_n++];
        code = bx_result_open(to, m->measured, layout, readings_n, m->arena, e);
        if (!code)
            bx_result_add(to, regions[i].readings, regions[i].time);
        to->region = regions[i];
        to->region.name = bx_arena_copy(m->arena, bx_str_of(regions[i].name));
        to->region.readings = NULL; /* they end with the session */
    }
    return m->arena->failed ? bx_out_of_memory(e) : code;
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
static void keep_unsupported(const bx_pass *p)
{
    const bx_measurement *m = p->of;
    bx_result *r = m->result;
    if (r->unsupported)
        return;
    r->unsupported = bx_arena_get(m->arena, (m->counted_n + 1) * sizeof *r->unsupported);
    for (size_t i = 0; r->unsupported && i < m->counted_n; i++) {
        const bx_error *why = bx_session_unsupported(p->session, i);
        r->unsupported[i] = why ? reason(why, m->arena) : NULL;
    }
}

/* Reports the signal that killed the program, once for runs that end in the same way. */
static void note_killed(const bx_measurement *m, int signal)
{
    bx_result *r = m->result;
    const char *quote = m->o.program ? "'" : "";
    if (signal && signal != r->killed_by)
        bx_tell(&m->listener, "%s%s%s was killed by signal %d (%s)", quote,
                m->o.program ? m->o.program[0] : "the traced program", quote, signal,
                bx_signal_name(signal));
    if (signal == SIGSYS && signal != r->killed_by && !r->tracer_says)
        bx_tell(&m->listener,
                "SIGSYS comes from a sandbox (seccomp) that forbids a system call, perhaps one of "
                "the tracer: let it answer with an error, or run boxscore outside");
    r->killed_by = signal;
}

static void keep_text(const bx_measurement *m, const char *text, const char **to)
{
    if (text)
        *to = bx_arena_copy(m->arena, bx_str_of(text));
}

static void keep_waits(const bx_pass *p)
{
    bx_order_waits *to = &p->of->result->waits;
    bx_machine_waits_in_order its;
    if (!bx_machine_order_waits(p->machine, &its))
        return;
    to->n += its.n;
    to->sum += its.sum;
    to->time += its.time;
    to->longest = its.longest > to->longest ? its.longest : to->longest;
}

/* How the program has ended, and what was not seen of it. */
static void keep_end(const bx_pass *p)
{
    const bx_measurement *m = p->of;
    bx_result *r = m->result;
    const bx_error *trouble = bx_session_trouble(p->session);
    int signal = bx_machine_killed_by(p->machine);
    bool cut, ended_by_us = p->timed_out && signal == SIGTERM; /* then it is no error */
    if (trouble && !r->trouble.code)
        r->trouble = *trouble;
    keep_text(m, bx_machine_notes(p->machine, &cut), &r->tracer_says);
    keep_text(m, bx_machine_untraced(p->machine), &r->untraced);
    keep_text(m, bx_machine_left(p->machine), &r->left);
    keep_waits(p);
    r->exit_status = ended_by_us ? 0 : bx_machine_exit_status(p->machine);
    note_killed(m, ended_by_us || signal == bx_signal_arrived(m) ? 0 : signal);
    r->refused_marks = bx_machine_refused_marks(p->machine);
    if (cut && r->exit_status == 0)
        r->exit_status = 1; /* the program's own status is not known */
    keep_trace(p);
}

int bx_pass_keep(bx_pass *p, bx_outcome *o, bx_error *e)
{
    bx_readings now = {0};
    int code = bx_pass_readings(p, &now, e);
    if (code)
        return code;
    keep_unsupported(p);
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
    keep_end(p);
    o->overflowed |= p->overflowed;
    o->begun |= p->window.ever;
    if (p->of->o.inside_n)
        o->time = bx_session_inside(p->session);
    return keep_regions(p, e);
}
