/* Tells of processes that SIGKILL ends: they cannot say so. */
#ifndef BX_TRACER_KILLS_H
#define BX_TRACER_KILLS_H

#include "pub_tool_basics.h"

/* Before a call: a process that kills its own group does not return from that. */
void bx_kills_before(ThreadId tid, UInt number, const UWord *args);

/* After a call that has not failed. */
void bx_kills_after(ThreadId tid, UInt number, const UWord *args);

/* After a call that has waited for this child. */
void bx_kills_waited(ThreadId tid, UInt number, const UWord *args, ULong child);

#endif
