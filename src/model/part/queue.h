/* A queue of limited capacity, and the entries that wait for it. */
#ifndef BX_MODEL_PART_QUEUE_H
#define BX_MODEL_PART_QUEUE_H

#include "model/part/gauge.h"

/* A queue, table or link of limited capacity. An entry waits until there is room for its whole
 * stay. Earlier calls have precedence, even if their entries begin later. */
struct bx_queue {
    struct bx_gauge in, waiting;
    struct bx_gauge starving; /* entries that have waited for `starves` cycles */
    uint32_t starves;
    uint64_t inserts;
    uint64_t waits;    /* entries that had to wait */
    uint64_t bypasses; /* entries that did not wait and found the resource empty */
};

#define BX_QUEUE_UNKNOWN UINT64_MAX /* the length of the stay is not known */

static inline void bx_queue_power_on(struct bx_queue *q, uint32_t capacity, uint32_t starves)
{
    *q = (struct bx_queue){.in = {.full = capacity}, .starves = starves};
}

/* When an entry that arrives at t and stays for `cycles` can enter. */
uint64_t bx_queue_begin(struct bx_queue *q, uint64_t now, uint64_t t, uint64_t cycles);

/* Puts an entry that arrives at t, enters at `begin`, the result of bx_queue_begin(), and leaves at
 * `end`. memory: as for bx_gauge_put(). */
void bx_queue_put(struct bx_queue *q, bx_arena *memory, uint64_t now, uint64_t t, uint64_t begin,
                  uint64_t end);

#endif
