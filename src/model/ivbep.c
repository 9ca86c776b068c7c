/* The Ivy Bridge-EP machine: whose turn it is, and the seam. */
#include "model/ivbep.h"

#include "base/error.h"

#include <stddef.h>
#include <stdlib.h>

static bool is_core(const struct bx_ivbep_agent *agent)
{
    return agent->core;
}

static unsigned agents(const struct bx_model *m)
{
    return m->packages * m->cores + 1;
}

/* ---- turns ---- */

static bool has_next(struct bx_ivbep_agent *agent)
{
    if (agent->feed->next != agent->feed->end || agent->feed->refill(agent->feed))
        return true;
    agent->phase = BX_IVBEP_IDLE;
    return false;
}

/* Its next access waits for its turn, and for the buffer that it will use. */
static void wait_turn(struct bx_ivbep_agent *agent)
{
    agent->phase = BX_IVBEP_WAITING;
    agent->turn = agent->clock;
    if (agent->buffer_free[agent->next_buffer] > agent->turn)
        agent->turn = agent->buffer_free[agent->next_buffer];
}

/* Brings an agent to its next turn, to its end, or (a core) its clock to `until`. */
static void run_ahead(struct bx_model *m, struct bx_ivbep_agent *agent, uint64_t until)
{
    while (agent->phase == BX_IVBEP_READY && (agent->clock < until || !is_core(agent)) &&
           has_next(agent)) {
        bx_access a = *agent->feed->next;
        agent->clock += a >> 4 & BX_ACCESS_COST_MAX;
        int cycles = is_core(agent) ? bx_ivbep_core_private(agent->core, a) : -1;
        if (cycles < 0) {
            wait_turn(agent);
            return;
        }
        agent->clock += (unsigned)cycles;
        agent->feed->next++;
        m->accesses++;
    }
}

static void all_run_ahead(struct bx_model *m, uint64_t until)
{
    for (unsigned i = 0; i < agents(m); i++)
        run_ahead(m, &m->agent[i], until);
}

static struct bx_ivbep_agent *first_in_turn(struct bx_model *m)
{
    struct bx_ivbep_agent *first = NULL;

    for (unsigned i = 0; i < agents(m); i++) {
        struct bx_ivbep_agent *agent = &m->agent[i];
        if (agent->phase == BX_IVBEP_WAITING && (!first || agent->turn < first->turn))
            first = agent;
    }
    return first;
}

/* Done at its turn. Returns the completion. */
static uint64_t access_uncore(struct bx_model *m, struct bx_ivbep_agent *agent, bx_access a)
{
    uint64_t done = is_core(agent) ? bx_ivbep_core_access(m, agent, a, agent->turn)
                                   : bx_ivbep_io_access(m, a, agent->turn);
    bool waits = a & BX_ACCESS_DEPENDENT || (is_core(agent) && (a & 3) >= BX_FETCH);

    agent->buffer_free[agent->next_buffer] = done;
    agent->next_buffer = (agent->next_buffer + 1) % agent->buffers;
    agent->clock = waits ? done : agent->turn;
    return done;
}

static void serve(struct bx_model *m, struct bx_ivbep_agent *agent)
{
    bx_access a = *agent->feed->next++;

    bx_time_reach(&m->time, agent->turn);
    /* A snoop may have changed what a core has since it stopped, either way. */
    int cycles = is_core(agent) ? bx_ivbep_core_private(agent->core, a) : -1;
    uint64_t done = agent->clock = agent->turn + (unsigned)(cycles > 0 ? cycles : 0);
    if (cycles < 0)
        done = access_uncore(m, agent, a);
    if (done > agent->completed)
        agent->completed = done;
    agent->phase = BX_IVBEP_READY;
    m->accesses++;
}

/* ---- runs ---- */

/* When the last access has completed; BX_NEVER: there are more to come. */
static uint64_t end_of_work(const struct bx_model *m)
{
    uint64_t end = m->time.now;

    for (unsigned i = 0; i < agents(m); i++) {
        const struct bx_ivbep_agent *agent = &m->agent[i];
        if (agent->phase != BX_IVBEP_IDLE)
            return BX_NEVER;
        end = agent->clock > end ? agent->clock : end;
        end = agent->completed > end ? agent->completed : end;
    }
    return end;
}

