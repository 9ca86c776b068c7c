/* The TLB sizes of each processor core, with their sources. */
#include "model/core/tlb.h"

/* The model's own sizes for all processors, because Intel publishes none for page-structure
 * caches. */
#define STRUCTURE_CACHES                                                                           \
    {                                                                                              \
        [BX_PDE] = 32, [BX_PDPTE] = 4, [BX_PML4E] = 2                                              \
    }

/* Sizes: 248966 (Intel's optimization manual), tables of TLB parameters of Skylake Client.
 * vusec/tlbdr: 16 sets of L1, hash XOR-7 of the STLB. Cycles of an STLB hit: tma_dtlb_load of
 * Intel's perfmon metrics. No cycles are published for instructions; they get the same. */
const bx_tlb_geometry bx_tlb_skylake = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 8}, {8, 8}}},
    .stlb = {1536, 12},
    .stlb_has_2m = true,
    .stlb_hash_shift = 7,
    .stlb_cycles = {[BX_TLB_DATA] = 9, [BX_TLB_INSTRUCTIONS] = 9},
    .structure = STRUCTURE_CACHES,
};

/* Sizes: 248966, Sandy Bridge, which has the same TLBs as Ivy Bridge. Cycles: tma_dtlb_load and
 * tma_itlb_misses of Intel's perfmon metrics for Ivy Bridge. */
const bx_tlb_geometry bx_tlb_ivy_bridge = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {8, 8}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 12},
    .structure = STRUCTURE_CACHES,
};

/* Sizes and cycles: 248966, Nehalem ("DTLB0", "STLB"). ITLB for large pages: CPUID leaf 2,
 * descriptor 55H. No cycles are published for instructions; they get the same. */
const bx_tlb_geometry bx_tlb_nehalem = {
    .l1 = {[BX_TLB_DATA] = {{64, 4}, {32, 4}}, [BX_TLB_INSTRUCTIONS] = {{128, 4}, {7, 7}}},
    .stlb = {512, 4},
    .stlb_cycles = {[BX_TLB_DATA] = 7, [BX_TLB_INSTRUCTIONS] = 7},
    .structure = STRUCTURE_CACHES,
};
