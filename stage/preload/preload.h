/* What programs on stage get loaded before all else: it answers the CPUID instruction in place of
 * the host's CPU. It uses nothing but libc. */
#ifndef BX_STAGE_PRELOAD_PRELOAD_H
#define BX_STAGE_PRELOAD_PRELOAD_H

/* The CPU of the virtual machine that this thread is on. */
unsigned bx_preload_cpu(void);

#endif
