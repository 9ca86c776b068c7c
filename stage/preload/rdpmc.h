/* Emulates RDPMC in dynamic programs, of which cpuid.c has replaced the instruction. */
#ifndef BX_STAGE_PRELOAD_RDPMC_H
#define BX_STAGE_PRELOAD_RDPMC_H

#include <signal.h>
#include <stdbool.h>

typedef int bx_preload_sigaction(int number, const struct sigaction *new, struct sigaction *old);

/* Executes a patched RDPMC at the context's place. false: there is none. If it faults, the program
 * gets the SIGSEGV that Linux sends for #GP. `action`: the C library's sigaction(). */
bool bx_preload_rdpmc(void *context, bx_preload_sigaction *action);

#endif
