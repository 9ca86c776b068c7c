/* The library that programs on stage preload. It answers the CPUID instruction instead of the
 * host's CPU. It uses only libc. */
#ifndef BX_STAGE_PRELOAD_PRELOAD_H
#define BX_STAGE_PRELOAD_PRELOAD_H

/* The CPU of the virtual machine that this thread runs on. */
unsigned bx_preload_cpu(void);

#endif
