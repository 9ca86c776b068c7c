/* Properties of an instruction that its bytes show and Valgrind's IR does not. */
#ifndef BX_TRACER_OPCODE_H
#define BX_TRACER_OPCODE_H

#include "instruction_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it stores past the caches: MOVNTI, MOVNTPS, MOVNTPD, MOVNTQ, MOVNTDQ and their VEX forms.
 * MASKMOVQ and MASKMOVDQU are not included: Valgrind treats them as loads and stores, and the bytes
 * that they store are unknown. */
bool bx_opcode_non_temporal(const uint8_t *bytes, size_t size);

enum bx_instruction_class bx_instruction_class_of(const uint8_t *bytes, size_t size);

/* Where an instruction's operand in memory is. */
typedef struct bx_memory_operand {
    int base, index; /* numbers of general registers; -1: none */
    unsigned shift;  /* of the index */
    int64_t displacement;
    unsigned length,
        opcode;    /* bytes of the instruction, and of them before its second opcode byte */
    bool relative; /* to the address of the next instruction */
    bool narrow;   /* the address has 32 bits */
    enum { BX_SEGMENT_NONE, BX_SEGMENT_FS, BX_SEGMENT_GS } segment;
} bx_memory_operand;

/* Whether an instruction prefetches or flushes a line: its enum bx_trace_steering, and its operand;
 * -1: it does not. */
int bx_opcode_steers(const uint8_t *bytes, size_t size, bx_memory_operand *m);

/* The bytes that a round of REP MOVS or REP STOS stores; 0: it is another instruction, or counts in
 * 32 bits. */
unsigned bx_opcode_repeated_store(const uint8_t *bytes, size_t size);

#endif
