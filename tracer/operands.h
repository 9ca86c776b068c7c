/* The operands of an expression of Valgrind's IR. */
#ifndef BX_TRACER_OPERANDS_H
#define BX_TRACER_OPERANDS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { BX_OPERANDS = 16 }; /* most operands; further ones of a call are left out */

/* Writes the operands: temporaries and constants, also of conditions. The address of a load is not
 * an operand. Returns their number. */
UInt bx_operands(const IRExpr *e, const IRExpr *to[BX_OPERANDS]);

#endif
