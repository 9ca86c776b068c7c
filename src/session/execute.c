/* Executes the register operations of a plan. */
#include "session/session.h"

#include "base/error.h"
#include "host/undo/read_surely.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int code_of(int err)
{
    switch (err) {
    case EIO:
    case EBADMSG:
        return BX_FAULT;
    case EACCES:
    case EPERM:
    case ENXIO:
    case ENOENT:
        return BX_NO_ACCESS;
    default:
        return BX_SYSTEM;
    }
}

static const char *reason_of(const bx_op *op, int err)
{
    static const struct {
        int err;
        const char *reason;
    } reasons[] = {
        {EIO, "the access faults"},
        {ENXIO, "there is no such device"},
        {ENOENT, "there is no such device"},
        {EROFS, "the device is read-only"},
        {EBUSY, "it may go on counting"},
        {ENOTCONN, "boxscore-helper has ended"},
        {ETIMEDOUT, "boxscore-helper does not answer"},
        {EPROTO, "it is not a monitoring register, or reserved bits would change"},
        {EOVERFLOW, "it holds a count that cannot be written; write 0 to it first"},
    };
    if (err == EBADMSG)
        return op->write ? "it was written, but reads otherwise" : "it reads what it cannot hold";
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].err == err)
            return reasons[i].reason;
    return strerror(err);
}

size_t bx_execute_name(const struct bx_session *s, const bx_op *op, char *to, size_t room)
{
    const struct bx_catalog *c = s->topology->catalog;
    char name[64], at[32], package[24] = "";
    bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[op->reg].name), op->unit, 0);
    bx_address_format(c, op, at, sizeof at);
    if (s->topology->packages > 1)
        snprintf(package, sizeof package, " of package %u", op->package);
    int n = snprintf(to, room, "%s (%s)%s", name, at, package);
    return n > 0 ? (size_t)n : 0;
}

static void hint(const struct bx_session *s, const bx_op *op, int err, bx_error *e)
{
    if (e->hint[0])
        return;
    if (err == EROFS && bx_machine_can(s->machine)->is_gathered)
        bx_hint(e, "a gathered machine is for reading: 'boxscore regs' and 'boxscore doctor'");
    else if (err == EBADMSG && op->write && op->step != BX_STEP_RESTORE)
        bx_hint(e, "a virtual machine may ignore writes: boxscore doctor");
    else if (err == EPERM && op->at.space == BX_SPACE_MMIO) /* CONFIG_STRICT_DEVMEM */
        bx_hint(e, "the kernel keeps this memory to itself: boot with iomem=relaxed");
    else if (err == EPERM)
        bx_hint(e, "is the kernel locked down, or write access switched off? boxscore doctor");
    else if (err == EACCES || err == EBADF || err == EROFS)
        bx_hint(e, "reading is not enough: boxscore doctor tells which rights are missing");
}

int bx_execute_report(const struct bx_session *s, const bx_op *op, int err, bx_error *e)
{
    char name[128];
    bx_execute_name(s, op, name, sizeof name);
    bx_fail(e, code_of(err), 0, 0, "%s cannot be %s: %s", name,
            op->step == BX_STEP_RESTORE || err == EOVERFLOW ? "put back"
            : op->write                                     ? "written"
                                                            : "read",
            reason_of(op, err));
    if (e)
        hint(s, op, err, e);
    return code_of(err);
}

/* Blocks the assignments that need the operation. */
static void block_assignments(struct bx_session *s, const bx_op *op, unsigned state)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        if (bx_plan_needs(s->topology, s->events, &s->schedule.assignments[i], op)) {
            if (!s->counter_states[i].blocked)
                s->counter_states[i].reading->state = (uint8_t)state;
            s->counter_states[i].blocked = true;
        }
    }
}

void bx_execute_refused(struct bx_session *s, const bx_op *op, const bx_op *failed, int err)
{
    bx_execute_report(s, failed, err, &s->trouble);
    block_assignments(s, op, BX_BLOCKED);
}

void bx_execute_failed(struct bx_session *s, const bx_op *op, int err)
{
    bx_execute_refused(s, op, op, err);
}

void bx_execute_implausible(struct bx_session *s, const bx_op *op, const char *reason)
{
    char name[128];
    bx_execute_name(s, op, name, sizeof name);
    bx_fail(&s->trouble, BX_FAULT, 0, 0, "%s %s", name, reason);
    block_assignments(s, op, BX_IMPLAUSIBLE);
}

bool bx_execute_is_useless(const struct bx_session *s, const bx_op *op)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        if (!s->counter_states[i].blocked &&
            (op->optional ||
             bx_plan_needs(s->topology, s->events, &s->schedule.assignments[i], op)))
            return false;
    return true;
}

