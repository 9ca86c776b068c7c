/* Gives each page table a frame when it is first used. */
#include "model/core/page_tables.h"

#include "model/engine/permute.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64, ENTRIES_OF_LINE_SHIFT = 3 };

/* A slot of an open hash table. */
struct table {
    uint64_t key; /* common high bits of its page numbers, and its level; 0: free */
    uint64_t frame;
};

struct bx_page_tables {
    struct bx_frames *frames;
    struct table *table; /* [mask + 1], at most half of them in use */
    uint64_t mask, used;
    bool out_of_memory;
};

struct bx_page_tables *bx_page_tables_new(struct bx_frames *frames)
{
    struct bx_page_tables *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->frames = frames;
    t->mask = FIRST_ROOM - 1;
    t->table = calloc(FIRST_ROOM, sizeof *t->table);
    if (t->table)
        return t;
    free(t);
    return NULL;
}

void bx_page_tables_clear(struct bx_page_tables *t)
{
    for (uint64_t i = 0; i <= t->mask; i++) {
        if (t->table[i].key)
            bx_frames_give_table_back(t->frames, t->table[i].frame);
        t->table[i].key = 0;
    }
    t->used = 0;
}

void bx_page_tables_free(struct bx_page_tables *t)
{
    if (!t)
        return;
    bx_page_tables_clear(t);
    free(t->table);
    free(t);
}

bool bx_page_tables_out_of_memory(const struct bx_page_tables *t)
{
    return t->out_of_memory;
}

static struct table *find(struct table *table, uint64_t mask, uint64_t key)
{
    uint64_t at = bx_mix(key) & mask;
    while (table[at].key && table[at].key != key)
        at = (at + 1) & mask;
    return &table[at];
}

static bool grow(struct bx_page_tables *t)
{
    uint64_t room = 2 * (t->mask + 1);
    struct table *more = calloc(room, sizeof *more);
    if (!more)
        return false;
    for (uint64_t i = 0; i <= t->mask; i++)
        if (t->table[i].key)
            *find(more, room - 1, t->table[i].key) = t->table[i];
    free(t->table);
    t->table = more;
    t->mask = room - 1;
    return true;
}

static uint64_t frame_of(struct bx_page_tables *t, uint64_t key)
{
    struct table *found = find(t->table, t->mask, key);
    if (found->key)
        return found->frame;
    if (2 * t->used >= t->mask) {
        if (!grow(t)) {
            t->out_of_memory = true;
            return 0;
        }
        found = find(t->table, t->mask, key);
    }
    t->used++;
    *found = (struct table){key, bx_frames_take_table(t->frames)};
    return found->frame;
}

uint64_t bx_page_tables_line(struct bx_page_tables *t, enum bx_page_level level, uint64_t page)
{
    uint64_t entry = page >> level * BX_TABLE_SHIFT;
    uint64_t within = entry & ((1u << BX_TABLE_SHIFT) - 1);
    uint64_t key = (entry >> BX_TABLE_SHIFT) * BX_PAGE_LEVELS + level + 1;
    return frame_of(t, key) << BX_PAGE_LINES_SHIFT | within >> ENTRIES_OF_LINE_SHIFT;
}

void bx_page_tables_make(struct bx_page_tables *t, uint64_t page, enum bx_page_level last)
{
    for (int level = BX_PML4E; level >= (int)last; level--)
        bx_page_tables_line(t, (enum bx_page_level)level, page);
}
