/* Before the first write: the undo logs save all registers that the plan will change. */
#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>

/* Base addresses are read only if the plan writes a memory-mapped register. */
static struct bx_bus *bus_of_bases(const struct bx_session *s)
{
    for (size_t i = 0; i < s->plan.n; i++)
        if (s->plan.ops[i].write && s->plan.ops[i].at.space == BX_SPACE_MMIO)
            return s->bus;
    return NULL;
}

static bool open_logs(struct bx_session *s)
{
    unsigned packages = s->topology->packages;
    s->logs = calloc(packages, sizeof *s->logs);
    bool made = s->logs && bx_allow_new(&s->allow, s->topology, bus_of_bases(s)) &&
                bx_policy_new(&s->policy, s->topology, &s->allow, s->bus);
    s->policy.may_interrupt = bx_machine_has_banks(s->machine);
    for (unsigned i = 0; made && i < packages; i++) {
        s->logs[i].room = bx_undo_log_room(&s->policy);
        s->logs[i].list = calloc(s->logs[i].room + 1, sizeof *s->logs[i].list);
        made = s->logs[i].list;
    }
    return made;
}

/* Allocates now what restoring needs: memory may be short then. */
static bool reserve(struct bx_session *s)
{
    size_t most = 1;
    for (unsigned i = 0; i < s->topology->packages; i++)
        if (most < bx_undo_ops_room(s->logs[i].n))
            most = bx_undo_ops_room(s->logs[i].n);
    s->undo_ops = calloc(most, sizeof *s->undo_ops);
    s->errnos = calloc(most, sizeof *s->errnos);
    return s->undo_ops && s->errnos;
}

void bx_save_free(struct bx_session *s)
{
    for (unsigned i = 0; s->logs && i < s->topology->packages; i++)
        free(s->logs[i].list);
    free(s->logs);
    free(s->undo_ops);
    free(s->errnos);
    s->logs = NULL;
    s->undo_ops = NULL;
    s->errnos = NULL;
    bx_policy_free(&s->policy);
    bx_allow_free(&s->allow);
}

/* Saves the register that a write changes, and gives its value to the plan's save operation. */
static int save_own(struct bx_session *s, bx_undo_log *log, const bx_op *op)
{
    int err = bx_undo_save(&s->policy, log, &op->at);
    const bx_undo_entry *entry = err ? NULL : bx_undo_find(&s->policy, log, &op->at);
    if (entry && op->saved != BX_NOT_SAVED)
        s->plan.ops[op->saved].value = entry->first;
    return err;
}

/* Prepares a write. It leaves out bits that would clear a status that is already set: software
 * could not set it again. */
static int prepare_once(struct bx_session *s, bx_undo_log *log, bx_op *op)
{
    int err = save_own(s, log, op);
    if (err == 0)
        err = bx_undo_spare_status(&s->policy, log, &op->at, &op->value);
    if (err == 0)
        err = bx_undo_prepare_write(&s->policy, log, &op->at, bx_blame_value(s, op));
    return err;
}

static bx_op read_of(const struct bx_session *s, const bx_address *at, uint16_t package)
{
    const bx_allowed *r = bx_allow_find(&s->allow, at);
    return (bx_op){
        .step = BX_STEP_SAVE, .package = package, .unit = r->unit, .reg = r->reg, .at = *at};
}

/* Gives up a status register that cannot be read, even at a second attempt. Counting does not need
 * it: it is not written, and s->trouble names it. */
static bool gives_up(struct bx_session *s, bx_undo_log *log, uint16_t package, int err)
{
    const bx_allowed *r = bx_allow_find(&s->allow, &log->failed);
    if (!r || !bx_policy_is_status(&s->policy, r) || bx_undo_find(&s->policy, log, &log->failed))
        return false;
    const bx_op failed = read_of(s, &log->failed, package);
    if (bx_undo_save(&s->policy, log, &failed.at) == 0)
        return true;
    if (bx_undo_give_up(&s->policy, log, &failed.at, err))
        return false;
    bx_blame_report(s, &failed, err, &s->trouble);
    return true;
}

/* A bank that belongs to the session is never restored. So the bits to keep are read now and put
 * directly into the value to write. */
static void keep_bits(const struct bx_session *s, bx_op *op)
{
    struct bx_bus *bus = bx_banks_bus(s, op);
    uint64_t value;
    if (op->keep && op->saved != BX_NOT_SAVED && bus->read(bus, &op->at, &value) == 0)
        op->value |= value & op->keep;
    op->saved = BX_NOT_SAVED;
}

static void prepare(struct bx_session *s, bx_op *op)
{
    if (bx_banks_own(s, op)) {
        keep_bits(s, op);
        return;
    }
    bx_undo_log *log = &s->logs[op->package];
    int err = prepare_once(s, log, op);
    while (err && gives_up(s, log, op->package, err))
        err = prepare_once(s, log, op);
    s->refused[op - s->plan.ops] = err;
    if (!err || op->optional)
        return;
    const bx_op failed =
        bx_allow_find(&s->allow, &log->failed) ? read_of(s, &log->failed, op->package) : *op;
    bx_blame_refused(s, op, &failed, err);
}

/* Without register operations, for example for kernel events alone, the CPU may be missing from the
 * catalogue. */
int bx_save(struct bx_session *s, bx_error *e)
{
    if (s->plan.n == 0)
        return BX_OK;
    if (!open_logs(s))
        return bx_out_of_memory(e);
    for (size_t i = 0; i < s->plan.n; i++)
        if (s->plan.ops[i].write)
            prepare(s, &s->plan.ops[i]);
    return reserve(s) ? BX_OK : bx_out_of_memory(e);
}
