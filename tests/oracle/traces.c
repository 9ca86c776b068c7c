/* Implements traces.h. */
#include "traces.h"

#include "dram.h"
#include "late.h"
#include "steering.h"

#include <stdlib.h>

#define SHAPE(cores, slices, llc_kib)                                                              \
    {                                                                                              \
        1, cores, slices, (uint64_t)(llc_kib) << 10                                                \
    }

static const struct trace_family families[] = {
    {.name = "friendly",
     .shape = SHAPE(1, 4, 8192),
     .hot = 90,
     .hot_lines = 300,
     .warm = 9,
     .warm_lines = 3000,
     .store = 30,
     .non_temporal = 20,
     .fetch = 10,
     .dependent = 20,
     .cost = 4},
    {.name = "hostile",
     .shape = SHAPE(1, 1, 2048),
     .hot = 10,
     .hot_lines = 300,
     .warm = 60,
     .warm_lines = 100000,
     .store = 40,
     .non_temporal = 20,
     .fetch = 5,
     .dependent = 10,
     .cost = 30},
    {.name = "sharing",
     .shape = SHAPE(4, 4, 8192),
     .hot = 30,
     .hot_lines = 100,
     .warm = 10,
     .warm_lines = 5000,
     .shared = 60,
     .shared_lines = 200,
     .store = 30,
     .non_temporal = 20,
     .fetch = 10,
     .dependent = 30,
     .partial = 40,
     .cost = 20},
    {.name = "pingpong",
     .shape = SHAPE(4, 2, 4096),
     .hot = 10,
     .hot_lines = 20,
     .shared = 90,
     .shared_lines = 4,
     .store = 50,
     .non_temporal = 20,
     .fetch = 5,
     .dependent = 50,
     .partial = 40,
     .cost = 100},
    {.name = "conflict",
     .shape = SHAPE(2, 4, 8192),
     .hot = 5,
     .hot_lines = 100,
     .conflict = 95,
     .conflict_lines = 40,
     .store = 60,
     .non_temporal = 20,
     .fetch = 15,
     .dependent = 30,
     .cost = 10},
    {.name = "chains",
     .shape = SHAPE(3, 4, 1024),
     .hot = 20,
     .hot_lines = 600,
     .warm = 70,
     .warm_lines = 20000,
     .shared = 10,
     .shared_lines = 50,
     .store = 10,
     .fetch = 5,
     .dependent = 95,
     .cost = 3},
    {.name = "devices",
     .shape = SHAPE(4, 4, 2048),
     .devices = true,
     .hot = 20,
     .hot_lines = 200,
     .shared = 60,
     .shared_lines = 500,
     .warm = 15,
     .warm_lines = 4000,
     .store = 40,
     .fetch = 10,
     .dependent = 20,
     .partial = 70,
     .cost = 60},
    {.name = "small LLC",
     .shape = SHAPE(4, 1, 64),
     .devices = true,
     .hot = 30,
     .hot_lines = 300,
     .warm = 40,
     .warm_lines = 3000,
     .shared = 25,
     .shared_lines = 300,
     .store = 40,
     .fetch = 10,
     .dependent = 20,
     .partial = 50,
     .cost = 40},
    {.name = "small slices",
     .shape = SHAPE(2, 4, 256),
     .devices = true,
     .hot = 30,
     .hot_lines = 500,
     .warm = 30,
     .warm_lines = 5000,
     .conflict = 35,
     .conflict_lines = 60,
     .store = 50,
     .non_temporal = 20,
     .fetch = 15,
     .dependent = 10,
     .partial = 30,
     .cost = 15},
    {.name = "all at once",
     .shape = SHAPE(4, 2, 512),
     .devices = true,
     .warm = 50,
     .warm_lines = 2000,
     .shared = 50,
     .shared_lines = 100,
     .store = 40,
     .non_temporal = 20,
     .fetch = 10,
     .partial = 50},
};

const struct trace_family *trace_families(size_t *n)
{
    *n = sizeof families / sizeof *families;
    return families;
}

struct trace_family trace_family_random(uint64_t *random)
{
    unsigned slices = 1u << random_below(random, 3);
    unsigned rest = 100, hot, warm, shared;

    uint32_t ways = random_below(random, 2) ? 4 + (uint32_t)random_below(random, 21) : 0;

    rest -= hot = (unsigned)random_below(random, rest);
    rest -= warm = (unsigned)random_below(random, rest);
    rest -= shared = (unsigned)random_below(random, rest);
    struct trace_family f = {
        .name = "random",
        .shape = {.packages = 1,
                  .cores = 1 + (uint32_t)random_below(random, 4),
                  .slices = slices,
                  .llc_ways = ways,
                  .llc_bytes = (uint64_t)slices * (ways ? ways : 16)
                               << (12 + random_below(random, 6)),
                  .measured_replacement = random_below(random, 2),
                  .times = late_times_of_trial(random_below(random, 10000)),
                  .dram = oracle_dram_of_trial(random_below(random, 10000)),
                  .hz = 4000000000},
        .devices = random_below(random, 2),
        .hot = hot,
        .hot_lines = 1 + (unsigned)random_below(random, 600),
        .warm = warm,
        .warm_lines = 1 + (unsigned)random_below(random, 50000),
        .shared = shared,
        .shared_lines = 1 + (unsigned)random_below(random, 2000),
        .conflict = (unsigned)random_below(random, rest + 1),
        .conflict_lines = 1 + (unsigned)random_below(random, 60),
        .store = (unsigned)random_below(random, 80),
        .fetch = (unsigned)random_below(random, 21),
        .dependent = (unsigned)random_below(random, 101),
        .partial = (unsigned)random_below(random, 101),
        .non_temporal = random_below(random, 2) ? (unsigned)random_below(random, 101) : 0,
        .cost = (unsigned)random_below(random, random_below(random, 2) ? 10 : 400),
        .prefetch = random_below(random, 2) ? (unsigned)random_below(random, 80) : 0,
        .locks = random_below(random, 2) ? (unsigned)random_below(random, 20) : 0,
    };
    f.steer = random_below(random, 2) ? (unsigned)random_below(random, 40) : 0;
    f.shape.prefetch = f.prefetch != 0;
    return f;
}

