/* Chooses how often a counter of real hardware is read, and which of the samples is its value. Any
 * sample may be wrong. */
#include "session/samples.h"

#include <errno.h>

/* A counter is blocked after two attempts that contradict themselves, or so many that were too
 * slow. */
enum { SAMPLES = 3, CONTRADICTIONS = 2, TOO_SLOW = 60 };

/* ---- impossible values ---- */

/* After so long the counter can have any value. */
static bool can_be_anything(const bx_counter_state *t, uint64_t span)
{
    return span >= t->mask / t->rate;
}

static bool is_possible_growth(const bx_counter_state *t, uint64_t grown, uint64_t span)
{
    return can_be_anything(t, span) || grown <= span * t->rate + t->rate;
}

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
    if (!is_possible_growth(t, grown, span))
        return value < t->last ? "went backwards" : "counted faster than the machine can";
    return NULL;
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

/* Whether a second sample, at most `span` after the first, fits it: 0, EBADMSG, or ETIME if it came
 * so late on a busy host that any would fit. */
static int compare_samples(const bx_samples *samples, const bx_counter_state *t, uint64_t first,
                           uint64_t second, uint64_t span)
{
    if (stands_still(samples, t))
        return first == second ? 0 : EBADMSG;
    uint64_t grown = bx_count_grown(t, first >> t->shift, second >> t->shift);
    return can_be_anything(t, span) ? ETIME : is_possible_growth(t, grown, span) ? 0 : EBADMSG;
}

/* 0, or an errno: as of compare_samples(). Between two samples the counter counts from before the
 * first read until after the second: a host may pause us between a read and the look at the clock.
 * `begins` is a time before the first sample. */
static int confirm(bx_samples *samples, const bx_programme *p, size_t i, uint64_t begins)
{
    bx_active *a = &samples->active;
    bx_counter_state *t = a->counter_state[i];
    unsigned n = samples_needed(samples, t);
    uint64_t seen[SAMPLES] = {a->values[i]};
    for (unsigned k = 1; k < n; k++) {
        uint64_t before = bx_machine_time(p->machine);
        int err = p->bus->read(p->bus, &a->at[i], &seen[k]);
        if (err)
            return err;
        uint64_t now = bx_machine_time(p->machine);
        seen[k] = without_erratum(t, seen[k]);
        if (bx_implausible(t, seen[k], now - samples->last_sampled))
            return EBADMSG;
        err = compare_samples(samples, t, seen[k - 1], seen[k], now - begins);
        if (err)
            return err;
        begins = before;
    }
    a->values[i] = seen[n / 2];
    return 0;
}

/* Its values would no longer be counts. */
static bool block(bx_samples *samples, bx_programme *p, size_t i, int err, const char *implausible)
{
    if (err)
        bx_blame_failed(p, samples->active.op[i], err);
    else
        bx_blame_implausible(p, samples->active.op[i], implausible);
    return false;
}

bool bx_sample_confirmed(bx_samples *samples, bx_programme *p, size_t i, uint64_t fetched)
{
    bx_active *a = &samples->active;
    const char *implausible = NULL;
    for (unsigned contradictions = 0, slow = 0;
         contradictions < CONTRADICTIONS && slow < TOO_SLOW;) {
        int err = 0;
        if (contradictions + slow > 0) {
            fetched = bx_machine_time(p->machine);
            err = p->bus->read(p->bus, &a->at[i], &a->values[i]);
        }
        if (err)
            return block(samples, p, i, err, NULL);
        a->values[i] = without_erratum(a->counter_state[i], a->values[i]);
        implausible = bx_implausible(a->counter_state[i], a->values[i],
                                     bx_machine_time(p->machine) - samples->last_sampled);
        err = implausible ? EBADMSG : confirm(samples, p, i, fetched);
        if (!err)
            return true;
        if (err != EBADMSG && err != ETIME)
            return block(samples, p, i, err, NULL);
        contradictions += err == EBADMSG;
        slow += err == ETIME;
        if (!implausible)
            implausible = err == ETIME
                              ? "is read too slowly on this busy host to tell a wrong value"
                              : "reads otherwise at every look";
    }
    return block(samples, p, i, 0, implausible);
}
