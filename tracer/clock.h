/* The time that threads share: nominal cycles, which each thread collects while it runs. They
 * decide which thread runs next, and in which order threads reach a line that they use by turns.
 * README.md, "Threads". */
#ifndef BX_TRACER_CLOCK_H
#define BX_TRACER_CLOCK_H

#include "trace_format.h"

#include "pub_tool_basics.h"

enum {
    BX_CLOCK_WIDTH = 4,   /* instructions of a nominal cycle */
    BX_CLOCK_LOCKED = 18, /* cycles of a locked operation */
    BX_CLOCK_MOVE = 60,   /* cycles in which a line goes from core to core */
};

/* Cycles of a block up to an exit. */
UInt bx_clock_cycles(UInt instructions, bx_trace_recurrence r);

/* The running thread is about to access a line by a locked operation. Whether another thread has to
 * run before, because its clock comes first. If not, the line has come to this thread when this
 * returns. */
Bool bx_clock_meets(Addr address);

void bx_clock_forget_lines(void); /* in a child after fork() */

#endif
