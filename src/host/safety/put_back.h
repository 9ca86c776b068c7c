/* A journal carried out: registers become again what they were before a measurement that was
 * killed. */
#ifndef BX_HOST_SAFETY_PUT_BACK_H
#define BX_HOST_SAFETY_PUT_BACK_H

#include "host/system/cpus.h"
#include "host/safety/journal.h"

/* The outcome of one operation. */
typedef struct bx_putback {
    bool last;       /* of its register: others only make something hold on the way */
    bool known;      /* `before` is */
    uint64_t before; /* what the register held */
    int err;         /* 0, or the errno that it failed with; EBADMSG: it reads otherwise */
} bx_putback;

/* Writes all of it in its order, what fails a few times, and reads it again. Where the CPU of an
 * operation is offline another one of its package does, by `root` and `cpus`. done: room for j->n.
 * Returns how many registers are not as they were. */
size_t bx_put_back(const bx_journal *j, struct bx_bus *bus, const char *root, const bx_cpus *cpus,
                   bx_putback *done);

/* Only reads what the registers hold now: `err` is an errno of that. */
void bx_put_back_preview(const bx_journal *j, struct bx_bus *bus, const char *root,
                         const bx_cpus *cpus, bx_putback *done);

#endif
