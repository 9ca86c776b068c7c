/* A register of real hardware may read a wrong value: a removed device reads all ones, a broken one
 * anything, and a counter that was not read for long may have wrapped. Such values are recognised
 * here and never shown as counts. */
#include "session/session.h"

#include "base/bits.h"

#include <errno.h>

uint64_t bx_unused_bits(const struct bx_catalog *c, unsigned reg)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    return r->bits.reserved & bx_mask_width(r->space == BX_SPACE_MSR ? 64 : r->width);
}

const char *bx_implausible(const bx_counter_state *t, uint64_t raw, uint64_t span)
{
    uint64_t value = raw >> t->shift & t->mask, grown = (value - t->last) & t->mask;
    if (raw & t->unused_bits)
        return "reads more than the counter's bits";
    if (value == t->mask && !t->unused_bits) /* as wide as its register */
        return "reads as all ones, as a device does that is gone";
    if (t->unprimed)
        return NULL;
    if (span > t->wrap_time)
        return "was not read for so long that it may have wrapped unseen";
    bool any = span >= t->mask / t->rate; /* it can have any value */
    if (!any && grown > span * t->rate + t->rate)
        return value < t->last ? "went backwards" : "counted faster than the machine can";
    return NULL;
}

bool bx_plausible_step(const bx_counter_state *t, uint64_t first, uint64_t second, uint64_t span)
{
    uint64_t grown = (second - first) >> t->shift & t->mask;
    return span >= t->mask / t->rate || grown <= span * t->rate + t->rate;
}

bool bx_is_counter_value(const struct bx_catalog *c, unsigned reg)
{
    bx_span counters = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].counters;
    for (unsigned i = counters.first; i < (unsigned)counters.first + counters.n; i++)
        if (bx_cat_counters(c)[i].value == reg)
            return true;
    return false;
}

/* All ones, in bits that never read 1: no device answers. */
static bool reads_absent(const struct bx_catalog *c, unsigned reg, uint64_t value)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    uint64_t all = bx_mask_width(r->width);
    return (value & all) == all && (r->bits.hidden || bx_unused_bits(c, reg));
}

/* More than any counter counts between two samples. */
enum { FAR = 1 << 24 };

/* Whether the samples are those of a running counter: increasing, by little. */
static bool moves(const struct bx_catalog *c, unsigned reg, const uint64_t samples[BX_SAMPLES])
{
    uint64_t any = samples[0] | samples[1] | samples[2];
    return bx_is_counter_value(c, reg) && !(any & bx_unused_bits(c, reg)) &&
           samples[1] - samples[0] < FAR && samples[2] - samples[1] < FAR;
}

int bx_plausible_saved(const struct bx_catalog *c, unsigned reg, const uint64_t *samples,
                       unsigned n)
{
    uint64_t last = samples[n - 1];
    for (unsigned i = 0; i + 1 < n; i++)
        if (samples[i] == last && !reads_absent(c, reg, last))
            return 0;
    return n < BX_SAMPLES ? EAGAIN : moves(c, reg, samples) ? 0 : EBADMSG;
}
