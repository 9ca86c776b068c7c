/* "A line's turns": a line that is on its way to a core has no other turn. */
#include "machine.h"

#include <stdlib.h>

static unsigned find_taken(const struct oracle *o, uint64_t line)
{
    unsigned i = 0;

    while (i < ORACLE_TAKEN && (o->taken[i].line != line || !o->taken[i].by))
        i++;
    return i;
}

static bool another_is_before(const struct oracle *o, const struct agent *agent)
{
    for (unsigned i = 0; i < o->cores; i++) {
        const struct agent *other = &o->agent[i];
        if (other != agent && other->queued && other->access.line == agent->access.line &&
            (!agent->queued || other->queued < agent->queued))
            return true;
    }
    return false;
}

uint64_t line_turn(const struct oracle *o, const struct agent *agent)
{
    unsigned i = find_taken(o, agent->access.line);

    if (i < ORACLE_TAKEN && o->taken[i].arrives >= agent->time)
        return o->taken[i].by == agent ? agent->time : o->taken[i].arrives + 1;
    return another_is_before(o, agent) ? agent->time + 1 : agent->time;
}

bool waits_for_line(struct oracle *o, struct agent *agent)
{
    uint64_t turn = line_turn(o, agent);

    if (turn == agent->time) {
        agent->queued = 0;
        return false;
    }
    if (!agent->queued)
        agent->queued = ++o->came;
    oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, turn);
    agent->time = turn;
    return true;
}

/* The line is on its way to another core. */
static bool another_has_it(const struct oracle *o, const struct agent *agent)
{
    unsigned i = find_taken(o, agent->access.line);

    return i < ORACLE_TAKEN && o->taken[i].by != agent && o->taken[i].arrives >= agent->time;
}

uint64_t wait_in_buffer(const struct oracle *o, const struct agent *agent)
{
    const struct access *x = &agent->access;

    if (x->kind != BX_STORE || x->dependent || x->whole || x->steer || !agent->needs_buffer ||
        !another_has_it(o, agent) || another_is_before(o, agent))
        return 0;
    return o->taken[find_taken(o, x->line)].arrives + 1 - agent->time;
}

bool is_to_come(const struct oracle *o, const struct agent *agent)
{
    const struct access *x = &agent->access;
    const struct core *core = agent->core;

    if (x->kind > BX_STORE || x->dependent || x->whole || x->steer || !another_has_it(o, agent))
        return false;
    for (unsigned i = 0; i < o->times.fill_buffers; i++)
        if (core->buffer_free[i] > agent->time && core->buffer_store[i] &&
            core->buffer_line[i] == x->line)
            return true;
    return false;
}

void line_is_taken(struct oracle *o, const struct agent *agent, uint64_t completion)
{
    const struct access *x = &agent->access;
    unsigned i = find_taken(o, x->line);

    if (x->kind != BX_STORE && agent->core->source == ORACLE_LLC)
        return;
    if (i == ORACLE_TAKEN)
        for (i = 0; i < ORACLE_TAKEN && o->taken[i].by && o->taken[i].arrives >= agent->time; i++)
            continue;
    if (i == ORACLE_TAKEN)
        abort();
    if (o->taken[i].line != x->line || o->taken[i].by != agent || o->taken[i].arrives < completion)
        o->taken[i] = (struct taken){x->line, completion, agent};
}
