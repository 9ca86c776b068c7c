/* What the private caches of a core held before accesses that may have to be undone (turns.h). */
#ifndef BX_MODEL_ENGINE_UNDO_H
#define BX_MODEL_ENGINE_UNDO_H

#include <stdbool.h>
#include <string.h>

enum {
    BX_UNDO_ROOM = 512,
    BX_UNDO_BYTES = 16, /* of a block */
    BX_UNDO_ACCESS = 5, /* most blocks that one access changes */
};

struct bx_undo {
    bool open; /* accesses are to be kept */
    bool lost; /* one of those that are kept may have dropped a core's only copy of a line */
    unsigned n;
    struct bx_undo_block {
        unsigned char was[BX_UNDO_BYTES];
        void *at;
    } block[BX_UNDO_ROOM];
};

/* Whether there is room for what one more access changes. */
static inline bool bx_undo_has_room(const struct bx_undo *u)
{
    return u->n <= BX_UNDO_ROOM - BX_UNDO_ACCESS;
}

/* The block at `at` is about to change, if it is so. */
static inline void bx_undo_keep_if(struct bx_undo *u, void *at, bool changes)
{
    struct bx_undo_block *block = &u->block[u->n];

    memcpy(block->was, at, BX_UNDO_BYTES);
    block->at = at;
    u->n += changes;
}

static inline void bx_undo_keep(struct bx_undo *u, void *at)
{
    bx_undo_keep_if(u, at, true);
}

static inline void bx_undo_clear(struct bx_undo *u)
{
    u->n = 0;
    u->lost = false;
}

/* Everything is again as it was when nothing was kept. */
static inline void bx_undo_restore(struct bx_undo *u)
{
    while (u->n) {
        const struct bx_undo_block *block = &u->block[--u->n];
        memcpy(block->at, block->was, BX_UNDO_BYTES);
    }
}

#endif
