/* The table of core events of each processor. */
#include "model/core/core_events.h"

#include "model/engine/core_counts.h"
#include "model/engine/core_signal.h"
#include "model/engine/signal_words.h"

/* Sets of counts: a bit for each count. */
#define RETIRED(c)    (UINT64_C(1) << BX_RETIRED_##c)
#define CORE(c)       (UINT64_C(1) << BX_CORE_##c)
/* Counts by kind of access: loads, stores, fetches. */
#define OF_LOADS(c)   (UINT64_C(1) << BX_RETIRED_##c)
#define OF_STORES(c)  (UINT64_C(2) << BX_RETIRED_##c)
#define OF_FETCHES(c) (UINT64_C(4) << BX_RETIRED_##c)

#define BRANCHES      RETIRED(BRANCHES)
#define ALL_CALLS     (RETIRED(CALLS) | RETIRED(INDIRECT_CALLS))
#define LOADS         RETIRED(LOADS)
#define STORES        RETIRED(STORES)
#define FROM_CORES    (CORE(FROM_CORE_CLEAN) | CORE(FROM_CORE_DIRTY))
#define FROM_LLC      (CORE(FROM_LLC) | CORE(FROM_LLC_SNOOP_MISS) | FROM_CORES)
#define FROM_PACKAGES                                                                              \
    (CORE(FROM_PACKAGE_CLEAN) | CORE(FROM_PACKAGE_DIRTY) | CORE(FROM_MEMORY) |                     \
     CORE(FROM_REMOTE_MEMORY))
#define BEYOND_L2     (FROM_LLC | FROM_PACKAGES)
#define BEYOND_L1     (CORE(FROM_L2) | BEYOND_L2)
/* Accesses of loads that hit L1D: those of all loads, minus those that miss. A locked load whose
 * access is a store is in neither. */
#define L1_HITS       (LOADS | RETIRED(SPLIT_LOADS))
#define NO_L1_HIT     (BEYOND_L1 | CORE(FROM_FLIGHT) | CORE(FROM_DEVICE) | RETIRED(LOADS_TO_OWN))

#define L2_LOAD_MISS  (CORE(LLC_LOAD) | CORE(FLIGHT_LOAD))
#define L2_STORE_MISS (CORE(LLC_STORE) | CORE(FLIGHT_STORE))
#define L2_FETCH_MISS (CORE(LLC_FETCH) | CORE(FLIGHT_FETCH))
#define L2_LOADS      (CORE(L2_LOAD_HIT) | L2_LOAD_MISS)
#define L2_STORES     (CORE(L2_STORE_HIT) | L2_STORE_MISS)
#define L2_FETCHES    (CORE(L2_FETCH_HIT) | L2_FETCH_MISS)
#define L2_PREFETCHES (CORE(L2_PREFETCH_HIT) | CORE(LLC_PREFETCH))
#define L2_MISSES     (L2_LOAD_MISS | L2_STORE_MISS | L2_FETCH_MISS)
#define L2_ALL        (L2_LOADS | L2_STORES | L2_FETCHES)
#define L2_TRANSACTIONS                                                                            \
    (L2_ALL | L2_PREFETCHES | CORE(L1D_WRITE_BACKS) | CORE(L2_FILLS) | CORE(L2_WRITE_BACKS))
/* Lines that are filled into L1D. Subtract requests that fill nothing there. */
#define L1D_FILLS (L2_LOADS | L2_STORES | CORE(L2_PREFETCH_HIT))
#define LLC_ALL   (CORE(LLC_LOAD) | CORE(LLC_STORE) | CORE(LLC_FETCH) | CORE(LLC_PREFETCH))
#define LLC_MISSES                                                                                 \
    (CORE(LLC_MISS_LOAD) | CORE(LLC_MISS_STORE) | CORE(LLC_MISS_FETCH) | CORE(LLC_MISS_PREFETCH))

#define LOAD_WALKS  (OF_LOADS(WALKS) | OF_LOADS(WALKS_2M))
#define STORE_WALKS (OF_STORES(WALKS) | OF_STORES(WALKS_2M))
#define FETCH_WALKS (OF_FETCHES(WALKS) | OF_FETCHES(WALKS_2M))

