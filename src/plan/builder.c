#include "plan/builder.h"

#include "event/event.h"

#include <stdlib.h>

const bx_cat_counter *bx_maker_counter(const bx_maker *m, const bx_seat *seat)
{
    return &bx_cat_counters(m->t->catalog)[seat->counter];
}

unsigned bx_maker_unit(const bx_maker *m, const bx_seat *seat, unsigned reg)
{
    bool own = bx_cat_regs(m->t->catalog)[reg].pmu == bx_maker_counter(m, seat)->pmu;
    return own ? seat->unit : 0;
}

size_t bx_maker_controls(const bx_maker *m, const bx_seat *seat, bx_regvalue *to)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    const bx_evsel *event = &m->events[seat->event];
    if (seat->place == BX_NONE)
        return bx_event_registers(m->t->catalog, event, counter->index, to);
    return bx_event_registers_at(m->t->catalog, event, counter, seat->place, to);
}

void bx_maker_begin(bx_maker *m, unsigned step, unsigned pass)
{
    m->segment = m->plan.n;
    m->step = (uint8_t)step;
    m->pass = (uint16_t)pass;
}

void bx_maker_push(bx_maker *m, const bx_op *op)
{
    if (m->plan.n == m->room) {
        size_t room = m->room ? m->room * 2 : 64;
        bx_op *ops = realloc(m->plan.ops, room * sizeof *ops);
        if (!ops) {
            m->failed = true;
            return;
        }
        m->plan.ops = ops;
        m->room = room;
    }
    m->plan.ops[m->plan.n++] = *op;
}

/* The operation on a register among those from … to-1, or `to`. */
static size_t find(const bx_maker *m, size_t from, size_t to, unsigned package, unsigned unit,
                   unsigned reg)
{
    for (; from < to; from++) {
        const bx_op *op = &m->plan.ops[from];
        if (op->reg == reg && op->package == package && op->unit == unit)
            break;
    }
    return from;
}

bx_op *bx_maker_find(bx_maker *m, const bx_seat *seat, unsigned reg)
{
    size_t at = find(m, m->segment, m->plan.n, seat->package, bx_maker_unit(m, seat, reg), reg);
    return at < m->plan.n ? &m->plan.ops[at] : NULL;
}

void bx_maker_put_at(bx_maker *m, unsigned package, unsigned unit, unsigned reg, bx_put put)
{
    size_t i = find(m, m->segment, m->plan.n, package, unit, reg);
    if (i < m->plan.n) {
        m->plan.ops[i].value |= put.bits;
        m->plan.ops[i].keep &= put.keep;
        m->plan.ops[i].steady &= put.steady;
        return;
    }
    size_t saved = find(m, 0, m->saves, package, unit, reg);
    bx_maker_push(m, &(bx_op){
                         .step = m->step,
                         .write = m->step != BX_SAVE,
                         .steady = put.steady,
                         .package = (uint16_t)package,
                         .unit = (uint16_t)unit,
                         .reg = (uint16_t)reg,
                         .pass = m->pass,
                         .seat = BX_NO_SEAT,
                         .saved = saved < m->saves ? (uint32_t)saved : BX_NOT_SAVED,
                         .at = bx_plan_address(m->t, package, unit, reg),
                         .value = put.bits,
                         .keep = put.keep,
                     });
}

void bx_maker_put(bx_maker *m, const bx_seat *seat, unsigned reg, bx_put put)
{
    bx_maker_put_at(m, seat->package, bx_maker_unit(m, seat, reg), reg, put);
}

void bx_maker_each(bx_maker *m, bx_deed *deed)
{
    for (size_t i = 0; i < m->schedule->n; i++) {
        const bx_seat *seat = &m->schedule->seats[i];
        if (m->step == BX_SAVE || m->pass % seat->passes == seat->pass)
            deed(m, seat);
    }
}

void bx_maker_each_apart(bx_maker *m, bx_deed *deed)
{
    size_t segment = m->segment, n = m->plan.n;
    m->segment = n;
    bx_maker_each(m, deed);
    m->segment = m->plan.n > n ? m->plan.n : segment;
}

void bx_maker_all(bx_maker *m, bx_deed *deed)
{
    for (size_t i = 0; i < m->schedule->n; i++)
        deed(m, &m->schedule->seats[i]);
}
