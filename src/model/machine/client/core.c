/* A core of the client machine: it runs ahead through private accesses and uses the uncore at its
 * turns. */
#include "model/machine/client/core_step.h"
#include "model/machine/client/uncore.h"

/* ---- snoops ---- */

/* Whether a core has the line when the access being served snoops it. */
static bool has_in_order(struct bx_client *m, unsigned core, uint64_t line)
{
    if (bx_turns_is_ahead(&m->turns, core))
        bx_turns_undo(&m->model, &m->turns, core);
    return bx_client_core_has(m->core[core], line);
}

enum bx_snoop_response bx_client_share(struct bx_client *m, unsigned core, uint64_t line)
{
    return has_in_order(m, core, line) ? bx_client_core_share_copies(m->core[core], line)
                                       : BX_SNOOP_MISS;
}

enum bx_snoop_response bx_client_invalidate(struct bx_client *m, unsigned core, uint64_t line)
{
    return has_in_order(m, core, line) ? bx_client_core_invalidate_copies(m->core[core], line)
                                       : BX_SNOOP_MISS;
}

/* ---- uncore accesses: rules 1 to 4 of docs/explanation/model-client.md ---- */

/* Rule 2 for RD and CODE. *granted becomes the state that the core gets. */
static inline __attribute__((always_inline)) struct bx_client_snoop_result
hit_read(struct bx_client *m, struct bx_client_llc_line at, unsigned reader, uint64_t line,
         enum bx_line_state *granted)
{
    struct bx_client_snoop_result result =
        bx_client_snoop_share(m, at, reader, line, BX_SNOOP_XCORE);
    unsigned cores = bx_client_llc_cores(at);
    enum bx_line_state state = bx_client_llc_state(at);
    bool shared = cores & ~reader || state == BX_LINE_S;

    if (shared && state == BX_LINE_E)
        bx_client_llc_set_state(at, BX_LINE_S);
    bx_client_llc_set_cores(at, cores | reader);
    *granted = shared ? BX_LINE_S : BX_LINE_E;
    return result;
}

/* Rule 2 for RFO. The core gets M. */
static inline __attribute__((always_inline)) struct bx_client_snoop_result
hit_rfo(struct bx_client *m, struct bx_client_llc_line at, unsigned writer, uint64_t line)
{
    struct bx_client_snoop_result result = bx_client_snoop_invalidate(
        m, bx_client_llc_cores(at) & ~writer, line, at.slice, BX_SNOOP_XCORE);
    bool dirty = result.dirty || bx_client_llc_state(at) == BX_LINE_M;

    bx_client_llc_set_cores(at, writer);
    bx_client_llc_set_state(at, dirty ? BX_LINE_M : BX_LINE_E);
    return result;
}

/* Sets the copies of a store's line: existing copies get the new state, missing copies are
 * filled. */
static inline void fill_store(struct bx_client *m, struct bx_client_core *c, uint64_t line)
{
    struct bx_cache_way l2 = bx_cache_find(&c->l2, line), l1d = bx_cache_find(&c->l1d, line);

    if (bx_cache_found(l2)) {
        bx_cache_set_state(&c->l2, l2, BX_LINE_E);
        bx_cache_touch(&c->l2, l2);
    } else {
        bx_l2_fill(m, c, line, BX_LINE_E);
    }
    if (bx_cache_found(l1d)) {
        bx_cache_set_state(&c->l1d, l1d, BX_LINE_M);
        bx_cache_touch(&c->l1d, l1d);
        bx_last_lines_use(&c->last, line, BX_LINE_M);
    } else {
        bx_l1d_fill(m, c, line, BX_LINE_M);
    }
}

/* Rule 4. `state` is what a reader was granted. A load that missed has no copy in L1D or L2; a
 * fetch that missed has none in L1I or L2. A prefetched line is filled into L2 only. */
static inline __attribute__((always_inline)) void fill(struct bx_client *m,
                                                       struct bx_client_core *c, bx_access a,
                                                       enum bx_line_state state, bool prefetched)
{
    uint64_t line = bx_access_line(a);

