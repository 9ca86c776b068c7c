/* Runs of a measurement, and what they add to the result. */
#include "measure/pass.h"
#include "measure/recorded.h"

#include "base/error.h"

#include <stdlib.h>

/* One session on one machine. *passes: the number of passes that the events need. */
static int measure_pass(bx_measurement *m, unsigned run, unsigned number, unsigned *passes,
                        bx_outcome *o, bx_error *e)
{
    bx_pass p = {0};
    int code = bx_pass_open(&p, m, run, number, e);
    if (!code)
        code = bx_pass_count(&p, e);
    if (!code)
        code = bx_pass_keep(&p, o, e);
    if (!code && m->o.passes == BX_PASSES_REPEAT)
        *passes = bx_session_passes(p.session);
    return bx_pass_close(&p, code, e);
}

/* Chooses the requested readings of a register log. */
static int choose_readings(const bx_measurement *m, bx_outcome *o, bx_error *e)
{
    bx_reading *chosen = bx_recorded_choose(m, o->readings, &o->n);
    free(o->readings);
    o->readings = chosen;
    return chosen ? BX_OK : bx_out_of_memory(e);
}

/* Adds a run to the result. A part of a run would change the mean, unless there is no other. */
static int take_run(bx_measurement *m, const bx_outcome *o, unsigned run, bx_error *e)
{
    bx_result *r = m->result;
    bool in_intervals = bx_measurement_in_intervals(m);
    const bx_readings end = {o->readings, o->n, o->time, o->at};
    r->unreached += m->o.until && !o->overflowed;
    r->never_begun |= !o->begun;
    r->runs += !r->signal;
    int code = BX_OK;
    if (in_intervals && o->time > m->reported)
        code = bx_measurement_end_interval(m, &end, true, e);
    if (code || (in_intervals ? !r->interval : r->signal && run > 0))
        return code;
    code = bx_result_open(r, m->measured, o->readings, o->n, m->arena, e);
    if (!code)
        bx_result_add(r, o->readings, o->time);
    return code;
}

static int measure_run(bx_measurement *m, unsigned run, bx_error *e)
{
    bx_result *r = m->result;
    bx_outcome o = {0};
    unsigned passes = 1;
    int code = BX_OK;
    for (unsigned i = 0; i < passes && !code && !bx_signal_arrived(m) && !r->not_restored; i++)
        code = measure_pass(m, run, i, &passes, &o, e);
    if (!code && m->recorded)
        code = choose_readings(m, &o, e);
    r->signal = bx_signal_arrived(m);
    if (!code)
        code = take_run(m, &o, run, e);
    free(o.readings);
    return code;
}

/* With fewer runs, a confidence interval is wide, and by chance it may have no width at all. */
enum { FEWEST_RUNS = 5, MOST_RUNS = 1000 };

static bool needs_run(const bx_measurement *m, unsigned run)
{
    bool precise = m->o.precision > 0;
    uint64_t most = precise && m->o.runs <= 1 ? MOST_RUNS : m->o.runs ? m->o.runs : 1;
    if (!precise || run < FEWEST_RUNS || run >= most)
        return run < most;
    const bx_record *widest = bx_result_widest(m->result);
    return widest && bx_running_stats_confidence(&widest->stats) > m->o.precision;
}

bx_measurement_state bx_measurement_now(const bx_measurement *m)
{
    const bx_pass *p = m->running;
    const bx_tracefile_reader *trace = p ? bx_machine_trace(p->machine) : NULL;
    uint64_t time = m->passed + (p ? bx_machine_now(p->machine) - p->start : 0);
    bool precise = m->o.precision > 0;
    return (bx_measurement_state){
        .is_virtual = m->measured->clock,
        .seconds = (double)time / m->measured->hz,
        .accesses = m->accesses + (p ? bx_machine_accesses(p->machine) : 0),
        .share = trace && m->trace_bytes
                     ? (double)bx_tracefile_bytes(trace) / (double)m->trace_bytes
                     : -1,
        .run = m->run,
        .runs = precise ? 0 : m->o.runs};
}

static void end_result(bx_measurement *m)
{
    bx_result *r = m->result;
    m->measured->status = r->exit_status;
    m->measured->left = r->left;
    m->measured->waits = r->waits;
    m->measured->interrupted = r->signal ? bx_signal_name(r->signal) : NULL;
}

int bx_measurement_run(bx_measurement *m, bx_error *e)
{
    const bx_result *r = m->result;
    int code = BX_OK;
    for (unsigned run = 0; needs_run(m, run) && !code && !r->signal && !r->not_restored; run++) {
        m->run = run + 1;
        code = measure_run(m, run, e);
    }
    end_result(m);
    return code;
}

/* ---- a part of the calling program ---- */

int bx_measurement_begin(bx_measurement *m, bx_error *e)
{
    bx_pass *p = m->begun = bx_arena_get(m->arena, sizeof *p);
    if (!p)
        return bx_out_of_memory(e);
    int code = bx_pass_open(p, m, 0, 0, e);
    return code ? code : bx_pass_start(p, e);
}

int bx_measurement_end(bx_measurement *m, bx_error *e)
{
    bx_pass *p = m->begun;
    bx_outcome o = {0};
    bx_machine_read_clock(p->machine);
    int code = bx_pass_stop(p, BX_OK, e);
    if (!code)
        code = bx_pass_keep(p, &o, e);
    if (!code)
        code = take_run(m, &o, 0, e);
    free(o.readings);
    end_result(m);
    bx_measurement_abandon(m);
    return code;
}

void bx_measurement_abandon(bx_measurement *m)
{
    if (m->begun)
        bx_pass_close(m->begun, BX_OK, NULL);
    m->begun = NULL;
}
