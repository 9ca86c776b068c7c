/* Makes the plan of a measurement, step by step. */
#include "plan/builder.h"

#include "base/bits.h"
#include "base/error.h"
#include "event/event.h"

#include <stdlib.h>

/* ---- actions for an assignment ---- */

static void put_optional(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg,
                         uint64_t bits)
{
    bx_plan_builder_put(m, assignment, reg, (bx_register_update){.bits = bits, .every_pass = true});
    bx_op *op = bx_plan_builder_find(m, assignment, reg);
    if (op)
        op->optional = true;
}

/* Clears a status register with write-1-to-clear bits completely, not only the assignment's bit. */
static void clear_status_bits(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg)
{
    put_optional(m, assignment, reg, bx_cat_regs(m->t->catalog)[reg].bits.w1c);
}

/* The status may be cleared through fields of another register. Clearing those of the box is
 * enough: the summaries change with them. */
static void clear_elsewhere(bx_plan_builder *m, const bx_assignment *assignment, uint16_t status)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span regs = bx_cat_pmus(c)[bx_plan_builder_counter(m, assignment)->pmu].regs;
    for (unsigned reg = regs.first; reg < regs.first + regs.n; reg++) {
        bx_span fields = bx_cat_regs(c)[reg].fields;
        for (unsigned i = 0; i < fields.n; i++) {
            const bx_cat_field *field = &bx_cat_fields(c)[fields.first + i];
            if (field->clears == status)
                put_optional(m, assignment, reg, bx_cat_field_mask(field));
        }
    }
}

static void clear_status(bx_plan_builder *m, const bx_assignment *assignment)
{
    uint16_t status = bx_plan_builder_counter(m, assignment)->overflow;
    if (status == BX_NONE)
        return;
    const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[status];
    if (field->kind == BX_FIELD_W1C)
        clear_status_bits(m, assignment, field->reg);
    else
        clear_elsewhere(m, assignment, status);
}

static void save_field(bx_plan_builder *m, const bx_assignment *assignment, uint16_t field)
{
    if (field != BX_NONE)
        bx_plan_builder_put(m, assignment, bx_cat_fields(m->t->catalog)[field].reg,
                            (bx_register_update){.every_pass = true});
}

/* Saves the status that an overflow of the counter sets. */
static void save_status(bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(m->t->catalog)[m->t->cpu];
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    if (counter->flags & BX_COUNTER_FREE)
        return;
    save_field(m, assignment, counter->overflow);
    save_field(m, assignment, cpu->changed);
    save_field(m, assignment, cpu->noted);
}

uint64_t bx_plan_start_of(const bx_cat_counter *counter, uint64_t interval)
{
    uint64_t most = bx_mask_width(counter->width), risky = bx_mask_width(counter->erratum);
    uint64_t start = interval && interval <= most ? most - interval + 1 : 0;
    if (counter->erratum && (start & risky) >= risky - 1)
        start -= (start & risky) - risky + 2;
    return start;
}

static void start_counter(bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    if (counter->flags & BX_COUNTER_FREE)
        return;
    uint64_t from = assignment == m->overflowing
                        ? bx_overflow_start(m->t->catalog, counter, &m->events[assignment->event],
                                            m->overflow.counts)
                        : bx_plan_start_of(counter, m->interval);
    bx_plan_builder_put(
        m, assignment, counter->value,
        (bx_register_update){.bits = from << bx_cat_fields(m->t->catalog)[counter->value_field].lo,
                             .every_pass = !bx_is_multiplexed(assignment)});
}

static void write_controls(bx_plan_builder *m, const bx_assignment *assignment)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_plan_builder_controls(m, assignment, regs);
    for (size_t i = 0; i < n; i++)
        if (bx_slots_is_control(m, assignment, regs[i].reg))
            bx_plan_builder_put(m, assignment, regs[i].reg,
                                (bx_register_update){.bits = regs[i].value,
                                                     .every_pass = !bx_is_multiplexed(assignment)});
}

