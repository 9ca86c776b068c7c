/* An arena: allocations that are freed together. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct bx_arena_block {
    struct bx_arena_block *before;
    size_t used, room;
    alignas(16) unsigned char bytes[];
};

enum { FIRST_BLOCK = 64 * 1024, MOST_BLOCK = 1024 * 1024 };

/* Blocks double, so that a large arena has few. The kernel makes no pages that nobody uses, and
 * calloc() need not clear a large block that comes from it. */
static size_t next_room(const struct bx_arena_block *last)
{
    if (!last)
        return FIRST_BLOCK;
    return last->room < MOST_BLOCK / 2 ? 2 * last->room : MOST_BLOCK;
}

void *bx_arena_get(bx_arena *a, size_t size)
{
    if (a->failed || size > SIZE_MAX - 2 * sizeof(struct bx_arena_block)) {
        a->failed = true;
        return NULL;
    }
    size = (size + 15) & ~(size_t)15;
    struct bx_arena_block *block = a->last;
    if (!block || block->room - block->used < size) {
        size_t room = next_room(block);
        if (room < size)
            room = size;
        block = calloc(1, sizeof *block + room);
        if (!block) {
            a->failed = true;
            return NULL;
        }
        block->before = a->last;
        block->room = room;
        a->last = block;
    }
    void *p = block->bytes + block->used;
    block->used += size;
    return p;
}

void *bx_arena_get_aligned(bx_arena *a, size_t size, size_t to)
{
    char *p = bx_arena_get(a, size < SIZE_MAX - to ? size + to : SIZE_MAX);

    return p ? p + (-(uintptr_t)p & (to - 1)) : NULL;
}

char *bx_arena_copy(bx_arena *a, bx_str s)
{
    char *copy = bx_arena_get(a, s.n + 1);
    if (copy && s.n)
        memcpy(copy, s.p, s.n);
    return copy;
}

void *bx_arena_grow(bx_arena *a, void *array, uint32_t n, uint32_t *room, size_t size,
                    uint32_t first)
{
    if (n < *room)
        return array;
    uint32_t more = *room ? 2 * *room : first;
    void *grown = bx_arena_get(a, more * size);
    if (!grown)
        return NULL;
    if (n)
        memcpy(grown, array, n * size);
    *room = more;
    return grown;
}

void bx_arena_free(bx_arena *a)
{
    for (struct bx_arena_block *block = a->last, *before; block; block = before) {
        before = block->before;
        free(block);
    }
    *a = (bx_arena){0};
}
