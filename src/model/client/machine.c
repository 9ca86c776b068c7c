#include "model/client/machine.h"
#include "model/client/model.h"

#include "base/error.h"

#include <stdlib.h>

/* ---- turns ---- */

/* GT and IO always wait for their turn. */
static void device_run_ahead(struct bx_client_agent *agent)
{
    if (!bx_client_agent_has_next(agent))
        return;
    agent->clock += *agent->feed->next >> 4 & BX_ACCESS_COST_MAX;
    agent->turn = agent->clock;
    agent->phase = BX_CLIENT_WAITING;
}

/* Brings every agent to its next turn, to its end, or (a core) its clock to `until`. */
static void run_ahead(struct bx_client *m, uint64_t until)
{
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++) {
        if (m->agent[i].phase != BX_CLIENT_READY)
            continue;
        if (i < m->cores)
            bx_client_core_run(m, &m->agent[i], 0, until);
        else
            device_run_ahead(&m->agent[i]);
    }
}

/* Serves GT or IO for as long as its turns come before `limit`. */
static void device_run(struct bx_client *m, unsigned i, uint64_t limit)
{
    struct bx_client_agent *agent = &m->agent[i];

    do {
        bx_access a = *agent->feed->next++;
        uint64_t t = agent->turn;
        bx_time_advance_to_event(&m->model.time, t);
        uint64_t completion = i == m->cores ? bx_client_gt_access(m, agent, a, t)
                                            : bx_client_io_access(m, agent, a, t);
        m->model.accesses++;
        if (a & BX_ACCESS_DEPENDENT)
            agent->clock = completion;
        if (completion > agent->completed)
            agent->completed = completion;
        device_run_ahead(agent);
    } while (agent->phase == BX_CLIENT_WAITING && agent->turn < limit);
}

/* The agent whose turn is first, except `without`; BX_CLIENT_AGENTS: no agent waits. */
static unsigned first_in_turn(const struct bx_client *m, unsigned without)
{
    unsigned first = BX_CLIENT_AGENTS;
    uint64_t turn = BX_NEVER;

    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++) {
        const struct bx_client_agent *agent = &m->agent[i];
        if (agent->phase == BX_CLIENT_WAITING && i != without && agent->turn < turn) {
            turn = agent->turn;
            first = i;
        }
    }
    return first;
}

/* Serves the first in turn for as long as it is that, and before `until`. All others wait, or have
 * ended. */
static void serve_while_first(struct bx_client *m, unsigned i, uint64_t until)
{
    unsigned next = first_in_turn(m, i);
    uint64_t limit = until;

    if (next < BX_CLIENT_AGENTS) { /* of two with the same turn the lower number is first */
        uint64_t turn = m->agent[next].turn + (i < next);
        limit = turn < until ? turn : until;
    }
    if (i < m->cores)
        bx_client_core_run(m, &m->agent[i], limit, until);
    else
        device_run(m, i, limit);
}

/* ---- runs ---- */

static bool all_have_ended(const struct bx_client *m)
{
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++)
        if (m->agent[i].phase != BX_CLIENT_IDLE)
            return false;
    return true;
}

/* When the last access has completed. */
static uint64_t end_of_work(const struct bx_client *m)
{
    uint64_t end = m->model.time.now;

    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++) {
        const struct bx_client_agent *agent = &m->agent[i];
        if (agent->clock > end)
            end = agent->clock;
        if (agent->completed > end)
            end = agent->completed;
    }
    return end;
}

static bool client_run(bx_model *model, uint64_t until)
{
    struct bx_client *m = bx_client_of(model);

    if (until < m->model.time.now)
        until = m->model.time.now;
    bx_time_advance(&m->model.time, m->model.time.now); /* an alarm that is due */
    for (;;) {
        /* A core need not run past `until` unless another agent is served before that: that agent
         * must find each core where it stops. */
        run_ahead(m, until);
        unsigned first = first_in_turn(m, BX_CLIENT_AGENTS);
        if (first == BX_CLIENT_AGENTS || m->agent[first].turn >= until)
            break;
        run_ahead(m, BX_NEVER);
        serve_while_first(m, first, until);
    }
    uint64_t end = all_have_ended(m) ? end_of_work(m) : BX_NEVER;
    bx_time_advance(&m->model.time, end <= until ? end : until);
    return end <= until;
}

