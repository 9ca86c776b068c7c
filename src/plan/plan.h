/* Register operations in order: everything that a machine must do to count the events of a
 * schedule. */
#ifndef BX_PLAN_PLAN_H
#define BX_PLAN_PLAN_H

#include "plan/overflow.h"
#include "register/register.h"
#include "schedule/schedule.h"

#define BX_NOT_SAVED UINT32_MAX

enum bx_plan_step {
    BX_STEP_SAVE,
    BX_STEP_SETUP,
    BX_STEP_START,
    BX_STEP_READ,
    BX_STEP_REARM, /* after an overflow: the counter starts again, and all counters are released */
    BX_STEP_STOP,
    BX_STEP_RESTORE /* not part of a plan: restores saved values */
};

typedef struct bx_op {
    uint8_t step; /* enum bx_plan_step */
    bool write;
    bool every_pass;  /* the same in every pass: not repeated when the pass changes */
    bool resets;      /* it resets all counters of the package */
    bool optional;    /* counting also works without it. This is such a reset, because counters are
                         also written one by one; or clearing a status */
    bool unrequested; /* save: a counter that only changes by such a reset */
    uint16_t package, unit;
    uint16_t reg; /* catalogue index; if reg.base is set, `at` of an MMIO register lacks the base */
    uint16_t pass;
    uint16_t assignment; /* read: index of the counter's assignment; else 0xffff */
    uint32_t saved;      /* write: index of the save operation; BX_NOT_SAVED: it reads 0 */
    bx_address at;
    uint64_t value; /* write: the value; save: what was read */
    uint64_t keep;  /* write: bits that keep their saved value */
} bx_op;

typedef struct bx_plan {
    bx_op *ops; /* by step: save; per pass setup, start, read, rearm, stop */
    size_t n;
} bx_plan;

/* Makes the plan. Save: every register that will change, once. Per pass: setup; start, which sets
 * the enables; read; stop, which clears the enables and switches off multiplexed counters.
 * guard/operations.h decides from the saved values how registers are put back.
 *
 * Setup has this order. Clear the enables, those of the package first. Reset all counters of the
 * package where a bit exists for that; counters of other boxes are then saved too. Clear the
 * overflows of the assignments' counters where they arise. Write the counters' start values. Write
 * the shared registers; a dependent one (Xeon 7500: MATCH and MASK) only after its precondition was
 * made to hold, the register of the precondition last. Write the control registers.
 *
 * Each pass is listed in full, so that it can be executed alone. When passes rotate, only the
 * difference between passes is executed. So boxes whose events all fit continue to count.
 *
 * interval: counts until a counter overflows; 0: counters start at 0 (bx_plan_start_of). overflow:
 * one counter stops all; NULL: none. */
int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                 uint64_t interval, const bx_overflow *overflow, bx_plan *p, bx_error *e);

/* The start value of a counter that must overflow after `interval` counts. It is 0 if interval is 0
 * or more than the counter holds. A counter with the erratum must not start with all of its lowest
 * bits set, or all except bit 0: it then overflows one or two counts too late. */
uint64_t bx_plan_start_of(const bx_cat_counter *counter, uint64_t interval);

void bx_plan_free(bx_plan *p);

/* Whether an assignment cannot be counted if op fails. Counting does not need the status
 * register. */
bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_assignment *assignment,
                   const bx_op *op);

/* The operations of one step and pass, which are adjacent; *n is 0 if there are none. Save has
 * pass 0. */
bx_op *bx_plan_part(const bx_plan *p, unsigned step, unsigned pass, size_t *n);

/* The address of a unit's register; a memory-mapped one without its base. */
bx_address bx_plan_address(const bx_topology *t, unsigned package, unsigned unit, unsigned reg);

const char *bx_plan_step_name(unsigned step); /* "save" … */

/* The address as text: "0x700", "00:00.0+0x48", "BAR+0x5050"; returns its length. */
size_t bx_address_format(const struct bx_catalog *c, const bx_op *op, char *to, size_t room);

#endif
