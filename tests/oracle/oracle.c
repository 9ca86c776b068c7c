#include "machine.h"

#include <stdlib.h>

struct access decode(bx_access a)
{
    return (struct access){
        .line = a >> 16 & 0xffffffffff,
        .kind = a & 3,
        .cost = a >> 4 & BX_ACCESS_COST_MAX,
        .dependent = a & BX_ACCESS_DEPENDENT,
        .partial = a & BX_ACCESS_PARTIAL,
    };
}

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
        o->core[c].number = c;
        new_cache(&o->core[c].l1d, L1_SETS, L1_WAYS);
        new_cache(&o->core[c].l1i, L1_SETS, L1_WAYS);
        new_cache(&o->core[c].l2, L2_SETS, L2_WAYS);
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
    for (unsigned c = 0; c < o->cores; c++) {
        free_cache(&o->core[c].l1d);
        free_cache(&o->core[c].l1i);
        free_cache(&o->core[c].l2);
    }
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
