/* Executes the steps of a plan on one box's registers, and reads its counters. */
#include "stage/perf/opened_events.h"

#include "base/bits.h"
#include "event/event.h"

#include <errno.h>
#include <stdlib.h>

/* ---- one operation of a plan ---- */

/* The address of an operation's register. The base of a memory-mapped register is read and
 * added. */
static int locate(const bx_staged_boxes *b, const bx_op *op, bx_address *at)
{
    const struct bx_catalog *c = b->t->catalog;
    uint16_t base = bx_register_base_holder(c, op->reg);
    uint64_t value;
    *at = op->at;
    if (base == BX_NONE)
        return 0;
    const bx_address holder = bx_plan_address(b->t, op->package, 0, base);
    int err = b->bus->read(b->bus, &holder, &value);
    if (!err)
        at->offset += bx_register_base(c, op->reg, value);
    return err;
}

static int write_op(const bx_staged_boxes *b, const bx_op *op)
{
    uint64_t before = 0;
    int err = op->keep ? b->bus->read(b->bus, &op->at, &before) : 0;
    return err ? err : b->bus->write(b->bus, &op->at, op->value | (before & op->keep));
}

/* Whether the register is the whole package's, such as the global enable, and not one of the box's
 * counters or their controls. */
static bool is_package_wide(const bx_staged_boxes *b, const bx_staged_box *box, const bx_op *op)
{
    const struct bx_catalog *c = b->t->catalog;
    if (bx_cat_regs(c)[op->reg].pmu != bx_cat_cpus(c)[b->t->cpu].pmus.first)
        return false;
    for (size_t i = 0; i < box->schedule.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[box->schedule.assignments[i].counter];
        if (counter->control == op->reg || bx_cat_fields(c)[counter->value_field].reg == op->reg)
            return false;
    }
    return true;
}

/* Executes a step of the plan. package_wide: also writes registers of the whole package, which is
 * allowed only while no other box counts. A bit that resets all counters of the package is never
 * written. */
static int execute(const bx_staged_boxes *b, const bx_staged_box *box, unsigned step,
                   bool package_wide)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, step, 0, &n);
    int err = 0;
    for (size_t i = 0; !err && i < n; i++)
        if (!ops[i].resets && (package_wide || !is_package_wide(b, box, &ops[i])))
            err = write_op(b, &ops[i]);
    return err;
}

/* ---- counts ---- */

void bx_staged_read_counters(bx_staged_boxes *b, bx_staged_box *box)
{
    for (size_t i = 0; i < box->n; i++) {
        bx_staged_counter *counter = &box->counters[i];
        uint64_t value;
        if (b->bus->read(b->bus, &counter->at, &value) != 0)
            continue;
        value = value >> counter->shift & counter->mask;
        counter->event->count += (value - counter->last) & counter->mask;
        counter->last = value;
    }
}

/* Sets up box->counters, one for each assignment, with the counter's value now: 0, unless it is
 * free-running. */
static int begin(const bx_staged_boxes *b, bx_staged_box *box, bx_staged_event *const *staged)
{
    const struct bx_catalog *c = b->t->catalog;
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, BX_STEP_READ, 0, &n);
    int err = 0;
    for (size_t i = 0; !err && i < n; i++) {
        if (ops[i].assignment >= box->schedule.n)
            continue;
        const bx_assignment *assignment = &box->schedule.assignments[ops[i].assignment];
        const bx_cat_counter *counter = &bx_cat_counters(c)[assignment->counter];
        bx_staged_counter *made = &box->counters[box->n];
        *made = (bx_staged_counter){.event = staged[assignment->event],
                                    .mask = bx_mask_width(counter->width),
                                    .shift = bx_cat_fields(c)[counter->value_field].lo};
        err = locate(b, &ops[i], &made->at);
        if (!err)
            err = b->bus->read(b->bus, &made->at, &made->last);
        made->last = made->last >> made->shift & made->mask;
        box->n += !err;
    }
    return err;
}

/* ---- from one set of events to another ---- */

static uint16_t control_of(const bx_staged_boxes *b, const bx_assignment *assignment)
{
    return bx_cat_counters(b->t->catalog)[assignment->counter].control;
}

static bool controls(const bx_staged_boxes *b, const bx_schedule *s, uint16_t reg)
{
    for (size_t i = 0; i < s->n; i++)
        if (control_of(b, &s->assignments[i]) == reg)
            return true;
    return false;
}

/* Clears the controls of counters that the next schedule does not use. */
static void switch_off(const bx_staged_boxes *b, const bx_staged_box *box, const bx_schedule *next)
{
    for (size_t i = 0; i < box->schedule.n; i++) {
        const bx_assignment *assignment = &box->schedule.assignments[i];
        uint16_t reg = control_of(b, assignment);
        if (reg == BX_NONE || controls(b, next, reg))
            continue;
        const bx_address at = bx_plan_address(b->t, assignment->package, assignment->unit, reg);
        b->bus->write(b->bus, &at, 0);
    }
}

static void clear(bx_staged_box *box)
{
    bx_plan_free(&box->plan);
    bx_schedule_free(&box->schedule);
    free(box->events);
    free(box->counters);
    box->plan = (bx_plan){0};
    box->schedule = (bx_schedule){0};
    box->events = NULL;
    box->counters = NULL;
    box->n = 0;
}

static void stop(bx_staged_boxes *b, bx_staged_box *box, const bx_schedule *next)
{
    uint8_t *active = &b->active[box->package];
    if (!box->schedule.n)
        return;
    bx_staged_read_counters(b, box);
    if (!next->n) {
        *active -= 1;
        execute(b, box, BX_STEP_STOP, *active == 0);
    }
    switch_off(b, box, next);
}

static int start(bx_staged_boxes *b, bx_staged_box *box, bool package_wide,
                 bx_staged_event *const *staged)
{
    bx_error e = {0};
    if (bx_plan_make(b->t, box->events, &box->schedule, 0, NULL, &box->plan, &e) != BX_OK)
        return ENOMEM;
    box->counters = calloc(box->schedule.n, sizeof *box->counters);
    int err = box->counters ? execute(b, box, BX_STEP_SETUP, package_wide) : ENOMEM;
    if (!err)
        err = begin(b, box, staged);
    return err ? err : execute(b, box, BX_STEP_START, package_wide);
}

int bx_staged_program(bx_staged_boxes *b, bx_staged_box *box, bx_evsel *events,
                      bx_staged_event *const *staged, bx_schedule *schedule)
{
    uint8_t *active = &b->active[box->package];
    bool was_active = box->schedule.n > 0;
    stop(b, box, schedule);
    clear(box);
    box->events = events;
    box->schedule = *schedule;
    *schedule = (bx_schedule){0};
    if (!box->schedule.n)
        return 0;
    bool package_wide = *active == 0;
    *active = (uint8_t)(*active + !was_active);
    int err = start(b, box, package_wide, staged);
    if (err) {
        const bx_schedule none = {0};
        stop(b, box, &none);
        clear(box);
    }
    return err;
}
