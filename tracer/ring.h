/* The tracer's end of the ring (trace_format.h). */
#ifndef BX_TRACER_RING_H
#define BX_TRACER_RING_H

#include "trace_format.h"

#include "pub_tool_basics.h"

/* Makes a ring and sends it to the reader; without one, or without a socket, a ring that nobody
 * reads. In a child after fork() a new one takes the place of its parent's; `parent` and `time` are
 * for the hello. */
void bx_ring_open(UInt parent, ULong time);

/* Addresses that translated code uses: of the position to write at, and of its limit. Code that
 * finds the position at the limit or behind calls bx_threads_interrupt() before a block. */
HWord bx_ring_cursor(void);
HWord bx_ring_limit(void);
void bx_ring_interrupt(void); /* before the next block, whatever the position is */
void bx_ring_turn(void);      /* goes to the next chunk if this one is full */

/* Writes a control record, between blocks. */
void bx_ring_write(const ULong *words, UInt n);

void bx_ring_publish(void); /* gives the reader what is there */

/* The reader wants no more of this process, nor of those that it forks or executes. */
Bool bx_ring_is_let_go(void);

UInt bx_ring_passed_over(void); /* the thread that should have no turns; 0: none */

#endif
