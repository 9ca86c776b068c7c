/* What the kernel says about a thread of the process. */
#ifndef BX_TRACER_THREAD_STATE_H
#define BX_TRACER_THREAD_STATE_H

#include "pub_tool_basics.h"

#define BX_THREAD_GONE '\0'

/* The state of the thread with that number of the kernel, as the letter of proc(5). BX_THREAD_GONE:
 * the kernel tells none. */
HChar bx_thread_state(Int thread);

/* Whether the thread with that number of the kernel runs, or would run if a processor were free for
 * it. False also if the kernel does not tell. */
Bool bx_thread_is_runnable(Int thread);

#endif
