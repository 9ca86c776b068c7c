/* Order of accesses, devices and power-on: docs/explanation/model-nhmex.md, "Order". */
#include "nhmex/machine.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 24 };

/* ---- order ---- */

/* A core that is idle. */
static void idle(struct agent *agent, uint64_t from, uint64_t to)
{
    if (agent->core)
        oracle_mark(&agent->core->counts.cycles, ORACLE_IDLE, from, to);
}

static void lasts_until(struct nhmex_oracle *o, struct agent *agent, uint64_t completion)
{
    agent->ends = later(agent->ends, completion);
    o->end = later(o->end, completion);
}

static void next_access(struct agent *agent)
{
    agent->stopped = false;
    agent->due = agent->next != agent->end;
    if (!agent->due)
        return;
    bx_access a = *agent->next++;
    agent->access = (struct access){
        .line = bx_access_line(a),
        .kind = a >> 56 & 1 ? a >> 59 & 3 : a & 3,
        .prefetch = a >> 56 & 1,
        .lock = a >> 61 & 1,
        .locks_bus = bx_access_locks_bus(a),
        .uncacheable = a >> 53 & 1,
        .stores = (a >> 59 & 3) == BX_STORE,
        .by = (enum bx_prefetcher)(a >> 57 & 3),
        .cost = a >> 4 & BX_ACCESS_COST_MAX,
        .dependent = a & BX_ACCESS_DEPENDENT,
        .partial = a & BX_ACCESS_PARTIAL,
        .whole = a & BX_ACCESS_WHOLE,
        .forwarded = (a & 3) == BX_LOAD && a >> 57 & 1,
        .auxiliary = !(a >> 56 & 1) && a >> 54 & 1,
    };
    if (steer_of(a) != STEER_NOT)
        agent->access = (struct access){
            .line = bx_access_line(a),
            .kind = steer_kind(steer_of(a)),
            .steer = steer_of(a),
            .cost = a >> 4 & BX_ACCESS_COST_MAX,
            .auxiliary = true,
            .partial = true,
        };
    uint64_t done = agent->clock + agent->access.cost;
    agent->time = agent->clock =
        late_time(&agent->late, agent->access.cost,
                  agent->access.kind == BX_STORE && !agent->access.prefetch &&
                      agent->access.steer == STEER_NOT,
                  done);
    idle(agent, done, agent->time);
}

static uint64_t device_access(struct nhmex_oracle *o, const struct access *x)
{
    uint64_t t = later(o->now, o->locked_until);
    struct outcome out;

    if (o->packages > 4)
        return o->now; /* there is no IOH */
    if (x->kind != BX_STORE) {
        out = nhmex_to_home(o, NULL, SNP_CUR, x->line, t, t);
        return later(out.answer, out.data);
    }
    out = nhmex_to_home(o, NULL, SNP_INV_ITOE, x->line, t, t);
    return nhmex_write_home(o, NULL, x->line, x->partial, out.answer);
}

static uint64_t core_access(struct nhmex_oracle *o, struct core *core, const struct access *x)
{
    enum state granted;

    if (x->locks_bus)
        return nhmex_lock_bus(o, core);
    if (x->uncacheable)
        return nhmex_uncacheable(o, core, x);
    if (x->kind == BX_NON_TEMPORAL)
        return nhmex_store_past(o, core, x);
    uint64_t completion = nhmex_request(o, core, x, &granted);

    oracle_count_request(&core->counts, nhmex_asks(x), core->source,
                         core->source >= ORACLE_PACKAGE_CLEAN);
    nhmex_core_fill(o, core, x, granted);
    if (!x->prefetch)
        arrival_add(&core->arrivals, core->source, x->kind, x->whole, x->line, completion);
    return completion;
}

/* The request of an access is in the super queue until its completion, if there is room. */
static uint64_t queued(struct agent *agent, uint64_t completion)
{
    struct prefetched *entry =
        agent->core->requests_queue ? nhmex_core_entry(agent->core, agent->time) : NULL;

    if (entry) {
        entry->line = UINT64_MAX;
        entry->until = completion;
    }
    return completion;
}

/* "Lines on the move" of model-core-time.md: the lines of a request. */
static uint64_t moved_for(const struct nhmex_oracle *o, const struct core *core,
                          const struct access *x)
{
    if (x->locks_bus || x->uncacheable || x->steer == STEER_FLUSH)
        return 0;
    if (x->kind == BX_NON_TEMPORAL)
        return o->times.llc_line;
    if (x->kind == BX_STORE && (x->whole || nhmex_core_has(core, x->line)))
        return 0;
    return o->times.l2_line + o->times.llc_line;
}

