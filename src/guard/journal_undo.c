/* Translates undo operations to lines of a journal, and lines to operations on this machine's
 * CPUs. */
#include "guard/journal_undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Adds a line for the register at an address. Its verb and values are still missing. */
static bx_journal_op *add_line(const bx_register_policy *k, const bx_address *at,
                               const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_allowed *r = bx_allow_find(k->allow, at);
    char name[64];
    bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[r->reg].name), r->unit, 0);
    bx_journal_op *line = &j->ops[j->n++];
    *line = (bx_journal_op){.at = *at,
                            .package = package,
                            .core = bx_policy_is_per_core(k, r),
                            .name = bx_arena_copy(arena, bx_str_of(name))};
    line->at.cpu = cpus[at->cpu];
    return line;
}

void bx_undo_to_journal(const bx_register_policy *k, const bx_undo_op *ops, size_t n,
                        const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j)
{
    for (size_t i = 0; i < n; i++) {
        const bx_undo_op *op = &ops[i];
        bx_journal_op *line = add_line(k, &op->write.at, cpus, package, arena, j);
        line->verb = op->write.counting ? BX_JOURNAL_GROW
                     : op->write.clears ? BX_JOURNAL_CLEAR
                                        : BX_JOURNAL_PUT;
        line->value = op->write.value;
        line->check = op->write.clears ? op->write.value & op->write.clears : op->write.check;
        if (!op->has_status)
            continue;
        line = add_line(k, &op->status, cpus, package, arena, j);
        line->verb = BX_JOURNAL_ZERO;
        line->check = op->were_clear;
    }
}

static bool is_same(const bx_journal_op *a, const bx_journal_op *b)
{
    return a->at.space == b->at.space && a->at.offset == b->at.offset && a->at.cpu == b->at.cpu &&
           a->package == b->package;
}

static uint32_t first_of_register(const bx_journal *j, size_t i)
{
    uint32_t first = 0;
    while (!is_same(&j->ops[first], &j->ops[i]))
        first++;
    return first;
}

/* The index of the CPU that can execute the operation now: its own, or another one of the package.
 * BX_NO_CPU: there is none. */
static uint16_t find_cpu(const bx_journal_op *op, const char *root, const bx_cpus *cpus)
{
    unsigned n = bx_cpus_all(cpus);
    for (unsigned i = 0; i < n; i++)
        if (cpus->logical[i] == op->at.cpu && op->at.cpu != BX_NO_CPU)
            return (uint16_t)i;
    for (unsigned i = 0; i < n && !op->core; i++)
        if (cpus->logical[i] != BX_NO_CPU && bx_package_of(root, cpus->logical[i]) == op->package)
            return (uint16_t)i;
    return BX_NO_CPU;
}

/* The operations on this machine's CPUs; NULL: out of memory. */
static bx_undo_op *ops_of(const bx_journal *j, const char *root, const bx_cpus *cpus)
{
    bx_undo_op *ops = calloc(j->n + 1, sizeof *ops);
    for (size_t i = 0; ops && i < j->n; i++) {
        const bx_journal_op *op = &j->ops[i];
        bool zero = op->verb == BX_JOURNAL_ZERO, clears = op->verb == BX_JOURNAL_CLEAR;
        ops[i] = (bx_undo_op){.write = {.at = op->at,
                                        .value = op->value,
                                        .check = clears ? 0 : op->check,
                                        .clears = clears ? op->check : 0,
                                        .counting = op->verb == BX_JOURNAL_GROW},
                              .entry = first_of_register(j, i),
                              .readable = op->check && !clears,
                              .has_status = zero,
                              .were_clear = zero ? op->check : 0};
        ops[i].write.at.cpu = find_cpu(op, root, cpus);
        ops[i].status = ops[i].write.at;
    }
    return ops;
}

/* Reads what each register holds. */
static void read_before(const bx_undo_op *ops, size_t n, struct bx_bus *bus, bx_putback *done)
{
    for (size_t i = 0; i < n; i++) {
        done[i] = (bx_putback){.last = bx_undo_op_is_last(ops, n, i), .err = ENXIO};
        const bx_putback *first = &done[ops[i].entry];
        if (first != &done[i]) {
            done[i].known = first->known;
            done[i].before = first->before;
            done[i].err = first->err;
        } else if (ops[i].write.at.cpu != BX_NO_CPU) {
            done[i].err = bus->read(bus, &ops[i].write.at, &done[i].before);
            done[i].known = done[i].err == 0;
        }
    }
}

bool bx_put_back(const bx_journal *j, struct bx_bus *bus, const char *root, const bx_cpus *cpus,
                 bx_putback *done, size_t *not_restored)
{
    bx_undo_op *ops = ops_of(j, root, cpus);
    int *errnos = calloc(j->n + 1, sizeof *errnos);
    bool can = ops && errnos;
    if (can) {
        read_before(ops, j->n, bus, done);
        *not_restored = bx_undo_execute(ops, j->n, bus, errnos);
        for (size_t i = 0; i < j->n; i++)
            done[i].err = errnos[i];
    }
    free(ops);
    free(errnos);
    return can;
}

bool bx_put_back_preview(const bx_journal *j, struct bx_bus *bus, const char *root,
                         const bx_cpus *cpus, bx_putback *done)
{
    bx_undo_op *ops = ops_of(j, root, cpus);
    if (ops)
        read_before(ops, j->n, bus, done);
    free(ops);
    return ops;
}