/* A control register that is also an enable is written again, in full, when the enable is set. */
static void keep_controls(bx_plan_builder *m, const bx_assignment *assignment)
{
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_plan_builder_controls(m, assignment, regs);
    for (size_t i = 0; i < n; i++)
        if (bx_slots_is_control(m, assignment, regs[i].reg) &&
            bx_plan_builder_find(m, assignment, regs[i].reg))
            bx_plan_builder_put(m, assignment, regs[i].reg,
                                (bx_register_update){.bits = regs[i].value,
                                                     .every_pass = !bx_is_multiplexed(assignment)});
}

static void switch_off(bx_plan_builder *m, const bx_assignment *assignment)
{
    uint16_t control = bx_plan_builder_counter(m, assignment)->control;
    if (bx_is_multiplexed(assignment) && control != BX_NONE)
        bx_plan_builder_put(
            m, assignment, control,
            (bx_register_update){.bits = bx_cat_regs(m->t->catalog)[control].reset});
}

static void read_counter(bx_plan_builder *m, const bx_assignment *assignment)
{
    uint16_t reg = bx_plan_builder_counter(m, assignment)->value;
    bx_plan_builder_push(
        m, &(bx_op){
               .step = BX_STEP_READ,
               .package = assignment->package,
               .unit = assignment->unit,
               .reg = reg,
               .pass = m->pass,
               .assignment = (uint16_t)(assignment - m->schedule->assignments),
               .saved = BX_NOT_SAVED,
               .at = bx_plan_address(m->t, assignment->package, assignment->unit, reg),
           });
}

/* ---- a counter that stops all others ---- */

/* Adds the freeze and its interrupt to the enables of the package. */
static void put_freeze(bx_plan_builder *m)
{
    if (!m->overflowing)
        return;
    const bx_cat_cpu *cpu = &bx_cat_cpus(m->t->catalog)[m->t->cpu];
    const uint16_t fields[] = {cpu->freeze, cpu->pmi.n ? cpu->pmi.first : BX_NONE};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i] == BX_NONE)
            continue;
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[fields[i]];
        bx_plan_builder_put(
            m, m->overflowing, field->reg,
            (bx_register_update){.bits = bx_cat_field_mask(field), .every_pass = true});
    }
}

static void set_enables(bx_plan_builder *m)
{
    bx_enables_set(m);
    put_freeze(m);
    bx_plan_builder_each(m, keep_controls);
}

/* 323535-001 p86: a counter makes no further request until its status bit has been cleared. The
 * enable that the freeze cleared is set last: that of every pass, because all passes count at the
 * same time. */
static void add_rearm(bx_plan_builder *m, unsigned pass)
{
    if (!m->overflow.again)
        return;
    bx_plan_builder_begin(m, BX_STEP_REARM, pass);
    if (pass % m->overflowing->passes == m->overflowing->pass) {
        clear_status(m, m->overflowing);
        start_counter(m, m->overflowing);
    }
    set_enables(m);
}

/* ---- saving registers that will change ---- */

/* Saves all counters of the package that a reset clears, including those of other boxes. */
static void save_counters(bx_plan_builder *m, unsigned package)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span pmus = bx_cat_cpus(c)[m->t->cpu].pmus;
    for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
        const bx_cat_counter *counters = &bx_cat_counters(c)[bx_cat_pmus(c)[p].counters.first];
        for (unsigned unit = 0; unit < bx_topology_units(m->t, (uint16_t)p); unit++)
            for (unsigned i = 0; i < bx_cat_pmus(c)[p].counters.n; i++)
                if (!(counters[i].flags & BX_COUNTER_FREE))
                    bx_plan_builder_put_at(m, package, unit, counters[i].value,
                                           (bx_register_update){.every_pass = true});
    }
}

static void save_unrequested(bx_plan_builder *m)
{
    size_t first = m->plan.n;
    for (unsigned package = 0; package < m->t->packages; package++) {
        for (size_t i = 0; i < m->schedule->n; i++) {
            const bx_assignment *assignment = &m->schedule->assignments[i];
            if (assignment->package == package && bx_enables_can_reset(m, assignment)) {
                save_counters(m, package);
                break;
            }
        }
    }
    for (size_t i = first; i < m->plan.n; i++)
        m->plan.ops[i].unrequested = true;
}