/* Sets of mispredicted branches. Direct jumps and calls never are. */
#define MISSED(c)   (UINT64_C(1) << BX_MISS_##c)
#define MISSED_COND (MISSED(NOT_TAKEN) | MISSED(TAKEN))
#define MISSED_ALL  ((uint64_t)BX_BRANCH_MISS_SET)

#define SSE_SINGLE  (RETIRED(SCALAR_SINGLE) | RETIRED(PACKED_SINGLE))
#define SSE_DOUBLE  (RETIRED(SCALAR_DOUBLE) | RETIRED(PACKED_DOUBLE))
#define SSE_SCALAR  (RETIRED(SCALAR_SINGLE) | RETIRED(SCALAR_DOUBLE))
#define SSE_PACKED  (RETIRED(PACKED_SINGLE) | RETIRED(PACKED_DOUBLE))

/* Counts that lackey's text does not contain. */
#define ONLY_OUR_TRACER                                                                            \
    (((UINT64_C(1) << BX_RETIRED_COUNTS) - 1) &                                                    \
     ~(RETIRED(INSTRUCTIONS) | LOADS | STORES | RETIRED(SPLIT_LOADS) | RETIRED(SPLIT_STORES) |     \
       RETIRED(LOADS_TO_OWN)))

/* Their names, in the words of docs/explanation/model-core-counters.md. */
static const char *const count_names[BX_CORE_COUNTS] = {
    [BX_RETIRED_INSTRUCTIONS] = "instructions",
    [BX_RETIRED_BRANCHES] = "branches",
    [BX_RETIRED_CONDITIONAL] = "conditional branches",
    [BX_RETIRED_JUMPS] = "jumps",
    [BX_RETIRED_INDIRECT_JUMPS] = "indirect jumps",
    [BX_RETIRED_CALLS] = "calls",
    [BX_RETIRED_INDIRECT_CALLS] = "indirect calls",
    [BX_RETIRED_RETURNS] = "returns",
    [BX_RETIRED_TAKEN] = "taken branches",
    [BX_RETIRED_CONDITIONAL_TAKEN] = "taken conditional branches",
    [BX_RETIRED_LOADS] = "loads",
    [BX_RETIRED_STORES] = "stores",
    [BX_RETIRED_LOCKED_LOADS] = "loads of locked operations",
    [BX_RETIRED_LOADS_TO_OWN] = "loads that ask for ownership",
    [BX_RETIRED_SPLIT_LOADS] = "second accesses of split loads",
    [BX_RETIRED_SPLIT_STORES] = "second accesses of split stores",
    [BX_RETIRED_NON_TEMPORAL] = "non-temporal stores",
    [BX_RETIRED_SCALAR_SINGLE] = "scalar SSE instructions in single precision",
    [BX_RETIRED_SCALAR_DOUBLE] = "scalar SSE instructions in double precision",
    [BX_RETIRED_PACKED_SINGLE] = "packed SSE instructions in single precision",
    [BX_RETIRED_PACKED_DOUBLE] = "packed SSE instructions in double precision",
    [BX_RETIRED_PACKED_SINGLE_256] = "packed instructions of 256 bits in single precision",
    [BX_RETIRED_PACKED_DOUBLE_256] = "packed instructions of 256 bits in double precision",
    [BX_RETIRED_X87] = "x87 instructions",
    [BX_RETIRED_STLB_HITS] = "loads found in the second TLB",
    [BX_RETIRED_STLB_HITS + 1] = "stores found in the second TLB",
    [BX_RETIRED_STLB_HITS + 2] = "fetches found in the second TLB",
    [BX_RETIRED_WALKS] = "page walks of loads",
    [BX_RETIRED_WALKS + 1] = "page walks of stores",
    [BX_RETIRED_WALKS + 2] = "page walks of fetches",
    [BX_RETIRED_WALKS_2M] = "page walks of loads to huge pages",
    [BX_RETIRED_WALKS_2M + 1] = "page walks of stores to huge pages",
    [BX_RETIRED_WALKS_2M + 2] = "page walks of fetches to huge pages",
    [BX_RETIRED_TLB_CYCLES] = "cycles of waiting for a translation",
    [BX_CORE_L2_LOAD_HIT] = "L2 hits of loads",
    [BX_CORE_FROM_L2] = "loads from L2",
    [BX_CORE_L2_STORE_HIT] = "L2 hits of stores",
    [BX_CORE_L2_FETCH_HIT] = "L2 hits of fetches",
    [BX_CORE_L2_PREFETCH_HIT] = "L2 hits of prefetches",
    [BX_CORE_L1D_WRITE_BACKS] = "write-backs of L1D",
    [BX_CORE_LLC_LOAD] = "requests of loads to the LLC",
    [BX_CORE_LLC_STORE] = "requests of stores to the LLC",
    [BX_CORE_LLC_FETCH] = "requests of fetches to the LLC",
    [BX_CORE_LLC_PREFETCH] = "requests of prefetches to the LLC",
    [BX_CORE_FLIGHT_LOAD] = "loads of lines on their way to L2",
    [BX_CORE_FLIGHT_STORE] = "stores to lines on their way to L2",
    [BX_CORE_FLIGHT_FETCH] = "fetches of lines on their way to L2",
    [BX_CORE_FROM_FLIGHT] = "loads from lines on their way",
    [BX_CORE_FROM_LLC] = "loads from the LLC without a snoop",
    [BX_CORE_FROM_LLC_SNOOP_MISS] = "loads from the LLC (the snooped core has no copy)",
    [BX_CORE_FROM_CORE_CLEAN] = "loads from the LLC (the snooped core has a clean copy)",
    [BX_CORE_FROM_CORE_DIRTY] = "loads from the LLC (the snooped core has a modified copy)",
    [BX_CORE_FROM_PACKAGE_CLEAN] = "loads from another package (clean)",
    [BX_CORE_FROM_PACKAGE_DIRTY] = "loads from another package (modified)",
    [BX_CORE_FROM_MEMORY] = "loads from memory",
    [BX_CORE_FROM_REMOTE_MEMORY] = "loads from remote memory",
    [BX_CORE_FROM_DEVICE] = "loads of a device's registers",
    [BX_CORE_NO_L1D_FILL] = "requests that fill no line into L1D",
    [BX_CORE_L2_FILLS] = "fills of L2",
    [BX_CORE_L2_WRITE_BACKS] = "write-backs of L2",
    [BX_CORE_LLC_MISS_LOAD] = "LLC misses of loads",
    [BX_CORE_LLC_MISS_STORE] = "LLC misses of stores",
    [BX_CORE_LLC_MISS_FETCH] = "LLC misses of fetches",
    [BX_CORE_LLC_MISS_PREFETCH] = "LLC misses of prefetches",
};