static void client_idle(bx_model *model, uint64_t cycles)
{
    struct bx_client *m = bx_client_of(model);

    bx_time_advance(&m->model.time, m->model.time.now + cycles);
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++) {
        struct bx_client_agent *agent = &m->agent[i];
        if (agent->clock < m->model.time.now)
            agent->clock = m->model.time.now;
        if (agent->turn < m->model.time.now)
            agent->turn = m->model.time.now;
    }
}

const struct bx_client_counts *bx_client_counts_of(const bx_model *model)
{
    const struct bx_client *m = bx_client_of_const(model);

    return &m->counts;
}

/* ---- feeds ---- */

static struct bx_client_agent *agent_of(struct bx_client *m, unsigned agent)
{
    if (agent < m->cores)
        return &m->agent[agent];
    if (agent == BX_AGENT_GT || agent == BX_AGENT_IO)
        return &m->agent[m->cores + (agent == BX_AGENT_IO)];
    return NULL;
}

static void client_feed(bx_model *model, unsigned agent, bx_feed *feed)
{
    struct bx_client *m = bx_client_of(model);
    struct bx_client_agent *a = agent_of(m, agent);

    if (!a)
        return;
    a->feed = feed;
    a->phase = feed ? BX_CLIENT_READY : BX_CLIENT_IDLE;
    a->clock = m->model.time.now;
}

/* ---- signals ---- */

static bool client_signal_of(const bx_model *model, const bx_selection *sel,
                             struct bx_signal *signal)
{
    const struct bx_client *m = bx_client_of_const(model);

    return bx_client_signal_of(&m->source, m->llc.slices, sel, signal);
}

/* ---- power-on ---- */

static int check_shape(const bx_model_shape *shape, bx_error *e)
{
    if (shape->packages != 1) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a client machine has no %u packages",
                (unsigned)shape->packages);
        bx_hint(e, "1");
        return BX_BAD_INPUT;
    }
    if (shape->cores < 1 || shape->cores > BX_CLIENT_CORES) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a client machine has no %u cores", (unsigned)shape->cores);
        bx_hint(e, "1 to %d", BX_CLIENT_CORES);
        return BX_BAD_INPUT;
    }
    return bx_client_llc_shape_check(shape->slices, shape->llc_bytes, e);
}

static bool power_on(struct bx_client *m, const bx_model_shape *shape)
{
    m->cores = shape->cores;
    if (!bx_arb_power_on(&m->arb) ||
        !bx_client_llc_power_on(&m->llc, shape->slices, shape->llc_bytes))
        return false;
    for (unsigned c = 0; c < m->cores; c++) {
        void *core;
        if (posix_memalign(&core, _Alignof(struct bx_client_core), sizeof *m->core[c]) != 0)
            return false;
        m->core[c] = core;
        bx_client_core_power_on(m->core[c]);
        m->agent[c].core = m->core[c];
    }
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++) {
        m->agent[i].number = i;
        m->agent[i].partial_line = BX_NO_LINE;
    }
    bx_client_source_power_on(&m->source, &m->arb, &m->counts);
    return true;
}

static void client_free(bx_model *model)
{
    struct bx_client *m = bx_client_of(model);

    bx_client_llc_free(&m->llc);
    bx_arb_free(&m->arb);
    for (unsigned c = 0; c < m->cores; c++)
        free(m->core[c]);
    free(m);
}

static bx_model *client_new(const bx_model_shape *shape, bx_error *e)
{
    if (check_shape(shape, e) != BX_OK)
        return NULL;
    struct bx_client *m = calloc(1, sizeof *m);
    if (!m || !power_on(m, shape)) {
        if (m)
            client_free(&m->model);
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a machine with an LLC of %llu bytes",
                (unsigned long long)shape->llc_bytes);
        return NULL;
    }
    bx_model_power_on(&m->model, &bx_client_model, &m->source.base);
    return &m->model;
}

static bx_model_llc client_llc(const bx_model_shape *shape)
{
    return (bx_model_llc){shape->llc_bytes, BX_CLIENT_LLC_WAYS};
}

const struct bx_model_kind bx_client_model = {
    .name = "client",
    .new = client_new,
    .llc = client_llc,
    .free = client_free,
    .feed = client_feed,
    .run = client_run,
    .idle = client_idle,
    .signal_of = client_signal_of,
};
