#include "model/engine/turns.h"

static bool has_next(struct bx_turns_agent *agent)
{
    if (agent->feed->next != agent->feed->end || agent->feed->refill(agent->feed))
        return true;
    agent->phase = BX_TURNS_AGENT_IDLE;
    return false;
}

/* Its next access waits for its turn, and for the buffer that it will use. */
static void wait_turn(struct bx_turns_agent *agent)
{
    agent->phase = BX_TURNS_AGENT_WAITING;
    agent->turn = agent->clock;
    if (agent->buffer_free[agent->next_buffer] > agent->turn)
        agent->turn = agent->buffer_free[agent->next_buffer];
}

/* Brings an agent to its next turn, to its end, or (a core) its clock to `until`. */
static void run_ahead(bx_model *m, struct bx_turns *turns, unsigned i, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    while (agent->phase == BX_TURNS_AGENT_READY && (agent->clock < until || !agent->core) &&
           has_next(agent)) {
        bx_access a = *agent->feed->next;
        agent->clock += a >> 4 & BX_ACCESS_COST_MAX;
        int cycles = agent->core ? turns->try_private(m, i, a) : -1;
        if (cycles < 0) {
            wait_turn(agent);
            return;
        }
        agent->clock += (unsigned)cycles;
        agent->feed->next++;
        m->accesses++;
    }
}

static void all_run_ahead(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    for (unsigned i = 0; i < turns->n; i++)
        run_ahead(m, turns, i, until);
}

/* The agent whose turn is first; turns->n: no agent waits. */
static unsigned first_in_turn(const struct bx_turns *turns)
{
    unsigned first = turns->n;

    for (unsigned i = 0; i < turns->n; i++)
        if (turns->agent[i].phase == BX_TURNS_AGENT_WAITING &&
            (first == turns->n || turns->agent[i].turn < turns->agent[first].turn))
            first = i;
    return first;
}

/* An access that the uncore serves at the agent's turn. Returns the completion. */
static uint64_t access_uncore(bx_model *m, struct bx_turns *turns, unsigned i, bx_access a)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    uint64_t done = turns->serve(m, i, a, agent->turn);
    bool waits = a & BX_ACCESS_DEPENDENT || (agent->core && (a & 3) >= BX_FETCH);

    agent->buffer_free[agent->next_buffer] = done;
    agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
    agent->clock = waits ? done : agent->turn;
    return done;
}

static void serve(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    bx_access a = *agent->feed->next++;

    bx_time_advance_to_event(&m->time, agent->turn);
    /* Since the core stopped, a snoop may have changed its caches, either way. */
    int cycles = agent->core ? turns->try_private(m, i, a) : -1;
    uint64_t done = agent->clock = agent->turn + (unsigned)(cycles > 0 ? cycles : 0);
    if (cycles < 0)
        done = access_uncore(m, turns, i, a);
    if (done > agent->completed)
        agent->completed = done;
    agent->phase = BX_TURNS_AGENT_READY;
    m->accesses++;
}

/* When the last access has completed; BX_NEVER: there are more to come. */
static uint64_t end_of_work(const bx_model *m, const struct bx_turns *turns)
{
    uint64_t end = m->time.now;

    for (unsigned i = 0; i < turns->n; i++) {
        const struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->phase != BX_TURNS_AGENT_IDLE)
            return BX_NEVER;
        end = agent->clock > end ? agent->clock : end;
        end = agent->completed > end ? agent->completed : end;
    }
    return end;
}

bool bx_turns_run(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    if (until < m->time.now)
        until = m->time.now;
    bx_time_advance(&m->time, m->time.now); /* an alarm that is due */
    for (;;) {
        /* A core need not run past `until` unless another agent is served before that. */
        all_run_ahead(m, turns, until);
        unsigned first = first_in_turn(turns);
        if (first == turns->n || turns->agent[first].turn >= until)
            break;
        all_run_ahead(m, turns, BX_NEVER);
        serve(m, turns, first_in_turn(turns));
    }
    uint64_t end = end_of_work(m, turns);
    bx_time_advance(&m->time, end <= until ? end : until);
    return end <= until;
}

void bx_turns_idle(bx_model *m, struct bx_turns *turns, uint64_t cycles)
{
    bx_time_advance(&m->time, m->time.now + cycles);
    for (unsigned i = 0; i < turns->n; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->clock < m->time.now)
            agent->clock = m->time.now;
        if (agent->turn < m->time.now)
            agent->turn = m->time.now;
    }
}

void bx_turns_feed(bx_model *m, struct bx_turns *turns, unsigned agent, bx_feed *feed)
{
    struct bx_turns_agent *a = &turns->agent[agent];

    a->feed = feed;
    a->phase = feed ? BX_TURNS_AGENT_READY : BX_TURNS_AGENT_IDLE;
    a->clock = m->time.now;
}