static const char *const request_names[BX_OUTSTANDINGS] = {
    [BX_OUTSTANDING_LOAD] = "outstanding requests of loads",
    [BX_OUTSTANDING_STORE] = "outstanding requests of stores",
    [BX_OUTSTANDING_FETCH] = "outstanding requests of fetches",
    [BX_OUTSTANDING_LOAD_LLC_MISS] = "outstanding requests of loads that the LLC does not have",
    [BX_OUTSTANDING_BEYOND_L2] = "outstanding loads that L2 does not have",
    [BX_OUTSTANDING_BEYOND_LLC] = "outstanding loads that the LLC does not have",
};

/* Counts of whole blocks are not known in single cycles. */
static const struct bx_tallies counts = {
    .reader = &bx_read_core_counts,
    .axis = {{count_names, BX_CORE_COUNTS, 0}},
    .of_remarks = ONLY_OUR_TRACER,
    .no_levels = (UINT64_C(1) << BX_RETIRED_COUNTS) - 1,

};
static const struct bx_tallies missed = {
    .reader = &bx_read_core_missed,
    .axis = {{bx_branch_miss_names, BX_BRANCH_MISSES, 0}},
    .of_remarks = UINT64_MAX,
    .no_levels = UINT64_MAX,
    .needs = BX_CORE_HAS_PREDICTOR,
};
static const struct bx_tallies cycles = {
    "unhalted cycles",
    .reader = &bx_read_core_levels,
};
/* A tick has no single number of requests, because a cycle of the uncore has several ticks or
 * none. */
