/* Which bits of an address select a slice of the last-level cache: solved from addresses whose
 * slices were found by counting. */
#ifndef BX_CLI_MEASURE_SLICE_HASH_H
#define BX_CLI_MEASURE_SLICE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BX_LINE_SHIFT = 6, BX_SLICE_BITS = 6 /* up to 64 slices */ };

/* An address and the slice that serves it. */
typedef struct bx_slice_sample {
    uint64_t address;
    unsigned slice;
} bx_slice_sample;

/* Bit k of the slice is the parity of address & mask[k], and bit k of `constant`. */
typedef struct bx_slice_hash {
    uint64_t mask[BX_SLICE_BITS];
    unsigned bits; /* in a slice's number */
    unsigned constant;
    uint64_t unseen; /* address bits that the samples do not determine: assumed to be in no mask */
    size_t checks;   /* samples that the others predict */
} bx_slice_hash;

/* Solves for the masks. false: the slices are no XOR of address bits, for example if their number
 * is no power of two. Addresses differ in bits from BX_LINE_SHIFT to `top`, at most 62. */
bool bx_slice_hash_solve(const bx_slice_sample *samples, size_t n, unsigned slices, unsigned top,
                         bx_slice_hash *to);

/* The slice of an address, by the hash. */
unsigned bx_slice_hash_of(const bx_slice_hash *h, uint64_t address);

#endif
