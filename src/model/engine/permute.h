/* Seeded permutations and random numbers: page frames and workloads look random, and are the same
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

/* Where a permutation of the numbers below 4^half_bits puts n: a Feistel network of four rounds
 * over the two halves of n, which is a permutation for any function bx_mix. Higher bits of n are
 * dropped. */
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
