/* The reader's end of a ring that a tracer fills: tracer/trace_format.h. */
#ifndef BX_MACHINE_PROGRAM_RING_H
#define BX_MACHINE_PROGRAM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_ring bx_ring;

/* For the ring of the first process that connects; all others run unread. Returns NULL and sets
 * errno on failure. */
bx_ring *bx_ring_new(void);
void bx_ring_free(bx_ring *r); /* NULL is fine; that process ends now if it still runs */

int bx_ring_fd(const bx_ring *r); /* the tracer's end of the socket */

/* What is wrong with the ring; NULL: nothing so far. */
const char *bx_ring_malformed(const bx_ring *r);

/* The words that can be read now; they stay until they are consumed. 0: none yet. */
size_t bx_ring_words(bx_ring *r, const uint64_t **words);
void bx_ring_consume(bx_ring *r, size_t words);
void bx_ring_skip(bx_ring *r); /* consumes the rest of the chunk */

void bx_ring_wait(bx_ring *r); /* for more words, for some milliseconds at most */

/* Once the tracer has ended, however it did: also what it had not published can be read. */
void bx_ring_finish(bx_ring *r);

#endif