static const struct bx_tallies requests = {
    .reader = &bx_read_core_levels,
    .axis = {{request_names, BX_OUTSTANDINGS, 0}},
    .no_levels = UINT64_MAX,

};
static const struct bx_tallies waits = {.reader = &bx_read_core_levels,
                                        .axis = {{request_names, BX_OUTSTANDINGS, 0}}};

#define OUTSTANDING(of) SET(BX_OUTSTANDING_##of)

/* Sources of codes and unit masks: intel/perfmon, SKL skylake_core.json, IVT ivytown_core.json and
 * NHM-EX NehalemEX_core.json. This table has the events that are the same in all three. */
static const struct bx_row of_all[] = {
    {0x2e, IS(0x41), &counts, LLC_MISSES},
    {0x2e, IS(0x4f), &counts, LLC_ALL},
    {0x3c, IS(0x00), &cycles, .what = BX_CORE_UNHALTED},
    {0x51, IS(0x01), &counts, L1D_FILLS, CORE(NO_L1D_FILL)},
    {0xc0, IS(0x00), &counts, RETIRED(INSTRUCTIONS)}, /* NHM-EX: from the SDM, as C4H, 00H */
    {0xc0, IS(0x01), &counts, RETIRED(INSTRUCTIONS)},
    {0xc4, IS(0x00), &counts, BRANCHES},
    {0xc4, IS(0x01), &counts, RETIRED(CONDITIONAL)},
    {0xc4, IS(0x02), &counts, ALL_CALLS},
    {0xc4, IS(0x04), &counts, BRANCHES},
    {0xc5, IS(0x00), &missed, MISSED_ALL},
    {0xc5, IS(0x01), &missed, MISSED_COND},
    {0xc5, IS(0x02), &missed, MISSED(INDIRECT_CALL)},
    {0xc5, IS(0x04), &missed, MISSED_ALL},
    {0x309, IS(0), &counts, RETIRED(INSTRUCTIONS)},
    {0x30a, IS(0), &cycles, .what = BX_CORE_UNHALTED},
    {0x30b, IS(0), &cycles, .what = BX_CORE_REFERENCE},
};

/* Events that are the same in IVT and SKL. */
static const struct bx_row since_ivy_bridge[] = {
    {0x49, IS(0x01), &counts, STORE_WALKS},
    {0x60, IS(0x01), &requests, OUTSTANDING(LOAD), .what = BX_CORE_REQUESTS},
    {0x60, IS(0x01), &waits, OUTSTANDING(LOAD), .what = BX_CORE_ANY, .threshold = 1},
    {0x60, IS(0x02), &requests, OUTSTANDING(FETCH), .what = BX_CORE_REQUESTS},
    {0x60, IS(0x02), &waits, OUTSTANDING(FETCH), .what = BX_CORE_ANY, .threshold = 1},
    {0x60, IS(0x04), &requests, OUTSTANDING(STORE), .what = BX_CORE_REQUESTS},
    {0x60, IS(0x04), &waits, OUTSTANDING(STORE), .what = BX_CORE_ANY, .threshold = 1},
    {0x85, IS(0x01), &counts, FETCH_WALKS},
    {0xa3, IS(0x01), &waits, OUTSTANDING(BEYOND_L2), .what = BX_CORE_ANY, .threshold = 1},
    {0xa3, IS(0x05), &waits, OUTSTANDING(BEYOND_L2), .what = BX_CORE_STALLED, .threshold = 5},
    {0xb0, HAS(0x01), &counts, CORE(LLC_LOAD)},
    {0xb0, HAS(0x02), &counts, CORE(LLC_FETCH)},
    {0xb0, HAS(0x04), &counts, CORE(LLC_STORE)},
    {0xc4, IS(0x08), &counts, RETIRED(RETURNS)},
    {0xc4, IS(0x10), &counts, RETIRED(CONDITIONAL), RETIRED(CONDITIONAL_TAKEN)},
    {0xc4, IS(0x20), &counts, RETIRED(TAKEN)},
    {0xc5, IS(0x20), &missed, MISSED_ALL & ~MISSED(NOT_TAKEN)},
    {0xd0, IS(0x11), &counts, LOAD_WALKS},
    {0xd0, IS(0x12), &counts, STORE_WALKS},
    {0xd0, IS(0x21), &counts, RETIRED(LOCKED_LOADS)},
    {0xd0, IS(0x41), &counts, RETIRED(SPLIT_LOADS)},
    {0xd0, IS(0x42), &counts, RETIRED(SPLIT_STORES)},
    {0xd0, IS(0x81), &counts, LOADS},
    {0xd0, IS(0x82), &counts, STORES},
    {0xd1, HAS(0x01), &counts, L1_HITS, NO_L1_HIT},
    {0xd1, HAS(0x02), &counts, CORE(FROM_L2)},
    {0xd1, HAS(0x04), &counts, FROM_LLC},
    {0xd1, HAS(0x08), &counts, BEYOND_L1},
    {0xd1, HAS(0x10), &counts, BEYOND_L2},
    {0xd1, HAS(0x20), &counts, FROM_PACKAGES},
    {0xd1, HAS(0x40), &counts, CORE(FROM_FLIGHT)},
    {0xd2, HAS(0x01), &counts, CORE(FROM_LLC_SNOOP_MISS)},
    {0xd2, HAS(0x02), &counts, CORE(FROM_CORE_CLEAN)},
    {0xd2, HAS(0x04), &counts, CORE(FROM_CORE_DIRTY)},
    {0xd2, HAS(0x08), &counts, CORE(FROM_LLC)},
};

