/* The ARB: the queue between the uncore and memory. An entry lives from its request until memory
 * has completed it. When it begins, its whole life is added to the occupancy. Its end is stored as
 * well, so that the level of any cycle is known. */
#ifndef BX_MODEL_MACHINE_CLIENT_ARB_H
#define BX_MODEL_MACHINE_CLIENT_ARB_H

#include "model/machine/client/counts.h"

enum { BX_IMC_CHANNELS = 2 };

/* A ring with the ends of living entries, in order. Most entries of a channel end in the order in
 * which they begin. */
struct bx_arb_queue {
    uint64_t *end; /* [mask + 1]: the first cycle after an entry */
    uint32_t head, tail, mask;
};

struct bx_arb {
    struct bx_arb_queue queue[BX_IMC_CHANNELS][BX_ARB_KINDS];
    uint64_t entered;    /* number of entries of all kinds since power-on */
    bool unordered;      /* entries may not end in the order in which they begin */
    bool *out_of_memory; /* a flag of the machine */
};

/* false: out of memory. Call bx_arb_free() in both cases. *out_of_memory is set if memory runs out
 * later. */
bool bx_arb_power_on(struct bx_arb *arb, bool *out_of_memory);
void bx_arb_free(struct bx_arb *arb);

/* When the next entry ends after `now`. BX_NEVER: there is no entry. */
uint64_t bx_arb_next_end(struct bx_arb *arb, uint64_t now);

/* The number of entries that live in the cycle `now`. kinds: a mask over enum bx_arb_kind. */
uint64_t bx_arb_level(struct bx_arb *arb, unsigned kinds, uint64_t now);

/* Entries x cycles from `now` on, for the entries that live at `now`. */
uint64_t bx_arb_remaining(struct bx_arb *arb, unsigned kinds, uint64_t now);

/* Makes room for an entry that begins at `now`. The queue is full. */
void bx_arb_make_room(struct bx_arb *arb, struct bx_arb_queue *q, uint64_t now);

/* Moves the last entry to its position in the order of ends. */
void bx_arb_sort_last(struct bx_arb_queue *q);

/* Adds an entry that lives in the cycles begin … end - 1. */
static inline void bx_arb_add(struct bx_arb *arb, struct bx_client_counts *counts, unsigned channel,
                              enum bx_arb_kind kind, uint64_t begin, uint64_t end)
{
    struct bx_arb_queue *q = &arb->queue[channel][kind];

    arb->entered++;
    counts->arb[kind]++;
    counts->occupancy[kind] += end - begin;
    if (q->tail - q->head > q->mask)
        bx_arb_make_room(arb, q, begin);
    q->end[q->tail++ & q->mask] = end;
    if (arb->unordered)
        bx_arb_sort_last(q);
}

#endif