static uint64_t choose_line(const struct trace_family *f, unsigned agent, uint64_t *random)
{
    uint64_t own = (uint64_t)(agent + 1) << 24;
    unsigned percent = (unsigned)random_below(random, 100);

    if (percent < f->hot)
        return own + random_below(random, f->hot_lines);
    percent -= f->hot;
    if (percent < f->warm)
        return own + random_below(random, f->warm_lines);
    percent -= f->warm;
    if (percent < f->shared)
        return random_below(random, f->shared_lines);
    percent -= f->shared;
    if (percent < f->conflict)
        return random_below(random, f->conflict_lines) * (random_below(random, 4) ? 1024 : 64);
    return random_below(random, (uint64_t)1 << 37);
}

/* Prefetches into L1D are loads only. */
static bx_access prefetch_of(uint64_t line, unsigned kind, uint64_t *random)
{
    enum bx_prefetcher by = (enum bx_prefetcher)random_below(random, BX_PREFETCHERS);
    bool load = by == BX_PREFETCHER_NEXT || by == BX_PREFETCHER_STRIDE || kind == BX_NON_TEMPORAL;

    return bx_access_prefetch(line, by, load ? BX_LOAD : kind);
}

static bx_access lock_of(const struct trace_family *f, unsigned cost, uint64_t *random)
{
    if (f->bus_locks && random_below(random, 100) < f->bus_locks)
        return bx_access_steer(0, BX_STEER_LOCK_BUS) | BX_ACCESS_DEPENDENT | (bx_access)cost << 4;
    return BX_ACCESS_LOCK | (bx_access)cost << 4;
}

/* again: it is to the line of the previous access. */
static bx_access access_of(const struct trace_family *f, unsigned agent, bool again, uint64_t *line,
                           uint64_t *random)
{
    unsigned kind = (unsigned)random_below(random, 100), flags = 0;
    bool device = agent >= BX_AGENT_GT;

    kind = kind < f->store ? BX_STORE : kind < f->store + f->fetch ? BX_FETCH : BX_LOAD;
    if (kind == BX_STORE && !device && random_below(random, 100) < f->non_temporal)
        kind = BX_NON_TEMPORAL;
    if (random_below(random, 100) < f->dependent)
        flags |= BX_ACCESS_DEPENDENT;
    if (random_below(random, 100) < f->partial)
        flags |= BX_ACCESS_PARTIAL;
    /* A device continues with the same line in two of five cases: partial writes that merge. */
    if (!again && (!device || random_below(random, 5) >= 2))
        *line = choose_line(f, agent, random);
    unsigned cost = (unsigned)random_below(random, f->cost + 1);
    if (!device && f->steer && random_below(random, 100) < f->steer)
        return steer_random(*line, cost, random_below(random, STEERS - 1));
    if (!device && f->prefetch && random_below(random, 100) < f->prefetch)
        return prefetch_of(*line, kind, random);
    if (!device && f->locks && random_below(random, 100) < f->locks)
        return lock_of(f, cost, random);
    if (!device && f->registers && random_below(random, 100) < f->registers)
        return bx_access_uncacheable(*line >> 4, kind == BX_LOAD ? BX_LOAD : BX_STORE, flags, cost);
    bool auxiliary = (*line * 0x9e3779b97f4a7c15) >> 60 == 0; /* some lines are a kernel's */
    bool whole = auxiliary && kind == BX_STORE && !device;
    bool forwarded = kind == BX_LOAD && !device && !(flags & BX_ACCESS_DEPENDENT) &&
                     random_below(random, 8) == 0;
    return bx_access_make(*line, kind, flags, cost) | (auxiliary ? BX_ACCESS_AUXILIARY : 0) |
           (whole ? BX_ACCESS_WHOLE : 0) | (forwarded ? BX_ACCESS_FORWARDED : 0);
}

void traces_new(struct oracle_trace traces[BX_AGENTS], const struct trace_family *family,
                size_t accesses, uint64_t *random)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        uint64_t line = 0;
        traces[agent] = (struct oracle_trace){NULL, 0};
        if (agent >= family->shape.cores && !(family->devices && agent >= BX_AGENT_GT))
            continue;
        bx_access *a = malloc(accesses * sizeof *a);
        if (a == NULL)
            abort();
        for (size_t i = 0; i < accesses; i++) {
            /* Half of the prefetches have not completed when their line is needed. */
            bool again = i && a[i - 1] & BX_ACCESS_PREFETCH && random_below(random, 2);
            a[i] = access_of(family, agent, again, &line, random);
        }
        traces[agent] = (struct oracle_trace){a, accesses};
    }
}

void traces_free(struct oracle_trace traces[BX_AGENTS])
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        free((void *)(uintptr_t)traces[agent].access);
}
