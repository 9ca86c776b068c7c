/* The super queue: the lines that a core's prefetches and accesses have requested. Each has an
 * entry from its request until it arrives. docs/explanation/model-prefetchers.md, "How a prefetch
 * is executed". */
#ifndef BX_MODEL_PART_SUPER_QUEUE_H
#define BX_MODEL_PART_SUPER_QUEUE_H

#include "model/part/later.h"

#include <stdbool.h>

enum { BX_SUPER_QUEUE_MOST = 32 };
#define BX_SUPER_QUEUE_NO_LINE UINT64_MAX

struct bx_super_queue {
    uint64_t latest; /* the latest of `until` */
    uint64_t line[BX_SUPER_QUEUE_MOST], until[BX_SUPER_QUEUE_MOST];
    unsigned entries, busy; /* with `busy` entries in use the streamer fills only the LLC */
};

/* When a line that is on its way at t arrives. 0: the line is not on its way. */
static __attribute__((noinline, unused)) uint64_t
bx_super_queue_search(const struct bx_super_queue *q, uint64_t line, uint64_t t)
{
    uint64_t until = 0;

    for (unsigned i = 0; i < q->entries; i++)
        if (q->line[i] == line && q->until[i] > t)
            until = bx_later(until, q->until[i]);
    return until;
}

/* The same. Usually no line is on its way, so this case is fast. */
static inline uint64_t bx_super_queue_until(const struct bx_super_queue *q, uint64_t line,
                                            uint64_t t)
{
    return __builtin_expect(q->latest > t, 0) ? bx_super_queue_search(q, line, t) : 0;
}

/* The first entry that is free at t; q->entries: no entry is free. */
static inline unsigned bx_super_queue_free(const struct bx_super_queue *q, uint64_t t)
{
    unsigned i = 0;

    while (i < q->entries && q->until[i] > t)
        i++;
    return i;
}

/* Whether q->busy or more entries have a line on its way at t. */
static inline bool bx_super_queue_is_busy(const struct bx_super_queue *q, uint64_t t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < q->entries; i++)
        n += q->until[i] > t;
    return n >= q->busy;
}

/* When an entry is free: t, or the time at which the first one becomes free. */
static inline uint64_t bx_super_queue_free_at(const struct bx_super_queue *q, uint64_t t)
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < q->entries; i++)
        first = bx_sooner(first, q->until[i]);
    return bx_later(first, t);
}

/* An access that has requested a line at t has an entry until it completes. Nothing waits for this
 * line, as it is in the caches at once. If the access stopped for a line on its way that it has
 * lost since then, there may be no free entry. */
static inline void bx_super_queue_take(struct bx_super_queue *q, uint64_t t, uint64_t until)
{
    unsigned i = bx_super_queue_free(q, t);

    if (i == q->entries)
        return;
    q->line[i] = BX_SUPER_QUEUE_NO_LINE;
    q->until[i] = until;
}

/* Puts a line that is requested at t and arrives at `until`, if an entry is free. Returns the
 * entry; q->entries: none is free. */
static inline unsigned bx_super_queue_put(struct bx_super_queue *q, uint64_t line, uint64_t t,
                                          uint64_t until)
{
    unsigned i = bx_super_queue_free(q, t);

    if (i == q->entries)
        return i;
    q->line[i] = line;
    q->until[i] = until;
    q->latest = bx_later(q->latest, until);
    return i;
}

#endif
