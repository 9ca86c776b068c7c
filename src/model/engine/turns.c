/* Executes the accesses of all agents in order, and undoes what a core has executed too early. */
#include "model/engine/turns.h"

#include "model/engine/attribution.h"
#include "model/part/later.h"

enum { AHEAD_LEAST = 16 };

/* ---- which agent is next ---- */

/* The index of an agent (enum bx_agent). BX_TURNS_NOBODY: this machine has no such agent. */
static unsigned number_of_agent(const struct bx_turns *turns, unsigned agent)
{
    return agent < turns->cores   ? agent
           : agent == BX_AGENT_GT ? turns->gt
           : agent == BX_AGENT_IO ? turns->io
                                  : BX_TURNS_NOBODY;
}

static uint64_t next_key(const struct bx_turns_agent *agent, unsigned i)
{
    if (agent->phase < BX_TURNS_AGENT_READY)
        return BX_TURNS_NO_KEY;
    if (agent->phase == BX_TURNS_AGENT_WAITING)
        return bx_turns_key(agent->turn, i);
    bool known = agent->feed->next != agent->end;
    uint64_t cost = known ? bx_access_cost(*agent->feed->next) : 0;
    return bx_turns_key(agent->clock + cost, i);
}

static uint64_t key_at(const struct bx_turns *turns, unsigned place)
{
    return place < turns->n ? turns->key[turns->heap[place]] : BX_TURNS_NO_KEY;
}

static void put_agent(struct bx_turns *turns, unsigned place, uint8_t agent)
{
    turns->heap[place] = agent;
    turns->place[agent] = (uint8_t)place;
}

/* sift_up and sift_down move the agent at that place of the heap to where its key belongs. */
static void sift_up(struct bx_turns *turns, unsigned place)
{
    uint8_t agent = turns->heap[place];

    for (; place && turns->key[agent] < key_at(turns, (place - 1) / 2); place = (place - 1) / 2)
        put_agent(turns, place, turns->heap[(place - 1) / 2]);
    put_agent(turns, place, agent);
}

static void sift_down(struct bx_turns *turns, unsigned place)
{
    uint8_t agent = turns->heap[place];

    for (;;) {
        unsigned child = 2 * place + 1;
        child += key_at(turns, child + 1) < key_at(turns, child);
        if (key_at(turns, child) >= turns->key[agent])
            break;
        put_agent(turns, place, turns->heap[child]);
        place = child;
    }
    put_agent(turns, place, agent);
}

/* The agent's key has become smaller or stays the same. */
static void move_forward(struct bx_turns *turns, unsigned i)
{
    turns->key[i] = next_key(&turns->agent[i], i);
    sift_up(turns, turns->place[i]);
    turns->limit = turns->key[i] < turns->limit ? turns->key[i] : turns->limit;
}

/* At the beginning of a run, everything that was executed before is final. */
static void order(struct bx_turns *turns)
{
    for (unsigned i = 0; i < turns->n; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->phase != BX_TURNS_AGENT_IDLE)
            bx_turns_settle(agent, agent->feed->next, agent->clock);
        turns->key[i] = next_key(agent, i);
        put_agent(turns, i, (uint8_t)i);
    }
    for (unsigned place = turns->n / 2; place-- > 0;)
        sift_down(turns, place);
}

static uint64_t second_key(const struct bx_turns *turns)
{
    return bx_sooner(key_at(turns, 1), key_at(turns, 2));
}

/* ---- accesses that were executed too early ---- */

/* Sets the agent's times back to where nothing can be undone. */
static void go_to_settled(struct bx_turns_agent *agent)
{
    if (agent->ledger)
        bx_ledger_go_back(agent->ledger);
    bx_cycle_stack_go_back(&agent->stack);
    agent->clock = agent->settled_clock;
    agent->counts.waits.stalls = agent->settled_stalls;
    bx_turns_go_to_late(agent, agent->settled_late, agent->settled_stalled);
    agent->phase = BX_TURNS_AGENT_READY;
}

