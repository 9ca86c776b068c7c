/* Reads the keys of a machine string for its model. */
#include "machine/virtual_shape.h"

const char *bx_virtual_model(const bx_topology *t)
{
    return bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].model);
}

#define KEY(name) ((uint32_t)bx_topology_shape(t, name))

static bx_model_times times_of(const bx_topology *t)
{
    return (bx_model_times){
        .l2_hit = KEY("l2_hit"),
        .l2_wait = KEY("l2_wait"),
        .l3_hit = KEY("l3_hit"),
        .l3_wait = KEY("l3_wait"),
        .llc_hit = KEY("llc_hit"),
        .l2_line = KEY("l2_line"),
        .llc_line = KEY("llc_line"),
        .ring_hop = KEY("ring_hop"),
        .snoop_clean = KEY("snoop_clean"),
        .snoop_dirty = KEY("snoop_dirty"),
        .link = KEY("link"),
        .link_modified = KEY("link_modified"),
        .link_rate = KEY("link_rate"),
        .fill_buffers = KEY("fill_buffers"),
        .window = KEY("window"),
        .store_buffer = KEY("store_buffer"),
        .super_queue = KEY("super_queue"),
        .super_queue_busy = KEY("super_queue_busy"),
        .io_buffers = KEY("io_buffers"),
        .tor = KEY("tor"),
        .rtids = KEY("rtids"),
        .qpi_credits = KEY("qpi_credits"),
        .wb_credits = KEY("wb_credits"),
        .memory_transit = KEY("memory_transit"),
        .memory_transfer = KEY("memory_transfer"),
        .memory_read = KEY("memory_read"),
        .tor_queue = KEY("tor_queue"),
        .peer_snoop = KEY("peer_snoop"),
        .tor_write_back = KEY("tor_write_back"),
        .tor_eviction = KEY("tor_eviction"),
        .io_allocate = KEY("io_allocate"),
        .irq = KEY("irq"),
        .ipq = KEY("ipq"),
        .viq = KEY("viq"),
        .maf = KEY("maf"),
        .s_table = KEY("s_table"),
        .imt = KEY("imt"),
        .m_queue = KEY("m_queue"),
        .rwrf = KEY("rwrf"),
        .rspf = KEY("rspf"),
        .s_hom = KEY("s_hom"),
        .s_snp = KEY("s_snp"),
        .s_ndr = KEY("s_ndr"),
        .s_drs = KEY("s_drs"),
        .s_ncb = KEY("s_ncb"),
        .s_ncs = KEY("s_ncs"),
        .s_data = KEY("s_data"),
        .ring_snp = KEY("ring_snp"),
        .ring_ncb = KEY("ring_ncb"),
        .ring_ncs = KEY("ring_ncs"),
        .ring_ndr = KEY("ring_ndr"),
        .ring_r2s = KEY("ring_r2s"),
        .ring_b2s = KEY("ring_b2s"),
        .m_write_mark = KEY("m_write_mark"),
        .m_close = KEY("m_close"),
        .m_patrol = KEY("m_patrol"),
        .m_heat = KEY("m_heat"),
        .m_read_first = KEY("m_read_first"),
        .m_adaptive = KEY("m_adaptive"),
        .m_adaptive_pages = KEY("m_adaptive_pages"),
        .w_turbo = KEY("w_turbo"),
        .w_heat = KEY("w_heat"),
        .w_forcepr = KEY("w_forcepr"),
        .u_timer = KEY("u_timer"),
        .bus_lock = KEY("bus_lock"),
        .starving = KEY("starving"),
        .ring = KEY("ring"),
        .s_queue = KEY("s_queue"),
        .c_lookup = KEY("c_lookup"),
        .c_victim = KEY("c_victim"),
        .c_response = KEY("c_response"),
        .b_lookup = KEY("b_lookup"),
        .b_decide = KEY("b_decide"),
        .r_cross = KEY("r_cross"),
        .s_to_b = KEY("s_to_b"),
        .ioh_link = KEY("ioh_link"),
        .ioh_device = KEY("ioh_device"),
        .vna_short = KEY("vna_short"),
        .vna_long = KEY("vna_long"),
        .b_vna = KEY("b_vna"),
        .s_vn0 = KEY("s_vn0"),
        .m_decode = KEY("m_decode"),
        .m_answer = KEY("m_answer"),
        .l1_hit = KEY("l1_hit"),
        .l2_lookup = KEY("l2_lookup"),
        .itlb_walk = KEY("itlb_walk"),
        .bus_clock = KEY("bus_clock"),
        .bus_request = KEY("bus_request"),
        .bus_snoop = KEY("bus_snoop"),
        .bus_stall = KEY("bus_stall"),
        .bus_read = KEY("bus_read"),
        .bus_defer = KEY("bus_defer"),
        .bus_write = KEY("bus_write"),
        .bus_invalidate = KEY("bus_invalidate"),
        .locked = KEY("locked"),
        .mispredict = KEY("mispredict"),
        .resteer = KEY("resteer"),
        .divide = KEY("divide"),
        .interrupt = KEY("interrupt"),
        .interrupt_cycles = KEY("interrupt_cycles"),
    };
}

