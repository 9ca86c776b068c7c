/* A channel of memory without DRAM (docs/explanation/model-dram.md has the other): it carries one
 * line at a time. */
#ifndef BX_MODEL_PART_PLAIN_MEMORY_H
#define BX_MODEL_PART_PLAIN_MEMORY_H

#include "model/part/later.h"

#include <stdbool.h>

/* In cycles: to the controller; of a line on the channel; from its begin to the data of a read. */
enum { BX_PLAIN_TRANSIT = 20, BX_PLAIN_TRANSFER = 12, BX_PLAIN_READ = 130 };

/* A request at t. *free_at: when the channel is free. Returns the time when it is done. */
static inline uint64_t bx_plain_memory(uint64_t *free_at, bool write, uint64_t t)
{
    uint64_t begin = bx_later(t + BX_PLAIN_TRANSIT, *free_at);

    *free_at = begin + BX_PLAIN_TRANSFER;
    return begin + (write ? BX_PLAIN_TRANSFER : BX_PLAIN_READ);
}

#endif
