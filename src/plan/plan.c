#include "plan/builder.h"

#include "base/bits.h"
#include "base/error.h"
#include "event/event.h"

#include <stdlib.h>

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

/* ---- what is done for a seat ---- */

/* A status register whose bits a written 1 clears is cleared of all that it tells, not of the
 * seat's bit only. It is not saved either: a 1 that is written back clears. */
static void clear_status_bits(bx_maker *m, const bx_seat *seat, unsigned reg)
{
    bx_span span = bx_cat_regs(m->t->catalog)[reg].fields;
    uint64_t bits = 0;
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[span.first + i];
        if (field->kind == BX_FIELD_W1C)
            bits |= bx_cat_field_mask(field);
    }
    bx_maker_put(m, seat, reg, (bx_put){.bits = bits, .steady = true});
}

/* Another register's fields may clear the status: those of the box are enough, summaries follow. */
static void clear_elsewhere(bx_maker *m, const bx_seat *seat, uint16_t status)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span regs = bx_cat_pmus(c)[bx_maker_counter(m, seat)->pmu].regs;
    for (unsigned reg = regs.first; reg < regs.first + regs.n; reg++) {
        bx_span fields = bx_cat_regs(c)[reg].fields;
        for (unsigned i = 0; i < fields.n; i++) {
            const bx_cat_field *field = &bx_cat_fields(c)[fields.first + i];
            if (field->clears == status)
                bx_maker_put(m, seat, reg,
                             (bx_put){.bits = bx_cat_field_mask(field), .steady = true});
        }
    }
}

static void clear_status(bx_maker *m, const bx_seat *seat)
{
    uint16_t status = bx_maker_counter(m, seat)->overflow;
    if (status == BX_NONE)
        return;
    const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[status];
    if (field->kind == BX_FIELD_W1C)
        clear_status_bits(m, seat, field->reg);
    else
        clear_elsewhere(m, seat, status);
}

uint64_t bx_plan_start_of(const bx_cat_counter *counter, uint64_t interval)
{
    uint64_t most = bx_mask_width(counter->width), risky = bx_mask_width(counter->erratum);
    uint64_t start = interval && interval <= most ? most - interval + 1 : 0;
    if (counter->erratum && (start & risky) >= risky - 1)
        start -= (start & risky) - risky + 2;
    return start;
}

static void start_counter(bx_maker *m, const bx_seat *seat)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    if (counter->flags & BX_COUNTER_FREE)
        return;
    uint64_t from = bx_plan_start_of(counter, m->interval);
    bx_maker_put(m, seat, counter->value,
                 (bx_put){.bits = from << bx_cat_fields(m->t->catalog)[counter->value_field].lo,
                          .steady = !bx_takes_turns(seat)});
}

static void write_controls(bx_maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_maker_controls(m, seat, regs);
    for (size_t i = 0; i < n; i++)
        if (bx_slots_is_control(m, seat, regs[i].reg))
            bx_maker_put(m, seat, regs[i].reg,
                         (bx_put){.bits = regs[i].value, .steady = !bx_takes_turns(seat)});
}

/* A control register that is a gate as well is written again when that opens, with all it says. */
static void keep_controls(bx_maker *m, const bx_seat *seat)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_maker_controls(m, seat, regs);
    for (size_t i = 0; i < n; i++)
        if (bx_slots_is_control(m, seat, regs[i].reg) && bx_maker_find(m, seat, regs[i].reg))
            bx_maker_put(m, seat, regs[i].reg,
                         (bx_put){.bits = regs[i].value, .steady = !bx_takes_turns(seat)});
}

static void switch_off(bx_maker *m, const bx_seat *seat)
{
    uint16_t control = bx_maker_counter(m, seat)->control;
    if (bx_takes_turns(seat) && control != BX_NONE)
        bx_maker_put(m, seat, control, (bx_put){.bits = bx_cat_regs(m->t->catalog)[control].reset});
}

