/* The agents of the Xeon 7500 machine, its power-on. */
#include "model/machine/nhmex/machine.h"

#include "model/core/tlb.h"
#include "model/engine/core_signal.h"

static const struct bx_uncore uncore = {.request = bx_nhmex_request,
                                        .non_temporal_store = bx_nhmex_non_temporal_store,
                                        .write_back = bx_nhmex_write_back,
                                        .device_access = bx_nhmex_io_access,
                                        .lock_bus = bx_nhmex_lock_bus,
                                        .uncacheable = bx_nhmex_uncacheable,
                                        .devices = 1};

/* ---- power-on ---- */

/* The capacities of the queues are those of the guide's tables (pages 31 to 81) if they are given
 * there. */
static void c_power_on(struct bx_nhmex_cbox *c, const bx_model_times *times)
{
    const uint32_t capacity[BX_NHMEX_QUEUES] = {
        [BX_NHMEX_IRQ] = times->irq, [BX_NHMEX_IPQ] = times->ipq,   [BX_NHMEX_VIQ] = times->viq,
        [BX_NHMEX_MAF] = times->maf, [BX_NHMEX_RWRF] = times->rwrf, [BX_NHMEX_RSPF] = times->rspf,
    };

    for (unsigned i = 0; i < BX_NHMEX_QUEUES; i++)
        bx_queue_power_on(&c->queue[i], capacity[i], times->starving);
    for (unsigned i = 0; i < BX_NHMEX_EGRESSES; i++)
        bx_queue_power_on(&c->egress[i], 1, times->starving);
}

static void fifo_power_on(struct bx_nhmex_fifo *f, unsigned capacity, unsigned starves)
{
    for (unsigned i = 0; i < BX_NHMEX_SIDE_CORES; i++)
        bx_queue_power_on(&f->of[i], capacity, starves);
    f->lanes.by_lanes = f->by_lanes;
    for (unsigned i = 0; i < BX_NHMEX_SIDE_CORES; i++) /* `full` means that all of them are full */
        f->lanes.full |= capacity << BX_GAUGE_LANE_BITS * i;
}

static void s_power_on(struct bx_nhmex_sbox *s, const bx_model_times *times)
{
    const uint32_t starves = times->starving,
                   to_ring[BX_NHMEX_TO_RINGS] = {
                       [BX_NHMEX_RING_SNP] = times->ring_snp, [BX_NHMEX_RING_NCB] = times->ring_ncb,
                       [BX_NHMEX_RING_NCS] = times->ring_ncs, [BX_NHMEX_RING_NDR] = times->ring_ndr,
                       [BX_NHMEX_RING_R2S] = times->ring_r2s, [BX_NHMEX_RING_B2S] = times->ring_b2s,
                   };

    for (unsigned via = 0; via < BX_NHMEX_VIAS; via++)
        bx_queue_power_on(&s->hom[via], times->s_hom, starves);
    s->hom_any.full = BX_NHMEX_VIAS * times->s_hom;
    bx_queue_power_on(&s->snp, times->s_snp, starves);
    bx_queue_power_on(&s->ndr, times->s_ndr, starves);
    bx_queue_power_on(&s->data_to_b, times->s_data, starves);
    bx_queue_power_on(&s->table, times->s_table, starves);
    bx_queue_power_on(&s->b_credits, times->b_vna, starves);
    fifo_power_on(&s->drs, times->s_drs, starves);
    fifo_power_on(&s->ncb, times->s_ncb, starves);
    fifo_power_on(&s->ncs, times->s_ncs, starves);
    for (unsigned i = 0; i < BX_NHMEX_TO_RINGS; i++)
        bx_queue_power_on(&s->to_ring[i], to_ring[i], starves);
    for (unsigned i = 0; i < 2 * BX_NHMEX_RINGS; i++)
        bx_queue_power_on(&s->egress[i], 1, starves);
}

static void b_power_on(struct bx_nhmex_bbox *b, const bx_model_times *times)
{
    bx_queue_power_on(&b->table, times->imt, times->starving);
    for (unsigned via = 0; via < BX_NHMEX_VIAS; via++)
        bx_queue_power_on(&b->output[via], 1, times->starving);
    for (unsigned class = 0; class < BX_NHMEX_CLASSES; class ++)
        bx_queue_power_on(&b->s_credits[class], times->s_vn0, times->starving);
    for (unsigned s = 0; s < BX_NHMEX_PACKAGES * BX_NHMEX_SIDES; s++)
        bx_queue_power_on(&b->credits[s / BX_NHMEX_SIDES][s % BX_NHMEX_SIDES], times->imt,
                          times->starving);
}