/* Undoes everything that can be undone, then executes up to the access that is being served. */
static void go_back(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    uint64_t time = turns->serving >> BX_TURNS_NUMBER_BITS;

    m->accesses -= (uint64_t)(agent->feed->next - agent->settled);
    bx_privates_restore(agent->privates);
    agent->feed->next = agent->settled;
    go_to_settled(agent);
    agent->ahead = agent->ahead > 2 * AHEAD_LEAST ? agent->ahead / 2 : AHEAD_LEAST;
    agent->privates->undo.open = false;
    while (next_key(agent, i) < turns->serving)
        bx_agent_run_ahead(m, turns, i, time + (bx_turns_key(time, i) < turns->serving));
    bx_turns_settle(agent, agent->feed->next, agent->clock);
}

void bx_turns_undo(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    if (agent->phase < BX_TURNS_AGENT_READY)
        return;
    if (agent->feed->next != agent->settled) {
        go_back(m, turns, i);
    } else if (agent->phase == BX_TURNS_AGENT_WAITING) { /* it stopped too early */
        go_to_settled(agent);
    }
    move_forward(turns, i);
}

enum bx_snoop_response bx_turns_snoop_in_order(bx_model *m, unsigned core, uint64_t line,
                                               bool invalidate)
{
    if (bx_turns_is_ahead(m->turns, core))
        bx_turns_undo(m, m->turns, core);
    enum bx_snoop_response response =
        bx_privates_snoop(m->turns->agent[core].privates, line, invalidate);
    if (m->attribution && response > BX_SNOOP_MISS)
        bx_attribution_snooped(m, core, line, response == BX_SNOOP_HITM);
    return response;
}

/* ---- a core works, or does not ---- */

/* It waits for what is on its way, and counts as working until then. */
static void end_work(struct bx_turns_agent *agent)
{
    uint64_t end = bx_later(agent->clock, agent->completed);

    if (agent->counts.runs && end > agent->clock)
        bx_cycle_stack_wait(&agent->stack, BX_WAIT_END, bx_core_counts_at(&agent->counts, end),
                            end - agent->clock);
    bx_cycle_stack_settle(&agent->stack);
    bx_core_counts_halt(&agent->counts, end);
}

/* What is still on its way keeps it no longer. */
static void begin_work(struct bx_turns_agent *agent, uint64_t t)
{
    if (!agent->counts.runs && agent->counts.until > t)
        bx_cycle_stack_shorten(&agent->stack, bx_core_counts_unhalted(&agent->counts, t),
                               agent->counts.until - t);
    bx_core_counts_run(&agent->counts, t);
}

/* ---- agents that wait ---- */

/* `time` is not before the agent's own clock: it was the first in order when it was parked. */
static void wake(struct bx_turns *turns, unsigned i, uint64_t time)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    if (agent->phase != BX_TURNS_AGENT_PARKED)
        return;
    agent->phase = BX_TURNS_AGENT_READY;
    if (agent->ledger)
        bx_ledger_drain(agent->ledger, time);
    bx_turns_stall(agent, time - agent->clock);
    agent->clock = time;
    begin_work(agent, time);
    move_forward(turns, i);
}

void bx_turns_wake(bx_model *m, unsigned agent)
{
    unsigned i = number_of_agent(m->turns, agent);

    if (i != BX_TURNS_NOBODY)
        wake(m->turns, i, m->turns->asked ? m->turns->asked->clock : m->time.now);
}

/* Only stores the request. Other agents may still undo what they have executed; has_next() checks
 * after the feed's call. */
void bx_turns_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position)
{
    struct bx_turns_agent *waiter = &m->turns->agent[number_of_agent(m->turns, agent)];

    waiter->waits_for = number_of_agent(m->turns, other);
    waiter->position = position;
}

/* The agent may execute up to the first access that another agent waits for, or to the end of its
 * batch. */
static void set_end(struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    agent->end = agent->feed->end;
    agent->awaited = false;
    for (unsigned w = 0; w < turns->n; w++) {
        const struct bx_turns_agent *waiter = &turns->agent[w];
        if (waiter->phase != BX_TURNS_AGENT_PARKED || waiter->waits_for != i)
            continue;
        agent->awaited = true;
        if (waiter->position < agent->end)
            agent->end = waiter->position + 1;
    }
    bx_turns_end_at_store(agent);
}

/* Wakes the agents whose awaited access has been executed. At the end of the batch, these are
 * all. */
