/* The table of core events of each processor, and how a selection is resolved with it. */
#include "model/core/core_events.h"

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
#define NO_L1_HIT     (BEYOND_L1 | CORE(FROM_FLIGHT) | RETIRED(LOADS_TO_OWN))

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
/* Lines that are filled into L1D. Subtract stores that only ask for ownership: they fill
 * nothing. */
#define L1D_FILLS (L2_LOADS | L2_STORES | CORE(L2_PREFETCH_HIT))
#define LLC_ALL   (CORE(LLC_LOAD) | CORE(LLC_STORE) | CORE(LLC_FETCH) | CORE(LLC_PREFETCH))
#define LLC_MISSES                                                                                 \
    (CORE(LLC_MISS_LOAD) | CORE(LLC_MISS_STORE) | CORE(LLC_MISS_FETCH) | CORE(LLC_MISS_PREFETCH))

#define LOAD_WALKS  (OF_LOADS(WALKS) | OF_LOADS(WALKS_2M))
#define STORE_WALKS (OF_STORES(WALKS) | OF_STORES(WALKS_2M))
#define FETCH_WALKS (OF_FETCHES(WALKS) | OF_FETCHES(WALKS_2M))

#define SSE_SINGLE  (RETIRED(SCALAR_SINGLE) | RETIRED(PACKED_SINGLE))
#define SSE_DOUBLE  (RETIRED(SCALAR_DOUBLE) | RETIRED(PACKED_DOUBLE))
#define SSE_SCALAR  (RETIRED(SCALAR_SINGLE) | RETIRED(SCALAR_DOUBLE))
#define SSE_PACKED  (RETIRED(PACKED_SINGLE) | RETIRED(PACKED_DOUBLE))

/* Counts that lackey's text does not contain. */
#define ONLY_OUR_TRACER                                                                            \
    (((UINT64_C(1) << BX_RETIRED_COUNTS) - 1) &                                                    \
     ~(RETIRED(INSTRUCTIONS) | LOADS | STORES | RETIRED(SPLIT_LOADS) | RETIRED(SPLIT_STORES) |     \
       RETIRED(LOADS_TO_OWN)))

/* Columns of the tables below: code, unit mask, kind, plus, minus, threshold. */
#define COUNTS           BX_CORE_EVENT_COUNTS
#define BITS             BX_CORE_EVENT_BITS
#define CYCLES           BX_CORE_EVENT_CYCLES
#define REFERENCE_CYCLES BX_CORE_EVENT_REFERENCE_CYCLES
#define REQUESTS         BX_CORE_EVENT_REQUESTS
#define ANY              BX_CORE_EVENT_ANY
#define STALLED          BX_CORE_EVENT_STALLED
#define OUTSTANDING(of)  (UINT64_C(1) << BX_OUTSTANDING_##of)

/* Sources of codes and unit masks: intel/perfmon, SKL skylake_core.json, IVT ivytown_core.json and
 * NHM-EX NehalemEX_core.json. This table has the events that are the same in all three. */
static const bx_core_event of_all[] = {
    {0x2e, 0x41, COUNTS, LLC_MISSES, 0},
    {0x2e, 0x4f, COUNTS, LLC_ALL, 0},
    {0x3c, 0x00, CYCLES, 0, 0},
    {0x51, 0x01, COUNTS, L1D_FILLS, CORE(STORE_UPGRADE)},
    {0xc0, 0x00, COUNTS, RETIRED(INSTRUCTIONS), 0}, /* NHM-EX: from the SDM, as C4H, 00H */
    {0xc0, 0x01, COUNTS, RETIRED(INSTRUCTIONS), 0},
    {0xc4, 0x00, COUNTS, BRANCHES, 0},
    {0xc4, 0x01, COUNTS, RETIRED(CONDITIONAL), 0},
    {0xc4, 0x02, COUNTS, ALL_CALLS, 0},
    {0xc4, 0x04, COUNTS, BRANCHES, 0},
    {0x309, 0, COUNTS, RETIRED(INSTRUCTIONS), 0},
    {0x30a, 0, CYCLES, 0, 0},
    {0x30b, 0, REFERENCE_CYCLES, 0, 0},
};

