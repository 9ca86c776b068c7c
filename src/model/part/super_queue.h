/* The super queue: the lines that a core's prefetches have requested. Each has an entry from its
 * request until it arrives. docs/explanation/model-prefetchers.md, "Prefetchers". */
#ifndef BX_MODEL_PART_SUPER_QUEUE_H
#define BX_MODEL_PART_SUPER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_SUPER_QUEUE_MOST = 32 };

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
        if (q->line[i] == line && q->until[i] > t && q->until[i] > until)
            until = q->until[i];
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

/* Puts a line that is requested at t and arrives at `until`. An entry must be free. */
static inline void bx_super_queue_put(struct bx_super_queue *q, uint64_t line, uint64_t t,
                                      uint64_t until)
{
    unsigned i = bx_super_queue_free(q, t);

    q->line[i] = line;
    q->until[i] = until;
    q->latest = until > q->latest ? until : q->latest;
}

#endif