    if (prefetched) {
        bx_l2_fill(m, c, line, state);
        return;
    }
    if (bx_client_access_kind(a) == BX_STORE) {
        fill_store(m, c, line);
        return;
    }
    bx_l2_fill(m, c, line, state);
    if (bx_client_access_kind(a) == BX_LOAD)
        bx_l1d_fill(m, c, line, state);
    else
        bx_l1i_fill(c, line);
}

static inline unsigned ring_cycles(const struct bx_client *m, unsigned slice, unsigned number)
{
    return m->times.ring_hop * (slice > number ? slice - number : number - slice);
}

/* Reads the line of a core's request from memory. Returns the time when that is done. */
static inline uint64_t read_memory(struct bx_client *m, bx_access a, uint64_t t)
{
    return bx_client_read_memory(
        m, BX_IMC_IA, bx_client_access_kind(a) == BX_LOAD ? BX_ARB_DATA_READ : BX_ARB_OTHER_READ,
        bx_access_line(a), t);
}

/* A core that makes a non-temporal store keeps no copy. A modified copy is written back first. */
static void drop_own_copies(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                            struct bx_client_llc_line at)
{
    if (!bx_client_core_has(c, line) || bx_client_core_invalidate_copies(c, line) != BX_SNOOP_HITM)
        return;
    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_client_llc_state(at)]++;
    bx_client_llc_set_state(at, BX_LINE_M);
}

/* Drops all copies of the line. Before a partial write, a modified line is written to memory. */
static void drop_line(struct bx_client *m, unsigned number, bx_access a,
                      struct bx_client_llc_line at, uint64_t t)
{
    uint64_t line = bx_access_line(a);

    drop_own_copies(m, m->core[number], line, at);
    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_client_llc_state(at)]++;
    unsigned others = bx_client_llc_cores(at) & ~(1u << number);
    bool dirty = bx_client_llc_state(at) == BX_LINE_M;
    dirty |= bx_client_snoop_invalidate(m, others, line, at.slice, BX_SNOOP_XCORE).dirty;
    if (dirty && a & BX_ACCESS_PARTIAL)
        bx_client_write_memory(m, line, t);
    bx_cache_drop(at.cache, at.way);
}

/* "Non-temporal stores". Returns the completion. */
static __attribute__((noinline)) uint64_t non_temporal_store(struct bx_client *m, unsigned number,
                                                             bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);

    if (bx_client_llc_has(at))
        drop_line(m, number, a, at, t);
    else
        m->counts.lookup[at.slice][BX_CLIENT_WRITE][BX_LINE_I]++;
    return bx_client_write_memory(m, line, t) + ring_cycles(m, at.slice, number);
}

/* A prefetch into the LLC only; the LLC may have the line already. Returns the completion. */
static uint64_t prefetch_into_llc(struct bx_client *m, unsigned number, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);
    bool found = bx_client_llc_has(at);
    uint64_t *count = m->core[number]->counts->count;

    count[BX_CORE_LLC_PREFETCH]++;
    count[BX_CORE_LLC_MISS_PREFETCH] += !found;
    m->counts.lookup[at.slice][BX_CLIENT_READ][bx_client_llc_state(at)]++;
    if (found)
        return t + m->times.llc_hit + ring_cycles(m, at.slice, number);
    bx_client_llc_make_way(m, &at, line, t);
    uint64_t done = read_memory(m, bx_access_prefetched(a), t);
    bx_client_llc_put(at, line, 0);
    bx_super_queue_put(&m->core[number]->llc_queue, line, t, done);
    return done;
}

/* The source of a line that the LLC has. */
static enum bx_core_count source_of(struct bx_client_snoop_result snoop)
{
    return snoop.dirty ? BX_CORE_FROM_CORE_DIRTY
           : snoop.hit ? BX_CORE_FROM_CORE_CLEAN
           : snoop.any ? BX_CORE_FROM_LLC_SNOOP_MISS
                       : BX_CORE_FROM_LLC;
}

