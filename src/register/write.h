/* The execution of a register write: the only one. Measurements, the stage, and what puts registers
 * back all write through it. */
#ifndef BX_REGISTER_WRITE_H
#define BX_REGISTER_WRITE_H

#include "seam/bus.h"

#include <stdbool.h>

typedef struct bx_write {
    bx_address at;
    uint64_t value;
    uint64_t keep;   /* bits that keep what the register holds: it is read first */
    uint64_t check;  /* bits that must read as written */
    uint64_t clears; /* bits that a written 1 clears: they must read 0 then */
    bool counting;   /* a count that may grow at once: it must read at least the value */
} bx_write;

/* 0 or an errno. */
int bx_write_execute(struct bx_bus *bus, const bx_write *w);

/* Reads the register back, if there is something to check. 0, or an errno: EBADMSG: it holds *now
 * instead. before: what a count was before the write. */
int bx_write_verify(struct bx_bus *bus, const bx_write *w, uint64_t before, uint64_t *now);

#endif
