/* Agents at work. A core runs through private accesses, ahead of other agents, and uses the uncore
 * at its turns. A device always waits for its turn. */
#include "model/engine/line_queue.h"

#include "model/engine/attribution.h"
#include "model/part/later.h"
#include "model/part/private_step.h"

/* ---- turns ---- */

static inline bool needs_buffer(int need)
{
    return need == BX_STEP_MISS || need == BX_STEP_IN_FLIGHT;
}

/* The time of an access that needs the uncore. A miss waits for the fill buffer that it will use,
 * and for an entry of the super queue. */
static inline uint64_t turn_of(const struct bx_turns_agent *agent, uint64_t clock, int need)
{
    if (!needs_buffer(need))
        return clock;
    uint64_t turn = bx_later(agent->buffer_free[agent->next_buffer], clock);
    if (need == BX_STEP_MISS && agent->privates && agent->privates->requests_queue)
        turn = bx_super_queue_free_at(&agent->privates->super_queue, turn);
    return turn;
}

static inline bool is_waited_for(bx_access a)
{
    return a & BX_ACCESS_DEPENDENT || bx_access_kind_of(a) == BX_FETCH;
}

/* The line has been filled, but a load's is not there yet. Nor is a store's that comes from another
 * core's cache: docs/explanation/model-order.md, "A line is there when it has arrived". */
static inline void await_line(const struct bx_turns_agent *agent, bx_access a,
                              enum bx_core_count from, uint64_t t, uint64_t completion)
{
    struct bx_privates *p = agent->privates;
    bool from_core = from >= BX_CORE_FROM_CORE_CLEAN && from <= BX_CORE_FROM_PACKAGE_DIRTY;
    bool store = bx_access_kind_of(a) == BX_STORE;

    if (is_waited_for(a) || (store && (!from_core || a & BX_ACCESS_WHOLE)) || completion <= t)
        return;
    unsigned i = bx_super_queue_put(&p->arrivals, bx_access_line(a), t, completion);
    if (i < p->arrivals.entries)
        p->arrives_from[i] = (uint8_t)agent->cause;
}

/* Writes the modified lines back that an access has replaced. */
static __attribute__((noinline)) void write_back(bx_model *m, struct bx_turns *turns, unsigned core,
                                                 uint64_t t)
{
    struct bx_privates *p = turns->agent[core].privates;

    for (unsigned i = 0; i < p->victims; i++) {
        if (!p->victim[i].dirty)
            continue;
        if (m->attribution)
            bx_attribution_write_back(m, core, p->victim[i].line);
        turns->uncore->write_back(m, core, &p->victim[i], t);
        bx_note_evicted(m);
    }
    p->victims = 0;
}

static inline void take_victims(bx_model *m, struct bx_turns *turns, unsigned core, uint64_t t)
{
    if (turns->agent[core].privates->victims)
        write_back(m, turns, core, t);
}

/* The lines that a core has written back. */
struct written {
    uint64_t by_l1d, by_l2;
};

static inline struct written written_by(const struct bx_privates *p)
{
    const uint64_t *count = p->counts->count;
    return (struct written){count[BX_CORE_L1D_WRITE_BACKS], count[BX_CORE_L2_WRITE_BACKS]};
}

/* The cycles for which lines have moved that the core has written back since then. */
static inline uint64_t cycles_since(const struct bx_privates *p, struct written then)
{
    struct written now = written_by(p);
    return p->l2_line * (now.by_l1d - then.by_l1d) + p->llc_line * (now.by_l2 - then.by_l2);
}

static inline void note_request(bx_model *m, unsigned core, const struct bx_turns_agent *agent,
                                const bx_access *at)
{
    if (agent->ledger)
        bx_attribution_ask(m, core, agent->feed, at);
}

/* Serves a prefetch that hits L2, or requests its line: docs/explanation/model-prefetchers.md.
 * Returns the cycles for which lines move. */