/* Events that are the same in IVT and SKL. */
static const bx_core_event since_ivy_bridge[] = {
    {0x49, 0x01, COUNTS, STORE_WALKS, 0},
    {0x60, 0x01, REQUESTS, OUTSTANDING(LOAD), 0},
    {0x60, 0x01, ANY, OUTSTANDING(LOAD), 0, 1},
    {0x60, 0x02, REQUESTS, OUTSTANDING(FETCH), 0},
    {0x60, 0x02, ANY, OUTSTANDING(FETCH), 0, 1},
    {0x60, 0x04, REQUESTS, OUTSTANDING(STORE), 0},
    {0x60, 0x04, ANY, OUTSTANDING(STORE), 0, 1},
    {0x85, 0x01, COUNTS, FETCH_WALKS, 0},
    {0xa3, 0x01, ANY, OUTSTANDING(BEYOND_L2), 0, 1},
    {0xa3, 0x05, STALLED, OUTSTANDING(BEYOND_L2), 0, 5},
    {0xb0, 0x01, BITS, CORE(LLC_LOAD), 0},
    {0xb0, 0x02, BITS, CORE(LLC_FETCH), 0},
    {0xb0, 0x04, BITS, CORE(LLC_STORE), 0},
    {0xc4, 0x08, COUNTS, RETIRED(RETURNS), 0},
    {0xc4, 0x10, COUNTS, RETIRED(CONDITIONAL), RETIRED(CONDITIONAL_TAKEN)},
    {0xc4, 0x20, COUNTS, RETIRED(TAKEN), 0},
    {0xd0, 0x11, COUNTS, LOAD_WALKS, 0},
    {0xd0, 0x12, COUNTS, STORE_WALKS, 0},
    {0xd0, 0x21, COUNTS, RETIRED(LOCKED_LOADS), 0},
    {0xd0, 0x41, COUNTS, RETIRED(SPLIT_LOADS), 0},
    {0xd0, 0x42, COUNTS, RETIRED(SPLIT_STORES), 0},
    {0xd0, 0x81, COUNTS, LOADS, 0},
    {0xd0, 0x82, COUNTS, STORES, 0},
    {0xd1, 0x01, BITS, L1_HITS, NO_L1_HIT},
    {0xd1, 0x02, BITS, CORE(FROM_L2), 0},
    {0xd1, 0x04, BITS, FROM_LLC, 0},
    {0xd1, 0x08, BITS, BEYOND_L1, 0},
    {0xd1, 0x10, BITS, BEYOND_L2, 0},
    {0xd1, 0x20, BITS, FROM_PACKAGES, 0},
    {0xd1, 0x40, BITS, CORE(FROM_FLIGHT), 0},
    {0xd2, 0x01, BITS, CORE(FROM_LLC_SNOOP_MISS), 0},
    {0xd2, 0x02, BITS, CORE(FROM_CORE_CLEAN), 0},
    {0xd2, 0x04, BITS, CORE(FROM_CORE_DIRTY), 0},
    {0xd2, 0x08, BITS, CORE(FROM_LLC), 0},
};

