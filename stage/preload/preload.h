/* What programs on stage get loaded before all else: it answers the CPUID instruction in place of
 * the host's CPU. It uses nothing but libc. */
#ifndef BX_STAGE_PRELOAD_H
#define BX_STAGE_PRELOAD_H

#include <stddef.h>
#include <stdint.h>

/* The CPU of the virtual machine that this thread is on. */
unsigned bx_preload_cpu(void);

/* How many CPUs the virtual machine has; at least 1. */
unsigned bx_preload_cpus(void);

/* Makes each CPUID instruction in the code at hand an undefined one of the same length, so that it
 * raises SIGILL. */
void bx_preload_disarm(uint8_t *code, size_t n);

#endif
