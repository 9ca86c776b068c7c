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

/* The nearest level behind L1 that has the line; as many as there are: none has. */
static unsigned level_with(const struct core *core, uint64_t line)
{
    unsigned k = 0;

    while (k < core->levels && !find(&core->level[k], line))
        k++;
    return k;
}

/* Its copy; NULL: there is none. */
static struct copy *behind_l1(const struct core *core, uint64_t line)
{
    unsigned k = level_with(core, line);
    return k < core->levels ? find(&core->level[k], line) : NULL;
}

static bool is_modified(const struct cache *cache, uint64_t line)
{
    const struct copy *copy = find(cache, line);
    return copy && copy->state == ORACLE_M;
}

static enum oracle_response snoop(const struct core *core, uint64_t line)
{
    bool modified = is_modified(&core->l1d, line);

    for (unsigned k = 0; k < core->levels; k++)
        modified |= is_modified(&core->level[k], line);
    if (modified)
        return ORACLE_HITM;
    return find(&core->l1d, line) || behind_l1(core, line) || find(&core->l1i, line) ? ORACLE_HIT
                                                                                     : ORACLE_MISS;
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
    for (unsigned k = 0; k < core->levels; k++)
        become(&core->level[k], line, ORACLE_S);
    return response;
}

/* The core is snooped by a writer, or the line is evicted from the LLC: its copies are invalidated.
 */
enum oracle_response snoop_to_invalidate(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    become(&core->l1d, line, ORACLE_I);
    become(&core->l1i, line, ORACLE_I);
    for (unsigned k = 0; k < core->levels; k++)
        become(&core->level[k], line, ORACLE_I);
    return response;
}

/* ---- "Private caches": fills, and the write-backs that they cause ---- */

/* What a level's victim is in the caches in front of it, by the level's inclusion. Returns whether
 * one of them had it modified. */
static bool leave_front(struct core *core, unsigned k, uint64_t line)
{
    bool modified = false, all = core->inclusion[k] == BX_INCLUSION_ALL;

    if (!all && core->inclusion[k] != BX_INCLUSION_MODIFIED)
        return false;
    for (unsigned i = 0; i <= k; i++) {
        struct cache *front = i < k ? &core->level[i] : &core->l1d;
        if (is_modified(front, line))
            become(front, line, ORACLE_E), modified = true;
        if (all)
            become(front, line, ORACLE_I);
    }
    if (all)
        become(&core->l1i, line, ORACLE_I);
    return modified;
}

static bool is_exclusive(const struct core *core, unsigned k)
{
    return core->inclusion[k] == BX_INCLUSION_EXCLUSIVE;
}

static void take_victim(struct oracle *o, struct core *core, unsigned k, struct copy victim,
                        uint64_t t);

static void fill_level(struct oracle *o, struct core *core, unsigned k, uint64_t line,
                       enum oracle_state state, uint64_t t)
{
    struct copy victim = fill(&core->level[k], line, state);

    if (victim.state != ORACLE_I && leave_front(core, k, victim.line))
        victim.state = ORACLE_M;
    if (k == 0)
        core->counts.l2_fills++;
    if (k == 0 && victim.state == ORACLE_M)
        core->counts.write_backs++;
    if (k + 1 < core->levels)
        take_victim(o, core, k + 1, victim, t);
    else if (victim.state == ORACLE_M)
        llc_write_back(o, victim.line, t);
}

/* A level gets a victim of the cache in front of it. */
static void take_victim(struct oracle *o, struct core *core, unsigned k, struct copy victim,
                        uint64_t t)
{
    if (victim.state == ORACLE_I)
        return;
    if (is_exclusive(core, k) && !find(&core->level[k], victim.line))
        fill_level(o, core, k, victim.line, victim.state, t);
    else if (victim.state == ORACLE_M && !find(&core->level[k], victim.line))
        fill_level(o, core, k, victim.line, ORACLE_M, t);
    else if (victim.state == ORACLE_M)
        become(&core->level[k], victim.line, ORACLE_M);
}

