/* Instructions that fault: those that Valgrind does not know, and those after which the program
 * goes on. Corrects Valgrind's CPUID. */
#ifndef BX_TRACER_CORE_FAULTS_H
#define BX_TRACER_CORE_FAULTS_H

#include "pub_tool_basics.h"

/* Tells which features of the host Valgrind's translator uses (VEX_HWCAPS_AMD64_…): CPUID does not
 * announce instructions that need another one. */
void bx_core_announce(UInt hardware);

/* The program handles this signal now. Signals of faults must find all registers as they are at the
 * instruction: its handler may let the program go on there. */
void bx_core_handles(Int signal);

#endif
