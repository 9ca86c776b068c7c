/* The state of a set as a number, for policies with up to 64 bits of state. */
#ifndef BX_MODEL_PART_REPLACEMENT_STATE_H
#define BX_MODEL_PART_REPLACEMENT_STATE_H

#include "model/part/replacement.h"

#include <string.h>

static inline uint64_t bx_state_of(const struct bx_replacement *r, const uint8_t *set)
{
    uint64_t state;

    if (r->bytes == 1)
        return *set;
    memcpy(&state, set, sizeof state);
    return state;
}

static inline void bx_state_put(const struct bx_replacement *r, uint8_t *set, uint64_t state)
{
    if (r->bytes == 1)
        *set = (uint8_t)state;
    else
        memcpy(set, &state, sizeof state);
}

/* A mask of all ways. */
static inline uint32_t bx_all_ways(const struct bx_replacement *r)
{
    return UINT32_MAX >> (32 - r->ways);
}

#endif
