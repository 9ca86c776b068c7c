/* Finds the time at which a queue has room. */
#include "model/part/queue.h"

uint64_t bx_queue_begin(struct bx_queue *q, uint64_t now, uint64_t t, uint64_t cycles)
{
    const struct bx_gauge *g = &q->in;
    uint64_t begin = t;
    uint32_t next;

    bx_gauge_apply(&q->in, now);
    if (bx_gauge_is_empty_from(g, t))
        return t;
    for (uint32_t level = bx_gauge_level_at(g, t, &next);; level = g->step[next++]) {
        if (level >= g->full)
            begin = g->at[next];
        else if (next == g->end || (cycles != BX_QUEUE_UNKNOWN && g->at[next] >= begin + cycles))
            return begin;
    }
}

void bx_queue_put(struct bx_queue *q, bx_arena *memory, uint64_t now, uint64_t t, uint64_t begin,
                  uint64_t end)
{
    uint32_t next;

    bx_gauge_apply(&q->in, now);
    q->inserts++;
    if (begin == t) {
        q->bypasses += bx_gauge_level_at(&q->in, t, &next) == 0;
    } else {
        q->waits++;
        bx_gauge_put(&q->waiting, memory, now, t, begin);
        bx_gauge_put(&q->starving, memory, now, t + q->starves, begin);
    }
    bx_gauge_put(&q->in, memory, now, begin, end);
}
