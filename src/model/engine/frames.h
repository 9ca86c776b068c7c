/* Physical memory: the frame of each virtual page. The first touch of a page takes the next
 * frame of a seeded permutation of the machine's 16 GiB (docs/model.md, "Memory"). */
#ifndef BX_MODEL_ENGINE_FRAMES_H
#define BX_MODEL_ENGINE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BX_PAGE_SHIFT = 12,      /* a page, and a frame, has 4 KiB */
    BX_PAGE_LINES_SHIFT = 6, /* of 64 lines */
    BX_FRAME_BITS = 22,      /* 2^22 frames are 16 GiB */
};

struct bx_frames;

/* Memory without a mapped page, to be freed by the caller. NULL: out of memory. */
struct bx_frames *bx_frames_new(uint64_t seed);
void bx_frames_free(struct bx_frames *f); /* NULL is fine */

/* The frame of a virtual page (address >> BX_PAGE_SHIFT), below 2^BX_FRAME_BITS. When all frames
 * are in use they are given out a second time. */
uint64_t bx_frames_map(struct bx_frames *f, uint64_t page);

/* For users with page tables of their own, who do not call bx_frames_map(): a frame, and its
 * return. The frame returned last is taken first, as Linux does it; else they come in the same
 * order. */
uint64_t bx_frames_take(struct bx_frames *f);
void bx_frames_give_back(struct bx_frames *f, uint64_t frame);

/* Whether memory ran out. A page may then have got another frame than it should have. */
bool bx_frames_out_of_memory(const struct bx_frames *f);

/* The physical line number of a virtual address. */
static inline uint64_t bx_frames_line(struct bx_frames *f, uint64_t address)
{
    uint64_t within = address >> 6 & ((1u << BX_PAGE_LINES_SHIFT) - 1);
    return bx_frames_map(f, address >> BX_PAGE_SHIFT) << BX_PAGE_LINES_SHIFT | within;
}

#endif
