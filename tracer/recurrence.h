/* The time from the values of registers at the beginning of a block to their later values, followed
 * while a superblock is translated. README.md, "Recurrence". */
#ifndef BX_TRACER_RECURRENCE_H
#define BX_TRACER_RECURRENCE_H

#include "trace_format.h"

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Begins a superblock with that number of temporaries, or a part of one. */
void bx_recurrence_begin(Int temporaries);

/* The following statements belong to the next instruction. division: the division of integers that
 * it is; BX_DIVISIONS: none. */
void bx_recurrence_next_instruction(enum bx_division division);

/* Call this after each statement of the superblock. */
void bx_recurrence_follow(const IRSB *in, const IRStmt *s);

/* The longest chain from a register to itself so far. */
bx_trace_recurrence bx_recurrence_now(void);

/* Its cycles on a nominal processor: the same for all machines. 0: there is no chain. */
UInt bx_recurrence_nominal(bx_trace_recurrence r);

#endif
