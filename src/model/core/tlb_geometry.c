/* The TLBs of each processor core, where the machine string gives no others. */
#include "model/core/tlb.h"

#define STRUCTURE_CACHES                                                                           \
    {                                                                                              \
        [BX_PDE] = 32, [BX_PDPTE] = 4, [BX_PML4E] = 2                                              \
    }

/* Sources: catalog/skl/skl.cpu. */
const bx_tlb_geometry bx_tlb_skylake = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 8}, {8, 8}}},
    .stlb = {1536, 12},
    .stlb_has_2m = true,
    .stlb_hash_shift = 7,
    .stlb_cycles = {[BX_TLB_DATA] = 9, [BX_TLB_INSTRUCTIONS] = 9},
    .structure = STRUCTURE_CACHES,
    .walk_load = 4,
};

const bx_tlb_geometry bx_tlb_ivy_bridge = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {8, 8}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 12},
    .structure = STRUCTURE_CACHES,
    .walk_load = 4,
};

const bx_tlb_geometry bx_tlb_nehalem = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {7, 7}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 7},
    .structure = STRUCTURE_CACHES,
    .walk_load = 4,
};
