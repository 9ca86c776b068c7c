#include "ivbep_streams.h"

#include "../oracle/steering.h"

#include "../cmocked.h"
#include "../dice.h"

#include <stdlib.h>

const struct family ivbep_families[IVBEP_FAMILIES] = {
    {"alone", 1, 1, 64, false, .own = 95, .own_lines = 3000, .next = 50, .store = 40, .fetch = 10,
     .dependent = 20, .cost = 10},
    {"of two", 2, 1, 64, true, .own = 40, .own_lines = 1000, .shared = 55, .shared_lines = 1000,
     .next = 20, .store = 40, .fetch = 10, .dependent = 20, .partial = 50, .non_temporal = 20,
     .cost = 20},
    {"sharing", 2, 4, 2048, false, .own = 30, .own_lines = 200, .shared = 70, .shared_lines = 200,
     .store = 30, .fetch = 10, .dependent = 30, .non_temporal = 20, .cost = 40},
    {"pingpong", 2, 2, 64, false, .shared = 100, .shared_lines = 4, .store = 50, .fetch = 5,
     .dependent = 50, .cost = 300},
    {"one line", 2, 15, 64, true, .shared = 100, .shared_lines = 1, .store = 30, .fetch = 10,
     .dependent = 50, .partial = 50, .non_temporal = 20, .cost = 1000},
    {"sets", 2, 2, 16, true, .own = 5, .own_lines = 100, .set = 95, .set_lines = 60, .store = 60,
     .fetch = 15, .dependent = 30, .partial = 30, .non_temporal = 20, .cost = 60},
    {"one slice", 2, 7, 128, true, .slice = 100, .slice_lines = 5000, .store = 30, .fetch = 10,
     .partial = 20, .non_temporal = 20, .cost = 10},
    {"streams", 2, 3, 32, true, .own = 50, .own_lines = 100000, .shared = 50, .shared_lines = 2000,
     .next = 90, .store = 30, .fetch = 20, .dependent = 10, .partial = 20, .cost = 30},
    {"devices", 2, 2, 128, true, .shared = 90, .shared_lines = 300, .store = 50, .fetch = 5,
     .dependent = 10, .partial = 50, .cost = 100},
    {"one package", 1, 15, 32, true, .own = 40, .own_lines = 600, .shared = 50, .shared_lines = 900,
     .next = 10, .store = 40, .fetch = 10, .dependent = 30, .partial = 30, .non_temporal = 20,
     .cost = 100},
    {"large", 2, 10, 2048, true, .own = 60, .own_lines = 20000, .shared = 30, .shared_lines = 3000,
     .next = 30, .store = 30, .fetch = 10, .dependent = 20, .partial = 30, .non_temporal = 20,
     .cost = 50},
};

struct family ivbep_random_family(uint64_t *dice)
{
    static const unsigned sets[] = {1, 2, 8, 32, 128, 512, 2048};
    unsigned rest = 101, own, shared, slice;

    rest -= own = dice_below(dice, rest);
    rest -= shared = dice_below(dice, rest);
    rest -= slice = dice_below(dice, rest);
    struct family f = {
        .name = "random",
        .packages = 1 + dice_below(dice, 2),
        .cores = dice_below(dice, 4) ? 1 + dice_below(dice, 4) : 1 + dice_below(dice, 15),
        .llc_sets = sets[dice_below(dice, 7)],
        .io = dice_below(dice, 4) != 0,
        .own = own,
        .own_lines = 1 + dice_below(dice, 20000),
        .shared = shared,
        .shared_lines = 1 + dice_below(dice, 2000),
        .slice = slice,
        .slice_lines = 1 + dice_below(dice, 3000),
        .set = dice_below(dice, rest),
        .set_lines = 1 + dice_below(dice, 100),
        .next = dice_below(dice, 2) ? dice_below(dice, 100) : 0,
        .store = dice_below(dice, 80),
        .fetch = dice_below(dice, 21),
        .dependent = dice_below(dice, 101),
        .partial = dice_below(dice, 101),
        .non_temporal = dice_below(dice, 2) ? dice_below(dice, 101) : 0,
        .cost = dice_below(dice, dice_below(dice, 2) ? 20 : 400),
        .prefetch = dice_below(dice, 2) ? dice_below(dice, 80) : 0,
        .locks = dice_below(dice, 2) ? dice_below(dice, 20) : 0,
    };
    f.steer = dice_below(dice, 2) ? dice_below(dice, 40) : 0;
    return f;
}

