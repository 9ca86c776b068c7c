/* System calls, and the objects that they release and acquire. */
#ifndef BX_TRACER_CALLS_H
#define BX_TRACER_CALLS_H

#include "pub_tool_basics.h"

/* Valgrind calls these around each system call. args: the program's n arguments. */
void bx_calls_before(ThreadId tid, UInt number, UWord *args, UInt n);
void bx_calls_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes result);

void bx_calls_fork(ThreadId tid); /* call it in the child */

Bool bx_calls_has_exited(void); /* whether the process has ended by itself, not by a signal */

#endif
