/* Power-on of the client machine, and its model functions. */
#include "model/machine/client/machine.h"

#include "model/machine/client/boxes.h"
#include "model/engine/core_signal.h"
#include "model/core/tlb.h"
#include "model/engine/limits.h"

static const struct bx_uncore uncore = {.request = bx_client_request,
                                        .non_temporal_store = bx_client_non_temporal_store,
                                        .prefetch_llc = bx_client_prefetch_llc,
                                        .write_back = bx_client_write_back,
                                        .device_access = bx_client_device_access,
                                        .devices = BX_CLIENT_DEVICES,
                                        .cores_await_lines = true};

const struct bx_client_counts *bx_client_counts_of(bx_model *model)
{
    return &bx_client_of(model)->counts;
}

/* ---- the hashes of addresses to slices and channels ---- */

/* Masks over the physical address, o0 and o1 in Maurice et al., RAID 2015. */
static const uint64_t address_hash[2] = {0x1b5f575440, 0x2eb5faa880};

/* Of two channels of DRAM, address bits 8, 9, 12, 13, 15 and 18: Found-DRAM-BankMap.md of
 * github.com/heechul/drama, of an E3-1220 v5. */
static const uint64_t channel_hash = 1 << 8 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 15 | 1 << 18;

enum { LINE_BITS = 6 };

/* slices: 1, 2 or 4. */
static void set_up_hash(struct bx_client_llc *llc, unsigned slices)
{
    llc->slices = slices;
    llc->hash[0] = slices > 1 ? (uint32_t)(address_hash[0] >> LINE_BITS) : 0;
    llc->hash[1] = slices > 2 ? (uint32_t)(address_hash[1] >> LINE_BITS) : 0;
}

/* ---- signals ---- */

static bool find_unit(bx_model *model, const bx_selection *sel, struct bx_unit *unit)
{
    const struct bx_client *m = bx_client_of(model);
    bool of_core = sel->box == BX_CLIENT_CORE || sel->box == BX_CLIENT_STALLS;
    unsigned units = of_core                     ? m->cores
                     : sel->box == BX_CLIENT_CBO ? m->llc.slices
                                                 : UINT16_MAX + 1;

    unit->index = sel->unit;
    unit->has = of_core ? bx_core_has(model, 1) : 0;
    return sel->package == 0 && sel->unit < units;
}

/* ---- power-on ---- */

/* L2 differs with replacement=on. */
static const struct bx_core_caches_kind caches = {
    .line_bytes = 64,
    .own = {{32 << 10, 8, 0}, {32 << 10, 8, 0}, {256 << 10, 4, BX_INCLUSION_NONE}},
    .policy = {&bx_policy_plru, &bx_policy_plru, &bx_policy_plru},
    .measured = {[BX_CORE_L2] = &bx_policy_qlru_h00_m1_r2_u1},
    .llc_policy = &bx_policy_qlru_h11_m1_r0_u0,
    .llc_ways = BX_CLIENT_LLC_WAYS,
    .moves_modified = true,
    .llc_prefetches = true,
};

static void client_power_on(bx_model *model, const bx_model_shape *shape)
{
    struct bx_client *m = bx_client_of(model);

    m->cores = shape->cores;
    m->times = shape->times;
    m->imc.times = &m->times;
    bx_model_dram dram = shape->dram;
    dram.channel_hash = dram.channels == BX_IMC_CHANNELS ? channel_hash >> LINE_BITS : 0;
    m->imc.has_dram = bx_dram_power_on(&m->imc.dram, &dram, shape->hz);
    set_up_hash(&m->llc, shape->slices);
    for (unsigned i = 0; i < m->llc.slices; i++)
        bx_llc_slice_power_on(model, shape, &m->llc.slice[i]);
    for (unsigned i = 0; i < BX_IMC_AGENTS; i++)
        m->partial_line[i] = BX_NO_LINE;
    bx_turns_power_on(model, &m->turns, &uncore, shape, 0);
}

/* Limits and times: docs/explanation/model-client.md. */
const struct bx_model_kind bx_client_model = {
    .name = "client",
    .tlb = &bx_tlb_skylake,
    .caches = &caches,
    .limits = {.name = "a client machine",
               .packages = 1,
               .cores = BX_CLIENT_CORES,
               .least_sets = 64,
               .slices = 1u << 1 | 1u << 2 | 1u << 4},
    .times = {BX_TURNS_TIMES, .llc_hit = 34, .ring_hop = 2},
    .size = sizeof(struct bx_client),
    .power_on = client_power_on,
    BX_TURNS_FUNCTIONS,
    .box = bx_client_signals,
    .boxes = BX_CLIENT_BOXES,
    .find_unit = find_unit,
};
