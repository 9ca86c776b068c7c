/* The machine as the program sees it: the same on each host. */
#ifndef BX_TRACER_SURROUNDINGS_H
#define BX_TRACER_SURROUNDINGS_H

#include "pub_tool_basics.h"

/* Makes the variable empty that has moved the program's stack to its place (environment.h). Call it
 * when the stack exists and the program does not run yet. */
void bx_surroundings_setup(void);

/* Limits the features of the program's CPU: "sse2", "sse4.2", "avx", "avx2". Call it when the
 * program's stack exists and the program does not run yet. False: no such name. */
Bool bx_surroundings_limit(const HChar *name);

/* Call this after each system call. */
void bx_surroundings_after_call(ThreadId tid, UInt number, const UWord *args, SysRes result);

#endif
