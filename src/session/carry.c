#include "session/session.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

/* Only what was saved is written, and only what was written is restored. */
enum bx_keep { BX_UNKNOWN, BX_SAVED, BX_TOUCHED };

static int code_of(int why)
{
    switch (why) {
    case EIO:
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

static const char *reason_of(int why)
{
    return why == EIO     ? "the access faults"
           : why == ENXIO ? "there is no such device"
                          : strerror(why);
}

static void report(const struct bx_session *s, const bx_op *op, int why, bx_error *e)
{
    const struct bx_catalog *c = s->topology->catalog;
    char name[64], at[32];
    bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[op->reg].name), op->unit, 0);
    bx_address_format(c, op, at, sizeof at);
    bx_fail(e, code_of(why), 0, 0, "%s (%s) cannot be %s: %s", name, at,
            op->step == BX_RESTORE ? "restored"
            : op->write            ? "written"
                                   : "read",
            reason_of(why));
}

void bx_carry_failed(struct bx_session *s, const bx_op *op, int why)
{
    report(s, op, why, &s->trouble);
    for (size_t i = 0; i < s->schedule.n; i++) {
        if (bx_plan_needs(s->topology, s->events, &s->schedule.seats[i], op)) {
            s->tallies[i].blocked = true;
            s->tallies[i].reading->state = BX_BLOCKED;
        }
    }
}

void bx_carry_save(struct bx_session *s)
{
    size_t n;
    bx_op *ops = bx_plan_part(&s->plan, BX_SAVE, 0, &n);
    for (size_t i = 0; i < n; i++) {
        int why = s->bus->read(s->bus, &ops[i].at, &ops[i].value);
        if (why == 0)
            s->kept[i] = BX_SAVED;
        else
            bx_carry_failed(s, &ops[i], why);
    }
}

/* Nobody who can still be counted needs op. Above all a counter whose value could not be saved must
 * not be set going. */
static bool in_vain(const struct bx_session *s, const bx_op *op)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        if (!s->tallies[i].blocked &&
            (op->saved == BX_NOT_SAVED ||
             bx_plan_needs(s->topology, s->events, &s->schedule.seats[i], op)))
            return false;
    return true;
}

/* Bits that no event owns stay as they were. */
static uint64_t value_of(const struct bx_session *s, const bx_op *op)
{
    uint64_t saved = op->saved == BX_NOT_SAVED ? 0 : s->plan.ops[op->saved].value;
    return op->value | (saved & op->keep);
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

void bx_carry(struct bx_session *s, unsigned step, bool all)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, step, s->pass, &n);
    for (size_t i = 0; i < n; i++) {
        if (ops[i].steady && !all)
            continue;
        if (step != BX_STOP && s->trouble.code != BX_OK && in_vain(s, &ops[i]))
            continue;
        if (ops[i].saved != BX_NOT_SAVED) {
            if (s->kept[ops[i].saved] == BX_UNKNOWN)
                continue;
            s->kept[ops[i].saved] = BX_TOUCHED;
        }
        int why = s->bus->write(s->bus, &ops[i].at, value_of(s, &ops[i]));
        if (why != 0)
            bx_carry_failed(s, &ops[i], why);
        if (ops[i].resets)
            touch_bystanders(s, &ops[i]);
    }
}

int bx_carry_restore(struct bx_session *s, bx_error *e)
{
    size_t n;
    int rc = BX_OK;
    const bx_op *ops = bx_plan_part(&s->plan, BX_RESTORE, 0, &n);
    for (size_t i = 0; i < n; i++) {
        if (s->kept[ops[i].saved] != BX_TOUCHED)
            continue;
        int why = s->bus->write(s->bus, &ops[i].at, value_of(s, &ops[i]));
        if (why != 0) {
            report(s, &ops[i], why, e);
            rc = rc == BX_OK ? code_of(why) : rc;
        }
    }
    return rc;
}

/* Reads the register whose field is the base address of op's register. */
static int read_base(struct bx_session *s, const bx_op *op, uint64_t *base)
{
    const struct bx_catalog *c = s->topology->catalog;
    const bx_cat_field *field = &bx_cat_fields(c)[bx_cat_regs(c)[op->reg].base];
    bx_address at = bx_plan_address(s->topology, op->package, 0, field->reg);
    uint64_t value;
    int why = s->bus->read(s->bus, &at, &value);
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
