/* Builds a plan: adds register operations, and combines those on one register. */
#include "plan/builder.h"

#include "base/grow.h"
#include "event/event.h"
#include "schedule/equal.h"

#include <stdlib.h>
#include <string.h>

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

/* Finds the registers anew only for another event or counter. */
static const bx_plan_controls *controls_of(bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    const bx_evsel *event = &m->events[assignment->event];
    bx_plan_controls *of = &m->controls;

    if (of->event == event && of->counter == counter && of->place == assignment->place)
        return of;
    of->event = event;
    of->counter = counter;
    of->place = assignment->place;
    of->n = of->place == BX_NONE
                ? bx_event_registers(m->t->catalog, event, counter->index, of->regs)
                : bx_event_registers_at(m->t->catalog, event, counter, of->place, of->regs);
    return of;
}

size_t bx_plan_builder_controls(bx_plan_builder *m, const bx_assignment *assignment,
                                bx_regvalue *to)
{
    const bx_plan_controls *of = controls_of(m, assignment);

    memcpy(to, of->regs, of->n * sizeof *to);
    for (size_t i = 0; assignment == m->overflowing && i < of->n; i++)
        to[i].value |= bx_overflow_bits(m->t, of->counter, to[i].reg);
    return of->n;
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
    free(m->latest);
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

/* ---- the latest operation on each register ---- */

enum { FIRST_SLOTS = 256 };

/* The slot of a register: the number of its latest operation plus 1. 0: it has none. A table has
 * free slots. */
static uint32_t *slot_of(const bx_plan_builder *m, uint32_t *table, size_t slots, unsigned package,
                         unsigned unit, unsigned reg)
{
    size_t i = ((package * 64 + unit) * UINT64_C(0x9e3779b1) + reg) * UINT64_C(0x9e3779b1) >> 8;
    for (;; i++) {
        uint32_t *slot = &table[i & (slots - 1)];
        const bx_op *op = *slot ? &m->plan.ops[*slot - 1] : NULL;
        if (!op || (op->reg == reg && op->package == package && op->unit == unit))
            return slot;
    }
}

/* Makes room for another register. false: out of memory. */
static bool make_room_for_register(bx_plan_builder *m)
{
    if (2 * m->registers < m->slots)
        return true;
    size_t slots = m->slots ? 2 * m->slots : FIRST_SLOTS;
    uint32_t *table = calloc(slots, sizeof *table);
    for (size_t i = 0; table && i < m->slots; i++) {
        const bx_op *op = m->latest[i] ? &m->plan.ops[m->latest[i] - 1] : NULL;
        if (op)
            *slot_of(m, table, slots, op->package, op->unit, op->reg) = m->latest[i];
    }
    m->failed |= !table;
    if (!table)
        return false;
    free(m->latest);
    m->latest = table;
    m->slots = slots;
    return true;
}

/* The latest operation on a register. NULL: none. */
static bx_op *latest_on(const bx_plan_builder *m, unsigned package, unsigned unit, unsigned reg)
{
    uint32_t latest = m->slots ? *slot_of(m, m->latest, m->slots, package, unit, reg) : 0;
    return latest ? &m->plan.ops[latest - 1] : NULL;
}

static bool is_of_segment(const bx_plan_builder *m, const bx_op *op)
{
    return op && (size_t)(op - m->plan.ops) >= m->segment;
}

bx_op *bx_plan_builder_find(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg)
{
    bx_op *op = latest_on(m, assignment->package, bx_plan_builder_unit(m, assignment, reg), reg);
    return is_of_segment(m, op) ? op : NULL;
}

/* The operation that saves a register whose latest operation is `op`. */
static uint32_t saved_by(const bx_plan_builder *m, const bx_op *op)
{
    if (!op || !m->saves)
        return BX_NOT_SAVED;
    return op->step == BX_STEP_SAVE ? (uint32_t)(op - m->plan.ops) : op->saved;
}

void bx_plan_builder_put_at(bx_plan_builder *m, unsigned package, unsigned unit, unsigned reg,
                            bx_register_update update)
{
    bx_op *before = latest_on(m, package, unit, reg);
    if (is_of_segment(m, before)) {
        before->value |= update.bits;
        before->keep &= update.keep;
        before->every_pass &= update.every_pass;
        return;
    }
    if (!before && !make_room_for_register(m))
        return;
    uint32_t saved = saved_by(m, before);
    bx_plan_builder_push(m, &(bx_op){
                                .step = m->step,
                                .write = m->step != BX_STEP_SAVE,
                                .every_pass = update.every_pass,
                                .package = (uint16_t)package,
                                .unit = (uint16_t)unit,
                                .reg = (uint16_t)reg,
                                .pass = m->pass,
                                .assignment = BX_NO_ASSIGNMENT,
                                .saved = saved,
                                .at = bx_plan_address(m->t, package, unit, reg),
                                .value = update.bits,
                                .keep = update.keep,
                            });
    if (m->failed)
        return;
    *slot_of(m, m->latest, m->slots, package, unit, reg) = (uint32_t)m->plan.n;
    m->registers += !before;
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
