/* While a plan is made: the operations so far, and how one more joins them. */
#ifndef BX_PLAN_BUILDER_H
#define BX_PLAN_BUILDER_H

#include "plan/plan.h"

#define BX_NO_SEAT UINT16_MAX

/* `segment` is where what is being written began: a register that several seats share has one
 * operation in it, whose value gathers what each of them needs. */
typedef struct bx_maker {
    const bx_topology *t;
    const bx_evsel *events;
    const bx_schedule *schedule;
    uint64_t interval;
    bx_plan plan;
    size_t room, saves, segment;
    uint8_t step;
    uint16_t pass;
    bool failed;
} bx_maker;

/* What is done to a register for a seat: these bits of it, the others stay or become 0. */
typedef struct bx_put {
    uint64_t bits, keep;
    bool steady;
} bx_put;

typedef void bx_deed(bx_maker *m, const bx_seat *seat);

void bx_maker_begin(bx_maker *m, unsigned step, unsigned pass);

/* One operation of the present segment; further ones on the same register join it. */
void bx_maker_put(bx_maker *m, const bx_seat *seat, unsigned reg, bx_put put);
void bx_maker_put_at(bx_maker *m, unsigned package, unsigned unit, unsigned reg, bx_put put);
void bx_maker_push(bx_maker *m, const bx_op *op);

/* The present segment's operation on a register of the seat, or NULL. */
bx_op *bx_maker_find(bx_maker *m, const bx_seat *seat, unsigned reg);

/* Does something for each seat of the present pass, or, while saving, of all passes. */
void bx_maker_each(bx_maker *m, bx_deed *deed);

/* The same as a segment of its own: what it writes is written again by what follows. */
void bx_maker_each_apart(bx_maker *m, bx_deed *deed);

/* Does it for the seats of all passes. */
void bx_maker_all(bx_maker *m, bx_deed *deed);

const bx_cat_counter *bx_maker_counter(const bx_maker *m, const bx_seat *seat);

/* The unit of a register that a seat uses: its own, or that of the package. */
unsigned bx_maker_unit(const bx_maker *m, const bx_seat *seat, unsigned reg);

/* The registers that select the seat's event: control first. Room for 1 + BX_EXTRAS. */
size_t bx_maker_controls(const bx_maker *m, const bx_seat *seat, bx_regvalue *to);

static inline bool bx_takes_turns(const bx_seat *seat)
{
    return seat->passes > 1;
}

/* ---- enables.c: what must hold beside a counter's own control register for it to count ---- */

void bx_gates_close_outer(bx_maker *m); /* those of the package … */
void bx_gates_close_inner(bx_maker *m); /* … and then those of boxes */
void bx_gates_open(bx_maker *m);        /* the other way round */

/* All counters of the package are set back, where there is a bit for it. */
bx_deed bx_gates_reset;
bool bx_gates_can_reset(const bx_maker *m, const bx_seat *seat);

/* Gates that are in the control register of another counter, as EN of a P6's PerfEvtSel0 is: what
 * was written there leaves them closed. */
bx_deed bx_gates_shut;

/* ---- shared_registers.c: registers that counters share ---- */

bx_deed bx_slots_guard;       /* makes guards hold, such as that a match is off */
bx_deed bx_slots_write;       /* all but those that a guard is in … */
bx_deed bx_slots_write_guard; /* … and those */

/* Whether the operation is on a register that a guarded one of the seat's depends on. */
bool bx_slots_guards(const bx_maker *m, const bx_seat *seat, unsigned reg);

/* What must be written before a register may be, and where; NULL: nothing. */
const bx_cat_cond *bx_slots_guard_of(const bx_topology *t, unsigned reg);

/* Whether this is one of those that the seat's event selects itself with. */
bool bx_slots_is_control(const bx_maker *m, const bx_seat *seat, unsigned reg);

#endif
