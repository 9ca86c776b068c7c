/* What the kernel says about a thread of the process. */
#ifndef BX_TRACER_THREAD_STATE_H
#define BX_TRACER_THREAD_STATE_H

#include "pub_tool_basics.h"

/* Whether the thread with that number of the kernel runs, or would run if a processor were free for
 * it. False also if the kernel does not tell. */
Bool bx_thread_is_runnable(Int thread);

#endif