static void m_power_on(struct bx_nhmex_mbox *mbox, const bx_model_times *times)
{
    bx_queue_power_on(&mbox->read_queue, times->m_queue, times->starving);
    bx_queue_power_on(&mbox->write_queue, times->m_queue, times->starving);
    bx_queue_power_on(&mbox->bus, 1, times->starving);
    mbox->write_queue.in.mark = times->m_write_mark;
    mbox->read_queue.in.edges = mbox->write_queue.in.edges = true;
}

static void package_power_on(struct bx_nhmex_package *p, const bx_model_shape *shape)
{
    const bx_model_times *times = &shape->times;

    for (unsigned i = 0; i < shape->cores; i++)
        c_power_on(&p->c[i], times);
    for (unsigned side = 0; side < BX_NHMEX_SIDES; side++) {
        s_power_on(&p->s[side], times);
        b_power_on(&p->b[side], times);
        m_power_on(&p->m[side], times);
    }
    for (unsigned port = 0; port < BX_NHMEX_PORTS; port++) {
        bx_queue_power_on(&p->r[port].output, 1, times->starving);
        p->r[port].link = port % 4 < 2;
        bx_link_power_on(&p->r[port].over, times, shape->line_bytes, shape->hz);
    }
}

void bx_nhmex_power_on(bx_model *model, const bx_model_shape *shape)
{
    struct bx_nhmex *m = bx_nhmex_of(model);

    m->packages = shape->packages;
    m->cores = shape->cores;
    m->times = shape->times;
    m->times.vna_short = (uint32_t)bx_sooner(m->times.vna_short, BX_NHMEX_VNA_MOST);
    m->times.vna_long = (uint32_t)bx_sooner(m->times.vna_long, BX_NHMEX_VNA_MOST);
    for (unsigned p = 0; p < m->packages; p++) {
        package_power_on(&m->package[p], shape);
        for (unsigned c = 0; c < m->cores; c++)
            bx_llc_slice_power_on(model, shape, &m->package[p].c[c].llc);
    }
    bx_nhmex_memory_power_on(m, shape);
    bx_turns_power_on(model, &m->turns, &uncore, shape, m->times.io_buffers);
    bx_nhmex_power_power_on(m);
}

static const struct bx_core_caches_kind caches = {
    .line_bytes = 64,
    .own = {{32 << 10, 8, 0}, {32 << 10, 4, 0}, {256 << 10, 8, BX_INCLUSION_MODIFIED}},
    .policy = {&bx_policy_lru, &bx_policy_lru, &bx_policy_lru},
    .llc_policy = &bx_policy_lru,
    .measured = {&bx_policy_plru, &bx_policy_plru, &bx_policy_plru},
    .llc_measured = &bx_policy_mru,
    .llc_ways = 24,
};

/* Limits and times: docs/explanation/model-nhmex.md. llc_hit counts from the lookup. */
const struct bx_model_kind bx_nhmex_model = {
    .name = "nhmex",
    .devices = BX_DEVICE_REGISTERS,
    .tlb = &bx_tlb_nehalem,
    .caches = &caches,
    .limits = {.name = "a Xeon 7500 machine",
               .packages = BX_NHMEX_PACKAGES,
               .cores = BX_NHMEX_CORES,
               .sets = 2048,
               .least_sets = 1},
    .times = {BX_TURNS_TIMES,    .llc_hit = 26,   .link = 30,        .io_buffers = 32,
              .irq = 24,         .ipq = 8,        .viq = 8,          .maf = 16,
              .s_table = 48,     .imt = 32,       .m_queue = 16,     .rwrf = 12,
              .rspf = 8,         .s_hom = 32,     .s_snp = 32,       .s_ndr = 16,
              .s_drs = 4,        .s_ncb = 2,      .s_ncs = 2,        .s_data = 16,
              .ring_snp = 31,    .ring_ncb = 4,   .ring_ncs = 4,     .ring_ndr = 32,
              .ring_r2s = 8,     .ring_b2s = 8,   .m_write_mark = 8, .starving = 16,
              .ring = 4,         .s_queue = 2,    .c_lookup = 4,     .c_victim = 6,
              .c_response = 3,   .b_lookup = 6,   .b_decide = 2,     .r_cross = 6,
              .s_to_b = 3,       .ioh_link = 30,  .m_decode = 4,     .m_answer = 10,
              .ioh_device = 100, .bus_lock = 1000},
    BX_NHMEX_FUNCTIONS,
};
