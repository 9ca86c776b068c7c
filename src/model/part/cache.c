/* The layout of a cache's sets. */
#include "model/part/cache.h"

#include <string.h>

enum {
    HOST_LINE = 64,
    LEAST_STRIDE = 16, /* tags are aligned to what is compared at once */
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static void lay_out(struct bx_cache *c, bool tracks_cores)
{
    unsigned ways = bx_cache_ways(c), bytes = c->replacement->bytes;
    size_t front = ways - BX_CACHE_FULL + (bytes > 1 ? bytes : 0), end;

    front = round_up(front, BX_UNDO_BYTES); /* it is saved in whole blocks */
    c->front = (int16_t) - (int)front;
    c->policy_at = bytes > 1 ? c->front : BX_CACHE_POLICY;
    c->cores_at = (uint16_t)(sizeof(uint32_t) * c->tags);
    c->lows_at = (uint16_t)(c->cores_at + (tracks_cores ? ways * sizeof(uint16_t) : 0));
    end = front + c->lows_at + (c->has_lows ? ways : 0);
    for (c->stride = LEAST_STRIDE;
         c->stride < end;) /* no set lies in more host lines than needed */
        c->stride += c->stride < HOST_LINE ? c->stride : HOST_LINE;
}

/* All sets begin as the first one. Several are copied at once, which are still in L1D. */
static void begin_as_first(const struct bx_cache *c, uint8_t *sets, uint64_t n)
{
    enum { AT_ONCE = 8 };

    for (uint64_t done = 1, more; done < n; done += more) {
        more = done < AT_ONCE ? done : AT_ONCE;
        memcpy(sets + done * c->stride, sets, more * c->stride);
    }
}

bool bx_cache_power_on(struct bx_cache *c, bx_arena *memory,
                       const struct bx_cache_geometry *geometry)
{
    unsigned ways = geometry->replacement->ways;

    *c = (struct bx_cache){.replacement = geometry->replacement,
                           .set_mask = geometry->sets - 1,
                           .has_lows = geometry->sets <= BX_CACHE_LOWS,
                           .tags = (uint8_t)round_up(ways, BX_MATCH_AT_ONCE)};
    c->at_once = c->has_lows ? 0 : c->tags;
    if (c->replacement->tabulated && !c->has_lows) {
        c->next_of_hit = c->replacement->next[false];
        c->next_of_fill = c->replacement->next[true];
        c->victim = c->replacement->victim;
    }
    lay_out(c, geometry->tracks_cores);
    uint8_t *all = bx_arena_get_aligned(memory, (size_t)geometry->sets * c->stride, HOST_LINE);
    if (!all)
        return false;
    c->set = all - c->front;
    uint8_t *set = bx_cache_set(c, 0);
    for (unsigned way = 0; way < c->tags; way++)
        bx_cache_tags(set)[way] = way < ways ? BX_NO_TAG : BX_NO_WAY;
    if (c->has_lows)
        memset(set + c->lows_at, BX_CACHE_NO_LOWS, ways);
    bx_replacement_power_on(c->replacement, set + c->policy_at);
    begin_as_first(c, all, geometry->sets);
    return true;
}

uint32_t bx_cache_match_any(const struct bx_cache *c, const uint8_t *set, uint32_t tag,
                            uint8_t lows)
{
    const uint32_t *tags = (const uint32_t *)(const void *)set;
    uint32_t found = bx_match(tags, c->tags, tag);

    if (c->has_lows)
        for (uint32_t rest = found; rest; rest &= rest - 1)
            if (set[c->lows_at + bx_first_way(rest)] != lows)
                found &= ~(rest & -rest);
    return found;
}

struct bx_cache_way bx_cache_choose_any(const struct bx_cache *c, uint8_t *set)
{
    uint8_t *full = &set[BX_CACHE_FULL];
    uint32_t empty = *full ? 0 : bx_cache_match_tag(c, set, BX_NO_TAG, BX_CACHE_NO_LOWS);

    *full = !empty;
    return (struct bx_cache_way){set,
                                 bx_replacement_choose(c->replacement, set + c->policy_at, empty)};
}

void bx_cache_put_any(const struct bx_cache *c, struct bx_cache_way at, uint64_t line)
{
    if (c->has_lows)
        at.set[c->lows_at + at.way] = line & BX_CACHE_LOWS;
    bx_replacement_use(c->replacement, at.set + c->policy_at, at.way, true);
}