/* Events that are the same in IVT and NHM-EX. */
static const struct bx_row before_skylake[] = {
    {0x24, HAS(0x01), &counts, CORE(L2_LOAD_HIT)},
    {0x24, HAS(0x02), &counts, L2_LOAD_MISS},
    {0x24, HAS(0x04), &counts, CORE(L2_STORE_HIT)},
    {0x24, HAS(0x08), &counts, L2_STORE_MISS},
    {0x24, HAS(0x10), &counts, CORE(L2_FETCH_HIT)},
    {0x24, HAS(0x20), &counts, L2_FETCH_MISS},
    {0x24, HAS(0x40), &counts, CORE(L2_PREFETCH_HIT)},
    {0x24, HAS(0x80), &counts, CORE(LLC_PREFETCH)},
    {0x27, IS(0x0f), &counts, L2_STORES},
    {0x80, IS(0x02), &counts, L2_FETCHES},
    {0x85, IS(0x02), &counts, FETCH_WALKS},
    {0xf0, HAS(0x01), &counts, L2_LOADS},
    {0xf0, HAS(0x02), &counts, L2_STORES},
    {0xf0, HAS(0x04), &counts, L2_FETCHES},
    {0xf0, HAS(0x08), &counts, L2_PREFETCHES},
    {0xf0, HAS(0x10), &counts, CORE(L1D_WRITE_BACKS)},
    {0xf0, HAS(0x20), &counts, CORE(L2_FILLS)},
    {0xf0, HAS(0x40), &counts, CORE(L2_WRITE_BACKS)},
    {0xf0, HAS(0x80), &counts, L2_TRANSACTIONS},
    {0xf1, IS(0x07), &counts, CORE(L2_FILLS)},
};

/* Events of SKL only. 51H, 04H and F0H, 80H are Haswell's (hsw); LIKWID also has them on
 * Skylake. */
