/* The loads from which the values in temporaries and registers come, followed while a superblock is
 * translated. README.md, "The trace". */
#ifndef BX_TRACER_DEPENDENCE_H
#define BX_TRACER_DEPENDENCE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { BX_NO_LOAD = -1 };

/* The origins of a value. */
typedef struct bx_origin {
    Int load[2];      /* numbers of the latest two loads, the later one first; or BX_NO_LOAD */
    UShort registers; /* registers that had it when the block began: bit 0 RAX … bit 15 R15 */
} bx_origin;

/* Begins a superblock with that number of temporaries, or a part of one: no value comes from a
 * load. */
void bx_dependence_begin(Int temporaries);

/* Call this after each statement. load: the number of the load that the statement makes, or
 * BX_NO_LOAD. */
void bx_dependence_follow(const IRSB *in, const IRStmt *s, Int load);

bx_origin bx_dependence_of(const IRExpr *atom);

/* The origins of a register's present value. */
bx_origin bx_dependence_of_register(UInt i);

#endif
