/* A core's private caches: docs/explanation/model-ivbep.md, "A core's accesses". */
#include "nhmex/machine.h"

#include "tree.h"

#include <stdlib.h>

static struct copy *set_of(const struct cache *cache, uint64_t line)
{
    return &cache->copy[(line % cache->sets) * cache->ways];
}

static struct copy *find(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].line == line && set[way].state != STATE_I)
            return &set[way];
    return NULL;
}

static enum state state_in(const struct cache *cache, uint64_t line)
{
    const struct copy *copy = find(cache, line);
    return copy ? copy->state : STATE_I;
}

static bool *tree_of(const struct cache *cache, uint64_t line)
{
    return &cache->upper_next[line % cache->sets * (cache->ways - 1)];
}

static void touch(struct cache *cache, struct copy *copy)
{
    copy->touched = ++cache->touches;
    if (cache->upper_next)
        tree_touch(tree_of(cache, copy->line), cache->ways,
                   (unsigned)(copy - set_of(cache, copy->line)));
}

static struct copy *victim_for(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line), *victim = set;

    for (unsigned way = 0; way < cache->ways; way++) {
        if (set[way].state == STATE_I)
            return &set[way];
        if (set[way].touched < victim->touched)
            victim = &set[way];
    }
    return cache->upper_next ? &set[tree_victim(tree_of(cache, line), cache->ways)] : victim;
}

/* Fills the line, over its own copy if there is one. Returns the replaced copy, or nothing (state
 * I). */
static struct copy fill(struct cache *cache, uint64_t line, enum state state)
{
    struct copy *way = find(cache, line), old = {0};

    if (way == NULL) {
        way = victim_for(cache, line);
        old = *way;
    }
    way->line = line;
    way->state = state;
    touch(cache, way);
    return old;
}

static void become(struct cache *cache, uint64_t line, enum state state)
{
    struct copy *copy = find(cache, line);

    if (copy)
        copy->state = state;
}

struct snooped nhmex_snoop(struct core *core, uint64_t line, bool invalidate)
{
    enum state l1d = state_in(&core->l1d, line), l2 = state_in(&core->l2, line);
    struct snooped found = {
        .any = true,
        .had = l1d != STATE_I || l2 != STATE_I || find(&core->l1i, line) != NULL,
        .modified = l1d == STATE_M || l2 == STATE_M,
    };

    become(&core->l1d, line, invalidate ? STATE_I : STATE_S);
    become(&core->l2, line, invalidate ? STATE_I : STATE_S);
    if (invalidate)
        become(&core->l1i, line, STATE_I);
    return found;
}

bool nhmex_core_has(const struct core *core, uint64_t line)
{
    return find(&core->l1d, line) || find(&core->l1i, line) || find(&core->l2, line);
}

/* For "Counters of a core" of model-core-counters.md. */
struct oracle_asks nhmex_asks(const struct access *x)
{
    return (struct oracle_asks){x->prefetch ? ORACLE_PREFETCH : x->kind, x->auxiliary};
}

static void fill_l1d(struct core *core, uint64_t line, enum state state)
{
    bool is_new = !find(&core->l1d, line);
    struct copy victim = fill(&core->l1d, line, state);

    core->counts.l1d_fills += is_new;
    if (victim.state != STATE_M)
        return;
    core->counts.l1d_write_backs++;
    become(&core->l2, victim.line, STATE_M);
}

static bool hits_l1(struct core *core, const struct access *x)
{
    struct cache *l1 = x->kind == BX_FETCH ? &core->l1i : &core->l1d;
    struct copy *copy = find(l1, x->line);
    enum state l2 = state_in(&core->l2, x->line);

    if (copy == NULL)
        return false;
    if (x->kind == BX_STORE && copy->state != STATE_M &&
        !(copy->state == STATE_E && (l2 == STATE_E || l2 == STATE_M)))
        return false;
    touch(l1, copy);
    if (x->kind == BX_STORE)
        copy->state = STATE_M;
    oracle_count_l1_hit(&core->counts, nhmex_asks(x));
    return true;
}

static bool is_in_l2(const struct core *core, const struct access *x)
{
    if (find(&core->l2, x->line) == NULL)
        return false;
    return x->kind != BX_STORE ||
           (state_in(&core->l2, x->line) != STATE_S && state_in(&core->l1d, x->line) != STATE_S);
}

static void take_from_l2(struct core *core, const struct access *x)
{
    struct copy *l2 = find(&core->l2, x->line);

    touch(&core->l2, l2);
    if (x->kind == BX_FETCH)
        fill(&core->l1i, x->line, STATE_E);
    else if (x->kind == BX_STORE)
        fill_l1d(core, x->line, STATE_M);
    else
        fill_l1d(core, x->line, l2->state == STATE_S ? STATE_S : STATE_E);
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

struct prefetched *nhmex_core_entry(struct core *core, uint64_t t)
{
    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].until <= t)
            return &core->queue[i];
    return NULL;
}

