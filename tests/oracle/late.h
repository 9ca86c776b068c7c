/* "Window" and "Store buffer": how far a core continues past incomplete loads and uncommitted
 * stores. For all oracles. */
#ifndef BX_TESTS_ORACLE_LATE_H
#define BX_TESTS_ORACLE_LATE_H

#include "model/engine/shape.h"

#include <string.h>

/* The loads, in the order in which they were made. */
struct late_loads {
    uint64_t worked; /* cycles in which the core did something */
    unsigned n;
    struct {
        uint64_t limit; /* of `worked` */
        uint64_t completion;
    } load[64];
    unsigned entries;     /* of the store buffer; 0: any number */
    uint64_t stores;      /* number made so far */
    uint64_t last_commit; /* of all of them */
    uint64_t commit[128]; /* of each of the last ones */
};

static inline void late_drop(struct late_loads *late, unsigned i)
{
    late->n--;
    memmove(&late->load[i], &late->load[i + 1], (late->n - i) * sizeof late->load[0]);
}

/* A load at t uses a buffer, and the core does not wait for it. */
static inline void late_add(struct late_loads *late, unsigned window, uint64_t t,
                            uint64_t completion)
{
    for (unsigned i = late->n; i-- > 0;)
        if (late->load[i].completion <= t)
            late_drop(late, i);
    if (window == 0)
        return;
    late->load[late->n].limit = late->worked + window;
    late->load[late->n].completion = completion;
    late->n++;
}

/* Stores commit in order. */
static inline uint64_t late_make_store(struct late_loads *late, uint64_t t)
{
    uint64_t before = late->stores >= late->entries ? late->stores - late->entries : 0;

    if (late->entries && late->stores >= late->entries && t < late->commit[before % 128])
        t = late->commit[before % 128];
    late->commit[late->stores++ % 128] = late->last_commit;
    return t;
}

/* The last store used a buffer. */
static inline void late_add_store(struct late_loads *late, uint64_t completion)
{
    if (late->last_commit < completion)
        late->last_commit = completion;
    late->commit[(late->stores - 1) % 128] = late->last_commit;
}

/* The core works for so many cycles and then makes an access. Returns its time, if it could be at
 * t. */
static inline uint64_t late_time(struct late_loads *late, unsigned cost, bool store, uint64_t t)
{
    if (store)
        t = late_make_store(late, t);
    late->worked += cost;
    while (late->n && late->worked >= late->load[0].limit) {
        if (t < late->load[0].completion)
            t = late->load[0].completion;
        late_drop(late, 0);
    }
    return t;
}

/* Times that are not given are those of the page. */
static inline bx_model_times late_times(bx_model_times given, unsigned llc_hit, unsigned link)
{
    uint32_t *const time[] = {&given.l2_hit,
                              &given.l2_wait,
                              &given.llc_hit,
                              &given.ring_hop,
                              &given.snoop_clean,
                              &given.snoop_dirty,
                              &given.link,
                              &given.fill_buffers,
                              &given.io_buffers,
                              &given.tor,
                              &given.rtids,
                              &given.qpi_credits,
                              &given.wb_credits,
                              &given.irq,
                              &given.ipq,
                              &given.viq,
                              &given.maf,
                              &given.s_table,
                              &given.imt,
                              &given.m_queue,
                              &given.super_queue,
                              &given.super_queue_busy,
                              &given.memory_transit,
                              &given.memory_transfer,
                              &given.memory_read,
                              &given.tor_queue,
                              &given.peer_snoop,
                              &given.tor_write_back,
                              &given.tor_eviction,
                              &given.io_allocate,
                              &given.c_lookup,
                              &given.c_victim,
                              &given.c_response,
                              &given.b_lookup,
                              &given.b_decide,
                              &given.r_cross,
                              &given.s_to_b,
                              &given.ioh_link,
                              &given.ioh_device,
                              &given.m_decode,
                              &given.m_answer,
                              &given.rwrf,
                              &given.rspf,
                              &given.s_hom,
                              &given.s_snp,
                              &given.s_ndr,
                              &given.s_drs,
                              &given.s_ncb,
                              &given.s_ncs,
                              &given.s_data,
                              &given.ring_snp,
                              &given.ring_ncb,
                              &given.ring_ncs,
                              &given.ring_ndr,
                              &given.ring_r2s,
                              &given.ring_b2s,
                              &given.m_write_mark,
                              &given.starving,
                              &given.ring,
                              &given.s_queue,
                              &given.bus_lock};
    const uint32_t page[] = {2,  8,  llc_hit, 2,  25, 35, link, 10, 32,  20, 14, 8,  4,   24, 8, 8,
                             16, 48, 32,      16, 16, 12, 20,   12, 130, 2,  20, 16, 12,  20, 4, 6,
                             3,  6,  2,       6,  3,  30, 100,  4,  10,  12, 8,  32, 32,  16, 4, 2,
                             2,  16, 31,      4,  4,  32, 8,    8,  8,   16, 4,  2,  1000};

    for (unsigned i = 0; i < sizeof page / sizeof *page; i++)
        if (*time[i] == 0)
            *time[i] = page[i];
    return given;
}

