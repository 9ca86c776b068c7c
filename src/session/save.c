/* Before the first write: the undo logs save all registers that the plan will change. */
#include "session/restore.h"

#include "base/error.h"

#include <stdlib.h>

/* Base addresses are read only if the plan writes a memory-mapped register. */
static struct bx_bus *bus_of_bases(const bx_programme *p)
{
    for (size_t i = 0; i < p->plan.n; i++)
        if (p->plan.ops[i].write && p->plan.ops[i].at.space == BX_SPACE_MMIO)
            return p->bus;
    return NULL;
}

static bool open_logs(bx_session_undo *u, const bx_programme *p)
{
    unsigned packages = p->topology->packages;
    u->logs = calloc(packages, sizeof *u->logs);
    bool made = u->logs && bx_allow_new(&u->allow, p->topology, bus_of_bases(p)) &&
                bx_policy_new(&u->policy, p->topology, &u->allow, p->bus);
    u->policy.may_interrupt = bx_machine_has_banks(p->machine);
    for (unsigned i = 0; made && i < packages; i++) {
        u->logs[i].room = bx_undo_log_room(&u->policy);
        u->logs[i].list = calloc(u->logs[i].room + 1, sizeof *u->logs[i].list);
        u->logs[i].place = calloc(u->logs[i].room + 1, sizeof *u->logs[i].place);
        made = u->logs[i].list && u->logs[i].place;
    }
    return made;
}

/* Allocates now what restoring needs: memory may be short then. */
static bool reserve(bx_session_undo *u, unsigned packages)
{
    size_t most = 1;
    for (unsigned i = 0; i < packages; i++)
        if (most < bx_undo_ops_room(u->logs[i].n))
            most = bx_undo_ops_room(u->logs[i].n);
    u->ops = calloc(most, sizeof *u->ops);
    u->errnos = calloc(most, sizeof *u->errnos);
    return u->ops && u->errnos;
}

void bx_save_free(bx_session_undo *u, const bx_programme *p)
{
    for (unsigned i = 0; u->logs && i < p->topology->packages; i++) {
        free(u->logs[i].list);
        free(u->logs[i].place);
    }
    free(u->logs);
    free(u->ops);
    free(u->errnos);
    u->logs = NULL;
    u->ops = NULL;
    u->errnos = NULL;
    bx_policy_free(&u->policy);
    bx_allow_free(&u->allow);
}

/* Saves the register that a write changes, and gives its value to the plan's save operation. */
static int save_own(const bx_session_undo *u, bx_programme *p, bx_undo_log *log, const bx_op *op)
{
    int err = bx_undo_save(&u->policy, log, &op->at);
    const bx_undo_entry *entry = err ? NULL : bx_undo_find(&u->policy, log, &op->at);
    if (entry && op->saved != BX_NOT_SAVED)
        p->plan.ops[op->saved].value = entry->first;
    return err;
}

/* Prepares a write. It leaves out bits that would clear a status that is already set: software
 * could not set it again. */
static int prepare_once(const bx_session_undo *u, bx_programme *p, bx_undo_log *log, bx_op *op)
{
    int err = save_own(u, p, log, op);
    if (err == 0)
        err = bx_undo_spare_status(&u->policy, log, &op->at, &op->value);
    if (err == 0)
        err = bx_undo_prepare_write(&u->policy, log, &op->at, bx_written_value(p, op));
    return err;
}

static bx_op read_of(const bx_session_undo *u, const bx_address *at, uint16_t package)
{
    const bx_allowed *r = bx_allow_find(&u->allow, at);
    return (bx_op){
        .step = BX_STEP_SAVE, .package = package, .unit = r->unit, .reg = r->reg, .at = *at};
}

/* Gives up a status register that cannot be read, even at a second attempt. Counting does not need
 * it: it is not written, and p->trouble names it. */
static bool gives_up(bx_session_undo *u, bx_programme *p, bx_undo_log *log, uint16_t package,
                     int err)
{
    const bx_allowed *r = bx_allow_find(&u->allow, &log->failed);
    if (!r || !bx_policy_is_status(&u->policy, r) || bx_undo_find(&u->policy, log, &log->failed))
        return false;
    const bx_op failed = read_of(u, &log->failed, package);
    if (bx_undo_save(&u->policy, log, &failed.at) == 0)
        return true;
    if (bx_undo_give_up(&u->policy, log, &failed.at, err))
        return false;
    bx_blame_report(p, &failed, err, &p->trouble);
    return true;
}

/* A bank that belongs to the session is never restored. So the bits to keep are read now and put
 * directly into the value to write. */
static void keep_bits(const bx_programme *p, bx_op *op)
{
    struct bx_bus *bus = bx_banks_bus(p, op);
    uint64_t value;
    if (op->keep && op->saved != BX_NOT_SAVED && bus->read(bus, &op->at, &value) == 0)
        op->value |= value & op->keep;
    op->saved = BX_NOT_SAVED;
}

static void prepare(bx_session_undo *u, bx_programme *p, bx_op *op)
{
    if (bx_banks_own(p, op)) {
        keep_bits(p, op);
        return;
    }
    bx_undo_log *log = &u->logs[op->package];
    int err = prepare_once(u, p, log, op);
    while (err && gives_up(u, p, log, op->package, err))
        err = prepare_once(u, p, log, op);
    p->refused[op - p->plan.ops] = err;
    if (!err || op->optional)
        return;
    const bx_op failed =
        bx_allow_find(&u->allow, &log->failed) ? read_of(u, &log->failed, op->package) : *op;
    bx_blame_refused(p, op, &failed, err);
}

/* Without register operations, for example for kernel events alone, the CPU may be missing from the
 * catalogue. */
int bx_save(bx_session_undo *u, bx_programme *p, bx_error *e)
{
    if (p->plan.n == 0)
        return BX_OK;
    if (!open_logs(u, p))
        return bx_out_of_memory(e);
    for (size_t i = 0; i < p->plan.n; i++)
        if (p->plan.ops[i].write)
            prepare(u, p, &p->plan.ops[i]);
    return reserve(u, p->topology->packages) ? BX_OK : bx_out_of_memory(e);
}
