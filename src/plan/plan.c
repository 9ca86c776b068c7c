#include "plan/plan.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SEAT = UINT16_MAX };

/* While a plan is made. `segment` is where the present step and pass began: a register that several
 * seats share has one operation in it, whose value gathers what each of them needs. */
struct maker {
    const bx_topology *t;
    const bx_evsel *events;
    const bx_schedule *schedule;
    bx_plan plan;
    size_t room, saves, segment;
    uint8_t step;
    uint16_t pass;
    bool failed;
};

static const bx_cat_counter *counter_of(const struct maker *m, const bx_seat *seat)
{
    return &bx_cat_counters(m->t->catalog)[seat->counter];
}

static bool takes_turns(const bx_seat *seat)
{
    return seat->passes > 1;
}

/* Registers of the seat's own box are those of its unit, those of the package have one unit. */
static unsigned unit_of(const struct maker *m, const bx_seat *seat, unsigned reg)
{
    bool own = bx_cat_regs(m->t->catalog)[reg].pmu == counter_of(m, seat)->pmu;
    return own ? seat->unit : 0;
}

bx_address bx_plan_address(const bx_topology *t, unsigned package, unsigned unit, unsigned reg)
{
    const bx_cat_reg *r = &bx_cat_regs(t->catalog)[reg];
    return (bx_address){
        .space = r->space,
        .width = r->width,
        .cpu = (uint16_t)(package * t->cores),
        .offset = bx_cat_addrs(t->catalog)[r->first_addr + unit],
    };
}

static void begin(struct maker *m, unsigned step, unsigned pass)
{
    m->segment = m->plan.n;
    m->step = (uint8_t)step;
    m->pass = (uint16_t)pass;
}

static void push(struct maker *m, const bx_op *op)
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
static size_t find(const struct maker *m, size_t from, size_t to, unsigned package, unsigned unit,
                   unsigned reg)
{
    for (; from < to; from++) {
        const bx_op *op = &m->plan.ops[from];
        if (op->reg == reg && op->package == package && op->unit == unit)
            break;
    }
    return from;
}

/* ---- what is done to the registers of a seat ---- */

/* One operation of the present segment on a register that the seat needs; `bits` join its value. */
static void put(struct maker *m, const bx_seat *seat, unsigned reg, uint64_t bits, bool steady)
{
    unsigned unit = unit_of(m, seat, reg);
    size_t i = find(m, m->segment, m->plan.n, seat->package, unit, reg);
    if (i < m->plan.n) {
        m->plan.ops[i].value |= bits;
        m->plan.ops[i].steady &= steady;
        return;
    }
    size_t saved = find(m, 0, m->saves, seat->package, unit, reg);
    push(m, &(bx_op){
                .step = m->step,
                .write = m->step != BX_SAVE,
                .steady = steady,
                .package = seat->package,
                .unit = (uint16_t)unit,
                .reg = (uint16_t)reg,
                .pass = m->pass,
                .seat = NO_SEAT,
                .saved = saved < m->saves ? (uint32_t)saved : BX_NOT_SAVED,
                .at = bx_plan_address(m->t, seat->package, unit, reg),
                .value = bits,
            });
}

/* Gates: what must hold beside the counter's own control register for it to count, such as the
 * global enable. Nothing else is set in them: interrupts that somebody selected stay out of a
 * measurement. */
static void put_gates(struct maker *m, const bx_seat *seat, bool open)
{
    const struct bx_catalog *c = m->t->catalog;
    const bx_cat_counter *counter = counter_of(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + i];
        if (cond->reg == counter->control)
            continue;
        const bx_cat_field *field = &bx_cat_fields(c)[cond->field];
        uint64_t bits = cond->value << field->lo;
        put(m, seat, cond->reg, open ? bits : ~bits & bx_cat_field_mask(field), true);
    }
}

static void open_gates(struct maker *m, const bx_seat *seat)
{
    put_gates(m, seat, true);
}

static void close_gates(struct maker *m, const bx_seat *seat)
{
    put_gates(m, seat, false);
}

/* The status register is cleared of all that it tells, not of the seat's bit only. It is not saved
 * either: a 1 that is written back clears. */
static void clear_status(struct maker *m, const bx_seat *seat)
{
    const struct bx_catalog *c = m->t->catalog;
    const bx_cat_counter *counter = counter_of(m, seat);
    if (counter->overflow == BX_NONE)
        return;
    unsigned reg = bx_cat_fields(c)[counter->overflow].reg;
    const bx_span *span = &bx_cat_regs(c)[reg].fields;
    uint64_t bits = 0;
    for (unsigned i = 0; i < span->n; i++) {
        const bx_cat_field *field = &bx_cat_fields(c)[span->first + i];
        if (field->kind == BX_FIELD_W1C)
            bits |= bx_cat_field_mask(field);
    }
    put(m, seat, reg, bits, true);
}

static void zero_counter(struct maker *m, const bx_seat *seat)
{
    const bx_cat_counter *counter = counter_of(m, seat);
    if (!(counter->flags & BX_COUNTER_FREE))
        put(m, seat, counter->value, 0, !takes_turns(seat));
}

static size_t controls_of(const struct maker *m, const bx_seat *seat, bx_regvalue *to)
{
    unsigned index = counter_of(m, seat)->index;
    return bx_event_registers(m->t->catalog, &m->events[seat->event], index, to);
}

