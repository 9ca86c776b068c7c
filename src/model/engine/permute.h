/* Seeded permutations and random numbers. Page frames and workloads look random, but are the same
 * in every run. */
#ifndef BX_MODEL_ENGINE_PERMUTE_H
#define BX_MODEL_ENGINE_PERMUTE_H

#include <stdint.h>

/* A bijection of 64-bit words that mixes their bits. */
static inline uint64_t bx_mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

/* The position of n in a permutation of the numbers below 4^half_bits. A Feistel network of four
 * rounds over the two halves of n; it is a permutation whatever function bx_mix is. Higher bits of
 * n are ignored. */
static inline uint64_t bx_permute(uint64_t seed, unsigned half_bits, uint64_t n)
{
    uint64_t mask = (UINT64_C(1) << half_bits) - 1, left = n >> half_bits & mask, right = n & mask;

    for (uint64_t round = 1; round <= 4; round++) {
        uint64_t old = right;
        right = left ^ (bx_mix(bx_mix(seed) + (round << half_bits | right)) & mask);
        left = old;
    }
    return left << half_bits | right;
}

/* The next of a sequence of random numbers. */
static inline uint64_t bx_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return bx_mix(*state);
}

#endif
