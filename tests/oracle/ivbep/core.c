/* A core of Ivy Bridge-EP: docs/explanation/model-ivbep.md, "A core's accesses". */
#include "machine.h"

#include <stdlib.h>

enum { PAGE_LINES = 64 };

/* ---- snoops ---- */

bool ivbep_core_has(const struct core *core, uint64_t line)
{
    return privates_have(&core->caches, line);
}

static struct snooped answer(const struct core *core, uint64_t line)
{
    return (struct snooped){
        .any = true,
        .had = ivbep_core_has(core, line),
        .modified = privates_have_modified(&core->caches, line),
    };
}

struct snooped ivbep_core_share(struct core *core, uint64_t line)
{
    struct snooped s = answer(core, line);

    privates_share(&core->caches, line);
    return s;
}

struct snooped ivbep_core_invalidate(struct core *core, uint64_t line)
{
    struct snooped s = answer(core, line);

    privates_invalidate(&core->caches, line);
    return s;
}

/* ---- "Counters of a core" of model-core-counters.md ---- */

static struct oracle_asks asks(const struct access *x)
{
    return (struct oracle_asks){x->prefetch ? ORACLE_PREFETCH : x->kind, x->auxiliary};
}

static void count_request(struct core *core, struct oracle_asks asks)
{
    oracle_count_request(&core->counts, asks, core->source, core->source >= ORACLE_PACKAGE_CLEAN);
}

/* ---- "Fill" ---- */

static struct private_ask ask_of(const struct access *x)
{
    return (struct private_ask){x->kind, x->line};
}

static enum private_state private_state(enum state granted)
{
    return granted == M ? PRIVATE_M : granted == E ? PRIVATE_E : PRIVATE_S;
}

/* What the caches have to write back is written, at t. */
static void write_back(struct ivbep_oracle *o, struct core *core, uint64_t t)
{
    for (unsigned i = 0; i < core->caches.write_backs; i++) {
        const struct private_write_back *w = &core->caches.write_back[i];
        ivbep_write_back(o, core, w->line, w->in_l1d ? WBMTOE : WBMTOI, t);
    }
    core->caches.write_backs = 0;
}

/* ---- "Prefetch" ---- */

static void prefetch(struct ivbep_oracle *o, struct core *core, const struct access *x, uint64_t t)
{
    static const enum transaction of_kind[] = {
        [BX_LOAD] = PF_DATA, [BX_STORE] = PF_RFO, [BX_FETCH] = PF_CODE};
    bool follows = core->has_last[x->kind] && x->line == core->last_line[x->kind] + 1;
    enum state granted;

    core->has_last[x->kind] = true;
    core->last_line[x->kind] = x->line;
    if (!follows || (x->line + 1) % PAGE_LINES == 0)
        return;
    ivbep_core_request(o, core, x->line + 1, of_kind[x->kind], t, &granted);
    count_request(core, (struct oracle_asks){.by = ORACLE_PREFETCH});
}

/* ---- "A core's accesses" ---- */

static uint64_t request(struct ivbep_oracle *o, struct core *core, const struct access *x,
                        uint64_t t)
{
    static const enum transaction of_kind[] = {[BX_LOAD] = DRD, [BX_STORE] = RFO, [BX_FETCH] = CRD};
    enum state granted;
    uint64_t completion =
        ivbep_core_request(o, core, x->line, x->whole ? ITOM : of_kind[x->kind], t, &granted);

    count_request(core, asks(x));
    arrival_add(&core->arrivals, core->source, x->kind, x->whole, x->line, completion);
    if (x->steer)
        privates_fill_steered(&core->caches, x->steer, x->line, private_state(granted));
    else
        privates_fill(&core->caches, ask_of(x), private_state(granted));
    write_back(o, core, t);
    if (!o->prefetchers && !x->whole)
        prefetch(o, core, x, t);
    return completion;
}

