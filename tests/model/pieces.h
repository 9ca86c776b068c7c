/* Passes a trace to a model in pieces of random length. */
#ifndef BX_TESTS_MODEL_PIECES_H
#define BX_TESTS_MODEL_PIECES_H

#include "../dice.h"

#include "model/model.h"

struct pieces {
    bx_feed feed;
    const bx_access *end;
    size_t most; /* accesses in a piece */
    uint64_t dice;
};

static inline enum bx_feed_state pieces_refill(bx_feed *feed)
{
    struct pieces *p = (struct pieces *)feed;
    size_t left = (size_t)(p->end - feed->end);

    if (left == 0)
        return BX_FEED_END;
    feed->next = feed->end;
    feed->end += 1 + dice_next(&p->dice) % (left < p->most ? left : p->most);
    return BX_FEED_MORE;
}

static inline struct pieces pieces_of(const bx_access *access, size_t n, size_t most, uint64_t seed)
{
    return (struct pieces){
        {.next = access, .end = access, .refill = pieces_refill, .each_retires = true},
        access + n,
        most,
        seed};
}

#endif
