/* While a plan is made: the operations so far, and how one more joins them. */
#ifndef BX_PLAN_BUILDER_H
#define BX_PLAN_BUILDER_H

#include "plan/plan.h"

#define BX_NO_ASSIGNMENT UINT16_MAX

/* `segment` is where what is being written began: a register that several assignments share has one
 * operation in it, whose value gathers what each of them needs. */
typedef struct bx_plan_builder {
    const bx_topology *t;
    const bx_evsel *events;
    const bx_schedule *schedule;
    uint64_t interval;
    bx_plan plan;
    size_t room, saves, segment;
    uint8_t step;
    uint16_t pass;
    bool failed;
} bx_plan_builder;

/* What is done to a register for an assignment: these bits of it, the others stay or become 0. */
typedef struct bx_register_update {
    uint64_t bits, keep;
    bool every_pass;
} bx_register_update;

typedef void bx_plan_action(bx_plan_builder *m, const bx_assignment *assignment);

void bx_plan_builder_begin(bx_plan_builder *m, unsigned step, unsigned pass);

/* One operation of the present segment; further ones on the same register join it. */
void bx_plan_builder_put(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg,
                         bx_register_update update);
void bx_plan_builder_put_at(bx_plan_builder *m, unsigned package, unsigned unit, unsigned reg,
                            bx_register_update update);
void bx_plan_builder_push(bx_plan_builder *m, const bx_op *op);

/* The present segment's operation on a register of the assignment, or NULL. */
bx_op *bx_plan_builder_find(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg);

/* Does something for each assignment of the present pass, or, while saving, of all passes. */
void bx_plan_builder_each(bx_plan_builder *m, bx_plan_action *action);

/* The same as a segment of its own: what it writes is written again by what follows. */
void bx_plan_builder_each_apart(bx_plan_builder *m, bx_plan_action *action);

/* Does it for the assignments of all passes. */
void bx_plan_builder_all(bx_plan_builder *m, bx_plan_action *action);

const bx_cat_counter *bx_plan_builder_counter(const bx_plan_builder *m,
                                              const bx_assignment *assignment);

/* The unit of a register that an assignment uses: its own, or that of the package. */
unsigned bx_plan_builder_unit(const bx_plan_builder *m, const bx_assignment *assignment,
                              unsigned reg);

/* The registers that select the assignment's event: control first. Room for 1 + BX_EXTRAS. */
size_t bx_plan_builder_controls(const bx_plan_builder *m, const bx_assignment *assignment,
                                bx_regvalue *to);

static inline bool bx_is_multiplexed(const bx_assignment *assignment)
{
    return assignment->passes > 1;
}

/* ---- enables.c: what must hold beside a counter's own control register for it to count ---- */

void bx_enables_clear_package(bx_plan_builder *m); /* those of the package … */
void bx_enables_clear_boxes(bx_plan_builder *m);   /* … and then those of boxes */
void bx_enables_set(bx_plan_builder *m);           /* the other way round */

/* All counters of the package are set back, where there is a bit for it. */
bx_plan_action bx_enables_reset_counters;
bool bx_enables_can_reset(const bx_plan_builder *m, const bx_assignment *assignment);

/* Enables that are in the control register of another counter, as EN of a P6's PerfEvtSel0 is: what
 * was written there leaves them clear. */
bx_plan_action bx_enables_clear_in_controls;

/* ---- shared_registers.c: registers that counters share ---- */

bx_plan_action
    bx_slots_set_preconditions; /* makes preconditions hold, such as that a match is off */
bx_plan_action bx_slots_write;  /* all but those that a precondition is in … */
bx_plan_action bx_slots_write_preconditions; /* … and those */

/* Whether the operation is on a register that a dependent one of the assignment's depends on. */
bool bx_slots_is_precondition(const bx_plan_builder *m, const bx_assignment *assignment,
                              unsigned reg);

/* What must be written before a register may be, and where; NULL: nothing. */
const bx_cat_cond *bx_slots_precondition_of(const bx_topology *t, unsigned reg);

/* Whether this is one of those that the assignment's event selects itself with. */
bool bx_slots_is_control(const bx_plan_builder *m, const bx_assignment *assignment, unsigned reg);

#endif
