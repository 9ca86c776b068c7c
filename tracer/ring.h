/* The tracer's side of the ring (trace_format.h). */
#ifndef BX_TRACER_RING_H
#define BX_TRACER_RING_H

#include "trace_format.h"

#include "pub_tool_basics.h"

/* Makes a ring and sends it to the reader. If that fails, or without a socket, makes a ring that is
 * not read. In a child after fork(), the new ring replaces its parent's; `parent` and `time` are
 * for the hello. */
void bx_ring_open(UInt parent, ULong time);

/* Addresses of two variables for translated code: the position to write at, and its limit. Before a
 * block, code that finds the position at the limit or after it calls bx_threads_interrupt(). */
HWord bx_ring_cursor(void);
HWord bx_ring_limit(void);
void bx_ring_interrupt(void); /* makes the next block call bx_threads_interrupt() */
void bx_ring_turn(void);      /* goes to the next chunk if this one is full */

/* Writes a control record, between blocks. */
void bx_ring_write(const ULong *words, UInt n);

void bx_ring_publish(void); /* publishes all words so far */

/* Whether the reader wants no more of this process, nor of those that it forks or executes. */
Bool bx_ring_is_let_go(void);

UInt bx_ring_passed_over(void); /* a thread that should get no turns; 0: none */

/* Sleeps for a short time, unless the answer to a question is there, at its place below
 * BX_TRACE_PLACES. Returns whether it is, or there will be none (BX_TRACE_NO_MACHINE). Other
 * threads may run meanwhile. */
Bool bx_ring_await_answer(UInt place, UInt question, enum bx_trace_outcome *outcome, ULong *value);

#endif
