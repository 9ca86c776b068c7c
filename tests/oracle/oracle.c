#include "machine.h"

#include <stdlib.h>

/* ---- turns ---- */

static struct agent *whose_turn(struct oracle *o)
{
    struct agent *first = NULL;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        struct agent *agent = &o->agent[i];
        if (agent->waiting && (!first || agent->time < first->time))
            first = agent;
    }
    return first;
}

static void run_ahead(struct oracle *o, struct agent *agent)
{
    agent->waiting = false;
    if (agent->core)
        core_run_ahead(o, agent);
    else
        device_issue(agent);
}

void oracle_run(struct oracle *o, const struct oracle_trace trace[BX_AGENTS])
{
    struct agent *agent;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        agent = &o->agent[i];
        agent->next = trace[agent->number].access;
        agent->end = agent->next + trace[agent->number].n;
        agent->clock = o->counts.end;
        o->counts.accesses += trace[agent->number].n;
        run_ahead(o, agent);
    }
    while ((agent = whose_turn(o)) != NULL) {
        uint64_t completion = agent->core ? core_serve(o, agent) : device_serve(o, agent);
        o->counts.end = later(o->counts.end, completion);
        run_ahead(o, agent);
    }
    for (unsigned i = 0; i < o->cores + 2; i++)
        o->counts.end = later(o->counts.end, o->agent[i].clock);
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
    o->llc_sets = shape->llc_bytes / shape->slices / ORACLE_LLC_WAYS / 64;
    o->llc = need(calloc(o->slices * o->llc_sets * ORACLE_LLC_WAYS, sizeof *o->llc));
    o->record = record;
    for (unsigned c = 0; c < o->cores; c++) {
        core_new(&o->core[c], c);
        o->agent[c].number = c;
        o->agent[c].core = &o->core[c];
    }
    o->agent[o->cores].number = BX_AGENT_GT;
    o->agent[o->cores + 1].number = BX_AGENT_IO;
    return o;
}

void oracle_free(struct oracle *o)
{
    if (o == NULL)
        return;
    for (unsigned c = 0; c < o->cores; c++)
        core_free(&o->core[c]);
    free(o->llc);
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
