/* Common parts of uncore accesses by cores, GT and IO: snoops, memory, ways for fills. Inline,
 * because every miss uses most of it. */
#ifndef BX_MODEL_MACHINE_CLIENT_UNCORE_H
#define BX_MODEL_MACHINE_CLIENT_UNCORE_H

#include "model/machine/client/machine.h"

/* Responses of snooped cores: whether any core was snooped, had a copy, had a modified copy. */
struct bx_client_snoop_result {
    bool any, hit, dirty;
};

/* Invalidates the copies in each core of the mask `cores`. */
static inline struct bx_client_snoop_result
bx_client_snoop_invalidate(struct bx_client *m, unsigned cores, uint64_t line, unsigned slice,
                           enum bx_snoop_source from)
{
    struct bx_client_snoop_result result = {.any = cores != 0};

    for (; cores; cores &= cores - 1) {
        unsigned core = bx_first_way(cores);
        enum bx_snoop_response response = bx_turns_snoop(&m->model, core, line, true);
        m->counts.xsnp[slice][from][response]++;
        result.hit |= response != BX_SNOOP_MISS;
        result.dirty |= response == BX_SNOOP_HITM;
    }
    return result;
}

/* A reader hits a line of the LLC. If one other core may have modified the line, it is snooped, and
 * its bit and the LLC's state are updated. reader: the bit of the reading core, or 0. */
static inline struct bx_client_snoop_result bx_client_snoop_share(struct bx_client *m,
                                                                  struct bx_client_llc_line at,
                                                                  unsigned reader, uint64_t line,
                                                                  enum bx_snoop_source from)
{
    unsigned cores = bx_client_llc_cores(at), others = cores & ~reader;
    enum bx_line_state state = bx_client_llc_state(at);

    if (state == BX_LINE_S || !others || others & (others - 1))
        return (struct bx_client_snoop_result){.any = false};
    unsigned core = bx_first_way(others);
    enum bx_snoop_response response = bx_turns_snoop(&m->model, core, line, false);
    m->counts.xsnp[at.slice][from][response]++;
    if (response == BX_SNOOP_MISS)
        bx_client_llc_set_cores(at, cores & ~others);
    if (response == BX_SNOOP_HITM)
        bx_client_llc_set_state(at, BX_LINE_M);
    return (struct bx_client_snoop_result){
        .any = true, .hit = response != BX_SNOOP_MISS, .dirty = response == BX_SNOOP_HITM};
}

/* An entry of the ARB, the queue between the uncore and memory: it lives until memory is done. */
static inline void bx_client_arb_enter(struct bx_client *m, enum bx_arb_kind kind, uint64_t t,
                                       uint64_t done)
{
    m->arb_entered++;
    m->counts.arb[kind]++;
    m->counts.occupancy[kind] += done - t;
    if (!bx_gauge_put(&m->arb[kind], t, t, done))
        m->model.out_of_memory = true;
}

/* Writes a line of a core or of the LLC to memory. Returns the time when that is done. */
static inline uint64_t bx_client_write_memory(struct bx_client *m, uint64_t line, uint64_t t)
{
    uint64_t done = bx_imc_write(&m->imc, &m->counts, BX_IMC_IA, line, t);
    bx_client_arb_enter(m, BX_ARB_WRITE, t, done);
    return done;
}

/* Reads a line from memory. Returns the time when it arrives. */
static inline uint64_t bx_client_read_memory(struct bx_client *m, enum bx_imc_agent by,
                                             enum bx_arb_kind kind, uint64_t line, uint64_t t)
{
    uint64_t done = bx_imc_read(&m->imc, &m->counts, by, line, t);
    bx_client_arb_enter(m, kind, t, done);
    return done;
}

/* Sets at->way to the way for a fill: an empty way, or that of a victim, which is evicted. */
static inline void bx_client_llc_make_way(struct bx_client *m, struct bx_client_llc_line *at,
                                          uint64_t line, uint64_t t)
{
    at->way = bx_cache_choose(at->cache, line);
    enum bx_line_state state = bx_client_llc_state(*at);
    if (state == BX_LINE_I)
        return;
    uint64_t victim = bx_cache_line(at->cache, at->way, line);
    bool dirty = state == BX_LINE_M;

    dirty |= bx_client_snoop_invalidate(m, bx_client_llc_cores(*at), victim, at->slice,
                                        BX_SNOOP_EVICTION)
                 .dirty;
    if (dirty)
        bx_client_write_memory(m, victim, t);
}

/* Puts a line in E into the way made for it. */
static inline void bx_client_llc_put(struct bx_client_llc_line at, uint64_t line, unsigned cores)
{
    bx_cache_put(at.cache, at.way, line, BX_LINE_E);
    bx_client_llc_set_cores(at, cores);
}

#endif