/* The time moves on without an event. */
static void let_pass(struct bx_model *m, uint64_t until)
{
    if (until >= m->time.attention)
        bx_time_pass(&m->time, until);
    m->time.now = until;
}

static bool ivbep_run(bx_model *m, uint64_t until)
{
    if (until < m->time.now)
        until = m->time.now;
    let_pass(m, m->time.now); /* an alarm that is due */
    for (;;) {
        /* A core need not run past `until` unless somebody else is served before that. */
        all_run_ahead(m, until);
        struct bx_ivbep_agent *first = first_in_turn(m);
        if (!first || first->turn >= until)
            break;
        all_run_ahead(m, BX_NEVER);
        serve(m, first_in_turn(m));
    }
    uint64_t end = end_of_work(m);
    let_pass(m, end <= until ? end : until);
    return end <= until;
}

static void ivbep_idle(bx_model *m, uint64_t cycles)
{
    let_pass(m, m->time.now + cycles);
    for (unsigned i = 0; i < agents(m); i++) {
        struct bx_ivbep_agent *agent = &m->agent[i];
        if (agent->clock < m->time.now)
            agent->clock = m->time.now;
        if (agent->turn < m->time.now)
            agent->turn = m->time.now;
    }
}

static uint64_t ivbep_accesses(const bx_model *m)
{
    return m->accesses;
}

/* ---- feeds ---- */

static void ivbep_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    unsigned cores = m->packages * m->cores;

    if (agent >= cores && agent != BX_AGENT_IO)
        return;
    struct bx_ivbep_agent *a = &m->agent[agent < cores ? agent : cores];
    a->feed = feed;
    a->phase = feed ? BX_IVBEP_READY : BX_IVBEP_IDLE;
    a->clock = m->time.now;
}

/* ---- the seam ---- */

static struct bx_model *model_of(bx_signals *s)
{
    return (struct bx_model *)(void *)((char *)s - offsetof(struct bx_model, signals));
}

static uint64_t signals_now(bx_signals *s)
{
    return model_of(s)->time.now;
}

static bool signals_tally(bx_signals *s, const bx_selection *sel, uint64_t *sum)
{
    struct bx_model *m = model_of(s);
    struct bx_signal signal;

    if (!bx_ivbep_signal_of(m, sel, &signal))
        return false;
    *sum = bx_time_tally(&m->time, &signal);
    return true;
}

static bool signals_watch(bx_signals *s, unsigned id, const bx_selection *sel)
{
    struct bx_model *m = model_of(s);
    struct bx_signal signal;

    if (id >= BX_WATCHES || !bx_ivbep_signal_of(m, sel, &signal))
        return false;
    bx_time_watch(&m->time, id, &signal);
    return true;
}

static void signals_unwatch(bx_signals *s, unsigned id)
{
    if (id < BX_WATCHES)
        bx_time_unwatch(&model_of(s)->time, id);
}

static void signals_set_alarm(bx_signals *s, uint64_t when)
{
    bx_time_set_alarm(&model_of(s)->time, when);
}

static void signals_set_watcher(bx_signals *s, bx_watcher *watcher)
{
    bx_time_set_watcher(&model_of(s)->time, watcher);
}

static bx_signals *ivbep_signals(bx_model *m)
{
    return &m->signals;
}

static bool ivbep_produces(const bx_model *m, const bx_selection *sel)
{
    bx_selection anywhere = *sel;
    struct bx_signal signal;

    anywhere.package = 0;
    anywhere.unit = 0;
    return bx_ivbep_signal_of(m, &anywhere, &signal);
}

const struct bx_ivbep_counts *bx_ivbep_counts(const bx_model *m, unsigned package, unsigned slice)
{
    return &m->slice[package][slice].counts;
}

/* ---- power-on ---- */

enum { L1_SETS = 64, L1_WAYS = 8, L2_SETS = 512, L2_WAYS = 8, LLC_SETS = 2048, LLC_WAYS = 20 };

static int out_of_range(const char *what, unsigned n, unsigned most, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "an Ivy Bridge-EP machine has no %u %s", n, what);
    bx_hint(e, "1 to %u", most);
    return BX_BAD_INPUT;
}

