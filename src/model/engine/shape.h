/* The size of a machine, and its last-level cache. */
#ifndef BX_MODEL_ENGINE_SHAPE_H
#define BX_MODEL_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The memory of a package, or of a node: docs/explanation/model-dram.md, "DRAM". Clocks are those
 * of the memory; a clock has two transfers. */
typedef struct bx_model_dram {
    uint32_t rate;                           /* million transfers per second; 0: plain rule */
    uint32_t cl, rcd, rp, ras, rtp, wr, wtr; /* clocks */
    uint32_t faw;                            /* clocks; 0: no limit to the opening of rows */
    uint32_t rfc, refi, transit;             /* ns; refi 0: no refresh */
    uint32_t channels, ranks, banks;         /* per controller; per channel; per rank */
    uint32_t row_bytes;                      /* of a bank's row; the last four are powers of two */
    uint32_t groups; /* of a rank's banks: a power of two, at most the banks; 0: no groups */
    uint32_t ccd_l, rrd_s, rrd_l; /* clocks: reads of a group; openings of a rank, of a group */
    bool bank_hash;               /* banks are those that were published of a Skylake */
    uint32_t line_bytes;          /* of the machine; bx_model_new() sets it */
    /* Of two channels: the bits of a line's number whose parity is the channel. 0: the channel is
     * the number modulo `channels`. Set by the model. */
    uint64_t channel_hash;
} bx_model_dram;

/* Times in uncore cycles, and sizes of a core's buffers. 0: the model's default. */
typedef struct bx_model_times {
    uint32_t l2_hit, l2_wait; /* beyond an L1 hit: any access; a dependent access */
    uint32_t l3_hit, l3_wait; /* the same of a private L3 */
    uint32_t llc_hit;         /* from a request to its data */
    uint32_t l2_line,
        llc_line;      /* a line moves between L1D and L2; between L2 and what is behind it */
    uint32_t ring_hop; /* client: to the next stop and back */
    uint32_t snoop_clean, snoop_dirty; /* added if a core is snooped */
    /* From package to package: of a message or line; of a line that a cache had modified, 0: the
     * same; million bytes a second in each direction, 0: no limit. */
    uint32_t link, link_modified, link_rate;
    uint32_t fill_buffers; /* per core */
    uint32_t window; /* a core goes on past an incomplete load for so many cycles; 0: no limit */
    uint32_t store_buffer; /* stores of a core that have not committed; 0: no limit */
    /* Prefetches of a core in flight, and with how many the streamer fills only the LLC. */
    uint32_t super_queue, super_queue_busy;
    uint32_t io_buffers; /* requests of devices in flight */
    /* Of memory without DRAM: to the controller; of a line on the channel; from there to its data.
     */
    uint32_t memory_transit, memory_transfer, memory_read;
    /* Ivy Bridge-EP, of a slice: entries of the TOR; most misses in flight; of these to the other
     * package's memory; most evictions in flight that write to memory. */
    uint32_t tor, rtids, qpi_credits, wb_credits;
    /* Cycles: from a queue into the TOR; in the TOR, of a snoop of the other package, a written
     * line and an eviction; of a device's line into the LLC. */
    uint32_t tor_queue, peer_snoop, tor_write_back, tor_eviction, io_allocate;
    /* Xeon 7500: entries of the C-Box's queues, of the S-Box's and the B-Box's tables of requests,
     * and of each of the M-Box's queues. */
    uint32_t irq, ipq, viq, maf, s_table, imt, m_queue;
    /* Also: of the queues between a core and the ring; of the S-Box's queues to the R-Box and the
     * B-Box, and to the ring. */
    uint32_t rwrf, rspf, s_hom, s_snp, s_ndr, s_drs, s_ncb, s_ncs, s_data;
    uint32_t ring_snp, ring_ncb, ring_ncs, ring_ndr, ring_r2s, ring_b2s;
    /* Each access closes its row; cycles from a patrol scrub to the next; cycles in which the
     * memory modules get hot and cold again. 0: none of it. */
    uint32_t m_close, m_patrol, m_heat;
    /* Scheduling by priority of reads, and by what waits; a page policy that adapts. */
    uint32_t m_read_first, m_adaptive, m_adaptive_pages;
    /* Cycles in which the cores go through turbo, get hot and cold again, and are throttled from
     * outside; from a timer's interrupt to the next. 0: none of it. */
    uint32_t w_turbo, w_heat, w_forcepr, u_timer;
    uint32_t bus_lock;     /* cycles for which a locked operation on two lines has the bus */
    uint32_t m_write_mark; /* with so many writes waiting, the M-Box puts them first */
    uint32_t starving;     /* cycles of waiting after which an entry of a queue starves */
    /* Cycles in its boxes, and on its links: docs/explanation/model-nhmex.md. */
    uint32_t ring, s_queue, c_lookup, c_victim, c_response, b_lookup, b_decide, r_cross, s_to_b,
        ioh_link, ioh_device;
    /* Credits, at most 64: of an R-Box port; of a B-Box for packets of an S-Box, and back for each
     * class. 0: no limit. */
    uint32_t vna_short, vna_long, b_vna, s_vn0;
    uint32_t m_decode, m_answer;
    /* P6: cycles from a load that hits the DCU to the next instruction that needs it; of a look-up
     * of L2, of a page walk, and of a bus clock. */
    uint32_t l1_hit, l2_lookup, itlb_walk, bus_clock;
    /* In bus clocks from a request: to the next; to the answer to a snoop, and how much later that
     * is if the DCU must be read; to the data of a read, if it is not deferred, and of a write; to
     * the end of an invalidation. */
    uint32_t bus_request, bus_snoop, bus_stall, bus_read, bus_defer, bus_write, bus_invalidate;
    /* P6: cycles of a locked operation, of a misprediction, and of a branch that the decoder finds.
     */
    uint32_t locked, mispredict, resteer;
    /* P6: for which a division has the divider; from an interrupt of the timer to the next, 0 if
     * there are none; for which a kernel handles one. */
    uint32_t divide, interrupt, interrupt_cycles;
} bx_model_times;

