/* Notices instructions that Valgrind does not know, and corrects its CPUID. */
#ifndef BX_TRACER_CORE_FAULTS_H
#define BX_TRACER_CORE_FAULTS_H

#include "pub_tool_basics.h"

/* Tells which features of the host Valgrind's translator uses (VEX_HWCAPS_AMD64_…): CPUID does not
 * announce instructions that need another one. */
void bx_core_announce(UInt hardware);

#endif
