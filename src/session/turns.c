/* Multiplexes passes in rounds. In a round, each pass has one turn, in random order. All turns of a
 * round have the same length, which is random, too. So each event is counted at a random time of
 * each round, for the same share of it. Otherwise, work that repeats in step with the turns would
 * always be counted in the same phase (docs/explanation/multiplexing.md). */
#include "session/session.h"

#include "model/engine/permute.h"

#include <stdlib.h>

/* By default, the length of a round is 1/1024 of the time so far, on a host 1/64, so the last
 * rounds do not outweigh all others. A program as short as /bin/true, with some 300,000 cycles, has
 * 300 turns for its passes. Changing passes takes some fifty register accesses. They take no
 * virtual time; on a host they take about a millisecond. */
static const struct lengths {
    uint64_t least, most, share;
} cycles = {1000, 100000, 1024}, ns = {4000000, 100000000, 64};

static bool in_turns(const struct bx_session *s)
{
    return s->programme.schedule.passes > 1 && !s->programme.repeat && !s->programme.at_once;
}

/* The mean length of the turns in the coming round. */
static uint64_t mean_length(const struct bx_session *s)
{
    const struct lengths *of = bx_machine_can(s->machine)->counts_cycles ? &cycles : &ns;
    uint64_t share =
        (s->samples.counted_to - s->samples.began) / of->share / s->programme.schedule.passes;
    return s->turns.slice      ? s->turns.slice
           : share < of->least ? of->least
           : share > of->most  ? of->most
                               : share;
}

/* A random length between 0.5 and 1.5 times the mean. */
static uint64_t random_length(struct bx_session *s)
{
    uint64_t mean = mean_length(s);
    return mean - mean / 2 + bx_random(&s->turns.random) % (mean + 1);
}

/* Shuffles by Fisher and Yates: all orders have the same probability. The very first turn belongs
 * to the first pass: if the work ends at once, the first events are counted. */
static void shuffle(struct bx_session *s, unsigned first)
{
    uint16_t *order = s->turns.order;
    for (unsigned i = s->programme.schedule.passes - 1; i > first; i--) {
        unsigned with = first + (unsigned)(bx_random(&s->turns.random) % (i - first + 1));
        uint16_t pass = order[i];
        order[i] = order[with];
        order[with] = pass;
    }
}

bool bx_turns_open(struct bx_session *s, uint64_t seed)
{
    if (!in_turns(s))
        return true;
    s->turns.order = calloc(s->programme.schedule.passes, sizeof *s->turns.order);
    s->turns.random = seed;
    if (!s->turns.order)
        return false;
    for (unsigned i = 0; i < s->programme.schedule.passes; i++)
        s->turns.order[i] = (uint16_t)i;
    shuffle(s, 1);
    s->turns.length = random_length(s);
    return true;
}

void bx_turns_close(struct bx_session *s)
{
    free(s->turns.order);
}

void bx_turns_next(struct bx_session *s)
{
    if (++s->turns.at == s->programme.schedule.passes) {
        s->turns.at = 0;
        shuffle(s, 0);
        s->turns.length = random_length(s);
    }
    s->programme.pass = s->turns.order[s->turns.at];
}

uint64_t bx_turns_end(const struct bx_session *s)
{
    return in_turns(s) ? bx_machine_time(s->machine) + s->turns.length : UINT64_MAX;
}