/* Events that are the same in IVT and NHM-EX. */
static const bx_core_event before_skylake[] = {
    {0x24, 0x01, BITS, CORE(L2_LOAD_HIT), 0},
    {0x24, 0x02, BITS, L2_LOAD_MISS, 0},
    {0x24, 0x04, BITS, CORE(L2_STORE_HIT), 0},
    {0x24, 0x08, BITS, L2_STORE_MISS, 0},
    {0x24, 0x10, BITS, CORE(L2_FETCH_HIT), 0},
    {0x24, 0x20, BITS, L2_FETCH_MISS, 0},
    {0x24, 0x40, BITS, CORE(L2_PREFETCH_HIT), 0},
    {0x24, 0x80, BITS, CORE(LLC_PREFETCH), 0},
    {0x27, 0x0f, COUNTS, L2_STORES, 0},
    {0x80, 0x02, COUNTS, L2_FETCHES, 0},
    {0x85, 0x02, COUNTS, FETCH_WALKS, 0},
    {0xf0, 0x01, BITS, L2_LOADS, 0},
    {0xf0, 0x02, BITS, L2_STORES, 0},
    {0xf0, 0x04, BITS, L2_FETCHES, 0},
    {0xf0, 0x08, BITS, L2_PREFETCHES, 0},
    {0xf0, 0x10, BITS, CORE(L1D_WRITE_BACKS), 0},
    {0xf0, 0x20, BITS, CORE(L2_FILLS), 0},
    {0xf0, 0x40, BITS, CORE(L2_WRITE_BACKS), 0},
    {0xf0, 0x80, BITS, L2_TRANSACTIONS, 0},
    {0xf1, 0x07, COUNTS, CORE(L2_FILLS), 0},
};

/* Events of SKL only. 51H, 04H and F0H, 80H are Haswell's (hsw); LIKWID also has them on
 * Skylake. */
static const bx_core_event skylake[] = {
    {0x08, 0x01, COUNTS, LOAD_WALKS, 0},
    {0x08, 0x02, BITS, OF_LOADS(WALKS), 0},
    {0x08, 0x04, BITS, OF_LOADS(WALKS_2M), 0},
    {0x08, 0x08, BITS, 0, 0}, /* pages of 1 GiB: the model has none */
    {0x08, 0x20, BITS, OF_LOADS(STLB_HITS), 0},
    {0x24, 0x21, COUNTS, L2_LOAD_MISS, 0},
    {0x24, 0x22, COUNTS, L2_STORE_MISS, 0},
    {0x24, 0x24, COUNTS, L2_FETCH_MISS, 0},
    {0x24, 0x27, COUNTS, L2_MISSES, 0},
    {0x24, 0x38, COUNTS, CORE(LLC_PREFETCH), 0},
    {0x24, 0x3f, COUNTS, L2_MISSES | CORE(LLC_PREFETCH), 0},
    {0x24, 0xc1, COUNTS, CORE(L2_LOAD_HIT), 0},
    {0x24, 0xc2, COUNTS, CORE(L2_STORE_HIT), 0},
    {0x24, 0xc4, COUNTS, CORE(L2_FETCH_HIT), 0},
    {0x24, 0xd8, COUNTS, CORE(L2_PREFETCH_HIT), 0},
    {0x24, 0xe1, COUNTS, L2_LOADS, 0},
    {0x24, 0xe2, COUNTS, L2_STORES, 0},
    {0x24, 0xe4, COUNTS, L2_FETCHES, 0},
    {0x24, 0xe7, COUNTS, L2_ALL, 0},
    {0x24, 0xf8, COUNTS, L2_PREFETCHES, 0},
    {0x24, 0xff, COUNTS, L2_ALL | L2_PREFETCHES, 0},
    {0x49, 0x02, BITS, OF_STORES(WALKS), 0},
    {0x49, 0x04, BITS, OF_STORES(WALKS_2M), 0},
    {0x49, 0x08, BITS, 0, 0},
    {0x49, 0x20, BITS, OF_STORES(STLB_HITS), 0},
    {0x51, 0x04, COUNTS, CORE(L1D_WRITE_BACKS), 0},
    {0x60, 0x10, REQUESTS, OUTSTANDING(LOAD_LLC_MISS), 0},
    {0x60, 0x10, ANY, OUTSTANDING(LOAD_LLC_MISS), 0, 1},
    {0x83, 0x02, COUNTS, L2_FETCHES, 0},
    {0x85, 0x02, BITS, OF_FETCHES(WALKS), 0},
    {0x85, 0x04, BITS, OF_FETCHES(WALKS_2M), 0},
    {0x85, 0x08, BITS, 0, 0},
    {0x85, 0x20, BITS, OF_FETCHES(STLB_HITS), 0},
    {0xa3, 0x02, ANY, OUTSTANDING(BEYOND_LLC), 0, 2},
    {0xa3, 0x06, STALLED, OUTSTANDING(BEYOND_LLC), 0, 6},
    {0xb0, 0x10, BITS, CORE(LLC_MISS_LOAD), 0},
    {0xc7, 0x01, BITS, RETIRED(SCALAR_DOUBLE), 0},
    {0xc7, 0x02, BITS, RETIRED(SCALAR_SINGLE), 0},
    {0xc7, 0x04, BITS, RETIRED(PACKED_DOUBLE), 0},
    {0xc7, 0x08, BITS, RETIRED(PACKED_SINGLE), 0},
    {0xc7, 0x10, BITS, 0, 0}, /* of 256 bits: programs here see no AVX */
    {0xc7, 0x20, BITS, 0, 0},
    {0xc7, 0x40, BITS, 0, 0}, /* of 512 bits */
    {0xc7, 0x80, BITS, 0, 0},
    {0xd0, 0x83, COUNTS, LOADS | STORES, 0},
    {0xf0, 0x40, COUNTS, CORE(L2_WRITE_BACKS), 0},
    {0xf0, 0x80, COUNTS, L2_TRANSACTIONS, 0},
    {0xf1, 0x1f, COUNTS, CORE(L2_FILLS), 0},
    {0xf2, 0x02, COUNTS, CORE(L2_WRITE_BACKS), 0},
};

