/* The operations that put an undo log's registers back, in order. They are correct for any present
 * contents of the registers. So another process can execute a journal of them.
 *
 * First, all counters are disabled whose controls and enables may have been written. Then
 * preconditions are made to hold. Then the saved values are written: counts, other registers,
 * preconditions, controls, enables of boxes, enables of the package. If the saved value of an
 * enable has its reset bit set, writing it resets all counters, so their counts are written once
 * more. */
#ifndef BX_GUARD_OPERATIONS_H
#define BX_GUARD_OPERATIONS_H

#include "guard/undo_log.h"
#include "register/write.h"

typedef struct bx_undo_op {
    bx_write write;
    uint32_t entry;    /* whose register it puts back, by its index in the log */
    bool readable;     /* the present value tells whether the write is needed; false: it is always
                          needed */
    bool has_status;   /* it clears status bits of another register; value 0: it only checks them */
    bx_address status; /* the register with the status bits */
    uint64_t were_clear; /* the status bits that were clear, and must be clear again */
} bx_undo_op;

/* Most operations for a log of n entries, and most lines of a journal. */
size_t bx_undo_ops_room(size_t n);

/* Writes them to ops; returns their number. */
size_t bx_undo_ops(const bx_register_policy *k, const bx_undo_log *log, bx_undo_op *ops);

/* Whether an operation is the last one of its register; earlier ones are temporary. */
bool bx_undo_op_is_last(const bx_undo_op *ops, size_t n, size_t i);

#endif