/* Rule 1. */
static bool hits_l1(struct core *core, const struct access *x)
{
    if (x->kind == BX_NON_TEMPORAL || !privates_hit_l1(&core->caches, ask_of(x)))
        return false;
    oracle_count_l1_hit(&core->counts, asks(x));
    return true;
}

/* L2 or L3 serves it. */
static bool is_in_level(const struct core *core, const struct access *x)
{
    return x->kind != BX_NON_TEMPORAL && privates_level_for(&core->caches, ask_of(x)) >= 0;
}

static void take_from_level(struct ivbep_oracle *o, struct agent *agent, const struct access *x)
{
    privates_take(&agent->core->caches, ask_of(x));
    write_back(o, agent->core, agent->time);
}

/* ---- "Prefetchers" of model-prefetchers.md ---- */

/* When a line of L2 that is requested at t arrives; 0: it is there. */
static uint64_t on_its_way(const struct core *core, uint64_t line, uint64_t t)
{
    uint64_t until = 0;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].line == line && core->queue[i].until > t)
            until = later(until, core->queue[i].until);
    return until;
}

/* L2 has the line of its access, but it has not arrived. */
static bool is_on_its_way(const struct agent *agent)
{
    return privates_l2_has(&agent->core->caches, agent->access.line) &&
           on_its_way(agent->core, agent->access.line, agent->time);
}

static struct prefetched *free_entry(struct core *core, uint64_t t)
{
    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].until <= t)
            return &core->queue[i];
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

/* "Lines on the move" of model-core-time.md. */
static uint64_t written_since(const struct ivbep_oracle *o, const struct core *core,
                              const struct oracle_core_counts *then)
{
    return oracle_written(&core->counts, then, o->times.l2_line, o->times.llc_line);
}

/* Executes a prefetch that needs neither a request nor the core's turn. Returns false if it needs
 * one of them. */
static bool prefetch_is_done(struct ivbep_oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    bool into_l1d = x->by == BX_PREFETCHER_NEXT || x->by == BX_PREFETCHER_STRIDE;

    if (core->prefetcher_off[x->by] || privates_l1d_has(&core->caches, x->line))
        return true;
    if (privates_levels_have(&core->caches, x->line)) {
        if (into_l1d && privates_l2_has(&core->caches, x->line) && !is_on_its_way(agent)) {
            if (!agent->stopped && privates_hit_waits(&core->caches, ask_of(x)))
                return false;
            const struct oracle_core_counts then = core->counts;
            take_from_level(o, agent, x);
            agent->clock += o->times.l2_line + written_since(o, core, &then);
            oracle_count_l2_hit(&core->counts, asks(x));
        }
        return true;
    }
    if (!into_l1d && privates_l1i_has(&core->caches, x->line))
        return true;
    return free_entry(core, agent->time) == NULL;
}

static unsigned busy_entries(const struct core *core, uint64_t t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].until > t)
            n++;
    return n;
}

/* The core's work lasts at least until then. */
static void lasts_until(struct ivbep_oracle *o, struct agent *agent, uint64_t completion)
{
    agent->ends = later(agent->ends, completion);
    o->now = later(o->now, completion);
}

/* A prefetch of the streamer while many of the entries are busy. */
static void prefetch_into_llc(struct ivbep_oracle *o, struct agent *agent)
{
    static const enum transaction of_kind[] = {
        [BX_LOAD] = PF_DATA, [BX_STORE] = PF_RFO, [BX_FETCH] = PF_CODE};
    const struct access *x = &agent->access;
    enum state granted;
    struct prefetched *entry = free_entry(agent->core, agent->time);

    entry->line = x->line;
    entry->until =
        ivbep_core_request(o, agent->core, x->line, of_kind[x->kind], agent->time, &granted);
    count_request(agent->core, asks(x));
    lasts_until(o, agent, entry->until);
}