static void wake_waiters(struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    const bx_feed *feed = agent->feed;

    for (unsigned w = 0; w < turns->n; w++)
        if (turns->agent[w].waits_for == i &&
            (turns->agent[w].position < feed->next || feed->next == feed->end))
            wake(turns, w, agent->clock);
    set_end(turns, i);
}

/* Whether the access that agent i waits for is done at the turn of agent i. If not, the other agent
 * has not passed the access, and will stop after it. */
static bool is_done_with(bx_model *m, struct bx_turns *turns, unsigned i)
{
    unsigned o = turns->agent[i].waits_for;
    struct bx_turns_agent *other = &turns->agent[o];

    turns->serving = bx_turns_key(turns->agent[i].clock, i);
    if (bx_turns_is_ahead(turns, o))
        bx_turns_undo(m, turns, o);
    if (other->phase < BX_TURNS_AGENT_READY || other->feed->next > turns->agent[i].position + 1)
        return true;
    if (other->feed->next > turns->agent[i].position && !bx_turns_is_ahead(turns, o))
        return true;
    set_end(turns, o);
    move_forward(turns, o);
    return false;
}

/* ---- runs ---- */

/* The next access is a store. It waits for room in the store buffer. */
static void make_room_for_access(struct bx_turns_agent *agent)
{
    uint64_t made = agent->clock + bx_access_cost(*agent->feed->next);
    uint64_t commit = bx_store_buffer_pass(&agent->store_buffer, agent->feed->end);
    uint64_t stall = commit > made ? commit - made : 0;

    agent->clock += stall;
    bx_turns_note_wait(agent, agent->feed->next, BX_WAIT_STORES, made + stall, stall);
    bx_turns_wait(agent, made, made + stall);
}

/* The agent has stopped before a store. The store may no longer have to wait. */
static void pass_store(struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    agent->stop = NULL;
    if (agent->store_buffer.waiter == agent->feed->next)
        make_room_for_access(agent);
    set_end(turns, i);
}

/* The agent has no more work, and waits for what is on its way. */
static void halt(struct bx_turns_agent *agent)
{
    end_work(agent);
    if (agent->ledger)
        bx_ledger_end(agent->ledger, agent->clock, agent->counts.until);
}

/* The agent has a batch. It may have been parked since its last one, and asked again at once. */
static void begin_batch(bx_model *m, struct bx_turns_agent *agent)
{
    begin_work(agent, agent->clock);
    if (!bx_core_counts_begin_batch(&agent->counts, &m->memory, agent->feed))
        m->out_of_memory = true;
}

/* Asks the agent's feed for a batch. */
static void refill(bx_model *m, struct bx_turns *turns, struct bx_turns_agent *agent)
{
    bx_feed *feed = agent->feed;

    agent->waits_for = BX_TURNS_NOBODY;
    agent->stop = NULL;
    turns->asked = agent;
    bx_store_buffer_end_batch(&agent->store_buffer, feed->next);
    bx_core_counts_retire(&agent->counts, feed);
    if (agent->ledger)
        bx_ledger_settle(agent->ledger, feed, feed->next);
    enum bx_feed_state state = feed->refill(feed);
    turns->asked = NULL;
    if (state != BX_FEED_MORE)
        halt(agent);
    else
        begin_batch(m, agent);
    if (agent->ledger)
        bx_ledger_begin_batch(agent->ledger, feed);
    agent->end = state == BX_FEED_MORE ? feed->end : feed->next;
    bx_store_buffer_begin_batch(&agent->store_buffer, feed->next, agent->end);
    bx_turns_end_at_store(agent);
    agent->phase = state == BX_FEED_MORE  ? BX_TURNS_AGENT_READY
                   : state == BX_FEED_END ? BX_TURNS_AGENT_IDLE
                                          : BX_TURNS_AGENT_PARKED;
}

/* Whether the agent has an access to execute. The feed is asked only if the agent is still the
 * first in order; an agent whose access was just served may not be. */
static bool has_next(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];

    if (agent->feed->next != agent->end)
        return true;
    if (next_key(agent, i) >= turns->limit)
        return false;
    if (agent->awaited)
        wake_waiters(turns, i);
    if (agent->stop && agent->stop == agent->feed->next)
        pass_store(turns, i);
    if (agent->feed->next != agent->end)
        return true;
    do
        refill(m, turns, agent);
    while (agent->phase == BX_TURNS_AGENT_PARKED && agent->waits_for != BX_TURNS_NOBODY &&
           is_done_with(m, turns, i));
    return agent->phase == BX_TURNS_AGENT_READY;
}

