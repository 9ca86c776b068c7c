/* The class of floating-point instructions that came after SSE2. */
#ifndef BX_TRACER_VECTOR_CLASS_H
#define BX_TRACER_VECTOR_CLASS_H

#include "opcode_parts.h"

/* BX_CLASS_OTHER: it is none of them, or it converts, compares or moves. */
unsigned bx_vector_class(const bx_opcode_instruction *i);

#endif