/* Counts a request to the LLC for the core. */
static inline void count_request(struct bx_client *m, unsigned number, bx_access a, bool prefetched,
                                 enum bx_core_count from)
{
    struct bx_client_core *c = m->core[number];
    unsigned kind = prefetched ? BX_FETCH + 1 : bx_client_access_kind(a);

    bx_core_count_request(c->counts, a, kind, from, from == BX_CORE_FROM_MEMORY);
    if (kind == BX_STORE)
        c->counts->count[BX_CORE_STORE_UPGRADE] += bx_cache_has(&c->l1d, bx_access_line(a));
}

/* Executes at t an access that the private caches cannot serve. prefetched: a prefetch requests it.
 * Returns the completion. */
static inline __attribute__((always_inline)) uint64_t
uncore_access(struct bx_client *m, unsigned number, bx_access a, uint64_t t, bool prefetched)
{
    uint64_t line = bx_access_line(a), completion;
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);
    unsigned kind = bx_client_access_kind(a);
    unsigned self = 1u << number;
    enum bx_line_state granted = BX_LINE_E; /* the state for a reader; a store gets M */
    enum bx_core_count from = BX_CORE_FROM_MEMORY;

    m->counts.lookup[at.slice][BX_CLIENT_READ][bx_client_llc_state(at)]++;
    if (bx_client_llc_has(at)) {
        bx_cache_touch(at.cache, at.way);
        struct bx_client_snoop_result result =
            kind == BX_STORE ? hit_rfo(m, at, self, line) : hit_read(m, at, self, line, &granted);
        from = source_of(result);
        completion = bx_later(t + m->times.llc_hit +
                                  (result.dirty ? m->times.snoop_dirty
                                   : result.any ? m->times.snoop_clean
                                                : 0),
                              bx_super_queue_until(&m->core[number]->llc_queue, line, t));
    } else {
        bx_client_llc_make_way(m, &at, line, t);
        completion = read_memory(m, a, t);
        bx_client_llc_put(at, line, self);
    }
    count_request(m, number, a, prefetched, from);
    fill(m, m->core[number], a, granted, prefetched);
    return completion + ring_cycles(m, at.slice, number);
}

/* ---- turns ---- */

static inline bool needs_buffer(int need)
{
    return need == BX_CLIENT_STEP_MISS || need == BX_CLIENT_STEP_IN_FLIGHT;
}

/* The time of an access that needs the uncore. A miss waits for the fill buffer that it will
 * use. */
static inline uint64_t turn_of(const struct bx_turns_agent *agent, uint64_t clock, int need)
{
    uint64_t buffer = agent->buffer_free[agent->next_buffer];
    return needs_buffer(need) && buffer > clock ? buffer : clock;
}

/* Requests the line of a prefetch, if that is still necessary: "Prefetchers". */
static void serve_prefetch(struct bx_client *m, unsigned number, bx_access a, uint64_t t)
{
    struct bx_client_core *c = m->core[number];

    if (bx_client_core_step_prefetch(m, c, a, t, false) != BX_CLIENT_STEP_PREFETCH)
        return;
    uint64_t completion;

    if (bx_client_core_fills_llc(c, a, t)) {
        completion = prefetch_into_llc(m, number, a, t);
    } else {
        completion = uncore_access(m, number, bx_access_prefetched(a), t, true);
        bx_super_queue_put(&c->super_queue, bx_access_line(a), t, completion);
    }
    if (completion > m->agent[number].completed)
        m->agent[number].completed = completion;
}

/* Executes an access that hits L2 at its turn, even if the line is on its way. Returns its
 * cycles. */
static unsigned use_l2_at_turn(struct bx_client *m, struct bx_client_core *c, bx_access a)
{
    return bx_client_access_kind(a) == BX_FETCH
               ? (unsigned)bx_client_core_step_fetch(c, a, BX_NEVER, false)
               : (unsigned)bx_client_core_step_spill(m, c, a);
}

static inline bool is_waited_for(bx_access a)
{
    return a & BX_ACCESS_DEPENDENT || bx_client_access_kind(a) == BX_FETCH;
}