static uint64_t serve_prefetch(bx_model *m, struct bx_turns *turns, unsigned core,
                               const bx_access *at, uint64_t t, int need)
{
    bx_access a = *at;
    struct bx_turns_agent *agent = &turns->agent[core];
    struct bx_privates *p = agent->privates;
    struct written then = written_by(p);
    struct bx_grant grant;
    uint64_t completion, moves = 0;

    if (need != BX_STEP_PREFETCH) {
        bx_privates_step_prefetch(p, a, t, true, false);
        take_victims(m, turns, core, t);
        return p->l2_line + cycles_since(p, then);
    }
    if (bx_line_turn_of(turns, core, bx_access_line(a), t, BX_NEVER) > t)
        return 0;
    note_request(m, core, agent, at);
    if (bx_privates_prefetches_llc(p, a, t)) {
        completion = turns->uncore->prefetch_llc(m, core, a, t, &grant.from);
        bx_super_queue_put(&p->super_queue, bx_access_line(a), t, completion);
    } else {
        completion = turns->uncore->request(m, core, bx_access_prefetched(a), t, &grant);
        bx_line_take(m, turns, core, bx_access_prefetched(a), grant.from, t, completion);
        bx_privates_fill_prefetch(p, a, grant.state, t, completion);
        take_victims(m, turns, core, t);
        moves = p->llc_line + cycles_since(p, then);
    }
    bx_privates_count_prefetch(p, grant.from);
    agent->completed = bx_later(agent->completed, completion);
    return moves;
}

/* What the core waits for. */
static inline void set_cause(struct bx_turns_agent *agent, bx_access a, enum bx_cause cause)
{
    agent->cause = bx_cause_of_access(a, cause);
}

static inline void take_buffer(struct bx_turns_agent *agent, bx_access a, uint64_t completion)
{
    agent->buffer_free[agent->next_buffer] = completion;
    agent->buffer_line[agent->next_buffer] = BX_TURNS_NO_LINE;
    if (bx_waits_in_buffer(a)) {
        agent->buffer_line[agent->next_buffer] = bx_access_line(a);
        agent->storing = bx_later(agent->storing, completion);
    }
    agent->next_buffer = agent->next_buffer + 1 == agent->buffers ? 0 : agent->next_buffer + 1;
}

/* Lines move for so many cycles from t on. The core does nothing else. */
static inline uint64_t move_lines(struct bx_turns_agent *agent, uint64_t t, uint64_t cycles)
{
    bx_turns_stall(agent, cycles);
    return t + cycles;
}

/* Completes an access; its fill buffer is busy until then. Returns the clock after it. bounded: the
 * core has a window or a limited store buffer. moves: the cycles for which lines move. */
static inline uint64_t end_access(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                                  uint64_t completion, bool takes_buffer, bool bounded,
                                  uint64_t moves)
{
    bx_core_waits_begin(&agent->counts.waits, t, completion);
    if (takes_buffer)
        take_buffer(agent, *at, completion);
    agent->completed = bx_later(agent->completed, completion);
    if (bounded && takes_buffer)
        bx_turns_add_late(agent, at, t, completion);
    if (!is_waited_for(*at))
        return move_lines(agent, t, moves);
    bx_turns_wait(agent, t, completion);
    return t + moves > completion ? move_lines(agent, completion, t + moves - completion)
                                  : completion;
}

/* Serves prefetches, and accesses that a private level serves. */
static __attribute__((noinline)) uint64_t serve_private(bx_model *m, struct bx_turns *turns,
                                                        unsigned core, const bx_access *at,
                                                        uint64_t t, int need)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    struct bx_privates *p = agent->privates;
    bx_access a = bx_access_steered(*at);

    if (a & BX_ACCESS_PREFETCH) {
        set_cause(agent, a, need == BX_STEP_PREFETCH ? BX_WAIT_LLC : BX_WAIT_L2);
        return move_lines(agent, t, serve_prefetch(m, turns, core, at, t, need));
    }
    struct written then = written_by(p);
    uint64_t completion =
        need == BX_STEP_IN_FLIGHT ? bx_super_queue_until(&p->super_queue, bx_access_line(a), t) : 0;
    unsigned cycles = bx_privates_use_at_turn(p, a);
    take_victims(m, turns, core, t);
    uint64_t moves = cycles_since(p, then);
    set_cause(agent, *at, completion ? BX_WAIT_FLIGHT : BX_WAIT_L2);
    if (completion)
        bx_core_count_flight(p->counts, a, bx_access_kind_of(a));
    if (*at & BX_ACCESS_STEER) /* a prefetch */
        return move_lines(agent, t, p->l2_line + moves);
    await_line(agent, a, BX_CORE_FROM_LLC, t, completion);
    if (completion)
        return end_access(agent, at, t, completion, true, agent->bounded, p->l2_line + moves);
    return move_lines(agent, t, cycles + moves);
}

