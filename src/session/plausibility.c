/* A register of real hardware may read a wrong value: a removed device reads all ones, a broken one
 * any value, and a counter that was not read for a long time may have wrapped. This file recognises
 * such values. They are never shown as counts. */
#include "session/samples.h"

const char *bx_implausible(const bx_counter_state *t, uint64_t raw, uint64_t span)
{
    uint64_t value = raw >> t->shift & t->mask, grown = bx_count_grown(t, t->last, value);
    if (raw & t->unused_bits)
        return "reads more than the counter's bits";
    if (value == t->mask && !t->unused_bits) /* with unused bits it would be a count */
        return "reads as all ones, as a device does that is gone";
    if (t->unprimed)
        return NULL;
    if (span > t->wrap_time)
        return "was not read for so long that it may have wrapped unseen";
    bool any = span >= t->mask / t->rate; /* after so long, it can have any value */
    if (!any && grown > span * t->rate + t->rate)
        return value < t->last ? "went backwards" : "counted faster than the machine can";
    return NULL;
}

bool bx_plausible_step(const bx_counter_state *t, uint64_t first, uint64_t second, uint64_t span)
{
    uint64_t grown = bx_count_grown(t, first >> t->shift, second >> t->shift);
    return span >= t->mask / t->rate || grown <= span * t->rate + t->rate;
}