/* Events of IVT only. 88H: in the model, all executed branches retire. */
static const bx_core_event ivy_bridge[] = {
    {0x05, 0x01, BITS, RETIRED(SPLIT_LOADS), 0},
    {0x05, 0x02, BITS, RETIRED(SPLIT_STORES), 0},
    {0x08, 0x81, COUNTS, LOAD_WALKS, 0},
    {0x08, 0x82, COUNTS, LOAD_WALKS, 0},
    {0x08, 0x88, COUNTS, OF_LOADS(WALKS_2M), 0},
    {0x10, 0x01, BITS, RETIRED(X87), 0},
    {0x10, 0x10, BITS, RETIRED(PACKED_DOUBLE), 0},
    {0x10, 0x20, BITS, RETIRED(SCALAR_SINGLE), 0},
    {0x10, 0x40, BITS, RETIRED(PACKED_SINGLE), 0},
    {0x10, 0x80, BITS, RETIRED(SCALAR_DOUBLE), 0},
    {0x11, 0x01, BITS, 0, 0}, /* of 256 bits: programs here see no AVX */
    {0x11, 0x02, BITS, 0, 0},
    {0x49, 0x02, COUNTS, STORE_WALKS, 0},
    {0x49, 0x10, COUNTS, OF_STORES(STLB_HITS), 0},
    {0x5f, 0x04, COUNTS, OF_LOADS(STLB_HITS), 0},
    {0x85, 0x10, COUNTS, OF_FETCHES(STLB_HITS), 0},
    {0x85, 0x80, COUNTS, OF_FETCHES(WALKS_2M), 0},
    {0x88, 0x41, COUNTS, RETIRED(CONDITIONAL), RETIRED(CONDITIONAL_TAKEN)},
    {0x88, 0x81, COUNTS, RETIRED(CONDITIONAL_TAKEN), 0},
    {0x88, 0x82, COUNTS, RETIRED(JUMPS), 0},
    {0x88, 0x84, COUNTS, RETIRED(INDIRECT_JUMPS), 0},
    {0x88, 0x88, COUNTS, RETIRED(RETURNS), 0},
    {0x88, 0x90, COUNTS, RETIRED(CALLS), 0},
    {0x88, 0xa0, COUNTS, RETIRED(INDIRECT_CALLS), 0},
    {0x88, 0xc1, COUNTS, RETIRED(CONDITIONAL), 0},
    {0x88, 0xc2, COUNTS, RETIRED(JUMPS), 0},
    {0x88, 0xc4, COUNTS, RETIRED(INDIRECT_JUMPS), 0},
    {0x88, 0xc8, COUNTS, RETIRED(RETURNS), 0},
    {0x88, 0xd0, COUNTS, RETIRED(CALLS), 0},
    {0x88, 0xff, COUNTS, BRANCHES, 0},
    {0xd3, 0x03, COUNTS, CORE(FROM_MEMORY), 0},
    {0xd3, 0x0c, COUNTS, CORE(FROM_REMOTE_MEMORY), 0},
    {0xd3, 0x10, COUNTS, CORE(FROM_PACKAGE_DIRTY), 0},
    {0xd3, 0x20, COUNTS, CORE(FROM_PACKAGE_CLEAN), 0},
    {0xf2, 0x0a, COUNTS, CORE(L2_WRITE_BACKS), 0},
};