/* A store past the caches, or a flush, takes the core's own copies. A modified one is written back
 * first. */
static void give_up_line(bx_model *m, struct bx_turns *turns, unsigned core, uint64_t line,
                         uint64_t t)
{
    struct bx_private_victim copy = {.line = line, .by = line, .dirty = true};

    if (bx_privates_snoop(turns->agent[core].privates, line, true) == BX_SNOOP_HITM)
        turns->uncore->write_back(m, core, &copy, t);
}

/* What a core waits for that waits for a line from there. */
static enum bx_cause cause_of(enum bx_core_count from)
{
    switch (from) {
    case BX_CORE_FROM_MEMORY:
        return BX_WAIT_MEMORY;
    case BX_CORE_FROM_REMOTE_MEMORY:
        return BX_WAIT_REMOTE_MEMORY;
    case BX_CORE_FROM_CORE_CLEAN:
    case BX_CORE_FROM_CORE_DIRTY:
        return BX_WAIT_CORE;
    case BX_CORE_FROM_PACKAGE_CLEAN:
    case BX_CORE_FROM_PACKAGE_DIRTY:
        return BX_WAIT_PACKAGE;
    default:
        return BX_WAIT_LLC;
    }
}

/* Whether the request of a store is for ownership alone: the core has the line, or overwrites all
 * of it. */
static inline bool asks_for_no_data(const struct bx_privates *p, bx_access a)
{
    return bx_access_kind_of(a) == BX_STORE &&
           (a & BX_ACCESS_WHOLE || bx_privates_have(p, bx_access_line(a)));
}

/* The request of an access is in the super queue from t to its completion. */
static inline uint64_t queued(struct bx_privates *p, uint64_t t, uint64_t completion)
{
    if (p->requests_queue)
        bx_super_queue_take(&p->super_queue, t, completion);
    return completion;
}

/* Serves a miss at t. Returns its completion. *moves: the cycles for which lines move. */
static __attribute__((noinline)) uint64_t serve_miss(bx_model *m, struct bx_turns *turns,
                                                     unsigned core, bx_access asked, uint64_t t,
                                                     uint64_t *moves)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    struct bx_privates *p = agent->privates;
    struct written then = written_by(p);
    struct bx_grant grant;
    bx_access a = bx_access_steered(asked);

    if (bx_access_locks_bus(asked)) {
        set_cause(agent, asked, BX_WAIT_LOCK);
        *moves = 0;
        return turns->uncore->lock_bus(m, core, t);
    }
    if (bx_access_is_uncacheable(a) && turns->uncore->uncacheable) {
        set_cause(agent, asked, BX_WAIT_MEMORY);
        p->counts->count[BX_CORE_FROM_DEVICE] += bx_access_instruction(a) == BX_LOAD;
        *moves = 0;
        return queued(p, t, turns->uncore->uncacheable(m, core, a, t));
    }
    if (bx_access_kind_of(a) == BX_NON_TEMPORAL) {
        give_up_line(m, turns, core, bx_access_line(a), t);
        set_cause(agent, asked, BX_WAIT_MEMORY);
        *moves = bx_access_flushes(a) ? 0 : p->llc_line;
        return queued(p, t, turns->uncore->non_temporal_store(m, core, a, t));
    }
    bool no_data = asks_for_no_data(p, a);
    uint64_t completion =
        queued(p, t, turns->uncore->request(m, core, a, t, &grant) + agent->delay);
    agent->delay = 0;
    bx_line_take(m, turns, core, a, grant.from, t, completion);
    bx_privates_count_request(p, a, grant.from);
    set_cause(agent, asked, cause_of(grant.from));
    if (asked & BX_ACCESS_STEER)
        bx_privates_fill_steered(p, asked, grant.state);
    else
        bx_privates_fill(p, a, grant.state);
    await_line(agent, a, grant.from, t, completion);
    take_victims(m, turns, core, t);
    *moves = cycles_since(p, then) + (no_data ? 0 : p->l2_line + p->llc_line);
    if (turns->uncore->follow && !(a & BX_ACCESS_WHOLE))
        turns->uncore->follow(m, core, a, t);
    return completion;
}

