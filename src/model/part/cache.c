/* The layout of a cache's sets. */
#include "model/part/cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    HOST_LINE = 64,
    LEAST_STRIDE_BITS = 4, /* tags are aligned to what is compared at once */
    /* With so many sets, tags of line numbers below 2^37 are below BX_NO_WAY. */
    NARROW_SETS = 1 << (37 - 31),
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static void lay_out(struct bx_cache *c, bool tracks_cores)
{
    unsigned ways = bx_cache_ways(c);
    size_t at = sizeof(uint32_t) * c->tags;

    c->states_at = (uint16_t)at;
    at += ways;
    c->policy_at = (uint16_t)at;
    at = round_up(at + c->replacement->bytes, BX_UNDO_BYTES); /* they are saved in whole blocks */
    c->cores_at = (uint16_t)at;
    at += tracks_cores ? ways * sizeof(uint16_t) : 0;
    c->highs_at = (uint16_t)at;
    at += c->wide ? c->tags : 0;
    for (c->stride_bits = LEAST_STRIDE_BITS; (size_t)1 << c->stride_bits < at;)
        c->stride_bits++;
}

bool bx_cache_power_on(struct bx_cache *c, const struct bx_cache_geometry *geometry)
{
    unsigned ways = geometry->replacement->ways;
    size_t bytes;
    void *sets;

    *c = (struct bx_cache){.replacement = geometry->replacement,
                           .set_mask = geometry->sets - 1,
                           .set_bits = (uint8_t)__builtin_ctz(geometry->sets),
                           .wide = geometry->sets < NARROW_SETS,
                           .tags = (uint8_t)round_up(ways, BX_MATCH_AT_ONCE)};
    lay_out(c, geometry->tracks_cores);
    bytes = (size_t)geometry->sets << c->stride_bits;
    if (posix_memalign(&sets, HOST_LINE, bytes) != 0)
        return false;
    c->set = sets;
    memset(sets, 0, bytes);
    for (uint64_t i = 0; i < geometry->sets; i++) {
        uint8_t *set = bx_cache_set(c, i);
        for (unsigned way = 0; way < c->tags; way++)
            bx_cache_tags(set)[way] = way < ways ? BX_NO_TAG : BX_NO_WAY;
        if (c->wide)
            memset(set + c->highs_at, BX_CACHE_EMPTY, ways);
        bx_replacement_power_on(c->replacement, set + c->policy_at);
    }
    return true;
}

uint32_t bx_cache_match_highs(const struct bx_cache *c, uint8_t *set, uint32_t found, uint8_t high)
{
    for (uint32_t rest = found; rest; rest &= rest - 1)
        if (set[c->highs_at + bx_first_way(rest)] != high)
            found &= ~(rest & -rest);
    return found;
}

void bx_cache_free(struct bx_cache *c)
{
    free(c->set);
    c->set = NULL;
}