/* A request to the uncore, at the agent's turn. */
static void serve(struct nhmex_oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    struct oracle_core_counts then = {0};
    if (agent->core)
        then = agent->core->counts;
    uint64_t completion = agent->core ? nhmex_core_wait(o, agent) : 0, moves = o->times.l2_line;

    if (completion == 0 && agent->core) {
        moves = moved_for(o, agent->core, x);
        completion = core_access(o, agent->core, x);
        if (!x->locks_bus)
            completion = queued(agent, completion);
    } else if (completion == 0) {
        completion = device_access(o, x);
    }
    if (agent->core)
        agent->clock += moves + nhmex_written(o, agent->core, &then);
    bool waits = x->dependent || (agent->core && x->kind == BX_FETCH);
    if (agent->core)
        oracle_count_served(&agent->core->counts, agent->time, completion, waits);
    if (waits)
        agent->clock = later(agent->clock, completion);
    if (agent->needs_buffer) {
        agent->buffer_free[agent->next_buffer] = completion;
        agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
        if (agent->core && x->kind == BX_LOAD && !waits && !x->steer)
            late_add(&agent->late, o->times.window, agent->time, completion);
        if (x->kind == BX_STORE && !x->steer)
            late_add_store(&agent->late, completion);
    }
    lasts_until(o, agent, completion);
}

static void execute_prefetch(struct nhmex_oracle *o, struct agent *agent)
{
    if (!nhmex_core_prefetch(o, agent)) {
        if (!agent->stopped) {
            agent->stopped = true;
            return;
        }
        struct prefetched *entry = nhmex_core_entry(agent->core, agent->time);
        const struct oracle_core_counts then = agent->core->counts;
        entry->line = agent->access.line;
        entry->until = core_access(o, agent->core, &agent->access);
        agent->clock += o->times.llc_line + nhmex_written(o, agent->core, &then);
        lasts_until(o, agent, entry->until);
    }
    next_access(agent);
}

/* The agent stops before an access that is not private, until its turn. */
static void stop(struct agent *agent)
{
    bool requests = !agent->core || nhmex_core_needs_request(agent);

    agent->stopped = true;
    agent->needs_buffer = requests || nhmex_core_waits_for_line(agent);
    if (!agent->needs_buffer)
        return;
    agent->time = later(agent->time, agent->buffer_free[agent->next_buffer]);
    if (agent->core && agent->core->requests_queue && requests)
        agent->time = later(agent->time, nhmex_core_first_end(agent->core));
    idle(agent, agent->clock, agent->time);
}

static void execute(struct nhmex_oracle *o, struct agent *agent)
{
    o->now = agent->clock = agent->time;
    if (agent->access.prefetch) {
        execute_prefetch(o, agent);
        return;
    }
    if (agent->access.lock) {
        for (unsigned i = 0; i < agent->buffers; i++)
            agent->clock = later(agent->clock, agent->buffer_free[i]);
        idle(agent, agent->time, agent->clock);
        next_access(agent);
        return;
    }
    if (agent->core && !agent->stopped && !agent->access.locks_bus)
        oracle_count_access(&agent->core->counts, nhmex_asks(&agent->access));
    if (!agent->core || !nhmex_core_private(o, agent)) {
        if (!agent->stopped) {
            stop(agent);
            return;
        }
        serve(o, agent);
    }
    next_access(agent);
}

static struct agent *who_is_first(struct nhmex_oracle *o)
{
    struct agent *first = NULL;

    for (unsigned i = 0; i < o->agents; i++)
        if (o->agent[i].due && (!first || o->agent[i].time < first->time))
            first = &o->agent[i];
    return first;
}

void nhmex_oracle_run(struct nhmex_oracle *o, const struct oracle_trace trace[BX_AGENTS])
{
    struct agent *agent;

    for (unsigned i = 0; i < o->agents; i++) {
        const struct oracle_trace *of = &trace[o->agent[i].core ? i : BX_AGENT_IO];
        agent = &o->agent[i];
        agent->next = of->access;
        agent->end = of->n ? of->access + of->n : of->access;
        agent->clock = agent->ends = o->end;
        agent->has_work = of->n != 0;
        next_access(agent);
    }
    uint64_t begin = o->end;
    while ((agent = who_is_first(o)) != NULL)
        execute(o, agent);
    for (unsigned i = 0; i < o->agents; i++) {
        agent = &o->agent[i];
        o->end = later(o->end, agent->clock);
        if (!agent->core || !agent->has_work)
            continue;
        agent->core->counts.unhalted += later(agent->ends, agent->clock) - begin;
        nhmex_core_worked(agent->core, begin, later(agent->ends, agent->clock));
    }
}

