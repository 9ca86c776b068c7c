/* Bit ranges of registers: masks, extracting a field, inserting one. */
#ifndef BX_BASE_BITS_H
#define BX_BASE_BITS_H

#include <stdint.h>

static inline uint64_t bx_mask_width(unsigned width)
{
    return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

static inline uint64_t bx_mask_bits(unsigned lo, unsigned hi)
{
    return bx_mask_width(hi - lo + 1) << lo;
}

static inline uint64_t bx_bits_get(uint64_t word, unsigned lo, unsigned hi)
{
    return word >> lo & bx_mask_width(hi - lo + 1);
}

static inline uint64_t bx_bits_set(uint64_t word, unsigned lo, unsigned hi, uint64_t value)
{
    uint64_t mask = bx_mask_bits(lo, hi);
    return (word & ~mask) | (value << lo & mask);
}

#endif
