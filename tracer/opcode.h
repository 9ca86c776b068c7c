/* What the bytes of an instruction tell that Valgrind's IR does not. */
#ifndef BX_TRACER_OPCODE_H
#define BX_TRACER_OPCODE_H

#include "instruction_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it stores past the caches: MOVNTI, MOVNTPS, MOVNTPD, MOVNTQ, MOVNTDQ and their VEX forms.
 * (MASKMOVQ and MASKMOVDQU are loads and stores to Valgrind: which bytes they store is not known.)
 */
bool bx_opcode_non_temporal(const uint8_t *bytes, size_t size);

enum bx_instruction_class bx_instruction_class_of(const uint8_t *bytes, size_t size);

#endif
