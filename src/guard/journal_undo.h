/* Undo operations in a journal, and a journal executed: by `boxscore restore`, after the process
 * that wrote it was killed. */
#ifndef BX_GUARD_JOURNAL_UNDO_H
#define BX_GUARD_JOURNAL_UNDO_H

#include "guard/journal.h"
#include "host/system/cpus.h"
#include "guard/put_back.h"

/* Appends the operations to j->ops, which has room for bx_undo_ops_room() of the log; texts live in
 * the arena. cpus: the kernel's numbers of the machine's CPUs; package: the kernel's number. */
void bx_undo_to_journal(const bx_register_policy *k, const bx_undo_op *ops, size_t n,
                        const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j);

/* The outcome of one operation. */
typedef struct bx_putback {
    bool last;       /* the final operation of its register; earlier ones are temporary */
    bool known;      /* `before` is valid */
    uint64_t before; /* what the register held */
    int err;         /* 0 or an errno; EBADMSG: the register reads otherwise than written */
} bx_putback;

/* Executes a journal. If the CPU of an operation is offline, another one of its package executes it
 * (`root`, `cpus`). done: room for j->n. *not_restored: how many registers are not put back. false:
 * out of memory, nothing was written. */
bool bx_put_back(const bx_journal *j, struct bx_bus *bus, const char *root, const bx_cpus *cpus,
                 bx_putback *done, size_t *not_restored);

/* Only reads what the registers hold now; `err` is the errno of that read. false: out of memory. */
bool bx_put_back_preview(const bx_journal *j, struct bx_bus *bus, const char *root,
                         const bx_cpus *cpus, bx_putback *done);

#endif
