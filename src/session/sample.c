/* Chooses how often a counter of real hardware is read, and which of the samples is its value. Any
 * sample may be wrong. */
#include "session/samples.h"

#include <errno.h>

enum { SAMPLES = 3 };

/* ---- impossible values ---- */

/* A register of real hardware may read a wrong value: a removed device reads all ones, a broken one
 * any value, and a counter that was not read for a long time may have wrapped. Such values are
 * never shown as counts. */
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
    return span < t->mask / t->rate && grown <= span * t->rate + t->rate;
}

/* ---- samples ---- */

/* Xeon 7500, 323535-001 page 140: a value that ends in 0x000000 or 0x000001 is 0x1000000 too high.
 * The value is not corrected if that would make it lower than the last value: there was then no
 * carry. */
static uint64_t without_erratum(const bx_counter_state *t, uint64_t raw)
{
    uint64_t value = raw >> t->shift & t->mask, carry = UINT64_C(1) << t->erratum;
    if (!t->erratum || (value & (carry - 1)) > 1 ||
        ((value - carry - t->last) & t->mask) > t->mask / 2)
        return raw;
    return raw - (carry << t->shift);
}

static bool stands_still(const bx_samples *samples, const bx_counter_state *t)
{
    return t->stops && (samples->point == BX_SAMPLE_STOP ||
                        (samples->point == BX_SAMPLE_ROTATE && t->multiplexed));
}

/* The number of samples that a counter needs. If every register value is a possible count, only
 * more samples reveal a wrong one. The first and last values cannot be corrected later, so they
 * need more samples, too. A single sample of a running counter can be wrong; the middle one of
 * three is not. */
static unsigned samples_needed(const bx_samples *samples, const bx_counter_state *t)
{
    if (stands_still(samples, t))
        return 2;
    bool passing = samples->point != BX_SAMPLE_START && samples->point != BX_SAMPLE_STOP;
    return t->unused_bits && passing ? 1 : SAMPLES;
}

/* 0, or an errno: EBADMSG if the samples are inconsistent. */
static int confirm(bx_samples *samples, const bx_programme *p, size_t i, uint64_t fetched)
{
    bx_active *a = &samples->active;
    bx_counter_state *t = a->counter_state[i];
    unsigned n = samples_needed(samples, t);
    uint64_t seen[SAMPLES] = {a->values[i]};
    for (unsigned k = 1; k < n; k++) {
        int err = p->bus->read(p->bus, &a->at[i], &seen[k]);
        if (err)
            return err;
        uint64_t now = bx_machine_time(p->machine);
        seen[k] = without_erratum(t, seen[k]);
        if (bx_implausible(t, seen[k], now - samples->last_sampled) ||
            (stands_still(samples, t) ? seen[k] != seen[k - 1]
                                      : !bx_plausible_step(t, seen[k - 1], seen[k], now - fetched)))
            return EBADMSG;
        fetched = now;
    }
    a->values[i] = seen[n / 2];
    return 0;
}

/* If a second attempt fails, too, the counter is blocked: its values would no longer be counts. */
bool bx_sample_confirmed(bx_samples *samples, bx_programme *p, size_t i, uint64_t fetched)
{
    bx_active *a = &samples->active;
    const char *implausible = NULL;
    int err = 0;
    for (unsigned attempt = 0; err == 0 && attempt < 2; attempt++) {
        if (attempt > 0) {
            fetched = bx_machine_time(p->machine);
            err = p->bus->read(p->bus, &a->at[i], &a->values[i]);
        }
        if (err)
            break;
        a->values[i] = without_erratum(a->counter_state[i], a->values[i]);
        implausible = bx_implausible(a->counter_state[i], a->values[i],
                                     bx_machine_time(p->machine) - samples->last_sampled);
        err = implausible ? 0 : confirm(samples, p, i, fetched);
        if (err == EBADMSG) {
            err = 0;
            implausible = "reads otherwise at every look";
        } else if (err == 0 && !implausible) {
            return true;
        }
    }
    if (err)
        bx_blame_failed(p, a->op[i], err);
    else
        bx_blame_implausible(p, a->op[i], implausible);
    return false;
}
