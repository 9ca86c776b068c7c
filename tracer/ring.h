/* The tracer's end of the ring (trace_format.h). */
#ifndef BX_TRACER_RING_H
#define BX_TRACER_RING_H

#include "trace_format.h"

#include "pub_tool_basics.h"

/* Opens the ring in this file, which is closed; with -1, a ring that nobody reads. False: it is
 * none of ours. */
Bool bx_ring_open(Int fd);

/* Addresses that translated code uses: of the position to write at, and of its limit. Code that
 * finds the position at the limit or behind calls bx_ring_turn() before a block. */
HWord bx_ring_cursor(void);
HWord bx_ring_limit(void);
void bx_ring_turn(void); /* goes to the next chunk, when the reader has left that */

/* Writes a record of control, between blocks. */
void bx_ring_write(const ULong *words, UInt n);

void bx_ring_publish(void); /* gives the reader what is there */

/* In a child after fork(): nobody reads what it does. */
void bx_ring_detach(void);

#endif
