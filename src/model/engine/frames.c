#include "model/engine/frames.h"

#include "model/engine/permute.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

/* An open hash table; a slot's key is the page + 1, 0 is free. */
struct slot {
    uint64_t key;
    uint32_t frame;
};

struct bx_frames {
    struct slot *slot; /* [mask + 1], at most half of them in use */
    uint64_t mask, used, seed;
    uint64_t recent_key;
    uint32_t recent_frame;
    uint32_t *returned; /* [returned_n] of them, in room for returned_room */
    size_t returned_n, returned_room;
    bool out_of_memory;
};

struct bx_frames *bx_frames_new(uint64_t seed)
{
    struct bx_frames *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->seed = seed;
    f->mask = FIRST_ROOM - 1;
    f->slot = calloc(FIRST_ROOM, sizeof *f->slot);
    if (!f->slot) {
        free(f);
        return NULL;
    }
    return f;
}

void bx_frames_free(struct bx_frames *f)
{
    if (f) {
        free(f->slot);
        free(f->returned);
    }
    free(f);
}

/* The slot of a key, or the free one where it belongs. */
static struct slot *find(struct slot *slot, uint64_t mask, uint64_t key)
{
    uint64_t at = bx_mix(key) & mask;

    while (slot[at].key && slot[at].key != key)
        at = (at + 1) & mask;
    return &slot[at];
}

static bool grow(struct bx_frames *f)
{
    uint64_t room = 2 * (f->mask + 1);
    struct slot *slot = calloc(room, sizeof *slot);

    if (!slot)
        return false;
    for (uint64_t i = 0; i <= f->mask; i++)
        if (f->slot[i].key)
            *find(slot, room - 1, f->slot[i].key) = f->slot[i];
    free(f->slot);
    f->slot = slot;
    f->mask = room - 1;
    return true;
}

static uint32_t frame_of(const struct bx_frames *f, uint64_t n)
{
    return (uint32_t)bx_permute(f->seed, BX_FRAME_BITS / 2, n);
}

static uint32_t look_up(struct bx_frames *f, uint64_t key)
{
    struct slot *slot = find(f->slot, f->mask, key);

    if (slot->key)
        return slot->frame;
    if (2 * f->used >= f->mask) {
        if (!grow(f)) {
            f->out_of_memory = true;
            return frame_of(f, key);
        }
        slot = find(f->slot, f->mask, key);
    }
    *slot = (struct slot){key, frame_of(f, f->used++)};
    return slot->frame;
}

uint64_t bx_frames_take(struct bx_frames *f)
{
    return f->returned_n ? f->returned[--f->returned_n] : frame_of(f, f->used++);
}

void bx_frames_give_back(struct bx_frames *f, uint64_t frame)
{
    if (f->returned_n == f->returned_room) {
        size_t room = f->returned_room ? 2 * f->returned_room : FIRST_ROOM;
        uint32_t *more = realloc(f->returned, room * sizeof *more);
        if (!more) {
            f->out_of_memory = true; /* the next page would get another frame */
            return;
        }
        f->returned = more;
        f->returned_room = room;
    }
    f->returned[f->returned_n++] = (uint32_t)frame;
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
