/* Stride prefetcher, into L1D: a load whose instruction has moved by the same stride twice in a
 * row. */
#ifndef BX_MODEL_PART_PREFETCHER_STRIDE_H
#define BX_MODEL_PART_PREFETCHER_STRIDE_H

#include "model/part/prefetcher.h"

enum {
    BX_STRIDE_INSTRUCTIONS = 256,
    BX_STRIDE_MOST = 32, /* lines: 2 KiB */
};

/* The stride of an instruction's loads, in lines; 0: unknown or too long. */
struct bx_stride_of {
    uint32_t instruction, line;
    int32_t stride;
};

struct bx_stride {
    struct bx_stride_of of[BX_STRIDE_INSTRUCTIONS]; /* by the low bits of the instruction */
};

static inline void bx_stride_power_on(struct bx_stride *p)
{
    for (unsigned i = 0; i < BX_STRIDE_INSTRUCTIONS; i++)
        p->of[i].instruction = ~i; /* no instruction with this number uses this slot */
}

/* instruction: an address or another number. */
static inline bx_access *bx_stride_see(struct bx_stride *p, uint32_t instruction, uint32_t line,
                                       unsigned page_shift, bx_access *to)
{
    struct bx_stride_of *s = &p->of[instruction % BX_STRIDE_INSTRUCTIONS];
    int64_t step = (int64_t)line - s->line;
    bool is_near = (uint64_t)(step + BX_STRIDE_MOST) <= 2 * BX_STRIDE_MOST;
    int32_t stride = (int32_t)step & -(int32_t)(is_near & (s->instruction == instruction));
    bool again = stride && stride == s->stride;
    uint32_t next = line + (uint32_t)stride;

    *s = (struct bx_stride_of){instruction, line, stride};
    return bx_prefetch_if(again && bx_prefetch_same_page(page_shift, line, next), next,
                          BX_PREFETCHER_STRIDE, BX_LOAD, to);
}

#endif
