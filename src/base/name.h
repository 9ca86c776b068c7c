/* Names as the catalogue knows them: ASCII case does not matter. Looking names up is most of what
 * reading an event string costs, so they are taken eight bytes at a time, and inline. */
#ifndef BX_BASE_NAME_H
#define BX_BASE_NAME_H

#include "base/str.h"

#include <string.h>

#define BX_EACH(byte) (UINT64_C(0x0101010101010101) * (byte)) /* in each of the eight bytes */

static inline uint64_t bx_name_load(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* A name of less than eight bytes: all of them, some twice. */
static inline uint64_t bx_name_load_short(const char *p, size_t n)
{
    uint32_t first, last;
    if (n >= sizeof first) {
        memcpy(&first, p, sizeof first);
        memcpy(&last, p + n - sizeof last, sizeof last);
        return (uint64_t)last << 32 | first;
    }
    if (n == 0)
        return 0;
    return (unsigned char)p[0] | (uint32_t)(unsigned char)p[n / 2] << 8 |
           (uint32_t)(unsigned char)p[n - 1] << 16;
}

/* Letters in lower case and nothing else changed. */
static inline uint64_t bx_name_fold(uint64_t word)
{
    uint64_t low = word & BX_EACH(0x7f), ascii = ~word & BX_EACH(0x80);
    uint64_t from_a = low + BX_EACH(0x80 - 'A'), past_z = low + BX_EACH(0x7f - 'Z');
    return word | (from_a & ~past_z & ascii) >> 2;
}

/* Gives letters of both cases the same byte: enough for a hash. */
static inline uint64_t bx_name_alike(uint64_t word)
{
    return word | BX_EACH(0x20);
}

static inline uint32_t bx_name_hash(bx_str s, uint32_t seed)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    uint64_t h = ((uint64_t)s.n << 32 | seed) * odd;
    if (s.n < 8) {
        h = (h ^ bx_name_alike(bx_name_load_short(s.p, s.n))) * odd;
    } else {
        const char *last = s.p + s.n - 8; /* may overlap the word before it */
        for (const char *p = s.p; p < last; p += 8)
            h = (h ^ bx_name_alike(bx_name_load(p))) * odd;
        h = (h ^ bx_name_alike(bx_name_load(last))) * odd;
    }
    return (uint32_t)((h ^ h >> 32) * odd >> 32);
}

static inline bool bx_name_same_word(uint64_t a, uint64_t b)
{
    return a == b || bx_name_fold(a) == bx_name_fold(b);
}

/* Whether two names are the same to the eyes of the hash. */
static inline bool bx_name_same(bx_str a, bx_str b)
{
    if (a.n != b.n)
        return false;
    if (a.n < 8)
        return bx_name_same_word(bx_name_load_short(a.p, a.n), bx_name_load_short(b.p, b.n));
    size_t last = a.n - 8;
    for (size_t i = 0; i < last; i += 8)
        if (!bx_name_same_word(bx_name_load(a.p + i), bx_name_load(b.p + i)))
            return false;
    return bx_name_same_word(bx_name_load(a.p + last), bx_name_load(b.p + last));
}

/* The last n bytes, less than eight, of a text of `whole` bytes that ends at p + n; then zeros. */
static inline uint64_t bx_name_load_tail(const char *p, size_t n, size_t whole)
{
    if (whole >= 8)
        return n ? bx_name_load(p + n - 8) >> (64 - 8 * n) : 0;
    uint64_t word = 0;
    memcpy(&word, p, n);
    return word;
}

/* The bytes (their highest bits) that are a blank or a sign below 'A': one of : . / = @ , and so
 * on. */
static inline uint64_t bx_name_others(uint64_t word)
{
    uint64_t low = word & BX_EACH(0x7f);
    uint64_t from_0 = low + BX_EACH(0x80 - '0'), past_9 = low + BX_EACH(0x7f - '9');
    uint64_t from_a = low + BX_EACH(0x80 - 'A');
    return (~from_0 | (past_9 & ~from_a)) & BX_EACH(0x80);
}

/* How many bytes at the start of the text can be passed over: there is no blank and none of
 * : . / = @ , among them. */
static inline size_t bx_name_skip(const char *p, size_t n)
{
    size_t i = 0;
    uint64_t others = 0;
    for (; i + 8 <= n && !others; i += 8)
        others = bx_name_others(bx_name_load(p + i));
    if (others)
        return i - 8 + (size_t)__builtin_ctzll(others) / 8;
    /* The zeros behind the tail end it. */
    return i + (size_t)__builtin_ctzll(bx_name_others(bx_name_load_tail(p + i, n - i, n))) / 8;
}

#endif
