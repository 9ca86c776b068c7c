/* Executes a journal: restores the registers that a killed measurement left changed. */
#ifndef BX_HOST_SAFETY_PUT_BACK_H
#define BX_HOST_SAFETY_PUT_BACK_H

#include "host/system/cpus.h"
#include "host/safety/journal.h"

/* The outcome of one operation. */
typedef struct bx_putback {
    bool last;       /* the final operation of its register; earlier ones are temporary */
    bool known;      /* `before` is valid */
    uint64_t before; /* what the register held */
    int err;         /* 0 or an errno; EBADMSG: the register reads otherwise than written */
} bx_putback;

/* Executes all operations in order and reads the registers back; if some fail, up to three times.
 * If the CPU of an operation is offline, another one of its package executes it (`root`, `cpus`).
 * done: room for j->n. Returns how many registers are not restored. */
size_t bx_put_back(const bx_journal *j, struct bx_bus *bus, const char *root, const bx_cpus *cpus,
                   bx_putback *done);

/* Only reads what the registers hold now; `err` is the errno of that read. */
void bx_put_back_preview(const bx_journal *j, struct bx_bus *bus, const char *root,
                         const bx_cpus *cpus, bx_putback *done);

#endif
