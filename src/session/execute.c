/* Executes the register operations of a plan. */
#include "session/session.h"

#include <errno.h>

/* Whether an operation of the step is executed. It is not if the register that it changes was not
 * saved, if it is the same in every pass, or if no assignment needs it. */
static bool is_due(const bx_programme *p, const bx_op *op, bool all)
{
    bool useless =
        op->step != BX_STEP_STOP && p->trouble.code != BX_OK && bx_blame_is_useless(p, op);
    return !p->refused[op - p->plan.ops] && (!op->every_pass || all) && !useless;
}

static int write_op(const bx_programme *p, bx_samples *samples, const bx_op *op)
{
    struct bx_bus *bus = bx_banks_bus(p, op);
    const bx_write w = bx_write_of(p, op);
    int err = bx_write_execute(bus, &w);
    if (p->real_hardware)
        bx_count_switched(samples, p, op);
    return err;
}

/* Writes the register again once: the first write may have been lost. */
static int make_sure(const bx_programme *p, bx_samples *samples, bx_session_undo *u,
                     const bx_op *op)
{
    uint64_t value;
    if (bx_verify(p, op, &value) == 0)
        return 0;
    int err = write_op(p, samples, op);
    if (err == 0)
        err = bx_verify(p, op, &value);
    if (err == EBADMSG)
        bx_restore_doubt(u, op, value);
    return err;
}

/* In set-up, each write is verified before the next one, because a counter may soon start. Enables
 * are set and cleared without a gap, and verified afterwards. */
static void execute_pass(bx_programme *p, bx_samples *samples, bx_session_undo *u, unsigned step,
                         unsigned pass, bool all)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&p->plan, step, pass, &n);
    for (size_t i = 0; i < n; i++) {
        p->written[i] = false;
        if (!is_due(p, &ops[i], all))
            continue;
        int err = write_op(p, samples, &ops[i]);
        if (step == BX_STEP_STOP && all && !samples->ended)
            samples->ended = bx_machine_time(p->machine);
        if (err == 0 && step == BX_STEP_SETUP)
            err = make_sure(p, samples, u, &ops[i]);
        p->written[i] = err == 0 && step != BX_STEP_SETUP;
        if (err)
            bx_blame_failed(p, &ops[i], err);
    }
    for (size_t i = 0; i < n; i++) {
        int err = p->written[i] ? make_sure(p, samples, u, &ops[i]) : 0;
        if (err)
            bx_blame_failed(p, &ops[i], err);
    }
}

void bx_execute(bx_programme *p, bx_samples *samples, bx_session_undo *u, unsigned step, bool all)
{
    bx_pass_range passes = bx_banks_passes(p);
    for (unsigned pass = passes.first; pass < passes.end; pass++)
        execute_pass(p, samples, u, step, pass, all);
}
