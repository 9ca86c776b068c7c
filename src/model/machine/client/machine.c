/* Power-on of the client machine, the turns of its agents, and its model functions. */
#include "model/machine/client/machine.h"
#include "model/machine/client/model.h"

#include "base/error.h"
#include "model/machine/client/boxes.h"
#include "model/engine/core_signal.h"
#include "model/core/tlb.h"

#include <stdlib.h>

/* ---- turns ---- */

/* GT and IO always wait for their turn. */
static void device_run_ahead(struct bx_turns_agent *agent, uint64_t until)
{
    uint64_t time = agent->clock + (*agent->feed->next >> 4 & BX_ACCESS_COST_MAX);

    if (time >= until)
        return;
    agent->clock = agent->turn = time;
    agent->phase = BX_TURNS_AGENT_WAITING;
}

static void device_serve(struct bx_client *m, unsigned i)
{
    struct bx_turns_agent *agent = &m->agent[i];
    bx_access a = *agent->feed->next++;

    bx_time_advance_to_event(&m->model.time, agent->turn);
    uint64_t completion =
        bx_client_device_access(m, (enum bx_client_device)(i - m->cores), a, agent->turn);
    if (a & BX_ACCESS_DEPENDENT)
        agent->clock = completion;
    if (completion > agent->completed)
        agent->completed = completion;
    agent->phase = BX_TURNS_AGENT_READY;
    m->model.accesses++;
}

static void run_ahead(bx_model *model, struct bx_turns *turns, unsigned i, uint64_t until)
{
    if (turns->agent[i].undo)
        bx_client_core_run_ahead(model, turns, i, until);
    else
        device_run_ahead(&turns->agent[i], until);
}

static void serve(bx_model *model, struct bx_turns *turns, unsigned i)
{
    if (turns->agent[i].undo)
        bx_client_core_serve(model, turns, i);
    else
        device_serve(bx_client_of(model), i);
}

static void restore(bx_model *model, struct bx_turns *turns, unsigned i)
{
    (void)turns;
    bx_client_core_restore(bx_client_of(model)->core[i]);
}

const struct bx_client_counts *bx_client_counts_of(const bx_model *model)
{
    const struct bx_client *m = bx_client_of_const(model);

    return &m->counts;
}

/* ---- signals ---- */

static bool find_unit(const bx_model *model, const bx_selection *sel, struct bx_unit *unit)
{
    const struct bx_client *m = bx_client_of_const(model);
    unsigned units = sel->box == BX_CLIENT_CORE  ? m->cores
                     : sel->box == BX_CLIENT_CBO ? m->llc.slices
                                                 : UINT16_MAX + 1;

    unit->index = sel->unit;
    return sel->package == 0 && sel->unit < units;
}

static void set_prefetchers(bx_model *model, unsigned core, unsigned off)
{
    bx_client_of(model)->core[core]->prefetchers_off = (uint8_t)off;
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

/* The defaults in docs/explanation/model-client.md. */
static const bx_model_times own_times = {.l2_hit = 2,
                                         .l2_wait = 8,
                                         .llc_hit = 34,
                                         .ring_hop = 2,
                                         .snoop_clean = 25,
                                         .snoop_dirty = 35,
                                         .fill_buffers = 10};

static int make_caches(struct bx_client *m, const bx_model_shape *shape, bx_error *e)
{
    const struct bx_core_caches_kind kind = {
        .own = {{32 << 10, 8}, {32 << 10, 8}, {256 << 10, 4}},
        .policy = {&bx_policy_plru, &bx_policy_plru,
                   shape->measured_replacement ? &bx_policy_qlru_h00_m1_r2_u1 : &bx_policy_plru},
    };
    return bx_core_caches_make(&m->caches, &kind, shape, e);
}

static bool power_on(struct bx_client *m, const bx_model_shape *shape)
{
    m->cores = shape->cores;
    m->times = shape->times;
    bx_model_times_complete(&m->times, &own_times);
    m->prefetch = shape->prefetch;
    m->imc.has_dram = bx_dram_power_on(&m->imc.dram, &shape->dram, shape->hz);
    if (!bx_client_llc_power_on(&m->llc, shape->slices, shape->llc_bytes))
        return false;
    for (unsigned c = 0; c < m->cores; c++) {
        m->core[c] = bx_client_core_new(&m->caches);
        if (!m->core[c])
            return false;
        m->agent[c].undo = &m->core[c]->undo;
        m->core[c]->counts = &m->agent[c].counts;
        m->core[c]->l2_cycles[0] = (uint8_t)m->times.l2_hit;
        m->core[c]->l2_cycles[1] = (uint8_t)m->times.l2_wait;
        m->agent[c].buffers = m->times.fill_buffers;
        bx_turns_bound(&m->agent[c], &m->times);
    }
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++)
        m->agent[i].limit = BX_NEVER;
    for (unsigned i = 0; i < BX_CLIENT_DEVICES; i++)
        m->partial_line[i] = BX_NO_LINE;
    m->model.turns = &m->turns;
    m->turns = (struct bx_turns){.agent = m->agent,
                                 .n = m->cores + BX_CLIENT_DEVICES,
                                 .cores = m->cores,
                                 .gt = m->cores + BX_CLIENT_GT,
                                 .io = m->cores + BX_CLIENT_IO,
                                 .run_ahead = run_ahead,
                                 .serve = serve,
                                 .restore = restore};
    m->turns.core_clock = bx_core_clock_of(shape->core_hz, shape->hz);
    return true;
}

static void client_free(bx_model *model)
{
    struct bx_client *m = bx_client_of(model);

    bx_client_llc_free(&m->llc);
    for (unsigned kind = 0; kind < BX_ARB_KINDS; kind++)
        bx_gauge_free(&m->arb[kind]);
    for (unsigned i = 0; i < BX_CLIENT_AGENTS; i++)
        bx_core_counts_free(&m->agent[i].counts);
    for (unsigned c = 0; c < m->cores; c++)
        bx_client_core_free(m->core[c]);
    free(m);
}

static bx_model *client_new(const bx_model_shape *shape, bx_error *e)
{
    if (check_shape(shape, e) != BX_OK)
        return NULL;
    struct bx_client *m = calloc(1, sizeof *m);
    if (m && make_caches(m, shape, e) != BX_OK) {
        client_free(&m->model);
        return NULL;
    }
    if (!m || !power_on(m, shape)) {
        if (m)
            client_free(&m->model);
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a machine with an LLC of %llu bytes",
                (unsigned long long)shape->llc_bytes);
        return NULL;
    }
    bx_model_power_on(&m->model, &bx_client_model);
    return &m->model;
}

static bx_model_llc client_llc(const bx_model_shape *shape)
{
    return (bx_model_llc){shape->llc_bytes, BX_CLIENT_LLC_WAYS};
}

const struct bx_model_kind bx_client_model = {
    .name = "client",
    .tlb = &bx_tlb_skylake,
    .new = client_new,
    .llc = client_llc,
    .free = client_free,
    .feed = bx_turns_feed,
    .run = bx_turns_run,
    .idle = bx_turns_idle,
    .wake = bx_turns_wake,
    .wait_for = bx_turns_wait_for,
    .clock = bx_turns_clock,
    .box = bx_client_signals,
    .boxes = BX_CLIENT_BOXES,
    .find_unit = find_unit,
    .set_prefetchers = set_prefetchers,
};