/* Completes an access; its fill buffer is busy until then. Returns the clock after it. bounded: the
 * core has a window or a limited store buffer. */
static inline uint64_t end_access(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                                  uint64_t completion, bool takes_buffer, bool bounded)
{
    bx_core_waits_begin(&agent->counts.waits, t, completion);
    if (takes_buffer) {
        agent->buffer_free[agent->next_buffer] = completion;
        agent->next_buffer = agent->next_buffer + 1 == agent->buffers ? 0 : agent->next_buffer + 1;
    }
    if (completion > agent->completed)
        agent->completed = completion;
    if (bounded && takes_buffer)
        bx_turns_add_late(agent, at, t, completion);
    if (!is_waited_for(*at))
        return t;
    bx_turns_wait(agent, t, completion);
    return completion;
}

/* Serves prefetches, and accesses that hit L2. */
static __attribute__((noinline)) uint64_t serve_l2(struct bx_client *m, unsigned number,
                                                   const bx_access *at, uint64_t t, int need)
{
    struct bx_client_core *c = m->core[number];
    bx_access a = *at;
    uint64_t completion = need == BX_CLIENT_STEP_IN_FLIGHT
                              ? bx_super_queue_until(&c->super_queue, bx_access_line(a), t)
                              : 0;

    if (a & BX_ACCESS_PREFETCH) {
        serve_prefetch(m, number, a, t);
        return t;
    }
    unsigned cycles = use_l2_at_turn(m, c, a);
    struct bx_turns_agent *agent = &m->agent[number];
    if (completion)
        bx_core_count_flight(c->counts, a, bx_client_access_kind(a));
    return completion ? end_access(agent, at, t, completion, true, agent->bounded) : t + cycles;
}

/* Serves a miss at t. Returns its completion. */
static __attribute__((noinline)) uint64_t serve_miss(struct bx_client *m, unsigned number,
                                                     bx_access a, uint64_t t)
{
    return bx_client_access_kind(a) == BX_NON_TEMPORAL ? non_temporal_store(m, number, a, t)
                                                       : uncore_access(m, number, a, t, false);
}

/* Serves an access at t. `need` is what the core found; it is still valid. Returns the clock after
 * it. */
static inline uint64_t serve(struct bx_client *m, unsigned number, struct bx_turns_agent *agent,
                             const bx_access *at, uint64_t t, int need, bool takes_buffer,
                             bool bounded)
{
    if (need != BX_CLIENT_STEP_MISS)
        return serve_l2(m, number, at, t, need);
    return end_access(agent, at, t, serve_miss(m, number, *at, t), takes_buffer, bounded);
}

/* If a snoop has changed a copy since the core stopped, `need` is determined again. */
void bx_client_core_serve(bx_model *model, struct bx_turns *turns, unsigned number)
{
    struct bx_client *m = bx_client_of(model);
    struct bx_turns_agent *agent = &turns->agent[number];
    const bx_access *at = agent->feed->next++;
    int need = m->need[number];
    bool takes_buffer = needs_buffer(need);

    bx_turns_wait(agent, agent->clock, agent->turn);
    bx_turns_settle(agent, agent->feed->next, agent->turn);
    if (m->core[number]->snooped)
        need = bx_client_core_step(m->core[number], *at, agent->turn, false);
    bx_time_advance_to_event(&model->time, agent->turn);
    if (need >= 0)
        agent->clock = agent->turn + (unsigned)need;
    else
        agent->clock = serve(m, number, agent, at, agent->turn, need, takes_buffer, agent->bounded);
    agent->phase = BX_TURNS_AGENT_READY;
    model->accesses++;
}

/* ---- running ahead ---- */

/* Skips the accesses from `next` on that the filter passes, which are most accesses. Adds their
 * cost, and that of the first one that misses, to *clock. The clock is in sixteenths of a
 * cycle, because an access has its cost in bits 15:4. */
static inline const bx_access *skip_hits(const struct bx_last_lines *last, const bx_access *next,
                                         const bx_access *end, uint64_t *clock)
{
    uint64_t sum = *clock;

    for (; next < end; next++) {
        bx_access a = *next;
        sum += a & 0xfff0;
        if (!bx_last_lines_repeats(last, a))
            break;
    }
    *clock = sum;
    return next;
}

