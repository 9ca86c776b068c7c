/* Gives frames to pages, and takes them back. */
#include "model/engine/frames.h"

#include "base/grow.h"
#include "model/engine/permute.h"

#include <stdlib.h>

enum {
    FIRST_ROOM = 1024,
    HUGE_BITS = BX_FRAME_BITS - BX_HUGE_SHIFT, /* 2^13 huge frames */
    HUGE_FRAMES = 1 << HUGE_BITS,
    HUGE_PAGES = 1 << BX_HUGE_SHIFT,
};

/* Frames that were given back. The last one is taken first. */
struct returned {
    uint32_t *frame; /* [n], in room for `room` */
    size_t n, room;
};

struct bx_frames {
    struct bx_frame_map map; /* by page + 1 */
    uint64_t seed;
    uint64_t recent_key;
    uint32_t recent_frame;
    uint64_t taken;  /* frames taken from the beginning of the permutation; huge frames if `huge` */
    uint64_t tables; /* frames of page tables, taken from its end */
    bool huge;
    uint64_t cut;  /* small frames that have been cut from the huge frame at `open` */
    uint32_t open; /* the first small frame of that huge frame */
    struct returned returned[BX_FRAME_KINDS];
    bool out_of_memory;
};

/* ---- hash tables ---- */

bool bx_frame_map_new(struct bx_frame_map *map, uint64_t room)
{
    *map = (struct bx_frame_map){calloc(room, sizeof *map->slot), room - 1, 0};
    return map->slot;
}

/* The slot of a key, or the free slot where the key belongs. */
static struct bx_frame_slot *find_slot(const struct bx_frame_map *map, uint64_t key)
{
    uint64_t at = bx_mix(key) & map->mask;

    while (map->slot[at].key && map->slot[at].key != key)
        at = (at + 1) & map->mask;
    return &map->slot[at];
}

static bool grow(struct bx_frame_map *map)
{
    struct bx_frame_map more;

    if (!bx_frame_map_new(&more, 2 * (map->mask + 1)))
        return false;
    more.used = map->used;
    for (uint64_t i = 0; i <= map->mask; i++)
        if (map->slot[i].key)
            *find_slot(&more, map->slot[i].key) = map->slot[i];
    free(map->slot);
    *map = more;
    return true;
}

struct bx_frame_slot *bx_frame_map_at(struct bx_frame_map *map, uint64_t key)
{
    struct bx_frame_slot *slot = find_slot(map, key);

    if (slot->key)
        return slot;
    if (2 * map->used >= map->mask) {
        if (!grow(map))
            return NULL;
        slot = find_slot(map, key);
    }
    map->used++;
    *slot = (struct bx_frame_slot){key, BX_NO_FRAME};
    return slot;
}

/* ---- frames ---- */

struct bx_frames *bx_frames_new(uint64_t seed)
{
    struct bx_frames *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->seed = seed;
    if (!bx_frame_map_new(&f->map, FIRST_ROOM)) {
        free(f);
        return NULL;
    }
    return f;
}

struct bx_frames *bx_frames_new_huge(uint64_t seed)
{
    struct bx_frames *f = bx_frames_new(seed);

    if (f) {
        f->huge = true;
        f->cut = HUGE_PAGES;
    }
    return f;
}

void bx_frames_free(struct bx_frames *f)
{
    if (f) {
        free(f->map.slot);
        for (unsigned kind = 0; kind < BX_FRAME_KINDS; kind++)
            free(f->returned[kind].frame);
    }
    free(f);
}

bool bx_frames_are_huge(const struct bx_frames *f)
{
    return f->huge;
}

/* The first small frame of the n-th huge frame. The network permutes twice as many numbers, so it
 * is applied until the result is small enough. */
static uint32_t huge_frame(const struct bx_frames *f, uint64_t n)
{
    uint64_t at = n % HUGE_FRAMES;

    do
        at = bx_permute(f->seed, (HUGE_BITS + 1) / 2, at);
    while (at >= HUGE_FRAMES);
    return (uint32_t)(at << BX_HUGE_SHIFT);
}

static uint32_t frame_of(const struct bx_frames *f, uint64_t n)
{
    return (uint32_t)bx_permute(f->seed, BX_FRAME_BITS / 2, n);
}

static uint32_t next_frame(struct bx_frames *f)
{
    if (!f->huge)
        return frame_of(f, f->taken++);
    if (f->cut == HUGE_PAGES) {
        f->open = huge_frame(f, f->taken++);
        f->cut = 0;
    }
    return f->open | (uint32_t)f->cut++;
}

static uint32_t look_up(struct bx_frames *f, uint64_t key)
{
    struct bx_frame_slot *slot = bx_frame_map_at(&f->map, key);

    if (!slot) {
        f->out_of_memory = true;
        return frame_of(f, key);
    }
    if (slot->frame == BX_NO_FRAME)
        slot->frame = next_frame(f);
    return (uint32_t)slot->frame;
}

void bx_frames_give_back(struct bx_frames *f, enum bx_frame_kind kind, uint64_t frame)
{
    struct returned *to = &f->returned[kind];

    if (to->n == to->room) {
        uint32_t *more = bx_grow(to->frame, to->n, &to->room, sizeof *more, FIRST_ROOM);
        if (!more) {
            f->out_of_memory = true; /* from now on pages can get other frames than they should */
            return;
        }
        to->frame = more;
    }
    to->frame[to->n++] = (uint32_t)frame;
}

static uint64_t next_table(struct bx_frames *f)
{
    uint64_t n = f->tables++;

    if (!f->huge)
        return frame_of(f, (UINT64_C(1) << BX_FRAME_BITS) - 1 - n);
    return huge_frame(f, HUGE_FRAMES - 1 - n / HUGE_PAGES % HUGE_FRAMES) | n % HUGE_PAGES;
}

uint64_t bx_frames_take(struct bx_frames *f, enum bx_frame_kind kind)
{
    struct returned *of = &f->returned[kind];

    if (of->n)
        return of->frame[--of->n];
    return kind == BX_FRAME_OF_TABLE  ? next_table(f)
           : kind == BX_FRAME_OF_HUGE ? huge_frame(f, f->taken++)
                                      : next_frame(f);
}

bool bx_frames_out_of_memory(const struct bx_frames *f)
{
    return f->out_of_memory;
}

uint64_t bx_frames_map(struct bx_frames *f, uint64_t page)
{
    uint64_t key = page + 1;

    if (f->recent_key != key) {
        f->recent_frame = look_up(f, key);
        f->recent_key = key;
    }
    return f->recent_frame;
}
