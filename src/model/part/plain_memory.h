/* A channel of memory without DRAM (docs/explanation/model-dram.md has the other): it carries one
 * line at a time. */
#ifndef BX_MODEL_PART_PLAIN_MEMORY_H
#define BX_MODEL_PART_PLAIN_MEMORY_H

#include "model/engine/shape.h"
#include "model/part/later.h"

/* A request at t. *free_at: when the channel is free. Returns the time when it is done. */
static inline uint64_t bx_plain_memory(const bx_model_times *times, uint64_t *free_at, bool write,
                                       uint64_t t)
{
    uint64_t begin = bx_later(t + times->memory_transit, *free_at);

    *free_at = begin + times->memory_transfer;
    return begin + (write ? times->memory_transfer : times->memory_read);
}

#endif
