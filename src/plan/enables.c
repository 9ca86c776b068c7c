/* Gates: what must hold beside a counter's own control register for it to count: the enable of its
 * box, the global one. Nothing else is set in them: interrupts that somebody selected stay out of a
 * measurement. */
#include "plan/builder.h"

#include "event/event.h"

static const bx_cat_cond *cond_of(const bx_maker *m, const bx_cat_counter *counter, unsigned i)
{
    return &bx_cat_conds(m->t->catalog)[counter->counts.first + i];
}

/* The registers of the package itself are those of the CPU's first PMU. */
static bool is_outer(const bx_maker *m, unsigned reg)
{
    return bx_cat_regs(m->t->catalog)[reg].pmu == bx_cat_cpus(m->t->catalog)[m->t->cpu].pmus.first;
}

/* A box has one gate for several counters: so that it need not move when passes change, it opens
 * for those of all passes at once. A gate in a control register moves with that. */
static bool is_due(const bx_maker *m, const bx_seat *seat, unsigned i)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    return counter->counts.first + i != counter->elsewhere || m->step == BX_SAVE ||
           m->pass % seat->passes == seat->pass;
}

static void put_gates(bx_maker *m, const bx_seat *seat, bool open, bool outer)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = cond_of(m, counter, i);
        if (cond->reg == counter->control || is_outer(m, cond->reg) != outer || !is_due(m, seat, i))
            continue;
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[cond->field];
        uint64_t bits = cond->value << field->lo;
        if (!open)
            bits = ~bits & bx_cat_field_mask(field);
        bx_maker_put(m, seat, cond->reg, (bx_put){.bits = bits, .steady = true});
    }
}

static void close_outer(bx_maker *m, const bx_seat *seat)
{
    put_gates(m, seat, false, true);
}

static void close_inner(bx_maker *m, const bx_seat *seat)
{
    put_gates(m, seat, false, false);
}

static void open_outer(bx_maker *m, const bx_seat *seat)
{
    put_gates(m, seat, true, true);
}

static void open_inner(bx_maker *m, const bx_seat *seat)
{
    put_gates(m, seat, true, false);
}

void bx_gates_close_outer(bx_maker *m)
{
    bx_maker_all(m, close_outer);
}

void bx_gates_close_inner(bx_maker *m)
{
    bx_maker_all(m, close_inner);
}

void bx_gates_open(bx_maker *m)
{
    bx_maker_all(m, open_inner);
    bx_maker_all(m, open_outer);
}

/* The bit beside a gate that sets all counters of the package back; NULL: there is none. */
static const bx_cat_field *reset_of(const bx_maker *m, const bx_cat_cond *gate)
{
    bx_span fields = bx_cat_regs(m->t->catalog)[gate->reg].fields;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[fields.first + i];
        if (field->resets == BX_RESETS_PACKAGE)
            return field;
    }
    return NULL;
}

bool bx_gates_can_reset(const bx_maker *m, const bx_seat *seat)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (reset_of(m, cond_of(m, counter, i)))
            return true;
    return false;
}

void bx_gates_reset(bx_maker *m, const bx_seat *seat)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *gate = cond_of(m, counter, i);
        const bx_cat_field *field = reset_of(m, gate);
        if (!field)
            continue;
        bx_maker_put(m, seat, gate->reg,
                     (bx_put){.bits = bx_cat_field_mask(field), .steady = true});
        bx_op *op = bx_maker_find(m, seat, gate->reg);
        if (op)
            op->resets = true;
    }
}

void bx_gates_shut(bx_maker *m, const bx_seat *seat)
{
    const bx_cat_counter *counter = bx_maker_counter(m, seat);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = cond_of(m, counter, i);
        bx_op *op = bx_maker_find(m, seat, cond->reg);
        if (cond->reg != counter->control && op)
            op->value &= ~(cond->value << bx_cat_fields(m->t->catalog)[cond->field].lo);
    }
}
