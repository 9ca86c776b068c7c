/* RDPMC, which Valgrind does not know: boxscore says what the counter of the virtual machine has.
 */
#ifndef BX_TRACER_CORE_RDPMC_H
#define BX_TRACER_CORE_RDPMC_H

#include "pub_tool_basics.h"

/* Executes the instruction at that address, or sends the signal of its fault. n: the bytes from
 * there on that the program can execute. False: it is another instruction. */
Bool bx_core_rdpmc(ThreadId tid, Addr at, UInt n);

#endif