/* The agent is the first in order, so what it has executed is final. It runs ahead from there. */
static void run_on(bx_model *m, struct bx_turns *turns, unsigned i, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    bool more = agent->clock < until && has_next(m, turns, i);

    bx_turns_settle(agent, agent->feed->next, agent->clock);
    if (!more)
        return;
    if (agent->ahead < BX_TURNS_AHEAD_MOST)
        agent->ahead += agent->ahead / 16;
    if (agent->privates)
        agent->privates->undo.open = turns->limit != BX_TURNS_NO_KEY;
    bx_agent_run_ahead(m, turns, i, until);
}

/* The first agent takes its turn, if it waits for one. It then runs on while it is the first. */
static void run_first(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    unsigned i = turns->heap[0];
    struct bx_turns_agent *agent = &turns->agent[i];
    uint64_t key;

    turns->limit = second_key(turns);
    do {
        if (agent->phase == BX_TURNS_AGENT_WAITING) {
            turns->serving = bx_turns_key(agent->turn, i);
            bx_agent_serve(m, turns, i);
        }
        if (agent->phase != BX_TURNS_AGENT_WAITING)
            run_on(m, turns, i, until);
        key = next_key(agent, i);
    } while (key < turns->limit && key >> BX_TURNS_NUMBER_BITS < until);
    turns->key[i] = key;
    sift_down(turns, turns->place[i]); /* an agent that it has woken may come before it */
}

/* When the last access has completed. BX_NEVER: more accesses are to come. */
static uint64_t end_of_work(const bx_model *m, const struct bx_turns *turns)
{
    uint64_t end = m->time.now;

    for (unsigned i = 0; i < turns->n; i++) {
        const struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->phase >= BX_TURNS_AGENT_READY)
            return BX_NEVER;
        end = bx_later(end, bx_later(agent->clock, agent->completed));
    }
    return end;
}

static uint64_t first_time(const struct bx_turns *turns)
{
    return key_at(turns, 0) >> BX_TURNS_NUMBER_BITS;
}

/* Runs one cycle in which something is done, so that the counts of cores are exact in each cycle.
 * Its levels are reported, and later alarms called, when the time advances. Nothing else is done
 * before that. */
static void run_a_cycle(bx_model *m, struct bx_turns *turns)
{
    uint64_t cycle = first_time(turns);

    bx_time_advance_to_event(&m->time, cycle);
    turns->running = true;
    while (first_time(turns) <= cycle)
        run_first(m, turns, cycle + 1);
    turns->running = false;
}

/* The first core executes what L1 serves, while it is the first. Returns whether that was anything.
 */
static bool pass_hits(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    unsigned i = turns->heap[0];
    struct bx_turns_agent *agent = &turns->agent[i];
    const bx_access *next = agent->feed->next;

    if (agent->phase != BX_TURNS_AGENT_READY || !agent->privates)
        return false;
    until = bx_sooner(bx_sooner(until, m->time.alarm), second_key(turns) >> BX_TURNS_NUMBER_BITS);
    bx_agent_pass_hits(m, turns, i, until);
    turns->key[i] = next_key(agent, i);
    sift_down(turns, 0);
    return agent->feed->next != next;
}

/* Runs up to `until`, or to the next alarm. Everything before the alarm has been executed then. */
static void run_to_alarm(bx_model *m, struct bx_turns *turns, uint64_t until)
{
    uint64_t alarm = m->time.alarm, stop = alarm > m->time.now && alarm < until ? alarm : until;

    turns->running = true;
    while (first_time(turns) < stop && key_at(turns, 0) != BX_TURNS_NO_KEY)
        run_first(m, turns, stop);
    turns->running = false;
    if (stop < until && key_at(turns, 0) != BX_TURNS_NO_KEY)
        bx_time_advance(&m->time, stop);
}

