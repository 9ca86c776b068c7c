/* A client core and its private caches: docs/explanation/model.md, "A core's accesses" and
 * "Tree-PLRU". */
#include "machine.h"
#include "tree.h"

#include <stdlib.h>

enum { L1_SETS = 64, L1_WAYS = 8, L2_SETS = 1024, L2_WAYS = 4 };

/* ---- "Tree-PLRU": the private caches ---- */

static struct copy *set_of(const struct cache *cache, uint64_t line)
{
    return &cache->copy[(line & (cache->sets - 1)) * cache->ways];
}

static bool *tree_of(const struct cache *cache, uint64_t line)
{
    return &cache->upper_next[(line & (cache->sets - 1)) * (cache->ways - 1)];
}

static struct copy *find(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].line == line && set[way].state != ORACLE_I)
            return &set[way];
    return NULL;
}

static void touch_tree(struct cache *cache, const struct copy *copy)
{
    tree_touch(tree_of(cache, copy->line), cache->ways,
               (unsigned)(copy - set_of(cache, copy->line)));
}

static struct copy *victim_by_tree(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned w = 0; w < cache->ways; w++)
        if (set[w].state == ORACLE_I)
            return &set[w];
    return &set[tree_victim(tree_of(cache, line), cache->ways)];
}

/* ---- "QLRU": L2, if replacement is as measured ---- */

/* All other lines grow older by the same amount, so that the oldest of them has age 3. */
static void make_older(struct cache *cache, const struct copy *but)
{
    struct copy *set = set_of(cache, but->line);
    unsigned oldest = 0;

    for (unsigned way = 0; way < cache->ways; way++)
        if (&set[way] != but && set[way].age > oldest)
            oldest = set[way].age;
    for (unsigned way = 0; way < cache->ways; way++)
        if (&set[way] != but)
            set[way].age += 3 - oldest;
}

static struct copy *victim_by_age(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned way = cache->ways; way-- > 0;)
        if (set[way].state == ORACLE_I)
            return &set[way];
    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].age == 3)
            return &set[way];
    abort();
}

/* ---- either replacement ---- */

static void touch_with(struct cache *cache, struct copy *copy, unsigned age)
{
    if (!cache->qlru) {
        touch_tree(cache, copy);
        return;
    }
    copy->age = age;
    make_older(cache, copy);
}

static void touch(struct cache *cache, struct copy *copy)
{
    touch_with(cache, copy, 0);
}

static struct copy *victim_for(const struct cache *cache, uint64_t line)
{
    return cache->qlru ? victim_by_age(cache, line) : victim_by_tree(cache, line);
}

/* Fills the line over the victim, and returns the victim. */
static struct copy fill(struct cache *cache, uint64_t line, enum oracle_state state)
{
    struct copy *way = victim_for(cache, line);
    struct copy old = *way;

    way->line = line;
    way->state = state;
    touch_with(cache, way, 1);
    return old;
}

/* ---- snoops ---- */

static enum oracle_response snoop(const struct core *core, uint64_t line)
{
    const struct copy *l1d = find(&core->l1d, line), *l2 = find(&core->l2, line);

    if ((l1d && l1d->state == ORACLE_M) || (l2 && l2->state == ORACLE_M))
        return ORACLE_HITM;
    return l1d || l2 || find(&core->l1i, line) ? ORACLE_HIT : ORACLE_MISS;
}

static void become(struct cache *cache, uint64_t line, enum oracle_state state)
{
    struct copy *copy = find(cache, line);

    if (copy)
        copy->state = state;
}

/* The core is snooped by a reader: its copies become shared. */
enum oracle_response snoop_to_share(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    become(&core->l1d, line, ORACLE_S);
    become(&core->l2, line, ORACLE_S);
    return response;
}

/* The core is snooped by a writer, or the line is evicted from the LLC: its copies are invalidated.
 */
enum oracle_response snoop_to_invalidate(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    become(&core->l1d, line, ORACLE_I);
    become(&core->l1i, line, ORACLE_I);
    become(&core->l2, line, ORACLE_I);
    return response;
}

