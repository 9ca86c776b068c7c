/* What is read of a register that is not our own need not be what it holds: a device that is gone
 * reads as all ones, a broken one as anything, and a counter that nobody read for long has wrapped
 * unseen. Such values are told apart here; they are never shown as counts. */
#include "session/session.h"

#include "base/bits.h"

#include <errno.h>

uint64_t bx_doubt_outside(const struct bx_catalog *c, unsigned reg)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    uint64_t known = 0;
    for (unsigned i = 0; i < r->fields.n; i++)
        known |= bx_cat_field_mask(&bx_cat_fields(c)[r->fields.first + i]);
    return bx_mask_width(r->space == BX_SPACE_MSR ? 64 : r->width) & ~known;
}

const char *bx_doubt(const bx_tally *t, uint64_t raw, uint64_t span)
{
    uint64_t value = raw >> t->shift & t->mask, grown = (value - t->last) & t->mask;
    if (raw & t->outside)
        return "reads more than the counter's bits";
    if (value == t->mask && !t->outside) /* as wide as its register */
        return "reads as all ones, as a device does that is gone";
    if (t->fresh)
        return NULL;
    if (span > t->lapse)
        return "was not read for so long that it may have wrapped unseen";
    bool any = span >= t->mask / t->rate; /* it can have come anywhere */
    if (!any && grown > span * t->rate + t->rate)
        return value < t->last ? "went backwards" : "counted faster than the machine can";
    return NULL;
}

bool bx_doubt_near(const bx_tally *t, uint64_t first, uint64_t second, uint64_t span)
{
    uint64_t grown = (second - first) >> t->shift & t->mask;
    return span >= t->mask / t->rate || grown <= span * t->rate + t->rate;
}

bool bx_doubt_is_counter(const struct bx_catalog *c, unsigned reg)
{
    bx_span counters = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].counters;
    for (unsigned i = counters.first; i < (unsigned)counters.first + counters.n; i++)
        if (bx_cat_counters(c)[i].value == reg)
            return true;
    return false;
}

/* Bits that never read 1. */
static bool has_silent_bits(const struct bx_catalog *c, unsigned reg)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    for (unsigned i = fields.first; i < (unsigned)fields.first + fields.n; i++)
        if (bx_cat_fields(c)[i].kind == BX_FIELD_WO || bx_cat_fields(c)[i].kind == BX_FIELD_IGNORED)
            return true;
    return bx_doubt_outside(c, reg) != 0;
}

/* All ones in bits that never read 1: nobody is there. */
static bool is_nobody(const struct bx_catalog *c, unsigned reg, uint64_t value)
{
    uint64_t all = bx_mask_width(bx_cat_regs(c)[reg].width);
    return (value & all) == all && has_silent_bits(c, reg);
}

/* Further than any counter moves between two looks. */
enum { FAR = 1 << 24 };

/* A counter that nobody has stopped moves between two looks, upwards and not far. */
static bool moves(const struct bx_catalog *c, unsigned reg, const uint64_t looks[BX_LOOKS])
{
    uint64_t any = looks[0] | looks[1] | looks[2];
    return bx_doubt_is_counter(c, reg) && !(any & bx_doubt_outside(c, reg)) &&
           looks[1] - looks[0] < FAR && looks[2] - looks[1] < FAR;
}

int bx_doubt_saved(const struct bx_catalog *c, unsigned reg, const uint64_t *looks, unsigned n)
{
    uint64_t last = looks[n - 1];
    for (unsigned i = 0; i + 1 < n; i++)
        if (looks[i] == last && !is_nobody(c, reg, last))
            return 0;
    return n < BX_LOOKS ? EAGAIN : moves(c, reg, looks) ? 0 : EBADMSG;
}