/* Events of NHM-EX only. 88H: as for IVT. */
static const bx_core_event nehalem[] = {
    {0x08, 0x01, COUNTS, LOAD_WALKS | OF_LOADS(STLB_HITS), 0},
    {0x08, 0x02, BITS, LOAD_WALKS, 0},
    {0x08, 0x10, BITS, OF_LOADS(STLB_HITS), 0},
    {0x0b, 0x01, BITS, LOADS, 0},
    {0x0b, 0x02, BITS, STORES, 0},
    {0x10, 0x01, COUNTS, RETIRED(X87), 0},
    {0x10, 0x04, COUNTS, SSE_SINGLE | SSE_DOUBLE, 0},
    {0x10, 0x10, COUNTS, SSE_PACKED, 0},
    {0x10, 0x20, COUNTS, SSE_SCALAR, 0},
    {0x10, 0x40, COUNTS, SSE_SINGLE, 0},
    {0x10, 0x80, COUNTS, SSE_DOUBLE, 0},
    {0x49, 0x01, COUNTS, LOAD_WALKS | STORE_WALKS | OF_LOADS(STLB_HITS) | OF_STORES(STLB_HITS), 0},
    {0x49, 0x02, BITS, LOAD_WALKS | STORE_WALKS, 0},
    {0x49, 0x10, BITS, OF_LOADS(STLB_HITS) | OF_STORES(STLB_HITS), 0},
    {0x51, 0x04, BITS, CORE(L1D_WRITE_BACKS), 0},
    {0x85, 0x01, COUNTS, FETCH_WALKS | OF_FETCHES(STLB_HITS), 0},
    {0x88, 0x01, BITS, RETIRED(CONDITIONAL), 0},
    {0x88, 0x02, BITS, RETIRED(JUMPS), 0},
    {0x88, 0x04, BITS, RETIRED(INDIRECT_JUMPS), 0},
    {0x88, 0x08, BITS, RETIRED(RETURNS), 0},
    {0x88, 0x10, BITS, RETIRED(CALLS), 0},
    {0x88, 0x20, BITS, RETIRED(INDIRECT_CALLS), 0},
    {0x88, 0x40, COUNTS, RETIRED(TAKEN), 0},
    {0x88, 0x7f, COUNTS, BRANCHES, 0},
    {0xcb, 0x01, BITS, L1_HITS, NO_L1_HIT},
    {0xcb, 0x02, BITS, CORE(FROM_L2), 0},
    {0xcb, 0x04, BITS, CORE(FROM_LLC) | CORE(FROM_LLC_SNOOP_MISS), 0},
    {0xcb, 0x08, BITS, FROM_CORES, 0},
    {0xcb, 0x10, BITS, FROM_PACKAGES, 0},
    {0xcb, 0x40, BITS, CORE(FROM_FLIGHT), 0},
    {0xe0, 0x01, COUNTS, BRANCHES, 0},
};