static void request_prefetch(struct ivbep_oracle *o, struct agent *agent)
{
    static const enum transaction of_kind[] = {[BX_LOAD] = DRD, [BX_STORE] = RFO, [BX_FETCH] = CRD};
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    struct prefetched *entry = free_entry(core, agent->time);
    const struct oracle_core_counts then = core->counts;
    enum state granted;

    entry->line = x->line;
    entry->until = ivbep_core_request(o, core, x->line, of_kind[x->kind], agent->time, &granted);
    count_request(core, asks(x));
    privates_fill_prefetch(&core->caches, ask_of(x), private_state(granted));
    write_back(o, core, agent->time);
    agent->clock += o->times.llc_line + written_since(o, core, &then);
    lasts_until(o, agent, entry->until);
}

static void execute_prefetch(struct ivbep_oracle *o, struct agent *agent)
{
    if (!prefetch_is_done(o, agent)) {
        if (!agent->stopped) {
            agent->stopped = true;
            return;
        }
        if (agent->access.by == BX_PREFETCHER_STREAMER &&
            busy_entries(agent->core, agent->time) >= agent->core->queue_busy)
            prefetch_into_llc(o, agent);
        else
            request_prefetch(o, agent);
    }
    ivbep_next_access(agent);
}

/* ---- "Instructions that steer caches" ---- */

/* Executes a prefetch instruction that needs neither a request nor the core's turn. Returns false
 * if it needs one of them. */
static bool steers(struct ivbep_oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    if (privates_are_steered(&core->caches, x->steer, x->line))
        return true;
    if (x->steer == STEER_OWN || !is_in_level(core, x))
        return false;
    if (is_on_its_way(agent))
        return true;
    if (!agent->stopped && privates_hit_waits(&core->caches, ask_of(x)))
        return false;
    const struct oracle_core_counts then = core->counts;
    take_from_level(o, agent, x);
    agent->clock += o->times.l2_line + written_since(o, core, &then);
    oracle_count_l2_hit(&core->counts, asks(x));
    return true;
}

/* ---- turns ---- */

/* The core waits for a line in L1D that is on its way. */
static void await_line(struct agent *agent)
{
    const struct access *x = &agent->access;

    if (x->kind != BX_FETCH)
        agent->clock = arrival_of(&agent->core->arrivals, x->line, x->dependent, agent->time);
    oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, agent->clock);
}

/* Rule 2. */
static bool hits_level(struct ivbep_oracle *o, struct agent *agent, const struct access *x)
{
    struct core *core = agent->core;

    if (!is_in_level(core, x) || is_on_its_way(agent) ||
        (!agent->stopped && privates_hit_waits(&core->caches, ask_of(x))))
        return false;
    const struct oracle_core_counts then = core->counts;
    bool by_l2 = privates_l2_has(&core->caches, x->line);
    take_from_level(o, agent, x);
    oracle_count_l2_hit(&core->counts, asks(x));
    agent->clock += written_since(o, core, &then);
    if (by_l2)
        agent->clock += x->dependent ? o->times.l2_wait : o->times.l2_hit;
    else
        agent->clock += x->dependent ? o->times.l3_wait : o->times.l3_hit;
    return true;
}

/* The request of an access is in the super queue until its completion, if there is room. */
static uint64_t queued(struct agent *agent, uint64_t completion)
{
    struct prefetched *entry =
        agent->core->requests_queue ? free_entry(agent->core, agent->time) : NULL;

    if (entry) {
        entry->line = UINT64_MAX;
        entry->until = completion;
    }
    return completion;
}

/* Executes an access that is not private. Returns its completion. *moves: the cycles for which
 * lines move, without those written back. */
