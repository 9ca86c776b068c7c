/* What a core's private caches held before accesses that may have to be undone (turns.h). */
#ifndef BX_MODEL_PART_UNDO_H
#define BX_MODEL_PART_UNDO_H

#include <stdbool.h>
#include <string.h>

enum {
    BX_UNDO_ROOM = 2048,
    BX_UNDO_BYTES = 16,  /* of a block */
    BX_UNDO_ACCESS = 12, /* most blocks that one access can change, in caches of 16 ways */
};

struct bx_undo_block {
    unsigned char was[BX_UNDO_BYTES];
    void *at;
};

struct bx_undo {
    bool open; /* accesses are saved */
    bool lost; /* a saved access may have dropped the core's only copy of a line */
    struct bx_undo_block *end, block[BX_UNDO_ROOM];
};

static inline void bx_undo_clear(struct bx_undo *u)
{
    u->end = u->block;
    u->lost = false;
}

/* The number of accesses for which there is room. */
static inline size_t bx_undo_room(const struct bx_undo *u)
{
    return (size_t)(u->block + BX_UNDO_ROOM - u->end) / BX_UNDO_ACCESS;
}

/* Saves the bytes from `at` on if they are about to change. Returns the new end of the blocks. */
static inline struct bx_undo_block *bx_undo_keep_if(struct bx_undo_block *end, void *at,
                                                    bool changes)
{
    memcpy(end->was, at, BX_UNDO_BYTES);
    end->at = at;
    return end + changes;
}

static inline struct bx_undo_block *bx_undo_keep(struct bx_undo_block *end, void *at)
{
    return bx_undo_keep_if(end, at, true);
}

/* Restores everything to the state in which nothing was saved. */
static inline void bx_undo_restore(struct bx_undo *u)
{
    while (u->end != u->block) {
        const struct bx_undo_block *block = --u->end;
        memcpy(block->at, block->was, BX_UNDO_BYTES);
    }
}

#endif
