/* The machine models that a CPU's `model` may name: their PMUs, and the keys of the machine string
 * that they need and read. */
#include "catalog/machine_models.h"

#include "catalog/catalog.h"

#define CACHES                                                                                     \
    " line_size l1d_size l1d_ways l1d_policy l1i_size l1i_ways l1i_policy l2_size l2_ways "        \
    "l2_policy "                                                                                   \
    "l2_inclusion"

#define PLAIN " memory_transit memory_transfer memory_read"

#define L3    " l3_size l3_ways l3_inclusion l3_policy l3_hit l3_wait"

#define TLBS                                                                                       \
    " tlb dtlb dtlb_ways dtlb_2m dtlb_2m_ways itlb itlb_ways itlb_2m itlb_2m_ways stlb stlb_ways " \
    "stlb_2m stlb_hash stlb_hit stlb_fetch walk_pdes walk_pdptes walk_pml4es walk_load "           \
    "dtlb_policy itlb_policy stlb_policy"

#define PORTS                                                                                      \
    " load_ports load_bytes store_ports store_bytes alu_ports fp_ports fp_add_ports "              \
    "fp_multiply_ports divide_32 divide_64 divide_signed divide_128 divide_single divide_double "  \
    "root_single root_double divide_32_wait divide_64_wait divide_signed_wait divide_128_wait "    \
    "divide_single_wait divide_double_wait root_single_wait root_double_wait"

#define BRANCHES                                                                                   \
    " predictor return_stack mispredict branch_base branch_table branch_history branch_targets"

#define TIMES                                                                                      \
    " l2_hit l2_wait l2_line llc_hit llc_line snoop_clean snoop_dirty fill_buffers window "        \
    "store_buffer wc_buffers "                                                                     \
    "locked width l1 fp_add fp_multiply core_hz replacement prefetch super_queue "                 \
    "super_queue_busy pages thp"

#define MEMORY                                                                                     \
    "dram_rate dram_channels dram_ranks dram_banks dram_row dram_cl dram_rcd dram_rp dram_ras "    \
    "dram_rtp dram_wr dram_rfc dram_refi dram_transit"

/* The boxes are those of src/model/NAME/boxes.h. The keys are read in
 * src/machine/backend/virtual.c; tests/structure/shape_keys.py compares. */
const bx_machine_model bx_machine_models[] = {
    {.name = "client",
     .boxes = {"package", "cbo", "arb", "clock", "imc", "core", "stalls"},
     .needs = "packages cores slices llc hz",
     .reads = "ring_hop llc_policy llc_ways" PLAIN CACHES L3 TLBS TIMES PORTS BRANCHES,
     .memory = MEMORY " dram_wtr dram_faw dram_hash dram_groups dram_ccd_l dram_rrd_s dram_rrd_l"},
    {.name = "ivbep",
     .boxes = {"ubo", "cbo", "imc", "core", "stalls"},
     .needs = "packages cores hz",
     .reads = "llc llc_policy llc_ways link link_modified link_rate numa io_buffers tor rtids "
              "qpi_credits "
              "wb_credits tor_queue "
              "peer_snoop tor_write_back "
              "tor_eviction io_allocate" PLAIN CACHES L3 TLBS TIMES PORTS BRANCHES,
     .memory = MEMORY " dram_wtr dram_faw"},
    {.name = "nhmex",
     .boxes = {"ubox", "cbox", "bbox", "sbox", "rbox", "mbox", "wbox", "core", "stalls"},
     .needs = "packages cores hz",
     .reads =
         "llc llc_policy llc_ways link link_modified link_rate numa io_buffers irq ipq viq maf "
         "s_table "
         "imt m_queue "
         "rwrf rspf s_hom s_snp s_ndr s_drs s_ncb s_ncs s_data ring_snp ring_ncb ring_ncs ring_ndr "
         "ring_r2s ring_b2s m_write_mark m_close m_patrol m_heat m_read_first m_adaptive "
         "m_adaptive_pages w_turbo w_heat w_forcepr u_timer "
         "bus_lock starving "
         "ring s_queue "
         "c_lookup c_victim c_response b_lookup b_decide r_cross s_to_b ioh_link ioh_device "
         "vna_short vna_long b_vna s_vn0 "
         "m_decode m_answer" CACHES L3 TLBS TIMES PORTS BRANCHES,
     .memory = MEMORY},
    {.name = "p6",
     .boxes = {"", "stalls"},
     .needs = "packages cores hz",
     .reads = "fill_buffers store_buffer locked bus_lock divide interrupt interrupt_cycles "
              "prefetch super_queue l1_hit l2_lookup "
              "l2_line itlb "
              "itlb_ways itlb_policy itlb_walk "
              "bus_clock bus_request bus_snoop bus_stall bus_read bus_defer bus_write "
              "bus_invalidate predictor return_stack mispredict resteer btb btb_ways "
              "btb_history" CACHES,
     .memory = ""},
};
const size_t bx_machine_models_n = sizeof bx_machine_models / sizeof *bx_machine_models;

/* `bar` and `freeze` are of the virtual PMUs (src/vpmu/build_registers.c), `pce` of RDPMC in
 * programs (stage/files/rdpmc.c, src/machine/backend/virtual.c), `timer` of the stage's clock
 * (stage/work/clock.c). */
const char bx_shape_keys_of_all[] = "packages cores hz bar freeze pce timer";

const bx_machine_model *bx_machine_model_find(bx_str name)
{
    for (size_t i = 0; i < bx_machine_models_n; i++)
        if (bx_str_eq(name, bx_str_of(bx_machine_models[i].name)))
            return &bx_machine_models[i];
    return NULL;
}

bool bx_cat_is_virtual(const struct bx_catalog *c, const bx_cat_cpu *cpu)
{
    return bx_machine_model_find(bx_cat_str(c, cpu->model)) != NULL;
}

bool bx_shape_key_listed(const char *keys, bx_str key)
{
    bx_str rest = bx_str_of(keys);
    while (rest.p)
        if (bx_str_eq_fold(bx_str_cut(&rest, ' '), key))
            return true;
    return false;
}
