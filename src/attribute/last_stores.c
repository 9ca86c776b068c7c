/* A hash table of lines. */
#include "attribute/last_stores.h"

#include <stdlib.h>

enum { FIRST_PLACES = 1 << 12 };

bx_last_store *bx_last_stores_find(const bx_last_stores *s, uint64_t line)
{
    bx_last_store *at = s->by_line.places ? bx_keyed_find(&s->by_line, line) : NULL;
    return at && at->line && at->address ? at : NULL;
}

static bool is_kept(const void *stores, const void *store)
{
    const bx_last_stores *s = stores;
    const bx_last_store *at = store;
    return at->address && (!s->has || s->has(s->context, at->line - 1));
}

/* Keeps the lines that the core has. If they need half of the places, there are more. */
static bool make_room(bx_last_stores *s)
{
    const bx_last_store *at = s->by_line.at;
    size_t n = s->by_line.places, kept = 0;

    s->by_line.size = sizeof *at;
    for (size_t i = 0; i < n; i++)
        kept += at[i].line && is_kept(s, &at[i]);
    return bx_keyed_resize(&s->by_line, !n ? FIRST_PLACES : kept > n / 4 ? 2 * n : n, is_kept, s);
}

void bx_last_stores_add(bx_last_stores *s, uint64_t line, bx_last_store store)
{
    bx_last_store *at = s->by_line.places ? bx_keyed_find(&s->by_line, line) : NULL;
    if (!at || !at->line) {
        if (2 * (s->by_line.n + 1) > s->by_line.places && !make_room(s)) {
            s->failed = true;
            return;
        }
        at = bx_keyed_find(&s->by_line, line);
        s->by_line.n += at->line == 0;
    }
    *at = store;
}

void bx_last_stores_forget(bx_last_stores *s, uint64_t line)
{
    bx_last_store *old = bx_last_stores_find(s, line);

    if (old)
        old->address = 0;
}

void bx_last_stores_free(bx_last_stores *s)
{
    free(s->by_line.at);
    s->by_line = (bx_keyed){0};
}
