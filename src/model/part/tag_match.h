/* Which ways of a set hold a tag: the inner loop of every cache. */
#ifndef BX_MODEL_PART_TAG_MATCH_H
#define BX_MODEL_PART_TAG_MATCH_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* No line has these tags. The first marks an empty way, so that a search needs no valid bit. The
 * second fills up a set whose ways are no multiple of BX_MATCH_AT_ONCE. */
#define BX_NO_TAG UINT32_MAX
#define BX_NO_WAY (UINT32_MAX - 1)

enum { BX_MATCH_AT_ONCE = 4 };

/* Each returns a mask of the ways whose tag is `wanted_tag`. tag is 16-byte aligned. */
static inline unsigned bx_match4(const uint32_t tag[4], uint32_t wanted_tag);
static inline unsigned bx_match8(const uint32_t tag[8], uint32_t wanted_tag);
static inline unsigned bx_match16(const uint32_t tag[16], uint32_t wanted_tag);

#ifdef __SSE2__

/* Compares four ways; each lane of the result is all ones or all zeros. */
static inline __m128i bx_match_lanes(const uint32_t tag[4], __m128i wanted_tag)
{
    return _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)tag), wanted_tag);
}

static inline unsigned bx_match4(const uint32_t tag[4], uint32_t wanted_tag)
{
    __m128i w = _mm_set1_epi32((int)wanted_tag);
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(bx_match_lanes(tag, w)));
}

static inline unsigned bx_match8(const uint32_t tag[8], uint32_t wanted_tag)
{
    __m128i w = _mm_set1_epi32((int)wanted_tag);
    __m128i words = _mm_packs_epi32(bx_match_lanes(tag, w), bx_match_lanes(tag + 4, w));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128()));
}

static inline unsigned bx_match16(const uint32_t tag[16], uint32_t wanted_tag)
{
    __m128i w = _mm_set1_epi32((int)wanted_tag);
    __m128i low = _mm_packs_epi32(bx_match_lanes(tag, w), bx_match_lanes(tag + 4, w));
    __m128i high = _mm_packs_epi32(bx_match_lanes(tag + 8, w), bx_match_lanes(tag + 12, w));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

#else

static inline unsigned bx_match_plain(const uint32_t *tag, unsigned ways, uint32_t wanted_tag)
{
    unsigned found = 0;
    for (unsigned w = 0; w < ways; w++)
        found |= (unsigned)(tag[w] == wanted_tag) << w;
    return found;
}

static inline unsigned bx_match4(const uint32_t tag[4], uint32_t wanted_tag)
{
    return bx_match_plain(tag, 4, wanted_tag);
}

static inline unsigned bx_match8(const uint32_t tag[8], uint32_t wanted_tag)
{
    return bx_match_plain(tag, 8, wanted_tag);
}

static inline unsigned bx_match16(const uint32_t tag[16], uint32_t wanted_tag)
{
    return bx_match_plain(tag, 16, wanted_tag);
}

#endif

/* The same for any number of ways, a multiple of BX_MATCH_AT_ONCE. Usual numbers have no loop. */
static inline unsigned bx_match(const uint32_t *tag, unsigned ways, uint32_t wanted_tag)
{
    if (ways == 8)
        return bx_match8(tag, wanted_tag);
    if (ways == 4)
        return bx_match4(tag, wanted_tag);
    unsigned found = 0, at = 0;
    for (; at + 16 <= ways; at += 16)
        found |= bx_match16(tag + at, wanted_tag) << at;
    for (; at < ways; at += BX_MATCH_AT_ONCE)
        found |= bx_match4(tag + at, wanted_tag) << at;
    return found;
}

/* The lowest way in a mask. The mask is not empty. */
static inline unsigned bx_first_way(unsigned mask)
{
    return (unsigned)__builtin_ctz(mask);
}

#endif