static void fill_l1d(struct oracle *o, struct core *core, uint64_t line, enum oracle_state state,
                     uint64_t t)
{
    struct copy victim = fill(&core->l1d, line, state);

    core->counts.l1d_fills++;
    if (victim.state == ORACLE_M)
        core->counts.l1d_write_backs++;
    take_victim(o, core, 0, victim, t);
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

/* Whether a level keeps a line that comes from behind it. */
static bool keeps(const struct core *core, unsigned k, const struct access *x)
{
    return !is_exclusive(core, k) || (k == 0 && x->kind == BX_FETCH && !find(&core->l1d, x->line));
}

/* The line comes from behind level n - 1, L3 before L2 before L1. Only L1D gets it modified, or L2
 * if L1I gets it. */
static void fill_from(struct oracle *o, struct core *core, unsigned n, const struct access *x,
                      enum oracle_state state, uint64_t t)
{
    while (n-- > 0) {
        enum oracle_state there = state;
        if (state == ORACLE_M && x->kind != BX_FETCH)
            there = ORACLE_E;
        if (!keeps(core, n, x))
            become(&core->level[n], x->line, ORACLE_I);
        else if (!update_copy(&core->level[n], x->line, there))
            fill_level(o, core, n, x->line, there, t);
    }
    if (x->kind == BX_FETCH)
        fill(&core->l1i, x->line, ORACLE_E);
    else if (!update_copy(&core->l1d, x->line, state))
        fill_l1d(o, core, x->line, state, t);
}

static uint64_t uncore_access(struct oracle *o, struct core *core, const struct access *x,
                              uint64_t t)
{
    enum oracle_state granted;
    uint64_t completion = llc_request(o, core, x, t, &granted);

    count_request(core, x);
    fill_from(o, core, core->levels, x, granted, t); /* rule 4 */
    return completion;
}

/* ---- "A core's accesses" ---- */

/* L1D has the line in E. The levels may have to have it, too. */
static bool may_modify(const struct core *core, uint64_t line)
{
    for (unsigned k = 0; k < core->levels; k++) {
        const struct copy *copy = find(&core->level[k], line);
        if (core->inclusion[k] == BX_INCLUSION_MODIFIED && (!copy || copy->state == ORACLE_S))
            return false;
    }
    return true;
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
    const struct copy *l1d = find(&core->l1d, x->line), *behind = behind_l1(core, x->line);
    return (l1d && l1d->state == ORACLE_S) || (behind && behind->state == ORACLE_S);
}

/* Rule 2 can serve the access, but rule 1 cannot. */
static bool hits_level(const struct core *core, const struct access *x)
{
    if (x->kind == BX_STORE && find(&core->l1d, x->line) && level_with(core, x->line) == 0)
        return false; /* L1D may not modify it, though L2 has it */
    return behind_l1(core, x->line) && !store_to_shared(core, x);
}

/* Rule 2's exception. */
static bool victim_makes_it_wait(const struct core *core, const struct access *x)
{
    if (level_with(core, x->line) > 0)
        return true; /* L3's hits */
    if (x->kind == BX_FETCH)
        return false;
    if (is_exclusive(core, 0))
        return true;
    const struct copy *victim = victim_for(&core->l1d, x->line);
    return victim->state == ORACLE_M && !find(&core->level[0], victim->line);
}

/* The changes that rule 2 makes. */
static void take_from_level(struct oracle *o, struct agent *agent, const struct access *x)
{
    struct core *core = agent->core;
    unsigned k = level_with(core, x->line);
    struct copy *copy = find(&core->level[k], x->line);
    enum oracle_state state = copy->state;

    if (!keeps(core, k, x)) {
        copy->state = ORACLE_I;
    } else {
        touch(&core->level[k], copy);
        if (state == ORACLE_M && x->kind == BX_FETCH)
            state = ORACLE_E;
        else if (state == ORACLE_M)
            copy->state = ORACLE_E;
    }
    fill_from(o, core, k, x, x->kind == BX_STORE ? ORACLE_M : state, agent->clock);
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
    unsigned k = level_with(agent->core, x->line);

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
    return find(&agent->core->level[0], agent->access.line) &&
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
    if (behind_l1(core, x->line)) {
        if (!into_l1d || level_with(core, x->line) > 0 || is_on_its_way(agent))
            return false;
        if (!turn && victim_makes_it_wait(core, x))
            return true;
        const struct oracle_core_counts then = core->counts;
        take_from_level(o, agent, x);
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
    enum oracle_state state = x->kind == BX_STORE ? ORACLE_E : granted;
    for (unsigned k = core->levels; k-- > 0;)
        if (k == 0 || !is_exclusive(core, k))
            fill_level(o, core, k, x->line, state, agent->time);
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
    if (!hits_level(agent->core, x) || (!turn && victim_makes_it_wait(agent->core, x)) ||
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
    return x->kind == BX_STORE && (x->whole || find(&core->l1d, x->line) ||
                                   find(&core->l1i, x->line) || behind_l1(core, x->line));
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
    if (!hits_level(core, x)) {
        *moves = needs_no_data(core, x) ? 0 : o->times.l2_line + o->times.llc_line;
        uint64_t completion = queued(agent, uncore_access(o, core, x, agent->time));
        line_is_taken(o, agent, completion);
        arrival_add(&core->arrivals, core->source, x->kind != BX_FETCH && !x->whole, x->line,
                    completion);
        return completion;
    }
    uint64_t until = is_on_its_way(agent) ? on_its_way(core, x->line, agent->time) : 0;
    *moves = o->times.l2_line;
    take_from_level(o, agent, x);
    if (until)
        oracle_count_flight(&core->counts, asks(x));
    else
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
    if ((x->kind == BX_NON_TEMPORAL || !hits_level(core, x)) && waits_for_line(o, agent))
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
    core->inclusion[0] = shape->l2.inclusion ? shape->l2.inclusion : BX_INCLUSION_NONE;
    core->inclusion[1] = shape->l3.inclusion ? shape->l3.inclusion : BX_INCLUSION_NONE;
    new_cache(&core->l1d, L1_SETS, L1_WAYS, false);
    new_cache(&core->l1i, L1_SETS, L1_WAYS, false);
    new_cache(&core->level[0], L2_SETS, L2_WAYS, measured_replacement);
    core->levels = shape->l3.bytes ? 2 : 1;
    unsigned ways = shape->l3.ways ? shape->l3.ways : L2_WAYS;
    if (shape->l3.bytes)
        new_cache(&core->level[1], (unsigned)(shape->l3.bytes / 64 / ways), ways,
                  measured_replacement);
}

void core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    free_cache(&core->l1d);
    free_cache(&core->l1i);
    for (unsigned k = 0; k < core->levels; k++)
        free_cache(&core->level[k]);
}
