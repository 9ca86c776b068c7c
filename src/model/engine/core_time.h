/* The time that a core takes for accesses that hit its first cache, and for work in front of its
 * caches: docs/explanation/model.md, "The time of a core". */
#ifndef BX_MODEL_ENGINE_CORE_TIME_H
#define BX_MODEL_ENGINE_CORE_TIME_H

#include <stdint.h>

/* Latencies are cycles of the core. The ranges of these keys in the catalogue (`width`, `l1`,
 * `fp_add`, `fp_multiply`, `core_hz`, `locked`) bound what a block of a trace can cost: draft.c.
 */
typedef struct bx_core_time {
    uint32_t width; /* instructions a cycle; 0: the plain rule, an uncore cycle an instruction */
    uint32_t l1;    /* of a load that hits L1; 0: none */
    uint32_t fp_add, fp_multiply;
    uint64_t core_hz, uncore_hz; /* 0: both have the same clock */
    uint32_t wc_buffers;         /* for non-temporal stores; 0: one */
    uint32_t locked;             /* of a locked operation; 0: as if it were not locked */
} bx_core_time;

/* n / d exactly, or the nearest value with a denominator of 16 bits. */
typedef struct bx_ratio {
    uint32_t n, d;
} bx_ratio;

/* Uncore cycles in `cycles` of the core, divided by `by`. */
bx_ratio bx_core_time_ratio(const bx_core_time *t, uint32_t cycles, uint32_t by);

/* Uncore cycles for each of `width` instructions in a cycle, by the plain rule 1. t: NULL is the
 * plain rule. */
bx_ratio bx_core_time_slot(const bx_core_time *t);

/* Adds r to the rest in *part, in units of 1/r.d, and returns the whole cycles. */
static inline uint32_t bx_ratio_take(bx_ratio r, uint32_t *part)
{
    uint64_t sum = (uint64_t)*part + r.n;
    *part = (uint32_t)(sum % r.d);
    return (uint32_t)(sum / r.d);
}

#endif