/* Times for trials: every third number has the models' own. */
static inline bx_model_times late_times_of_trial(uint64_t n)
{
    if (n % 3 == 0)
        return (bx_model_times){0};
    return (bx_model_times){.l2_hit = (uint32_t)(n % 5),
                            .l2_wait = (uint32_t)(n % 17),
                            .llc_hit = (uint32_t)(n % 61),
                            .ring_hop = (uint32_t)(n % 4),
                            .snoop_clean = (uint32_t)(n % 43),
                            .snoop_dirty = (uint32_t)(n % 91),
                            .link = (uint32_t)(n % 101),
                            .l2_line = (uint32_t)(n % 6),
                            .llc_line = (uint32_t)(n % 5),
                            .fill_buffers = (uint32_t)(n % 33),
                            .window = n % 2 ? (uint32_t)(1 + n % 120) : 0,
                            .store_buffer = n % 7 < 4 ? (uint32_t)(1 + n % 31) : 0,
                            .io_buffers = (uint32_t)(n % 33),
                            .tor = (uint32_t)(n % 23),
                            .rtids = (uint32_t)(n % 19),
                            .qpi_credits = (uint32_t)(n % 11),
                            .wb_credits = (uint32_t)(n % 7),
                            .irq = (uint32_t)(n % 29),
                            .ipq = (uint32_t)(n % 11),
                            .viq = (uint32_t)(n % 13),
                            .maf = (uint32_t)(n % 23),
                            .s_table = (uint32_t)(n % 53),
                            .imt = (uint32_t)(n % 37),
                            .m_queue = (uint32_t)(n % 17),
                            .m_close = n % 4 == 1,
                            .m_patrol = n % 5 == 2 ? (uint32_t)(50 + n % 977) : 0,
                            .m_heat = n % 5 == 1 ? (uint32_t)(500 + n % 7919) : 0,
                            .m_read_first = n % 6 == 2,
                            .m_adaptive = n % 6 == 4,
                            .m_adaptive_pages = n % 7 > 3,
                            .w_turbo = n % 3 == 1 ? (uint32_t)(90 + n % 4001) : 0,
                            .w_heat = n % 4 == 2 ? (uint32_t)(90 + n % 6007) : 0,
                            .w_forcepr = n % 7 == 3 ? (uint32_t)(70 + n % 3001) : 0,
                            .u_timer = n % 2 ? (uint32_t)(1 + n % 1999) : 0,
                            .bus_lock = (uint32_t)(n % 1500),
                            .super_queue = (uint32_t)(n % 33),
                            .super_queue_busy = (uint32_t)(n % 15),
                            .memory_transit = (uint32_t)(n % 27),
                            .memory_transfer = (uint32_t)(n % 18),
                            .memory_read = (uint32_t)(n % 201),
                            .tor_queue = (uint32_t)(n % 5),
                            .peer_snoop = (uint32_t)(n % 31),
                            .tor_write_back = (uint32_t)(n % 25),
                            .tor_eviction = (uint32_t)(n % 21),
                            .io_allocate = (uint32_t)(n % 29),
                            .c_lookup = (uint32_t)(n % 9),
                            .c_victim = (uint32_t)(n % 12),
                            .c_response = (uint32_t)(n % 7),
                            .b_lookup = (uint32_t)(n % 14),
                            .b_decide = (uint32_t)(n % 8),
                            .r_cross = (uint32_t)(n % 13),
                            .s_to_b = (uint32_t)(n % 10),
                            .ioh_link = (uint32_t)(n % 47),
                            .ioh_device = (uint32_t)(n % 151),
                            .vna_short = (uint32_t)(n % 7),
                            .vna_long = (uint32_t)(n % 4),
                            .b_vna = (uint32_t)(n % 5),
                            .s_vn0 = (uint32_t)(n % 3),
                            .m_decode = (uint32_t)(n % 11),
                            .m_answer = (uint32_t)(n % 24),
                            .rwrf = (uint32_t)(n % 13),
                            .rspf = (uint32_t)(n % 9),
                            .s_hom = (uint32_t)(n % 5),
                            .s_snp = (uint32_t)(n % 6),
                            .s_ndr = (uint32_t)(n % 7),
                            .s_drs = (uint32_t)(n % 5),
                            .s_ncb = (uint32_t)(n % 3),
                            .s_ncs = (uint32_t)(n % 3),
                            .s_data = (uint32_t)(n % 6),
                            .ring_snp = (uint32_t)(n % 7),
                            .ring_ncb = (uint32_t)(n % 5),
                            .ring_ncs = (uint32_t)(n % 5),
                            .ring_ndr = (uint32_t)(n % 8),
                            .ring_r2s = (uint32_t)(n % 9),
                            .ring_b2s = (uint32_t)(n % 9),
                            .m_write_mark = (uint32_t)(n % 11),
                            .starving = (uint32_t)(n % 20),
                            .ring = (uint32_t)(n % 9),
                            .s_queue = (uint32_t)(n % 5)};
}

#endif
