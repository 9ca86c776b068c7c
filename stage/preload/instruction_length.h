/* The length of an x86-64 instruction, as far as it takes to walk through compiled code. */
#ifndef BX_STAGE_PRELOAD_INSTRUCTION_LENGTH_H
#define BX_STAGE_PRELOAD_INSTRUCTION_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `code`, of which `n` can be looked at; 0: it is none, or cut off. */
size_t bx_instruction_length(const uint8_t *code, size_t n);

#endif
