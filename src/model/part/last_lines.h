/* A filter in front of a core's first-level caches: the line that was used last, for each kind of
 * access and each value of the lowest bits of line numbers. An access that finds its line here
 * changes nothing, if the policy of the cache settles (replacement.h). So most accesses cost one
 * comparison.
 *
 * The caches must have BX_LAST_LINES sets or more: two lines that share a place here may be in two
 * sets, but two lines of one set share a place. */
#ifndef BX_MODEL_PART_LAST_LINES_H
#define BX_MODEL_PART_LAST_LINES_H

#include "model/engine/access.h"
#include "model/part/line_state.h"

#include <string.h>

enum { BX_LAST_LINES_BITS = 6, BX_LAST_LINES = 1 << BX_LAST_LINES_BITS };
#define BX_NO_LAST_LINE UINT32_MAX

struct bx_last_lines {
    /* [kind][place]: the rest of the line number. For stores, only lines in M. Non-temporal stores
     * and prefetches are never found. */
    _Alignas(64) uint32_t rest[(BX_NON_TEMPORAL + 1) * BX_LAST_LINES];
};

static inline void bx_last_lines_clear(struct bx_last_lines *l)
{
    memset(l->rest, 0xff, sizeof l->rest);
}

static inline uint32_t *bx_last_lines_at(struct bx_last_lines *l, unsigned kind, uint64_t line)
{
    return &l->rest[kind << BX_LAST_LINES_BITS | (line & (BX_LAST_LINES - 1))];
}

static inline uint32_t bx_last_lines_rest(uint64_t line)
{
    return (uint32_t)(line >> BX_LAST_LINES_BITS);
}

/* Whether the access finds its line. The place is in bits 21:16 of an access, the kind in bits 1:0;
 * the product puts the kind above the place as well. */
static inline bool bx_last_lines_repeats(const struct bx_last_lines *l, bx_access a)
{
    unsigned at = ((uint32_t)a & 0x3f0003) * 0x400001u >> 16;
    return l->rest[at] == (uint32_t)(a >> (16 + BX_LAST_LINES_BITS));
}

/* A line of the first-level data cache was used. state: that it has now. */
static inline void bx_last_lines_use(struct bx_last_lines *l, uint64_t line,
                                     enum bx_line_state state)
{
    uint32_t not_modified = state < BX_LINE_M ? BX_NO_LAST_LINE : 0;

    *bx_last_lines_at(l, BX_LOAD, line) = bx_last_lines_rest(line);
    *bx_last_lines_at(l, BX_STORE, line) = bx_last_lines_rest(line) | not_modified;
}

static inline void bx_last_lines_fetch(struct bx_last_lines *l, uint64_t line)
{
    *bx_last_lines_at(l, BX_FETCH, line) = bx_last_lines_rest(line);
}

/* The line has changed in the caches: it is no longer in M, or no longer there. */
static inline void bx_last_lines_forget(struct bx_last_lines *l, unsigned kind, uint64_t line)
{
    uint32_t *at = bx_last_lines_at(l, kind, line);

    if (*at == bx_last_lines_rest(line))
        *at = BX_NO_LAST_LINE;
}

static inline void bx_last_lines_forget_all(struct bx_last_lines *l, uint64_t line)
{
    for (unsigned kind = BX_LOAD; kind <= BX_FETCH; kind++)
        bx_last_lines_forget(l, kind, line);
}

#endif
