/* A hash table with the last writer of each word of a process. */
#include "machine/program/decode/word_writers.h"

#include "model/engine/permute.h"

#include <stdlib.h>

enum { WORDS = 512, FIRST_ROOM = 256 };

bx_word_writers *bx_word_writers_new(void)
{
    bx_word_writers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->mask = FIRST_ROOM - 1;
    w->slot = calloc(FIRST_ROOM, sizeof *w->slot);
    if (w->slot)
        return w;
    free(w);
    return NULL;
}

void bx_word_writers_free(bx_word_writers *w)
{
    if (!w)
        return;
    for (uint64_t i = 0; i <= w->mask; i++)
        free(w->slot[i].words);
    free(w->slot);
    free(w);
}

static bx_word_page *find_page(bx_word_page *table, uint64_t mask, uint64_t key)
{
    uint64_t at = bx_mix(key) & mask;
    while (table[at].page && table[at].page != key)
        at = (at + 1) & mask;
    return &table[at];
}

static bool grow(bx_word_writers *w)
{
    uint64_t room = 2 * (w->mask + 1);
    bx_word_page *more = calloc(room, sizeof *more);
    if (!more)
        return false;
    for (uint64_t i = 0; i <= w->mask; i++)
        if (w->slot[i].page)
            *find_page(more, room - 1, w->slot[i].page) = w->slot[i];
    free(w->slot);
    w->slot = more;
    w->mask = room - 1;
    return true;
}

bx_written *bx_word_writers_find(bx_word_writers *w, uint64_t page)
{
    if (2 * w->used >= w->mask && !grow(w))
        return NULL;
    bx_word_page *s = find_page(w->slot, w->mask, page + 1);
    if (!s->page) {
        s->words = calloc(WORDS, sizeof *s->words);
        if (!s->words)
            return NULL;
        s->page = page + 1;
        w->used++;
    }
    w->recent[page % BX_WORD_PAGES_RECENT] = *s;
    return s->words;
}