/* ---- "Private caches": fills, and the write-backs that they cause ---- */

/* What L2's victim is in L1, by L2's inclusion. Returns whether L1D had it modified. */
static bool leave_l1(struct core *core, uint64_t line)
{
    const struct copy *l1d = find(&core->l1d, line);
    bool modified = l1d && l1d->state == ORACLE_M;

    if (core->inclusion == BX_INCLUSION_ALL) {
        become(&core->l1d, line, ORACLE_I);
        become(&core->l1i, line, ORACLE_I);
        return modified;
    }
    if (core->inclusion != BX_INCLUSION_MODIFIED || !modified)
        return false;
    become(&core->l1d, line, ORACLE_E);
    return true;
}

static void fill_l2(struct oracle *o, struct core *core, uint64_t line, enum oracle_state state,
                    uint64_t t)
{
    struct copy victim = fill(&core->l2, line, state);

    if (victim.state != ORACLE_I && leave_l1(core, victim.line))
        victim.state = ORACLE_M;
    core->counts.l2_fills++;
    if (victim.state == ORACLE_M)
        core->counts.write_backs++;
    if (victim.state == ORACLE_M)
        llc_write_back(o, victim.line, t);
}

static bool is_exclusive(const struct core *core)
{
    return core->inclusion == BX_INCLUSION_EXCLUSIVE;
}

static void fill_l1d(struct oracle *o, struct core *core, uint64_t line, enum oracle_state state,
                     uint64_t t)
{
    struct copy victim = fill(&core->l1d, line, state);

    core->counts.l1d_fills++;
    if (victim.state == ORACLE_M)
        core->counts.l1d_write_backs++;
    if (is_exclusive(core) && victim.state != ORACLE_I)
        fill_l2(o, core, victim.line, victim.state, t);
    if (is_exclusive(core) || victim.state != ORACLE_M)
        return;
    if (find(&core->l2, victim.line))
        become(&core->l2, victim.line, ORACLE_M);
    else
        fill_l2(o, core, victim.line, ORACLE_M, t);
}

