/* A client core: docs/explanation/model-client.md, "A core's accesses". */
#include "machine.h"

#include <stdlib.h>

/* ---- snoops ---- */

static enum oracle_response snoop(const struct core *core, uint64_t line)
{
    return privates_have_modified(&core->caches, line) ? ORACLE_HITM
           : privates_have(&core->caches, line)        ? ORACLE_HIT
                                                       : ORACLE_MISS;
}

/* The core is snooped by a reader: its copies become shared. */
enum oracle_response snoop_to_share(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    privates_share(&core->caches, line);
    return response;
}

/* The core is snooped by a writer, or the line is evicted from the LLC: its copies are invalidated.
 */
enum oracle_response snoop_to_invalidate(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    privates_invalidate(&core->caches, line);
    return response;
}

/* ---- "Counters of a core" ---- */

static struct oracle_asks asks(const struct access *x)
{
    return (struct oracle_asks){x->prefetch ? ORACLE_PREFETCH : x->kind, x->auxiliary};
}

static void count_request(struct core *core, const struct access *x)
{
    oracle_count_request(&core->counts, asks(x), core->source, core->source == ORACLE_MEMORY);
}

static struct private_ask ask_of(const struct access *x)
{
    return (struct private_ask){x->kind, x->line};
}

/* What the caches have to write back is written, at t. */
static void write_back(struct oracle *o, struct core *core, uint64_t t)
{
    for (unsigned i = 0; i < core->caches.write_backs; i++)
        llc_write_back(o, core->caches.write_back[i].line, t);
    core->caches.write_backs = 0;
}

static enum private_state private_state(enum oracle_state granted)
{
    return granted == ORACLE_M ? PRIVATE_M : granted == ORACLE_E ? PRIVATE_E : PRIVATE_S;
}

static uint64_t uncore_access(struct oracle *o, struct core *core, const struct access *x,
                              uint64_t t)
{
    enum oracle_state granted;
    uint64_t completion = llc_request(o, core, x, t, &granted);

    count_request(core, x);
    if (x->steer)
        privates_fill_steered(&core->caches, x->steer, x->line, private_state(granted));
    else
        privates_fill(&core->caches, ask_of(x), private_state(granted)); /* rule 4 */
    write_back(o, core, t);
    return completion;
}

/* ---- "A core's accesses" ---- */

/* Rule 1. */
static bool hits_l1(struct core *core, const struct access *x)
{
    if (!privates_hit_l1(&core->caches, ask_of(x)))
        return false;
    oracle_count_l1_hit(&core->counts, asks(x));
    return true;
}

/* Rule 2 can serve the access, but rule 1 cannot. */
static bool hits_level(const struct core *core, const struct access *x)
{
    return privates_level_for(&core->caches, ask_of(x)) >= 0;
}

/* The changes that rule 2 makes. */
static void take_from_level(struct oracle *o, struct agent *agent, const struct access *x)
{
    privates_take(&agent->core->caches, ask_of(x));
    write_back(o, agent->core, agent->clock);
}

static uint64_t written_since(const struct oracle *o, const struct core *core,
                              const struct oracle_core_counts *then)
{
    return oracle_written(&core->counts, then, o->times.l2_line, o->times.llc_line);
}

/* Rule 2. */
static void do_l2_hit(struct oracle *o, struct agent *agent, const struct access *x)
{
    const struct oracle_core_counts then = agent->core->counts;
    int k = privates_level_for(&agent->core->caches, ask_of(x));

    take_from_level(o, agent, x);
    agent->clock += written_since(o, agent->core, &then);
    oracle_count_l2_hit(&agent->core->counts, asks(x));
    unsigned cycles = k > 0 ? (x->dependent ? o->times.l3_wait : o->times.l3_hit)
                            : (x->dependent ? o->times.l2_wait : o->times.l2_hit);
    agent->clock += cycles;
}

/* ---- "Prefetchers" ---- */

/* When a prefetched line of L2 that is requested at t arrives; 0: it is there, or was not
 * prefetched. */
static uint64_t on_its_way(const struct core *core, uint64_t line, uint64_t t)
{
    uint64_t until = 0;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].line == line && core->queue[i].until > t)
            until = later(until, core->queue[i].until);
    return until;
}

static bool is_on_its_way(const struct agent *agent)
{
    return privates_l2_has(&agent->core->caches, agent->access.line) &&
           on_its_way(agent->core, agent->access.line, agent->time) != 0;
}

static struct prefetched *free_entry(struct prefetched *queue, unsigned entries, uint64_t t)
{
    for (unsigned i = 0; i < entries; i++)
        if (queue[i].until <= t)
            return &queue[i];
    return NULL;
}

/* When the first entry of the super queue ends. */
static uint64_t first_end(const struct core *core)
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].until < first)
            first = core->queue[i].until;
    return first;
}

