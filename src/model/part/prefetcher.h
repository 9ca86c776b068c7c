/* What all prefetchers of a core have in common. Each is a file, prefetcher_NAME.h, with its state.
 * If the state does not begin as zeros, a function sets it up. Each access is shown to a function
 *
 *     bx_access *bx_NAME_see(struct bx_NAME *p, const struct bx_prefetch_seen *seen, bx_access *to)
 *
 * It writes the prefetches that it asks for to `to` and returns their end. A prefetcher of
 * instructions sees the instruction instead, also of lines that were touched. prefetchers.c says
 * which accesses each of them sees. The functions are inline, because each access of a program
 * comes here. Rules: docs/explanation/model-prefetchers.md. */
#ifndef BX_MODEL_PART_PREFETCHER_H
#define BX_MODEL_PART_PREFETCHER_H

#include "model/engine/access.h"

enum { BX_TOUCHED_LINES = 512 };

/* The lines that the core touched last: of each value of the low bits of line numbers one. */
struct bx_touched_lines {
    uint32_t line[BX_TOUCHED_LINES];
};

/* An access to a line that was not touched recently. */
struct bx_prefetch_seen {
    uint32_t line;
    unsigned kind;       /* BX_LOAD, BX_STORE or BX_FETCH */
    unsigned page_shift; /* a page has 2^page_shift lines; no prefetch leaves it */
    const struct bx_touched_lines *touched;
};

static inline bool bx_was_touched(const struct bx_touched_lines *t, uint32_t line)
{
    return t->line[line % BX_TOUCHED_LINES] == line;
}

static inline bool bx_prefetch_same_page(unsigned page_shift, uint32_t a, uint32_t b)
{
    return a >> page_shift == b >> page_shift;
}

/* Writes a prefetch if it is wanted. Returns the new end. */
static inline bx_access *bx_prefetch_if(bool wanted, uint32_t line, enum bx_prefetcher by,
                                        unsigned kind, bx_access *to)
{
    if (wanted)
        *to++ = bx_access_prefetch(line, by, kind);
    return to;
}

#endif
