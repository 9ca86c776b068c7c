/* The reader's side of a ring that a tracer has made: tracer/trace_format.h. */
#ifndef BX_MACHINE_PROGRAM_TRACE_RING_H
#define BX_MACHINE_PROGRAM_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_ring bx_ring;

/* fd: the ring's descriptor, which the caller keeps. NULL: it is not a ring, and *wrong says why;
 * or memory ran out, and *wrong is NULL. */
bx_ring *bx_ring_new(int fd, const char **wrong);
void bx_ring_free(bx_ring *r); /* NULL is fine */

/* A copy of the words of one chunk that can be read now: the traced process, which is not trusted,
 * cannot change them any more. They stay valid until they are consumed. 0: none yet. */
size_t bx_ring_words(bx_ring *r, const uint64_t **words);

/* Whether the program has written the ring's positions. A part of its trace is then lost. */
bool bx_ring_is_broken(const bx_ring *r);

size_t bx_ring_room(const bx_ring *r); /* most words that it holds */
void bx_ring_consume(bx_ring *r, size_t words);

/* Asks the tracer to ring the bell when there are words, or not to. false: there are some now. */
bool bx_ring_ask_for_bell(bx_ring *r, bool ask);

/* Gives few turns to a thread, as long as other threads of its process can run; 0: no thread. */
void bx_ring_pass_over(bx_ring *r, uint32_t thread);

/* Answers a question of the tracer (BX_TRACE_RDPMC). outcome: enum bx_trace_outcome. Does nothing
 * if there is no such place. */
void bx_ring_answer(bx_ring *r, uint64_t place, uint32_t question, unsigned outcome,
                    uint64_t value);

/* Call this after the tracer has ended for any reason. Words that it had not published can then be
 * read, too. */
void bx_ring_finish(bx_ring *r);

/* Stops reading the ring; the tracer continues. */
void bx_ring_leave(bx_ring *r);

#endif