/* The prefetch fills the LLC only: it is the streamer's, and many of the entries are busy. */
static bool fills_llc_only(const struct agent *agent)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < agent->core->queue_entries; i++)
        if (agent->core->queue[i].until > agent->time)
            busy++;
    return agent->access.by == BX_PREFETCHER_STREAMER && busy >= agent->core->queue_busy;
}

static struct prefetched *entry_for(struct agent *agent)
{
    struct core *core = agent->core;
    return free_entry(core->queue, core->queue_entries, agent->time);
}

/* Executes the due prefetch, except its request. Returns true if it must be requested or, not at
 * its turn, would write back. */
static bool prefetch_waits(struct oracle *o, struct agent *agent, bool turn)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    bool into_l1d = x->by == BX_PREFETCHER_NEXT || x->by == BX_PREFETCHER_STRIDE;

    if (core->prefetcher_off[x->by] || privates_l1d_has(&core->caches, x->line))
        return false;
    if (privates_levels_have(&core->caches, x->line)) {
        if (!into_l1d || !privates_l2_has(&core->caches, x->line) || is_on_its_way(agent))
            return false;
        if (!turn && privates_hit_waits(&core->caches, ask_of(x)))
            return true;
        const struct oracle_core_counts then = core->counts;
        take_from_level(o, agent, x);
        agent->clock += o->times.l2_line + written_since(o, core, &then);
        oracle_count_l2_hit(&core->counts, asks(x));
        return false;
    }
    if (!into_l1d && privates_l1i_has(&core->caches, x->line))
        return false;
    return entry_for(agent) != NULL;
}

static void request_prefetch(struct oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    enum oracle_state granted;
    struct prefetched *entry = entry_for(agent);

    if (fills_llc_only(agent)) {
        *entry = (struct prefetched){x->line, llc_prefetch(o, core, x, agent->time)};
        count_request(core, x);
        agent->ends = later(agent->ends, entry->until);
        work_lasts_until(o, entry->until);
        return;
    }
    const struct oracle_core_counts then = core->counts;
    entry->line = x->line;
    entry->until = llc_request(o, core, x, agent->time, &granted);
    line_is_taken(o, agent, entry->until);
    count_request(core, x);
    agent->ends = later(agent->ends, entry->until);
    privates_fill_prefetch(&core->caches, ask_of(x), private_state(granted));
    write_back(o, core, agent->time);
    agent->clock += o->times.llc_line + written_since(o, core, &then);
    work_lasts_until(o, entry->until);
}

static void execute_prefetch(struct oracle *o, struct agent *agent)
{
    if (prefetch_waits(o, agent, agent->stopped)) {
        if (!agent->stopped) {
            agent->stopped = true;
            return;
        }
        if (line_turn(o, agent) == agent->time)
            request_prefetch(o, agent);
    }
    agent_next(agent);
}

/* ---- "Instructions that steer caches" ---- */

/* Executes a prefetch instruction that needs no request. Returns false if it needs one or, not at
 * its turn, would write back. */
static bool steers(struct oracle *o, struct agent *agent, bool turn)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    if (privates_are_steered(&core->caches, x->steer, x->line))
        return true;
    if (x->steer == STEER_OWN || !hits_level(core, x))
        return false;
    if (is_on_its_way(agent))
        return true;
    if (!turn && privates_hit_waits(&core->caches, ask_of(x)))
        return false;
    const struct oracle_core_counts then = core->counts;
    take_from_level(o, agent, x);
    agent->clock += o->times.l2_line + written_since(o, core, &then);
    oracle_count_l2_hit(&core->counts, asks(x));
    return true;
}

/* ---- turns ---- */

/* Executes the access that is due if it is private. */
static bool is_private(struct oracle *o, struct agent *agent, bool turn)
{
    const struct access *x = &agent->access;

    if (x->kind == BX_NON_TEMPORAL)
        return false;
    if (x->steer)
        return steers(o, agent, turn);
    if (hits_l1(agent->core, x)) {
        if (x->kind != BX_FETCH)
            agent->clock = arrival_of(&agent->core->arrivals, x->line, x->dependent, agent->time);
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, agent->clock);
        return true;
    }
    if (!hits_level(agent->core, x) && (x->forwarded || is_to_come(o, agent))) {
        oracle_count_l1_hit(&agent->core->counts, asks(x));
        return true;
    }
    if (!hits_level(agent->core, x) ||
        (!turn && privates_hit_waits(&agent->core->caches, ask_of(x))) || is_on_its_way(agent))
        return false;
    do_l2_hit(o, agent, x);
    return true;
}

/* The core stops before an access that needs the uncore. */
static void stop(struct agent *agent)
{
    const struct core *core = agent->core;
    const struct access *x = &agent->access;

    agent->stopped = true;
    agent->needs_buffer =
        x->kind == BX_NON_TEMPORAL || !hits_level(core, x) || is_on_its_way(agent);
    if (!agent->needs_buffer)
        return;
    uint64_t turn = later(agent->time, core->buffer_free[core->next_buffer]);
    bool waits_for_line = x->kind != BX_NON_TEMPORAL && hits_level(core, x) && is_on_its_way(agent);
    if (core->requests_queue && !waits_for_line)
        turn = later(turn, first_end(core));
    oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, turn);
    agent->time = turn;
}