/* Skips prefetches of lines that the caches have. They cost nothing, and often come in groups. */
static inline const bx_access *skip_prefetched(const struct bx_client_core *c,
                                               const bx_access *next, const bx_access *end)
{
    while (next < end && *next & BX_ACCESS_PREFETCH && bx_client_core_has_prefetched(c, *next))
        next++;
    return next;
}

/* A core that runs: its next access, and its clock in sixteenths of a cycle. The accesses from
 * `executed` to `next` have changed nothing. */
struct run {
    const bx_access *next, *executed;
    uint64_t clock;
};

/* Serves an access that is not private, if no other agent comes before. false: the core waits. */
static inline bool take_turn(struct bx_client *m, unsigned number, struct bx_turns_agent *agent,
                             struct run *run, int need, uint64_t until, bool keep, bool plain)
{
    uint64_t clock = run->clock >> 4, turn = turn_of(agent, clock, need);
    uint64_t key = bx_turns_key(turn, number);

    if (key >= m->turns.limit || turn >= until) {
        agent->phase = BX_TURNS_AGENT_WAITING;
        agent->turn = turn;
        m->need[number] = (enum bx_client_step)need;
        m->core[number]->snooped = false;
        return false;
    }
    m->turns.serving = key;
    bx_time_advance_to_event(&m->model.time, turn);
    bx_turns_wait(agent, clock, turn);
    clock = serve(m, number, agent, run->next, turn, need, needs_buffer(need),
                  !plain && agent->bounded);
    if (keep)
        bx_turns_settle(agent, run->next + 1, clock);
    run->clock = clock << 4;
    return true;
}

/* A locked operation does not wait for a turn. */
static void lock(struct bx_turns_agent *agent, struct run *run)
{
    run->clock = bx_turns_finish(agent, run->clock >> 4) << 4;
}

/* Goes back over hits of the filter, which change nothing, to the first one at or after `until`. */
static inline void leave_out(struct run *run, uint64_t until)
{
    while (run->next > run->executed && run->clock >> 4 >= until)
        run->clock -= *--run->next & 0xfff0;
}

static inline uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Runs up to the first access at or after `until`, up to `end`, or until the core waits. Without
 * `plain` it also stops before an access that waits for a late load. Returns the first access that
 * it has not executed.
 * keep: what it executes may have to be undone.
 * far: `until` is so far away that only turns must be compared with it.
 * plain: there are no prefetchers, and the core is not bounded. */
static inline __attribute__((always_inline)) const bx_access *
run_to(struct bx_client *m, unsigned number, struct bx_turns_agent *agent, const bx_access *end,
       uint64_t until, bool keep, bool far, bool plain)
{
    struct bx_client_core *core = m->core[number];
    uint64_t bound = plain ? until : earliest(until, agent->limit);
    struct run run = {agent->feed->next, agent->feed->next, agent->clock << 4};

    while ((run.next = skip_hits(&core->last, run.next, end, &run.clock)) < end) {
        if (!far && run.clock >> 4 >= bound) {
            run.clock -= *run.next & 0xfff0;
            break;
        }
        uint64_t t = plain ? BX_NEVER : run.clock >> 4; /* BX_NEVER: no line is on its way */
        if (!plain && *run.next & BX_ACCESS_PREFETCH &&
            bx_client_core_has_prefetched(core, *run.next)) {
            run.next = skip_prefetched(core, run.next + 1, end);
            continue;
        }
        int need = bx_client_core_step(core, *run.next, t, keep);
        if (need >= 0)
            run.clock += (uint64_t)need << 4;
        else if (need == BX_CLIENT_STEP_LOCK)
            lock(agent, &run);
        else if (!take_turn(m, number, agent, &run, need, until, keep, plain))
            break;
        run.executed = ++run.next;
        if (need == BX_CLIENT_STEP_LOCK)
            break;
        if (!plain && need < 0) { /* the access may have become the first late one */
            bound = earliest(until, agent->limit);
            end = agent->end < end ? agent->end : end;
        }
    }
    if (!far && agent->phase == BX_TURNS_AGENT_READY)
        leave_out(&run, bound);
    agent->clock = run.clock >> 4;
    return run.next;
}

