#include "host/safety/put_back.h"

#include <errno.h>

enum { ROUNDS = 3 };

static bool is_same(const bx_journal_op *a, const bx_journal_op *b)
{
    return a->at.space == b->at.space && a->at.offset == b->at.offset && a->at.cpu == b->at.cpu &&
           a->package == b->package;
}

/* Index of the operation's CPU, or of another CPU of its package; -1: none is online. */
static int find_cpu(const bx_journal_op *op, const char *root, const bx_cpus *cpus)
{
    unsigned n = bx_cpus_all(cpus);
    for (unsigned i = 0; i < n; i++)
        if (cpus->logical[i] == op->at.cpu && op->at.cpu != BX_NO_CPU)
            return (int)i;
    for (unsigned i = 0; i < n && !op->core; i++)
        if (cpus->logical[i] != BX_NO_CPU && bx_package_of(root, cpus->logical[i]) == op->package)
            return (int)i;
    return -1;
}

/* Reads what the register held before the first operation on it. */
static int read_before(const bx_journal *j, size_t i, struct bx_bus *bus, const bx_address *at,
                       bx_putback *done)
{
    for (size_t k = 0; k < i; k++) {
        if (is_same(&j->ops[k], &j->ops[i])) {
            done[i].known = done[k].known;
            done[i].before = done[k].before;
            return done[k].err;
        }
    }
    int err = bus->read(bus, at, &done[i].before);
    done[i].known = err == 0;
    return err;
}

static int put(const bx_journal_op *op, struct bx_bus *bus, const bx_address *at)
{
    uint64_t value;
    int err = bus->write(bus, at, op->value);
    if (err == 0 && op->check)
        err = bus->read(bus, at, &value);
    return err ? err : op->check && (value ^ op->value) & op->check ? EBADMSG : 0;
}

static bool is_last(const bx_journal *j, size_t i)
{
    for (size_t k = i + 1; k < j->n; k++)
        if (is_same(&j->ops[k], &j->ops[i]))
            return false;
    return true;
}

size_t bx_put_back(const bx_journal *j, struct bx_bus *bus, const char *root, const bx_cpus *cpus,
                   bx_putback *done)
{
    size_t not_restored = 1;
    for (unsigned round = 0; not_restored && round < ROUNDS; round++) {
        not_restored = 0;
        for (size_t i = 0; i < j->n; i++) {
            int cpu = find_cpu(&j->ops[i], root, cpus);
            bx_address at = j->ops[i].at;
            at.cpu = (uint16_t)cpu;
            done[i].last = is_last(j, i);
            if (round == 0 && cpu >= 0)
                read_before(j, i, bus, &at, done);
            done[i].err = cpu < 0 ? ENXIO : put(&j->ops[i], bus, &at);
            not_restored += done[i].last && done[i].err;
        }
    }
    return not_restored;
}

void bx_put_back_preview(const bx_journal *j, struct bx_bus *bus, const char *root,
                         const bx_cpus *cpus, bx_putback *done)
{
    for (size_t i = 0; i < j->n; i++) {
        int cpu = find_cpu(&j->ops[i], root, cpus);
        bx_address at = j->ops[i].at;
        at.cpu = (uint16_t)cpu;
        done[i].last = is_last(j, i);
        done[i].err = cpu < 0 ? ENXIO : read_before(j, i, bus, &at, done);
    }
}
