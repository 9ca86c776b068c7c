/* Runs the cores and the device of a server machine: private accesses here, others at their
 * turn. */
#include "model/server/agents.h"

static struct bx_server_agents *agents_of(struct bx_turns *turns)
{
    return (struct bx_server_agents *)(void *)turns;
}

/* The agent's next access waits for its turn, and for the buffer that it will use. */
static void wait_turn(struct bx_turns_agent *agent, bx_access a, uint64_t time)
{
    uint64_t buffer = a & BX_ACCESS_PREFETCH ? 0 : agent->buffer_free[agent->next_buffer];

    agent->phase = BX_TURNS_AGENT_WAITING;
    agent->clock = time;
    agent->turn = buffer > time ? buffer : time;
}

static void run_ahead(bx_model *m, struct bx_turns *turns, unsigned i, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    struct bx_server_caches *caches = agents_of(turns)->caches[i];
    const bx_access *next = agent->feed->next, *begin = next;
    const bx_access *end = bx_turns_ahead_end(agent);

    for (; next < end; next++) {
        if (caches) {
            uint64_t bound = agent->limit < until ? agent->limit : until;
            next = bx_last_lines_pass(&caches->last, next, end, &agent->clock, bound);
            if (next == end)
                break;
        }
        unsigned cost = (unsigned)(*next >> 4 & BX_ACCESS_COST_MAX);
        if (agent->clock + cost >= agent->limit)
            bx_turns_wait_for_late(agent, cost);
        uint64_t time = agent->clock + cost;
        if (time >= until)
            break;
        int cycles = caches ? bx_server_caches_access(caches, *next, time) : BX_SERVER_UNCORE;
        if (cycles == BX_SERVER_LOCK) {
            agent->clock = bx_turns_finish(agent, time);
            continue;
        }
        if (cycles < 0) {
            wait_turn(agent, *next, time);
            break;
        }
        agent->clock = time + (unsigned)cycles;
    }
    agent->feed->next = next;
    m->accesses += (uint64_t)(next - begin);
}

/* Executes an access to a line that is on its way into L2. Returns when the line arrives, or 0 if
 * the access is another one. */
static __attribute__((noinline)) uint64_t wait_for_prefetch(struct bx_server_caches *caches,
                                                            bx_access a, uint64_t t)
{
    uint64_t done = bx_server_caches_wait(caches, a, t);

    if (!done)
        return 0;
    bx_server_caches_access(caches, a, BX_NEVER);
    bx_core_count_flight(caches->counts, a, bx_server_access_kind(a));
    return done;
}

/* Executes an access that the uncore serves, or that waits for a prefetch. */
static uint64_t access_uncore(bx_model *m, struct bx_turns *turns, unsigned i, bx_access a)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    struct bx_server_caches *caches = agents_of(turns)->caches[i];
    bool any = caches && caches->super_queue.latest > agent->turn;
    uint64_t done = any ? wait_for_prefetch(caches, a, agent->turn) : 0;

    if (!done)
        done = agents_of(turns)->access(m, i, a, agent->turn);
    bool waits = a & BX_ACCESS_DEPENDENT || (agent->undo && bx_server_access_kind(a) == BX_FETCH);

    agent->buffer_free[agent->next_buffer] = done;
    agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
    bx_core_waits_begin(&agent->counts.waits, agent->turn, done);
    if (agent->bounded)
        bx_turns_add_late(agent, agent->feed->next - 1, agent->turn, done);
    agent->clock = waits ? done : agent->turn;
    if (waits)
        bx_turns_wait(agent, agent->turn, done);
    return done;
}

static void serve(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    struct bx_server_caches *caches = agents_of(turns)->caches[i];
    bx_access a = *agent->feed->next++;

    bx_time_advance_to_event(&m->time, agent->turn);
    bx_turns_wait(agent, agent->clock, agent->turn);
    bx_turns_settle(agent, agent->feed->next, agent->turn);
    /* a snoop may have changed the caches since the core stopped */
    int cycles = caches ? bx_server_caches_access(caches, a, agent->turn) : BX_SERVER_UNCORE;
    uint64_t done = agent->clock = agent->turn + (unsigned)(cycles > 0 ? cycles : 0);
    if (cycles < 0)
        done = a & BX_ACCESS_PREFETCH /* no access waits for it */
                   ? agents_of(turns)->access(m, i, a, agent->turn)
                   : access_uncore(m, turns, i, a);
    if (done > agent->completed)
        agent->completed = done;
    agent->phase = BX_TURNS_AGENT_READY;
    m->accesses++;
}

static void restore(bx_model *m, struct bx_turns *turns, unsigned i)
{
    (void)m;
    bx_server_caches_restore(agents_of(turns)->caches[i]);
}

void bx_server_add_agent(struct bx_server_agents *agents, struct bx_server_caches *caches,
                         const bx_model_times *times, unsigned buffers)
{
    unsigned i = agents->turns.n++;

    if (times)
        bx_turns_bound(&agents->agent[i], times);
    agents->agent[i].limit = BX_NEVER;
    agents->caches[i] = caches;
    agents->agent[i].undo = caches ? &caches->undo : NULL;
    if (caches)
        caches->counts = &agents->agent[i].counts;
    agents->agent[i].buffers = buffers;
}

void bx_server_agents_power_on(bx_model *m, struct bx_server_agents *agents,
                               uint64_t (*access)(bx_model *m, unsigned agent, bx_access a,
                                                  uint64_t t))
{
    agents->access = access;
    m->turns = &agents->turns;
    agents->turns.cores = agents->turns.io = agents->turns.n - 1;
    agents->turns.gt = BX_TURNS_NOBODY;
    agents->turns.agent = agents->agent;
    agents->turns.run_ahead = run_ahead;
    agents->turns.serve = serve;
    agents->turns.restore = restore;
}

void bx_server_agents_free(struct bx_server_agents *agents)
{
    for (unsigned i = 0; i < agents->turns.n; i++)
        bx_core_counts_free(&agents->agent[i].counts);
}

enum bx_server_core_response bx_server_snoop(bx_model *m, struct bx_server_agents *agents,
                                             unsigned core, uint64_t line, bool invalidate)
{
    struct bx_server_caches *caches = agents->caches[core];

    if (bx_turns_is_ahead(&agents->turns, core) &&
        (caches->undo.lost || bx_server_caches_have(caches, line)))
        bx_turns_undo(m, &agents->turns, core);
    return bx_server_caches_snoop(caches, line, invalidate);
}

void bx_server_set_prefetchers(bx_model *m, unsigned core, unsigned off)
{
    agents_of(m->turns)->caches[core]->prefetchers_off = (uint8_t)off;
}
