/* A cache: sets of ways that have lines. Its geometry and its policy are given when it is made. It
 * knows nothing of other caches: its owner says which lines it has in which state.
 *
 * The layout is made for speed. A set is one block: 32-bit tags that are compared at once, behind
 * them, if the cache tracks cores, a word for each way. In front of the tags is what hits change,
 * at the same distances in all caches: the state of the policy if it is a byte, a flag, then, from
 * back to front, a byte of state for each way; first of all a policy's state of more bytes. */
#ifndef BX_MODEL_PART_CACHE_H
#define BX_MODEL_PART_CACHE_H

#include "base/arena.h"
#include "model/part/line_state.h"
#include "model/part/replacement.h"
#include "model/part/tag_match.h"
#include "model/part/undo.h"

#include <stddef.h>

struct bx_cache_geometry {
    uint32_t sets;                            /* a power of two */
    const struct bx_replacement *replacement; /* also has the number of ways */
    bool tracks_cores;                        /* each way has core-valid bits */
};

enum {
    /* A tag is a line number without this many low bits, which are part of the number of the set.
     * So all caches have the same tag for a line, and it is below BX_NO_WAY. */
    BX_CACHE_TAG_SHIFT = 6,
    BX_CACHE_LOWS = (1 << BX_CACHE_TAG_SHIFT) - 1,
    BX_CACHE_NO_LOWS = 0xff, /* those of an empty way */
};

/* Places in a set, counted from its tags. */
enum {
    BX_CACHE_POLICY = -1,
    BX_CACHE_FULL = -2,  /* not 0 if no way of the set is empty; it may be 0 then, too */
    BX_CACHE_STATE = -3, /* of way 0 */
};

struct bx_cache {
    uint8_t *set; /* NULL: there is no cache */
    uint64_t set_mask;
    uint64_t stride; /* bytes from set to set */
    uint8_t tags;    /* the ways, rounded up to what is compared at once */
    /* The cache has too few sets for BX_CACHE_TAG_SHIFT. Each way also has these low bits. */
    bool has_lows;
    uint8_t at_once;          /* `tags`; 0: has_lows */
    int16_t front, policy_at; /* in a set, negative: where it begins; the policy's state */
    uint16_t cores_at, lows_at;
    /* The tables of the replacement; NULL: it has none, or has_lows. */
    const uint8_t *next_of_hit, *next_of_fill, *victim;
    const struct bx_replacement *replacement;
};

/* A way of a set. */
struct bx_cache_way {
    uint8_t *set;
    unsigned way; /* BX_CACHE_ABSENT: the set does not have the line */
};

#define BX_CACHE_ABSENT (~0u)

/* The replacement must stay as long as the cache. The sets are in `memory`. false: out of memory.
 */
bool bx_cache_power_on(struct bx_cache *c, bx_arena *memory,
                       const struct bx_cache_geometry *geometry);

static inline unsigned bx_cache_ways(const struct bx_cache *c)
{
    return c->replacement->ways;
}

static inline uint8_t *bx_cache_set(const struct bx_cache *c, uint64_t line)
{
    return c->set + (line & c->set_mask) * c->stride;
}

static inline uint32_t *bx_cache_tags(uint8_t *set)
{
    return (uint32_t *)(void *)set;
}

static inline uint32_t bx_cache_tag(uint64_t line)
{
    return (uint32_t)(line >> BX_CACHE_TAG_SHIFT);
}

/* The state of a way: an enum bx_line_state. */
static inline uint8_t *bx_cache_state_at(struct bx_cache_way at)
{
    return at.set + BX_CACHE_STATE - at.way;
}

/* A mask of the ways that have a tag, and these low bits if the cache has them. */
uint32_t bx_cache_match_any(const struct bx_cache *c, const uint8_t *set, uint32_t tag,
                            uint8_t lows);

/* The same, with usual numbers of ways first. */
static inline uint32_t bx_cache_match_tag(const struct bx_cache *c, uint8_t *set, uint32_t tag,
                                          uint8_t lows)
{
    const uint32_t *tags = bx_cache_tags(set);

    return c->at_once == 8    ? bx_match8(tags, tag)
           : c->at_once == 4  ? bx_match4(tags, tag)
           : c->at_once == 16 ? bx_match16(tags, tag)
                              : bx_cache_match_any(c, set, tag, lows);
}

/* A mask of the ways that have a line: one or none. */
static inline uint32_t bx_cache_match(const struct bx_cache *c, uint8_t *set, uint64_t line)
{
    return bx_cache_match_tag(c, set, bx_cache_tag(line), line & BX_CACHE_LOWS);
}

static inline struct bx_cache_way bx_cache_find(const struct bx_cache *c, uint64_t line)
{
    uint8_t *set = bx_cache_set(c, line);
    uint32_t found = bx_cache_match(c, set, line);

    return (struct bx_cache_way){set, found ? bx_first_way(found) : BX_CACHE_ABSENT};
}