static const struct bx_row skylake[] = {
    {0x08, IS(0x01), &counts, LOAD_WALKS},
    {0x08, HAS(0x02), &counts, OF_LOADS(WALKS)},
    {0x08, HAS(0x04), &counts, OF_LOADS(WALKS_2M)},
    {0x08, IS(0x0e), &counts, LOAD_WALKS}, /* 08H: pages of 1 GiB, which the model lacks */
    {0x08, HAS(0x20), &counts, OF_LOADS(STLB_HITS)},
    {0x24, IS(0x21), &counts, L2_LOAD_MISS},
    {0x24, IS(0x22), &counts, L2_STORE_MISS},
    {0x24, IS(0x24), &counts, L2_FETCH_MISS},
    {0x24, IS(0x27), &counts, L2_MISSES},
    {0x24, IS(0x38), &counts, CORE(LLC_PREFETCH)},
    {0x24, IS(0x3f), &counts, L2_MISSES | CORE(LLC_PREFETCH)},
    {0x24, IS(0xc1), &counts, CORE(L2_LOAD_HIT)},
    {0x24, IS(0xc2), &counts, CORE(L2_STORE_HIT)},
    {0x24, IS(0xc4), &counts, CORE(L2_FETCH_HIT)},
    {0x24, IS(0xd8), &counts, CORE(L2_PREFETCH_HIT)},
    {0x24, IS(0xe1), &counts, L2_LOADS},
    {0x24, IS(0xe2), &counts, L2_STORES},
    {0x24, IS(0xe4), &counts, L2_FETCHES},
    {0x24, IS(0xe7), &counts, L2_ALL},
    {0x24, IS(0xf8), &counts, L2_PREFETCHES},
    {0x24, IS(0xff), &counts, L2_ALL | L2_PREFETCHES},
    {0x49, HAS(0x02), &counts, OF_STORES(WALKS)},
    {0x49, HAS(0x04), &counts, OF_STORES(WALKS_2M)},
    {0x49, IS(0x0e), &counts, STORE_WALKS},
    {0x49, HAS(0x20), &counts, OF_STORES(STLB_HITS)},
    {0x51, IS(0x04), &counts, CORE(L1D_WRITE_BACKS)},
    {0x60, IS(0x10), &requests, OUTSTANDING(LOAD_LLC_MISS), .what = BX_CORE_REQUESTS},
    {0x60, IS(0x10), &waits, OUTSTANDING(LOAD_LLC_MISS), .what = BX_CORE_ANY, .threshold = 1},
    {0x83, IS(0x02), &counts, L2_FETCHES},
    {0x89, IS(0xe4), &missed, MISSED(INDIRECT_JUMP) | MISSED(INDIRECT_CALL)},
    {0x89, IS(0xff), &missed, MISSED_ALL},
    {0x85, HAS(0x02), &counts, OF_FETCHES(WALKS)},
    {0x85, HAS(0x04), &counts, OF_FETCHES(WALKS_2M)},
    {0x85, IS(0x0e), &counts, FETCH_WALKS},
    {0x85, HAS(0x20), &counts, OF_FETCHES(STLB_HITS)},
    {0xa3, IS(0x02), &waits, OUTSTANDING(BEYOND_LLC), .what = BX_CORE_ANY, .threshold = 2},
    {0xa3, IS(0x06), &waits, OUTSTANDING(BEYOND_LLC), .what = BX_CORE_STALLED, .threshold = 6},
    {0xb0, HAS(0x10), &counts, CORE(LLC_MISS_LOAD)},
    {0xc7, HAS(0x01), &counts, RETIRED(SCALAR_DOUBLE)},
    {0xc7, HAS(0x02), &counts, RETIRED(SCALAR_SINGLE)},
    {0xc7, HAS(0x04), &counts, RETIRED(PACKED_DOUBLE)},
    {0xc7, HAS(0x08), &counts, RETIRED(PACKED_SINGLE)},
    {0xc7, HAS(0x10), &counts, RETIRED(PACKED_DOUBLE_256)},
    {0xc7, HAS(0x20), &counts, RETIRED(PACKED_SINGLE_256)},
    {0xc7, HAS(0x40), NOTHING}, /* of 512 bits */
    {0xc7, HAS(0x80), NOTHING},
    {0xd0, IS(0x83), &counts, LOADS | STORES},
    {0xf0, IS(0x40), &counts, CORE(L2_WRITE_BACKS)},
    {0xf0, IS(0x80), &counts, L2_TRANSACTIONS},
    {0xf1, IS(0x1f), &counts, CORE(L2_FILLS)},
    {0xf2, IS(0x02), &counts, CORE(L2_WRITE_BACKS)},
};