/* The request of an access is in the super queue until its completion, if there is room. */
static uint64_t queued(struct agent *agent, uint64_t completion)
{
    struct prefetched *entry =
        free_entry(agent->core->queue, agent->core->queue_entries, agent->time);

    if (agent->core->requests_queue && entry) {
        entry->line = UINT64_MAX;
        entry->until = completion;
    }
    return completion;
}

/* The core needs no data: it only asks for ownership. */
static bool needs_no_data(const struct core *core, const struct access *x)
{
    return x->kind == BX_STORE && (x->whole || privates_have(&core->caches, x->line));
}

/* Executes an access that is not private, at its turn. Returns its completion. *moves: the cycles
 * for which lines move, without those written back. */
static uint64_t complete(struct oracle *o, struct agent *agent, uint64_t *moves)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    if (x->kind == BX_NON_TEMPORAL) {
        *moves = x->steer ? 0 : o->times.llc_line;
        return queued(agent, llc_write_past(o, core, x, agent->time));
    }
    if (!hits_level(core, x)) {
        *moves = needs_no_data(core, x) ? 0 : o->times.l2_line + o->times.llc_line;
        uint64_t wait = wait_in_buffer(o, agent);
        uint64_t completion = queued(agent, uncore_access(o, core, x, agent->time) + wait);
        line_is_taken(o, agent, completion);
        arrival_add(&core->arrivals, core->source, x->kind, x->whole, x->line, completion);
        return completion;
    }
    uint64_t until = is_on_its_way(agent) ? on_its_way(core, x->line, agent->time) : 0;
    *moves = o->times.l2_line;
    take_from_level(o, agent, x);
    if (until) {
        oracle_count_flight(&core->counts, asks(x));
        arrival_add(&core->arrivals, ORACLE_LLC, x->kind, x->whole, x->line, until);
    } else
        oracle_count_l2_hit(&core->counts, asks(x));
    return until;
}

/* A core's turn at the uncore. It asks again if the line has another turn. */
static void serve(struct oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    if (is_private(o, agent, true)) {
        agent_next(agent);
        return;
    }
    if ((x->kind == BX_NON_TEMPORAL || !hits_level(core, x)) && !wait_in_buffer(o, agent) &&
        waits_for_line(o, agent))
        return;
    const struct oracle_core_counts then = core->counts;
    uint64_t moves, completion = complete(o, agent, &moves);
    agent->queued = 0;
    bool waits = x->dependent || x->kind == BX_FETCH;
    oracle_count_served(&core->counts, agent->time, completion, waits);
    if (agent->needs_buffer) {
        core->buffer_free[core->next_buffer] = completion;
        core->buffer_line[core->next_buffer] = x->line;
        core->buffer_store[core->next_buffer] =
            x->kind == BX_STORE && !x->dependent && !x->whole && !x->steer;
        core->next_buffer = (core->next_buffer + 1) % o->times.fill_buffers;
        if (x->kind == BX_LOAD && !x->dependent && !x->steer)
            late_add(&agent->late, o->times.window, agent->time, completion);
        if (x->kind == BX_STORE && !x->steer)
            late_add_store(&agent->late, completion);
    }
    agent->clock += moves + written_since(o, core, &then);
    if (waits)
        agent->clock = later(agent->clock, completion);
    agent->ends = later(agent->ends, completion);
    work_lasts_until(o, completion);
    agent_next(agent);
}

void core_execute(struct oracle *o, struct agent *agent)
{
    agent->clock = agent->time;
    if (agent->access.prefetch) {
        execute_prefetch(o, agent);
        return;
    }
    if (agent->access.lock) {
        for (unsigned i = 0; i < o->times.fill_buffers; i++)
            agent->clock = later(agent->clock, agent->core->buffer_free[i]);
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, agent->clock);
        agent_next(agent);
        return;
    }
    if (!agent->stopped)
        oracle_count_access(&agent->core->counts, asks(&agent->access));
    if (agent->stopped)
        serve(o, agent);
    else if (is_private(o, agent, false))
        agent_next(agent);
    else
        stop(agent);
}

/* ---- power-on ---- */

void core_new(struct core *core, unsigned number, const bx_model_shape *shape)
{
    struct private_kind kind = {
        .l1d = {64, 8, PRIVATE_TREE},
        .l1i = {64, 8, PRIVATE_TREE},
        .l2 = {1024, 4, shape->measured_replacement ? PRIVATE_QLRU : PRIVATE_TREE},
        .moves_modified = true,
    };

    kind = private_kind_of(shape, BX_INCLUSION_NONE, kind);
    core->number = number;
    privates_new(&core->caches, &kind, &core->counts);
}

void core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    privates_free(&core->caches);
}
