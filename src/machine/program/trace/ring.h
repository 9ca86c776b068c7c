/* The reader's end of a ring that a tracer has made: tracer/trace_format.h. */
#ifndef BX_MACHINE_PROGRAM_TRACE_RING_H
#define BX_MACHINE_PROGRAM_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_ring bx_ring;

/* fd: of the ring; belongs to the caller. NULL: it is not a ring, and *wrong says why; or memory
 * ran out, and *wrong is NULL. */
bx_ring *bx_ring_new(int fd, const char **wrong);
void bx_ring_free(bx_ring *r); /* NULL is fine */

/* The words that can be read now, of one chunk; they stay until they are consumed. 0: none yet. */
size_t bx_ring_words(bx_ring *r, const uint64_t **words);
size_t bx_ring_room(const bx_ring *r); /* most words that it holds */
void bx_ring_consume(bx_ring *r, size_t words);

/* Asks the tracer to ring the bell when there are words, or not to. false: there are some now. */
bool bx_ring_ask_for_bell(bx_ring *r, bool ask);

/* A thread that gets few turns as long as others of its process can run; 0: none. */
void bx_ring_pass_over(bx_ring *r, uint32_t thread);

/* Call this after the tracer has ended in any way: words that it had not published can then be
 * read, too. */
void bx_ring_finish(bx_ring *r);

/* Stops reading it; the tracer continues. */
void bx_ring_leave(bx_ring *r);

#endif
