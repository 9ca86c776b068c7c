/* When a resource is in use that one user has at a time: a bus, a link. Users come in any order of
 * time; each takes the first gap that is long enough. */
#ifndef BX_MODEL_PART_USE_H
#define BX_MODEL_PART_USE_H

#include "model/part/later.h"

#include <stdbool.h>
#include <stdint.h>

/* In 1/256 of an uncore cycle. */
typedef uint64_t bx_fine_time;
enum {
    BX_FINE_TIME_BITS = 8,
    BX_STRETCHES = 32, /* latest stretches of use that are stored: a power of two */
};

struct bx_stretch {
    bx_fine_time begin, end;
};

/* A ring of the latest stretches, in order. Nothing is put before `closed`. */
struct bx_use {
    struct bx_stretch stretch[BX_STRETCHES];
    bx_fine_time closed;
    bx_fine_time shortest; /* length of the shortest use; a shorter gap counts as used */
    unsigned first, n;
};

struct bx_use_gap {
    unsigned before; /* the gap is before this stretch */
    bx_fine_time begin;
};

static inline struct bx_stretch *bx_use_stretch(struct bx_use *use, unsigned i)
{
    return &use->stretch[(use->first + i) % BX_STRETCHES];
}

/* The first gap of this length from `ready` on. The search begins at the end, where most gaps
 * are. */
static inline struct bx_use_gap bx_use_gap_of(struct bx_use *use, bx_fine_time ready,
                                              bx_fine_time length)
{
    struct bx_use_gap gap = {use->n, bx_later(ready, use->closed)};

    while (gap.before > 0 && bx_use_stretch(use, gap.before - 1)->end > gap.begin)
        gap.before--;
    for (; gap.before < use->n && gap.begin + length > bx_use_stretch(use, gap.before)->begin;
         gap.before++)
        gap.begin = bx_use_stretch(use, gap.before)->end;
    return gap;
}

/* For bx_use_put(). */
void bx_use_put_before(struct bx_use *use, struct bx_use_gap gap, bx_fine_time end);
void bx_use_forget_first(struct bx_use *use);

/* Puts a use into a gap. It joins its neighbours if nothing fits in between. Most uses are the
 * last. */
static inline void bx_use_put(struct bx_use *use, struct bx_use_gap gap, bx_fine_time length)
{
    if (use->n == BX_STRETCHES) {
        bx_use_forget_first(use);
        gap.before -= gap.before > 0;
    }
    bx_fine_time end = gap.begin + length;
    struct bx_stretch *last = bx_use_stretch(use, use->n - 1);

    if (gap.before < use->n)
        bx_use_put_before(use, gap, end);
    else if (use->n && gap.begin - last->end < use->shortest)
        last->end = end;
    else
        *bx_use_stretch(use, use->n++) = (struct bx_stretch){gap.begin, end};
}

#endif