uint64_t nhmex_core_first_end(const struct core *core)
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].until < first)
            first = core->queue[i].until;
    return first;
}

uint64_t nhmex_written(const struct nhmex_oracle *o, const struct core *core,
                       const struct oracle_core_counts *then)
{
    return oracle_written(&core->counts, then, o->times.l2_line, o->times.llc_line);
}

bool nhmex_core_prefetch(const struct nhmex_oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;
    bool into_l1d = x->by == BX_PREFETCHER_NEXT || x->by == BX_PREFETCHER_STRIDE;

    if (core->prefetcher_off[x->by] || find(&core->l1d, x->line))
        return true;
    if (find(&core->l2, x->line)) {
        if (into_l1d && !on_its_way(core, x->line, agent->time)) {
            const struct oracle_core_counts then = core->counts;
            take_from_l2(core, x);
            agent->clock += o->times.l2_line + nhmex_written(o, core, &then);
            oracle_count_l2_hit(&core->counts, nhmex_asks(x));
        }
        return true;
    }
    if (!into_l1d && find(&core->l1i, x->line))
        return true;
    return nhmex_core_entry(core, agent->time) == NULL;
}

bool nhmex_core_waits_for_line(const struct agent *agent)
{
    const struct access *x = &agent->access;

    return x->kind != BX_NON_TEMPORAL && is_in_l2(agent->core, x) &&
           on_its_way(agent->core, x->line, agent->time) != 0;
}

uint64_t nhmex_core_wait(struct agent *agent)
{
    const struct access *x = &agent->access;
    uint64_t until = on_its_way(agent->core, x->line, agent->time);

    if (!nhmex_core_waits_for_line(agent))
        return 0;
    take_from_l2(agent->core, x);
    oracle_count_flight(&agent->core->counts, nhmex_asks(x));
    return until;
}

/* ---- accesses ---- */

bool nhmex_core_private(const struct nhmex_oracle *o, struct agent *agent)
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
    if (!is_in_l2(agent->core, x) || on_its_way(agent->core, x->line, agent->time))
        return false;
    const struct oracle_core_counts then = agent->core->counts;
    take_from_l2(agent->core, x);
    oracle_count_l2_hit(&agent->core->counts, nhmex_asks(x));
    agent->clock +=
        (x->dependent ? o->times.l2_wait : o->times.l2_hit) + nhmex_written(o, agent->core, &then);
    return true;
}

void nhmex_core_fill(struct nhmex_oracle *o, struct core *core, const struct access *x,
                     enum state granted)
{
    bool is_new = !find(&core->l2, x->line);
    struct copy victim = fill(&core->l2, x->line, x->kind == BX_STORE ? STATE_E : granted);
    bool dirty = victim.state == STATE_M;

    core->counts.l2_fills += is_new;
    if (victim.state != STATE_I && state_in(&core->l1d, victim.line) == STATE_M) {
        become(&core->l1d, victim.line, STATE_E);
        dirty = true;
    }
    if (!x->prefetch && x->kind == BX_FETCH)
        fill(&core->l1i, x->line, STATE_E);
    else if (!x->prefetch)
        fill_l1d(core, x->line, granted);
    core->counts.write_backs += dirty;
    if (dirty)
        nhmex_core_write_back(o, core, victim.line);
}

/* ---- power-on ---- */

static void new_cache(struct cache *cache, unsigned sets, unsigned ways, bool tree)
{
    *cache = (struct cache){.sets = sets, .ways = ways};
    cache->copy = calloc((size_t)sets * ways, sizeof *cache->copy);
    if (tree)
        cache->upper_next = calloc((size_t)sets * (ways - 1), sizeof *cache->upper_next);
    if (cache->copy == NULL || (tree && cache->upper_next == NULL))
        abort();
}

static void free_cache(struct cache *cache)
{
    free(cache->copy);
    free(cache->upper_next);
}

void nhmex_core_new(struct core *core, unsigned package, unsigned number, bool measured_replacement)
{
    core->package = package;
    core->number = number;
    new_cache(&core->l1d, 64, 8, measured_replacement);
    new_cache(&core->l1i, 128, 4, measured_replacement);
    new_cache(&core->l2, 512, 8, measured_replacement);
}

void nhmex_core_free(struct core *core)
{
    free(core->counts.cycles.cycle);
    free_cache(&core->l1d);
    free_cache(&core->l1i);
    free_cache(&core->l2);
}