static uint64_t complete(struct ivbep_oracle *o, struct agent *agent, uint64_t *moves)
{
    const struct access *x = &agent->access;
    const struct core *core = agent->core;
    bool no_data = x->kind == BX_STORE && (x->whole || ivbep_core_has(core, x->line));

    if (x->kind == BX_NON_TEMPORAL) {
        *moves = x->steer ? 0 : o->times.llc_line;
        return queued(agent, ivbep_store_past(o, agent->core, x, agent->time));
    }
    if (!is_in_level(core, x)) {
        *moves = no_data ? 0 : o->times.l2_line + o->times.llc_line;
        return queued(agent, request(o, agent->core, x, agent->time));
    }
    uint64_t until = on_its_way(core, x->line, agent->time);
    *moves = o->times.l2_line;
    take_from_level(o, agent, x);
    oracle_count_flight(&agent->core->counts, asks(x));
    arrival_add(&agent->core->arrivals, ORACLE_LLC, x->kind, x->whole, x->line, until);
    return until;
}

/* Rule 3, at the turn. */
static void serve(struct ivbep_oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    const struct oracle_core_counts then = agent->core->counts;
    uint64_t moves, completion = complete(o, agent, &moves);
    bool waits = x->dependent || x->kind == BX_FETCH;

    oracle_count_served(&agent->core->counts, agent->time, completion, waits);
    agent->clock += moves + written_since(o, agent->core, &then);
    if (waits)
        agent->clock = later(agent->clock, completion);
    if (agent->needs_buffer) {
        agent->buffer_free[agent->next_buffer] = completion;
        agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
        if (x->kind == BX_LOAD && !waits && !x->steer)
            late_add(&agent->late, o->times.window, agent->time, completion);
        if (x->kind == BX_STORE && !x->steer)
            late_add_store(&agent->late, completion);
    }
    lasts_until(o, agent, completion);
}

/* The core stops before an access that is not private, until its turn. */
static void stop(struct agent *agent)
{
    const struct access *x = &agent->access;
    bool in_level = is_in_level(agent->core, x);

    agent->stopped = true;
    agent->needs_buffer = !in_level || is_on_its_way(agent);
    if (!agent->needs_buffer)
        return;
    agent->time = later(agent->time, agent->buffer_free[agent->next_buffer]);
    if (agent->core->requests_queue && !in_level)
        agent->time = later(agent->time, first_end(agent->core));
    oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->clock, agent->time);
}

void ivbep_core_execute(struct ivbep_oracle *o, struct agent *agent)
{
    struct oracle_cycles *cycles = &agent->core->counts.cycles;

    agent->clock = agent->time;
    if (agent->access.prefetch) {
        execute_prefetch(o, agent);
        return;
    }
    if (agent->access.lock) {
        for (unsigned i = 0; i < agent->buffers; i++)
            agent->clock = later(agent->clock, agent->buffer_free[i]);
        oracle_mark(cycles, ORACLE_IDLE, agent->time, agent->clock);
        ivbep_next_access(agent);
        return;
    }
    if (!agent->stopped)
        oracle_count_access(&agent->core->counts, asks(&agent->access));
    bool asks_only = steer_asks(agent->access.steer);
    if (!asks_only && hits_l1(agent->core, &agent->access)) {
        await_line(agent);
    } else if (agent->access.forwarded && !is_in_level(agent->core, &agent->access)) {
        oracle_count_l1_hit(&agent->core->counts, asks(&agent->access));
    } else if (asks_only ? !steers(o, agent) : !hits_level(o, agent, &agent->access)) {
        if (!agent->stopped) {
            stop(agent);
            return;
        }
        serve(o, agent);
    }
    ivbep_next_access(agent);
}

/* ---- power-on ---- */

void ivbep_core_new(struct core *core, unsigned package, unsigned number,
                    const bx_model_shape *shape)
{
    enum private_policy policy = shape->measured_replacement ? PRIVATE_TREE : PRIVATE_LRU;
    struct private_kind kind = {
        .l1d = {64, 8, policy},
        .l1i = {64, 8, policy},
        .l2 = {512, 8, policy},
    };

    kind = private_kind_of(shape, BX_INCLUSION_MODIFIED, kind);
    *core = (struct core){.package = package, .number = number};
    privates_new(&core->caches, &kind, &core->counts);
}

void ivbep_core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    privates_free(&core->caches);
}
