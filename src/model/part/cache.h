/* A cache: sets of ways that have lines. Its geometry and its policy are given when it is made. It
 * knows nothing of other caches: its owner says which lines it has in which state.
 *
 * The layout is made for speed. A set is one block: 32-bit tags that are compared at once, then a
 * byte of state for each way, the state of the policy, and, if the cache tracks cores, a word for
 * each way. */
#ifndef BX_MODEL_PART_CACHE_H
#define BX_MODEL_PART_CACHE_H

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

struct bx_cache {
    uint8_t *set; /* NULL: there is no cache */
    uint64_t set_mask;
    uint8_t stride_bits;                               /* a set takes 1 << stride_bits bytes */
    uint16_t states_at, policy_at, cores_at, highs_at; /* in a set */
    /* Tags of a cache of few sets do not fit 32 bits. The rest of each is a byte at highs_at. */
    bool wide;
    uint8_t tags; /* the ways, rounded up to what is compared at once */
    uint8_t set_bits;
    const struct bx_replacement *replacement;
};

/* A way of a set. */
struct bx_cache_way {
    uint8_t *set;
    unsigned way; /* BX_CACHE_ABSENT: the set does not have the line */
};

#define BX_CACHE_ABSENT (~0u)

/* The replacement must stay as long as the cache. false: out of memory. bx_cache_free() may be
 * called in both cases, and for a cache of zeros. */
bool bx_cache_power_on(struct bx_cache *c, const struct bx_cache_geometry *geometry);
void bx_cache_free(struct bx_cache *c);

static inline unsigned bx_cache_ways(const struct bx_cache *c)
{
    return c->replacement->ways;
}

static inline uint8_t *bx_cache_set(const struct bx_cache *c, uint64_t line)
{
    return c->set + ((line & c->set_mask) << c->stride_bits);
}

static inline uint32_t *bx_cache_tags(uint8_t *set)
{
    return (uint32_t *)(void *)set;
}

static inline uint32_t bx_cache_tag(const struct bx_cache *c, uint64_t line)
{
    return (uint32_t)(line >> c->set_bits);
}

static inline uint8_t *bx_cache_states(const struct bx_cache *c, uint8_t *set)
{
    return set + c->states_at;
}

/* The ways of `found`, a mask, whose tags have the high bits `high`. */
uint32_t bx_cache_match_highs(const struct bx_cache *c, uint8_t *set, uint32_t found, uint8_t high);

enum { BX_CACHE_EMPTY = 0xff }; /* the high bits of an empty way */

static inline uint8_t bx_cache_high(const struct bx_cache *c, uint64_t line)
{
    return (uint8_t)(line >> c->set_bits >> 32);
}

/* A mask of the ways that have a line: one or none. */
static inline uint32_t bx_cache_match(const struct bx_cache *c, uint8_t *set, uint64_t line)
{
    uint32_t found = bx_match(bx_cache_tags(set), c->tags, bx_cache_tag(c, line));

    if (__builtin_expect(c->wide, 0))
        found = bx_cache_match_highs(c, set, found, bx_cache_high(c, line));
    return found;
}

/* A mask of the empty ways. */
static inline uint32_t bx_cache_empty(const struct bx_cache *c, uint8_t *set)
{
    uint32_t found = bx_match(bx_cache_tags(set), c->tags, BX_NO_TAG);

    if (__builtin_expect(c->wide, 0))
        found = bx_cache_match_highs(c, set, found, BX_CACHE_EMPTY);
    return found;
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
    return (enum bx_line_state)bx_cache_states(c, at.set)[at.way];
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
    bx_cache_states(c, at.set)[at.way] = (uint8_t)state;
}

static inline uint64_t bx_cache_line(const struct bx_cache *c, struct bx_cache_way at)
{
    uint64_t set = (uint64_t)(at.set - c->set) >> c->stride_bits;
    uint64_t high = c->wide ? at.set[c->highs_at + at.way] : 0;

    return (high << 32 | bx_cache_tags(at.set)[at.way]) << c->set_bits | set;
}

/* The core-valid bits of a line, in a cache that tracks cores. */
static inline uint16_t *bx_cache_cores(const struct bx_cache *c, struct bx_cache_way at)
{
    return (uint16_t *)(void *)(at.set + c->cores_at) + at.way;
}

/* A hit. */
static inline void bx_cache_touch(const struct bx_cache *c, struct bx_cache_way at)
{
    bx_replacement_use(c->replacement, at.set + c->policy_at, at.way, false);
}

/* Empties a way. */
static inline void bx_cache_drop(const struct bx_cache *c, struct bx_cache_way at)
{
    bx_cache_tags(at.set)[at.way] = BX_NO_TAG;
    if (__builtin_expect(c->wide, 0))
        at.set[c->highs_at + at.way] = BX_CACHE_EMPTY;
    bx_cache_states(c, at.set)[at.way] = BX_LINE_I;
    bx_replacement_empty(c->replacement, at.set + c->policy_at, at.way);
}

/* ---- fills ---- */

/* The way that a line of this set would be filled into. Its state is I if it is empty, otherwise it
 * is a victim. */
static inline struct bx_cache_way bx_cache_choose(const struct bx_cache *c, uint64_t line)
{
    uint8_t *set = bx_cache_set(c, line);

    return (struct bx_cache_way){
        set, bx_replacement_choose(c->replacement, set + c->policy_at, bx_cache_empty(c, set))};
}

/* Puts a line into a way of its set. The way's core-valid bits stay as they are. */
static inline void bx_cache_put(const struct bx_cache *c, struct bx_cache_way at, uint64_t line,
                                enum bx_line_state state)
{
    bx_cache_tags(at.set)[at.way] = bx_cache_tag(c, line);
    if (__builtin_expect(c->wide, 0))
        at.set[c->highs_at + at.way] = bx_cache_high(c, line);
    bx_cache_states(c, at.set)[at.way] = (uint8_t)state;
    bx_replacement_use(c->replacement, at.set + c->policy_at, at.way, true);
}

/* ---- what an access changes may have to be undone ---- */

/* Saves what a hit changes in a set: states, and the state of the policy. Returns the end of the
 * saved blocks. */
static inline struct bx_undo_block *bx_cache_keep(const struct bx_cache *c,
                                                  struct bx_undo_block *end, uint8_t *set)
{
    for (unsigned at = c->states_at; at < c->cores_at; at += BX_UNDO_BYTES)
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
