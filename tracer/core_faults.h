/* Instructions that fault: those that Valgrind does not know, and those after which the program
 * goes on. */
#ifndef BX_TRACER_CORE_FAULTS_H
#define BX_TRACER_CORE_FAULTS_H

#include "pub_tool_basics.h"

/* The program handles this signal now. Signals of faults must find all registers as they are at the
 * instruction: its handler may let the program go on there. */
void bx_core_handles(Int signal);

#endif