bool bx_turns_run(bx_model *m, uint64_t until)
{
    struct bx_turns *turns = m->turns;

    if (until < m->time.now)
        until = m->time.now;
    bx_time_advance(&m->time, m->time.now); /* an alarm that is due */
    order(turns);
    while (first_time(turns) < until && key_at(turns, 0) != BX_TURNS_NO_KEY)
        if (!turns->counts_cores || !bx_time_is_watched_closely(&m->time))
            run_to_alarm(m, turns, until);
        else if (bx_time_watches_hits(&m->time) || !pass_hits(m, turns, until))
            run_a_cycle(m, turns);
    uint64_t end = end_of_work(m, turns);
    bx_time_advance(&m->time, end <= until ? end : until);
    return end <= until;
}

/* Of a wait, the pause is none. */
static void pause_wait(struct bx_turns_agent *agent, uint64_t before, uint64_t now)
{
    if (agent->phase == BX_TURNS_AGENT_WAITING)
        agent->stack.paused += now - bx_sooner(now, bx_later(before, agent->clock));
    else if (agent->clock > before)
        bx_cycle_stack_shorten(&agent->stack, bx_core_counts_unhalted(&agent->counts, before),
                               bx_sooner(agent->clock, now) - before);
}

/* An access that has begun is executed at the end of the pause. Others begin at that time. */
void bx_turns_idle(bx_model *m, uint64_t cycles)
{
    struct bx_turns *turns = m->turns;
    uint64_t before = m->time.now, now = before + cycles;

    for (unsigned i = 0; i < turns->n; i++)
        bx_core_counts_pause(&turns->agent[i].counts, before, cycles);
    bx_time_advance(&m->time, now);
    for (unsigned i = 0; i < turns->n; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        bool waits = agent->phase == BX_TURNS_AGENT_WAITING;
        bool begun = agent->phase == BX_TURNS_AGENT_READY && agent->clock < before;
        uint64_t cost = begun ? bx_access_cost(*agent->feed->next) : 0;
        if (!waits && agent->clock + cost < now) {
            bx_turns_stall(agent, now - cost - agent->clock);
            agent->clock = now - cost;
        }
        pause_wait(agent, before, now);
        if (waits && agent->turn < now)
            agent->turn = now;
    }
}

void bx_turns_interrupt_idle(bx_model *m, uint64_t instructions)
{
    struct bx_turns *turns = m->turns;

    for (unsigned i = 0; i < turns->cores; i++)
        if (turns->agent[i].phase == BX_TURNS_AGENT_IDLE)
            bx_core_counts_interrupt(&turns->agent[i].counts, m->time.now, instructions);
}

void bx_turns_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    unsigned i = number_of_agent(m->turns, agent);

    if (i == BX_TURNS_NOBODY)
        return;
    struct bx_turns_agent *a = &m->turns->agent[i];
    if (a->phase != BX_TURNS_AGENT_IDLE)
        bx_core_counts_retire(&a->counts, a->feed);
    for (unsigned w = 0; w < m->turns->n; w++)
        if (m->turns->agent[w].waits_for == i)
            wake(m->turns, w, m->time.now);
    m->turns->queued -= a->queued != 0;
    a->queued = 0;
    a->feed = feed;
    a->end = feed ? feed->end : NULL;
    a->stop = NULL;
    bx_store_buffer_clear(&a->store_buffer);
    a->phase = feed ? BX_TURNS_AGENT_READY : BX_TURNS_AGENT_IDLE;
    a->clock = m->time.now;
    a->ahead = BX_TURNS_AHEAD_MOST;
    if (!feed)
        end_work(a);
    else if (!bx_core_counts_begin_batch(&a->counts, &m->memory, feed))
        m->out_of_memory = true;
    else
        begin_work(a, m->time.now);
}

uint64_t bx_turns_clock(const bx_model *m, unsigned agent)
{
    return m->turns->agent[number_of_agent(m->turns, agent)].clock;
}

void bx_turns_set_prefetchers(bx_model *m, unsigned core, unsigned off)
{
    m->turns->agent[core].privates->prefetchers_off = (uint8_t)off;
}

void bx_turns_catch_up(bx_model *m)
{
    struct bx_turns *turns = m->turns;

    if (!turns->asked)
        return;
    turns->serving = bx_turns_key(turns->asked->clock, (unsigned)(turns->asked - turns->agent));
    bx_time_advance(&m->time, turns->asked->clock);
}
