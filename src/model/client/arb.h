/* The ARB: the queue between the uncore and memory. An entry lives from its request until memory
 * has done it. Its whole life is added to the occupancy when it begins. The ends are stored as
 * well: they give the entries in flight, and the level at any time. */
#ifndef BX_MODEL_CLIENT_ARB_H
#define BX_MODEL_CLIENT_ARB_H

#include "model/client/counts.h"

enum { BX_IMC_CHANNELS = 2 };

/* The ends of living entries, in order: a ring. Most entries of a channel end in the order in which
 * they begin. */
struct bx_arb_queue {
    uint64_t *end; /* [mask + 1]: the cycle after an entry's last */
    uint32_t head, tail, mask;
};

struct bx_arb {
    struct bx_arb_queue queue[BX_IMC_CHANNELS][BX_ARB_KINDS];
    uint64_t entered;    /* entries, of all kinds */
    bool unordered;      /* entries may end in another order than they begin in */
    bool *out_of_memory; /* its machine's */
};

/* false: out of memory. Free it in either case. *out_of_memory is set if memory runs out later. */
bool bx_arb_power_on(struct bx_arb *arb, bool *out_of_memory);
void bx_arb_free(struct bx_arb *arb);

/* The time at which the next entry ends after `now`; BX_NEVER: there is no entry. */
uint64_t bx_arb_next_end(struct bx_arb *arb, uint64_t now);

/* Entries that live in the cycle `now`. kinds: a mask over enum bx_arb_kind. */
uint64_t bx_arb_level(struct bx_arb *arb, unsigned kinds, uint64_t now);

/* Entries x cycles from `now` on, of the entries that live at `now`. */
uint64_t bx_arb_remaining(struct bx_arb *arb, unsigned kinds, uint64_t now);

/* Makes room in a full queue for an entry that begins at `now`. */
void bx_arb_make_room(struct bx_arb *arb, struct bx_arb_queue *q, uint64_t now);

/* Moves the entry that was added last to its place in the order of ends. */
void bx_arb_sort_last(struct bx_arb_queue *q);

/* An entry that lives in the cycles begin … end - 1. */
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
