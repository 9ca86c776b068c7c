#include "model/arb.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

bool bx_arb_power_on(struct bx_arb *arb)
{
    *arb = (struct bx_arb){0};
    for (unsigned i = 0; i < BX_ARB_QUEUES; i++) {
        arb->queue[i].end = malloc(FIRST_ROOM * sizeof *arb->queue[i].end);
        arb->queue[i].mask = FIRST_ROOM - 1;
        if (!arb->queue[i].end)
            return false;
    }
    return true;
}

void bx_arb_free(struct bx_arb *arb)
{
    for (unsigned i = 0; i < BX_ARB_QUEUES; i++)
        free(arb->queue[i].end);
}

static void retire_first(struct bx_arb *arb, struct bx_arb_queue *q)
{
    arb->retired[BX_ARB_ALL]++;
    arb->retired[BX_ARB_DATA_READ] += q->end[q->head++ & q->mask] & 1;
}

static bool first_has_ended(const struct bx_arb_queue *q, uint64_t now)
{
    return q->head != q->tail && q->end[q->head & q->mask] >> 1 <= now;
}

void bx_arb_retire(struct bx_arb *arb, uint64_t now)
{
    for (unsigned i = 0; i < BX_ARB_QUEUES; i++)
        while (first_has_ended(&arb->queue[i], now))
            retire_first(arb, &arb->queue[i]);
}

uint64_t bx_arb_next_end(const struct bx_arb *arb)
{
    uint64_t next = BX_NEVER;

    for (unsigned i = 0; i < BX_ARB_QUEUES; i++) {
        const struct bx_arb_queue *q = &arb->queue[i];
        if (q->head != q->tail && q->end[q->head & q->mask] >> 1 < next)
            next = q->end[q->head & q->mask] >> 1;
    }
    return next;
}

uint64_t bx_arb_level(const struct bx_arb *arb, const struct bx_client_counts *counts,
                      enum bx_arb_kind kind)
{
    return counts->arb[kind] - arb->retired[kind];
}

uint64_t bx_arb_occupancy(struct bx_arb *arb, const struct bx_client_counts *counts,
                          enum bx_arb_kind kind, uint64_t now)
{
    uint64_t still_to_come = 0;

    bx_arb_retire(arb, now);
    for (unsigned i = 0; i < BX_ARB_QUEUES; i++) {
        const struct bx_arb_queue *q = &arb->queue[i];
        for (uint32_t at = q->head; at != q->tail; at++) {
            uint64_t end = q->end[at & q->mask];
            if (kind == BX_ARB_ALL || end & 1)
                still_to_come += (end >> 1) - now;
        }
    }
    return counts->occupancy[kind] - still_to_come;
}

/* Doubles the ring. false: out of memory, or as large as its indices allow. */
static bool grow(struct bx_arb_queue *q)
{
    uint32_t n = q->tail - q->head, room = q->mask + 1;

    if (room > UINT32_MAX / 4)
        return false;
    uint64_t *end = malloc(2 * (size_t)room * sizeof *end);
    if (!end)
        return false;
    for (uint32_t i = 0; i < n; i++)
        end[i] = q->end[(q->head + i) & q->mask];
    free(q->end);
    *q = (struct bx_arb_queue){.end = end, .tail = n, .mask = 2 * room - 1};
    return true;
}

void bx_arb_make_room(struct bx_arb *arb, struct bx_arb_queue *q, uint64_t now)
{
    while (first_has_ended(q, now))
        retire_first(arb, q);
    /* Without memory for a longer queue the oldest entry is taken as ended: totals stay exact, the
     * level of the present moment does not. */
    if (q->tail - q->head > q->mask / 2 && !grow(q) && q->tail - q->head > q->mask)
        retire_first(arb, q);
}
