/* The reader's end of a ring that a tracer has made: tracer/trace_format.h. */
#ifndef BX_MACHINE_PROGRAM_TRACE_RING_H
#define BX_MACHINE_PROGRAM_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_ring bx_ring;

/* fd: of the ring; stays the caller's. NULL: it is no ring, and *wrong says why; or *wrong is NULL,
 * and there is no memory. */
bx_ring *bx_ring_new(int fd, const char **wrong);
void bx_ring_free(bx_ring *r); /* NULL is fine */

/* The words that can be read now, of one chunk; they stay until they are consumed. 0: none yet. */
size_t bx_ring_words(bx_ring *r, const uint64_t **words);
size_t bx_ring_room(const bx_ring *r); /* most words that it holds */
void bx_ring_consume(bx_ring *r, size_t words);

/* Asks the tracer for a bell once there are words, or not. false: there are some now. */
bool bx_ring_ask_for_bell(bx_ring *r, bool ask);

/* A thread that gets few turns as long as others of its process can run; 0: none. */
void bx_ring_pass_over(bx_ring *r, uint32_t thread);

/* Once the tracer has ended, however it did: also what it had not published can be read. */
void bx_ring_finish(bx_ring *r);

/* Nobody reads it any more; the tracer goes on. */
void bx_ring_leave(bx_ring *r);

#endif
