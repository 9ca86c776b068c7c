/* The program's CPUID: Valgrind's, with what the modelled processor has in its place. */
#ifndef BX_TRACER_CORE_CPUID_H
#define BX_TRACER_CORE_CPUID_H

#include "pub_tool_basics.h"

/* Limits the program's processor to these extensions (VEX_HWCAPS_AMD64_*), as far as the host's
 * processor has them. */
void bx_core_limit_hardware(UInt extensions);

/* Sets leaves: "LEAF.SUBLEAF=EAX:EBX:ECX:EDX,…" in hexadecimal. Those of caches and of their
 * sharing are used (2, 4, 0BH, 80000005H, 80000006H), where the processor that Valgrind shows has
 * them. False: the text is something else. */
Bool bx_core_set_cpuid(const HChar *text);

#endif
