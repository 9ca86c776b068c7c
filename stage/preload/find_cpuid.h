/* The CPUID instruction in compiled code, and what it is replaced by: an instruction that does not
 * exist, so that a signal comes when it is reached. */
#ifndef BX_STAGE_PRELOAD_FIND_CPUID_H
#define BX_STAGE_PRELOAD_FIND_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUID is 0FH A2H. Its first byte is made INTO's, which is undefined in 64-bit mode (SDM volume
 * 2); the second stays, and tells it from whatever else raises the signal, such as UD2. */
enum { BX_CPUID_LENGTH = 2, BX_CPUID_PATCH = 0xce };

/* The offset of the first CPUID at or behind `at`, where an instruction begins; n: there is none.
 */
size_t bx_next_cpuid(const uint8_t *code, size_t n, size_t at);

/* Whether one was there before. */
bool bx_is_patched_cpuid(const uint8_t *code, size_t n);

#endif
