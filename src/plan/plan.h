/* Ordered register operations: what is done to a machine to count a schedule, and nothing else. */
#ifndef BX_PLAN_PLAN_H
#define BX_PLAN_PLAN_H

#include "schedule/schedule.h"
#include "seam/bus.h"

#define BX_NOT_SAVED UINT32_MAX

enum bx_step { BX_SAVE, BX_SETUP, BX_START, BX_READ, BX_STOP, BX_RESTORE };

typedef struct bx_op {
    uint8_t step; /* enum bx_step */
    bool write;
    bool steady; /* the same in every pass: left alone when one pass takes over from another */
    uint16_t package, unit;
    uint16_t reg; /* catalogue index; reg.base tells of an MMIO register that `at` lacks the base */
    uint16_t pass;
    uint16_t seat;  /* read: the seat whose counter it is; 0xffff otherwise */
    uint32_t saved; /* write: the operation that saved the register; BX_NOT_SAVED: none did */
    bx_address at;
    uint64_t value; /* to write; restore: filled in from what save read */
} bx_op;

typedef struct bx_plan {
    bx_op *ops; /* by step: save, then per pass setup, start, read, stop; then restore */
    size_t n;
} bx_plan;

/* Steps: save every register that will be written, once; per pass: setup (close the gates such as
 * the global enable, clear the status, zero the counters, write the controls), start (open the
 * gates), read, stop (close the gates, switch off the counters that take turns); restore in an
 * order that leaves the gates to the end.
 *
 * Each pass is listed in full, so that it can be carried out on its own. Where passes take turns,
 * only what is not steady is done: boxes whose events fit at once count on undisturbed. */
int bx_plan_make(const bx_topology *t, const bx_evsel *events, const bx_schedule *s, bx_plan *p,
                 bx_error *e);
void bx_plan_free(bx_plan *p);

/* Whether a seat cannot be counted if op fails. The status register is not needed to count. */
bool bx_plan_needs(const bx_topology *t, const bx_evsel *events, const bx_seat *seat,
                   const bx_op *op);

/* The operations of one step and pass, which stand together; *n is 0 if there are none. Saving and
 * restoring are done once and have pass 0. */
bx_op *bx_plan_part(const bx_plan *p, unsigned step, unsigned pass, size_t *n);

/* Where a register of a unit is; a memory-mapped one without its base. */
bx_address bx_plan_address(const bx_topology *t, unsigned package, unsigned unit, unsigned reg);

const char *bx_step_name(unsigned step); /* "save" … */

/* The address as text: "0x700", "00:00.0+0x48", "BAR+0x5050"; returns its length. */
size_t bx_address_format(const struct bx_catalog *c, const bx_op *op, char *to, size_t room);

#endif
