/* The queues of the ARB: levels and remaining cycles of their entries. */
#include "model/machine/client/arb.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256, QUEUES = BX_IMC_CHANNELS * BX_ARB_KINDS };

static struct bx_arb_queue *queue_of(struct bx_arb *arb, unsigned i)
{
    return &arb->queue[i / BX_ARB_KINDS][i % BX_ARB_KINDS];
}

bool bx_arb_power_on(struct bx_arb *arb, bool *out_of_memory)
{
    *arb = (struct bx_arb){.out_of_memory = out_of_memory};
    for (unsigned i = 0; i < QUEUES; i++) {
        struct bx_arb_queue *q = queue_of(arb, i);
        q->end = malloc(FIRST_ROOM * sizeof *q->end);
        q->mask = FIRST_ROOM - 1;
        if (!q->end)
            return false;
    }
    return true;
}

void bx_arb_free(struct bx_arb *arb)
{
    for (unsigned i = 0; i < QUEUES; i++)
        free(queue_of(arb, i)->end);
}

/* Drops the entries that have ended by `now`. */
static void retire(struct bx_arb_queue *q, uint64_t now)
{
    while (q->head != q->tail && q->end[q->head & q->mask] <= now)
        q->head++;
}

uint64_t bx_arb_next_end(struct bx_arb *arb, uint64_t now)
{
    uint64_t next = BX_NEVER;

    for (unsigned i = 0; i < QUEUES; i++) {
        struct bx_arb_queue *q = queue_of(arb, i);
        retire(q, now);
        if (q->head != q->tail && q->end[q->head & q->mask] < next)
            next = q->end[q->head & q->mask];
    }
    return next;
}

uint64_t bx_arb_level(struct bx_arb *arb, unsigned kinds, uint64_t now)
{
    uint64_t level = 0;

    for (unsigned i = 0; i < QUEUES; i++) {
        struct bx_arb_queue *q = queue_of(arb, i);
        retire(q, now);
        if (kinds >> i % BX_ARB_KINDS & 1)
            level += q->tail - q->head;
    }
    return level;
}

uint64_t bx_arb_remaining(struct bx_arb *arb, unsigned kinds, uint64_t now)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < QUEUES; i++) {
        struct bx_arb_queue *q = queue_of(arb, i);
        retire(q, now);
        for (uint32_t at = q->head; kinds >> i % BX_ARB_KINDS & 1 && at != q->tail; at++)
            cycles += q->end[at & q->mask] - now;
    }
    return cycles;
}

/* Doubles the ring. false: out of memory, or the ring is as large as its indices allow. */
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
    retire(q, now);
    if (q->tail - q->head > q->mask / 2 && !grow(q) && q->tail - q->head > q->mask) {
        *arb->out_of_memory = true;
        q->head++;
    }
}

void bx_arb_sort_last(struct bx_arb_queue *q)
{
    uint32_t at = q->tail - 1;
    uint64_t end = q->end[at & q->mask];

    for (; at != q->head && q->end[(at - 1) & q->mask] > end; at--)
        q->end[at & q->mask] = q->end[(at - 1) & q->mask];
    q->end[at & q->mask] = end;
}
