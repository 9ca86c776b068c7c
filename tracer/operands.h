/* What an expression of Valgrind's IR is computed from. */
#ifndef BX_TRACER_OPERANDS_H
#define BX_TRACER_OPERANDS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { BX_OPERANDS = 16 }; /* at most; further ones of a call are left out */

/* Writes them: temporaries and constants, conditions among them. Returns how many. The address of a
 * load is none. */
UInt bx_operands(const IRExpr *e, const IRExpr *to[BX_OPERANDS]);

#endif
