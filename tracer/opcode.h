/* What the bytes of an instruction tell that Valgrind's IR does not. */
#ifndef BX_TRACER_OPCODE_H
#define BX_TRACER_OPCODE_H

#include "pub_tool_basics.h"

/* Whether it stores past the caches: MOVNTI, MOVNTPS, MOVNTPD, MOVNTQ, MOVNTDQ and their VEX forms.
 * (MASKMOVQ and MASKMOVDQU are loads and stores to Valgrind: which bytes they store is not known.)
 */
Bool bx_opcode_non_temporal(const UChar *bytes, UInt size);

/* Whether it is a branch: BX_TRACE_JUMP, BX_TRACE_CONDITIONAL, or 0. */
UInt bx_opcode_branch(const UChar *bytes, UInt size);

#endif
