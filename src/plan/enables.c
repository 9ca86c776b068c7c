/* Enables outside a counter's own control register: that of its box and the global one. No other
 * bits are set in these registers. So interrupts that other software has selected are off during a
 * measurement. */
#include "plan/builder.h"

#include "event/event.h"

static const bx_cat_cond *cond_of(const bx_plan_builder *m, const bx_cat_counter *counter,
                                  unsigned i)
{
    return &bx_cat_conds(m->t->catalog)[counter->counts.first + i];
}

/* The package's registers belong to the CPU's first PMU. */
static bool is_of_package(const bx_plan_builder *m, unsigned reg)
{
    return bx_cat_regs(m->t->catalog)[reg].pmu == bx_cat_cpus(m->t->catalog)[m->t->cpu].pmus.first;
}

/* Whether an enable changes with the pass. An enable of a box covers several counters. It is set
 * for the counters of all passes at the same time. An enable in a control register changes with
 * that register, and a privilege level of a fixed counter with the event. */
static bool changes_with_pass(const bx_plan_builder *m, const bx_assignment *assignment, unsigned i)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    return counter->counts.first + i == counter->other_condition ||
           bx_condition_is_level(counter, cond_of(m, counter, i));
}

static bool is_due(const bx_plan_builder *m, const bx_assignment *assignment, unsigned i)
{
    return !changes_with_pass(m, assignment, i) || m->step == BX_STEP_SAVE ||
           m->pass % assignment->passes == assignment->pass;
}

/* Whether the event needs the condition: a privilege level only if it is counted there. */
static bool is_needed(const bx_plan_builder *m, const bx_assignment *assignment,
                      const bx_cat_cond *cond)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    unsigned levels = bx_event_levels(m->t->catalog, &m->events[assignment->event]);
    if (!bx_condition_is_level(counter, cond))
        return true;
    return levels & (cond->field == counter->user ? BX_LEVEL_USER : BX_LEVEL_OS);
}

static void put_enables(bx_plan_builder *m, const bx_assignment *assignment, bool set,
                        bool of_package)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = cond_of(m, counter, i);
        if (cond->reg == counter->control || is_of_package(m, cond->reg) != of_package ||
            !is_due(m, assignment, i))
            continue;
        bool by_pass = bx_condition_is_level(counter, cond) && bx_is_multiplexed(assignment);
        uint64_t bits = bx_condition_bits(m->t->catalog, cond);
        if (!set || !is_needed(m, assignment, cond))
            bits = ~bits & bx_cat_field_mask(&bx_cat_fields(m->t->catalog)[cond->field]);
        bx_plan_builder_put(m, assignment, cond->reg,
                            (bx_register_update){.bits = bits, .every_pass = !by_pass});
    }
}

static void clear_package(bx_plan_builder *m, const bx_assignment *assignment)
{
    put_enables(m, assignment, false, true);
}

static void clear_boxes(bx_plan_builder *m, const bx_assignment *assignment)
{
    put_enables(m, assignment, false, false);
}

static void set_package(bx_plan_builder *m, const bx_assignment *assignment)
{
    put_enables(m, assignment, true, true);
}

static void set_boxes(bx_plan_builder *m, const bx_assignment *assignment)
{
    put_enables(m, assignment, true, false);
}

void bx_enables_clear_package(bx_plan_builder *m)
{
    bx_plan_builder_each_enable(m, clear_package);
}

void bx_enables_clear_boxes(bx_plan_builder *m)
{
    bx_plan_builder_each_enable(m, clear_boxes);
}

void bx_enables_set(bx_plan_builder *m)
{
    bx_plan_builder_each_enable(m, set_boxes);
    bx_plan_builder_each_enable(m, set_package);
}

/* The bit next to an enable that resets all counters of the package; NULL: there is none. */
static const bx_cat_field *reset_of(const bx_plan_builder *m, const bx_cat_cond *enable)
{
    bx_span fields = bx_cat_regs(m->t->catalog)[enable->reg].fields;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(m->t->catalog)[fields.first + i];
        if (field->resets == BX_RESETS_PACKAGE)
            return field;
    }
    return NULL;
}

bool bx_enables_can_reset(const bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    for (unsigned i = 0; i < counter->counts.n; i++)
        if (reset_of(m, cond_of(m, counter, i)))
            return true;
    return false;
}

void bx_enables_reset_counters(bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *enable = cond_of(m, counter, i);
        const bx_cat_field *field = reset_of(m, enable);
        if (!field)
            continue;
        bx_plan_builder_put(
            m, assignment, enable->reg,
            (bx_register_update){.bits = bx_cat_field_mask(field), .every_pass = true});
        bx_op *op = bx_plan_builder_find(m, assignment, enable->reg);
        if (op)
            op->resets = op->optional = true;
    }
}

void bx_enables_clear_in_controls(bx_plan_builder *m, const bx_assignment *assignment)
{
    const bx_cat_counter *counter = bx_plan_builder_counter(m, assignment);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = cond_of(m, counter, i);
        bx_op *op = bx_plan_builder_find(m, assignment, cond->reg);
        if (cond->reg != counter->control && op)
            op->value &= ~bx_condition_bits(m->t->catalog, cond);
    }
}
