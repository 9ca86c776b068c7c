/* The agents of the Ivy Bridge-EP machine, and its power-on. */
#include "model/machine/ivbep/machine.h"
#include "model/machine/ivbep/boxes.h"

#include "model/core/tlb.h"
#include "model/engine/core_signal.h"

#include <string.h>

static const struct bx_uncore uncore = {.request = bx_ivbep_request_line,
                                        .non_temporal_store = bx_ivbep_non_temporal_store,
                                        .prefetch_llc = bx_ivbep_prefetch_llc,
                                        .write_back = bx_ivbep_write_back,
                                        .follow = bx_ivbep_prefetch_next,
                                        .device_access = bx_ivbep_io_access,
                                        .devices = 1};

const struct bx_ivbep_counts *bx_ivbep_counts(bx_model *model, unsigned package, unsigned slice)
{
    return &bx_ivbep_of(model)->slice[package][slice].counts;
}

/* ---- power-on ---- */

void bx_ivbep_power_on(bx_model *model, const bx_model_shape *shape)
{
    struct bx_ivbep *m = bx_ivbep_of(model);

    m->packages = shape->packages;
    m->cores = shape->cores;
    m->times = shape->times;
    bx_link_power_on(&m->link, &m->times, shape->line_bytes, shape->hz);
    for (unsigned node = 0; node < BX_IVBEP_NODES; node++)
        m->has_dram = bx_dram_power_on(&m->dram[node], &shape->dram, shape->hz);
    m->channels = shape->dram.channels ? shape->dram.channels : BX_IVBEP_CHANNELS;
    memset(m->last_line, 0xfe, sizeof m->last_line); /* before no line */
    for (unsigned p = 0; p < m->packages; p++)
        for (unsigned c = 0; c < m->cores; c++) {
            m->slice[p][c].package = p;
            bx_llc_slice_power_on(model, shape, &m->slice[p][c].llc);
        }
    bx_turns_power_on(model, &m->turns, &uncore, shape, m->times.io_buffers);
}

static const struct bx_core_caches_kind caches = {
    .line_bytes = 64,
    .own = {{32 << 10, 8, 0}, {32 << 10, 8, 0}, {256 << 10, 8, BX_INCLUSION_MODIFIED}},
    .policy = {&bx_policy_lru, &bx_policy_lru, &bx_policy_lru},
    .llc_policy = &bx_policy_lru,
    .measured = {&bx_policy_plru, &bx_policy_plru, &bx_policy_plru},
    .llc_measured = &bx_policy_qlru_h11_m1_r1_u2,
    .llc_ways = 20,
    .llc_prefetches = true,
};

/* Limits and times: docs/explanation/model-ivbep.md. */
const struct bx_model_kind bx_ivbep_model = {
    .name = "ivbep",
    .tlb = &bx_tlb_ivy_bridge,
    .caches = &caches,
    .limits = {.name = "an Ivy Bridge-EP machine",
               .packages = BX_IVBEP_PACKAGES,
               .cores = BX_IVBEP_CORES,
               .sets = 2048,
               .least_sets = 1},
    .times = {BX_TURNS_TIMES, .llc_hit = 34, .link = 40, .io_buffers = 32, .tor = 20, .rtids = 14,
              .qpi_credits = 8, .wb_credits = 4, .tor_queue = 2, .peer_snoop = 20,
              .tor_write_back = 16, .tor_eviction = 12, .io_allocate = 20},
    BX_IVBEP_FUNCTIONS,
};