/* Bits that no event owns keep their value. So do reserved bits: on some real machines they read 1.
 */
uint64_t bx_execute_value(const struct bx_session *s, const bx_op *op)
{
    uint64_t saved = op->saved == BX_NOT_SAVED ? 0 : s->plan.ops[op->saved].value;
    uint64_t reserved =
        s->real_hardware && saved ? bx_register_unused_bits(s->topology->catalog, op->reg) : 0;
    return op->value | (saved & (op->keep | reserved));
}

/* Whether an operation of the step is executed. It is not if the register that it changes was not
 * saved, if it is the same in every pass, or if no assignment needs it. */
static bool is_due(const struct bx_session *s, const bx_op *op, bool all)
{
    bool useless =
        op->step != BX_STEP_STOP && s->trouble.code != BX_OK && bx_execute_is_useless(s, op);
    return !s->refused[op - s->plan.ops] && (!op->every_pass || all) && !useless;
}

static int write_op(struct bx_session *s, const bx_op *op)
{
    struct bx_bus *bus = bx_banks_bus(s, op);
    int err = bus->write(bus, &op->at, bx_execute_value(s, op));
    if (s->real_hardware)
        bx_count_switched(s, op);
    return err;
}

/* If a register does not read as it was written, its saved value may be wrong, too. If it read 0
 * before and after, it ignores writes and has not changed. */
static void doubt(struct bx_session *s, const bx_op *op, uint64_t value)
{
    bx_undo_entry *entry = bx_undo_find(&s->policy, &s->logs[op->package], &op->at);
    if (entry && (value || entry->first))
        entry->unsure = true;
}

/* Writes the register again once: the first write may have been lost. */
static int make_sure(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    if (bx_verify(s, op, &value) == 0)
        return 0;
    int err = write_op(s, op);
    if (err == 0)
        err = bx_verify(s, op, &value);
    if (err == EBADMSG)
        doubt(s, op, value);
    return err;
}

/* In set-up, each write is verified before the next one, because a counter may soon start. Enables
 * are set and cleared without a gap, and verified afterwards. */
static void execute_pass(struct bx_session *s, unsigned step, unsigned pass, bool all)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, step, pass, &n);
    for (size_t i = 0; i < n; i++) {
        s->written[i] = false;
        if (!is_due(s, &ops[i], all))
            continue;
        int err = write_op(s, &ops[i]);
        if (step == BX_STEP_STOP && all && !s->ended)
            s->ended = bx_machine_time(s->machine);
        if (err == 0 && step == BX_STEP_SETUP)
            err = make_sure(s, &ops[i]);
        s->written[i] = err == 0 && step != BX_STEP_SETUP;
        if (err)
            bx_execute_failed(s, &ops[i], err);
    }
    for (size_t i = 0; i < n; i++) {
        int err = s->written[i] ? make_sure(s, &ops[i]) : 0;
        if (err)
            bx_execute_failed(s, &ops[i], err);
    }
}

void bx_execute(struct bx_session *s, unsigned step, bool all)
{
    bx_pass_range passes = bx_banks_passes(s);
    for (unsigned pass = passes.first; pass < passes.end; pass++)
        execute_pass(s, step, pass, all);
}

/* Reads the register that holds the base address of op's register. */
static int read_base(struct bx_session *s, const bx_op *op, uint64_t *base)
{
    const struct bx_catalog *c = s->topology->catalog;
    uint16_t holder = bx_register_base_holder(c, op->reg);
    bx_address at = bx_plan_address(s->topology, op->package, 0, holder);
    uint64_t value;
    int err = bx_read_surely(s->bus, c, holder, &at, &value);
    if (err == 0)
        *base = bx_register_base(c, op->reg, value);
    return err;
}

void bx_execute_find_bases(struct bx_session *s)
{
    const bx_op *before = NULL; /* the last operation whose base was found */
    uint64_t base = 0;
    for (size_t i = 0; i < s->plan.n; i++) {
        bx_op *op = &s->plan.ops[i];
        const bx_cat_reg *reg = &bx_cat_regs(s->topology->catalog)[op->reg];
        if (reg->space != BX_SPACE_MMIO || reg->base == BX_NONE)
            continue;
        bool known = before && before->package == op->package &&
                     bx_cat_regs(s->topology->catalog)[before->reg].base == reg->base;
        int err = known ? 0 : read_base(s, op, &base);
        if (err == 0 && base == 0)
            err = ENXIO; /* nothing is mapped at the base address */
        if (err != 0) {
            bx_execute_failed(s, op, err);
            continue;
        }
        op->at.offset += base;
        before = op;
    }
}