/* Serves an access at t. `need` is what the core found; it is still valid. Returns the clock after
 * it. */
static inline uint64_t serve(bx_model *m, struct bx_turns *turns, unsigned core,
                             struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                             int need, bool takes_buffer, bool bounded)
{
    uint64_t moves;

    if (agent->ledger)
        bx_attribution_turn(m, core, agent->feed, at);
    if (need != BX_STEP_MISS)
        return serve_private(m, turns, core, at, t, need);
    note_request(m, core, agent, at);
    uint64_t completion = serve_miss(m, turns, core, *at, t, &moves);
    return end_access(agent, at, t, completion, takes_buffer, bounded, moves);
}

static inline void note_wait(struct bx_turns_agent *agent, const bx_access *at, enum bx_cause cause,
                             uint64_t to, uint64_t cycles)
{
    bx_turns_note_wait(agent, at, bx_cause_of_access(*at, cause), to, cycles);
}

/* An access has been served, and the core waited for it. */
static inline void note_served(bx_model *m, unsigned core, struct bx_turns_agent *agent,
                               const bx_access *at, enum bx_cause cause, uint64_t to,
                               uint64_t cycles)
{
    bx_turns_note_wait(agent, at, cause, to, cycles);
    if (agent->ledger)
        bx_attribution_served(m, core, agent->feed, at);
}

/* An access that no cache can serve makes no request: its bytes come from a store of the core, or
 * go where an earlier store waits. */
static inline bool needs_no_line(const struct bx_turns *turns, unsigned core, bx_access a,
                                 uint64_t t)
{
    return bx_access_is_forwarded(a) || bx_line_is_to_come(turns, core, a, t);
}

/* If a snoop has changed a copy since the core stopped, `need` is determined again; that of a
 * prefetch always, as the turn may have become later. If the line is not free, the core waits on.
 */
static void core_serve(bx_model *m, struct bx_turns *turns, unsigned core)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    const bx_access *at = agent->feed->next;
    int need = agent->need;
    bool takes_buffer = needs_buffer(need);

    bx_turns_wait(agent, agent->clock, agent->turn);
    bx_turns_note_wait(agent, at, bx_turns_pending(agent), agent->turn,
                       bx_turns_waited(agent, agent->turn));
    agent->stack.paused = 0;
    agent->clock = agent->turn;
    if (agent->privates->snooped || *at & BX_ACCESS_PREFETCH)
        need = bx_privates_step(agent->privates, *at, agent->turn, false);
    if (need == BX_STEP_MISS && needs_no_line(turns, core, *at, agent->turn))
        need = 0;
    bool queues =
        need == BX_STEP_MISS && bx_line_queues(turns, core, *at, agent->clock, takes_buffer);
    bx_turns_settle(agent, queues ? at : at + 1, agent->clock);
    bx_time_advance_to_event(&m->time, agent->clock);
    if (queues)
        return;
    agent->feed->next = at + 1;
    if (need >= 0)
        agent->clock = move_lines(agent, agent->turn, (unsigned)need);
    else
        agent->clock =
            serve(m, turns, core, agent, at, agent->turn, need, takes_buffer, agent->bounded);
    note_served(m, core, agent, at, need >= 0 ? bx_cause_of_access(*at, BX_WAIT_L2) : agent->cause,
                agent->clock, agent->clock - agent->turn);
    agent->phase = BX_TURNS_AGENT_READY;
    m->accesses++;
}

/* ---- running ahead ---- */

/* Skips the accesses from `next` on that the filter passes, which are most accesses. Adds their
 * cost, and that of the first one that misses, to *clock. The clock is in sixteenths of a
 * cycle, because an access has its cost in bits 15:4. but: accesses with these bits are taken for
 * misses. */
static inline __attribute__((always_inline)) const bx_access *
skip_hits(const struct bx_last_lines *last, const bx_access *next, const bx_access *end,
          uint64_t *clock, bx_access but)
{
    uint64_t sum = *clock;

    for (; next < end; next++) {
        bx_access a = *next;
        sum += a & 0xfff0;
        if (!bx_last_lines_repeats(last, a) || a & but)
            break;
    }
    *clock = sum;
    return next;
}