/* Touches an existing copy and gives it the state. Returns false if there is none. */
static bool update_copy(struct cache *cache, uint64_t line, enum oracle_state state)
{
    struct copy *copy = find(cache, line);

    if (copy == NULL)
        return false;
    copy->state = state;
    touch(cache, copy);
    return true;
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

static uint64_t uncore_access(struct oracle *o, struct core *core, const struct access *x,
                              uint64_t t)
{
    enum oracle_state granted;
    uint64_t completion = llc_request(o, core, x, t, &granted);

    count_request(core, x);
    enum oracle_state l2_state = x->kind == BX_STORE ? ORACLE_E : granted;

    /* Rule 4. */
    if (is_exclusive(core) && (x->kind != BX_FETCH || find(&core->l1d, x->line)))
        become(&core->l2, x->line, ORACLE_I);
    else if (!update_copy(&core->l2, x->line, l2_state))
        fill_l2(o, core, x->line, l2_state, t);
    if (x->kind == BX_FETCH)
        fill(&core->l1i, x->line, ORACLE_E);
    else if (!update_copy(&core->l1d, x->line, granted))
        fill_l1d(o, core, x->line, granted, t);
    return completion;
}

/* ---- "A core's accesses" ---- */

/* L1D has the line in E. L2 may have to have it, too. */
static bool may_modify(const struct core *core, uint64_t line)
{
    const struct copy *l2 = find(&core->l2, line);
    return core->inclusion != BX_INCLUSION_MODIFIED || (l2 && l2->state != ORACLE_S);
}

/* Rule 1. */
static bool hits_l1(struct core *core, const struct access *x)
{
    struct cache *l1 = x->kind == BX_FETCH ? &core->l1i : &core->l1d;
    struct copy *copy = find(l1, x->line);

    if (!copy || (x->kind == BX_STORE && copy->state == ORACLE_S))
        return false;
    if (x->kind == BX_STORE && copy->state == ORACLE_E && !may_modify(core, x->line))
        return false;
    touch(l1, copy);
    if (x->kind == BX_STORE)
        copy->state = ORACLE_M;
    oracle_count_l1_hit(&core->counts, asks(x));
    return true;
}

/* A store that finds the line in S. */
static bool store_to_shared(const struct core *core, const struct access *x)
{
    if (x->kind != BX_STORE)
        return false;
    const struct copy *l1d = find(&core->l1d, x->line), *l2 = find(&core->l2, x->line);
    return (l1d && l1d->state == ORACLE_S) || (l2 && l2->state == ORACLE_S);
}

/* Rule 2 can serve the access, but rule 1 cannot. */
static bool hits_l2(const struct core *core, const struct access *x)
{
    return find(&core->l2, x->line) && !store_to_shared(core, x);
}

/* Rule 2's exception. */
static bool victim_makes_it_wait(const struct core *core, const struct access *x)
{
    if (x->kind == BX_FETCH)
        return false;
    if (is_exclusive(core))
        return true;
    const struct copy *victim = victim_for(&core->l1d, x->line);
    return victim->state == ORACLE_M && !find(&core->l2, victim->line);
}

/* The changes that rule 2 makes. */
static void take_from_l2(struct oracle *o, struct agent *agent, const struct access *x)
{
    struct core *core = agent->core;
    struct copy *l2 = find(&core->l2, x->line);

    if (is_exclusive(core) && x->kind != BX_FETCH) {
        enum oracle_state state = x->kind == BX_STORE ? ORACLE_M : l2->state;
        l2->state = ORACLE_I;
        fill_l1d(o, core, x->line, state, agent->clock);
        return;
    }
    touch(&core->l2, l2);
    if (x->kind == BX_FETCH) {
        fill(&core->l1i, x->line, ORACLE_E);
    } else {
        enum oracle_state state = x->kind == BX_STORE ? ORACLE_M : l2->state;
        if (l2->state == ORACLE_M)
            l2->state = ORACLE_E;
        fill_l1d(o, core, x->line, state, agent->clock);
    }
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

    take_from_l2(o, agent, x);
    agent->clock += written_since(o, agent->core, &then);
    oracle_count_l2_hit(&agent->core->counts, asks(x));
    unsigned cycles = x->dependent ? o->times.l2_wait : o->times.l2_hit;
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
    return on_its_way(agent->core, agent->access.line, agent->time) != 0;
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
    return free_entry(fills_llc_only(agent) ? core->llc_queue : core->queue, core->queue_entries,
                      agent->time);
}

/* Executes the due prefetch, except its request. Returns true if it must be requested or, not at
 * its turn, would write back. */
static bool prefetch_waits(struct oracle *o, struct agent *agent, bool turn)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    bool into_l1d = x->by == BX_PREFETCHER_NEXT || x->by == BX_PREFETCHER_STRIDE;

    if (core->prefetcher_off[x->by] || find(&core->l1d, x->line))
        return false;
    if (find(&core->l2, x->line)) {
        if (!into_l1d || is_on_its_way(agent))
            return false;
        if (!turn && victim_makes_it_wait(core, x))
            return true;
        const struct oracle_core_counts then = core->counts;
        take_from_l2(o, agent, x);
        agent->clock += o->times.l2_line + written_since(o, core, &then);
        oracle_count_l2_hit(&core->counts, asks(x));
        return false;
    }
    if (!into_l1d && find(&core->l1i, x->line))
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
        uint64_t done = llc_prefetch(o, core, x, entry, agent->time);
        count_request(core, x);
        agent->ends = later(agent->ends, done);
        work_lasts_until(o, done);
        return;
    }
    const struct oracle_core_counts then = core->counts;
    entry->line = x->line;
    entry->until = llc_request(o, core, x, agent->time, &granted);
    line_is_taken(o, agent, entry->until);
    count_request(core, x);
    agent->ends = later(agent->ends, entry->until);
    fill_l2(o, core, x->line, x->kind == BX_STORE ? ORACLE_E : granted, agent->time);
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

/* ---- turns ---- */

