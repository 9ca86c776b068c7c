#include "model/engine/turns.h"

enum { AHEAD_LEAST = 16 };

static uint64_t cost_of(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* ---- who is next ---- */

static uint64_t next_key(const struct bx_turns_agent *agent, unsigned i)
{
    if (agent->phase == BX_TURNS_AGENT_IDLE)
        return BX_TURNS_NO_KEY;
    if (agent->phase == BX_TURNS_AGENT_WAITING)
        return bx_turns_key(agent->turn, i);
    bool known = agent->feed->next != agent->feed->end;
    uint64_t cost = known ? cost_of(*agent->feed->next) : 0;
    return bx_turns_key(agent->clock + cost, i);
}

static uint64_t key_at(const struct bx_turns *turns, unsigned place)
{
    return place < turns->n ? turns->key[turns->heap[place]] : BX_TURNS_NO_KEY;
}

static void put(struct bx_turns *turns, unsigned place, uint8_t agent)
{
    turns->heap[place] = agent;
    turns->place[agent] = (uint8_t)place;
}

/* These move the agent at that place to where its key belongs. */
static void sift_up(struct bx_turns *turns, unsigned place)
{
    uint8_t agent = turns->heap[place];

    for (; place && turns->key[agent] < key_at(turns, (place - 1) / 2); place = (place - 1) / 2)
        put(turns, place, turns->heap[(place - 1) / 2]);
    put(turns, place, agent);
}

static void sift_down(struct bx_turns *turns, unsigned place)
{
    uint8_t agent = turns->heap[place];

    for (;;) {
        unsigned child = 2 * place + 1;
        child += key_at(turns, child + 1) < key_at(turns, child);
        if (key_at(turns, child) >= turns->key[agent])
            break;
        put(turns, place, turns->heap[child]);
        place = child;
    }
    put(turns, place, agent);
}

/* At the beginning of a run nothing is undone any more: it begins where the one before ended. */
static void order(struct bx_turns *turns)
{
    for (unsigned i = 0; i < turns->n; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->phase != BX_TURNS_AGENT_IDLE)
            bx_turns_settle(agent, agent->feed->next, agent->clock);
        turns->key[i] = next_key(agent, i);
        put(turns, i, (uint8_t)i);
    }
    for (unsigned place = turns->n / 2; place-- > 0;)
        sift_down(turns, place);
}

static uint64_t second_key(const struct bx_turns *turns)
{
    uint64_t left = key_at(turns, 1), right = key_at(turns, 2);
    return left < right ? left : right;
}

/* ---- accesses that were executed too early ---- */

/* Goes back to where nobody can undo, and from there to the access that is served. */
static void go_back(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    uint64_t time = turns->serving >> BX_TURNS_NUMBER_BITS;

    m->accesses -= (uint64_t)(agent->feed->next - agent->settled);
    turns->restore(m, turns, i);
    agent->feed->next = agent->settled;
    agent->clock = agent->settled_clock;
    agent->phase = BX_TURNS_AGENT_READY;
    agent->ahead = agent->ahead > 2 * AHEAD_LEAST ? agent->ahead / 2 : AHEAD_LEAST;
    agent->undo->open = false;
    while (next_key(agent, i) < turns->serving)
        turns->run_ahead(m, turns, i, time + (bx_turns_key(time, i) < turns->serving));
    bx_turns_settle(agent, agent->feed->next, agent->clock);
}

void bx_turns_undo(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    if (agent->phase == BX_TURNS_AGENT_IDLE)
        return;
    if (agent->feed->next != agent->settled) {
        go_back(m, turns, i);
    } else if (agent->phase == BX_TURNS_AGENT_WAITING) { /* it stopped too early */
        agent->clock = agent->settled_clock;
        agent->phase = BX_TURNS_AGENT_READY;
    }
    turns->key[i] = next_key(agent, i); /* earlier than before, or the same */
    sift_up(turns, turns->place[i]);
    turns->limit = turns->key[i] < turns->limit ? turns->key[i] : turns->limit;
}

/* ---- runs ---- */

static bool has_next(struct bx_turns_agent *agent)
{
    if (agent->feed->next != agent->feed->end || agent->feed->refill(agent->feed))
        return true;
    agent->phase = BX_TURNS_AGENT_IDLE;
    return false;
}

/* The agent is the first in order: what it has executed stays. It runs ahead from there. */
static void run_on(bx_model *m, struct bx_turns *turns, unsigned i, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    bool more = agent->clock < until && has_next(agent);

    bx_turns_settle(agent, agent->feed->next, agent->clock);
    if (!more)
        return;
    if (agent->ahead < BX_TURNS_AHEAD_MOST)
        agent->ahead += agent->ahead / 16;
    if (agent->undo)
        agent->undo->open = turns->limit != BX_TURNS_NO_KEY;
    turns->run_ahead(m, turns, i, until);
}

/* The first agent takes its turn if it waits for one, and runs on, for as long as it is the first.
 */
static void run_first(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    unsigned i = turns->heap[0];
    struct bx_turns_agent *agent = &turns->agent[i];
    uint64_t key;

    turns->limit = second_key(turns);
    do {
        if (agent->phase == BX_TURNS_AGENT_WAITING) {
            turns->serving = bx_turns_key(agent->turn, i);
            turns->serve(m, turns, i);
        }
        run_on(m, turns, i, until);
        key = next_key(agent, i);
    } while (key < turns->limit && key >> BX_TURNS_NUMBER_BITS < until);
    turns->key[i] = key;
    sift_down(turns, 0);
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
    order(turns);
    while (key_at(turns, 0) >> BX_TURNS_NUMBER_BITS < until && key_at(turns, 0) != BX_TURNS_NO_KEY)
        run_first(m, turns, until);
    uint64_t end = end_of_work(m, turns);
    bx_time_advance(&m->time, end <= until ? end : until);
    return end <= until;
}

/* An access that has begun is executed when the pause is over; others begin then. */
void bx_turns_idle(bx_model *m, struct bx_turns *turns, uint64_t cycles)
{
    uint64_t before = m->time.now, now = before + cycles;

    bx_time_advance(&m->time, now);
    for (unsigned i = 0; i < turns->n; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        bool waits = agent->phase == BX_TURNS_AGENT_WAITING;
        bool begun = agent->phase == BX_TURNS_AGENT_READY && agent->clock < before;
        uint64_t cost = begun ? cost_of(*agent->feed->next) : 0;
        if (!waits && agent->clock + cost < now)
            agent->clock = now - cost;
        if (waits && agent->turn < now)
            agent->turn = now;
    }
}

void bx_turns_feed(bx_model *m, struct bx_turns *turns, unsigned agent, bx_feed *feed)
{
    struct bx_turns_agent *a = &turns->agent[agent];

    a->feed = feed;
    a->phase = feed ? BX_TURNS_AGENT_READY : BX_TURNS_AGENT_IDLE;
    a->clock = m->time.now;
    a->ahead = BX_TURNS_AHEAD_MOST;
}
