/* Names as the catalogue knows them: ASCII case does not matter. Looking names up is most of what
 * reading an event string costs, so they are taken eight bytes at a time, and inline. */
#ifndef BX_BASE_NAME_H
#define BX_BASE_NAME_H

#include "base/str.h"

#include <string.h>

/* The byte, in each of the eight. */
#define BX_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t bx_name_load(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The first eight bytes; of a shorter name all of them, then zeros. */
static inline uint64_t bx_name_head(const char *p, size_t n)
{
    uint32_t first, last;
    uint16_t two, more;
    if (n >= 8)
        return bx_name_load(p);
    if (n >= 4) {
        memcpy(&first, p, sizeof first);
        memcpy(&last, p + n - sizeof last, sizeof last);
        return first | (uint64_t)last << (8 * (n - sizeof last));
    }
    if (n >= 2) {
        memcpy(&two, p, sizeof two);
        memcpy(&more, p + n - sizeof more, sizeof more);
        return two | (uint64_t)more << (8 * (n - sizeof more));
    }
    return n ? (unsigned char)*p : 0;
}

/* Letters in lower case and nothing else changed. */
static inline uint64_t bx_name_fold(uint64_t word)
{
    uint64_t low = word & BX_EACH_BYTE(0x7f), ascii = ~word & BX_EACH_BYTE(0x80);
    uint64_t from_a = low + BX_EACH_BYTE(0x80 - 'A'), past_z = low + BX_EACH_BYTE(0x7f - 'Z');
    return word | (from_a & ~past_z & ascii) >> 2;
}

/* Gives letters of both cases the same byte: enough for a hash. */
static inline uint64_t bx_name_alike(uint64_t word)
{
    return word | BX_EACH_BYTE(0x20);
}

/* Of a name whose head is known. */
static inline uint32_t bx_name_hash_head(bx_str s, uint64_t head, uint32_t seed)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    uint64_t h = (bx_name_alike(head) ^ (uint64_t)seed << 24) * odd;
    if (s.n > 8) {
        const char *last = s.p + s.n - 8; /* may overlap the word before it */
        for (const char *p = s.p + 8; p < last; p += 8)
            h = (h ^ h >> 32 ^ bx_name_alike(bx_name_load(p))) * odd;
        h = (h ^ h >> 32 ^ bx_name_alike(bx_name_load(last))) * odd;
    }
    return (uint32_t)(h >> 32);
}

static inline uint32_t bx_name_hash(bx_str s, uint32_t seed)
{
    return bx_name_hash_head(s, bx_name_head(s.p, s.n), seed);
}

static inline bool bx_name_same_word(uint64_t a, uint64_t b)
{
    return a == b || bx_name_fold(a) == bx_name_fold(b);
}

/* Whether two names of n bytes, more than eight, have the same bytes after their heads. */
static inline bool bx_name_equal_rest(const char *a, const char *b, size_t n)
{
    for (size_t i = 8; i + 8 < n; i += 8)
        if (bx_name_load(a + i) != bx_name_load(b + i))
            return false;
    return bx_name_load(a + n - 8) == bx_name_load(b + n - 8);
}

/* Whether two names are the same but for case. */
static inline bool bx_name_same(bx_str a, bx_str b)
{
    if (a.n != b.n)
        return false;
    size_t i = 0;
    for (; i + 8 <= a.n; i += 8)
        if (!bx_name_same_word(bx_name_load(a.p + i), bx_name_load(b.p + i)))
            return false;
    return bx_name_same_word(bx_name_head(a.p + i, a.n - i), bx_name_head(b.p + i, a.n - i));
}

/* The bytes (their highest bits) that are a blank or a sign below 'A': one of : . / = @ , and so
 * on. */
static inline uint64_t bx_name_others(uint64_t word)
{
    uint64_t low = word & BX_EACH_BYTE(0x7f);
    uint64_t from_0 = low + BX_EACH_BYTE(0x80 - '0'), past_9 = low + BX_EACH_BYTE(0x7f - '9');
    uint64_t from_a = low + BX_EACH_BYTE(0x80 - 'A');
    return (~from_0 | (past_9 & ~from_a)) & BX_EACH_BYTE(0x80);
}

/* How many bytes at the start of the text can be passed over: there is no blank and none of
 * : . / = @ , among them. */
static inline size_t bx_name_skip(const char *p, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t others = bx_name_others(bx_name_load(p + i));
        if (others)
            return i + (size_t)__builtin_ctzll(others) / 8;
    }
    /* The zeros behind the tail end it. */
    return i + (size_t)__builtin_ctzll(bx_name_others(bx_name_head(p + i, n - i))) / 8;
}

/* The next eight bytes of a text from `begin` to `end`; behind its end there are zeros. */
static inline uint64_t bx_name_word(const char *p, const char *begin, const char *end)
{
    size_t left = (size_t)(end - p);
    if (left >= 8)
        return bx_name_load(p);
    if (left && end - begin >= 8)
        return bx_name_load(end - 8) >> (64 - 8 * left);
    return bx_name_head(p, left);
}

/* The bytes (their highest bits) that are one of : ; < = > ?, which alone are above '9' and have
 * bit 6 clear. Behind one that is not ASCII there may be a mistake. */
static inline uint64_t bx_name_stops(uint64_t word)
{
    return (word + BX_EACH_BYTE(0x80 - ':')) & ~(word << 1) & BX_EACH_BYTE(0x80);
}

/* How many bytes from p come before such a byte or the end; *head is the head of what they are. Any
 * other sign is passed over: no name that has one is found. */
static inline size_t bx_name_scan(const char *p, const char *begin, const char *end, uint64_t *head)
{
    size_t left = (size_t)(end - p);
    uint64_t word = bx_name_word(p, begin, end), stops = bx_name_stops(word);
    if (stops) {
        unsigned bits = (unsigned)__builtin_ctzll(stops) & 56;
        *head = word & ((UINT64_C(1) << bits) - 1);
        return bits / 8;
    }
    *head = word;
    for (size_t n = 8; n < left; n += 8) {
        stops = bx_name_stops(bx_name_word(p + n, begin, end));
        if (stops)
            return n + (unsigned)__builtin_ctzll(stops) / 8;
    }
    return left;
}

#endif
