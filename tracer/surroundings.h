/* What the program sees of the machine that it runs on: the same on each host. */
#ifndef BX_TRACER_SURROUNDINGS_H
#define BX_TRACER_SURROUNDINGS_H

#include "pub_tool_basics.h"

extern Int bx_surroundings_cpus; /* 0: the host's */

/* Once the program's stack is there, before it runs: empties the variable that has moved it to its
 * place. */
void bx_surroundings_setup(void);

/* The program's CPU has these features at most: "avx2" … Once the program's stack is there, before
 * it runs. False: no such name. */
Bool bx_surroundings_limit(const HChar *name);

/* A system call has returned. */
void bx_surroundings_after_call(ThreadId tid, UInt number, const UWord *args, SysRes result);

#endif
