/* Files of the kernel in which the program finds the machine's CPUs and memory nodes. */
#ifndef BX_TRACER_SHOWN_FILES_H
#define BX_TRACER_SHOWN_FILES_H

#include "core_system_calls.h"

#include "pub_tool_basics.h"

/* The program has opened a file: if it is one of those, the descriptor gets other contents. */
void bx_shown_files_opened(ThreadId tid, const HChar *path, UWord flags, Int fd);

/* Takes calls on /sys/devices/system/node, in which the host may have fewer nodes, and on
 * /proc/self/numa_maps. */
void bx_shown_files_take(ThreadId tid, const bx_core_call *call, bx_core_answer *to);

#endif