static void write_controls(struct maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = controls_of(m, seat, regs);
    for (size_t i = 0; i < n; i++)
        put(m, seat, regs[i].reg, regs[i].value, !takes_turns(seat));
}

/* A gate may be in the control register of another counter, as EN of a P6's PerfEvtSel0 is: what
 * was written there leaves it closed, and stays when it is opened. */
static void shut_gates(struct maker *m, const bx_seat *seat)
{
    const struct bx_catalog *c = m->t->catalog;
    const bx_cat_counter *counter = counter_of(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + i];
        const bx_cat_field *field = &bx_cat_fields(c)[cond->field];
        size_t at =
            find(m, m->segment, m->plan.n, seat->package, unit_of(m, seat, cond->reg), cond->reg);
        if (cond->reg != counter->control && at < m->plan.n)
            m->plan.ops[at].value &= ~(cond->value << field->lo);
    }
}

static void keep_controls(struct maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = controls_of(m, seat, regs);
    for (size_t i = 0; i < n; i++) {
        unsigned unit = unit_of(m, seat, regs[i].reg);
        if (find(m, m->segment, m->plan.n, seat->package, unit, regs[i].reg) < m->plan.n)
            put(m, seat, regs[i].reg, regs[i].value, !takes_turns(seat));
    }
}

static void switch_off(struct maker *m, const bx_seat *seat)
{
    uint16_t control = counter_of(m, seat)->control;
    if (takes_turns(seat) && control != BX_NONE)
        put(m, seat, control, bx_cat_regs(m->t->catalog)[control].reset, false);
}

static void read_counter(struct maker *m, const bx_seat *seat)
{
    uint16_t reg = counter_of(m, seat)->value;
    push(m, &(bx_op){
                .step = BX_READ,
                .package = seat->package,
                .unit = seat->unit,
                .reg = reg,
                .pass = m->pass,
                .seat = (uint16_t)(seat - m->schedule->seats),
                .saved = BX_NOT_SAVED,
                .at = bx_plan_address(m->t, seat->package, seat->unit, reg),
            });
}

/* ---- steps ---- */

/* Does something for each seat of the present pass; saving is for those of all passes. */
static void each(struct maker *m, void (*something)(struct maker *m, const bx_seat *seat))
{
    for (size_t i = 0; i < m->schedule->n; i++) {
        const bx_seat *seat = &m->schedule->seats[i];
        if (m->step == BX_SAVE || m->pass % seat->passes == seat->pass)
            something(m, seat);
    }
}

/* What will be written is what is saved. */
static void add_save(struct maker *m)
{
    begin(m, BX_SAVE, 0);
    each(m, close_gates);
    each(m, zero_counter);
    each(m, write_controls);
    for (size_t i = m->segment; i < m->plan.n; i++)
        m->plan.ops[i].value = 0;
    m->saves = m->plan.n;
}

static void add_pass(struct maker *m, unsigned pass)
{
    begin(m, BX_SETUP, pass);
    each(m, close_gates);
    each(m, clear_status);
    each(m, zero_counter);
    each(m, write_controls);
    each(m, shut_gates);
    begin(m, BX_START, pass);
    each(m, open_gates);
    each(m, keep_controls);
    begin(m, BX_READ, pass);
    each(m, read_counter);
    begin(m, BX_STOP, pass);
    each(m, close_gates);
    each(m, switch_off);
}

/* Backwards, so that what was saved first, the gates, comes back last: nothing counts until all
 * else is as it was. */
static void add_restore(struct maker *m)
{
    begin(m, BX_RESTORE, 0);
    for (size_t i = m->saves; i-- > 0;) {
        bx_op op = m->plan.ops[i];
        op.step = BX_RESTORE;
        op.write = true;
        op.saved = (uint32_t)i;
        push(m, &op);
    }
}

bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_seat *seat,
                   const bx_op *op)
{
    const struct maker m = {.t = t, .events = events};
    const bx_cat_counter *counter = counter_of(&m, seat);
    if (op->package != seat->package || op->unit != unit_of(&m, seat, op->reg))
        return false;
    if (op->reg == counter->value)
        return true;
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (op->reg == bx_cat_conds(t->catalog)[counter->counts.first + i].reg)
            return true;
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = controls_of(&m, seat, regs);
    for (size_t i = 0; i < n; i++)
        if (op->reg == regs[i].reg)
            return true;
    return false;
}

int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s, bx_plan *p,
                 bx_error *e)
{
    struct maker m = {.t = t, .events = events, .schedule = s};
    add_save(&m);
    for (unsigned pass = 0; pass < s->passes; pass++)
        add_pass(&m, pass);
    add_restore(&m);
    if (m.failed) {
        bx_plan_free(&m.plan);
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    }
    *p = m.plan;
    return BX_OK;
}

bx_op *bx_plan_part(const bx_plan *p, unsigned step, unsigned pass, size_t *n)
{
    size_t from = 0;
    while (from < p->n && (p->ops[from].step != step || p->ops[from].pass != pass))
        from++;
    size_t to = from;
    while (to < p->n && p->ops[to].step == step && p->ops[to].pass == pass)
        to++;
    *n = to - from;
    return p->ops ? p->ops + from : NULL;
}

void bx_plan_free(bx_plan *p)
{
    free(p->ops);
    *p = (bx_plan){0};
}
