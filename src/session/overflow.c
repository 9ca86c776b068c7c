/* The overflow of one counter that stops all others (plan/overflow.h). The session handles the
 * interrupt: it reads all counters in the cycle of the freeze, because accesses take no virtual
 * time. That includes counters that a freeze does not stop. */
#include "session/session.h"

#include "base/error.h"

/* The event's index among those that were sorted. */
static size_t sorted_index(const bx_sorted *sorted, size_t event)
{
    size_t i = 0;
    while (i < sorted->n && sorted->origin[i] != event)
        i++;
    return i;
}

int bx_session_find_overflow(bx_stopper *stopper, const bx_programme *p, const bx_sorted *sorted,
                             bx_error *e)
{
    const struct bx_catalog *c = p->topology->catalog;
    if (!stopper->overflow.counts)
        return BX_OK;
    int code = bx_machine_check_interrupts(p->machine, e);
    size_t i = sorted_index(sorted, stopper->event);
    if (code == BX_OK && i == sorted->n)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no event %zu to overflow", stopper->event);
    if (code != BX_OK)
        return code;
    bx_error own = {0};
    code = bx_overflow_check(c, &p->events[i], &own);
    if (code == BX_OK)
        code = bx_overflow_check_counts(c, &p->events[i], stopper->overflow.counts, &own);
    if (code == BX_OK) {
        code = bx_overflow_find(p->topology, p->events, &p->schedule, i, &stopper->overflow, e);
        return code || p->at_once ? code
                                  : bx_overflow_fits(p->topology, p->events, &p->schedule, e);
    }
    own.at = p->events[i].at;
    own.len = p->events[i].len;
    if (e)
        *e = own;
    return code;
}

/* Whether our counter has overflowed, so that this interrupt is for us. */
static bool has_overflowed(const bx_stopper *stopper, const bx_samples *samples)
{
    const bx_reading *r = samples->states[stopper->overflow.assignment].reading;
    return r->count - stopper->rearmed_at >= stopper->overflow.counts;
}

static void rearm(struct bx_session *s)
{
    bx_counter_state *t = &s->samples.states[s->stopper.overflow.assignment];
    bx_execute(s, BX_STEP_REARM, true);
    t->last = t->start;
    s->stopper.rearmed_at = t->reading->count;
}

static void on_interrupt(void *context, unsigned cpu)
{
    struct bx_session *s = context;
    (void)cpu;
    bx_count_collect(s, BX_SAMPLE_RUNNING);
    if (!has_overflowed(&s->stopper, &s->samples))
        return;
    bx_count_update(&s->samples, &s->programme);
    if (s->stopper.at_overflow && s->stopper.at_overflow(s->stopper.context) &&
        s->stopper.overflow.again)
        rearm(s);
    else
        s->stopper.stop(s, NULL);
}

void bx_session_await_overflow(struct bx_session *s, int (*stop)(bx_session *s, bx_error *e))
{
    s->stopper.stop = stop;
    if (s->stopper.overflow.counts)
        bx_vpmu_on_pmi(
            s->programme
                .banks[s->programme.schedule.assignments[s->stopper.overflow.assignment].pass],
            stop ? on_interrupt : NULL, s);
}
