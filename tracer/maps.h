/* The program's address space: MAP, UNMAP and MOVE. */
#ifndef BX_TRACER_MAPS_H
#define BX_TRACER_MAPS_H

#include "pub_tool_basics.h"

void bx_maps_setup(void); /* registers functions with Valgrind */

/* Call these around each system call. */
void bx_maps_before_call(UInt number, const UWord *args);
void bx_maps_after_call(ThreadId tid, UInt number, const UWord *args, UWord result);

#endif
