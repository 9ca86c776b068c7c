/* System calls, and what they release and acquire. */
#ifndef BX_TRACER_CALLS_H
#define BX_TRACER_CALLS_H

#include "objects.h"

#include "pub_tool_basics.h"

/* Valgrind calls them; args: those of the program, n of them. */
void bx_calls_before(ThreadId tid, UInt number, UWord *args, UInt n);
void bx_calls_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes result);

void bx_calls_fork(ThreadId tid); /* in the child */

/* The thread that runs releases this, too. */
void bx_calls_release(object o);

Bool bx_calls_has_exited(void); /* the process, by itself */

#endif
