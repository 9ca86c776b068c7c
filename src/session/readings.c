/* Makes the readings of a session: one for each assignment, in the order of the caller's events. */
#include "session/session.h"

#include "event/event.h"

#include <stdlib.h>

/* The counter of the unit that the event follows; BX_NO_COUNTER: none. */
static unsigned followed(const struct bx_catalog *c, const bx_evsel *event)
{
    bool named = event->pmu != BX_KERNEL && event->event != BX_NONE;
    return named ? bx_cat_events(c)[event->event].follows : BX_NO_COUNTER;
}

static bool is_beside(const bx_evsel *a, const bx_evsel *b)
{
    return a->pmu == b->pmu && a->group == b->group;
}

/* Whether the followed counter could only have events that the machine does not produce. They take
 * no counter, so the followed counter would count 0. */
static bool follows_absent(const bx_machine *m, const bx_evsel *events, size_t n, size_t i)
{
    const struct bx_catalog *c = m->topology.catalog;
    unsigned counter = followed(c, &events[i]);
    bool absent = false;
    for (size_t k = 0; counter != BX_NO_COUNTER && k < n; k++) {
        if (!is_beside(&events[k], &events[i]) ||
            !(bx_event_counters(c, &events[k]) >> counter & 1))
            continue;
        if (bx_machine_produces(m, &events[k]))
            return false;
        absent = true;
    }
    return absent;
}

static bool is_produced(const bx_machine *m, const bx_evsel *events, size_t n, size_t i)
{
    return bx_machine_produces(m, &events[i]) && !follows_absent(m, events, n, i);
}

void bx_readings_sort(const bx_machine *m, const bx_evsel *events, size_t n, const bool *kernels,
                      bx_sorted *to)
{
    for (int absent = 0; absent <= 1; absent++) {
        for (size_t i = 0; i < n; i++) {
            if (kernels[i] || is_produced(m, events, n, i) == absent)
                continue;
            to->events[to->n] = events[i];
            to->origin[to->n++] = (uint16_t)i;
        }
        if (!absent)
            to->produced = to->n;
    }
}

/* A number that is the same for all counters with the same pass and number of passes. 0: the
 * counter is not multiplexed, or there are too many passes. */
static uint8_t times_of(const bx_programme *p, const bx_assignment *assignment)
{
    unsigned passes = assignment->passes, number = passes * (passes - 1) / 2 + assignment->pass;
    return p->at_once || p->repeat || number > UINT8_MAX ? 0 : (uint8_t)number;
}

/* which: index of the caller's event. */
static void add_reading(struct bx_session *s, const bx_assignment *assignment,
                        const bx_evsel *event, uint16_t which, unsigned state)
{
    const struct bx_catalog *c = s->programme.topology->catalog;
    s->readings[s->n++] = (bx_reading){
        .event = which,
        .package = assignment->package,
        .unit = assignment->unit,
        .port = (int16_t)bx_assignment_port(c, assignment),
        .state = (uint8_t)state,
        .driver = bx_machine_can(s->programme.machine)->has_drivers ? BX_DRIVER_REGISTERS
                                                                    : BX_DRIVER_AUTO,
        .times = times_of(&s->programme, assignment),
        .in_turns = assignment->passes > 1 && !s->programme.at_once && !s->programme.repeat,
        .scale = event->event == BX_NONE ? 1 : bx_cat_events(c)[event->event].scale,
    };
}

static void add_kernel_reading(struct bx_session *s, bx_kernel_assignment *assignment,
                               const bx_evsel *event)
{
    const struct bx_catalog *c = s->programme.topology->catalog;
    bool named = event->pmu != BX_KERNEL && event->event != BX_NONE;
    assignment->reading = &s->readings[s->n++];
    *assignment->reading = (bx_reading){
        .event = assignment->event,
        .package = assignment->package,
        .unit = assignment->unit,
        .port = assignment->port,
        .thread = (uint32_t)assignment->task,
        .on_cpu = assignment->on_cpu ? (uint32_t)assignment->cpu + 1 : 0,
        .state = BX_NOT_MEASURED,
        .driver = BX_DRIVER_PERF,
        .scale = named ? bx_cat_events(c)[event->event].scale : 1,
    };
}

/* A reading without a unit: the machine lacks the unit, or the access to it. */
static void add_unsupported(struct bx_session *s, uint16_t which)
{
    s->readings[s->n++] = (bx_reading){
        .event = which, .unit = BX_PROGRAM, .port = BX_ANY, .state = BX_NOT_SUPPORTED, .scale = 1};
}

const bx_error *bx_session_unsupported(const bx_session *s, size_t event)
{
    if (!s)
        return NULL;
    bool is = s->unsupported && event < s->events_n && s->unsupported[event].code;
    return is ? &s->unsupported[event] : NULL;
}

bool bx_readings_new(struct bx_session *s, const bx_schedule *absent, const bx_sorted *sorted,
                     const bx_evsel *events, size_t n)
{
    const bx_evsel *not_produced = s->programme.events + sorted->produced;
    const uint16_t *absent_origin = sorted->origin + sorted->produced;
    size_t kernels = s->kernel->n;
    size_t i = 0, j = 0, k = 0;
    s->readings =
        calloc(s->programme.schedule.n + absent->n + kernels + n + 1, sizeof *s->readings);
    for (size_t which = 0; s->readings && which < n; which++) {
        const bx_assignment *assignment = s->programme.schedule.assignments,
                            *other = absent->assignments;
        for (; i < s->programme.schedule.n && sorted->origin[assignment[i].event] == which; i++) {
            s->samples.states[i].reading = &s->readings[s->n];
            const bx_evsel *event = &s->programme.events[assignment[i].event];
            bool there = bx_machine_produces_at(s->programme.machine, event, assignment[i].place);
            s->samples.states[i].blocked = !there; /* the unit is missing: it is not read */
            add_reading(s, &assignment[i], event, (uint16_t)which,
                        there ? BX_NOT_MEASURED : BX_NOT_MODELLED);
        }
        for (; j < absent->n && absent_origin[other[j].event] == which; j++)
            add_reading(s, &other[j], &not_produced[other[j].event], (uint16_t)which,
                        BX_NOT_MODELLED);
        if (bx_session_unsupported(s, which))
            add_unsupported(s, (uint16_t)which);
        for (; k < kernels && s->kernel->assignments[k].event == which; k++)
            add_kernel_reading(s, &s->kernel->assignments[k], &events[which]);
    }
    return s->readings;
}
