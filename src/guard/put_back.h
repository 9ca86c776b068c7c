/* Executes the operations that put registers back. */
#ifndef BX_GUARD_PUT_BACK_H
#define BX_GUARD_PUT_BACK_H

#include "guard/operations.h"

/* Executes all operations in order and reads the registers back; if some fail, it repeats
 * everything, up to three times in all. An operation whose CPU is BX_NO_CPU fails with ENXIO.
 * errnos, one for each operation: 0 or an errno; EBADMSG: the register does not hold the written
 * value. Returns how many registers are not put back. */
size_t bx_undo_execute(const bx_undo_op *ops, size_t n, struct bx_bus *bus, int *errnos);

/* Puts a log's registers back and sets each entry's err; EBUSY: a count is put back but may
 * continue, because its enable is not put back. Empties the log, unless a register could not be put
 * back: the next try needs all entries, because it may stop, start or reset registers that were
 * already put back. ops and errnos: room for bx_undo_ops_room(). Returns how many are not put back.
 */
size_t bx_undo_restore(const bx_register_policy *k, bx_undo_log *log, bx_undo_op *ops, int *errnos);

#endif