static bx_model_dram dram_of(const bx_topology *t)
{
    return (bx_model_dram){
        .rate = KEY("dram_rate"),
        .cl = KEY("dram_cl"),
        .rcd = KEY("dram_rcd"),
        .rp = KEY("dram_rp"),
        .ras = KEY("dram_ras"),
        .rtp = KEY("dram_rtp"),
        .wr = KEY("dram_wr"),
        .wtr = KEY("dram_wtr"),
        .faw = KEY("dram_faw"),
        .rfc = KEY("dram_rfc"),
        .refi = KEY("dram_refi"),
        .transit = KEY("dram_transit"),
        .channels = KEY("dram_channels"),
        .ranks = KEY("dram_ranks"),
        .banks = KEY("dram_banks"),
        .row_bytes = KEY("dram_row"),
        .bank_hash = KEY("dram_hash"),
        .groups = KEY("dram_groups"),
        .ccd_l = KEY("dram_ccd_l"),
        .rrd_s = KEY("dram_rrd_s"),
        .rrd_l = KEY("dram_rrd_l"),
    };
}

#define TLB(name, ways, policy)                                                                    \
    {                                                                                              \
        (uint16_t) KEY(name), (uint16_t)KEY(ways), (uint16_t)KEY(policy)                           \
    }

bx_tlb_geometry bx_virtual_tlbs(const bx_topology *t)
{
    return (bx_tlb_geometry){
        .l1 = {[BX_TLB_DATA] = {TLB("dtlb", "dtlb_ways", "dtlb_policy"),
                                TLB("dtlb_2m", "dtlb_2m_ways", "dtlb_policy")},
               [BX_TLB_INSTRUCTIONS] = {TLB("itlb", "itlb_ways", "itlb_policy"),
                                        TLB("itlb_2m", "itlb_2m_ways", "itlb_policy")}},
        .stlb = TLB("stlb", "stlb_ways", "stlb_policy"),
        .stlb_has_2m = KEY("stlb_2m") != 0,
        .stlb_hash_shift = (uint8_t)KEY("stlb_hash"),
        .stlb_cycles = {(uint8_t)KEY("stlb_hit"), (uint8_t)KEY("stlb_fetch")},
        .structure = {[BX_PDE] = (uint8_t)KEY("walk_pdes"),
                      [BX_PDPTE] = (uint8_t)KEY("walk_pdptes"),
                      [BX_PML4E] = (uint8_t)KEY("walk_pml4es")},
        .walk_load = (uint8_t)KEY("walk_load"),
        .overlaps = KEY("window") != 0,
    };
}

/* Fill buffers combine non-temporal stores. */
static uint32_t wc_buffers_of(const bx_topology *t)
{
    enum { FILL_BUFFERS = 10 }; /* of machines that do not say: catalog/skl/skl.cpu */
    uint32_t own = KEY("wc_buffers"), fill = KEY("fill_buffers");

    return own ? own : fill ? fill : FILL_BUFFERS;
}