static uint64_t choose_line(const struct family *f, unsigned agent, uint64_t *dice)
{
    uint64_t own = (uint64_t)(agent + 1) << 24;
    unsigned percent = dice_below(dice, 100);

    if (percent < f->own)
        return own + dice_below(dice, f->own_lines);
    percent -= f->own;
    if (percent < f->shared)
        return dice_below(dice, f->shared_lines);
    percent -= f->shared;
    if (percent < f->slice) /* bits above 10 go into the slice as well: multiples of it are not */
        return (uint64_t)f->cores * dice_below(dice, f->slice_lines) % (2048 - 2048 % f->cores);
    percent -= f->slice;
    if (percent < f->set)
        return (uint64_t)dice_below(dice, f->set_lines) * (dice_below(dice, 4) ? 2048 : 512);
    return dice_next(dice) % ((uint64_t)1 << BX_LINE_BITS);
}

/* Prefetches into L1D are loads only. */
static bx_access prefetch_of(uint64_t line, unsigned kind, uint64_t *dice)
{
    enum bx_prefetcher by = (enum bx_prefetcher)dice_below(dice, BX_PREFETCHERS);
    bool load = by == BX_PREFETCHER_NEXT || by == BX_PREFETCHER_STRIDE || kind == BX_NON_TEMPORAL;

    return bx_access_prefetch(line, by, load ? BX_LOAD : kind);
}

/* again: it is to the line of the previous access. */
static bx_access access_of(const struct family *f, unsigned agent, bool again, uint64_t *line,
                           uint64_t *dice)
{
    unsigned kind = dice_below(dice, 100), flags = 0;

    kind = kind < f->store ? BX_STORE : kind < f->store + f->fetch ? BX_FETCH : BX_LOAD;
    if (kind == BX_STORE && agent != BX_AGENT_IO && dice_below(dice, 100) < f->non_temporal)
        kind = BX_NON_TEMPORAL;
    if (dice_below(dice, 100) < f->dependent)
        flags |= BX_ACCESS_DEPENDENT;
    if ((agent == BX_AGENT_IO || kind == BX_NON_TEMPORAL) && dice_below(dice, 100) < f->partial)
        flags |= BX_ACCESS_PARTIAL;
    if (dice_below(dice, 100) < f->next && !again)
        *line = (*line + 1) % ((uint64_t)1 << BX_LINE_BITS);
    else if (!again) {
        *line = choose_line(f, agent, dice);
        if (f->divided) /* half of the pages are in the second half of the memory */
            *line ^= (*line >> 7 & 1) << 27;
    }
    unsigned cost = dice_below(dice, f->cost + 1);
    if (f->steer && agent != BX_AGENT_IO && dice_below(dice, 100) < f->steer)
        return steer_random(*line, cost, dice_below(dice, STEERS - 1));
    if (f->prefetch && agent != BX_AGENT_IO && dice_below(dice, 100) < f->prefetch)
        return prefetch_of(*line, kind, dice);
    if (f->locks && agent != BX_AGENT_IO && dice_below(dice, 100) < f->locks)
        return BX_ACCESS_LOCK | (bx_access)cost << 4;
    bool auxiliary = (*line * 0x9e3779b97f4a7c15) >> 60 == 0; /* some lines are a kernel's */
    bool whole = auxiliary && kind == BX_STORE && agent != BX_AGENT_IO;
    bool forwarded = kind == BX_LOAD && agent != BX_AGENT_IO && !(flags & BX_ACCESS_DEPENDENT) &&
                     dice_below(dice, 8) == 0;
    return bx_access_make(*line, kind, flags, cost) | (auxiliary ? BX_ACCESS_AUXILIARY : 0) |
           (whole ? BX_ACCESS_WHOLE : 0) | (forwarded ? BX_ACCESS_FORWARDED : 0);
}

void ivbep_new_traces(struct ivbep_trace traces[BX_AGENTS], const struct family *f, size_t n,
                      uint64_t *dice)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        uint64_t line = 0;
        traces[agent] = (struct ivbep_trace){NULL, 0};
        if (agent >= f->packages * f->cores && !(f->io && agent == BX_AGENT_IO))
            continue;
        bx_access *a = malloc(n * sizeof *a);
        assert_non_null(a);
        for (size_t i = 0; i < n; i++) {
            /* Half of the prefetches have not completed when their line is needed. */
            bool again = i && a[i - 1] & BX_ACCESS_PREFETCH && dice_below(dice, 2);
            a[i] = access_of(f, agent, again, &line, dice);
        }
        traces[agent] = (struct ivbep_trace){a, n};
    }
}

void ivbep_free_traces(struct ivbep_trace traces[BX_AGENTS])
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        free((void *)(uintptr_t)traces[agent].access);
}