const struct oracle_core_counts *nhmex_oracle_core_counts(const struct nhmex_oracle *o,
                                                          unsigned core)
{
    return &o->core[core].counts;
}

void nhmex_oracle_idle(struct nhmex_oracle *o, uint64_t cycles)
{
    o->end += cycles;
}

uint64_t nhmex_oracle_end(const struct nhmex_oracle *o)
{
    return o->end;
}

/* ---- the resources of each box, for power-on and the end ---- */

typedef void each_resource(struct resource *r, unsigned capacity);
typedef void each_instants(struct instants *counts);

static void each_of_cbox(struct cbox *c, each_resource *resource, each_instants *instants)
{
    resource(&c->irq, 24);
    resource(&c->ipq, 8);
    resource(&c->maf, 16);
    resource(&c->viq, 8);
    resource(&c->rwrf, 12);
    resource(&c->rspf, 8);
    resource(&c->asked, UINT32_MAX);
    resource(&c->evicted, UINT32_MAX);
    resource(&c->snooped, UINT32_MAX);
    resource(&c->written, UINT32_MAX);
    for (unsigned away = 0; away < 2; away++)
        resource(&c->core_ad[away], UINT32_MAX);
    for (unsigned i = 0; i < EGRESSES; i++)
        resource(&c->egress[i], 1);
    instants(&c->counts);
}

static void each_of_sbox(struct sbox *s, each_resource *resource, each_instants *instants)
{
    resource(&s->hom_to_r, 32);
    resource(&s->hom_to_b, 32);
    resource(&s->snp_to_r, 32);
    resource(&s->ndr_to_r, 16);
    for (unsigned i = 0; i < 4; i++) {
        resource(&s->drs_to_r[i], 4);
        resource(&s->ncb_to_r[i], 2);
        resource(&s->ncs_to_r[i], 2);
    }
    resource(&s->data_to_b, 16);
    resource(&s->table, 48);
    resource(&s->snp, 31);
    resource(&s->ncb, 4);
    resource(&s->ncs, 4);
    resource(&s->ndr, 32);
    resource(&s->r2s, 8);
    resource(&s->b2s, 8);
    resource(&s->for_bbox, 0);
    for (unsigned ring = 0; ring < RINGS; ring++)
        for (unsigned way = 0; way < 2; way++)
            resource(&s->egress[ring][way], 1);
    instants(&s->counts);
    instants(&s->hom_arrivals);
}

static void each_of_home(struct bbox *b, struct mbox *m, each_resource *resource,
                         each_instants *instants)
{
    resource(&b->imt, 32);
    for (unsigned n = 0; n < PACKAGES * SIDES; n++)
        resource(&b->credits[n / SIDES][n % SIDES], 32);
    resource(&b->port[TO_SBOX], 1);
    resource(&b->port[TO_RBOX], 1);
    resource(&b->for_sbox[0], 0);
    resource(&b->for_sbox[1], 0);
    resource(&b->tracker, UINT32_MAX);
    resource(&b->acknowledged, UINT32_MAX);
    instants(&b->counts);
    instants(&b->packets);
    resource(&m->reads, 16);
    resource(&m->writes, 16);
    resource(&m->bus, 1);
    resource(&m->inflight, UINT32_MAX);
    instants(&m->counts);
    for (unsigned mode = 0; mode < M_MODES; mode++)
        instants(&m->by_mode[mode]);
    instants(&m->policy);
}

static void each_of_package(struct package *p, each_resource *resource, each_instants *instants)
{
    for (unsigned n = 0; n < CORES; n++)
        each_of_cbox(&p->cbox[n], resource, instants);
    for (unsigned side = 0; side < SIDES; side++) {
        each_of_sbox(&p->sbox[side], resource, instants);
        each_of_home(&p->bbox[side], &p->mbox[side], resource, instants);
    }
    for (unsigned port = 0; port < PORTS; port++) {
        resource(&p->port[port].link, 1);
        resource(&p->port[port].lacks, UINT32_MAX);
        resource(&p->port[port].waits, UINT32_MAX);
        instants(&p->port[port].new_packets);
    }
    instants(&p->u);
}

static void set_capacity(struct resource *r, unsigned capacity)
{
    r->capacity = capacity;
}

static void nothing_yet(struct instants *counts)
{
    *counts = (struct instants){0};
}

static void free_resource(struct resource *r, unsigned capacity)
{
    (void)capacity;
    nhmex_resource_free(r);
}

static void free_instants(struct instants *counts)
{
    free(counts->instant);
}

/* ---- power-on ---- */

