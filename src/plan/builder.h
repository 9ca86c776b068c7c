/* The plan under construction: the operations so far, and the functions that add to them. */
#ifndef BX_PLAN_BUILDER_H
#define BX_PLAN_BUILDER_H

#include "plan/plan.h"

#define BX_NO_ASSIGNMENT UINT16_MAX

/* The registers that select an event on a counter. They are the same in all units. */
typedef struct bx_plan_controls {
    const bx_evsel *event;
    const bx_cat_counter *counter;
    unsigned place;
    size_t n;
    bx_regvalue regs[1 + BX_EXTRAS];
} bx_plan_controls;

/* `segment` is the index of the first operation of the segment being written. In a segment several
 * assignments share one operation on a register: its value combines what each of them needs. */
typedef struct bx_plan_builder {
    const bx_topology *t;
    const bx_evsel *events;
    const bx_schedule *schedule;
    /* the assignments of the present pass; while saving, of all passes */
    const bx_assignment **due;
    size_t due_n;
    const bx_assignment **enabled; /* one assignment for each different set of enables */
    size_t enabled_n;
    uint64_t interval;
    const bx_assignment *overflowing; /* its overflow stops all counters; NULL: none */
    bx_overflow overflow;
    bx_plan plan;
    size_t room, saves, segment;
    uint32_t *latest; /* [slots]: a hash table of registers; see builder.c */
    size_t slots, registers;
    bx_plan_controls controls; /* the latest that were asked for: units follow each other */
    uint8_t step;
    uint16_t pass;
    bool failed;
} bx_plan_builder;

/* Changes a register for an assignment: sets these bits. The other bits stay or become 0. */
typedef struct bx_register_update {
    uint64_t bits, keep;
    bool every_pass;
} bx_register_update;

typedef void bx_plan_action(bx_plan_builder *m, const bx_assignment *assignment);

/* Begins an empty plan. m->failed: out of memory. The plan outlives the builder. */
void bx_plan_builder_open(bx_plan_builder *m, const bx_topology *t, const bx_evsel *events,
                          const bx_schedule *s, uint64_t interval, const bx_overflow *overflow);
void bx_plan_builder_close(bx_plan_builder *m);

void bx_plan_builder_begin(bx_plan_builder *m, unsigned step, unsigned pass);

/* Adds an operation to the present segment, or combines it with the one on the same register. */
void bx_plan_builder_put(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg,
                         bx_register_update update);
void bx_plan_builder_put_at(bx_plan_builder *m, unsigned package, unsigned unit, unsigned reg,
                            bx_register_update update);
void bx_plan_builder_push(bx_plan_builder *m, const bx_op *op);

/* The present segment's operation on a register of the assignment, or NULL. */
bx_op *bx_plan_builder_find(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg);

/* Runs the action for each assignment of the present pass; while saving, of all passes. */
void bx_plan_builder_each(bx_plan_builder *m, bx_plan_action *action);

/* The same in a separate segment: later segments write these registers again. */
void bx_plan_builder_each_apart(bx_plan_builder *m, bx_plan_action *action);

/* Runs the action once for each counter that an assignment of any pass has. Also runs it for each
 * assignment whose enable is in another counter's control register. */
void bx_plan_builder_each_enable(bx_plan_builder *m, bx_plan_action *action);

const bx_cat_counter *bx_plan_builder_counter(const bx_plan_builder *m,
                                              const bx_assignment *assignment);

/* The unit of a register that an assignment uses: its own, or that of the package. */
unsigned bx_plan_builder_unit(const bx_plan_builder *m, const bx_assignment *assignment,
                              unsigned reg);

/* The registers that select the assignment's event: control first. Room for 1 + BX_EXTRAS. */
size_t bx_plan_builder_controls(bx_plan_builder *m, const bx_assignment *assignment,
                                bx_regvalue *to);

static inline bool bx_is_multiplexed(const bx_assignment *assignment)
{
    return assignment->passes > 1;
}

/* ---- enables.c: bits outside a counter's control register that must be set for it to count ----
 */

void bx_enables_clear_package(bx_plan_builder *m); /* first the enables of the package, … */
void bx_enables_clear_boxes(bx_plan_builder *m);   /* … then those of boxes */
void bx_enables_set(bx_plan_builder *m);           /* in the opposite order */

/* Resets all counters of the package, if a bit exists for that. */
bx_plan_action bx_enables_reset_counters;
bool bx_enables_can_reset(const bx_plan_builder *m, const bx_assignment *assignment);

/* Clears enables in the control register of another counter, such as EN of a P6's PerfEvtSel0. The
 * value that was written to that register leaves them clear. */
bx_plan_action bx_enables_clear_in_controls;

/* ---- shared_registers.c: registers that counters share ---- */

bx_plan_action bx_slots_set_preconditions;   /* make preconditions hold, such as a match off */
bx_plan_action bx_slots_write;               /* all registers except those of a precondition, … */
bx_plan_action bx_slots_write_preconditions; /* … and then those */

/* Whether the register has the precondition of one of the assignment's registers. */
bool bx_slots_is_precondition(bx_plan_builder *m, const bx_assignment *assignment, unsigned reg);

/* Whether the register is one that selects the assignment's event. */
bool bx_slots_is_control(const bx_plan_builder *m, const bx_assignment *assignment, unsigned reg);

#endif