enum { BX_FILL_BUFFERS_MOST = 32, BX_L2_CYCLES_MOST = 255, BX_LINE_CYCLES_MOST = 255 };

static inline void bx_model_times_complete(bx_model_times *t, const bx_model_times *own)
{
    uint32_t value[sizeof *t / sizeof(uint32_t)], preset[sizeof *t / sizeof(uint32_t)];

    memcpy(value, t, sizeof value);
    memcpy(preset, own, sizeof preset);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        value[i] = value[i] ? value[i] : preset[i];
    memcpy(t, value, sizeof value);
}

/* Which lines a private level has of those that the caches in front of it have:
 * docs/explanation/model.md, "Private caches". */
enum bx_inclusion {
    BX_INCLUSION_OWN, /* as in the model */
    BX_INCLUSION_NONE,
    BX_INCLUSION_MODIFIED,
    BX_INCLUSION_ALL,
    BX_INCLUSION_EXCLUSIVE,
    BX_INCLUSIONS,
};

/* A private cache of a core. 0: the model's own. */
typedef struct bx_model_cache {
    uint64_t bytes;
    uint32_t ways;
    uint32_t inclusion; /* enum bx_inclusion; only of levels behind L1 */
    uint32_t policy;    /* catalog/policies.h */
} bx_model_cache;

struct bx_tlb_geometry;

typedef struct bx_model_shape {
    uint32_t packages, cores, slices; /* cores and slices per package */
    uint64_t llc_bytes;               /* per package */
    uint32_t llc_ways;                /* 0: the model's own */
    uint32_t llc_policy;              /* catalog/policies.h; 0: the model's own */
    uint32_t line_bytes;              /* of all caches: a power of two; 0: the model's own */
    bx_model_cache l1d, l1i, l2, l3;  /* of a core; l3 of 0 bytes: it has none */
    /* Mechanisms of real parts. Without them the plain rules of docs/explanation/model.md apply. */
    bool measured_replacement;
    bool prefetch;     /* accesses come with prefetches */
    bool no_predictor; /* nobody predicts branches: none is known to be mispredicted */
    bx_model_times times;
    bx_model_dram dram;
    uint64_t hz;      /* of the uncore; only for mechanisms with times in ns or their own clocks */
    uint64_t core_hz; /* of the cores; 0: the same */
    bool tlb;         /* cores have TLBs: bx_model_tlb() */
    /* Which ones; they must stay as long as the model. NULL: the model's own. */
    const struct bx_tlb_geometry *tlbs;
} bx_model_shape;

enum { BX_LINE_BYTES_LEAST = 16, BX_LINE_BYTES_MOST = 64 };

/* A cache of a machine, as CPUID tells it. */
typedef struct bx_model_cache_fact {
    enum { BX_CACHE_OF_DATA = 1, BX_CACHE_OF_INSTRUCTIONS, BX_CACHE_OF_BOTH } of;
    unsigned level, ways;
    uint64_t bytes; /* of an LLC: of all slices */
    bool shared;    /* by the cores of a package; else each core has one */
    bool inclusive; /* it has all lines of the caches in front of it */
} bx_model_cache_fact;

/* The last-level cache of a package. */
typedef struct bx_model_llc {
    uint64_t bytes;
    unsigned ways; /* 0: the package has no LLC */
} bx_model_llc;

#endif