/* Saves every register that will be written. */
static void add_save(bx_plan_builder *m)
{
    bx_plan_builder_begin(m, BX_STEP_SAVE, 0);
    bx_enables_clear_package(m);
    bx_enables_clear_boxes(m);
    put_freeze(m);
    save_unrequested(m);
    bx_plan_builder_each(m, save_status);
    bx_plan_builder_each(m, start_counter);
    bx_plan_builder_each(m, bx_slots_set_preconditions);
    bx_plan_builder_each(m, bx_slots_write);
    bx_plan_builder_each(m, bx_slots_write_preconditions);
    bx_plan_builder_each(m, write_controls);
    for (size_t i = m->segment; i < m->plan.n; i++)
        m->plan.ops[i].value = 0;
    m->saves = m->plan.n;
}

/* ---- passes ---- */

static void add_pass(bx_plan_builder *m, unsigned pass)
{
    bx_plan_builder_begin(m, BX_STEP_SETUP, pass);
    bx_enables_clear_package(m);
    bx_plan_builder_each_apart(m, bx_enables_reset_counters);
    bx_enables_clear_boxes(m);
    bx_plan_builder_each(m, clear_status);
    bx_plan_builder_each(m, start_counter);
    bx_plan_builder_each_apart(m, bx_slots_set_preconditions);
    bx_plan_builder_each(m, bx_slots_write);
    bx_plan_builder_each(m, bx_slots_write_preconditions);
    bx_plan_builder_each(m, write_controls);
    bx_plan_builder_each(m, bx_enables_clear_in_controls);
    bx_plan_builder_begin(m, BX_STEP_START, pass);
    set_enables(m);
    bx_plan_builder_begin(m, BX_STEP_READ, pass);
    bx_plan_builder_each(m, read_counter);
    add_rearm(m, pass);
    bx_plan_builder_begin(m, BX_STEP_STOP, pass);
    bx_enables_clear_package(m);
    bx_enables_clear_boxes(m);
    bx_plan_builder_each(m, switch_off);
}

/* ---- a whole plan ---- */

bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_assignment *assignment,
                   const bx_op *op)
{
    bx_plan_builder m = {.t = t, .events = events};
    const bx_cat_counter *counter = bx_plan_builder_counter(&m, assignment);
    if (op->package != assignment->package ||
        op->unit != bx_plan_builder_unit(&m, assignment, op->reg))
        return false;
    if (op->reg == counter->value)
        return true;
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (op->reg == bx_cat_conds(t->catalog)[counter->counts.first + i].reg)
            return true;
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n = bx_plan_builder_controls(&m, assignment, regs);
    for (size_t i = 0; i < n; i++)
        if (op->reg == regs[i].reg)
            return true;
    return bx_slots_is_precondition(&m, assignment, op->reg);
}

int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                 uint64_t interval, const bx_overflow *overflow, bx_plan *p, bx_error *e)
{
    bx_plan_builder m;
    bx_plan_builder_open(&m, t, events, s, interval, overflow);
    if (!m.failed)
        add_save(&m);
    for (unsigned pass = 0; !m.failed && pass < s->passes; pass++)
        add_pass(&m, pass);
    bx_plan_builder_close(&m);
    if (m.failed) {
        bx_plan_free(&m.plan);
        return bx_out_of_memory(e);
    }
    *p = m.plan;
    return BX_OK;
}

/* The position of a pass's step in a plan. */
static unsigned position_of(unsigned step, unsigned pass)
{
    return step == BX_STEP_SAVE ? 0 : pass * BX_STEP_STOP + step;
}

/* The first operation at the position or after it. */
static size_t first_from(const bx_plan *p, unsigned position)
{
    size_t from = 0, to = p->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (position_of(p->ops[middle].step, p->ops[middle].pass) < position)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bx_op *bx_plan_part(const bx_plan *p, unsigned step, unsigned pass, size_t *n)
{
    unsigned position = position_of(step, pass);
    size_t from = first_from(p, position);
    *n = first_from(p, position + 1) - from;
    return p->ops ? p->ops + from : NULL;
}

void bx_plan_free(bx_plan *p)
{
    free(p->ops);
    *p = (bx_plan){0};
}
