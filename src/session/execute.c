/* Executes the register operations of a plan. */
#include "session/session.h"

#include "base/error.h"
#include "guard/read_surely.h"

#include <errno.h>

/* Whether an operation of the step is executed. It is not if the register that it changes was not
 * saved, if it is the same in every pass, or if no assignment needs it. */
static bool is_due(const struct bx_session *s, const bx_op *op, bool all)
{
    bool useless = op->step != BX_STEP_STOP && s->trouble.code != BX_OK &&
                   bx_blame_is_useless(&s->programme, &s->samples, op);
    return !s->programme.refused[op - s->programme.plan.ops] && (!op->every_pass || all) &&
           !useless;
}

static int write_op(struct bx_session *s, const bx_op *op)
{
    struct bx_bus *bus = bx_banks_bus(&s->programme, op);
    const bx_write w = bx_write_of(&s->programme, op);
    int err = bx_write_execute(bus, &w);
    if (s->programme.real_hardware)
        bx_count_switched(&s->samples, &s->programme, op);
    return err;
}

/* If a register does not read as it was written, its saved value may be wrong, too. If it read 0
 * before and after, it ignores writes and has not changed. */
static void doubt(struct bx_session *s, const bx_op *op, uint64_t value)
{
    bx_undo_entry *entry = bx_undo_find(&s->undo.policy, &s->undo.logs[op->package], &op->at);
    if (entry && (value || entry->first))
        entry->unsure = true;
}

/* Writes the register again once: the first write may have been lost. */
static int make_sure(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    if (bx_verify(&s->programme, op, &value) == 0)
        return 0;
    int err = write_op(s, op);
    if (err == 0)
        err = bx_verify(&s->programme, op, &value);
    if (err == EBADMSG)
        doubt(s, op, value);
    return err;
}

/* In set-up, each write is verified before the next one, because a counter may soon start. Enables
 * are set and cleared without a gap, and verified afterwards. */
static void execute_pass(struct bx_session *s, unsigned step, unsigned pass, bool all)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->programme.plan, step, pass, &n);
    for (size_t i = 0; i < n; i++) {
        s->programme.written[i] = false;
        if (!is_due(s, &ops[i], all))
            continue;
        int err = write_op(s, &ops[i]);
        if (step == BX_STEP_STOP && all && !s->samples.ended)
            s->samples.ended = bx_machine_time(s->programme.machine);
        if (err == 0 && step == BX_STEP_SETUP)
            err = make_sure(s, &ops[i]);
        s->programme.written[i] = err == 0 && step != BX_STEP_SETUP;
        if (err)
            bx_blame_failed(s, &ops[i], err);
    }
    for (size_t i = 0; i < n; i++) {
        int err = s->programme.written[i] ? make_sure(s, &ops[i]) : 0;
        if (err)
            bx_blame_failed(s, &ops[i], err);
    }
}

void bx_execute(struct bx_session *s, unsigned step, bool all)
{
    bx_pass_range passes = bx_banks_passes(&s->programme);
    for (unsigned pass = passes.first; pass < passes.end; pass++)
        execute_pass(s, step, pass, all);
}

/* Reads the register that holds the base address of op's register. */
static int read_base(const bx_programme *p, const bx_op *op, uint64_t *base)
{
    const struct bx_catalog *c = p->topology->catalog;
    uint16_t holder = bx_register_base_holder(c, op->reg);
    bx_address at = bx_plan_address(p->topology, op->package, 0, holder);
    uint64_t value;
    int err = bx_read_surely(p->bus, c, holder, &at, &value);
    if (err == 0)
        *base = bx_register_base(c, op->reg, value);
    return err;
}

void bx_execute_find_bases(struct bx_session *s)
{
    const bx_op *before = NULL; /* the last operation whose base was found */
    uint64_t base = 0;
    for (size_t i = 0; i < s->programme.plan.n; i++) {
        bx_op *op = &s->programme.plan.ops[i];
        const bx_cat_reg *reg = &bx_cat_regs(s->programme.topology->catalog)[op->reg];
        if (reg->space != BX_SPACE_MMIO || reg->base == BX_NONE)
            continue;
        bool known = before && before->package == op->package &&
                     bx_cat_regs(s->programme.topology->catalog)[before->reg].base == reg->base;
        int err = known ? 0 : read_base(&s->programme, op, &base);
        if (err == 0 && base == 0)
            err = ENXIO; /* nothing is mapped at the base address */
        if (err != 0) {
            bx_blame_failed(s, op, err);
            continue;
        }
        op->at.offset += base;
        before = op;
    }
}
