/* A core of Ivy Bridge-EP and its private caches: docs/explanation/model-ivbep.md, "A core's
 * accesses". */
#include "machine.h"

#include "../tree.h"

#include <stdlib.h>

enum { L1_SETS = 64, L1_WAYS = 8, L2_SETS = 512, L2_WAYS = 8 };
enum { PAGE_LINES = 64 };

/* ---- caches: least recently used, or tree-PLRU ---- */

static struct copy *set_of(const struct cache *cache, uint64_t line)
{
    return &cache->copy[line % cache->sets * cache->ways];
}

static struct copy *find(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].line == line && set[way].state != I)
            return &set[way];
    return NULL;
}

static enum state state_in(const struct cache *cache, uint64_t line)
{
    const struct copy *copy = find(cache, line);

    return copy ? copy->state : I;
}

static void become(struct cache *cache, uint64_t line, enum state state)
{
    struct copy *copy = find(cache, line);

    if (copy)
        copy->state = state;
}

static bool *tree_of(const struct cache *cache, uint64_t line)
{
    return &cache->upper_next[line % cache->sets * (cache->ways - 1)];
}

static void touch(struct ivbep_oracle *o, struct cache *cache, struct copy *copy)
{
    copy->used = ++o->uses;
    if (cache->upper_next)
        tree_touch(tree_of(cache, copy->line), cache->ways,
                   (unsigned)(copy - set_of(cache, copy->line)));
}

static struct copy *victim_for(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line), *victim = set;

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].state == I)
            return &set[way];
    if (cache->upper_next)
        return &set[tree_victim(tree_of(cache, line), cache->ways)];
    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].used < victim->used)
            victim = &set[way];
    return victim;
}

/* Touches an existing copy and gives it the state, or fills the line. Returns the victim, in state
 * I if there was none. */
static struct copy fill(struct ivbep_oracle *o, struct cache *cache, uint64_t line,
                        enum state state)
{
    struct copy *way = find(cache, line), old = {0, I, 0};

    if (way == NULL) {
        way = victim_for(cache, line);
        old = *way;
    }
    way->line = line;
    way->state = state;
    touch(o, cache, way);
    return old;
}

/* ---- snoops ---- */

bool ivbep_core_has(const struct core *core, uint64_t line)
{
    return find(&core->l1d, line) || find(&core->l1i, line) || find(&core->l2, line);
}

static struct snooped answer(const struct core *core, uint64_t line)
{
    return (struct snooped){
        .any = true,
        .had = ivbep_core_has(core, line),
        .modified = state_in(&core->l1d, line) == M || state_in(&core->l2, line) == M,
    };
}

struct snooped ivbep_core_share(struct core *core, uint64_t line)
{
    struct snooped s = answer(core, line);

    become(&core->l1d, line, S);
    become(&core->l2, line, S);
    return s;
}

struct snooped ivbep_core_invalidate(struct core *core, uint64_t line)
{
    struct snooped s = answer(core, line);

    become(&core->l1d, line, I);
    become(&core->l1i, line, I);
    become(&core->l2, line, I);
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

static void fill_l1d(struct ivbep_oracle *o, struct core *core, uint64_t line, enum state state)
{
    bool is_new = !find(&core->l1d, line);
    struct copy victim = fill(o, &core->l1d, line, state);

    core->counts.l1d_fills += is_new;
    if (victim.state != M)
        return;
    core->counts.l1d_write_backs++;
    become(&core->l2, victim.line, M);
}

/* Executes a pending write-back, if it is due. */
struct write_back {
    uint64_t line;
    enum transaction what;
    bool due;
};

static struct write_back fill_l2(struct ivbep_oracle *o, struct core *core, uint64_t line,
                                 enum state state)
{
    bool is_new = !find(&core->l2, line);
    struct copy victim = fill(o, &core->l2, line, state);
    enum state in_l1d = victim.state == I ? I : state_in(&core->l1d, victim.line);
    bool modified = victim.state == M || in_l1d == M;

