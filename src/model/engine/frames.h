/* Physical memory: the frame of each virtual page. The first touch of a page takes the next
 * frame of a seeded permutation of the machine's 16 GiB (docs/explanation/model.md, "Memory"). With
 * huge pages the permutation is of 2 MiB frames; frames of 4 KiB are cut from these. */
#ifndef BX_MODEL_ENGINE_FRAMES_H
#define BX_MODEL_ENGINE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BX_PAGE_SHIFT = 12,      /* a page, and a frame, has 4 KiB */
    BX_PAGE_LINES_SHIFT = 6, /* of 64 lines */
    BX_FRAME_BITS = 22,      /* 2^22 frames are 16 GiB */
    BX_HUGE_SHIFT = 9,       /* a huge page has 512 pages */
};

struct bx_frames;

/* Makes memory without a mapped page. The caller frees it. NULL: out of memory. */
struct bx_frames *bx_frames_new(uint64_t seed);
struct bx_frames *bx_frames_new_huge(uint64_t seed); /* anonymous memory is to be in huge pages */
void bx_frames_free(struct bx_frames *f);            /* NULL is fine */

/* The frame of a virtual page (address >> BX_PAGE_SHIFT), below 2^BX_FRAME_BITS. When all frames
 * are in use they are given out a second time. */
uint64_t bx_frames_map(struct bx_frames *f, uint64_t page);

/* For users with their own page tables, which do not call bx_frames_map(): takes a frame; returns a
 * frame. The frame returned last is taken first, as Linux does it; else they come in the same
 * order. */
uint64_t bx_frames_take(struct bx_frames *f);
void bx_frames_give_back(struct bx_frames *f, uint64_t frame);

/* Whether anonymous memory is to be in huge pages. The first of the 512 frames of the next one, and
 * its return as a whole. */
bool bx_frames_are_huge(const struct bx_frames *f);
uint64_t bx_frames_take_huge(struct bx_frames *f);
void bx_frames_give_huge_back(struct bx_frames *f, uint64_t frame);

/* The same for page tables: their frames are the last ones of the permutation, so that pages have
 * the same frames with and without them. */
uint64_t bx_frames_take_table(struct bx_frames *f);
void bx_frames_give_table_back(struct bx_frames *f, uint64_t frame);

/* Whether memory ran out. A page may then have got another frame than it should have. */
bool bx_frames_out_of_memory(const struct bx_frames *f);

/* The physical line number of a virtual address. */
static inline uint64_t bx_frames_line(struct bx_frames *f, uint64_t address)
{
    uint64_t within = address >> 6 & ((1u << BX_PAGE_LINES_SHIFT) - 1);
    return bx_frames_map(f, address >> BX_PAGE_SHIFT) << BX_PAGE_LINES_SHIFT | within;
}

#endif
