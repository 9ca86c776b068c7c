/* A hash table of lines. */
#include "attribute/last_stores.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 12 };

static bx_last_store *slot_of_line(const bx_last_stores *s, uint64_t line)
{
    size_t i = bx_last_stores_place(s, line);
    while (s->slot[i].line && s->slot[i].line != line + 1)
        i = (i + 1) & (s->slots - 1);
    return &s->slot[i];
}

bx_last_store *bx_last_stores_find(const bx_last_stores *s, uint64_t line)
{
    bx_last_store *at = s->slots ? slot_of_line(s, line) : NULL;
    return at && at->line && at->address ? at : NULL;
}

/* Keeps the lines that the core has. If they need half of the slots, there are more. */
static bool make_room(bx_last_stores *s)
{
    size_t n = s->slots, kept = 0;
    for (size_t i = 0; i < n; i++) {
        bx_last_store *old = &s->slot[i];
        if (old->line && (!old->address || (s->has && !s->has(s->context, old->line - 1))))
            old->address = 0;
        else
            kept += old->line != 0;
    }
    bx_last_stores to = *s;
    to.slots = !n ? FIRST_SLOTS : kept > n / 4 ? 2 * n : n;
    to.slot = calloc(to.slots, sizeof *to.slot);
    to.shift = 64 - (unsigned)__builtin_ctzll(to.slots);
    to.n = kept;
    if (!to.slot)
        return false;
    for (size_t i = 0; i < n; i++)
        if (s->slot[i].address)
            *slot_of_line(&to, s->slot[i].line - 1) = s->slot[i];
    free(s->slot);
    *s = to;
    return true;
}

void bx_last_stores_add(bx_last_stores *s, uint64_t line, bx_last_store store)
{
    bx_last_store *at = s->slots ? slot_of_line(s, line) : NULL;
    if (!at || !at->line) {
        if (2 * (s->n + 1) > s->slots && !make_room(s)) {
            s->failed = true;
            return;
        }
        at = slot_of_line(s, line);
        s->n += at->line == 0;
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
    free(s->slot);
    s->slot = NULL;
    s->slots = s->n = 0;
}
