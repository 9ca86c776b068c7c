/* Reads a counter by its user page, without a system call. The kernel may move the counter
 * meanwhile and then changes `lock`. The steps are those of perf_event_open(2). */
#include "host/perf/perf_counters.h"

/* The hardware counter has pmc_width bits and is signed. */
static uint64_t extended(uint64_t value, unsigned width)
{
    if (width == 0 || width >= 64)
        return value;
    uint64_t sign = UINT64_C(1) << (width - 1);
    value &= (sign << 1) - 1;
    return (value ^ sign) - sign;
}

/* ns since the times in the page were written. */
static uint64_t passed(const volatile struct perf_event_mmap_page *page, uint64_t tsc)
{
    unsigned shift = page->time_shift;
    uint64_t mult = page->time_mult;
    uint64_t whole = tsc >> shift, part = tsc & ((UINT64_C(1) << shift) - 1);
    return page->time_offset + whole * mult + (part * mult >> shift);
}

bool bx_perf_page_read(const bx_perf_calls *calls, const volatile struct perf_event_mmap_page *page,
                       bx_perf_value *value)
{
    uint32_t before;
    bx_perf_value got;
    do {
        before = page->lock;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        uint32_t index = page->index;
        if (!page->cap_user_rdpmc || !page->cap_user_time || index == 0)
            return false; /* it is not on the hardware now, or the kernel does not allow it */
        uint64_t since = passed(page, calls->tsc(calls->context));
        got = (bx_perf_value){
            .count = (uint64_t)page->offset +
                     extended(calls->rdpmc(calls->context, index - 1), page->pmc_width),
            .enabled = page->time_enabled + since,
            .running = page->time_running + since,
        };
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (page->lock != before);
    *value = got;
    return true;
}
