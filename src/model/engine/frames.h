/* Physical memory: the frame of each virtual page. The first touch of a page takes the next frame
 * of a seeded permutation of the machine's 16 GiB (docs/explanation/model-memory.md, "Memory").
 * With huge pages, the permutation consists of 2 MiB frames, and 4 KiB frames are cut from these.
 */
#ifndef BX_MODEL_ENGINE_FRAMES_H
#define BX_MODEL_ENGINE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BX_NODES_MOST = 8,       /* each package has its own memory */
    BX_PAGE_SHIFT = 12,      /* pages and frames have 4 KiB */
    BX_FRAME_BITS = 22,      /* 2^22 frames are 16 GiB */
    BX_HUGE_SHIFT = 9,       /* a huge page has 512 pages */
    BX_USUAL_LINE_SHIFT = 6, /* lines have 64 bytes, unless bx_frames_set_line() says otherwise */
};

/* A page has 2^this lines of 2^line_shift bytes. */
static inline unsigned bx_page_lines_shift(unsigned line_shift)
{
    return BX_PAGE_SHIFT - line_shift;
}

struct bx_frames;

/* Creates memory without mapped pages. The caller frees it. NULL: out of memory. */
struct bx_frames *bx_frames_new(uint64_t seed);
struct bx_frames *bx_frames_new_huge(uint64_t seed); /* anonymous memory uses huge pages */
void bx_frames_free(struct bx_frames *f);            /* NULL is fine */

/* Of huge ones: only memory for which the program asks uses huge pages. */
void bx_frames_for_advised(struct bx_frames *f);
bool bx_frames_are_for_advised(const struct bx_frames *f);

/* The lines of the machine's caches have 2^line_shift bytes. */
void bx_frames_set_line(struct bx_frames *f, unsigned line_shift);
unsigned bx_frames_line_shift(const struct bx_frames *f);

/* Divides the memory among that many nodes: node 0 has the first frames, and so on. Call it before
 * the first frame is taken. Without it, there is one node. */
void bx_frames_divide(struct bx_frames *f, unsigned nodes);
unsigned bx_frames_nodes(const struct bx_frames *f);
unsigned bx_frames_node_of(const struct bx_frames *f, uint64_t frame);

/* The frames of a node, of `nodes`: whole huge ones. */
static inline uint64_t bx_node_frames(unsigned nodes)
{
    uint64_t huge = (UINT64_C(1) << (BX_FRAME_BITS - BX_HUGE_SHIFT)) / nodes;
    return huge << BX_HUGE_SHIFT;
}

static inline unsigned bx_node_of_line(uint64_t line, uint64_t node_lines, unsigned nodes)
{
    uint64_t node = line / node_lines;
    return node < nodes ? (unsigned)node : nodes - 1;
}

/* The frame of a virtual page (address >> BX_PAGE_SHIFT), below 2^BX_FRAME_BITS. When all frames
 * are in use, frames are given out a second time. The page is of node 0. */
uint64_t bx_frames_map(struct bx_frames *f, uint64_t page);

/* bx_frames_are_huge: whether anonymous memory uses huge pages. */
bool bx_frames_are_huge(const struct bx_frames *f);

enum bx_frame_kind {
    BX_FRAME_OF_PAGE,
    BX_FRAME_OF_HUGE, /* the first of the 512 frames of a huge frame, which is one */
    /* From the end of the permutation, so pages get the same frames whether page tables are
     * modelled or not. */
    BX_FRAME_OF_TABLE,
    BX_FRAME_KINDS,
};

/* For callers with their own page tables, which do not call bx_frames_map(): take a frame, give one
 * back. The last frame given back is taken first, as in Linux. Otherwise the order is the same as
 * with bx_frames_map(). node: whose memory is wanted; when all of it is in use, the next node's is
 * taken. */
uint64_t bx_frames_take(struct bx_frames *f, enum bx_frame_kind kind, unsigned node);
void bx_frames_give_back(struct bx_frames *f, enum bx_frame_kind kind, uint64_t frame);

/* A hash table of frames, of pages or of what else has some. */
struct bx_frame_slot {
    uint64_t key; /* 0: free */
    uint64_t frame;
};

struct bx_frame_map {
    struct bx_frame_slot *slot; /* [mask + 1], at most half of them in use */
    uint64_t mask, used;
};

bool bx_frame_map_new(struct bx_frame_map *map, uint64_t room); /* a power of two */
/* The slot of a key. A new one has the frame BX_NO_FRAME. NULL: out of memory. */
struct bx_frame_slot *bx_frame_map_at(struct bx_frame_map *map, uint64_t key);
#define BX_NO_FRAME UINT64_MAX

/* Whether memory ran out. Pages may then have other frames than they should. */
bool bx_frames_out_of_memory(const struct bx_frames *f);

/* The physical line number of a virtual address. */
uint64_t bx_frames_line(struct bx_frames *f, uint64_t address);

#endif