/* Sets of a slice, for that much LLC in a package; 0: it cannot be built so. */
static unsigned llc_sets(const bx_model_shape *shape)
{
    uint64_t a_set = LLC_WAYS * UINT64_C(64) * shape->cores, sets = shape->llc_bytes / a_set;

    if (shape->llc_bytes == 0)
        return LLC_SETS;
    return shape->llc_bytes % a_set == 0 && sets <= 1 << 20 && (sets & (sets - 1)) == 0
               ? (unsigned)sets
               : 0;
}

static int check_shape(const bx_model_shape *shape, bx_error *e)
{
    if (shape->packages < 1 || shape->packages > BX_IVBEP_PACKAGES)
        return out_of_range("packages", shape->packages, BX_IVBEP_PACKAGES, e);
    if (shape->cores < 1 || shape->cores > BX_IVBEP_CORES)
        return out_of_range("cores", shape->cores, BX_IVBEP_CORES, e);
    if (shape->slices != 0 && shape->slices != shape->cores)
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "an Ivy Bridge-EP machine of %u cores has no %u LLC slices",
                       (unsigned)shape->cores, (unsigned)shape->slices);
    if (llc_sets(shape) == 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "an LLC of %llu bytes cannot be built from %u slices of 20 ways",
                       (unsigned long long)shape->llc_bytes, (unsigned)shape->cores);
    return BX_OK;
}

static bool core_power_on(struct bx_ivbep_core *core)
{
    for (unsigned kind = 0; kind <= BX_FETCH; kind++)
        core->last_line[kind] = UINT64_MAX - 1;
    return bx_ivbep_cache_power_on(&core->l1d, L1_SETS, L1_WAYS) &&
           bx_ivbep_cache_power_on(&core->l1i, L1_SETS, L1_WAYS) &&
           bx_ivbep_cache_power_on(&core->l2, L2_SETS, L2_WAYS);
}

static bool power_on(struct bx_model *m, const bx_model_shape *shape)
{
    m->packages = shape->packages;
    m->cores = shape->cores;
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            struct bx_ivbep_agent *agent = &m->agent[p * m->cores + c];
            agent->core = &m->core[p][c];
            agent->buffers = BX_IVBEP_BUFFERS;
            agent->package = p;
            agent->number = c;
            m->slice[p][c].package = p;
            if (!core_power_on(agent->core) ||
                !bx_ivbep_cache_power_on(&m->slice[p][c].llc, llc_sets(shape), LLC_WAYS))
                return false;
        }
    m->agent[m->packages * m->cores].buffers = BX_IVBEP_IO_BUFFERS;
    bx_ivbep_source_power_on(&m->source);
    bx_time_power_on(&m->time, &m->source);
    return true;
}

static void ivbep_free(bx_model *m)
{
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            bx_ivbep_cache_free(&m->core[p][c].l1d);
            bx_ivbep_cache_free(&m->core[p][c].l1i);
            bx_ivbep_cache_free(&m->core[p][c].l2);
            bx_ivbep_cache_free(&m->slice[p][c].llc);
            free(m->slice[p][c].entry);
        }
    free(m);
}

static const struct bx_model_ops ivbep_ops = {
    .free = ivbep_free,
    .signals = ivbep_signals,
    .feed = ivbep_feed,
    .run = ivbep_run,
    .idle = ivbep_idle,
    .accesses = ivbep_accesses,
    .produces = ivbep_produces,
};

bx_model *bx_ivbep_new(const bx_model_shape *shape, bx_error *e)
{
    if (check_shape(shape, e) != BX_OK)
        return NULL;
    struct bx_model *m = calloc(1, sizeof *m);
    if (!m || !power_on(m, shape)) {
        if (m)
            ivbep_free(m);
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a machine of %u cores",
                (unsigned)(shape->packages * shape->cores));
        return NULL;
    }
    m->ops = &ivbep_ops;
    m->signals = (bx_signals){
        .now = signals_now,
        .tally = signals_tally,
        .watch = signals_watch,
        .unwatch = signals_unwatch,
        .set_alarm = signals_set_alarm,
        .set_watcher = signals_set_watcher,
    };
    return m;
}
