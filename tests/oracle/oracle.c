/* The client's oracle: the order of accesses, and power-on. */
#include "machine.h"

#include <stdlib.h>

/* ---- "Order" ---- */

void agent_next(struct agent *agent)
{
    agent->stopped = false;
    agent->due = agent->next != agent->end;
    if (!agent->due)
        return;
    agent->access = decode(*agent->next++);
    uint64_t done = agent->clock + agent->access.cost;
    agent->time = agent->clock =
        late_time(&agent->late, agent->access.cost,
                  agent->access.kind == BX_STORE && !agent->access.prefetch &&
                      agent->access.steer == STEER_NOT,
                  done);
    if (agent->core)
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, done, agent->time);
}

void work_lasts_until(struct oracle *o, uint64_t completion)
{
    o->counts.end = later(o->counts.end, completion);
}

static struct agent *who_is_first(struct oracle *o)
{
    struct agent *first = NULL;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        struct agent *agent = &o->agent[i];
        if (agent->due && (!first || agent->time < first->time))
            first = agent;
    }
    return first;
}

void oracle_run(struct oracle *o, const struct oracle_trace trace[BX_AGENTS])
{
    struct agent *agent;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        agent = &o->agent[i];
        agent->next = trace[agent->number].access;
        size_t n = trace[agent->number].n;
        agent->end = n ? agent->next + n : agent->next;
        agent->clock = agent->ends = o->counts.end;
        o->counts.accesses += n;
        agent_next(agent);
    }
    uint64_t begin = o->counts.end;
    while ((agent = who_is_first(o)) != NULL)
        if (agent->core)
            core_execute(o, agent);
        else
            device_execute(o, agent);
    for (unsigned i = 0; i < o->cores + 2; i++) {
        agent = &o->agent[i];
        work_lasts_until(o, agent->clock);
        if (agent->core && trace[agent->number].n)
            agent->core->counts.unhalted += later(agent->ends, agent->clock) - begin;
    }
}

void oracle_idle(struct oracle *o, uint64_t cycles)
{
    o->counts.end += cycles;
}

/* ---- power-on ---- */

struct oracle *oracle_new(const bx_model_shape *shape, bool record)
{
    struct oracle *o = need(calloc(1, sizeof *o));

    if (shape->packages != 1 || shape->cores > ORACLE_CORES || shape->slices > ORACLE_SLICES)
        abort();
    o->cores = shape->cores;
    o->slices = shape->slices;
    o->llc_ways = shape->llc_ways ? shape->llc_ways : ORACLE_LLC_WAYS;
    o->llc_sets = shape->llc_bytes / shape->slices / o->llc_ways / 64;
    o->llc = need(calloc(o->slices * o->llc_sets * o->llc_ways, sizeof *o->llc));
    o->record = record;
    o->times = late_times(shape->times, 34, 0);
    bx_model_dram dram = shape->dram;
    static const unsigned hashed[] = {8, 9, 12, 13, 15, 18}; /* bits of an address */
    for (unsigned i = 0; dram.channels == 2 && i < sizeof hashed / sizeof *hashed; i++)
        dram.channel_hash |= UINT64_C(1) << hashed[i] >> 6;
    o->dram = oracle_dram_new(&dram, shape->hz);
    for (unsigned c = 0; c < o->cores; c++) {
        core_new(&o->core[c], c, shape);
        o->agent[c].number = c;
        o->agent[c].core = &o->core[c];
        o->agent[c].late.entries = o->times.store_buffer;
        o->core[c].queue_entries = o->times.super_queue;
        o->core[c].queue_busy = o->times.super_queue_busy;
        o->core[c].requests_queue = shape->prefetch;
    }
    o->agent[o->cores].number = BX_AGENT_GT;
    o->agent[o->cores + 1].number = BX_AGENT_IO;
    return o;
}

void oracle_set_prefetchers(struct oracle *o, unsigned core, unsigned off)
{
    for (unsigned by = 0; by < BX_PREFETCHERS; by++)
        o->core[core].prefetcher_off[by] = off >> by & 1;
}

void oracle_free(struct oracle *o)
{
    if (o == NULL)
        return;
    for (unsigned c = 0; c < o->cores; c++)
        core_free(&o->core[c]);
    free(o->llc);
    oracle_dram_free(o->dram);
    free(o->log.event);
    free(o->log.entry);
    free(o);
}

const struct oracle_counts *oracle_counts(const struct oracle *o)
{
    return &o->counts;
}

const struct oracle_log *oracle_log(const struct oracle *o)
{
    return &o->log;
}

const struct oracle_core_counts *oracle_core_counts(const struct oracle *o, unsigned core)
{
    return &o->core[core].counts;
}

uint64_t oracle_clock(const struct oracle *o, unsigned agent)
{
    for (unsigned i = 0; i < o->cores + 2; i++)
        if (o->agent[i].number == agent)
            return o->agent[i].clock;
    abort();
}

void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}
