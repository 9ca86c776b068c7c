/* Writes the registers of a list of operations, checks them, and repeats what failed. */
#include "guard/put_back.h"

#include "host/system/cpus.h"

#include <errno.h>

/* An operation that fails once may succeed the second time. */
enum { ROUNDS = 3 };

/* Reads the status bits that an operation clears and that were clear before. Two samples are taken,
 * because one may miss a bit. */
static int read_status(const bx_undo_op *op, struct bx_bus *bus, uint64_t *bits)
{
    uint64_t first = 0, second = 0;
    int err = bus->read(bus, &op->status, &first);
    if (err == 0)
        err = bus->read(bus, &op->status, &second);
    *bits = (first | second) & op->were_clear;
    return err;
}

static int clear_status(const bx_undo_op *op, struct bx_bus *bus)
{
    uint64_t bits;
    int err = read_status(op, bus, &bits);
    if (err || !bits)
        return err;
    if (op->write.value == 0)
        return EBADMSG;
    err = bx_write_execute(bus, &op->write);
    if (err == 0)
        err = read_status(op, bus, &bits);
    return err ? err : bits ? EBADMSG : 0;
}

/* Whether a register that reads `now` must be written. Bits that cannot be written count, too: a
 * device that is gone may answer anything. */
static bool is_needed(const bx_undo_op *op, uint64_t now)
{
    return (!op->readable && !op->write.clears) ||
           (op->readable && (now ^ op->write.value) & ~op->write.clears) ||
           op->write.value & op->write.clears & now;
}

/* Reads the register to decide that. A register that seems to be right is read twice. */
static int find_needed(const bx_undo_op *op, struct bx_bus *bus, uint64_t *before, bool *needed)
{
    int err = 0;
    *before = UINT64_MAX;
    *needed = false;
    for (unsigned i = 0; i < 2 && !err && !*needed; i++) {
        if (op->readable || op->write.clears)
            err = bus->read(bus, &op->write.at, before);
        *needed = !err && is_needed(op, *before);
    }
    return err;
}

static int put_register(const bx_undo_op *op, struct bx_bus *bus)
{
    uint64_t before, now;
    bool needed;
    if (op->write.at.cpu == BX_NO_CPU)
        return ENXIO;
    if (op->has_status)
        return clear_status(op, bus);
    int err = find_needed(op, bus, &before, &needed);
    if (err || !needed)
        return err;
    err = bx_write_execute(bus, &op->write);
    return err ? err : bx_write_verify(bus, &op->write, before, &now);
}

size_t bx_undo_execute(const bx_undo_op *ops, size_t n, struct bx_bus *bus, int *errnos)
{
    size_t not_restored = 1;
    for (unsigned round = 0; not_restored && round < ROUNDS; round++) {
        not_restored = 0;
        for (size_t i = 0; i < n; i++)
            errnos[i] = put_register(&ops[i], bus);
        for (size_t i = 0; i < n; i++)
            not_restored += errnos[i] && bx_undo_op_is_last(ops, n, i);
    }
    return not_restored;
}

/* ---- a log ---- */

/* The error of a register that could not be saved. If it can be read now, it may have changed; if
 * not, there is no error. */
static int unsaved(const bx_undo_entry *entry, struct bx_bus *bus)
{
    uint64_t value;
    return bus->read(bus, &entry->at, &value) == 0 ? entry->unreadable : 0;
}

/* The outcome of an entry is that of its last operation. If the saved value may be wrong, it is an
 * error. */
static void set_outcome(const bx_register_policy *k, bx_undo_log *log, const bx_undo_op *ops,
                        const int *errnos, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bx_undo_op_is_last(ops, n, i))
            log->list[ops[i].entry].err = errnos[i];
    for (size_t i = 0; i < log->n; i++) {
        bx_undo_entry *entry = &log->list[i];
        if (entry->unreadable)
            entry->err = unsaved(entry, k->bus);
        else if (entry->unsure && !entry->err)
            entry->err = EBADMSG;
    }
}

/* Finds counts that were put back but continue, because a register that would stop them was not put
 * back. */
static void set_running(const bx_register_policy *k, bx_undo_log *log)
{
    for (size_t i = 0; i < log->n; i++) {
        bx_undo_entry *count = &log->list[i];
        bool known = !count->err && bx_policy_step(k, count->r) == BX_PUT_BACK_VALUES;
        for (size_t j = 0; known && j < log->n; j++)
            if (log->list[j].err && bx_undo_governs(k, &log->list[j], count) &&
                bx_undo_may_count_now(k, count))
                count->err = EBUSY;
    }
}

size_t bx_undo_restore(const bx_register_policy *k, bx_undo_log *log, bx_undo_op *ops, int *errnos)
{
    size_t not_restored = 0, n = bx_undo_ops(k, log, ops);
    bx_undo_execute(ops, n, k->bus, errnos);
    set_outcome(k, log, ops, errnos, n);
    set_running(k, log);
    for (size_t i = 0; i < log->n; i++)
        not_restored += log->list[i].err != 0;
    if (!not_restored)
        log->n = 0;
    return not_restored;
}