static void set_capacities(struct sbox *s, const bx_model_times *times)
{
    s->table.capacity = times->s_table;
    s->hom_to_r.capacity = s->hom_to_b.capacity = times->s_hom;
    s->snp_to_r.capacity = times->s_snp;
    s->ndr_to_r.capacity = times->s_ndr;
    for (unsigned i = 0; i < 4; i++) {
        s->drs_to_r[i].capacity = times->s_drs;
        s->ncb_to_r[i].capacity = times->s_ncb;
        s->ncs_to_r[i].capacity = times->s_ncs;
    }
    s->data_to_b.capacity = times->s_data;
    s->snp.capacity = times->ring_snp;
    s->ncb.capacity = times->ring_ncb;
    s->ncs.capacity = times->ring_ncs;
    s->ndr.capacity = times->ring_ndr;
    s->r2s.capacity = times->ring_r2s;
    s->b2s.capacity = times->ring_b2s;
    s->for_bbox.capacity = times->b_vna;
}

static void new_package(struct nhmex_oracle *o, unsigned number, const bx_model_shape *shape)
{
    struct package *p = &o->package[number];

    each_of_package(p, set_capacity, nothing_yet);
    for (unsigned side = 0; side < SIDES; side++) {
        set_capacities(&p->sbox[side], &o->times);
        p->bbox[side].imt.capacity = o->times.imt;
        p->bbox[side].for_sbox[0].capacity = p->bbox[side].for_sbox[1].capacity = o->times.s_vn0;
        for (unsigned n = 0; n < PACKAGES * SIDES; n++)
            p->bbox[side].credits[n / SIDES][n % SIDES].capacity = o->times.imt;
        p->mbox[side].closes = o->times.m_close != 0;
        p->mbox[side].score = o->times.m_close ? 0 : 15;
        p->mbox[side].reads.capacity = p->mbox[side].writes.capacity = o->times.m_queue;
    }
    for (unsigned n = 0; n < o->cores; n++) {
        unsigned core = number * o->cores + n;
        struct cbox *c = &p->cbox[n];
        c->package = number;
        c->number = n;
        c->side = n / 4;
        c->irq.capacity = o->times.irq;
        c->ipq.capacity = o->times.ipq;
        c->viq.capacity = o->times.viq;
        c->maf.capacity = o->times.maf;
        c->rwrf.capacity = o->times.rwrf;
        c->rspf.capacity = o->times.rspf;
        c->line = calloc(o->llc_sets * o->llc_ways, sizeof *c->line);
        if (c->line == NULL)
            abort();
        for (size_t i = 0; i < o->llc_sets * o->llc_ways; i++)
            c->line[i].unused = true;
        nhmex_core_new(&o->core[core], number, n, shape);
        o->agent[core].core = &o->core[core];
        o->agent[core].buffers = o->times.fill_buffers;
        o->agent[core].late.entries = o->times.store_buffer;
        o->core[core].queue_entries = o->times.super_queue;
        o->core[core].requests_queue = shape->prefetch;
    }
}

struct nhmex_oracle *nhmex_oracle_new(const bx_model_shape *shape)
{
    struct nhmex_oracle *o = calloc(1, sizeof *o);

    if (o == NULL || shape->packages > PACKAGES || shape->cores > CORES)
        abort();
    o->packages = shape->packages;
    o->measured_replacement = shape->measured_replacement;
    o->dram = shape->dram;
    o->hz = shape->hz;
    o->cores = shape->cores;
    o->times = late_times(shape->times, 26, 30);
    o->llc_ways = shape->llc_ways ? shape->llc_ways : WAYS;
    o->llc_sets = shape->llc_bytes / shape->cores / o->llc_ways / 64;
    for (unsigned package = 0; package < o->packages; package++)
        new_package(o, package, shape);
    o->agents = o->packages * o->cores;
    o->agent[o->agents++].buffers = o->times.io_buffers;
    return o;
}

void nhmex_oracle_divide_memory(struct nhmex_oracle *o)
{
    o->divided = true;
}

void nhmex_oracle_set_prefetchers(struct nhmex_oracle *o, unsigned core, unsigned off)
{
    for (unsigned by = 0; by < BX_PREFETCHERS; by++)
        o->core[core].prefetcher_off[by] = off >> by & 1;
}

void nhmex_oracle_free(struct nhmex_oracle *o)
{
    if (o == NULL)
        return;
    for (unsigned package = 0; package < o->packages; package++) {
        each_of_package(&o->package[package], free_resource, free_instants);
        for (unsigned n = 0; n < o->cores; n++)
            free(o->package[package].cbox[n].line);
    }
    for (unsigned core = 0; core < o->packages * o->cores; core++)
        nhmex_core_free(&o->core[core]);
    free(o);
}
