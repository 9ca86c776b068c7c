/* Names failed operations, and blocks the counters that need them. */
#include "session/programme.h"

#include "base/error.h"

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

size_t bx_blame_name(const bx_programme *p, const bx_op *op, char *to, size_t room)
{
    const struct bx_catalog *c = p->topology->catalog;
    char name[64], at[32], package[24] = "";
    bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[op->reg].name), op->unit, 0);
    bx_address_format(c, op, at, sizeof at);
    if (p->topology->packages > 1)
        snprintf(package, sizeof package, " of package %u", op->package);
    int n = snprintf(to, room, "%s (%s)%s", name, at, package);
    return n > 0 ? (size_t)n : 0;
}

static void hint(const bx_programme *p, const bx_op *op, int err, bx_error *e)
{
    if (e->hint[0])
        return;
    if (err == EROFS && bx_machine_can(p->machine)->is_gathered)
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

int bx_blame_report(const bx_programme *p, const bx_op *op, int err, bx_error *e)
{
    char name[128];
    bx_blame_name(p, op, name, sizeof name);
    bx_fail(e, code_of(err), 0, 0, "%s cannot be %s: %s", name,
            op->step == BX_STEP_RESTORE || err == EOVERFLOW ? "put back"
            : op->write                                     ? "written"
                                                            : "read",
            reason_of(op, err));
    if (e)
        hint(p, op, err, e);
    return code_of(err);
}

/* Blocks the assignments that need the operation. */
static void block_assignments(bx_programme *p, const bx_op *op, unsigned state)
{
    for (size_t i = 0; i < p->schedule.n; i++) {
        if (bx_plan_needs(p->topology, p->events, &p->schedule.assignments[i], op)) {
            if (!p->outcomes[i].blocked)
                p->outcomes[i].reading->state = (uint8_t)state;
            p->outcomes[i].blocked = true;
        }
    }
}

void bx_blame_refused(bx_programme *p, const bx_op *op, const bx_op *failed, int err)
{
    bx_blame_report(p, failed, err, &p->trouble);
    block_assignments(p, op, BX_BLOCKED);
}

void bx_blame_failed(bx_programme *p, const bx_op *op, int err)
{
    bx_blame_refused(p, op, op, err);
}

void bx_blame_implausible(bx_programme *p, const bx_op *op, const char *reason)
{
    char name[128];
    bx_blame_name(p, op, name, sizeof name);
    bx_fail(&p->trouble, BX_FAULT, 0, 0, "%s %s", name, reason);
    block_assignments(p, op, BX_IMPLAUSIBLE);
}

bool bx_blame_is_useless(const bx_programme *p, const bx_op *op)
{
    for (size_t i = 0; i < p->schedule.n; i++)
        if (!p->outcomes[i].blocked &&
            (op->optional ||
             bx_plan_needs(p->topology, p->events, &p->schedule.assignments[i], op)))
            return false;
    return true;
}
