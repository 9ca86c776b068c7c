/* Verifies that registers of real hardware hold what was written: right after the write, and at the
 * end of a measurement or time slice. If they do not, the counters have counted something else. */
#include "session/programme.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Bits that no event owns keep their value. So do reserved bits: on some real machines they read 1.
 */
uint64_t bx_written_value(const bx_programme *p, const bx_op *op)
{
    uint64_t saved = op->saved == BX_NOT_SAVED ? 0 : p->plan.ops[op->saved].value;
    uint64_t reserved =
        p->real_hardware && saved ? bx_register_unused_bits(p->topology->catalog, op->reg) : 0;
    return op->value | (saved & (op->keep | reserved));
}

bx_write bx_write_of(const bx_programme *p, const bx_op *op)
{
    uint64_t stored = bx_cat_regs(p->topology->catalog)[op->reg].bits.stored;
    return (bx_write){
        .at = op->at, .value = bx_written_value(p, op), .check = p->real_hardware ? stored : 0};
}

int bx_verify(const bx_programme *p, const bx_op *op, uint64_t *value)
{
    const bx_write w = bx_write_of(p, op);
    return bx_write_verify(p->bus, &w, 0, value);
}

/* ---- changes by other software ---- */

static bool writes(const bx_op *ops, size_t n, const bx_op *to)
{
    for (size_t i = 0; i < n; i++)
        if (ops[i].reg == to->reg && ops[i].unit == to->unit && ops[i].package == to->package)
            return true;
    return false;
}

static void watch(bx_programme *p, const bx_op *op)
{
    char text[64];
    uint64_t value;
    if (bx_verify(p, op, &value) != EBADMSG || bx_blame_is_useless(p, op) ||
        bx_verify(p, op, &value) != EBADMSG)
        return;
    snprintf(text, sizeof text, "was changed by other software: 0x%" PRIx64, value);
    bx_blame_implausible(p, op, text);
}

void bx_verify_unchanged(bx_programme *p, bool all, bool stopped)
{
    size_t setups, starts, stops;
    const bx_op *setup = bx_plan_part(&p->plan, BX_STEP_SETUP, p->pass, &setups);
    const bx_op *start = bx_plan_part(&p->plan, BX_STEP_START, p->pass, &starts);
    const bx_op *stop = bx_plan_part(&p->plan, BX_STEP_STOP, p->pass, &stops);
    for (size_t i = 0; p->real_hardware && i < setups + starts; i++) {
        const bx_op *op = i < setups ? &setup[i] : &start[i - setups];
        bool again =
            i < setups && (writes(op + 1, setups - i - 1, op) || writes(start, starts, op));
        if ((op->every_pass && !all) || again || writes(stop, stops, op) == stopped ||
            bx_register_is_count(p->topology->catalog, op->reg))
            continue;
        watch(p, op);
    }
}
