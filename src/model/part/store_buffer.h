/* A core's store buffer: docs/explanation/model-core-time.md, "Store buffer". Stores commit in
 * order. A store waits until the store `entries` before it has committed. Only a store that missed
 * the caches commits later than it is made.
 *
 * The position of the waiting store in the batch is found in advance. So other stores need not be
 * counted while they are executed. */
#ifndef BX_MODEL_PART_STORE_BUFFER_H
#define BX_MODEL_PART_STORE_BUFFER_H

#include "model/engine/access.h"
#include "model/engine/shape.h"

/* A store that has not committed. Stores are numbered in the order of the program. */
struct bx_late_store {
    uint64_t waiter; /* the number of the store that waits for its entry */
    uint64_t commit;
};

struct bx_store_buffer {
    unsigned entries;                                /* 0: any number */
    unsigned first, end;                             /* positions in `late`; they only increase */
    struct bx_late_store late[BX_FILL_BUFFERS_MOST]; /* a ring; each has held a fill buffer */
    /* Two positions in the batch, and the number of stores before each. */
    const bx_access *counted, *searched;
    uint64_t stores, stores_searched;
    const bx_access *waiter; /* it waits for the first late store; NULL: it is not in the batch */
};

/* The store at `at` has taken a fill buffer at t and completes at `completion`. */
void bx_store_buffer_add(struct bx_store_buffer *b, const bx_access *at, const bx_access *batch_end,
                         uint64_t t, uint64_t completion);
/* The waiting store is about to be made. Returns the earliest time for it. */
uint64_t bx_store_buffer_pass(struct bx_store_buffer *b, const bx_access *batch_end);
/* The batch has been executed. bx_store_buffer_begin_batch() gives the next one. */
void bx_store_buffer_end_batch(struct bx_store_buffer *b, const bx_access *batch_end);
void bx_store_buffer_begin_batch(struct bx_store_buffer *b, const bx_access *next,
                                 const bx_access *batch_end);
/* All stores have committed. */
void bx_store_buffer_clear(struct bx_store_buffer *b);

#endif
