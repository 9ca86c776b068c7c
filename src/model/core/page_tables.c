/* Gives each page table a frame when it is first used. */
#include "model/core/page_tables.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64, ENTRY_SHIFT = 3 /* an entry has 8 bytes */ };

struct bx_page_tables {
    struct bx_frames *frames;
    /* The key of a table: the common high bits of its page numbers, and its level. */
    struct bx_frame_map map;
    unsigned node; /* of new tables */
    bool out_of_memory;
};

struct bx_page_tables *bx_page_tables_new(struct bx_frames *frames)
{
    struct bx_page_tables *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->frames = frames;
    if (bx_frame_map_new(&t->map, FIRST_ROOM))
        return t;
    free(t);
    return NULL;
}

void bx_page_tables_clear(struct bx_page_tables *t)
{
    for (uint64_t i = 0; i <= t->map.mask; i++) {
        if (t->map.slot[i].key)
            bx_frames_give_back(t->frames, BX_FRAME_OF_TABLE, t->map.slot[i].frame);
        t->map.slot[i].key = 0;
    }
    t->map.used = 0;
}

void bx_page_tables_free(struct bx_page_tables *t)
{
    if (!t)
        return;
    bx_page_tables_clear(t);
    free(t->map.slot);
    free(t);
}

bool bx_page_tables_out_of_memory(const struct bx_page_tables *t)
{
    return t->out_of_memory;
}

void bx_page_tables_set_node(struct bx_page_tables *t, unsigned node)
{
    t->node = node;
}

static uint64_t frame_of(struct bx_page_tables *t, uint64_t key)
{
    struct bx_frame_slot *slot = bx_frame_map_at(&t->map, key);

    if (!slot) {
        t->out_of_memory = true;
        return 0;
    }
    if (slot->frame == BX_NO_FRAME)
        slot->frame = bx_frames_take(t->frames, BX_FRAME_OF_TABLE, t->node);
    return slot->frame;
}

uint64_t bx_page_tables_line(struct bx_page_tables *t, enum bx_page_level level, uint64_t page)
{
    uint64_t entry = page >> level * BX_TABLE_SHIFT;
    uint64_t within = entry & ((1u << BX_TABLE_SHIFT) - 1);
    uint64_t key = (entry >> BX_TABLE_SHIFT) * BX_PAGE_LEVELS + level + 1;
    unsigned line = bx_frames_line_shift(t->frames);
    return frame_of(t, key) << bx_page_lines_shift(line) | within >> (line - ENTRY_SHIFT);
}

void bx_page_tables_make(struct bx_page_tables *t, uint64_t page, enum bx_page_level last)
{
    for (int level = BX_PML4E; level >= (int)last; level--)
        bx_page_tables_line(t, (enum bx_page_level)level, page);
}
