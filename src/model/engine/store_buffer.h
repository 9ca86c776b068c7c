/* A core's store buffer: docs/explanation/model.md, "Store buffer". Stores commit in order. A store
 * waits until the one that is `entries` before it has committed; only for stores that missed is
 * that later than when they were made.
 *
 * Which store waits is known by its place in the batch, so that the others need not be counted
 * while they are executed. */
#ifndef BX_MODEL_ENGINE_STORE_BUFFER_H
#define BX_MODEL_ENGINE_STORE_BUFFER_H

#include "model/engine/access.h"
#include "model/engine/shape.h"

/* A store that has not committed. Stores are numbered in the order of the program. */
struct bx_late_store {
    uint64_t waiter; /* the number of the store that needs its entry */
    uint64_t commit;
};

struct bx_store_buffer {
    unsigned entries;                                /* 0: any number */
    unsigned first, end;                             /* of `late`, a ring; count up */
    struct bx_late_store late[BX_FILL_BUFFERS_MOST]; /* each has had a fill buffer */
    /* Two places in the batch, and how many stores are before them. */
    const bx_access *counted, *searched;
    uint64_t stores, stores_searched;
    const bx_access *waiter; /* of the first late store; NULL: there is none in the batch */
};

/* The store at `at` has taken a fill buffer at t. */
void bx_store_buffer_add(struct bx_store_buffer *b, const bx_access *at, const bx_access *batch_end,
                         uint64_t t, uint64_t completion);
/* The waiter is made. Returns when that can be. */
uint64_t bx_store_buffer_pass(struct bx_store_buffer *b, const bx_access *batch_end);
/* The batch has been executed; then there is another. */
void bx_store_buffer_end_batch(struct bx_store_buffer *b, const bx_access *batch_end);
void bx_store_buffer_begin_batch(struct bx_store_buffer *b, const bx_access *next,
                                 const bx_access *batch_end);
/* All stores have committed. */
void bx_store_buffer_clear(struct bx_store_buffer *b);

#endif
