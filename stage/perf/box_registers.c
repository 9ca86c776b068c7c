/* Executes the steps of a plan on one box's registers, and reads its counters. */
#include "stage/perf/opened_events.h"

#include "base/bits.h"
#include "event/event.h"
#include "register/write.h"

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
    return bx_write_execute(b->bus, &(bx_write){op->at, op->value, .keep = op->keep});
}

static bool same_register(const bx_op *a, const bx_op *b)
{
    return a->reg == b->reg && a->unit == b->unit && a->package == b->package;
}

/* The operation of a step of the box's plan on the same register as `as`, or NULL. */
static const bx_op *find_op(const bx_staged_box *box, unsigned step, const bx_op *as)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, step, 0, &n);
    for (size_t i = 0; i < n; i++)
        if (!ops[i].resets && same_register(&ops[i], as))
            return &ops[i];
    return NULL;
}

/* The bits of a register that enable the box's counters: start and stop write different values.
 * Some must be 1 for a counter to count, others, such as a freeze, must be 0. */
static uint64_t enables_of(const bx_staged_box *box, const bx_op *start)
{
    const bx_op *stop = find_op(box, BX_STEP_STOP, start);
    return stop ? start->value ^ stop->value : 0;
}

/* What the other boxes that count now need in a register that this box writes, too, such as the
 * global enable of a package. */
typedef struct shared {
    bool written; /* another box writes it */
    uint64_t enables, value;
} shared;

static shared shared_of_others(const bx_staged_boxes *b, const bx_staged_box *box, const bx_op *op)
{
    shared s = {0};
    for (size_t i = 0; i < b->n; i++) {
        const bx_staged_box *other = &b->all[i];
        if (other == box || !other->schedule.n)
            continue;
        const bx_op *starts = find_op(other, BX_STEP_START, op);
        s.written |= starts || find_op(other, BX_STEP_SETUP, op);
        if (starts) {
            s.enables |= enables_of(other, starts);
            s.value |= starts->value & enables_of(other, starts);
        }
    }
    return s;
}

/* Executes a step of the plan beside the other boxes that count. In a register that they need, too,
 * an enable is added at the start and taken away at the stop, and nothing else changes. A bit that
 * resets all counters of the package is never written. */
static int execute(const bx_staged_boxes *b, const bx_staged_box *box, unsigned step)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, step, 0, &n);
    int err = 0;
    for (size_t i = 0; !err && i < n; i++) {
        if (ops[i].resets)
            continue;
        bx_op op = ops[i];
        shared others = shared_of_others(b, box, &op);
        op.value = (op.value & ~others.enables) | others.value;
        if (!others.written || op.keep || (step != BX_STEP_SETUP && others.enables))
            err = write_op(b, &op);
    }
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
static int begin_box(const bx_staged_boxes *b, bx_staged_box *box, bx_staged_event *const *staged)
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

/* ---- whether the counters count ---- */

/* Whether the plan writes the register again, in the same step or at the start. */
static bool is_written_again(const bx_staged_box *box, const bx_op *op)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, op->step, 0, &n);
    for (size_t i = (size_t)(op - ops) + 1; i < n; i++)
        if (same_register(&ops[i], op))
            return true;
    return op->step == BX_STEP_SETUP && find_op(box, BX_STEP_START, op);
}

/* The bits of a register that an assignment needs as op writes them. In a register with enables
 * that is not its own control, other counters need the other bits. */
static uint64_t needed_bits(const bx_staged_boxes *b, const bx_staged_box *box,
                            const bx_assignment *assignment, const bx_op *op)
{
    const bx_cat_counter *counter = &bx_cat_counters(b->t->catalog)[assignment->counter];
    if (op->resets || op->reg == counter->value || is_written_again(box, op) ||
        !bx_plan_needs(b->t, box->events, assignment, op))
        return 0;
    uint64_t stored = bx_cat_regs(b->t->catalog)[op->reg].bits.stored & ~op->keep;
    bool enables = op->step == BX_STEP_START && op->reg != counter->control;
    return enables ? stored & enables_of(box, op) : stored;
}

/* Notes what the counters of the box need of the registers that a step of its plan writes. */
static void expect(const bx_staged_boxes *b, bx_staged_box *box, unsigned step,
                   bx_staged_event *const *staged)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&box->plan, step, 0, &n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < box->schedule.n; j++) {
            const bx_assignment *assignment = &box->schedule.assignments[j];
            uint64_t mask = needed_bits(b, box, assignment, &ops[i]);
            if (mask)
                box->needs[box->n_needs++] = (bx_staged_need){staged[assignment->event], ops[i].at,
                                                              mask, ops[i].value & mask};
        }
    }
}

static int find_needs(const bx_staged_boxes *b, bx_staged_box *box, bx_staged_event *const *staged)
{
    size_t setup, start;
    bx_plan_part(&box->plan, BX_STEP_SETUP, 0, &setup);
    bx_plan_part(&box->plan, BX_STEP_START, 0, &start);
    box->needs = calloc((setup + start) * box->schedule.n + 1, sizeof *box->needs);
    if (!box->needs)
        return ENOMEM;
    expect(b, box, BX_STEP_SETUP, staged);
    expect(b, box, BX_STEP_START, staged);
    return 0;
}

void bx_staged_check_counters(const bx_staged_boxes *b, const bx_staged_box *box)
{
    for (size_t i = 0; i < box->n; i++)
        box->counters[i].event->counts = true;
    for (size_t i = 0; i < box->n_needs; i++) {
        const bx_staged_need *need = &box->needs[i];
        uint64_t value;
        if (b->bus->read(b->bus, &need->at, &value) != 0 || (value & need->mask) != need->value)
            need->event->counts = false;
    }
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
    free(box->needs);
    box->plan = (bx_plan){0};
    box->schedule = (bx_schedule){0};
    box->events = NULL;
    box->counters = NULL;
    box->needs = NULL;
    box->n = box->n_needs = 0;
}

static void stop(bx_staged_boxes *b, bx_staged_box *box, const bx_schedule *next)
{
    if (!box->schedule.n)
        return;
    bx_staged_read_counters(b, box);
    if (!next->n)
        execute(b, box, BX_STEP_STOP);
    switch_off(b, box, next);
}

static int start_counting(bx_staged_boxes *b, bx_staged_box *box, bx_staged_event *const *staged)
{
    bx_error e = {0};
    if (bx_plan_make(b->t, box->events, &box->schedule, 0, NULL, &box->plan, &e) != BX_OK)
        return ENOMEM;
    box->counters = calloc(box->schedule.n, sizeof *box->counters);
    int err = box->counters ? find_needs(b, box, staged) : ENOMEM;
    if (!err)
        err = execute(b, box, BX_STEP_SETUP);
    if (!err)
        err = begin_box(b, box, staged);
    return err ? err : execute(b, box, BX_STEP_START);
}

int bx_staged_program(bx_staged_boxes *b, bx_staged_box *box, bx_evsel *events,
                      bx_staged_event *const *staged, bx_schedule *schedule)
{
    stop(b, box, schedule);
    clear(box);
    box->events = events;
    box->schedule = *schedule;
    *schedule = (bx_schedule){0};
    if (!box->schedule.n)
        return 0;
    int err = start_counting(b, box, staged);
    if (err) {
        const bx_schedule none = {0};
        stop(b, box, &none);
        clear(box);
    }
    return err;
}
