/* Builds a plan: adds register operations, and combines those on one register. */
#include "plan/builder.h"

#include "base/grow.h"
#include "event/event.h"
#include "schedule/equal.h"

#include <stdlib.h>

bx_address bx_plan_address(const bx_topology *t, unsigned package, unsigned unit, unsigned reg)
{
    unsigned cpu = bx_register_cpu(t->catalog, reg, unit, package * t->cores);
    return bx_register_address(t->catalog, package, reg, unit, cpu);
}

const bx_cat_counter *bx_plan_builder_counter(const bx_plan_builder *m,
                                              const bx_assignment *assignment)
{
    return &bx_cat_counters(m->t->catalog)[assignment->counter];
}

unsigned bx_plan_builder_unit(const bx_plan_builder *m, const bx_assignment *assignment,
                              unsigned reg)
{
    return bx_register_unit(m->t->catalog, reg, bx_plan_builder_counter(m, assignment)->pmu,
                            assignment->unit);
}

size_t bx_plan_builder_controls(const bx_plan_builder *m, const bx_assignment *assignment,
                                bx_regvalue *to)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    const bx_evsel *event = &m->events[assignment->event];
    size_t n = assignment->place == BX_NONE
                   ? bx_event_registers(m->t->catalog, event, counter->index, to)
                   : bx_event_registers_at(m->t->catalog, event, counter, assignment->place, to);
    for (size_t i = 0; assignment == m->overflowing && i < n; i++)
        to[i].value |= bx_overflow_bits(m->t, counter, to[i].reg);
    return n;
}

/* ---- assignments that are visited often ---- */

/* A key that is equal for assignments with the same enables. */
static uint64_t enables_key(const bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    bool has_levels = counter->control == BX_NONE && counter->user != BX_NONE;
    if (counter->other_condition != BX_NONE || has_levels)
        return BX_UNIQUE;
    return (uint64_t)assignment->counter << 32 | (uint64_t)assignment->package << 16 |
           assignment->unit;
}

static bool find_enabled(bx_plan_builder *m)
{
    uint64_t *keys = calloc(m->schedule->n + 1, sizeof *keys);
    uint16_t *first = calloc(m->schedule->n + 1, sizeof *first);
    for (size_t i = 0; keys && i < m->schedule->n; i++)
        keys[i] = enables_key(m, &m->schedule->assignments[i]);
    bool fine = keys && first && bx_find_equal(keys, m->schedule->n, first);
    for (size_t i = 0; fine && i < m->schedule->n; i++)
        if (first[i] == i)
            m->enabled[m->enabled_n++] = &m->schedule->assignments[i];
    free(keys);
    free(first);
    return fine;
}

void bx_plan_builder_open(bx_plan_builder *m, const bx_topology *t, const bx_evsel *events,
                          const bx_schedule *s, uint64_t interval, const bx_overflow *overflow)
{
    *m = (bx_plan_builder){.t = t, .events = events, .schedule = s, .interval = interval};
    if (overflow && overflow->counts) {
        m->overflow = *overflow;
        m->overflowing = &s->assignments[overflow->assignment];
    }
    m->due = calloc(s->n + 1, sizeof *m->due);
    m->enabled = calloc(s->n + 1, sizeof *m->enabled);
    m->failed = !m->due || !m->enabled || !find_enabled(m);
}

void bx_plan_builder_close(bx_plan_builder *m)
{
    free(m->due);
    free(m->enabled);
}

static void find_due(bx_plan_builder *m)
{
    m->due_n = 0;
    for (size_t i = 0; i < m->schedule->n; i++) {
        const bx_assignment *assignment = &m->schedule->assignments[i];
        if (m->step == BX_STEP_SAVE || m->pass % assignment->passes == assignment->pass)
            m->due[m->due_n++] = assignment;
    }
}

void bx_plan_builder_begin(bx_plan_builder *m, unsigned step, unsigned pass)
{
    m->segment = m->plan.n;
    m->step = (uint8_t)step;
    m->pass = (uint16_t)pass;
    if (step == BX_STEP_SAVE || step == BX_STEP_SETUP)
        find_due(m);
}

/* ---- operations ---- */

void bx_plan_builder_push(bx_plan_builder *m, const bx_op *op)
{
    bx_op *ops = bx_grow(m->plan.ops, m->plan.n, &m->room, sizeof *ops, 64);
    if (!ops) {
        m->failed = true;
        return;
    }
    m->plan.ops = ops;
    m->plan.ops[m->plan.n++] = *op;
}

/* Finds the operation on a register among from … to-1; returns `to` if there is none. */
static size_t find_operation(const bx_plan_builder *m, size_t from, size_t to, unsigned package,
                             unsigned unit, unsigned reg)
{
    for (; from < to; from++) {
        const bx_op *op = &m->plan.ops[from];
        if (op->reg == reg && op->package == package && op->unit == unit)
            break;
    }
    return from;
}

bx_op *bx_plan_builder_find(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg)
{
    size_t at = find_operation(m, m->segment, m->plan.n, assignment->package,
                               bx_plan_builder_unit(m, assignment, reg), reg);
    return at < m->plan.n ? &m->plan.ops[at] : NULL;
}

void bx_plan_builder_put_at(bx_plan_builder *m, unsigned package, unsigned unit, unsigned reg,
                            bx_register_update update)
{
    size_t i = find_operation(m, m->segment, m->plan.n, package, unit, reg);
    if (i < m->plan.n) {
        m->plan.ops[i].value |= update.bits;
        m->plan.ops[i].keep &= update.keep;
        m->plan.ops[i].every_pass &= update.every_pass;
        return;
    }
    size_t saved = find_operation(m, 0, m->saves, package, unit, reg);
    bx_plan_builder_push(m, &(bx_op){
                                .step = m->step,
                                .write = m->step != BX_STEP_SAVE,
                                .every_pass = update.every_pass,
                                .package = (uint16_t)package,
                                .unit = (uint16_t)unit,
                                .reg = (uint16_t)reg,
                                .pass = m->pass,
                                .assignment = BX_NO_ASSIGNMENT,
                                .saved = saved < m->saves ? (uint32_t)saved : BX_NOT_SAVED,
                                .at = bx_plan_address(m->t, package, unit, reg),
                                .value = update.bits,
                                .keep = update.keep,
                            });
}

void bx_plan_builder_put(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg,
                         bx_register_update update)
{
    bx_plan_builder_put_at(m, assignment->package, bx_plan_builder_unit(m, assignment, reg), reg,
                           update);
}

void bx_plan_builder_each(bx_plan_builder *m, bx_plan_action *action)
{
    for (size_t i = 0; i < m->due_n; i++)
        action(m, m->due[i]);
}

void bx_plan_builder_each_apart(bx_plan_builder *m, bx_plan_action *action)
{
    size_t segment = m->segment, n = m->plan.n;
    m->segment = n;
    bx_plan_builder_each(m, action);
    m->segment = m->plan.n > n ? m->plan.n : segment;
}

void bx_plan_builder_each_enable(bx_plan_builder *m, bx_plan_action *action)
{
    for (size_t i = 0; i < m->enabled_n; i++)
        action(m, m->enabled[i]);
}
