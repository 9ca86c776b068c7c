/* Makes schedules of event lists on machines, for the tests. */
#ifndef TESTS_SCHEDULE_MACHINE_H
#define TESTS_SCHEDULE_MACHINE_H

#include "../cmocked.h"

#include "event/event.h"
#include "schedule/schedule.h"

enum { EVENTS = 32 };

struct fixture {
    bx_topology topology;
    bx_evsel events[EVENTS];
    size_t n;
    bx_schedule schedule;
    bx_error e;
};

static inline int fixture_make(struct fixture *f, const char *machine, const char *events)
{
    *f = (struct fixture){0};
    const bx_catalog *c = bx_catalog_builtin();
    assert_int_equal(bx_topology_parse(c, bx_str_of(machine), &f->topology, &f->e), BX_OK);
    if (bx_events_parse(c, f->topology.cpu, events, f->events, EVENTS, &f->n, &f->e) != BX_OK)
        fail_msg("%s: %s", events, f->e.message);
    return bx_schedule_make(&f->topology, f->events, f->n, &f->schedule, &f->e);
}

static inline void fixture_made(struct fixture *f, const char *machine, const char *events)
{
    if (fixture_make(f, machine, events) != BX_OK)
        fail_msg("%s: %s", events, f->e.message);
}

static inline void fixture_done(struct fixture *f)
{
    bx_schedule_free(&f->schedule);
}

/* The selection in the control register of assignment i. */
static inline uint64_t fixture_control(const struct fixture *f, size_t i)
{
    const bx_assignment *s = &f->schedule.assignments[i];
    bx_regvalue regs[1 + BX_EXTRAS];
    assert_true(i < f->schedule.n);
    assert_true(bx_event_registers_at(f->topology.catalog, &f->events[s->event],
                                      &bx_cat_counters(f->topology.catalog)[s->counter], s->place,
                                      regs) > 0);
    return regs[0].value;
}

#endif
