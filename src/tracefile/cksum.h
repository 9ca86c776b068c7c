/* The checksum that cksum(1) prints: POSIX.1-2017, "cksum". */
#ifndef BX_TRACEFILE_CKSUM_H
#define BX_TRACEFILE_CKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { BX_CKSUM_BYTES = 8 }; /* bytes that are added at once */

typedef struct bx_cksum {
    uint32_t sum;
    uint64_t bytes;
    uint32_t remainder_of[BX_CKSUM_BYTES][256]; /* remainder of a byte that so many bytes follow */
} bx_cksum;

void bx_cksum_begin(bx_cksum *c);
void bx_cksum_add(bx_cksum *c, const void *bytes, size_t n);
uint32_t bx_cksum_of(const bx_cksum *c); /* the checksum of all bytes so far */

#endif