/* run_to() in four variants: most accesses need fewer checks, so each case has its own loop. */
static __attribute__((noinline)) const bx_access *run_alone(struct bx_client *m, unsigned number,
                                                            struct bx_turns_agent *agent,
                                                            const bx_access *end, uint64_t until)
{
    return run_to(m, number, agent, end, until, false, true, true);
}

static __attribute__((noinline)) const bx_access *
run_among_others(struct bx_client *m, unsigned number, struct bx_turns_agent *agent,
                 const bx_access *end, uint64_t until)
{
    return run_to(m, number, agent, end, until, true, true, true);
}

static __attribute__((noinline)) const bx_access *run_exactly(struct bx_client *m, unsigned number,
                                                              struct bx_turns_agent *agent,
                                                              const bx_access *end, uint64_t until)
{
    return run_to(m, number, agent, end, until, agent->undo->open, false, true);
}

static __attribute__((noinline)) const bx_access *
run_with_bounds(struct bx_client *m, unsigned number, struct bx_turns_agent *agent,
                const bx_access *end, uint64_t until)
{
    return run_to(m, number, agent, end, until, agent->undo->open, false, false);
}

/* The most cycles that a private access can take. */
enum { ACCESS_MOST = BX_ACCESS_COST_MAX + BX_L2_CYCLES_MOST, FEW_ACCESSES = 16 };

static const bx_access *earlier(const bx_access *end, const bx_access *next, uint64_t accesses)
{
    return (uint64_t)(end - next) < accesses ? end : next + accesses;
}

/* Runs up to `until`. plain: as for run_to(). */
static inline __attribute__((always_inline)) void run_until(struct bx_client *m, unsigned number,
                                                            uint64_t until, bool plain)
{
    struct bx_turns_agent *agent = &m->agent[number];
    const bx_access *next = agent->feed->next, *end = bx_turns_ahead_end(agent);
    uint64_t cycles = until - agent->clock, most = cycles / 2 / ACCESS_MOST;

    /* If not, the number of accesses is limited: some cost nothing, and the core must not go far
     * beyond `until`. */
    bool far = plain && most >= FEW_ACCESSES;

    end = earlier(end, next, far ? most : cycles);
    if (far)
        until -= (uint64_t)(end - next) * ACCESS_MOST;
    agent->feed->next = !plain              ? run_with_bounds(m, number, agent, end, until)
                        : !far              ? run_exactly(m, number, agent, end, until)
                        : agent->undo->open ? run_among_others(m, number, agent, end, until)
                                            : run_alone(m, number, agent, end, until);
    m->model.accesses += (uint64_t)(agent->feed->next - next);
}

static unsigned next_cost(const struct bx_turns_agent *agent)
{
    return (unsigned)(*agent->feed->next >> 4 & BX_ACCESS_COST_MAX);
}

/* Runs a core that is bounded. An access that is too far past a late load waits for the load. A
 * core that runs alone continues after that. */
static __attribute__((noinline)) void run_bounded(struct bx_client *m, unsigned number,
                                                  uint64_t until)
{
    struct bx_turns_agent *agent = &m->agent[number];

    do {
        bx_turns_wait_for_late(agent, next_cost(agent));
        if (agent->clock + next_cost(agent) >= until)
            return;
        run_until(m, number, until, false);
    } while (!agent->undo->open && agent->phase == BX_TURNS_AGENT_READY &&
             agent->feed->next != agent->end && agent->clock + next_cost(agent) < until);
}

void bx_client_core_run_ahead(bx_model *model, struct bx_turns *turns, unsigned number,
                              uint64_t until)
{
    struct bx_client *m = bx_client_of(model);

    if (turns->agent[number].bounded || m->prefetch)
        run_bounded(m, number, until);
    else
        run_until(m, number, until, true);
}
