/* Gives frames to pages, and takes them back. */
#include "model/engine/frames.h"

#include "base/grow.h"
#include "model/engine/permute.h"

#include <stdlib.h>

enum {
    FIRST_ROOM = 1024,
    HUGE_BITS = BX_FRAME_BITS - BX_HUGE_SHIFT, /* 2^13 huge frames */
    HUGE_PAGES = 1 << BX_HUGE_SHIFT,
};

/* Frames that were given back. The last one is taken first. */
struct returned {
    uint32_t *frame; /* [n], in room for `room` */
    size_t n, room;
};

/* The memory of a package. */
struct node {
    uint64_t taken;  /* frames taken from the beginning of the permutation; huge frames if `huge` */
    uint64_t tables; /* frames of page tables, taken from its end */
    uint64_t cut;    /* small frames that have been cut from the huge frame at `open` */
    uint32_t open;   /* the first small frame of that huge frame */
    struct returned returned[BX_FRAME_KINDS];
};

struct bx_frames {
    struct bx_frame_map map; /* by page + 1 */
    uint64_t seed;
    uint64_t recent_key;
    uint32_t recent_frame;
    bool huge, for_advised;
    unsigned nodes, line_shift;
    uint64_t frames; /* of a node */
    struct node node[BX_NODES_MOST];
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
    f->line_shift = BX_USUAL_LINE_SHIFT;
    bx_frames_divide(f, 1);
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
        for (unsigned i = 0; i < BX_NODES_MOST; i++)
            f->node[i].cut = HUGE_PAGES;
    }
    return f;
}

void bx_frames_for_advised(struct bx_frames *f)
{
    f->for_advised = true;
}

bool bx_frames_are_for_advised(const struct bx_frames *f)
{
    return f->for_advised;
}

void bx_frames_divide(struct bx_frames *f, unsigned nodes)
{
    f->nodes = nodes;
    f->frames = bx_node_frames(nodes);
}

void bx_frames_set_line(struct bx_frames *f, unsigned line_shift)
{
    f->line_shift = line_shift;
}

unsigned bx_frames_line_shift(const struct bx_frames *f)
{
    return f->line_shift;
}

unsigned bx_frames_nodes(const struct bx_frames *f)
{
    return f->nodes;
}

unsigned bx_frames_node_of(const struct bx_frames *f, uint64_t frame)
{
    return bx_node_of_line(frame, f->frames, f->nodes);
}

void bx_frames_free(struct bx_frames *f)
{
    if (f) {
        free(f->map.slot);
        for (unsigned i = 0; i < f->nodes; i++)
            for (unsigned kind = 0; kind < BX_FRAME_KINDS; kind++)
                free(f->node[i].returned[kind].frame);
    }
    free(f);
}

bool bx_frames_are_huge(const struct bx_frames *f)
{
    return f->huge;
}

/* The n-th of a node's frames or huge frames, in the order of the permutation. The network permutes
 * more numbers than there are, so it is applied until the result is small enough. */
static uint32_t nth_frame(const struct bx_frames *f, unsigned node, bool huge, uint64_t n)
{
    const unsigned shift = huge ? BX_HUGE_SHIFT : 0;
    const uint64_t count = f->frames >> shift;
    uint64_t at = n % count;

    do
        at = bx_permute(f->seed, ((huge ? HUGE_BITS : BX_FRAME_BITS) + 1) / 2, at);
    while (at >= count);
    return (uint32_t)(node * f->frames + (at << shift));
}

/* The node that still has memory: `node`, or one after it. If none has any, frames are given out
 * again. */
static unsigned node_with_memory(const struct bx_frames *f, unsigned node)
{
    const uint64_t count = f->frames >> (f->huge ? BX_HUGE_SHIFT : 0);

    for (unsigned i = 0; i < f->nodes; i++)
        if (f->node[(node + i) % f->nodes].taken < count)
            return (node + i) % f->nodes;
    return node;
}

static uint32_t next_frame(struct bx_frames *f, unsigned node)
{
    struct node *n = &f->node[node];

    if (!f->huge)
        return nth_frame(f, node, false, n->taken++);
    if (n->cut == HUGE_PAGES) {
        n->open = nth_frame(f, node, true, n->taken++);
        n->cut = 0;
    }
    return n->open | (uint32_t)n->cut++;
}

static uint32_t look_up(struct bx_frames *f, uint64_t key)
{
    struct bx_frame_slot *slot = bx_frame_map_at(&f->map, key);

    if (!slot) {
        f->out_of_memory = true;
        return nth_frame(f, 0, false, key);
    }
    if (slot->frame == BX_NO_FRAME)
        slot->frame = next_frame(f, node_with_memory(f, 0));
    return (uint32_t)slot->frame;
}

void bx_frames_give_back(struct bx_frames *f, enum bx_frame_kind kind, uint64_t frame)
{
    struct returned *to = &f->node[bx_frames_node_of(f, frame)].returned[kind];

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

static uint64_t next_table(struct bx_frames *f, unsigned node)
{
    uint64_t n = f->node[node].tables++, count = f->frames >> BX_HUGE_SHIFT;

    if (!f->huge)
        return nth_frame(f, node, false, f->frames - 1 - n % f->frames);
    return nth_frame(f, node, true, count - 1 - n / HUGE_PAGES % count) | n % HUGE_PAGES;
}

uint64_t bx_frames_take(struct bx_frames *f, enum bx_frame_kind kind, unsigned node)
{
    struct returned *of = &f->node[node].returned[kind];

    if (of->n)
        return of->frame[--of->n];
    if (kind == BX_FRAME_OF_TABLE)
        return next_table(f, node);
    node = node_with_memory(f, node);
    return kind == BX_FRAME_OF_HUGE ? nth_frame(f, node, true, f->node[node].taken++)
                                    : next_frame(f, node);
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

uint64_t bx_frames_line(struct bx_frames *f, uint64_t address)
{
    uint64_t first = bx_frames_map(f, address >> BX_PAGE_SHIFT)
                     << bx_page_lines_shift(f->line_shift);
    return first | (address & ((1u << BX_PAGE_SHIFT) - 1)) >> f->line_shift;
}
