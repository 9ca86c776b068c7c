#include "model/core/tlb.h"

/* Intel publishes no sizes of page-structure caches: these are the model's own, for all. */
#define STRUCTURE_CACHES                                                                           \
    {                                                                                              \
        [BX_PDE] = 32, [BX_PDPTE] = 4, [BX_PML4E] = 2                                              \
    }

/* Sizes: 248966 (Intel's optimization manual), tables of TLB parameters of Skylake Client. The
 * STLB's hash: 16 sets of L1, XOR-7 (vusec/tlbdr). Cycles of an STLB hit: tma_dtlb_load of Intel's
 * perfmon metrics; there are none for instructions, which get the same. */
const bx_tlb_geometry bx_tlb_skylake = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 8}, {8, 8}}},
    .stlb = {1536, 12},
    .stlb_has_2m = true,
    .stlb_hash_shift = 7,
    .stlb_cycles = {[BX_TLB_DATA] = 9, [BX_TLB_INSTRUCTIONS] = 9},
    .structure = STRUCTURE_CACHES,
};

/* Sizes: 248966, Sandy Bridge, whose TLBs Ivy Bridge has. Cycles: tma_dtlb_load and
 * tma_itlb_misses of Intel's perfmon metrics for Ivy Bridge. */
const bx_tlb_geometry bx_tlb_ivy_bridge = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {8, 8}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 12},
    .structure = STRUCTURE_CACHES,
};

/* Sizes and cycles: 248966, Nehalem ("DTLB0", "STLB"); ITLB for large pages: CPUID leaf 2,
 * descriptor 55H. No cycles are published for instructions, which get the same. */
const bx_tlb_geometry bx_tlb_nehalem = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {7, 7}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 7},
    .structure = STRUCTURE_CACHES,
};
