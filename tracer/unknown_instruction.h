/* Kinds of instructions that Valgrind does not know. */
#ifndef BX_TRACER_UNKNOWN_INSTRUCTION_H
#define BX_TRACER_UNKNOWN_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_unknown_instruction {
    const char *name, *try; /* of its kind, and what a user can do */
} bx_unknown_instruction;

/* bytes: those from the instruction on, n of them. false: no processor executes it. */
bool bx_unknown_instruction_kind(const uint8_t *bytes, size_t n, bx_unknown_instruction *kind);

/* The size of an RDPMC at these bytes; 0: it is another instruction. */
size_t bx_rdpmc_size(const uint8_t *bytes, size_t n);

#endif