/* The same; while a line is on its way, accesses that might wait for it are not skipped. plain: no
 * line is. */
static inline const bx_access *next_miss(const struct bx_privates *p, const bx_access *next,
                                         const bx_access *end, uint64_t *clock, bool plain)
{
    if (plain || !bx_privates_have_arrivals(p, *clock >> 4))
        return skip_hits(&p->last, next, end, clock, 0);
    return skip_hits(&p->last, next, end, clock, BX_ACCESS_DEPENDENT);
}

/* Skips prefetches of lines that the caches have. They cost nothing, and often come in groups. */
static inline const bx_access *skip_prefetched(const struct bx_privates *p, const bx_access *next,
                                               const bx_access *end)
{
    while (next < end && *next & BX_ACCESS_PREFETCH && bx_privates_have_prefetched(p, *next))
        next++;
    return next;
}

/* A core that runs: its next access, and its clock in sixteenths of a cycle. The accesses from
 * `executed` to `next` have changed nothing. */
struct run {
    const bx_access *next, *executed;
    uint64_t clock;
};

/* The core has waited for its turn, and now queues for the line. */
static inline void reach_turn(struct bx_turns_agent *agent, struct run *run, uint64_t turn,
                              bool keep)
{
    uint64_t clock = run->clock >> 4;

    bx_turns_wait(agent, clock, turn);
    note_wait(agent, run->next, BX_WAIT_BUFFER, turn, turn - clock);
    run->clock = turn << 4;
    if (keep)
        bx_turns_settle(agent, run->next, turn);
}

/* Serves an access that is not private, if no other agent comes before. false: the core waits. */
static inline bool take_turn(bx_model *m, struct bx_turns *turns, unsigned core,
                             struct bx_turns_agent *agent, struct run *run, int need,
                             uint64_t until, bool keep, bool plain)
{
    uint64_t clock = run->clock >> 4, turn = turn_of(agent, clock, need);
    uint64_t key = bx_turns_key(turn, core);

    if (need == BX_STEP_MISS && needs_no_line(turns, core, *run->next, clock))
        return true;
    bool waits = key >= turns->limit || turn >= until, queues = false;
    if (waits)
        agent->turn = turn;
    else if (need == BX_STEP_MISS)
        queues = bx_line_queues(turns, core, *run->next, turn, true);
    if (queues)
        reach_turn(agent, run, turn, keep);
    if (waits || queues) {
        agent->phase = BX_TURNS_AGENT_WAITING;
        agent->need = need;
        agent->privates->snooped = false;
        return false;
    }
    turns->serving = key;
    bx_time_advance_to_event(&m->time, turn);
    bx_turns_wait(agent, clock, turn);
    note_wait(agent, run->next, BX_WAIT_BUFFER, turn, turn - clock);
    clock = serve(m, turns, core, agent, run->next, turn, need, needs_buffer(need),
                  !plain && agent->bounded);
    note_served(m, core, agent, run->next, agent->cause, clock, clock - turn);
    if (keep)
        bx_turns_settle(agent, run->next + 1, clock);
    run->clock = clock << 4;
    return true;
}

/* Neither a locked operation nor a mispredicted branch waits for a turn. */
static void wait_without_turn(struct bx_turns_agent *agent, struct run *run)
{
    uint64_t clock = run->clock >> 4, cycles = bx_access_line(*run->next), done = clock + cycles;

    if (cycles)
        bx_turns_wait(agent, clock, done);
    else
        done = bx_turns_finish(agent, clock);
    note_wait(agent, run->next, cycles ? BX_WAIT_BRANCH : BX_WAIT_LOCK, done, done - clock);
    run->clock = done << 4;
}

/* What a line is waited for that arrives then. */
static enum bx_cause arrives_from(const struct bx_privates *p, uint64_t line, uint64_t arrival)
{
    const struct bx_super_queue *q = &p->arrivals;
    unsigned i = 0;

    while (q->line[i] != line || q->until[i] != arrival)
        i++;
    return (enum bx_cause)p->arrives_from[i];
}

