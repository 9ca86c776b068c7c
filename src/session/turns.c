/* Multiplexes passes in rounds. In a round, each pass has one turn, in random order. All turns of a
 * round have the same length, which is random, too. So each event is counted at a random time of
 * each round, for the same share of it. Otherwise, work that repeats in step with the turns would
 * always be counted in the same phase (docs/explanation/multiplexing.md). */
#include "session/estimate.h"

#include "model/engine/permute.h"

#include <stdlib.h>

/* By default, the length of a round is 1/1024 of the time so far, on a host 1/64, so the last
 * rounds do not outweigh all others. A program as short as /bin/true, with some 300,000 cycles, has
 * 300 turns for its passes. Changing passes takes some fifty register accesses. They take no
 * virtual time; on a host they take about a millisecond. */
static const struct lengths {
    uint64_t least, most, share;
} cycles = {1000, 100000, 1024}, ns = {4000000, 100000000, 64};

static bool in_turns(const bx_programme *p)
{
    return p->schedule.passes > 1 && !p->repeat && !p->at_once;
}

/* The mean length of the turns in the coming round. */
static uint64_t mean_length(const bx_turns *turns, const bx_programme *p, const bx_samples *samples)
{
    const struct lengths *of = bx_machine_can(p->machine)->counts_cycles ? &cycles : &ns;
    uint64_t share = (samples->counted_to - samples->began) / of->share / p->schedule.passes;
    return turns->slice        ? turns->slice
           : share < of->least ? of->least
           : share > of->most  ? of->most
                               : share;
}

/* A random length between 0.5 and 1.5 times the mean. */
static uint64_t random_length(bx_turns *turns, const bx_programme *p, const bx_samples *samples)
{
    uint64_t mean = mean_length(turns, p, samples);
    return mean - mean / 2 + bx_random(&turns->random) % (mean + 1);
}

/* Shuffles by Fisher and Yates: all orders have the same probability. The very first turn belongs
 * to the first pass: if the work ends at once, the first events are counted. */
static void shuffle(bx_turns *turns, const bx_programme *p, unsigned first)
{
    uint16_t *order = turns->order;
    for (unsigned i = p->schedule.passes - 1; i > first; i--) {
        unsigned with = first + (unsigned)(bx_random(&turns->random) % (i - first + 1));
        uint16_t pass = order[i];
        order[i] = order[with];
        order[with] = pass;
    }
}

bool bx_turns_open(bx_turns *turns, const bx_programme *p, const bx_samples *samples, uint64_t seed)
{
    if (!in_turns(p))
        return true;
    turns->order = calloc(p->schedule.passes, sizeof *turns->order);
    turns->random = seed;
    if (!turns->order)
        return false;
    for (unsigned i = 0; i < p->schedule.passes; i++)
        turns->order[i] = (uint16_t)i;
    shuffle(turns, p, 1);
    turns->length = random_length(turns, p, samples);
    return true;
}

void bx_turns_close(bx_turns *turns)
{
    free(turns->order);
}

void bx_turns_next(bx_turns *turns, bx_programme *p, const bx_samples *samples)
{
    if (++turns->at == p->schedule.passes) {
        turns->at = 0;
        shuffle(turns, p, 0);
        turns->length = random_length(turns, p, samples);
    }
    p->pass = turns->order[turns->at];
}

uint64_t bx_turns_end(const bx_turns *turns, const bx_programme *p)
{
    return in_turns(p) ? bx_machine_time(p->machine) + turns->length : UINT64_MAX;
}