/* Executes the access that is due if it is private. */
static bool is_private(struct oracle *o, struct agent *agent, bool turn)
{
    const struct access *x = &agent->access;

    if (x->kind == BX_NON_TEMPORAL)
        return false;
    if (hits_l1(agent->core, x)) {
        if (x->kind != BX_FETCH)
            agent->clock = arrival_of(&agent->core->arrivals, x->line, x->dependent, agent->time);
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, agent->clock);
        return true;
    }
    if (!hits_l2(agent->core, x) || (!turn && victim_makes_it_wait(agent->core, x)) ||
        is_on_its_way(agent))
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
    agent->needs_buffer = x->kind == BX_NON_TEMPORAL || store_to_shared(core, x) ||
                          !find(&core->l2, x->line) || is_on_its_way(agent);
    if (!agent->needs_buffer)
        return;
    uint64_t turn = later(agent->time, core->buffer_free[core->next_buffer]);
    bool waits_for_line = x->kind != BX_NON_TEMPORAL && hits_l2(core, x) && is_on_its_way(agent);
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
    return x->kind == BX_STORE && (x->whole || find(&core->l1d, x->line) ||
                                   find(&core->l1i, x->line) || find(&core->l2, x->line));
}

/* Executes an access that is not private, at its turn. Returns its completion. *moves: the cycles
 * for which lines move, without those written back. */
static uint64_t complete(struct oracle *o, struct agent *agent, uint64_t *moves)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    if (x->kind == BX_NON_TEMPORAL) {
        *moves = o->times.llc_line;
        return queued(agent, llc_write_past(o, core, x, agent->time));
    }
    if (!hits_l2(core, x)) {
        *moves = needs_no_data(core, x) ? 0 : o->times.l2_line + o->times.llc_line;
        uint64_t completion = queued(agent, uncore_access(o, core, x, agent->time));
        line_is_taken(o, agent, completion);
        arrival_add(&core->arrivals, core->source, x->kind != BX_FETCH && !x->whole, x->line,
                    completion);
        return completion;
    }
    *moves = o->times.l2_line;
    take_from_l2(o, agent, x);
    if (is_on_its_way(agent))
        oracle_count_flight(&core->counts, asks(x));
    else
        oracle_count_l2_hit(&core->counts, asks(x));
    return on_its_way(core, x->line, agent->time);
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
    if ((x->kind == BX_NON_TEMPORAL || !hits_l2(core, x)) && waits_for_line(o, agent))
        return;
    const struct oracle_core_counts then = core->counts;
    uint64_t moves, completion = complete(o, agent, &moves);
    bool waits = x->dependent || x->kind == BX_FETCH;
    oracle_count_served(&core->counts, agent->time, completion, waits);
    if (agent->needs_buffer) {
        core->buffer_free[core->next_buffer] = completion;
        core->next_buffer = (core->next_buffer + 1) % o->times.fill_buffers;
        if (x->kind == BX_LOAD && !x->dependent)
            late_add(&agent->late, o->times.window, agent->time, completion);
        if (x->kind == BX_STORE)
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

static void new_cache(struct cache *cache, unsigned sets, unsigned ways, bool qlru)
{
    *cache = (struct cache){
        .qlru = qlru,
        .sets = sets,
        .ways = ways,
        .copy = need(calloc((size_t)sets * ways, sizeof *cache->copy)),
        .upper_next = need(calloc((size_t)sets * (ways - 1), sizeof *cache->upper_next)),
    };
    for (size_t i = 0; i < (size_t)sets * ways; i++)
        cache->copy[i].age = 3;
}

static void free_cache(struct cache *cache)
{
    free(cache->copy);
    free(cache->upper_next);
}

void core_new(struct core *core, unsigned number, const bx_model_shape *shape)
{
    bool measured_replacement = shape->measured_replacement;

    core->number = number;
    core->inclusion = shape->l2.inclusion ? shape->l2.inclusion : BX_INCLUSION_NONE;
    new_cache(&core->l1d, L1_SETS, L1_WAYS, false);
    new_cache(&core->l1i, L1_SETS, L1_WAYS, false);
    new_cache(&core->l2, L2_SETS, L2_WAYS, measured_replacement);
}

void core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    free_cache(&core->l1d);
    free_cache(&core->l1i);
    free_cache(&core->l2);
}