/* Nor does an access of a line that is on its way. */
static __attribute__((noinline)) void await_arrival(struct bx_turns_agent *agent, struct run *run,
                                                    bool keep)
{
    struct bx_privates *p = agent->privates;
    uint64_t clock = run->clock >> 4, line = bx_access_line(*run->next);
    uint64_t arrival = bx_super_queue_until(&p->arrivals, line, clock);

    bx_turns_wait(agent, clock, arrival);
    note_wait(agent, run->next, arrives_from(p, line, arrival), arrival, arrival - clock);
    bx_privates_step(p, *run->next, arrival, keep);
    run->clock = arrival << 4;
}

/* Goes back over hits of the filter, which change nothing, to the first one at or after `until`. */
static inline void leave_out(struct run *run, uint64_t until)
{
    while (run->next > run->executed && run->clock >> 4 >= until)
        run->clock -= *--run->next & 0xfff0;
}

/* Runs up to the first access at or after `until`, up to `end`, or until the core waits. Without
 * `plain` it also stops before an access that waits for a late load. Returns the first access that
 * it has not executed.
 * keep: what it executes may have to be undone.
 * far: `until` is so far away that only turns must be compared with it.
 * plain: there are no prefetchers, the core is not bounded, and no line is on its way. */
static inline __attribute__((always_inline)) const bx_access *
run_to(bx_model *m, struct bx_turns *turns, unsigned core, struct bx_turns_agent *agent,
       const bx_access *end, uint64_t until, bool keep, bool far, bool plain)
{
    struct bx_privates *p = agent->privates;
    uint64_t bound = plain ? until : bx_sooner(until, agent->limit);
    struct run run = {agent->feed->next, agent->feed->next, agent->clock << 4};

    while ((run.next = next_miss(p, run.next, end, &run.clock, plain)) < end) {
        if (!far && run.clock >> 4 >= bound) {
            run.clock -= *run.next & 0xfff0;
            break;
        }
        uint64_t t = plain ? BX_NEVER : run.clock >> 4; /* BX_NEVER: no line is on its way */
        bool prefetch = !plain && *run.next & BX_ACCESS_PREFETCH;
        if (prefetch && bx_privates_have_prefetched(p, *run.next)) {
            run.next = skip_prefetched(p, run.next + 1, end);
            continue;
        }
        int need = prefetch ? bx_privates_step_prefetch(p, *run.next, t, false, keep)
                            : bx_privates_step(p, *run.next, t, keep);
        if (need > 0) { /* 0: a hit of L1 */
            run.clock += (uint64_t)need << 4;
            note_wait(agent, run.next, BX_WAIT_L2, run.clock >> 4, (unsigned)need);
            if (!plain) {
                bx_turns_stall(agent, (unsigned)need);
                bound = bx_sooner(until, agent->limit);
            }
        } else if (need == BX_STEP_LOCK)
            wait_without_turn(agent, &run);
        else if (need == BX_STEP_ARRIVES)
            await_arrival(agent, &run, keep);
        else if (need < 0 && !take_turn(m, turns, core, agent, &run, need, until, keep, plain))
            break;
        run.executed = ++run.next;
        if (need == BX_STEP_LOCK || need == BX_STEP_ARRIVES ||
            (plain && need == BX_STEP_MISS && bx_privates_have_arrivals(p, run.clock >> 4)))
            break;
        if (!plain && need < 0) { /* the access may have become the first late one */
            bound = bx_sooner(until, agent->limit);
            end = agent->end < end ? agent->end : end;
        }
    }
    if (!far && agent->phase == BX_TURNS_AGENT_READY)
        leave_out(&run, bound);
    agent->clock = run.clock >> 4;
    return run.next;
}

/* run_to() in four variants: most accesses need fewer checks, so each case has its own loop. */
typedef const bx_access *run_variant(bx_model *m, struct bx_turns *turns, unsigned core,
                                     struct bx_turns_agent *agent, const bx_access *end,
                                     uint64_t until);
#define VARIANT(name, keep, far, plain)                                                            \
    static __attribute__((noinline)) const bx_access *name(                                        \
        bx_model *m, struct bx_turns *turns, unsigned core, struct bx_turns_agent *agent,          \
        const bx_access *end, uint64_t until)                                                      \
    {                                                                                              \
        return run_to(m, turns, core, agent, end, until, keep, far, plain);                        \
    }
