#include "session/session.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int code_of(int why)
{
    switch (why) {
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

static const char *reason_of(const bx_op *op, int why)
{
    return why == EIO                      ? "the access faults"
           : why == ENXIO || why == ENOENT ? "there is no such device"
           : why == EROFS                  ? "the device is read-only"
           : why == EBUSY                  ? "it may go on counting"
           : why == EBADMSG
               ? op->write ? "it was written, but reads otherwise" : "it reads what it cannot hold"
           : why == ENOTCONN  ? "boxscore-helper has ended"
           : why == ETIMEDOUT ? "boxscore-helper does not answer"
           : why == EPROTO    ? "it is no monitoring register, or reserved bits would change"
                              : strerror(why);
}

size_t bx_carry_name(const struct bx_session *s, const bx_op *op, char *to, size_t room)
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

static void hint(const struct bx_session *s, const bx_op *op, int why, bx_error *e)
{
    if (e->hint[0])
        return;
    if (why == EROFS && s->machine->host.gathered)
        bx_hint(e, "a gathered machine is for reading: 'boxscore regs' and 'boxscore doctor'");
    else if (why == EBADMSG && op->write && op->step != BX_RESTORE)
        bx_hint(e, "a virtual machine may ignore writes: boxscore doctor");
    else if (why == EPERM && op->at.space == BX_SPACE_MMIO) /* CONFIG_STRICT_DEVMEM */
        bx_hint(e, "the kernel keeps this memory to itself: boot with iomem=relaxed");
    else if (why == EPERM)
        bx_hint(e, "is the kernel locked down, or write access switched off? boxscore doctor");
    else if (why == EACCES || why == EBADF || why == EROFS)
        bx_hint(e, "reading is not enough: boxscore doctor tells which rights are missing");
}

int bx_carry_report(const struct bx_session *s, const bx_op *op, int why, bx_error *e)
{
    char name[128];
    bx_carry_name(s, op, name, sizeof name);
    bx_fail(e, code_of(why), 0, 0, "%s cannot be %s: %s", name,
            op->step == BX_RESTORE ? "put back"
            : op->write            ? "written"
                                   : "read",
            reason_of(op, why));
    if (e)
        hint(s, op, why, e);
    return code_of(why);
}

/* The seats that need it are out. */
static void put_out(struct bx_session *s, const bx_op *op, unsigned state)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        if (bx_plan_needs(s->topology, s->events, &s->schedule.seats[i], op)) {
            if (!s->tallies[i].blocked)
                s->tallies[i].reading->state = (uint8_t)state;
            s->tallies[i].blocked = true;
        }
    }
}

void bx_carry_failed(struct bx_session *s, const bx_op *op, int why)
{
    bx_carry_report(s, op, why, &s->trouble);
    put_out(s, op, BX_BLOCKED);
}

void bx_carry_doubted(struct bx_session *s, const bx_op *op, const char *why)
{
    char name[128];
    bx_carry_name(s, op, name, sizeof name);
    bx_fail(&s->trouble, BX_FAULT, 0, 0, "%s %s", name, why);
    put_out(s, op, BX_IMPLAUSIBLE);
}

/* Reads a register; of one that is not our own until two looks agree, so that nonsense is not taken
 * for contents. */
static int read_surely(struct bx_session *s, unsigned reg, const bx_address *at, uint64_t *value)
{
    uint64_t looks[BX_LOOKS];
    int why = EAGAIN;
    for (unsigned n = 0; why == EAGAIN && n < BX_LOOKS;) {
        why = s->bus->read(s->bus, at, &looks[n]);
        *value = looks[n++];
        if (why == 0 && s->wary)
            why = bx_doubt_saved(s->topology->catalog, reg, looks, n);
    }
    return why;
}

/* Whoever needs the control of a counter that could not be saved is out with it: the P6's enables
 * both counters, and would set this one going. */
static void leave_alone(struct bx_session *s, const bx_op *save)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        const bx_seat *seat = &s->schedule.seats[i];
        const bx_cat_counter *counter = &bx_cat_counters(s->topology->catalog)[seat->counter];
        bx_op control = *save;
        control.reg = counter->control;
        if (counter->value == save->reg && seat->package == save->package &&
            seat->unit == save->unit && counter->control != BX_NONE)
            put_out(s, &control, BX_BLOCKED);
    }
}

void bx_carry_save(struct bx_session *s)
{
    size_t n;
    bx_op *ops = bx_plan_part(&s->plan, BX_SAVE, 0, &n);
    for (size_t i = 0; i < n; i++) {
        int why = read_surely(s, ops[i].reg, &ops[i].at, &ops[i].value);
        if (why == 0) {
            s->kept[i] = BX_SAVED;
            continue;
        }
        bx_carry_failed(s, &ops[i], why);
        leave_alone(s, &ops[i]);
    }
}

/* Above all a counter whose value could not be saved must not be set going. */
bool bx_carry_in_vain(const struct bx_session *s, const bx_op *op)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        if (!s->tallies[i].blocked &&
            (op->saved == BX_NOT_SAVED ||
             bx_plan_needs(s->topology, s->events, &s->schedule.seats[i], op)))
            return false;
    return true;
}

/* Bits that no event owns stay as they were, and so do reserved ones, which read 1 on some machine
 * that is not our own. */
uint64_t bx_carry_value(const struct bx_session *s, const bx_op *op)
{
    uint64_t saved = op->saved == BX_NOT_SAVED ? 0 : s->plan.ops[op->saved].value;
    uint64_t reserved = s->wary && saved ? bx_doubt_outside(s->topology->catalog, op->reg) : 0;
    return op->value | (saved & (op->keep | reserved));
}