/* Events of IVT only. 88H: in the model, all executed branches retire. */
static const struct bx_row ivy_bridge[] = {
    {0x05, HAS(0x01), &counts, RETIRED(SPLIT_LOADS)},
    {0x05, HAS(0x02), &counts, RETIRED(SPLIT_STORES)},
    {0x08, IS(0x81), &counts, LOAD_WALKS},
    {0x08, IS(0x82), &counts, LOAD_WALKS},
    {0x08, IS(0x88), &counts, OF_LOADS(WALKS_2M)},
    {0x10, HAS(0x01), &counts, RETIRED(X87)},
    {0x10, HAS(0x10), &counts, RETIRED(PACKED_DOUBLE)},
    {0x10, HAS(0x20), &counts, RETIRED(SCALAR_SINGLE)},
    {0x10, HAS(0x40), &counts, RETIRED(PACKED_SINGLE)},
    {0x10, HAS(0x80), &counts, RETIRED(SCALAR_DOUBLE)},
    {0x11, HAS(0x01), &counts, RETIRED(PACKED_SINGLE_256)},
    {0x11, HAS(0x02), &counts, RETIRED(PACKED_DOUBLE_256)},
    {0x49, IS(0x02), &counts, STORE_WALKS},
    {0x49, IS(0x10), &counts, OF_STORES(STLB_HITS)},
    {0x5f, IS(0x04), &counts, OF_LOADS(STLB_HITS)},
    {0x85, IS(0x10), &counts, OF_FETCHES(STLB_HITS)},
    {0x85, IS(0x80), &counts, OF_FETCHES(WALKS_2M)},
    {0x88, IS(0x41), &counts, RETIRED(CONDITIONAL), RETIRED(CONDITIONAL_TAKEN)},
    {0x88, IS(0x81), &counts, RETIRED(CONDITIONAL_TAKEN)},
    {0x88, IS(0x82), &counts, RETIRED(JUMPS)},
    {0x88, IS(0x84), &counts, RETIRED(INDIRECT_JUMPS)},
    {0x88, IS(0x88), &counts, RETIRED(RETURNS)},
    {0x88, IS(0x90), &counts, RETIRED(CALLS)},
    {0x88, IS(0xa0), &counts, RETIRED(INDIRECT_CALLS)},
    {0x88, IS(0xc1), &counts, RETIRED(CONDITIONAL)},
    {0x88, IS(0xc2), &counts, RETIRED(JUMPS)},
    {0x88, IS(0xc4), &counts, RETIRED(INDIRECT_JUMPS)},
    {0x88, IS(0xc8), &counts, RETIRED(RETURNS)},
    {0x88, IS(0xd0), &counts, RETIRED(CALLS)},
    {0x88, IS(0xff), &counts, BRANCHES},
    {0x89, IS(0x41), &missed, MISSED(NOT_TAKEN)},
    {0x89, IS(0x81), &missed, MISSED(TAKEN)},
    {0x89, IS(0x84), &missed, MISSED(INDIRECT_JUMP)},
    {0x89, IS(0x88), &missed, MISSED(RETURN)},
    {0x89, IS(0xa0), &missed, MISSED(INDIRECT_CALL)},
    {0x89, IS(0xc1), &missed, MISSED_COND},
    {0x89, IS(0xc4), &missed, MISSED(INDIRECT_JUMP)},
    {0x89, IS(0xe4), &missed, MISSED_ALL & ~MISSED_COND},
    {0x89, IS(0xff), &missed, MISSED_ALL},
    /* 80H is all of them, and each counts once; Linux programs these for L1-dcache-loads, -stores
     */
    {0xd0, IS(0xf1), &counts, LOADS},
    {0xd0, IS(0xf2), &counts, STORES},
    {0xd3, IS(0x03), &counts, CORE(FROM_MEMORY)},
    {0xd3, IS(0x0c), &counts, CORE(FROM_REMOTE_MEMORY)},
    {0xd3, IS(0x10), &counts, CORE(FROM_PACKAGE_DIRTY)},
    {0xd3, IS(0x20), &counts, CORE(FROM_PACKAGE_CLEAN)},
    {0xf2, IS(0x0a), &counts, CORE(L2_WRITE_BACKS)},
};