static inline bool bx_cache_found(struct bx_cache_way at)
{
    return at.way != BX_CACHE_ABSENT;
}

static inline bool bx_cache_has(const struct bx_cache *c, uint64_t line)
{
    return bx_cache_match(c, bx_cache_set(c, line), line);
}

/* ---- ways that have a line ---- */

static inline enum bx_line_state bx_cache_state_of_line(const struct bx_cache *c,
                                                        struct bx_cache_way at)
{
    (void)c;
    return (enum bx_line_state) * bx_cache_state_at(at);
}

/* I: the line is absent, or the way is empty. */
static inline enum bx_line_state bx_cache_state(const struct bx_cache *c, struct bx_cache_way at)
{
    return bx_cache_found(at) ? bx_cache_state_of_line(c, at) : BX_LINE_I;
}

/* state: not I. */
static inline void bx_cache_set_state(const struct bx_cache *c, struct bx_cache_way at,
                                      enum bx_line_state state)
{
    (void)c;
    *bx_cache_state_at(at) = (uint8_t)state;
}

/* The line in a way of the set of `beside`, a line number. That of an empty way is no line. */
static inline uint64_t bx_cache_line(const struct bx_cache *c, struct bx_cache_way at,
                                     uint64_t beside)
{
    uint64_t lows = c->has_lows ? at.set[c->lows_at + at.way] : beside & BX_CACHE_LOWS;

    return (uint64_t)bx_cache_tags(at.set)[at.way] << BX_CACHE_TAG_SHIFT | lows;
}

/* The core-valid bits of a line, in a cache that tracks cores. */
static inline uint16_t *bx_cache_cores(const struct bx_cache *c, struct bx_cache_way at)
{
    return (uint16_t *)(void *)(at.set + c->cores_at) + at.way;
}

/* A hit. */
static inline void bx_cache_touch(const struct bx_cache *c, struct bx_cache_way at)
{
    uint8_t *policy = at.set + BX_CACHE_POLICY;

    if (c->next_of_hit)
        *policy = c->next_of_hit[*policy * BX_REPLACEMENT_TABULATED + at.way];
    else
        bx_replacement_use(c->replacement, at.set + c->policy_at, at.way, false);
}

/* Empties a way. */
static inline void bx_cache_drop(const struct bx_cache *c, struct bx_cache_way at)
{
    bx_cache_tags(at.set)[at.way] = BX_NO_TAG;
    if (c->has_lows)
        at.set[c->lows_at + at.way] = BX_CACHE_NO_LOWS;
    *bx_cache_state_at(at) = BX_LINE_I;
    at.set[BX_CACHE_FULL] = false;
    bx_replacement_empty(c->replacement, at.set + c->policy_at, at.way);
}

/* ---- fills ---- */

struct bx_cache_way bx_cache_choose_any(const struct bx_cache *c, uint8_t *set);

/* The way that a line of this set would be filled into. Its state is I if it is empty, otherwise it
 * is a victim. */
static inline struct bx_cache_way bx_cache_choose(const struct bx_cache *c, uint64_t line)
{
    uint8_t *set = bx_cache_set(c, line);

    if (c->victim && set[BX_CACHE_FULL])
        return (struct bx_cache_way){set, c->victim[set[BX_CACHE_POLICY]]};
    return bx_cache_choose_any(c, set);
}

/* The rest of bx_cache_put() for a cache without tables. */
void bx_cache_put_any(const struct bx_cache *c, struct bx_cache_way at, uint64_t line);

/* Puts a line into a way of its set. The way's core-valid bits stay as they are. */
static inline void bx_cache_put(const struct bx_cache *c, struct bx_cache_way at, uint64_t line,
                                enum bx_line_state state)
{
    uint8_t *policy = at.set + BX_CACHE_POLICY;

    bx_cache_tags(at.set)[at.way] = bx_cache_tag(line);
    *bx_cache_state_at(at) = (uint8_t)state;
    if (c->next_of_fill)
        *policy = c->next_of_fill[*policy * BX_REPLACEMENT_TABULATED + at.way];
    else
        bx_cache_put_any(c, at, line);
}

/* ---- what an access changes may have to be undone ---- */

/* Saves what a hit changes in a set: states, and the state of the policy. Returns the end of the
 * saved blocks. */
static inline struct bx_undo_block *bx_cache_keep(const struct bx_cache *c,
                                                  struct bx_undo_block *end, uint8_t *set)
{
    for (int at = c->front; at < 0; at += BX_UNDO_BYTES)
        end = bx_undo_keep(end, set + at);
    return end;
}

/* Saves what a fill of a way changes. */
static inline struct bx_undo_block *
bx_cache_keep_way(const struct bx_cache *c, struct bx_undo_block *end, struct bx_cache_way at)
{
    enum { TAGS = BX_UNDO_BYTES / sizeof(uint32_t) };

    return bx_undo_keep(bx_cache_keep(c, end, at.set),
                        &bx_cache_tags(at.set)[at.way / TAGS * TAGS]);
}

#endif
