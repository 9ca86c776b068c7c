/* Power-on of the client machine, and its model functions. */
#include "model/machine/client/machine.h"
#include "model/machine/client/model.h"

#include "base/error.h"
#include "model/machine/client/boxes.h"
#include "model/engine/core_signal.h"
#include "model/core/tlb.h"

static const struct bx_uncore uncore = {.request = bx_client_request,
                                        .non_temporal_store = bx_client_non_temporal_store,
                                        .prefetch_llc = bx_client_prefetch_llc,
                                        .write_back = bx_client_write_back,
                                        .device_access = bx_client_device_access};

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

/* ---- power-on ---- */

static int check_shape(const struct bx_model_kind *kind, const bx_model_shape *shape, bx_error *e)
{
    (void)kind;
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
                                         .fill_buffers = 10,
                                         .super_queue = 16,
                                         .super_queue_busy = 12};

/* L2 differs with replacement=on. */
static const struct bx_core_caches_kind caches = {
    .own = {{32 << 10, 8, 0}, {32 << 10, 8, 0}, {256 << 10, 4, BX_INCLUSION_NONE}},
    .policy = {&bx_policy_plru, &bx_policy_plru, &bx_policy_plru},
    .measured = {[BX_CORE_L2] = &bx_policy_qlru_h00_m1_r2_u1},
    .llc_policy = &bx_policy_qlru_h11_m1_r0_u0,
    .llc_ways = BX_CLIENT_LLC_WAYS,
    .moves_modified = true,
    .llc_prefetches = BX_LLC_PREFETCHES_QUEUED,
};

static bool client_power_on(bx_model *model, const bx_model_shape *shape)
{
    struct bx_client *m = bx_client_of(model);

    m->cores = shape->cores;
    m->times = shape->times;
    bx_model_times_complete(&m->times, &own_times);
    m->imc.has_dram = bx_dram_power_on(&m->imc.dram, &shape->dram, shape->hz);
    if (!bx_client_llc_power_on(&m->llc, &model->memory, &model->caches.llc, shape->slices,
                                shape->llc_bytes))
        return false;
    for (unsigned c = 0; c < m->cores; c++)
        if (!bx_turns_add_core(model, &m->turns, &m->times))
            return false;
    for (unsigned i = 0; i < BX_CLIENT_DEVICES; i++) {
        bx_turns_add_device(&m->turns, 0);
        m->partial_line[i] = BX_NO_LINE;
    }
    bx_turns_power_on(&m->model, &m->turns, &uncore, shape);
    return true;
}

static bx_model_llc client_llc(const struct bx_model_kind *kind, const bx_model_shape *shape)
{
    (void)kind;
    return (bx_model_llc){shape->llc_bytes, BX_CLIENT_LLC_WAYS};
}

const struct bx_model_kind bx_client_model = {
    .name = "client",
    .tlb = &bx_tlb_skylake,
    .caches = &caches,
    .size = sizeof(struct bx_client),
    .check = check_shape,
    .power_on = client_power_on,
    .llc = client_llc,
    BX_TURNS_FUNCTIONS,
    .box = bx_client_signals,
    .boxes = BX_CLIENT_BOXES,
    .find_unit = find_unit,
};
