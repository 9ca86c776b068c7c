/* The total counts of a traced program. */
#ifndef BX_TRACEFILE_COUNTS_H
#define BX_TRACEFILE_COUNTS_H

#include <stdint.h>

/* As in cachegrind, a modification counts once, as a modification. A guarded access counts if it
 * was made. */
typedef struct bx_trace_counts {
    uint64_t instructions, loads, stores, modifications;
    uint64_t left_out; /* instructions that steer caches, if the machine has none */
} bx_trace_counts;

static inline void bx_trace_counts_add(bx_trace_counts *to, bx_trace_counts more, uint64_t times)
{
    to->instructions += more.instructions * times;
    to->loads += more.loads * times;
    to->stores += more.stores * times;
    to->modifications += more.modifications * times;
    to->left_out += more.left_out * times;
}

#endif