/* A reset of the package has changed counters that nobody here has asked for. */
static void touch_bystanders(struct bx_session *s, const bx_op *reset)
{
    size_t n;
    const bx_op *saves = bx_plan_part(&s->plan, BX_SAVE, 0, &n);
    for (size_t i = 0; i < n; i++)
        if (saves[i].bystander && saves[i].package == reset->package && s->kept[i] == BX_SAVED)
            s->kept[i] = BX_TOUCHED;
}

/* What a reset sets back must be known: counters could not be put back otherwise. They are set one
 * by one anyway, those of seats. */
static bool loses(const struct bx_session *s, const bx_op *op)
{
    size_t n;
    const bx_op *saves = bx_plan_part(&s->plan, BX_SAVE, 0, &n);
    for (size_t i = 0; op->resets && i < n; i++)
        if (saves[i].package == op->package && s->kept[i] == BX_UNKNOWN)
            return true;
    return false;
}

/* Whether an operation of the step is done: not if it is the same in every pass, or for nobody. */
static bool is_due(const struct bx_session *s, const bx_op *op, bool all)
{
    if (op->steady && !all)
        return false;
    if (op->step != BX_STOP && s->trouble.code != BX_OK && bx_carry_in_vain(s, op))
        return false;
    return !loses(s, op) && (op->saved == BX_NOT_SAVED || s->kept[op->saved] != BX_UNKNOWN);
}

/* Somebody on the way to the register said no. */
static bool is_refused(int why)
{
    return why == EROFS || why == EPERM || why == EACCES || why == EBADF || why == EPROTO;
}

static int write_op(struct bx_session *s, const bx_op *op)
{
    int why = s->bus->write(s->bus, &op->at, bx_carry_value(s, op));
    if (op->saved != BX_NOT_SAVED && !is_refused(why))
        s->kept[op->saved] = BX_TOUCHED;
    else if (op->saved != BX_NOT_SAVED && s->kept[op->saved] == BX_SAVED)
        s->kept[op->saved] = BX_REFUSED;
    if (op->saved != BX_NOT_SAVED && why == 0 && op->step != BX_STOP)
        s->marks[op->saved] |= BX_MARK_OPEN;
    if (op->resets)
        touch_bystanders(s, op);
    if (s->wary)
        bx_count_turned(s, op);
    return why;
}

/* What does not read as it was written may have been read wrongly when it was saved. Where it reads
 * 0 then and now, writes are ignored: nothing has changed. */
static bool is_unsure(const struct bx_session *s, const bx_op *op, uint64_t value)
{
    return value || s->plan.ops[op->saved].value;
}

/* What was lost on its way may arrive the second time. */
static int make_sure(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    if (bx_verify(s, op, &value) == 0)
        return 0;
    int why = write_op(s, op);
    if (why == 0)
        why = bx_verify(s, op, &value);
    if (why == EBADMSG && op->saved != BX_NOT_SAVED && is_unsure(s, op, value))
        s->marks[op->saved] |= BX_MARK_UNSURE;
    return why;
}

static void done(struct bx_session *s, const bx_op *op, int why)
{
    if (why)
        bx_carry_failed(s, op, why);
    if (op->saved != BX_NOT_SAVED && op->step == BX_STOP && why == 0)
        s->marks[op->saved] &= (uint8_t)~BX_MARK_OPEN;
}

/* While counters are set up, each is made sure of before the next one, as it may count soon. Gates
 * open and close one right after the other. */
void bx_carry(struct bx_session *s, unsigned step, bool all)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, step, s->pass, &n);
    for (size_t i = 0; i < n; i++) {
        s->written[i] = false;
        if (!is_due(s, &ops[i], all))
            continue;
        int why = write_op(s, &ops[i]);
        if (step == BX_STOP && all && !s->ended)
            s->ended = bx_machine_time(s->machine);
        if (why == 0 && step == BX_SETUP)
            why = make_sure(s, &ops[i]);
        s->written[i] = why == 0 && step != BX_SETUP;
        if (!s->written[i])
            done(s, &ops[i], why);
    }
    for (size_t i = 0; i < n; i++)
        if (s->written[i])
            done(s, &ops[i], make_sure(s, &ops[i]));
}

/* Reads the register whose field is the base address of op's register. */
static int read_base(struct bx_session *s, const bx_op *op, uint64_t *base)
{
    const struct bx_catalog *c = s->topology->catalog;
    const bx_cat_field *field = &bx_cat_fields(c)[bx_cat_regs(c)[op->reg].base];
    bx_address at = bx_plan_address(s->topology, op->package, 0, field->reg);
    uint64_t value;
    int why = read_surely(s, field->reg, &at, &value);
    if (why == 0)
        *base = value & bx_cat_field_mask(field);
    return why;
}

void bx_carry_bases(struct bx_session *s)
{
    const bx_op *before = NULL; /* the last whose base was found */
    uint64_t base = 0;
    for (size_t i = 0; i < s->plan.n; i++) {
        bx_op *op = &s->plan.ops[i];
        const bx_cat_reg *reg = &bx_cat_regs(s->topology->catalog)[op->reg];
        if (reg->space != BX_SPACE_MMIO || reg->base == BX_NONE)
            continue;
        bool known = before && before->package == op->package &&
                     bx_cat_regs(s->topology->catalog)[before->reg].base == reg->base;
        int why = known ? 0 : read_base(s, op, &base);
        if (why == 0 && base == 0)
            why = ENXIO; /* nothing is mapped there */
        if (why != 0) {
            bx_carry_failed(s, op, why);
            continue;
        }
        op->at.offset += base;
        before = op;
    }
}
