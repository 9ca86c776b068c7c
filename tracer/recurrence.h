/* How long the values in registers take from their values when a block began, while a superblock is
 * translated. README.md, "Recurrence". */
#ifndef BX_TRACER_RECURRENCE_H
#define BX_TRACER_RECURRENCE_H

#include "trace_format.h"

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* A superblock with so many temporaries begins, or a part of one. */
void bx_recurrence_begin(Int temporaries);

/* What follows is of the next instruction. */
void bx_recurrence_next_instruction(void);

/* After a statement of the superblock. */
void bx_recurrence_follow(const IRSB *in, const IRStmt *s);

/* The longest chain from a register to itself so far. */
bx_trace_recurrence bx_recurrence_now(void);

#endif
