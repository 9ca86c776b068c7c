/* Formats plans of event lists as text for the tests. */
#ifndef TESTS_PLAN_LISTING_H
#define TESTS_PLAN_LISTING_H

#include "../cmocked.h"

#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST = 32, TEXT = 16384 };

struct fixture {
    bx_topology topology;
    bx_evsel events[MOST];
    size_t n;
    bx_schedule schedule;
    bx_plan plan;
    uint64_t interval;
    bx_overflow overflow; /* of the last event */
    char text[TEXT];      /* the plan, one operation a line; unrequested counters are left out */
};

static inline void write_out(struct fixture *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->plan.n; i++) {
        const bx_op *op = &f->plan.ops[i];
        char at[32];
        if (op->unrequested)
            continue;
        bx_address_format(f->topology.catalog, op, at, sizeof at);
        n += (size_t)snprintf(f->text + n, TEXT - n, "%s %u %s", bx_plan_step_name(op->step),
                              op->pass, at);
        assert_int_equal(op->write, op->step != BX_STEP_SAVE && op->step != BX_STEP_READ);
        if (op->write && op->keep != UINT64_MAX)
            n += (size_t)snprintf(f->text + n, TEXT - n, "=0x%" PRIx64, op->value);
        if (op->keep && op->keep != UINT64_MAX)
            n += (size_t)snprintf(f->text + n, TEXT - n, " keep 0x%" PRIx64, op->keep);
        n += (size_t)snprintf(f->text + n, TEXT - n, "\n");
        assert_true(n < TEXT);
    }
}

static inline void plan(struct fixture *f, const char *machine, const char *events)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_error e = {0};
    *f = (struct fixture){.interval = f->interval, .overflow = f->overflow};
    if (bx_topology_parse(c, bx_str_of(machine), &f->topology, &e) != BX_OK ||
        bx_events_parse(c, f->topology.cpu, events, f->events, MOST, &f->n, &e) != BX_OK ||
        bx_schedule_make(&f->topology, f->events, f->n, &f->schedule, &e) != BX_OK ||
        (f->overflow.counts && bx_overflow_find(&f->topology, f->events, &f->schedule, f->n - 1,
                                                &f->overflow, &e) != BX_OK) ||
        bx_plan_make(&f->topology, f->events, &f->schedule, f->interval, &f->overflow, &f->plan,
                     &e) != BX_OK)
        fail_msg("%s", e.message);
    write_out(f);
}

static inline void done(struct fixture *f)
{
    bx_plan_free(&f->plan);
    bx_schedule_free(&f->schedule);
}

static inline void expect(const char *machine, const char *events, const char *text)
{
    struct fixture f = {.interval = 0};
    plan(&f, machine, events);
    assert_string_equal(f.text, text);
    done(&f);
}

#endif
