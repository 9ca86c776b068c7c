/* The oracle of Ivy Bridge-EP: the order of accesses, and power-on. */
#include "machine.h"

#include <stdlib.h>

/* ---- "A core's accesses", "Devices": the order of all agents ---- */

static struct access decode(bx_access a)
{
    if (a >> 56 & 1)
        return (struct access){.line = bx_access_line(a),
                               .kind = a >> 59 & 3,
                               .prefetch = true,
                               .by = (enum bx_prefetcher)(a >> 57 & 3)};
    if (steer_of(a) != STEER_NOT)
        return (struct access){
            .line = bx_access_line(a),
            .kind = steer_kind(steer_of(a)),
            .steer = steer_of(a),
            .cost = a >> 4 & BX_ACCESS_COST_MAX,
            .auxiliary = true,
            .partial = true,
        };
    return (struct access){
        .line = bx_access_line(a),
        .kind = a & 3,
        .auxiliary = a >> 54 & 1,
        .lock = a >> 61 & 1,
        .cost = a >> 4 & BX_ACCESS_COST_MAX,
        .dependent = a & BX_ACCESS_DEPENDENT,
        .partial = a & BX_ACCESS_PARTIAL,
        .whole = a & BX_ACCESS_WHOLE,
        .forwarded = (a & 3) == BX_LOAD && a >> 57 & 1,
    };
}

void ivbep_next_access(struct agent *agent)
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
    if (agent->core == NULL)
        agent->time = later(agent->time, agent->buffer_free[agent->next_buffer]);
    else
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, done, agent->time);
}

static void io_execute(struct ivbep_oracle *o, struct agent *io)
{
    uint64_t completion = ivbep_io_request(o, &io->access, io->time);

    io->buffer_free[io->next_buffer] = completion;
    io->next_buffer = (io->next_buffer + 1) % io->buffers;
    io->clock = io->access.dependent ? completion : io->time;
    o->now = later(o->now, completion);
    ivbep_next_access(io);
}

static unsigned agents(const struct ivbep_oracle *o)
{
    return o->packages * o->cores + 1;
}

static struct agent *who_is_first(struct ivbep_oracle *o)
{
    struct agent *first = NULL;

    for (unsigned i = 0; i < agents(o); i++) {
        struct agent *agent = &o->agent[i];
        if (agent->due && (!first || agent->time < first->time))
            first = agent;
    }
    return first;
}

void ivbep_oracle_run(struct ivbep_oracle *o, const struct ivbep_trace trace[BX_AGENTS])
{
    struct agent *agent;

    for (unsigned i = 0; i < agents(o); i++) {
        const struct ivbep_trace *of = &trace[i + 1 < agents(o) ? i : BX_AGENT_IO];
        agent = &o->agent[i];
        agent->next = of->access;
        agent->end = of->n ? of->access + of->n : of->access;
        agent->clock = agent->ends = o->now;
        agent->has_work = of->n != 0;
        ivbep_next_access(agent);
    }
    uint64_t begin = o->now;
    while ((agent = who_is_first(o)) != NULL)
        if (agent->core)
            ivbep_core_execute(o, agent);
        else
            io_execute(o, agent);
    for (unsigned i = 0; i < agents(o); i++) {
        agent = &o->agent[i];
        o->now = later(o->now, agent->clock);
        if (agent->core && agent->has_work)
            agent->core->counts.unhalted += later(agent->ends, agent->clock) - begin;
    }
}

void ivbep_oracle_idle(struct ivbep_oracle *o, uint64_t cycles)
{
    o->now += cycles;
}

uint64_t ivbep_oracle_now(const struct ivbep_oracle *o)
{
    return o->now;
}

/* ---- power-on ---- */

static void new_unit(struct ivbep_oracle *o, unsigned package, unsigned number,
                     const bx_model_shape *shape)
{
    struct agent *agent = &o->agent[package * o->cores + number];
    struct slice *slice = &o->slice[package][number];

    ivbep_core_new(&o->core[package][number], package, number, shape);
    agent->core = &o->core[package][number];
    agent->buffers = o->times.fill_buffers;
    agent->late.entries = o->times.store_buffer;
    agent->core->queue_entries = o->times.super_queue;
    agent->core->queue_busy = o->times.super_queue_busy;
    agent->core->requests_queue = o->prefetchers;
    slice->package = package;
    slice->number = number;
    slice->sets = o->llc_sets;
    slice->ways = o->llc_ways;
    slice->llc = ivbep_need(calloc((size_t)o->llc_sets * slice->ways, sizeof *slice->llc));
    for (size_t i = 0; i < (size_t)o->llc_sets * slice->ways; i++)
        slice->llc[i].age = 3;
}

struct ivbep_oracle *ivbep_oracle_new(const bx_model_shape *shape, unsigned llc_sets, bool record)
{
    unsigned packages = shape->packages, cores = shape->cores;
    struct ivbep_oracle *o = ivbep_need(calloc(1, sizeof *o));

    if (packages < 1 || packages > PACKAGES || cores < 1 || cores > CORES)
        abort();
    o->packages = packages;
    o->cores = cores;
    o->llc_sets = llc_sets;
    o->llc_ways = shape->llc_ways ? shape->llc_ways : LLC_WAYS;
    o->measured_replacement = shape->measured_replacement;
    o->prefetchers = shape->prefetch;
    o->record = record;
    o->memory = shape->dram;
    o->channels = shape->dram.channels ? shape->dram.channels : CHANNELS;
    o->hz = shape->hz;
    o->times = late_times(shape->times, 34, 40);
    for (unsigned node = 0; node < packages; node++)
        o->dram[node] = oracle_dram_new(&shape->dram, shape->hz);
    o->totals = ivbep_need(calloc((size_t)packages * CORES, sizeof *o->totals));
    for (unsigned p = 0; p < packages; p++)
        for (unsigned c = 0; c < cores; c++)
            new_unit(o, p, c, shape);
    o->agent[packages * cores].buffers = o->times.io_buffers;
    return o;
}

void ivbep_oracle_divide_memory(struct ivbep_oracle *o)
{
    o->divided = true;
}

void ivbep_oracle_set_prefetchers(struct ivbep_oracle *o, unsigned core, unsigned off)
{
    for (unsigned by = 0; by < BX_PREFETCHERS; by++)
        o->core[core / o->cores][core % o->cores].prefetcher_off[by] = off >> by & 1;
}

const struct oracle_core_counts *ivbep_oracle_core_counts(const struct ivbep_oracle *o,
                                                          unsigned core)
{
    return &o->core[core / o->cores][core % o->cores].counts;
}

void ivbep_oracle_free(struct ivbep_oracle *o)
{
    if (o == NULL)
        return;
    for (unsigned node = 0; node < o->packages; node++)
        oracle_dram_free(o->dram[node]);
    for (unsigned p = 0; p < o->packages; p++)
        for (unsigned c = 0; c < o->cores; c++) {
            ivbep_core_free(&o->core[p][c]);
            free(o->slice[p][c].llc);
            free(o->slice[p][c].entry);
        }
    free(o->totals);
    free(o->happening);
    free(o->in_memory);
    free(o);
}

void *ivbep_need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}
