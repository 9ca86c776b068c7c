/* Makes the readings of a session: one for each assignment, in the order of the caller's events. */
#include "session/estimate.h"

#include <stdlib.h>

/* A number that is the same for all counters with the same pass and number of passes. 0: the
 * counter is not multiplexed, or there are too many passes. */
static uint8_t times_of(const bx_programme *p, const bx_assignment *assignment)
{
    unsigned passes = assignment->passes, number = passes * (passes - 1) / 2 + assignment->pass;
    return p->at_once || p->repeat || number > UINT8_MAX ? 0 : (uint8_t)number;
}

/* which: index of the caller's event. */
static void add_reading(bx_estimate *estimate, const bx_programme *p,
                        const bx_assignment *assignment, const bx_evsel *event, uint16_t which,
                        unsigned state)
{
    const struct bx_catalog *c = p->topology->catalog;
    estimate->readings[estimate->n++] = (bx_reading){
        .event = which,
        .package = assignment->package,
        .unit = assignment->unit,
        .port = (int16_t)bx_assignment_port(c, assignment),
        .state = (uint8_t)state,
        .driver = bx_machine_can(p->machine)->has_drivers ? BX_DRIVER_REGISTERS : BX_DRIVER_AUTO,
        .times = times_of(p, assignment),
        .in_turns = assignment->passes > 1 && !p->at_once && !p->repeat,
        .scale = event->event == BX_NONE ? 1 : bx_cat_events(c)[event->event].scale,
    };
}

static void add_kernel_reading(bx_estimate *estimate, const bx_machine *m,
                               bx_kernel_assignment *assignment, const bx_evsel *event)
{
    const struct bx_catalog *c = m->topology.catalog;
    bool named = event->pmu != BX_KERNEL && event->event != BX_NONE;
    assignment->reading = &estimate->readings[estimate->n++];
    *assignment->reading = (bx_reading){
        .event = assignment->event,
        .package = assignment->package,
        .unit = assignment->unit,
        .port = assignment->port,
        .thread = (uint32_t)assignment->task,
        .on_cpu = assignment->on_cpu ? (uint32_t)assignment->cpu + 1 : 0,
        .cgroup = assignment->cgroup,
        .level = assignment->config.level,
        .state = BX_NOT_MEASURED,
        .driver = bx_machine_can(m)->has_drivers && !assignment->config.file ? BX_DRIVER_PERF
                                                                             : BX_DRIVER_AUTO,
        .scale = named ? bx_cat_events(c)[event->event].scale : 1,
    };
}

/* A reading without a unit: the machine lacks the unit, or the access to it. */
static void add_unsupported(bx_estimate *estimate, uint16_t which)
{
    estimate->readings[estimate->n++] = (bx_reading){
        .event = which, .unit = BX_PROGRAM, .port = BX_ANY, .state = BX_NOT_SUPPORTED, .scale = 1};
}

const bx_error *bx_readings_unsupported(const bx_estimate *estimate, size_t event)
{
    bool is =
        estimate->unsupported && event < estimate->events_n && estimate->unsupported[event].code;
    return is ? &estimate->unsupported[event] : NULL;
}

/* Whether an assignment differs from the one before it in its unit alone. */
static bool is_like_one_before(const bx_assignment *assignment, size_t i)
{
    return i > 0 && assignment[i].event == assignment[i - 1].event &&
           assignment[i].place == assignment[i - 1].place;
}

bool bx_readings_new(bx_estimate *estimate, const bx_programme *p, bx_kernel *kernel,
                     const bx_schedule *absent, const bx_sorted *sorted, const bx_evsel *events)
{
    const bx_evsel *not_produced = p->events + sorted->produced;
    const uint16_t *absent_origin = sorted->origin + sorted->produced;
    size_t kernels = kernel->n, n = estimate->events_n;
    size_t i = 0, j = 0, k = 0;
    bool there = false;
    estimate->readings =
        calloc(p->schedule.n + absent->n + kernels + n + 1, sizeof *estimate->readings);
    for (size_t which = 0; estimate->readings && which < n; which++) {
        const bx_assignment *assignment = p->schedule.assignments, *other = absent->assignments;
        for (; i < p->schedule.n && sorted->origin[assignment[i].event] == which; i++) {
            p->outcomes[i].reading = &estimate->readings[estimate->n];
            const bx_evsel *event = &p->events[assignment[i].event];
            if (!is_like_one_before(assignment, i))
                there = bx_machine_produces_at(p->machine, event, assignment[i].place);
            p->outcomes[i].blocked = !there; /* the unit is missing: it is not read */
            add_reading(estimate, p, &assignment[i], event, (uint16_t)which,
                        there ? BX_NOT_MEASURED : BX_NOT_MODELLED);
        }
        for (; j < absent->n && absent_origin[other[j].event] == which; j++)
            add_reading(estimate, p, &other[j], &not_produced[other[j].event], (uint16_t)which,
                        BX_NOT_MODELLED);
        if (bx_readings_unsupported(estimate, which))
            add_unsupported(estimate, (uint16_t)which);
        for (; k < kernels && kernel->assignments[k].event == which; k++)
            add_kernel_reading(estimate, p->machine, &kernel->assignments[k], &events[which]);
    }
    return estimate->readings;
}
