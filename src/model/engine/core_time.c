/* Converts times of a core to uncore cycles, as fractions. */
#include "model/engine/core_time.h"

/* The nearest fraction to n / d with a small denominator: the last convergent of the continued
 * fraction whose parts fit. */
static bx_ratio nearest(uint64_t n, uint64_t d)
{
    uint64_t n_before = 0, d_before = 1, n_now = 1, d_now = 0;
    while (d) {
        uint64_t whole = n / d, rest = n % d;
        uint64_t n_next = whole * n_now + n_before, d_next = whole * d_now + d_before;
        if (d_next > UINT16_MAX || n_next > UINT32_MAX)
            break;
        n_before = n_now;
        d_before = d_now;
        n_now = n_next;
        d_now = d_next;
        n = d;
        d = rest;
    }
    return (bx_ratio){(uint32_t)n_now, (uint32_t)d_now};
}

bx_ratio bx_core_time_ratio(const bx_core_time *t, uint32_t cycles, uint32_t by)
{
    uint64_t core = t->core_hz ? t->core_hz : 1, uncore = t->core_hz ? t->uncore_hz : 1;
    return nearest(uncore * cycles, core * by);
}

bx_ratio bx_core_time_slot(const bx_core_time *t)
{
    return t && t->width ? bx_core_time_ratio(t, 1, t->width) : (bx_ratio){1, 1};
}

uint32_t bx_core_time_whole(const bx_core_time *t, uint32_t cycles)
{
    bx_ratio r = bx_core_time_ratio(t, cycles, 1);
    return (r.n + r.d / 2) / r.d;
}
