/* Instructions that steer caches: prefetches and flushes, which Valgrind's translator drops. */
#ifndef BX_TRACER_CORE_STEERING_H
#define BX_TRACER_CORE_STEERING_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

/* Whether a statement stands for such an instruction. If so, *what is an enum bx_trace_steering and
 * *address where the instruction points to. The statement is to be left out of the translation. */
Bool bx_core_steers(const IRStmt *s, UInt *what, IRExpr **address);

#endif