#define EVENTS(of)                                                                                 \
    {                                                                                              \
        of, sizeof of / sizeof *of                                                                 \
    }
const bx_core_events bx_core_events_skylake = {
    {EVENTS(skylake), EVENTS(since_ivy_bridge), EVENTS(of_all)}};
const bx_core_events bx_core_events_ivy_bridge = {
    {EVENTS(ivy_bridge), EVENTS(since_ivy_bridge), EVENTS(before_skylake), EVENTS(of_all)}};
const bx_core_events bx_core_events_nehalem = {
    {EVENTS(nehalem), EVENTS(before_skylake), EVENTS(of_all)}};

/* The next event after e with the selection's code. e NULL: the first one. Returns NULL after the
 * last one. */
static const bx_core_event *next_event(const bx_core_events *events, const bx_selection *sel,
                                       const bx_core_event *e)
{
    bool behind = !e;

    for (unsigned t = 0; t < BX_CORE_EVENT_TABLES; t++)
        for (size_t i = 0; i < events->table[t].n; i++) {
            const bx_core_event *is = &events->table[t].event[i];
            if (behind && is->code == sel->code)
                return is;
            behind |= is == e;
        }
    return NULL;
}

static const bx_core_event *find_exactly(const bx_core_events *events, const bx_selection *sel)
{
    const bx_core_event *e = NULL;

    while ((e = next_event(events, sel, e)) &&
           (e->umask != sel->umask || e->threshold != sel->threshold))
        continue;
    return e;
}

/* Adds up the rows of those bits of the unit mask that have rows of their own. Returns these
 * bits. */
static uint32_t add_bits(const bx_core_events *events, const bx_selection *sel,
                         struct bx_signal *signal)
{
    uint32_t bits = 0;

    for (const bx_core_event *e = NULL; (e = next_event(events, sel, e));) {
        if (e->kind != BX_CORE_EVENT_BITS || !(e->umask & sel->umask))
            continue;
        bits |= e->umask;
        signal->plus |= e->plus;
        signal->minus |= e->minus;
    }
    return bits;
}

static void set(struct bx_signal *signal, const bx_core_event *e, const struct bx_turns *turns)
{
    static const enum bx_core_level level[] = {[BX_CORE_EVENT_CYCLES] = BX_CORE_UNHALTED,
                                               [BX_CORE_EVENT_REFERENCE_CYCLES] = BX_CORE_UNHALTED,
                                               [BX_CORE_EVENT_REQUESTS] = BX_CORE_REQUESTS,
                                               [BX_CORE_EVENT_ANY] = BX_CORE_ANY,
                                               [BX_CORE_EVENT_STALLED] = BX_CORE_STALLED};

    if (e->kind < BX_CORE_EVENT_CYCLES) {
        signal->plus = e->plus;
        signal->minus = e->minus;
        return;
    }
    signal->kind = BX_SIGNAL_OCCUPANCY;
    signal->core_level = level[e->kind];
    signal->entries = (unsigned)e->plus;
    signal->compared = e->threshold;
    signal->clock =
        e->kind == BX_CORE_EVENT_REFERENCE_CYCLES ? (bx_ratio){1, 1} : turns->core_clock;
}

bool bx_core_signal_of(const bx_core_events *events, const struct bx_turns *turns,
                       const bx_selection *sel, unsigned agent, struct bx_signal *signal)
{
    const bx_core_event *e = find_exactly(events, sel);

    if (!(sel->levels & BX_LEVEL_USER))
        return false; /* no kernel is executed: docs/explanation/model-core-counters.md */
    *signal = (struct bx_signal){.kind = BX_SIGNAL_PULSES, .of_core = true, .core = agent};
    if (e)
        set(signal, e, turns);
    else if (sel->threshold || !sel->umask || add_bits(events, sel, signal) != sel->umask)
        return false;
    signal->of_remarks = (signal->plus | signal->minus) & ONLY_OUR_TRACER;
    return true;
}