    core->counts.l2_fills += is_new;
    core->counts.write_backs += modified;
    if (in_l1d == M)
        become(&core->l1d, victim.line, E);
    return (struct write_back){victim.line, in_l1d == I ? WBMTOI : WBMTOE, modified};
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
    arrival_add(&core->arrivals, core->source, x->kind != BX_FETCH && !x->whole, x->line,
                completion);
    struct write_back wb = fill_l2(o, core, x->line, x->kind == BX_STORE ? E : granted);
    if (x->kind == BX_FETCH)
        fill(o, &core->l1i, x->line, E);
    else
        fill_l1d(o, core, x->line, granted);
    if (wb.due)
        ivbep_write_back(o, core, wb.line, wb.what, t);
    if (!o->prefetchers && !x->whole)
        prefetch(o, core, x, t);
    return completion;
}

/* Rule 1. */
static bool hits_l1(struct ivbep_oracle *o, struct core *core, const struct access *x)
{
    struct cache *l1 = x->kind == BX_FETCH ? &core->l1i : &core->l1d;
    struct copy *copy = find(l1, x->line);
    enum state in_l2 = state_in(&core->l2, x->line);

    if (copy == NULL)
        return false;
    if (x->kind == BX_STORE) {
        if (copy->state != M && !(copy->state == E && (in_l2 == E || in_l2 == M)))
            return false;
        copy->state = M;
    }
    touch(o, l1, copy);
    oracle_count_l1_hit(&core->counts, asks(x));
    return true;
}

/* Rule 2 can serve it. */
static bool is_in_l2(const struct core *core, const struct access *x)
{
    if (find(&core->l2, x->line) == NULL)
        return false;
    return x->kind != BX_STORE ||
           (state_in(&core->l2, x->line) != S && state_in(&core->l1d, x->line) != S);
}

static void take_from_l2(struct ivbep_oracle *o, struct core *core, const struct access *x)
{
    struct copy *l2 = find(&core->l2, x->line);

    touch(o, &core->l2, l2);
    if (x->kind == BX_FETCH)
        fill(o, &core->l1i, x->line, E);
    else
        fill_l1d(o, core, x->line, x->kind == BX_STORE ? M : l2->state == S ? S : E);
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

/* Executes an access that needs no request. Returns false if it needs one. */
static bool prefetch_is_done(struct ivbep_oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    bool into_l1d = x->by == BX_PREFETCHER_NEXT || x->by == BX_PREFETCHER_STRIDE;

    if (core->prefetcher_off[x->by] || find(&core->l1d, x->line))
        return true;
    if (find(&core->l2, x->line)) {
        if (into_l1d && !on_its_way(core, x->line, agent->time)) {
            const struct oracle_core_counts then = core->counts;
            take_from_l2(o, core, x);
            agent->clock += o->times.l2_line + written_since(o, core, &then);
            oracle_count_l2_hit(&core->counts, asks(x));
        }
        return true;
    }
    if (!into_l1d && find(&core->l1i, x->line))
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
    uint64_t completion =
        ivbep_core_request(o, agent->core, x->line, of_kind[x->kind], agent->time, &granted);

    count_request(agent->core, asks(x));
    lasts_until(o, agent, completion);
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
    struct write_back wb = fill_l2(o, core, x->line, x->kind == BX_STORE ? E : granted);
    if (wb.due)
        ivbep_write_back(o, core, wb.line, wb.what, agent->time);
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
static bool hits_l2(struct ivbep_oracle *o, struct agent *agent, const struct access *x)
{
    if (!is_in_l2(agent->core, x) || on_its_way(agent->core, x->line, agent->time))
        return false;
    const struct oracle_core_counts then = agent->core->counts;
    take_from_l2(o, agent->core, x);
    oracle_count_l2_hit(&agent->core->counts, asks(x));
    agent->clock +=
        (x->dependent ? o->times.l2_wait : o->times.l2_hit) + written_since(o, agent->core, &then);
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
        *moves = o->times.llc_line;
        return queued(agent, ivbep_store_past(o, agent->core, x, agent->time));
    }
    if (!is_in_l2(agent->core, x)) {
        *moves = no_data ? 0 : o->times.l2_line + o->times.llc_line;
        return queued(agent, request(o, agent->core, x, agent->time));
    }
    *moves = o->times.l2_line;
    take_from_l2(o, agent->core, x);
    oracle_count_flight(&agent->core->counts, asks(x));
    return on_its_way(agent->core, x->line, agent->time);
}

/* Rule 3, at the turn. */
static void serve(struct ivbep_oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    const struct oracle_core_counts then = agent->core->counts;
    uint64_t moves, completion = complete(o, agent, &moves);
    bool waits = x->dependent || x->kind == BX_FETCH;

    oracle_count_served(&agent->core->counts, agent->time, completion, waits);
    agent->buffer_free[agent->next_buffer] = completion;
    agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
    agent->clock += moves + written_since(o, agent->core, &then);
    if (waits)
        agent->clock = later(agent->clock, completion);
    else if (x->kind == BX_LOAD)
        late_add(&agent->late, o->times.window, agent->time, completion);
    if (x->kind == BX_STORE)
        late_add_store(&agent->late, completion);
    lasts_until(o, agent, completion);
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
    bool by_l1 = agent->access.kind != BX_NON_TEMPORAL && hits_l1(o, agent->core, &agent->access);
    if (by_l1)
        await_line(agent);
    else if (agent->access.kind == BX_NON_TEMPORAL || !hits_l2(o, agent, &agent->access)) {
        if (!agent->stopped) {
            bool waits_for_line =
                agent->access.kind != BX_NON_TEMPORAL && is_in_l2(agent->core, &agent->access);
            agent->stopped = true;
            agent->time = later(agent->time, agent->buffer_free[agent->next_buffer]);
            if (agent->core->requests_queue && !waits_for_line)
                agent->time = later(agent->time, first_end(agent->core));
            oracle_mark(cycles, ORACLE_IDLE, agent->clock, agent->time);
            return;
        }
        serve(o, agent);
    }
    ivbep_next_access(agent);
}

/* ---- power-on ---- */

static struct cache new_cache(unsigned sets, unsigned ways, bool tree)
{
    struct cache cache = {sets, ways, ivbep_need(calloc((size_t)sets * ways, sizeof(struct copy))),
                          NULL};

    if (tree)
        cache.upper_next = ivbep_need(calloc((size_t)sets * (ways - 1), sizeof(bool)));
    return cache;
}

static void free_cache(struct cache *cache)
{
    free(cache->copy);
    free(cache->upper_next);
}

void ivbep_core_new(struct core *core, unsigned package, unsigned number, bool measured_replacement)
{
    *core = (struct core){.package = package,
                          .number = number,
                          .l1d = new_cache(L1_SETS, L1_WAYS, measured_replacement),
                          .l1i = new_cache(L1_SETS, L1_WAYS, measured_replacement),
                          .l2 = new_cache(L2_SETS, L2_WAYS, measured_replacement)};
}

void ivbep_core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    free_cache(&core->l1d);
    free_cache(&core->l1i);
    free_cache(&core->l2);
}
