#include "host/undo/execute.h"

#include "host/system/cpus.h"

#include <errno.h>

/* What fails once may succeed the second time. */
enum { ROUNDS = 3 };

/* Whether a count that runs has gone on from the value: it may have wrapped meanwhile. */
static bool has_grown(const bx_undo_op *op, uint64_t now)
{
    return ((now - op->value) & op->check) <= op->check / 2;
}

/* Reads the status bits that an operation clears and that were clear before. */
static int read_status(const bx_undo_op *op, struct bx_bus *bus, uint64_t *bits)
{
    uint64_t now = 0;
    int err = bus->read(bus, &op->status, &now);
    *bits = now & op->were_clear;
    return err;
}

static int clear_status(const bx_undo_op *op, struct bx_bus *bus)
{
    uint64_t bits;
    int err = read_status(op, bus, &bits);
    if (err || !bits)
        return err;
    err = bus->write(bus, &op->at, op->value);
    if (err == 0)
        err = read_status(op, bus, &bits);
    return err ? err : bits ? EBADMSG : 0;
}

/* *value: what to write, where only bits that are set now need a 1 to clear them. false: the
 * register holds that already. */
static bool is_needed(const bx_undo_op *op, uint64_t now, uint64_t *value)
{
    *value = op->value & ~(op->clears & ~now);
    return (!op->readable && !op->clears) || (now ^ *value) & op->readable || *value & op->clears;
}

static int put(const bx_undo_op *op, struct bx_bus *bus)
{
    uint64_t now = ~UINT64_C(0), value;
    if (op->at.cpu == BX_NO_CPU)
        return ENXIO;
    if (op->has_status)
        return clear_status(op, bus);
    int err = op->readable || op->clears ? bus->read(bus, &op->at, &now) : 0;
    if (err || !is_needed(op, now, &value))
        return err;
    err = bus->write(bus, &op->at, value);
    if (err == 0 && op->check)
        err = bus->read(bus, &op->at, &now);
    if (err || !op->check)
        return err;
    bool good = op->counting ? has_grown(op, now) : !((now ^ op->value) & op->check);
    return good ? 0 : EBADMSG;
}

size_t bx_undo_execute(const bx_undo_op *ops, size_t n, struct bx_bus *bus, int *errnos)
{
    size_t not_restored = 1;
    for (unsigned round = 0; not_restored && round < ROUNDS; round++) {
        not_restored = 0;
        for (size_t i = 0; i < n; i++)
            errnos[i] = put(&ops[i], bus);
        for (size_t i = 0; i < n; i++)
            not_restored += errnos[i] && bx_undo_op_is_last(ops, n, i);
    }
    return not_restored;
}

size_t bx_undo_restore(const bx_register_policy *k, bx_undo_log *log, bx_undo_op *ops, int *errnos,
                       bx_undo_entry *failed)
{
    size_t n = bx_undo_ops(k, log, ops);
    size_t not_restored = bx_undo_execute(ops, n, k->bus, errnos);
    size_t first = log->n;
    for (size_t i = 0; i < n; i++)
        if (errnos[i] && bx_undo_op_is_last(ops, n, i) && ops[i].entry < first)
            first = ops[i].entry;
    if (first < log->n)
        *failed = log->list[first];
    if (!not_restored)
        log->n = 0;
    return not_restored;
}
