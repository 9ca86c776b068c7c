/* Lengths of x86-64 instructions, to walk through compiled code. */
#ifndef BX_STAGE_PRELOAD_INSTRUCTION_LENGTH_H
#define BX_STAGE_PRELOAD_INSTRUCTION_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `code`; n: bytes that can be read there. 0: no instruction, or its
 * end is not within n bytes. */
size_t bx_instruction_length(const uint8_t *code, size_t n);

#endif
