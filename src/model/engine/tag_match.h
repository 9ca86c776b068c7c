/* Which ways of a set hold a tag: the inner loop of every cache. */
#ifndef BX_MODEL_ENGINE_TAG_MATCH_H
#define BX_MODEL_ENGINE_TAG_MATCH_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* No line has this tag: it marks an invalid way, so that a search needs no valid bit. */
#define BX_NO_TAG UINT32_MAX

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

/* The lowest way in a mask. The mask is not empty. */
static inline unsigned bx_first_way(unsigned mask)
{
    return (unsigned)__builtin_ctz(mask);
}

#endif
