/* /proc/self/numa_maps, as the machine has the program's pages. */
#ifndef BX_TRACER_NUMA_MAPS_H
#define BX_TRACER_NUMA_MAPS_H

#include "pub_tool_basics.h"

/* Returns the text, *bytes long, which the caller frees with VG_(free). The thread waits for what
 * boxscore knows of its pages. */
HChar *bx_numa_maps_text(ThreadId tid, SizeT *bytes);

#endif