static bx_predictor_sizes predictor_of(const bx_topology *t)
{
    return (bx_predictor_sizes){
        .kind = KEY("predictor"),
        .btb = KEY("btb"),
        .btb_ways = KEY("btb_ways"),
        .btb_history = KEY("btb_history"),
        .base = KEY("branch_base"),
        .table = KEY("branch_table"),
        .history = KEY("branch_history"),
        .indirect = KEY("branch_targets"),
        .return_stack = KEY("return_stack"),
    };
}

bx_core_time bx_virtual_core_time(const bx_topology *t)
{
    return (bx_core_time){
        .width = KEY("width"),
        .l1 = KEY("l1"),
        .fp_add = KEY("fp_add"),
        .fp_multiply = KEY("fp_multiply"),
        .load_ports = KEY("load_ports"),
        .store_ports = KEY("store_ports"),
        .alu_ports = KEY("alu_ports"),
        .fp_ports = KEY("fp_ports"),
        .fp_add_ports = KEY("fp_add_ports"),
        .fp_multiply_ports = KEY("fp_multiply_ports"),
        .load_bytes = KEY("load_bytes"),
        .store_bytes = KEY("store_bytes"),
        .divide = {[BX_DIVIDE_32] = KEY("divide_32"),
                   [BX_DIVIDE_64] = KEY("divide_64"),
                   [BX_DIVIDE_SIGNED] = KEY("divide_signed"),
                   [BX_DIVIDE_128] = KEY("divide_128"),
                   [BX_DIVIDE_SINGLE] = KEY("divide_single"),
                   [BX_DIVIDE_DOUBLE] = KEY("divide_double"),
                   [BX_ROOT_SINGLE] = KEY("root_single"),
                   [BX_ROOT_DOUBLE] = KEY("root_double")},
        .divide_wait = {[BX_DIVIDE_32] = KEY("divide_32_wait"),
                        [BX_DIVIDE_64] = KEY("divide_64_wait"),
                        [BX_DIVIDE_SIGNED] = KEY("divide_signed_wait"),
                        [BX_DIVIDE_128] = KEY("divide_128_wait"),
                        [BX_DIVIDE_SINGLE] = KEY("divide_single_wait"),
                        [BX_DIVIDE_DOUBLE] = KEY("divide_double_wait"),
                        [BX_ROOT_SINGLE] = KEY("root_single_wait"),
                        [BX_ROOT_DOUBLE] = KEY("root_double_wait")},
        .core_hz = bx_topology_shape(t, "core_hz"),
        .uncore_hz = bx_topology_shape(t, "hz"),
        .wc_buffers = wc_buffers_of(t),
        .locks_bus = KEY("bus_lock") != 0,
        .locked = KEY("locked"),
        .mispredict = KEY("mispredict"),
        .predictor = predictor_of(t),
    };
}

bx_model_shape bx_virtual_shape(const bx_topology *t)
{
    return (bx_model_shape){
        .packages = t->packages,
        .cores = t->cores,
        .slices = KEY("slices"),
        .llc_bytes = bx_topology_shape(t, "llc"),
        .l1d = {bx_topology_shape(t, "l1d_size"), KEY("l1d_ways"), .policy = KEY("l1d_policy")},
        .l1i = {bx_topology_shape(t, "l1i_size"), KEY("l1i_ways"), .policy = KEY("l1i_policy")},
        .l2 = {bx_topology_shape(t, "l2_size"), KEY("l2_ways"), KEY("l2_inclusion"),
               KEY("l2_policy")},
        .l3 = {bx_topology_shape(t, "l3_size"), KEY("l3_ways"), KEY("l3_inclusion"),
               KEY("l3_policy")},
        .llc_ways = KEY("llc_ways"),
        .llc_policy = KEY("llc_policy"),
        .line_bytes = KEY("line_size"),
        .measured_replacement = bx_topology_shape(t, "replacement") != 0,
        .prefetch = bx_topology_shape(t, "prefetch") != 0,
        .no_predictor = KEY("predictor") == BX_PREDICTOR_NONE,
        .times = times_of(t),
        .dram = dram_of(t),
        .hz = bx_topology_shape(t, "hz"),
        .core_hz = bx_topology_shape(t, "core_hz"),
        .tlb = KEY("tlb") != 0,
    };
}
