/* Ordered register operations: what is done to a machine to count a schedule, and nothing else. */
#ifndef BX_PLAN_PLAN_H
#define BX_PLAN_PLAN_H

#include "schedule/schedule.h"
#include "seam/bus.h"

#define BX_NOT_SAVED UINT32_MAX

enum bx_plan_step {
    BX_STEP_SAVE,
    BX_STEP_SETUP,
    BX_STEP_START,
    BX_STEP_READ,
    BX_STEP_STOP,
    BX_STEP_RESTORE
};

typedef struct bx_op {
    uint8_t step; /* enum bx_plan_step */
    bool write;
    bool every_pass;  /* the same in every pass: left alone when one pass takes over from another */
    bool resets;      /* it sets back all counters of the package */
    bool unrequested; /* save: a counter that only such a reset touches */
    uint16_t package, unit;
    uint16_t reg; /* catalogue index; reg.base tells of an MMIO register that `at` lacks the base */
    uint16_t pass;
    uint16_t assignment; /* read: the assignment whose counter it is; 0xffff otherwise */
    uint32_t saved;      /* write: the operation that saved the register; BX_NOT_SAVED: none did */
    bx_address at;
    uint64_t value; /* to write; save: what was read */
    uint64_t keep;  /* write: bits that are as they were saved, beside those of value; all of them
                       where a register is put back */
} bx_op;

typedef struct bx_plan {
    bx_op *ops; /* by step: save, then per pass setup, start, read, stop; then restore */
    size_t n;
} bx_plan;

/* Steps: save every register that will change, once; per pass: setup, start (set the enables),
 * read, stop (clear the enables, switch off the counters that are multiplexed); restore in an order
 * that leaves the enables to the end.
 *
 * Set-up: clear the enables such as the global enable, that of the package first; set all counters
 * of the package back, where there is a bit for it (counters of other boxes are saved then, too);
 * clear the overflows of the assignments' counters where they arose; let the counters start; write
 * the shared registers, a dependent one (Xeon 7500: MATCH and MASK) only after its precondition was
 * made to hold, and the register that the precondition is in last; write the controls. Restoring
 * keeps to the preconditions as well.
 *
 * Each pass is listed in full, so that it can be executed on its own. Where passes rotate,
 * only what differs between passes is done: boxes whose events fit at once count on undisturbed.
 *
 * interval: counters start so many counts before they overflow, 0: at 0 (bx_plan_start_of). */
int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                 uint64_t interval, bx_plan *p, bx_error *e);

/* Where a counter starts that is to overflow after `interval` counts: at 0 if that is 0 or more
 * than it holds. A counter with the erratum must not start where its lowest bits are all 1, or all
 * but the last: it then overflows a count or two later. */
uint64_t bx_plan_start_of(const bx_cat_counter *counter, uint64_t interval);

void bx_plan_free(bx_plan *p);

/* Whether an assignment cannot be counted if op fails. The status register is not needed to count.
 */
bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_assignment *assignment,
                   const bx_op *op);

/* The operations of one step and pass, which stand together; *n is 0 if there are none. Saving and
 * restoring are done once and have pass 0. */
bx_op *bx_plan_part(const bx_plan *p, unsigned step, unsigned pass, size_t *n);

/* Where a register of a unit is; a memory-mapped one without its base. */
bx_address bx_plan_address(const bx_topology *t, unsigned package, unsigned unit, unsigned reg);

const char *bx_plan_step_name(unsigned step); /* "save" … */

/* The address as text: "0x700", "00:00.0+0x48", "BAR+0x5050"; returns its length. */
size_t bx_address_format(const struct bx_catalog *c, const bx_op *op, char *to, size_t room);

#endif
