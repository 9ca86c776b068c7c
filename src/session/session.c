/* The course of a measurement: open, start, run, stop. */
#include "session/session.h"

#include "session/counter.h"

#include "base/error.h"
#include "event/event.h"

#include <stdlib.h>

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
    return s->programme.trouble.code ? &s->programme.trouble : NULL;
}

static void execute(struct bx_session *s, unsigned step, bool all)
{
    bx_execute(&s->programme, &s->samples, &s->undo, step, all);
}

static void begin_slice(struct bx_session *s)
{
    bx_count_activate(&s->samples, &s->programme);
    s->estimate.turns.ends = bx_turns_end(&s->estimate.turns, &s->programme);
}

/* Changes to the next pass. All other counters continue: if a counter were stopped and started
 * again, it could count a rising edge that did not happen. */
static void rotate(struct bx_session *s)
{
    bx_verify_unchanged(&s->programme, false, false);
    execute(s, BX_STEP_STOP, false);
    bx_verify_unchanged(&s->programme, false, true);
    bx_count_collect(&s->samples, &s->programme, BX_SAMPLE_ROTATE);
    bx_spread_end_turn(&s->samples, &s->programme);
    bx_turns_next(&s->estimate.turns, &s->programme, &s->samples);
    execute(s, BX_STEP_SETUP, false);
    execute(s, BX_STEP_START, false);
    begin_slice(s);
}

/* Reads all counters, those of the kernel, too. The readings are then up to date. */
static void count_now(struct bx_session *s)
{
    bx_machine_read_clock(s->programme.machine);
    bx_count_collect(&s->samples, &s->programme, BX_SAMPLE_RUNNING);
    bx_count_update(&s->samples, &s->programme);
    if (s->kernel->n)
        bx_kernel_collect(s->kernel, &s->programme.trouble);
}

/* An overflow stops all other counters. The session handles the interrupt: it reads all counters in
 * the cycle of the freeze, because accesses take no virtual time. That includes counters that a
 * freeze does not stop. */
static void at_overflow(void *context, unsigned cpu)
{
    struct bx_session *s = context;
    bx_counter_state *t = &s->samples.states[s->programme.overflow.assignment];
    (void)cpu;
    bx_count_collect(&s->samples, &s->programme, BX_SAMPLE_RUNNING);
    if (t->reading->count - s->stopper.rearmed_at < s->programme.overflow.counts)
        return; /* another counter has overflowed */
    bx_count_update(&s->samples, &s->programme);
    bool goes_on = s->stopper.at_overflow && s->stopper.at_overflow(s->stopper.context);
    if (!goes_on || !s->programme.overflow.again) {
        bx_session_stop(s, NULL);
        return;
    }
    execute(s, BX_STEP_REARM, true);
    t->last = t->start;
    s->stopper.rearmed_at = t->reading->count;
}

/* Whether nothing can be counted. Events that the machine does not produce are not considered. */
static bool all_blocked(const struct bx_session *s)
{
    bool blocked = s->programme.schedule.n > 0;
    for (size_t i = 0; i < s->programme.schedule.n; i++)
        if (!s->programme.outcomes[i].blocked ||
            s->programme.outcomes[i].reading->state == BX_NOT_MODELLED)
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
        s->programme.outcomes[i].blocked = true;
        s->programme.outcomes[i].reading->state = BX_NOT_MODELLED;
    }
}

int bx_session_start(bx_session *s, bx_error *e)
{
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_OPENED)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "a session starts once only");
    leave_out_untold(s);
    int code = bx_kernel_open(s->kernel, &s->programme.trouble, e);
    if (code != BX_OK)
        return code;
    code = bx_banks_open(&s->programme, e);
    if (code == BX_OK)
        code = bx_preflight_lock(&s->undo, &s->programme, e);
    if (code == BX_OK) {
        bx_machine_mark(s->programme.machine, "phase: save");
        code = bx_save(&s->undo, &s->programme, e);
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
    bx_overflow_await(&s->programme, at_overflow, s);
    s->samples.last_sampled = bx_machine_time(s->programme.machine);
    bx_machine_mark(s->programme.machine, "phase: set up");
    execute(s, BX_STEP_SETUP, true);
    bx_machine_mark(s->programme.machine, "phase: start");
    execute(s, BX_STEP_START, true);
    s->samples.began = s->samples.counted_to = bx_machine_time(s->programme.machine);
    begin_slice(s);
    bx_count_prime(&s->samples, &s->programme);
    for (size_t i = 0; i < s->samples.active.n; i++)
        s->samples.active.counter_state[i]->reading->state = BX_COUNTED;
    if (!all_blocked(s)) {
        bx_kernel_start(s->kernel);
        return BX_OK;
    }
    bx_session_stop(s, NULL);
    if (e && e->code == BX_OK)
        *e = s->programme.trouble;
    return s->programme.trouble.code;
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
        uint64_t next = earliest(until, earliest(s->estimate.turns.ends, s->samples.must_read));
        int code = bx_machine_run(s->programme.machine, next, &all, e);
        if (code != BX_OK)
            return code;
        uint64_t now = bx_machine_time(s->programme.machine);
        if (s->phase != BX_RUNNING)
            break;
        if (now >= s->estimate.turns.ends)
            rotate(s);
        else if (now >= s->samples.must_read)
            bx_count_collect(&s->samples, &s->programme, BX_SAMPLE_RUNNING);
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
    count_now(s);
    return BX_OK;
}

