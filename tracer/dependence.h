/* Which loads the values in temporaries and registers come from, while a superblock is translated.
 * README.md, "The trace". */
#ifndef BX_TRACER_DEPENDENCE_H
#define BX_TRACER_DEPENDENCE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { BX_NO_LOAD = -1 };

/* Where a value comes from. */
typedef struct bx_origin {
    Int load[2]; /* the latest loads, by their numbers; the later one first; BX_NO_LOAD */
    UShort
        registers; /* and the registers that had it when the block began: bit 0 RAX … bit 15 R15 */
} bx_origin;

/* A superblock with so many temporaries begins, or a part of one: nothing comes from a load. */
void bx_dependence_begin(Int temporaries);

/* After a statement; load: the number of the load that it is, or BX_NO_LOAD. */
void bx_dependence_follow(const IRSB *in, const IRStmt *s, Int load);

bx_origin bx_dependence_of(const IRExpr *atom);

/* What the register's value comes from now. */
bx_origin bx_dependence_of_register(UInt i);
enum { BX_REGISTERS = 16 };

#endif
