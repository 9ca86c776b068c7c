/* The later and the sooner of two times. */
#ifndef BX_MODEL_PART_LATER_H
#define BX_MODEL_PART_LATER_H

#include <stdint.h>

static inline uint64_t bx_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t bx_sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
