/* The last store to each line that a core, or the caches behind the cores, may have. */
#ifndef BX_ATTRIBUTE_LAST_STORES_H
#define BX_ATTRIBUTE_LAST_STORES_H

#include "base/keyed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_last_store {
    uint64_t line;    /* plus 1; 0: an empty place */
    uint64_t address; /* virtual; 0: the line has no last store any more */
    uint32_t code, object, thread, core;
} bx_last_store;

/* All 0: none. */
typedef struct bx_last_stores {
    bx_keyed by_line; /* bx_last_store */
    /* Whether the core still has a line: others are forgotten when there is no more room. NULL: it
     * has all that were not forgotten. */
    bool (*has)(void *context, uint64_t line);
    void *context;
    bool failed; /* memory ran out: stores are missing */
} bx_last_stores;

/* That of a line, or NULL. */
bx_last_store *bx_last_stores_find(const bx_last_stores *s, uint64_t line);
void bx_last_stores_add(bx_last_stores *s, uint64_t line, bx_last_store store);
/* The line has no last store any more. */
void bx_last_stores_forget(bx_last_stores *s, uint64_t line);
void bx_last_stores_free(bx_last_stores *s);

/* Notes a store. */
static inline void bx_last_stores_note(bx_last_stores *s, uint64_t line, uint64_t address,
                                       uint32_t code, uint32_t object, uint32_t thread,
                                       uint32_t core)
{
    const bx_last_store store = {line + 1, address, code, object, thread, core};
    bx_last_store *at = s->by_line.at;

    if (at)
        at += bx_keyed_place(&s->by_line, line);
    if (at && at->line == line + 1)
        *at = store;
    else
        bx_last_stores_add(s, line, store);
}

#endif
