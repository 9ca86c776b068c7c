/* The Ivy Bridge-EP machine: its agents, and power-on. */
#include "model/ivbep.h"

#include "base/error.h"

#include <stdlib.h>

/* ---- agents: cores, package by package, then IO ---- */

static unsigned io_agent(const struct bx_model *m)
{
    return m->packages * m->cores;
}

static int try_private(bx_model *m, unsigned agent, bx_access a)
{
    return bx_privates_access(&m->core[agent / m->cores][agent % m->cores].privates, a);
}

static uint64_t serve(bx_model *m, unsigned agent, bx_access a, uint64_t t)
{
    return agent == io_agent(m) ? bx_ivbep_io_access(m, a, t)
                                : bx_ivbep_core_access(m, agent / m->cores, agent % m->cores, a, t);
}

static bool ivbep_run(bx_model *m, uint64_t until)
{
    return bx_turns_run(&m->head, &m->turns, until);
}

static void ivbep_idle(bx_model *m, uint64_t cycles)
{
    bx_turns_idle(&m->head, &m->turns, cycles);
}

static void ivbep_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    if (agent < io_agent(m) || agent == BX_AGENT_IO)
        bx_turns_feed(&m->head, &m->turns, agent == BX_AGENT_IO ? io_agent(m) : agent, feed);
}

const struct bx_ivbep_counts *bx_ivbep_counts(const bx_model *m, unsigned package, unsigned slice)
{
    return &m->slice[package][slice].counts;
}

/* ---- power-on ---- */

enum { LLC_SETS = 2048, LLC_WAYS = 20 };

static const struct bx_privates_shape privates_shape = {
    .l1d_sets = 64, .l1d_ways = 8, .l1i_sets = 64, .l1i_ways = 8, .l2_sets = 512, .l2_ways = 8};

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
    return bx_privates_power_on(&core->privates, &privates_shape);
}

static bool power_on(struct bx_model *m, const bx_model_shape *shape)
{
    m->packages = shape->packages;
    m->cores = shape->cores;
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            m->agent[p * m->cores + c].core = true;
            m->agent[p * m->cores + c].buffers = BX_IVBEP_BUFFERS;
            m->slice[p][c].package = p;
            if (!core_power_on(&m->core[p][c]) ||
                !bx_lru_power_on(&m->slice[p][c].llc, llc_sets(shape), LLC_WAYS))
                return false;
        }
    m->agent[io_agent(m)].buffers = BX_IVBEP_IO_BUFFERS;
    m->turns = (struct bx_turns){
        .agent = m->agent, .n = io_agent(m) + 1, .try_private = try_private, .serve = serve};
    bx_ivbep_source_power_on(&m->source);
    return true;
}

static void ivbep_free(bx_model *m)
{
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            bx_privates_free(&m->core[p][c].privates);
            bx_lru_free(&m->slice[p][c].llc);
            free(m->slice[p][c].entry);
        }
    free(m);
}

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
    const struct bx_model_ops ops = {
        .free = ivbep_free,
        .feed = ivbep_feed,
        .run = ivbep_run,
        .idle = ivbep_idle,
        .signal_of = bx_ivbep_signal_of,
    };
    bx_model_head_power_on(&m->head, &ops, &m->source);
    return m;
}
