/* The checksum that cksum(1) prints. */
#include "tracefile/cksum.h"

enum { POLYNOMIAL = 0x04c11db7 };

void bx_cksum_begin(bx_cksum *c)
{
    *c = (bx_cksum){.sum = 0};
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t r = i << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            r = r << 1 ^ (r >> 31 ? POLYNOMIAL : 0);
        c->remainder_of[0][i] = r;
    }
    for (unsigned k = 1; k < BX_CKSUM_BYTES; k++)
        for (unsigned i = 0; i < 256; i++) {
            uint32_t before = c->remainder_of[k - 1][i];
            c->remainder_of[k][i] = before << 8 ^ c->remainder_of[0][before >> 24];
        }
}

static uint32_t add_byte(const bx_cksum *c, uint32_t sum, uint8_t byte)
{
    return sum << 8 ^ c->remainder_of[0][sum >> 24 ^ byte];
}

static uint32_t add_bytes(const bx_cksum *c, uint32_t sum, const uint8_t *p)
{
    uint32_t next = 0;
    for (unsigned i = 0; i < 4; i++)
        next ^= c->remainder_of[7 - i][(sum >> (24 - 8 * i) & 0xff) ^ p[i]];
    for (unsigned i = 4; i < BX_CKSUM_BYTES; i++)
        next ^= c->remainder_of[7 - i][p[i]];
    return next;
}

void bx_cksum_add(bx_cksum *c, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    c->bytes += n;
    for (; n >= BX_CKSUM_BYTES; n -= BX_CKSUM_BYTES, p += BX_CKSUM_BYTES)
        c->sum = add_bytes(c, c->sum, p);
    for (; n; n--)
        c->sum = add_byte(c, c->sum, *p++);
}

uint32_t bx_cksum_of(const bx_cksum *c)
{
    uint32_t sum = c->sum;
    for (uint64_t bytes = c->bytes; bytes; bytes >>= 8)
        sum = add_byte(c, sum, (uint8_t)bytes);
    return ~sum;
}
