/* A core: docs/explanation/model-ivbep.md, "A core's accesses", with the private caches of
 * docs/explanation/model.md. */
#include "nhmex/machine.h"

#include <stdlib.h>

struct snooped nhmex_snoop(struct core *core, uint64_t line, bool invalidate)
{
    struct snooped found = {
        .any = true,
        .had = nhmex_core_has(core, line),
        .modified = privates_have_modified(&core->caches, line),
    };

    if (invalidate)
        privates_invalidate(&core->caches, line);
    else
        privates_share(&core->caches, line);
    return found;
}

bool nhmex_core_has(const struct core *core, uint64_t line)
{
    return privates_have(&core->caches, line);
}

/* For "Counters of a core" of model-core-counters.md. */
struct oracle_asks nhmex_asks(const struct access *x)
{
    unsigned kind = x->uncacheable ? (x->stores ? BX_STORE : BX_LOAD) : x->kind;

    return (struct oracle_asks){x->prefetch ? ORACLE_PREFETCH : kind, x->auxiliary};
}

static struct private_ask ask_of(const struct access *x)
{
    return (struct private_ask){x->kind, x->line};
}

/* What the caches have to write back is written. */
static void write_back(struct nhmex_oracle *o, struct core *core)
{
    for (unsigned i = 0; i < core->caches.write_backs; i++)
        nhmex_core_write_back(o, core, core->caches.write_back[i].line);
    core->caches.write_backs = 0;
}

static bool hits_l1(struct core *core, const struct access *x)
{
    if (!privates_hit_l1(&core->caches, ask_of(x)))
        return false;
    oracle_count_l1_hit(&core->counts, nhmex_asks(x));
    return true;
}

/* L2 or L3 serves it. */
static bool is_in_level(const struct core *core, const struct access *x)
{
    return x->kind != BX_NON_TEMPORAL && privates_level_for(&core->caches, ask_of(x)) >= 0;
}

static void take_from_level(struct nhmex_oracle *o, struct core *core, const struct access *x)
{
    privates_take(&core->caches, ask_of(x));
    write_back(o, core);
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
           on_its_way(agent->core, agent->access.line, agent->time) != 0;
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

bool nhmex_core_prefetch(struct nhmex_oracle *o, struct agent *agent)
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
            take_from_level(o, core, x);
            agent->clock += o->times.l2_line + nhmex_written(o, core, &then);
            oracle_count_l2_hit(&core->counts, nhmex_asks(x));
        }
        return true;
    }
    if (!into_l1d && privates_l1i_has(&core->caches, x->line))
        return true;
    return nhmex_core_entry(core, agent->time) == NULL;
}

bool nhmex_core_needs_request(const struct agent *agent)
{
    return !is_in_level(agent->core, &agent->access);
}

bool nhmex_core_waits_for_line(const struct agent *agent)
{
    return is_in_level(agent->core, &agent->access) && is_on_its_way(agent);
}

uint64_t nhmex_core_wait(struct nhmex_oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    uint64_t until = on_its_way(agent->core, x->line, agent->time);

    if (!nhmex_core_waits_for_line(agent))
        return 0;
    take_from_level(o, agent->core, x);
    oracle_count_flight(&agent->core->counts, nhmex_asks(x));
    arrival_add(&agent->core->arrivals, ORACLE_LLC, x->kind, x->whole, x->line, until);
    return until;
}

/* ---- "Instructions that steer caches" ---- */

/* Executes a prefetch instruction that needs neither a request nor the core's turn. Returns false
 * if it needs one of them. */
static bool steers(struct nhmex_oracle *o, struct agent *agent)
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
    take_from_level(o, core, x);
    agent->clock += o->times.l2_line + nhmex_written(o, core, &then);
    oracle_count_l2_hit(&core->counts, nhmex_asks(x));
    return true;
}

/* ---- accesses ---- */

bool nhmex_core_private(struct nhmex_oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;

    if (x->kind == BX_NON_TEMPORAL)
        return false;
    if (x->steer)
        return steers(o, agent);
    if (hits_l1(agent->core, x)) {
        if (x->kind != BX_FETCH)
            agent->clock = arrival_of(&agent->core->arrivals, x->line, x->dependent, agent->time);
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, agent->time, agent->clock);
        return true;
    }
    struct core *core = agent->core;
    if (x->forwarded && !is_in_level(core, x)) {
        oracle_count_l1_hit(&core->counts, nhmex_asks(x));
        return true;
    }
    if (!is_in_level(core, x) || is_on_its_way(agent) ||
        (!agent->stopped && privates_hit_waits(&core->caches, ask_of(x))))
        return false;
    const struct oracle_core_counts then = core->counts;
    bool by_l2 = privates_l2_has(&core->caches, x->line);
    take_from_level(o, core, x);
    oracle_count_l2_hit(&core->counts, nhmex_asks(x));
    agent->clock += nhmex_written(o, core, &then);
    if (by_l2)
        agent->clock += x->dependent ? o->times.l2_wait : o->times.l2_hit;
    else
        agent->clock += x->dependent ? o->times.l3_wait : o->times.l3_hit;
    return true;
}

static enum private_state private_state(enum state granted)
{
    return granted == STATE_M ? PRIVATE_M : granted == STATE_E ? PRIVATE_E : PRIVATE_S;
}

void nhmex_core_fill(struct nhmex_oracle *o, struct core *core, const struct access *x,
                     enum state granted)
{
    if (x->steer)
        privates_fill_steered(&core->caches, x->steer, x->line, private_state(granted));
    else if (x->prefetch)
        privates_fill_prefetch(&core->caches, ask_of(x), private_state(granted));
    else
        privates_fill(&core->caches, ask_of(x), private_state(granted));
    write_back(o, core);
}

/* ---- power-on ---- */

void nhmex_core_new(struct core *core, unsigned package, unsigned number,
                    const bx_model_shape *shape)
{
    enum private_policy policy = shape->measured_replacement ? PRIVATE_TREE : PRIVATE_LRU;
    struct private_kind kind = {
        .l1d = {64, 8, policy},
        .l1i = {128, 4, policy},
        .l2 = {512, 8, policy},
    };

    kind = private_kind_of(shape, BX_INCLUSION_MODIFIED, kind);
    core->package = package;
    core->number = number;
    privates_new(&core->caches, &kind, &core->counts);
}

void nhmex_core_free(struct core *core)
{
    free(core->span);
    free(core->counts.cycles.cycle);
    privates_free(&core->caches);
}
