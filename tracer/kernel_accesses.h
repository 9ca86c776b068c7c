/* The kernel's reads and writes of the program's memory in system calls. */
#ifndef BX_TRACER_KERNEL_ACCESSES_H
#define BX_TRACER_KERNEL_ACCESSES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

void bx_kernel_accesses_setup(void); /* registers functions with Valgrind */

/* Writes the records when a thread returns from a call. The call read at most `most` bytes of its
 * first buffer; 0: it has failed, and read nothing. */
void bx_kernel_accesses_record(ThreadId tid, UWord most);

void bx_kernel_accesses_forget(ThreadId tid);

#endif
