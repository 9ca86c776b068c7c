/* Instructions that fault: those that Valgrind does not know, and those after which the program
 * goes on. Corrects Valgrind's CPUID. */
#ifndef BX_TRACER_CORE_FAULTS_H
#define BX_TRACER_CORE_FAULTS_H

#include "pub_tool_basics.h"

/* Limits the program's processor to these extensions (VEX_HWCAPS_AMD64_*), as far as the host's
 * processor has them. */
void bx_core_limit_hardware(UInt extensions);

/* The program handles this signal now. Signals of faults must find all registers as they are at the
 * instruction: its handler may let the program go on there. */
void bx_core_handles(Int signal);

#endif