/* Events of NHM-EX only. 88H: as for IVT. */
static const struct bx_row nehalem[] = {
    {0x08, IS(0x01), &counts, LOAD_WALKS | OF_LOADS(STLB_HITS)},
    {0x08, HAS(0x02), &counts, LOAD_WALKS},
    {0x08, HAS(0x10), &counts, OF_LOADS(STLB_HITS)},
    {0x0b, HAS(0x01), &counts, LOADS},
    {0x0b, HAS(0x02), &counts, STORES},
    {0x10, IS(0x01), &counts, RETIRED(X87)},
    {0x10, IS(0x04), &counts, SSE_SINGLE | SSE_DOUBLE},
    {0x10, IS(0x10), &counts, SSE_PACKED},
    {0x10, IS(0x20), &counts, SSE_SCALAR},
    {0x10, IS(0x40), &counts, SSE_SINGLE},
    {0x10, IS(0x80), &counts, SSE_DOUBLE},
    {0x49, IS(0x01), &counts,
     LOAD_WALKS | STORE_WALKS | OF_LOADS(STLB_HITS) | OF_STORES(STLB_HITS)},
    {0x49, HAS(0x02), &counts, LOAD_WALKS | STORE_WALKS},
    {0x49, HAS(0x10), &counts, OF_LOADS(STLB_HITS) | OF_STORES(STLB_HITS)},
    {0x51, HAS(0x04), &counts, CORE(L1D_WRITE_BACKS)},
    {0x85, IS(0x01), &counts, FETCH_WALKS | OF_FETCHES(STLB_HITS)},
    {0x88, HAS(0x01), &counts, RETIRED(CONDITIONAL)},
    {0x88, HAS(0x02), &counts, RETIRED(JUMPS)},
    {0x88, HAS(0x04), &counts, RETIRED(INDIRECT_JUMPS)},
    {0x88, HAS(0x08), &counts, RETIRED(RETURNS)},
    {0x88, HAS(0x10), &counts, RETIRED(CALLS)},
    {0x88, HAS(0x20), &counts, RETIRED(INDIRECT_CALLS)},
    {0x88, IS(0x40), &counts, RETIRED(TAKEN)},
    {0x88, IS(0x7f), &counts, BRANCHES},
    {0x89, IS(0x07), &missed, MISSED_COND | MISSED(INDIRECT_JUMP)},
    {0x89, IS(0x30), &missed, MISSED(INDIRECT_CALL)},
    {0x89, HAS(0x01), &missed, MISSED_COND},
    {0x89, HAS(0x04), &missed, MISSED(INDIRECT_JUMP)},
    {0x89, HAS(0x08), &missed, MISSED(RETURN)},
    {0x89, HAS(0x20), &missed, MISSED(INDIRECT_CALL)},
    {0x89, IS(0x40), &missed, MISSED_ALL & ~MISSED(NOT_TAKEN)},
    {0x89, IS(0x7f), &missed, MISSED_ALL},
    {0xcb, HAS(0x01), &counts, L1_HITS, NO_L1_HIT},
    {0xcb, HAS(0x02), &counts, CORE(FROM_L2)},
    {0xcb, HAS(0x04), &counts, CORE(FROM_LLC) | CORE(FROM_LLC_SNOOP_MISS)},
    {0xcb, HAS(0x08), &counts, FROM_CORES},
    {0xcb, HAS(0x10), &counts, FROM_PACKAGES},
    {0xcb, HAS(0x40), &counts, CORE(FROM_FLIGHT)},
    {0xe0, IS(0x01), &counts, BRANCHES},
};

const struct bx_box_signals bx_core_skylake = {
    {BX_ROWS(skylake), BX_ROWS(since_ivy_bridge), BX_ROWS(of_all)}, .of_user = true};
const struct bx_box_signals bx_core_ivy_bridge = {
    {BX_ROWS(ivy_bridge), BX_ROWS(since_ivy_bridge), BX_ROWS(before_skylake), BX_ROWS(of_all)},
    .of_user = true};
const struct bx_box_signals bx_core_nehalem = {
    {BX_ROWS(nehalem), BX_ROWS(before_skylake), BX_ROWS(of_all)}, .of_user = true};