int bx_session_stop(bx_session *s, bx_error *e)
{
    if (!s)
        return bx_missing(e, "session");
    if (s->phase != BX_RUNNING)
        return not_running(e);
    if (s->estimate.regions) {
        count_now(s);
        bx_regions_close(&s->estimate, s->samples.counted_to);
    }
    s->phase = BX_STOPPED;
    bx_overflow_await(&s->programme, NULL, NULL);
    bx_kernel_stop(s->kernel);
    bx_machine_mark(s->programme.machine, "phase: stop");
    bx_verify_unchanged(&s->programme, true, false);
    execute(s, BX_STEP_STOP, true);
    bx_verify_unchanged(&s->programme, true, true);
    bx_count_collect(&s->samples, &s->programme, BX_SAMPLE_STOP);
    if (s->estimate.turns.order)
        bx_spread_end_turn(&s->samples, &s->programme);
    bx_count_update(&s->samples, &s->programme);
    bx_kernel_collect(s->kernel, &s->programme.trouble);
    bx_machine_mark(s->programme.machine, "phase: restore");
    int code = bx_restore(&s->undo, &s->programme, e);
    bx_preflight_end(&s->undo, &s->programme, code == BX_OK);
    return code == BX_OK ? bx_regions_finish(&s->estimate, e) : code;
}

bool bx_session_counter(const bx_session *s, size_t reading, int16_t *counter, uint16_t *place)
{
    const bx_schedule *schedule = &s->programme.schedule;
    for (size_t i = 0; i < schedule->n; i++)
        if (s->samples.states[i].reading == &s->estimate.readings[reading]) {
            const bx_assignment *assignment = &schedule->assignments[i];
            const struct bx_catalog *c = s->programme.topology->catalog;
            uint16_t pmu = s->programme.events[assignment->event].pmu;
            *counter = 0;
            while (bx_pmu_counter(c, pmu, (unsigned)*counter) !=
                   &bx_cat_counters(c)[assignment->counter])
                ++*counter;
            *place = assignment->place;
            return true;
        }
    return false;
}

const bx_reading *bx_session_readings(const bx_session *s, size_t *n)
{
    size_t ignored;
    n = n ? n : &ignored;
    *n = 0;
    if (!s)
        return NULL;
    *n = s->estimate.n;
    return s->estimate.readings;
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
    if (s->is_told) {
        bx_machine_on_mark(m, NULL, NULL, NULL);
        bx_machine_follow_functions(m, NULL, 0, NULL);
    }
    bx_save_free(&s->undo, &s->programme);
    bx_programme_free(&s->programme);
    bx_kernel_free(s->kernel);
    bx_regions_free(s->estimate.regions);
    bx_count_free(&s->samples);
    bx_turns_close(&s->estimate.turns);
    free(s->undo.not_restored);
    bx_buf_free(&s->undo.journal);
    free(s->estimate.readings);
    free(s->estimate.unsupported);
    free(s);
    if (m)
        bx_machine_let_go(m);
}

/* ---- what is told of a session ---- */

const bx_error *bx_session_unsupported(const bx_session *s, size_t event)
{
    return s ? bx_readings_unsupported(&s->estimate, event) : NULL;
}

const char *bx_session_left(const bx_session *s, size_t i)
{
    return s && i < s->undo.not_restored_n ? s->undo.not_restored[i] : NULL;
}

const char *bx_session_remark(const bx_session *s)
{
    return s && s->undo.private_lock ? BX_LOCK_PRIVATE : NULL;
}

const char *bx_session_journal(const bx_session *s)
{
    return s && s->undo.journaled ? s->undo.journal.p : NULL;
}

const bx_region *bx_session_regions(const bx_session *s, size_t *n)
{
    size_t ignored;
    n = n ? n : &ignored;
    *n = 0;
    return s ? bx_regions_list(&s->estimate, n) : NULL;
}

uint64_t bx_session_inside(const bx_session *s)
{
    return s ? bx_regions_inside(&s->estimate) : 0;
}

int bx_session_read_on(const bx_session *s, size_t i)
{
    size_t n;
    const bx_reading *reading = &bx_session_readings(s, &n)[i];
    for (size_t k = 0; s->kernel && k < s->kernel->n; k++)
        if (s->kernel->assignments[k].reading == reading)
            return s->kernel->assignments[k].cpu;
    return -1;
}
