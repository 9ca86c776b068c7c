/* The ARB: the queue between the uncore and memory. An entry lives from its request until memory
 * has done it. Its whole life is added to the occupancy when it begins; the ends are kept as well,
 * so that what is in flight can be told apart, and the level at any time. */
#ifndef BX_MODEL_ARB_H
#define BX_MODEL_ARB_H

#include "model/counts.h"

/* The ends of living entries, in the order of time: a ring. */
struct bx_arb_queue {
    uint64_t *end; /* [mask + 1]: the cycle after an entry's last << 1 | it is a DATA_READ */
    uint32_t head, tail, mask;
};

/* What ends in order ends in one queue: reads and writes of each channel. */
enum { BX_CHANNELS = 2, BX_ARB_QUEUES = BX_CHANNELS * 2 };

struct bx_arb {
    struct bx_arb_queue queue[BX_ARB_QUEUES];
    uint64_t retired[BX_ARB_WRITE]; /* entries that are no longer in a queue: ALL, DATA_READ */
};

bool bx_arb_power_on(struct bx_arb *arb);
void bx_arb_free(struct bx_arb *arb);

/* Drops the entries that have ended by `now`. */
void bx_arb_retire(struct bx_arb *arb, uint64_t now);

/* When the next entry ends, of those not retired; BX_NEVER if there is none. */
uint64_t bx_arb_next_end(const struct bx_arb *arb);

/* Living entries. Those that have ended must have been retired. */
uint64_t bx_arb_level(const struct bx_arb *arb, const struct bx_client_counts *counts,
                      enum bx_arb_kind kind);

/* Entries x cycles before `now`. Retires. */
uint64_t bx_arb_occupancy(struct bx_arb *arb, const struct bx_client_counts *counts,
                          enum bx_arb_kind kind, uint64_t now);

/* Makes room in a full queue, `now` being the time of the entry to come. */
void bx_arb_make_room(struct bx_arb *arb, struct bx_arb_queue *q, uint64_t now);

/* An entry of the given kind that lives in the cycles begin … end - 1. queue: channel of a read,
 * BX_CHANNELS + channel of a write. */
static inline void bx_arb_enter(struct bx_arb *arb, struct bx_client_counts *counts, unsigned queue,
                                enum bx_arb_kind kind, uint64_t begin, uint64_t end)
{
    struct bx_arb_queue *q = &arb->queue[queue];

    counts->arb[BX_ARB_ALL]++;
    counts->occupancy[BX_ARB_ALL] += end - begin;
    if (kind != BX_ARB_ALL)
        counts->arb[kind]++;
    if (kind == BX_ARB_DATA_READ)
        counts->occupancy[BX_ARB_DATA_READ] += end - begin;
    if (q->tail - q->head > q->mask)
        bx_arb_make_room(arb, q, begin);
    q->end[q->tail++ & q->mask] = end << 1 | (kind == BX_ARB_DATA_READ);
}

/* A memory write that is merged into the one before: a request that is done at once. */
static inline void bx_arb_merge(struct bx_arb *arb, struct bx_client_counts *counts)
{
    counts->arb[BX_ARB_ALL]++;
    counts->arb[BX_ARB_WRITE]++;
    arb->retired[BX_ARB_ALL]++;
}

#endif
