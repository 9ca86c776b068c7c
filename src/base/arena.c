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

enum { BLOCK = 64 * 1024 };

void *bx_arena_get(bx_arena *a, size_t size)
{
    if (a->failed || size > SIZE_MAX - 2 * sizeof(struct bx_arena_block)) {
        a->failed = true;
        return NULL;
    }
    size = (size + 15) & ~(size_t)15;
    struct bx_arena_block *block = a->last;
    if (!block || block->room - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = calloc(1, sizeof *block + room); /* the kernel makes no pages that nobody uses */
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