VARIANT(run_alone, false, true, true)
VARIANT(run_among_others, true, true, true)
VARIANT(run_exactly, agent->privates->undo.open, false, true)
VARIANT(run_with_bounds, agent->privates->undo.open, false, false)

/* The most cycles that a private access can take. */
enum {
    ACCESS_MOST = BX_ACCESS_COST_MAX + BX_L2_CYCLES_MOST + BX_LINE_CYCLES_MOST,
    FEW_ACCESSES = 16
};

static const bx_access *earlier(const bx_access *end, const bx_access *next, uint64_t accesses)
{
    return (uint64_t)(end - next) < accesses ? end : next + accesses;
}

/* Runs up to `until`. plain: as for run_to(). */
static inline __attribute__((always_inline)) void
run_until(bx_model *m, struct bx_turns *turns, unsigned core, uint64_t until, bool plain)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    const bx_access *next = agent->feed->next, *end = bx_turns_ahead_end(agent);
    plain = plain && !bx_privates_have_arrivals(agent->privates, agent->clock);
    uint64_t cycles = until - agent->clock, most = cycles / 2 / ACCESS_MOST;

    /* If not, the number of accesses is limited: some cost nothing, and the core must not go far
     * beyond `until`. */
    bool far = plain && most >= FEW_ACCESSES;
    run_variant *run = !plain                       ? run_with_bounds
                       : !far                       ? run_exactly
                       : agent->privates->undo.open ? run_among_others
                                                    : run_alone;

    end = earlier(end, next, far ? most : cycles);
    if (far)
        until -= (uint64_t)(end - next) * ACCESS_MOST;
    agent->feed->next = run(m, turns, core, agent, end, until);
    m->accesses += (uint64_t)(agent->feed->next - next);
}

static unsigned next_cost(const struct bx_turns_agent *agent)
{
    return bx_access_cost(*agent->feed->next);
}

/* Runs a core that is bounded. An access that is too far past a late load waits for the load. A
 * core that runs alone continues after that. */
static __attribute__((noinline)) void run_bounded(bx_model *m, struct bx_turns *turns,
                                                  unsigned core, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[core];

    do {
        bx_turns_wait_for_late(agent, next_cost(agent));
        if (agent->clock + next_cost(agent) >= until)
            return;
        run_until(m, turns, core, until, false);
    } while (!agent->privates->undo.open && agent->phase == BX_TURNS_AGENT_READY &&
             agent->feed->next != agent->end && agent->clock + next_cost(agent) < until);
}

/* ---- devices ---- */

static void device_run_ahead(struct bx_turns_agent *agent, uint64_t until)
{
    uint64_t time = agent->clock + next_cost(agent);

    if (time >= until)
        return;
    agent->clock = time;
    agent->turn = agent->buffers ? turn_of(agent, time, BX_STEP_MISS) : time;
    agent->phase = BX_TURNS_AGENT_WAITING;
}

static void device_serve(bx_model *m, struct bx_turns *turns, unsigned i)
{
    struct bx_turns_agent *agent = &turns->agent[i];
    bx_access a = *agent->feed->next++;

    bx_time_advance_to_event(&m->time, agent->turn);
    uint64_t completion = turns->uncore->device_access(m, i, a, agent->turn);
    if (m->attribution)
        bx_attribution_device(m, a);
    if (agent->buffers)
        take_buffer(agent, a, completion);
    agent->clock = a & BX_ACCESS_DEPENDENT ? completion : agent->turn;
    agent->completed = bx_later(agent->completed, completion);
    agent->phase = BX_TURNS_AGENT_READY;
    m->accesses++;
}

/* ---- both ---- */

void bx_agent_run_ahead(bx_model *m, struct bx_turns *turns, unsigned i, uint64_t until)
{
    const struct bx_turns_agent *agent = &turns->agent[i];

    if (!agent->privates)
        device_run_ahead(&turns->agent[i], until);
    else if (agent->bounded || turns->prefetch)
        run_bounded(m, turns, i, until);
    else
        run_until(m, turns, i, until, true);
}

void bx_agent_serve(bx_model *m, struct bx_turns *turns, unsigned i)
{
    if (turns->agent[i].privates)
        core_serve(m, turns, i);
    else
        device_serve(m, turns, i);
}
