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

#endif