static void read_counter(bx_maker *m, const bx_seat *seat)
{
    uint16_t reg = bx_maker_counter(m, seat)->value;
    bx_maker_push(m, &(bx_op){
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

/* ---- saving what will change ---- */

/* All counters of the package that a reset sets back, those of other boxes included. */
static void save_counters(bx_maker *m, unsigned package)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span pmus = bx_cat_cpus(c)[m->t->cpu].pmus;
    for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
        const bx_cat_counter *counters = &bx_cat_counters(c)[bx_cat_pmus(c)[p].counters.first];
        for (unsigned unit = 0; unit < bx_topology_units(m->t, (uint16_t)p); unit++)
            for (unsigned i = 0; i < bx_cat_pmus(c)[p].counters.n; i++)
                if (!(counters[i].flags & BX_COUNTER_FREE))
                    bx_maker_put_at(m, package, unit, counters[i].value, (bx_put){.steady = true});
    }
}

static void save_bystanders(bx_maker *m)
{
    size_t first = m->plan.n;
    for (unsigned package = 0; package < m->t->packages; package++) {
        for (size_t i = 0; i < m->schedule->n; i++) {
            const bx_seat *seat = &m->schedule->seats[i];
            if (seat->package == package && bx_gates_can_reset(m, seat)) {
                save_counters(m, package);
                break;
            }
        }
    }
    for (size_t i = first; i < m->plan.n; i++)
        m->plan.ops[i].bystander = true;
}

/* What will be written is what is saved. */
static void add_save(bx_maker *m)
{
    bx_maker_begin(m, BX_SAVE, 0);
    bx_gates_close_outer(m);
    bx_gates_close_inner(m);
    save_bystanders(m);
    bx_maker_each(m, start_counter);
    bx_maker_each(m, bx_slots_guard);
    bx_maker_each(m, bx_slots_write);
    bx_maker_each(m, bx_slots_write_guard);
    bx_maker_each(m, write_controls);
    for (size_t i = m->segment; i < m->plan.n; i++)
        m->plan.ops[i].value = 0;
    m->saves = m->plan.n;
}

/* ---- passes ---- */

static void add_pass(bx_maker *m, unsigned pass)
{
    bx_maker_begin(m, BX_SETUP, pass);
    bx_gates_close_outer(m);
    bx_maker_each_apart(m, bx_gates_reset);
    bx_gates_close_inner(m);
    bx_maker_each(m, clear_status);
    bx_maker_each(m, start_counter);
    bx_maker_each_apart(m, bx_slots_guard);
    bx_maker_each(m, bx_slots_write);
    bx_maker_each(m, bx_slots_write_guard);
    bx_maker_each(m, write_controls);
    bx_maker_each(m, bx_gates_shut);
    bx_maker_begin(m, BX_START, pass);
    bx_gates_open(m);
    bx_maker_each(m, keep_controls);
    bx_maker_begin(m, BX_READ, pass);
    bx_maker_each(m, read_counter);
    bx_maker_begin(m, BX_STOP, pass);
    bx_gates_close_outer(m);
    bx_gates_close_inner(m);
    bx_maker_each(m, switch_off);
}

/* ---- putting back ---- */

static size_t saved_at(const bx_maker *m, const bx_op *beside, unsigned reg)
{
    size_t i = 0;
    while (i < m->saves && (m->plan.ops[i].reg != reg || m->plan.ops[i].unit != beside->unit ||
                            m->plan.ops[i].package != beside->package))
        i++;
    return i;
}

/* Makes the guard of a register hold before it is put back. What the guard is in comes back later:
 * it was saved earlier. */
static void hold_guard(bx_maker *m, size_t save)
{
    bx_op op = m->plan.ops[save];
    const bx_cat_cond *guard = bx_slots_guard_of(m->t, op.reg);
    size_t at = guard ? saved_at(m, &op, guard->reg) : m->saves;
    if (at == m->saves)
        return;
    for (size_t i = m->segment; i < m->plan.n; i++)
        if (m->plan.ops[i].saved == at)
            return;
    bx_op hold = m->plan.ops[at];
    hold.step = BX_RESTORE;
    hold.write = true;
    hold.saved = (uint32_t)at;
    hold.value = guard->value << bx_cat_fields(m->t->catalog)[guard->field].lo;
    bx_maker_push(m, &hold);
}

/* Backwards, so that what was saved first, the gates, comes back last: nothing counts until all
 * else is as it was. */
static void add_restore(bx_maker *m)
{
    bx_maker_begin(m, BX_RESTORE, 0);
    for (size_t i = m->saves; i-- > 0;) {
        hold_guard(m, i);
        bx_op op = m->plan.ops[i];
        op.step = BX_RESTORE;
        op.write = true;
        op.saved = (uint32_t)i;
        op.keep = UINT64_MAX;
        bx_maker_push(m, &op);
    }
}

/* ---- the whole ---- */

bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_seat *seat,
                   const bx_op *op)
{
    const bx_maker m = {.t = t, .events = events};
    const bx_cat_counter *counter = bx_maker_counter(&m, seat);
    if (op->package != seat->package || op->unit != bx_maker_unit(&m, seat, op->reg))
        return false;
    if (op->reg == counter->value)
        return true;
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (op->reg == bx_cat_conds(t->catalog)[counter->counts.first + i].reg)
            return true;
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_maker_controls(&m, seat, regs);
    for (size_t i = 0; i < n; i++)
        if (op->reg == regs[i].reg)
            return true;
    return bx_slots_guards(&m, seat, op->reg);
}

int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                 uint64_t interval, bx_plan *p, bx_error *e)
{
    bx_maker m = {.t = t, .events = events, .schedule = s, .interval = interval};
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
