/* Random numbers for tests; a seed always gives the same numbers. SplitMix64 (Steele, Lea, Flood:
 * Fast splittable pseudorandom number generators, 2014). */
#ifndef BX_TESTS_DICE_H
#define BX_TESTS_DICE_H

#include <stdint.h>

static inline uint64_t dice_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline unsigned dice_below(uint64_t *seed, unsigned n)
{
    return (unsigned)(dice_next(seed) % n);
}

#endif
