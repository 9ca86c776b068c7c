/* Finds CPUID and RDPMC instructions in compiled code. Each is replaced by an undefined
 * instruction, so that executing it raises SIGILL. */
#ifndef BX_STAGE_PRELOAD_FIND_CPUID_H
#define BX_STAGE_PRELOAD_FIND_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUID is 0FH A2H. The patch replaces the first byte by the opcode of INTO, which is undefined in
 * 64-bit mode (SDM volume 2). The second byte stays: it distinguishes a patched CPUID from other
 * undefined instructions such as UD2. */
enum { BX_CPUID_LENGTH = 2, BX_CPUID_PATCH = 0xce };

/* The offset of the first CPUID in n bytes of code, at or after the offset `at`. An instruction
 * must begin at `at`. n: there is none. */
size_t bx_next_cpuid(const uint8_t *code, size_t n, size_t at);

/* Whether the n bytes begin with a patched CPUID. */
bool bx_is_patched_cpuid(const uint8_t *code, size_t n);

/* The same of RDPMC, which is 0FH 33H, as long as CPUID and patched in the same way. */
size_t bx_next_rdpmc(const uint8_t *code, size_t n, size_t at);
bool bx_is_patched_rdpmc(const uint8_t *code, size_t n);

#endif
